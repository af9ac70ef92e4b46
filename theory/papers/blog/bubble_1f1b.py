"""The bubble of the blog's 1F1B beside the naive pipeline's.

Problem    "The pipeline bubble is also smaller than in the naive schedule"; the blog runs three
           stages or more (it speaks of a middle one).
Method     1 − 2M/makespan of both, from the proved start times (`bubble`).
Guarantee  (M + p − 2)/(2M + p − 2) is below (p − 1)/p for p ≥ 3 and all M ≥ 2; both are 1/2 at
           p = 2.
Source     Blog, 1F1B pipeline, result.
"""

from functools import partial

import sympy

from schedules.families import blog_1f1b
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.static_orders.symbols import M, p
from theory.papers.blog.bubble import holds, larger, makespan
from theory.papers.blog.lemmas import laws
from theory.papers.blog.lemmas.programs import ONE_F_ONE_B

_PRINTED = {"naive": (p - 1) / p, "1f1b": (M + p - 2) / (2 * M + p - 2)}
_MORE, _TWO = "p ≥ 3", "p = 2"


def _idle_slots(stages: int, size: int) -> int:
    line = timeline(blog_1f1b.build(stages, size))
    return int(line.idle_fraction * stages * line.length)


def _equal(formulas: prover.Formulas) -> prover.Refutation:
    """Idle slots are whole numbers: fewer than the naive share is one less at least."""
    at, size = {p: sympy.Integer(2), M: sympy.Integer(4)}, (2, 4)
    fewer = p * makespan(ONE_F_ONE_B) * formulas["naive"] - 1
    witness = {"p": 2, "M": 4, "idle slots": _idle_slots(*size), "at most": int(fewer.subs(at))}
    missed = prover.Violation(partial(_idle_slots, *size), "<=", fewer, at)
    return prover.Refutation(witness, missed)


def _below(formulas: prover.Formulas) -> tuple[prover.Ground, ...]:
    return (*holds(formulas), larger("naive", "1f1b", 3))


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return (
        prover.Case(_MORE, prover.Decision(_below(formulas)), "as in the blog's own runs"),
        prover.Case(_TWO, prover.Decision(fails=_equal(formulas)), "equal: both are 1/2"),
    )


def _finding() -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "1F1B pipeline, result",
        "it needs p ≥ 3, as in the blog's own runs, which have a middle stage; with two stages "
        "both bubbles are 1/2",
        _equal(_PRINTED).witness,
        repaired=prover.Repair(
            "For p ≥ 3 the bubble of the blog's 1F1B, (M + p − 2)/(2M + p − 2), is smaller than "
            "the naive pipeline's, (p − 1)/p.",
            _below(_PRINTED),
        ),
    )


CLAIM = prover.row(
    "blog.bubble-1f1b",
    "1F1B pipeline, result",
    "The bubble of the blog's 1F1B is smaller than the naive pipeline's.",
    r"\frac{M + p - 2}{2M + p - 2} < \frac{p - 1}p",
    _PRINTED,
    holds,
    cases=_cases,
    holding=(_MORE,),
    findings=(_finding,),
    assumes=(laws.UNIT,),
)
