"""NAG-RPD's theorem with the exact pathwise distance.

Problem    As in Theorem 4.1.
Method     NAG-RPD with β² ≤ 2β + τ, however blocks are delayed.
Guarantee  mean E‖∇f(x^k)‖² ≤ 2pΔ/(γK) + pLγG² + L²γ²G²(τ + β)².
Source     ours: `rpd.sharp-lemma-i2` in the proof of Theorem 4.1.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.rpd.lemmas import sharp_lemma_i2
from theory.papers.rpd.lemmas.average_gradient import average_gradient, on_every_path
from theory.papers.rpd.method import x
from theory.papers.rpd.nag_method import ahead
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import beta, tau

T = theorem("rpd.sharp-nag-pathwise", "ours")
drift = on_every_path(T, sharp_lemma_i2.THEOREM, x - ahead)
THEOREM = average_gradient(
    T,
    ahead,
    drift,
    (tau + beta) ** 2,
    "For NAG-RPD with β² ≤ 2β + τ, in particular with β ≤ 1, the mean over k < K of E‖∇f(x^k)‖² is "
    "at most 2pΔ/(γK) + pLγG² + L²γ²G²(τ + β)² for every γ > 0 and K ≥ 1, however blocks are "
    "delayed.",
)

CLAIM = as_claim(
    THEOREM, CHALLENGES["nag-average-gradient"], where=beta**2 <= 2 * beta + tau, cost=5
)
