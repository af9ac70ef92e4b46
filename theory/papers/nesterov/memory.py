"""Weight stashing keeps τ_i = P − i old copies at stage i: O(PN) in all.

Problem    N parameters in P stages of N/P each, an update after every microbatch.
Method     Where backward m ≥ P − i starts, forwards up to m + P − i have been done and no more, so
           that P − i + 1 versions are needed, the newest among them. Σ_i (P − i)N/P is summed.
Guarantee  Old copies take N(P − 1)/2, which grows linearly with the number of stages.
Source     Nesterov paper, section 3.1 (implementation details) and Table 1.
"""

from collections.abc import Iterator
from functools import cache

import sympy
import z3

from schedules.actions import Kind
from schedules.families.one_f_one_b import ORDER
from theory.judging import prover
from theory.kernel import ClosedSum, Combine
from theory.notation import count, equal, index, positive, theorem, total
from theory.papers.nesterov.lemmas.interval_delays import ORDER_IS, P, i

_STAGES, N = count("P"), positive("N")
_k = index("k")


@cache
def _summed(whole: sympy.Expr) -> prover.Ground:
    T = theorem("nesterov.memory-sum")
    numbers = equal(total(_k, _k, _STAGES), _STAGES * (_STAGES - 1) / 2)
    known = T.have(numbers, by=ClosedSum(_k, _STAGES))
    by = Combine({known: N / _STAGES})
    return T.shows(equal(N / _STAGES * total(_k, _k, _STAGES), whole), by=by)


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    stages, stage, m, n, size = z3.Ints("P i m n M")
    copies = prover.term(formulas["old copies"], {P: stages, i: stage})
    backward, forward = (
        ORDER.stamp(kind, stage - 1, number, stages, size, z3.If)[0]
        for kind, number in ((Kind.B, m), (Kind.F, n))
    )
    inside = (stage >= 1, stage <= stages, m >= stages - stage, m + stages - stage < size, n < size)
    says = "forward n precedes backward m iff n ≤ m + the number of old copies"
    goal = (forward < backward) == (n <= m + copies)
    yield prover.decide_from(
        prover.Statement("in flight", says, (*inside, n >= 0), goal), {"P": 1, "i": 1}
    )
    yield _summed(formulas["in all"])


CLAIM = prover.row(
    "nesterov.memory",
    "section 3.1, implementation details; Table 1",
    "With weight stashing stage i (from 1) of P keeps τ_i = P − i old copies of its weights, in "
    "all N(P − 1)/2 for N parameters in equal stages, which is O(PN).",
    r"\sum_{i=1}^P (P - i) \frac NP = \frac{N (P - 1)}2 = O(PN)",
    {"old copies": P - i, "in all": N * (_STAGES - 1) / 2},
    _grounds,
    assumes=(f"K = 1, and {ORDER_IS}", "stages of equal size"),
)
