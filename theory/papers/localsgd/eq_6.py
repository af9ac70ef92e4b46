"""(6): (13) with as many replicas as stages.

Problem    As in (11).
Method     LocalSGD with N = p replicas, γ = √p/(L√T) and K = p²T block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K.
Source     RPD paper, section 6, (6), for γ = √p/(L√T) ≤ 1/L; nothing here needs p ≤ T.
"""

from theory.notation import theorem
from theory.papers.localsgd import eq_13
from theory.papers.localsgd.eq_5 import AS_MANY
from theory.papers.localsgd.method import AVERAGE
from theory.papers.rpd.symbols import Gt, H, K, p

T = theorem("localsgd.eq-6", "section 6, (6)")
T.cite(eq_13.SECOND, name="(13)", says="(13)", where="section 6")
T.assume(AS_MANY, "replicas", "there are N = p replicas")
TERMS = eq_13.TERMS | {"drift": 4 * p**3 * H**2 * Gt**2 / K}
CLAIM = THEOREM = T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With N = p replicas, γ = √p/(L√T) and K = p²T block updates, the mean over t < T of "
    "E‖∇f(x̄^t)‖² is at most √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K.",
)
