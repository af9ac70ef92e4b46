"""(6): (13) with as many replicas as stages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.branches import by_branches
from theory.kernel import Cite, Combine, Step, Theorem
from theory.papers.localsgd import eq_13
from theory.papers.localsgd.eq_5 import AS_MANY
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, p, sigma

_MORE: Final = 4 * p * H**2 * Gt**2 * (N + p) / K
"""4pN²H²G̃²/K less 4p³H²G̃²/K is this times N − p."""


def _with_p_replicas(branch: Theorem) -> Theorem:
    """(6) in one branch, from (13) in the same; the paper's (13) is silent about the first."""
    place = "ours" if branch is eq_13.FIRST else "section 6"
    return replace(
        branch,
        id=branch.id.replace("eq-13", "eq-6"),
        where="section 6, (6)",
        statement=(
            "With N = p replicas, γ = min{1/L, √p/(L√T)} and K = p²T block updates, the mean over "
            "t < T of E‖∇f(x̄^t)‖² is at most √(p/K)(2LΔ + σ²) + 4p³H²G̃²/K."
        ),
        latex=(
            r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \sqrt{\tfrac pK}"
            r"\,(2L\Delta + \sigma^2) + \tfrac{4p^3H^2\tilde G^2}{K}"
        ),
        hypotheses=(*branch.hypotheses, AS_MANY),
        cites=(branch,),
        steps=(Step("(13)", branch.goal, Cite(branch.id), "(13)", place),),
        terms={
            "optimization and variance": sympy.sqrt(p / K) * (2 * L * Delta + sigma**2),
            "drift": 4 * p**3 * H**2 * Gt**2 / K,
        },
        conclude=Combine({"(13)": 1, "replicas": _MORE}),
    )


BRANCHES: Final = {when: _with_p_replicas(branch) for when, branch in eq_13.BRANCHES.items()}

CLAIM: Final = by_branches(
    replace(BRANCHES[eq_13.ON_SECOND], id="localsgd.eq-6"),
    BRANCHES,
    eq_13.CONDITIONS,
    eq_13.CHOSEN,
    depends=("localsgd.eq-13-second-branch", "localsgd.eq-13-first-branch"),
)
