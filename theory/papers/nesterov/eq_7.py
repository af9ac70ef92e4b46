"""(7): the versions that one forward reads, f_P^t, f_{P−1}^{t−1}, …, f_1^{t−P+1}.

Problem    With an update after every microbatch (K = 1), which version of each stage's weights a
           microbatch reads on its way; a version is counted by the updates of its stage.
Method     In PipeDream's static order backward n of stage i precedes forward m exactly where
           n < m − (P − i): that many updates have been made.
Guarantee  Microbatch t ≥ P reads version t − (P − i) at stage i, the t-th at the last stage.
Source     Nesterov paper, section 2.2, (7).
"""

from collections.abc import Iterator

import z3

from schedules.actions import Kind
from schedules.families.asyncpp import FAMILY
from schedules.families.one_f_one_b import ORDER
from schedules.versions import versions
from theory.judging import prover
from theory.papers.nesterov.lemmas.interval_delays import ORDER_IS, P, i
from theory.papers.nesterov.symbols import t

_PRINTED = {"version": t - P + i}
_SIZES = range(1, 7)


def _reads(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    stages, stage, m, n, size = z3.Ints("P i m n M")
    version = prover.term(formulas["version"], {P: stages, i: stage, t: m})
    backward, forward = (
        ORDER.stamp(kind, stage - 1, number, stages, size, z3.If)[0]
        for kind, number in ((Kind.B, n), (Kind.F, m))
    )
    inside = (stage >= 1, stage <= stages, m >= stages, m < size, n >= 0, n < size)
    says = "backward n of stage i precedes forward t iff n is below the stated version, t ≥ P"
    goal = z3.And(version >= 0, (backward < forward) == (n < version))
    yield prover.decide_from(
        prover.Statement("version", says, inside, goal), {"P": 1, "i": 1, "m": 1, "n": 0}
    )


def _runs() -> prover.Evidence:
    for stages in _SIZES:
        read = versions(FAMILY.build(stages, 4 * stages)).read
        for stage, m in ((s, m) for s in range(stages) for m in range(stages, 4 * stages)):
            at = {P: stages, i: stage + 1, t: m}
            if read[stage, m] != _PRINTED["version"].subs(at):
                return prover.Evidence("against", "a forward of a run reads another version", at)
    return prover.Evidence(
        "for", "versions of all runs with P ≤ 6 and M = 4P", {"family": FAMILY.name}
    )


CLAIM = prover.row(
    "nesterov.eq-7",
    "section 2.2, (7)",
    "With K = 1 the forward of microbatch t ≥ P reads version t − P + i of the weights of stage i: "
    "f_P^t at the last stage and f_1^{t−P+1} at the first.",
    r"F(W^t, x_0) = f_P^t \circ f_{P-1}^{t-1} \circ \cdots \circ f_1^{t-P+1}(x_0)",
    _PRINTED,
    _reads,
    assumes=(f"a version is the number of its stage's updates, and {ORDER_IS}",),
    evidence=(_runs,),
)
