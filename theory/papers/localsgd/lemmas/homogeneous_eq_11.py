"""(11) where all replicas share one function, as in the paper: one replica alone does not drift.

Problem    As in (11), replicas drawing by one law, independently.
Method     LocalSGD with γ ≤ 1/L, replicas being averaged after every H local steps.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2Δ/(γT) + (1 − 1/N)γ²(H − 1)²G̃²L² + Lγσ²/N.
Source     ours.
"""

from theory.notation import theorem
from theory.papers.localsgd.lemmas import homogeneous_drift
from theory.papers.localsgd.lemmas.sharp_eq_11 import PERIODS, run, terms
from theory.papers.localsgd.method import AVERAGE, STEPSIZE, f, f_r

T = theorem("localsgd.homogeneous-eq-11", "ours", f, f_r)
T.assume(PERIODS)
run(T, homogeneous_drift.THEOREM)
T.assume(STEPSIZE)
TERMS = terms(homogeneous_drift.THEOREM)
CLAIM = THEOREM = T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With γ ≤ 1/L and one function for all replicas, the mean over t < T of E‖∇f(x̄^t)‖² is "
    "at most 2Δ/(γT) + (1 − 1/N)γ²(H − 1)²G̃²L² + Lγσ²/N.",
)
