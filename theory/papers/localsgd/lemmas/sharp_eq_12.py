"""(12) with the drift that replicas really have.

Problem    As in (11).
Method     LocalSGD with γ ≤ 1/L and K = pNT block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2pNΔ/(γK) + γ²(H − 1)²G̃²L² + Lγσ²/N.
Source     ours.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.localsgd import eq_12
from theory.papers.localsgd.lemmas import sharp_eq_11
from theory.papers.localsgd.method import AVERAGE
from theory.papers.localsgd.runs.challenges import CHALLENGES

T = theorem("localsgd.sharp-eq-12", "ours")
T.cite(sharp_eq_11.THEOREM)
T.assume(eq_12.BUDGET)
TERMS = sharp_eq_11.TERMS | {"optimization": eq_12.TERMS["optimization"]}
THEOREM = T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With γ ≤ 1/L and K = pNT block updates, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "2pNΔ/(γK) + γ²(H − 1)²G̃²L² + Lγσ²/N.",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["localsgd-average-gradient"])
