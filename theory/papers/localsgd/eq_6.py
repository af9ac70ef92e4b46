"""(6): (13) with as many replicas as stages.

Problem    As in (11).
Method     LocalSGD with N = p replicas, γ = min{1/L, √p/(L√T)} and K = p²T block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K.
Source     RPD paper, section 6, (6).
"""

from dataclasses import replace

from theory.judging.branches import by_branches
from theory.notation import theorem
from theory.papers.localsgd import eq_13
from theory.papers.localsgd.eq_5 import AS_MANY
from theory.papers.localsgd.method import AVERAGE
from theory.papers.rpd.symbols import Gt, H, K, p

TERMS = eq_13.TERMS | {"drift": 4 * p**3 * H**2 * Gt**2 / K}


BRANCHES = {}
for when, branch in eq_13.BRANCHES.items():  # the paper's (13) is silent about the first
    T = theorem(branch.id.replace("eq-13", "eq-6"), "section 6, (6)")
    place = "ours" if branch is eq_13.FIRST else "section 6"
    T.cite(branch, name="(13)", says="(13)", where=place)
    T.assume(AS_MANY, "replicas", "there are N = p replicas")
    BRANCHES[when] = T.shows(
        AVERAGE <= sum(TERMS.values()),
        TERMS,
        says="With N = p replicas, γ = min{1/L, √p/(L√T)} and K = p²T block updates, the mean over "
        "t < T of E‖∇f(x̄^t)‖² is at most √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K.",
    )

CLAIM = by_branches(
    replace(BRANCHES[eq_13.ON_SECOND], id="localsgd.eq-6"),
    BRANCHES,
    eq_13.CONDITIONS,
    eq_13.CHOSEN,
    depends=("localsgd.eq-13-second-branch", "localsgd.eq-13-first-branch"),
)
