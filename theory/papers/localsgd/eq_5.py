"""(5): (12) with as many replicas as stages.

Problem    As in (11).
Method     LocalSGD with γ ≤ 1/L, N = p replicas and K = p²T block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2p²Δ/(γK) + 4γ²H²G̃²L² + Lγσ²/p.
Source     RPD paper, section 6, (5).
"""

from theory.notation import equal, theorem
from theory.papers.localsgd import eq_12
from theory.papers.localsgd.method import AVERAGE
from theory.papers.rpd.symbols import Delta, K, L, N, gamma, p, sigma

AS_MANY = equal(N, p)

T = theorem("localsgd.eq-5", "section 6, (5)")
T.cite(eq_12.THEOREM, name="(12)", says="(12)", where="section 6")
T.assume(AS_MANY, "replicas", "there are N = p replicas")
TERMS = eq_12.TERMS | {
    "optimization": 2 * p**2 * Delta / (gamma * K),
    "variance": L * gamma * sigma**2 / p,
}
CLAIM = THEOREM = T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With γ ≤ 1/L, N = p replicas and K = p²T block updates, the mean over t < T of "
    "E‖∇f(x̄^t)‖² is at most 2p²Δ/(γK) + 4γ²H²G̃²L² + Lγσ²/p.",
)
