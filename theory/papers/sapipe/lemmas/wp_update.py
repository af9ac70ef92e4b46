"""One update of SAPipe of which nothing is dropped: the bias is paid for, the aim s is kept.

The proofs of Theorems 4 and 5 put their bounds of the bias and of the variance into Lemma 1. What
Lemma 1 leaves out, −(η/2)(1 − Lη) times the squares of the means, is kept here, since the start of
a run with predicted weights needs it.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.account import Compared, Ground
from theory.claims import Formulas
from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Descent,
    Expect,
    Hypothesis,
    Step,
    Theorem,
    descent,
    eq,
    le,
    square,
)
from theory.papers.sapipe.lemmas import sgd
from theory.papers.sapipe.setting import (
    AIM,
    E_T,
    NEXT,
    OFF,
    SMOOTH,
    G,
    X,
    mean_of,
    nu,
    second_moment,
)
from theory.papers.sapipe.symbols import L, eta, kappa

AHEAD: Final = E_T.of(NEXT.value)
_HALF = eta / 2

ROOM: Final = sympy.Symbol("delta", positive=True)
SMALL: Final = Hypothesis(
    "small", "2L²η² < 1: δ > 0 is what is left of 1", eq(ROOM, 1 - 2 * L**2 * eta**2)
)
"""That the errors of the predictions do not grow."""

THEOREM: Final = Theorem(
    id="sapipe.wp-update",
    where="ours",
    statement=(
        "E F(x_{t+1}) ≤ F(x_t) − (η/2)(1 + (1 − κ)(1 − Lη))‖∇F(x_t)‖² − (η/2)(1 − Lη)κ‖s‖² + "
        "(η/2)κ‖∇F(x_t) − s‖² + Lη²ν/2 for every η > 0, s being the mean of the stale elements and "
        "ν the variance."
    ),
    latex=(
        r"\mathbb{E} F(x_{t+1}) \le F(x_t) - \tfrac\eta2 (1 + (1-\kappa)(1-L\eta))"
        r"\|\nabla F(x_t)\|^2 - \tfrac\eta2 (1-L\eta)\kappa\|s\|^2 + "
        r"\tfrac{\kappa\eta}{2}\|\nabla F(x_t) - s\|^2 + \tfrac{L\eta^2\nu}{2}"
    ),
    symbols=(eta, L, kappa, nu),
    vectors=(G, OFF),
    points=(X, NEXT),
    hypotheses=(SMOOTH, mean_of(OFF), second_moment(OFF, nu)),
    steps=(
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
    ),
    lhs=AHEAD,
    terms={
        "value": X.value,
        "progress": -_HALF * (1 + (1 - kappa) * (1 - L * eta)) * square(X.gradient),
        "aim": -_HALF * (1 - L * eta) * kappa * square(AIM),
        "bias": _HALF * kappa * square(OFF),
        "variance": L * eta**2 * nu / 2,
    },
    conclude=Combine({"mean": 1, "unbiased": -eta, "second moment": L * eta**2 / 2}),
)

CLAIM: Final = as_claim(THEOREM)


def nothing_predicted(printed: Formulas) -> tuple[Ground, ...]:
    """Why a bound holds for κ = 0, where every method is SGD, if it says the same there.

    Examples
    --------
    >>> same, _ = nothing_predicted({"all": sympy.Add(*sgd.THEOREM.terms.values()) + kappa})
    >>> same.holds
    True
    """
    stated = sympy.Add(*printed.values()).subs(kappa, 0)
    same = sympy.simplify(stated - sympy.Add(*sgd.THEOREM.terms.values())) == 0
    return Compared("for κ = 0 it is the bound of SGD", "sympy.simplify", bool(same)), sgd.THEOREM
