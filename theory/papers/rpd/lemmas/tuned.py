"""What (3) gives at the stepsizes of Corollary B.1, and at better ones.

Legend: γ₂ = √(2Δ/(LG²K)) balances the first two terms of (3), q with q³ = 2pΔ/(KL²τ²G²) the first
and the third; g² = 2LΔ/K. On the first branch γ = 1/L ≤ γ₂ means G ≤ g.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.claims import Formulas
from theory.kernel import (
    Cite,
    Combine,
    Descent,
    Hypothesis,
    Point,
    Step,
    Telescope,
    Theorem,
    Total,
    descent,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.theorem import Rule
from theory.papers.rpd.lemmas import any_gradient
from theory.papers.rpd.method import AVERAGE, F_STAR, SMOOTH, S, X, k
from theory.papers.rpd.stepsize import ANY_STEPSIZE
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, p, tau

GAMMA_2: Final = sympy.sqrt(2 * Delta / (L * G**2 * K))
SMALLEST: Final = sympy.sqrt(2 * L * Delta / K)
"""g."""
PRINTED: Final[Formulas] = {
    "rate": 2 * sympy.sqrt(2) * p * G * sympy.sqrt(L * Delta / K),
    "staleness": 2 * L * Delta * tau**2 / K,
}
"""Corollary B.1."""

BALANCED: Final = sympy.Symbol("q", positive=True)
_STALE = L**2 * tau**2 * G**2

BETTER: Final[Formulas] = {"rate": PRINTED["rate"], "staleness": 2 * _STALE * BALANCED**2}
"""At γ = min{γ₂, q}; the second term is 2 (2pLΔτG/K)^(2/3)."""

_IS_GAMMA_2 = Hypothesis("stepsize", "γ is γ₂", eq(gamma, GAMMA_2))
_IS_INVERSE = Hypothesis("stepsize", "γ is 1/L", eq(gamma, 1 / L))
_FIRST = Hypothesis("branch", "1/L ≤ γ₂, that is G ≤ g", le(G, SMALLEST))
CUBE: Final = Hypothesis(
    "balance", "q³ is 2pΔ/(KL²τ²G²)", eq(BALANCED**3 * _STALE * K, 2 * p * Delta)
)


def _by_theorem_4_1(
    name: str, when: str, terms: Formulas, hypotheses: tuple[Hypothesis, ...], conclude: Rule
) -> Theorem:
    """A corollary of (3), which holds for every γ > 0."""
    return replace(
        ANY_STEPSIZE,
        id=f"rpd.cor-b1-{name}",
        statement=f"Corollary B.1 where {when}.",
        symbols=(*ANY_STEPSIZE.symbols, BALANCED),
        hypotheses=(*ANY_STEPSIZE.hypotheses, *hypotheses),
        cites=(ANY_STEPSIZE,),
        steps=(Step("(3)", ANY_STEPSIZE.goal, Cite(ANY_STEPSIZE.id), "(3), for every γ > 0"),),
        terms=terms,
        conclude=conclude,
    )


def _at_gamma_2(staleness: sympy.Expr) -> dict[str, sympy.Expr]:
    """Multipliers that put γ₂ into the first two terms of (3), and into the third."""
    swap = p * L * G**2 - 2 * p * Delta / (gamma * GAMMA_2 * K)
    return {"(3)": 1, "stepsize": swap + staleness}


SECOND: Final = _by_theorem_4_1(
    "second",
    "γ is γ₂, for every K",
    PRINTED,
    (_IS_GAMMA_2,),
    Combine(_at_gamma_2(_STALE * (gamma + GAMMA_2))),
)

NEAR: Final = _by_theorem_4_1(
    "near",
    "γ is 1/L ≤ γ₂ and p(g − G) ≤ τ²(g + G)",
    PRINTED,
    (
        _IS_INVERSE,
        _FIRST,
        Hypothesis("near", "the delay is large", le(p * (SMALLEST - G), tau**2 * (SMALLEST + G))),
    ),
    Combine(
        {
            "(3)": 1,
            "stepsize": p * L * G**2 + _STALE * (gamma + 1 / L) - 2 * p * Delta * L / (gamma * K),
            "near": SMALLEST - G,
        },
        domain=("branch",),
    ),
)

_LARGE = any_gradient.THEOREM
_ALL = sympy.Sum(S(k), (k, 0, K - 1))

FAR: Final = Theorem(
    id="rpd.cor-b1-far",
    where="ours",
    statement="Corollary B.1 where γ is 1/L ≤ γ₂ and p(g − G) ≥ τ²(g + G).",
    latex=ANY_STEPSIZE.latex,
    symbols=(*_LARGE.symbols, K, Delta),
    vectors=_LARGE.vectors,
    points=_LARGE.points,
    sequences={**_LARGE.sequences, S: square(X.gradient)},
    hypotheses=(
        *_LARGE.hypotheses,
        _IS_INVERSE,
        Hypothesis("far", "the delay is small", le(tau**2 * (SMALLEST + G), p * (SMALLEST - G))),
    ),
    cites=(_LARGE,),
    steps=(
        Step("gradient", _LARGE.goal, Cite(_LARGE.id)),
        Step("total", le(S(k), 2 * p * G**2 + 2 * _STALE * gamma**2), Total("gradient", k)),
        Step(
            "sum",
            le(_ALL, K * (2 * p * G**2 + 2 * _STALE * gamma**2)),
            Telescope("total", k, K),
        ),
    ),
    lhs=AVERAGE,
    terms=PRINTED,
    conclude=Combine(
        {"sum": 1 / K, "stepsize": 2 * _STALE * (gamma + 1 / L), "far": 2 * G},
        plus=(tau**2 * (SMALLEST**2 + 2 * G * SMALLEST),),
    ),
)

_DOWN = Point(X.position - X.gradient / L, sympy.Symbol("f(x₁)", real=True), vector("∇f(x₁)"))
"""One step of gradient descent from x."""

STILL: Final = Theorem(
    id="rpd.cor-b1-still",
    where="ours",
    statement="Corollary B.1 where Δ is 0, so that γ is 0 and x^k stays at the minimizer x⁰.",
    latex=ANY_STEPSIZE.latex,
    symbols=(p, G, L, K, Delta, tau, F_STAR),
    points=(X, _DOWN),
    sequences={S: square(X.gradient)},
    hypotheses=(
        SMOOTH,
        Hypothesis("least", "f is at least f* everywhere", le(F_STAR, _DOWN.value)),
        Hypothesis("still", "x^k is x⁰, and Δ is f(x⁰) − f*", eq(X.value, F_STAR + Delta)),
        Hypothesis("no gap", "Δ is 0", eq(Delta, 0)),
    ),
    steps=(
        Step("descent", descent(L, X, _DOWN), Descent("smooth", X, _DOWN)),
        Step(
            "gradient",
            le(square(X.gradient), 2 * L * Delta),
            Combine({"descent": 2 * L, "least": 2 * L, "still": 2 * L}),
            "‖∇f(x)‖² ≤ 2L(f(x) − f*)",
        ),
        Step("total", le(S(k), 2 * L * Delta), Total("gradient", k)),
        Step("sum", le(_ALL, K * 2 * L * Delta), Telescope("total", k, K)),
    ),
    lhs=AVERAGE,
    terms=PRINTED,
    conclude=Combine({"sum": 1 / K, "no gap": 2 * L}, plus=tuple(PRINTED.values())),
)

_SECOND_IS: Final = "γ = γ₂ (that is, γ₂ ≤ 1/L; the proof takes any K)"
_NEAR_IS: Final = "γ = 1/L ≤ γ₂ and p(g − G) ≤ τ²(g + G)"
_FAR_IS: Final = "γ = 1/L ≤ γ₂ and p(g − G) ≥ τ²(g + G)"
_STILL_IS: Final = "Δ = 0, where γ is 0"

BRANCHES: Final = {_SECOND_IS: SECOND, _NEAR_IS: NEAR, _FAR_IS: FAR, _STILL_IS: STILL}
"""The last is the quickest to try edited terms on."""
CONDITIONS: Final = {
    _SECOND_IS: ("stepsize",),
    _NEAR_IS: ("stepsize", "branch", "near"),
    _FAR_IS: ("stepsize", "far"),
    _STILL_IS: ("no gap",),
}
"""By which hypotheses each branch applies."""
INSTANCES: Final = {
    _FAR_IS: ("component blocks", "mean of components", "gradient by blocks"),
    _STILL_IS: ("least", "still"),
}
"""Instances of the corollary's assumptions that only one branch needs."""

BETTER_AT_GAMMA_2: Final = _by_theorem_4_1(
    "better-at-gamma-2",
    "γ is γ₂ ≤ q, with a better second term",
    BETTER,
    (_IS_GAMMA_2, Hypothesis("less", "γ₂ ≤ q", le(gamma, BALANCED))),
    Combine(
        _at_gamma_2(sympy.S.Zero) | {"less": _STALE * (BALANCED + gamma)},
        plus=(_STALE * BALANCED**2,),
    ),
)

BETTER_AT_Q: Final = _by_theorem_4_1(
    "better-at-q",
    "γ is q ≤ γ₂, with a better second term",
    BETTER,
    (
        Hypothesis("stepsize", "γ is q", eq(gamma, BALANCED)),
        CUBE,
        Hypothesis("less", "q ≤ γ₂", le(gamma, GAMMA_2)),
    ),
    Combine(
        {
            "(3)": 1,
            "stepsize": _STALE * (gamma + BALANCED) - 2 * p * Delta / (gamma * BALANCED * K),
            "balance": -1 / (BALANCED * K),
            "less": p * L * G**2,
        },
        plus=(PRINTED["rate"] / 2,),
    ),
)
