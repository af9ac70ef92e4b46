"""(12): LocalSGD under a budget of K block updates.

Problem    As in (11).
Method     LocalSGD with γ ≤ 1/L and K = pNT block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2pNΔ/(γK) + 4γ²H²G̃²L² + Lγσ²/N.
Source     RPD paper, appendix D, (12): (11) with T = K/(pN).
"""

from theory.judging.as_claim import as_claim
from theory.kernel import Hypothesis, le
from theory.notation import theorem
from theory.papers.localsgd import eq_11
from theory.papers.localsgd.method import AVERAGE
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.localsgd.witnesses.replays import beside, budget
from theory.papers.rpd.symbols import Delta, K, N, gamma, p
from theory.papers.rpd.symbols import T as STEPS

BUDGET = Hypothesis(
    "budget",
    "T local steps of N replicas are K = pNT block updates; where pN does not divide K, "
    "T = ⌈K/(pN)⌉ will do",
    le(K, p * N * STEPS),
)

T = theorem("localsgd.eq-12", "appendix D, (12)")
T.cite(eq_11.THEOREM, name="(11)", says="(11)", where="appendix D")
T.assume(BUDGET)
TERMS = eq_11.TERMS | {"optimization": 2 * p * N * Delta / (gamma * K)}
THEOREM = T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With γ ≤ 1/L and K = pNT block updates, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "2pNΔ/(γK) + 4γ²H²G̃²L² + Lγσ²/N.",
)

CLAIM = beside(as_claim(THEOREM, challenge=CHALLENGES["localsgd-average-gradient"]), budget)
