"""The theorem of NAG-RPD that appendix I implies: (3) with another distance to the stale point.

The proof of Theorem 4.1 uses of the stale point only that it is fixed before the draw and how far
it is from x^k, so it carries over to x̃^k with any bound of E‖x^k − x̃^k‖².
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Found,
    Lipschitz,
    Step,
    Telescope,
    Theorem,
    Total,
    le,
    lipschitz,
    square,
)
from theory.kernel.vectors import Scalar
from theory.papers.rpd import eq_8, method
from theory.papers.rpd.method import (
    AVERAGE,
    BOUNDED,
    E_K,
    F_STAR,
    FOLLOWING,
    LOWER,
    NEXT,
    SMOOTH,
    START,
    STEP,
    F,
    S,
    X,
    k,
)
from theory.papers.rpd.nag_method import AHEAD, APART, AT_AHEAD, DRIFT, NAMED, VALUE_AHEAD, uniform
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, n, p

S_AHEAD: Final = sympy.Function("S̃", nonnegative=True)
"""Total expectation by iteration: ‖∇f(x̃^k)‖²."""

SEQUENCES: Final = {
    F: X.value,
    S: method.SEQUENCES[S],
    S_AHEAD: square(AHEAD.gradient),
    DRIFT: square(APART),
}


def average_gradient(
    name: str,
    statement: str,
    latex: str,
    drift: Theorem,
    steps: tuple[Step, ...],
    size: Scalar,
    where: str = "ours",
) -> Theorem:
    """The mean of E‖∇f(x^k)‖² is at most 2pΔ/(γK) + pLγG² + L²γ²G² · size.

    Parameters
    ----------
    name, statement, latex : str
        As in `theory.kernel.Theorem`, the name being the id.
    drift : Theorem
        Bounds the distance from x to x̃.
    steps : tuple of Step
        From it to the step ``drift``: `DRIFT` (k) ≤ γ²G² · size.
    size : sympy expression
    where : str
    """
    return Theorem(
        id=name,
        where=where,
        statement=statement,
        latex=r"\tfrac1K \sum_{k<K} \mathbb{E}\|\nabla f(x^k)\|^2 \le \tfrac{2p\Delta}{\gamma K} + "
        rf"pL\gamma G^2 + L^2\gamma^2G^2\,{latex}",
        symbols=(n, K, L, Delta, F_STAR, *dict.fromkeys((p, gamma, G, *drift.symbols))),
        indices=drift.indices,
        scalars=drift.scalars,
        vectors=(STEP, *dict.fromkeys((APART, *drift.vectors))),
        points=(NEXT, *dict.fromkeys((X, AHEAD, *drift.points))),
        sequences={**SEQUENCES, **drift.sequences},
        following=(*FOLLOWING, *drift.following),
        hypotheses=(
            SMOOTH,
            *uniform(X.gradient),
            BOUNDED,
            NAMED,
            *(h for h in drift.hypotheses if h.name != NAMED.name),
            START,
            LOWER,
        ),
        cites=(eq_8.THEOREM, drift),
        steps=(*steps, *_from(size)),
        lhs=AVERAGE,
        terms={
            "optimization": 2 * p * Delta / (gamma * K),
            "sampling": p * L * gamma * G**2,
            "staleness": L**2 * gamma**2 * G**2 * size,
        },
        conclude=Found(),
    )


def _from(size: Scalar) -> tuple[Step, ...]:
    """The proof of Theorem 4.1 with x̃ for x̂."""
    slope, noise = gamma / (2 * p), L * gamma**2 * G**2 / 2
    price = slope * L**2 * gamma**2 * G**2 * size + noise
    progress = slope * (square(X.gradient) + square(AHEAD.gradient))
    gains = slope * (S(k) + S_AHEAD(k))
    return (
        Step("(8)", eq_8.THEOREM.goal.replaced(VALUE_AHEAD, AT_AHEAD), _EQ_8),
        Step("size of g", le(E_K.of(square(STEP)), G**2), Expect("bounded", E_K)),
        Step("lipschitz", lipschitz(L, X, AHEAD), Lipschitz("smooth", X, AHEAD)),
        Step(
            "one step",
            le(E_K.of(NEXT.value), X.value - progress + slope * L**2 * square(APART) + noise),
            Found("(8)", "size of g", "lipschitz", "apart"),
            "(9) at x̃, before the distance is bounded",
        ),
        Step(
            "total",
            le(F(k + 1), F(k) - gains + slope * L**2 * DRIFT(k) + noise),
            Total("one step", k),
        ),
        Step(
            "recurrence",
            le(F(k + 1), F(k) - gains + price),
            Combine({"total": 1, "drift": slope * L**2}),
        ),
        Step(
            "sum",
            le(F(K), F(0) - sympy.Sum(gains, (k, 0, K - 1)) + K * price),
            Telescope("recurrence", k, K),
        ),
    )


_EQ_8 = Cite("rpd.eq-8", VALUE_AHEAD, AT_AHEAD)
