"""Theorem 4.1 with the stale distance in expectation, for every stepsize.

Problem    As in Theorem 4.1, with uniform draws used for the stale distance as well.
Method     RPD.
Guarantee  mean E‖∇f(x^k)‖² ≤ 2pΔ/(γK) + pLγG² + L²γ²G²τ(τ + p − 1)/p for every γ > 0 and K ≥ 1.
Source     ours: the printed proof, the stale distance being kept until expectations are taken.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.rpd.lemmas import sharp_drift
from theory.papers.rpd.lemmas.average_gradient import average_gradient
from theory.papers.rpd.method import old
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import p, tau

T = theorem("rpd.sharp-thm-4.1", "ours")
T.cite(sharp_drift.THEOREM)
THEOREM = average_gradient(
    T,
    old,
    sharp_drift.DRIFT,
    tau * (tau + p - 1) / p,
    "The mean over k < K of E‖∇f(x^k)‖² is at most "
    "2pΔ/(γK) + pLγG² + L²γ²G²τ(τ + p − 1)/p for every γ > 0 and K ≥ 1.",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["rpd-average-gradient"])
