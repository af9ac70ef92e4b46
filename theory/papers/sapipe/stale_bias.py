"""The bias of gradients that are one update old: L²η²V₂ in every iteration but the first.

Theorem 2 calls it Err₀. A mixture of fresh and stale elements has a squared norm of at most V₂ on
average over the drawn elements, and not for every draw: its fresh part may be as long as √V₂, and
its stale part too. The printed proof has a line more, which no mixture satisfies: see
`theory.papers.sapipe.lemmas.thm_2_mixture`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.account import Account
from theory.claims import Formulas
from theory.judging.as_claim import account, as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Lipschitz,
    Point,
    Step,
    Telescope,
    Theorem,
    Total,
    eq,
    le,
    lipschitz,
    point,
    square,
    vector,
)
from theory.papers.sapipe.error_terms import ERR_0
from theory.papers.sapipe.lemmas import thm_2_mixture
from theory.papers.sapipe.setting import E_T, NEXT, OFF, SMOOTH, B, G, X
from theory.papers.sapipe.symbols import V2, L, T, eta, t

WHERE: Final = thm_2_mixture.PROOF

OFF_NOW: Final = point("b", "off")
"""b as a thing that another follows."""

OFF_NEXT: Final = Point(vector("b⁺"), sympy.Symbol("off(b⁺)", real=True), vector("∇off(b⁺)"), "off")
"""b of the next iteration."""

FOLLOWING: Final = ((X, NEXT), (OFF_NOW, OFF_NEXT))

STALE_MEAN: Final = Hypothesis(
    "stale",
    "in the next iteration stale elements have the mean ∇F(x_t), so that b is "
    "∇F(x_{t+1}) − ∇F(x_t), or a part of it",
    le(square(OFF_NEXT.position), square(NEXT.gradient - X.gradient)),
)
SIZE: Final = Hypothesis(
    "size",
    "stochastic gradients have squared norms of at most V₂ (Assumption 2); so has g on average "
    "over its elements",
    le(E_T.of(square(G)), V2),
)
AT_REST: Final = Hypothesis(
    "at rest", "x_{−1} is x_0: stale elements of the first update have no bias", eq(B(0), 0)
)

_ALL: Final = (t, 0, T - 1)
_AWAY = square(OFF_NEXT.position)

THEOREM: Final = Theorem(
    id="sapipe.stale-bias",
    where=f"{WHERE}, the error of the gradient estimation",
    statement=(
        "The sum over 1 ≤ t ≤ T of E‖∇F(x_t) − ∇F(x_{t−1})‖² is at most T·L²η²V₂, for L-smooth F "
        "and updates of mean square at most V₂."
    ),
    latex=(
        r"\sum_{t=1}^{T} \mathbb{E}\|\nabla F(x_t) - \nabla F(x_{t-1})\|^2 \le T L^2 \eta^2 V_2"
    ),
    symbols=(T, eta, L, V2),
    vectors=(G, OFF),
    points=(X, NEXT, OFF_NOW, OFF_NEXT),
    sequences={B: square(OFF)},
    following=FOLLOWING,
    hypotheses=(SMOOTH, STALE_MEAN, SIZE),
    steps=(
        Step(
            "lipschitz",
            lipschitz(L, NEXT, X),
            Lipschitz("smooth", NEXT, X),
            where=f"{WHERE}, L-smoothness",
        ),
        Step(
            "away",
            le(_AWAY, L**2 * eta**2 * square(G)),
            Combine({"lipschitz": 1, "stale": 1}),
            "the update in place of x_{t+1} − x_t",
            f"{WHERE}, the line after L-smoothness",
        ),
        Step("mean", le(E_T.of(_AWAY), L**2 * eta**2 * E_T.of(square(G))), Expect("away", E_T)),
        Step("next", le(E_T.of(_AWAY), ERR_0), Combine({"mean": 1, "size": L**2 * eta**2})),
        Step("next, total", le(B(t + 1), ERR_0), Total("next", t)),
    ),
    lhs=sympy.Sum(B(t), _ALL) + B(T) - B(0),
    terms={"stale": T * ERR_0},
    conclude=Telescope("next, total", t, T),
)


def _account(printed: Formulas) -> Account:
    return thm_2_mixture.with_line(account(THEOREM, printed))


CLAIM: Final = replace(as_claim(THEOREM), account=_account)
