"""Theorem 2 as printed, with the samples of Algorithm 1, where 2κ√(1 − κ) ≤ 1 − Lη.

That is so for every κ if Lη ≤ 1 − 4/(3√3) ≈ 0.23, and for every Lη < 1 if κ is near enough to 0
or 1.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, le
from theory.papers.sapipe.error_terms import ERR_0, OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import same_samples
from theory.papers.sapipe.lemmas.reused_noise import r
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.symbols import L, eta, kappa

_SHARP: Final = same_samples.THEOREM
_PROGRESS = 2 - L * eta

THEOREM: Final = Theorem(
    id="sapipe.thm-2-same-samples",
    where="Theorem 2, samples as in Algorithm 1",
    statement=(
        "For vanilla SAPipe with 0 ≤ κ < 1 and 2κ√(1 − κ) ≤ 1 − Lη whose stale elements reuse the "
        "samples of the update before, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
        "κL²η²V₂ + LηV₁/n for every T ≥ 1, from rest."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=_SHARP.symbols,
    vectors=_SHARP.vectors,
    points=_SHARP.points,
    sequences=_SHARP.sequences,
    following=_SHARP.following,
    hypotheses=(
        *_SHARP.hypotheses,
        Hypothesis("small step", "2κ√(1 − κ) ≤ 1 − Lη", le(2 * kappa * r, 1 - L * eta)),
    ),
    cites=(_SHARP,),
    steps=(
        Step("sharp", _SHARP.goal, Cite(_SHARP.id)),
        Step("small", le(0, 1 - L * eta), Combine({"stepsize": L})),
    ),
    lhs=_SHARP.lhs,
    terms={"optimization": OPTIMIZATION, "staleness": kappa * ERR_0, "variance": VAR_0},
    conclude=Combine(
        {"sharp": 1, "small step": VAR_0 / _PROGRESS},
        plus=(OPTIMIZATION * (1 - L * eta) / _PROGRESS,),
        domain=("small",),
    ),
)

SMALL_STEPS: Final = 4 * kappa**2 * (1 - kappa) <= (1 - L * eta) ** 2
"""The same condition, squared: Lη ≤ 1."""

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["sapipe-vanilla-reused"], where=SMALL_STEPS)
