"""How long a stepsize may be for the rate O(1/t), from above: beside `nesterov.repaired-thm-1`.

Let κ = ηβ(τ − 1) > 1/4. Huber's function of curvature β·min(1, 3/(4κ)) has 1/4 + σ in place of κ,
with σ in (0, 1/2], and is β-smooth. On it t^{1−σ} times the energy never falls
(`theory.nesterov.growth`), so that t(f(w_t) − f*) is not bounded.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.claims import Claim, Formulas
from theory.ledger import Judgement
from theory.nesterov.energy import NO_RATE, sigma
from theory.nesterov.growth import ASSUMES, keeps_away, parts
from theory.nesterov.symbols import beta, tau
from theory.verdicts import Verdict

_PRINTED: Final = {"limit": 1 / (4 * (tau - 1) * beta)}


def _holds(formulas: Formulas) -> Verdict:
    """The certificate, which covers κ > 1/4 and no other threshold."""
    least = NO_RATE.share.subs(sigma, 0) / ((tau - 1) * beta)
    if sympy.cancel(formulas["limit"] - least) != 0:
        return Verdict.UNKNOWN
    return keeps_away(NO_RATE)


def _judge(formulas: Formulas) -> Judgement:
    return Judgement(
        verdict=_holds(formulas),
        printed_proof="none",
        assumes=ASSUMES,
        steps=parts(NO_RATE),
    )


CLAIM: Final = Claim(
    id="nesterov.stepsize-limit",
    where="ours",
    statement=(
        "For every fixed delay τ ≥ 2 and every η > 1/(4(τ − 1)β) there are a convex β-smooth f "
        "with a minimiser and bounded gradients, and a w_1, for which t(f(w_t) − f*) is not "
        "bounded."
    ),
    latex=r"\eta > \tfrac{1}{4(\tau-1)\beta} \implies f(w_t) - f^* \ne O\left(\tfrac1t\right)",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    cost=3,
)
