"""The last chain of the proof of Theorem 4, for workers whose gradients are all at one point.

So it is written, with one x̃ for all i, though every worker has a prediction of its own. At one
point what is left of the chain, once the equality in it is an inequality, holds with 2V₁, and with
half of that.
"""

from __future__ import annotations

from typing import Final

from theory.account import Finding, Repair
from theory.judging.as_claim import as_claim
from theory.judging.decide import proves
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Hypothesis,
    Step,
    Swap,
    Theorem,
    dot,
    eq,
    square,
)
from theory.kernel.prove import Proof
from theory.papers.sapipe.lemmas import wp_1_noise
from theory.papers.sapipe.setting import X
from theory.papers.sapipe.symbols import V1, V2, n, rho
from theory.papers.sapipe.wp_1_method import AVG, HERE, MEAN_NOISE, NOISE, PROOF
from theory.papers.sapipe.wp_1_method import E_WITH_WORKERS as E

WHERE: Final = f"{PROOF}, the upper bound, lines 4 and 5"
_DIVERSE = HERE.gradient - X.gradient
_NOISY = wp_1_noise.APART
_LAST = (rho / n - 1) * (V2 - V1) + 2 * V1

THEOREM: Final = Theorem(
    id="sapipe.wp-1-one-point",
    where=WHERE,
    statement=(
        "For gradients of n workers at one point x, the mean over i of E‖g − g_i‖² is at most the "
        "mean of ‖∇F(x) − ∇F_i(x)‖² plus 2V₁."
    ),
    latex=(
        r"\tfrac1n\sum_{i\in[n]}\mathbb{E}\|g - g_i\|^2 \le "
        r"\tfrac1n\sum_{i\in[n]}\|\nabla F(x) - \nabla F_i(x)\|^2 + 2V_1"
    ),
    symbols=(n, V1, V2, rho),
    vectors=(NOISE, MEAN_NOISE),
    points=(X, HERE),
    hypotheses=(
        *wp_1_noise.HYPOTHESES,
        Hypothesis(
            "no tilt",
            "ζ_i has the mean 0 given the past (Assumption 2, taken with ∇F_i(x) − ∇F(x))",
            eq(E.of(dot(_NOISY, _DIVERSE)), 0),
        ),
    ),
    cites=(wp_1_noise.THEOREM,),
    steps=(
        Step("noise apart", wp_1_noise.THEOREM.goal, Cite("sapipe.wp-1-noise")),
        Step("no tilt of each", eq(AVG.of(E.of(dot(_NOISY, _DIVERSE))), 0), Expect("no tilt", AVG)),
        Step(
            "no tilt at all",
            eq(wp_1_noise.expected(dot(_NOISY, _DIVERSE)), 0),
            Swap("no tilt of each", AVG, E),
        ),
        Step(
            "last line",
            eq(_LAST, (rho / n - 1) * V2 + (3 - rho / n) * V1),
            Combine(),
            "(ρ/n − 1)(V₂ − V₁) + 2V₁ = (ρ/n − 1)V₂ + (3 − ρ/n)V₁",
            f"{PROOF}, the upper bound, line 9",
        ),
    ),
    lhs=wp_1_noise.expected(square(_DIVERSE + _NOISY)),
    terms={"diversity": AVG.of(square(_DIVERSE)), "noise": 2 * V1},
    conclude=Combine(
        {"noise apart": 1, "no tilt at all": 2},
        plus=((1 + 1 / n) * V1,),
    ),
)


def remarks(proof: Proof) -> tuple[Finding, ...]:
    """That the noise counts at most half."""
    if not proves(proof, wp_1_noise.THEOREM):
        return ()
    return (
        Finding(
            "loose",
            WHERE,
            "a worker's noise is part of the mean noise, and what they share is taken off: "
            "(1 − 1/n)V₁ does for 2V₁, and for n = 1 nothing is left",
            {"n": 1, "printed": str(2 * V1), "repaired": "0"},
            repaired=Repair(wp_1_noise.THEOREM.statement, (wp_1_noise.THEOREM,)),
        ),
    )


CLAIM: Final = as_claim(THEOREM, remarks=remarks)
