"""`theory.papers.sapipe.lemmas.same_samples` without a root: 2√(1 − κ) is at most 2 − κ.

Bounds are compared in rational numbers, so `staleproof bounds` takes this one.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Theorem, le
from theory.papers.sapipe.error_terms import ERR_0, OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import same_samples
from theory.papers.sapipe.lemmas.reused_noise import r
from theory.papers.sapipe.symbols import L, eta, kappa

_SHARP: Final = same_samples.THEOREM
_PROGRESS = 2 - L * eta

THEOREM: Final = Theorem(
    id="sapipe.same-samples-rational",
    where="ours",
    statement=(
        "For vanilla SAPipe with η ≤ 1/L and 0 ≤ κ < 1 whose stale elements reuse the samples of "
        "the update before, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/((2 − Lη)ηT) + "
        "κL²η²V₂ + (1 + 2κ − κ²)/(2 − Lη)·LηV₁/n for every T ≥ 1, from rest."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{(2 - L\eta)\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{1 + 2\kappa - \kappa^2}{2 - L\eta}\tfrac{L\eta V_1}{n}"
    ),
    symbols=_SHARP.symbols,
    vectors=_SHARP.vectors,
    points=_SHARP.points,
    sequences=_SHARP.sequences,
    following=_SHARP.following,
    hypotheses=_SHARP.hypotheses,
    cites=(_SHARP,),
    steps=(
        Step("sharp", _SHARP.goal, Cite(_SHARP.id)),
        Step("small", le(0, 1 - L * eta), Combine({"stepsize": L})),
        Step(
            "root",
            le(2 * r, 2 - kappa),
            Combine({"share": 1}, squares=((1, 1 - r),)),
            "√(1 − κ) ≤ 1 − κ/2",
        ),
    ),
    lhs=_SHARP.lhs,
    terms={
        "optimization": OPTIMIZATION / _PROGRESS,
        "staleness": kappa * ERR_0,
        "variance": (1 + 2 * kappa - kappa**2) * VAR_0 / _PROGRESS,
    },
    conclude=Combine(
        {"sharp": 1, "root": kappa * VAR_0 / _PROGRESS},
        domain=("small",),
    ),
)

CLAIM: Final = as_claim(THEOREM)
