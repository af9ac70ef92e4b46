"""How long a stepsize may be for the rate O(1/t), from above: beside `nesterov.repaired-thm-1`.

Problem    a fixed delay τ ≥ 2 and κ = ηβ(τ − 1) > 1/4.
Method     Huber's function of curvature β·min(1, 3/(4κ)) has 1/4 + σ in place of κ, with σ in (0,
           1/2], and is β-smooth. On it t^{1−σ} times the energy never falls
           (`theory.papers.nesterov.witnesses.growth`).
Guarantee  There is a convex β-smooth f with a minimiser and bounded gradients, and a w_1, for which
           t(f(w_t) − f*) is not bounded.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.papers.nesterov import symbols
from theory.papers.nesterov.witnesses import energy, growth

beta, tau = symbols.letters("beta tau")

_PRINTED = {"limit": 1 / (4 * (tau - 1) * beta)}


def _holds(formulas: prover.Formulas) -> tuple[prover.Ground, ...]:
    """The certificate, which covers κ > 1/4 and no other threshold."""
    least = energy.NO_RATE.share.subs(energy.sigma, 0) / ((tau - 1) * beta)
    same = sympy.cancel(formulas["limit"] - least) == 0
    return (
        prover.Compared("the threshold is κ = 1/4", "sympy.cancel", same),
        *growth.keeps_away(energy.NO_RATE),
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    return prover.Account(
        prover.Decision(_holds(formulas)),
        assumes=growth.ASSUMES,
        steps=growth.parts(energy.NO_RATE),
    )


CLAIM = prover.Claim(
    id="nesterov.stepsize-limit",
    where="ours",
    statement=(
        "With γ_t = (t − 2)/t, for every fixed delay τ ≥ 2 and every η > 1/(4(τ − 1)β) there are "
        "a convex β-smooth f with a minimiser and bounded gradients, and a w_1, for which "
        "t(f(w_t) − f*) is not bounded."
    ),
    latex=r"\eta > \tfrac{1}{4(\tau-1)\beta} \implies f(w_t) - f^* \ne O\left(\tfrac1t\right)",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    cost=3,
)
