"""NAG-RPD's theorem with the exact pathwise distance: (τ + β)² in place of (τ + β√p)²."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Total, le, square
from theory.papers.rpd.lemmas import sharp_lemma_i2
from theory.papers.rpd.lemmas.nag_average import average_gradient
from theory.papers.rpd.method import k
from theory.papers.rpd.nag_method import APART, AWAY, DRIFT, LENGTH
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, tau

_SIZE = gamma * G * (tau + beta)

THEOREM: Final = average_gradient(
    "rpd.sharp-nag-pathwise",
    "For NAG-RPD with β² ≤ 2β + τ, in particular with β ≤ 1, the mean over k < K of E‖∇f(x^k)‖² is "
    "at most 2pΔ/(γK) + pLγG² + L²γ²G²(τ + β)² for every γ > 0 and K ≥ 1, however blocks are "
    "delayed.",
    r"(\tau + \beta)^2",
    sharp_lemma_i2.THEOREM,
    (
        Step("distance", sharp_lemma_i2.THEOREM.goal, Cite("rpd.sharp-lemma-i2")),
        LENGTH,
        Step(
            "squared",
            le(square(APART), _SIZE**2),
            Combine({"distance": _SIZE + sympy.sqrt(square(AWAY)), "apart": 1}, domain=("length",)),
        ),
        Step("drift", le(DRIFT(k), _SIZE**2), Total("squared", k)),
    ),
    (tau + beta) ** 2,
)

CLAIM: Final = as_claim(
    THEOREM, CHALLENGES["nag-average-gradient"], where=sympy.Le(beta**2, 2 * beta + tau), cost=5
)
