"""NAG-RPD's theorem with the expected distance under uniform draws.

Problem    As in Theorem 4.1, with uniform draws used for the stale distance as well.
Method     NAG-RPD with β ≤ 1; delays may be chosen from the past.
Guarantee  mean E‖∇f(x^k)‖² ≤ 2pΔ/(γK) + pLγG² + L²γ²G²(τ(τ + p − 1) + 2βτ + pβ²)/p.
Source     ours: `rpd.sharp-nag-drift` in the proof of Theorem 4.1.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.rpd.lemmas import sharp_nag_drift
from theory.papers.rpd.lemmas.average_gradient import average_gradient
from theory.papers.rpd.nag_method import DRIFT, ahead
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import beta, p

T = theorem("rpd.sharp-nag", "ours")
T.cite(sharp_nag_drift.THEOREM)
THEOREM = average_gradient(
    T,
    ahead,
    DRIFT,
    sharp_nag_drift.SIZE / p,
    "For NAG-RPD with β ≤ 1 the mean over k < K of E‖∇f(x^k)‖² is at most 2pΔ/(γK) + pLγG² + "
    "L²γ²G²(τ(τ + p − 1) + 2βτ + pβ²)/p for every γ > 0 and K ≥ 1, also with delays chosen from "
    "the past.",
)

CLAIM = as_claim(THEOREM, CHALLENGES["nag-average-gradient"], where=beta <= 1, cost=5)
