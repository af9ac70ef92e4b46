"""NAG-RPD's theorem with the expected distance under uniform draws (`rpd.sharp-nag-drift`)."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Step
from theory.papers.rpd.lemmas import sharp_nag_drift
from theory.papers.rpd.lemmas.nag_average import average_gradient
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import beta, p, tau

THEOREM: Final = average_gradient(
    "rpd.sharp-nag",
    "For NAG-RPD with β ≤ 1 the mean over k < K of E‖∇f(x^k)‖² is at most 2pΔ/(γK) + pLγG² + "
    "L²γ²G²(τ(τ + p − 1) + 2βτ + pβ²)/p for every γ > 0 and K ≥ 1, also with delays chosen from "
    "the past.",
    r"\tfrac{\tau(\tau + p - 1) + 2\beta\tau + p\beta^2}{p}",
    sharp_nag_drift.THEOREM,
    (Step("drift", sharp_nag_drift.THEOREM.goal, Cite("rpd.sharp-nag-drift")),),
    (tau * (tau + p - 1) + 2 * beta * tau + p * beta**2) / p,
)

CLAIM: Final = as_claim(
    THEOREM, CHALLENGES["nag-average-gradient"], where=sympy.Le(beta, 1), cost=5
)
