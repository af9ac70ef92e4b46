"""(6): (13) with as many replicas as stages.

Problem    As in (11).
Method     LocalSGD with N = p replicas, γ = min{1/L, √p/(L√T)} and K = p²T block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K.
Source     RPD paper, section 6, (6).
"""

from dataclasses import replace

import sympy

from theory.judging.branches import by_branches
from theory.kernel import Theorem
from theory.notation import theorem
from theory.papers.localsgd import eq_13
from theory.papers.localsgd.eq_5 import AS_MANY
from theory.papers.localsgd.method import AVERAGE, f, f_r
from theory.papers.rpd.symbols import Gt, H, K, p

TERMS = eq_13.TERMS | {"drift": 4 * p**3 * H**2 * Gt**2 / K}


def _with_p_replicas(branch: Theorem) -> Theorem:
    """(6) in one branch, from (13) in the same; the paper's (13) is silent about the first."""
    T = theorem(branch.id.replace("eq-13", "eq-6"), "section 6, (6)", f, f_r)
    place = "ours" if branch is eq_13.FIRST else "section 6"
    T.cite(branch, name="(13)", says="(13)", where=place)
    T.assume(AS_MANY)
    return T.shows(
        AVERAGE <= sympy.Add(*TERMS.values()),
        TERMS,
        says="With N = p replicas, γ = min{1/L, √p/(L√T)} and K = p²T block updates, the mean over "
        "t < T of E‖∇f(x̄^t)‖² is at most √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K.",
    )


BRANCHES = {when: _with_p_replicas(branch) for when, branch in eq_13.BRANCHES.items()}

CLAIM = by_branches(
    replace(BRANCHES[eq_13.ON_SECOND], id="localsgd.eq-6"),
    BRANCHES,
    eq_13.CONDITIONS,
    eq_13.CHOSEN,
    depends=("localsgd.eq-13-second-branch", "localsgd.eq-13-first-branch"),
)
