"""Activations of 1F1B and GPipe: the exact peak of every stage, and where 1F1B's is lower.

Problem    p ≥ 2 stages, M ≥ 2 microbatches; a stage keeps one from its forward to its backward.
Method     the blog's 1F1B and GPipe, and 1F1B as published.
Guarantee  GPipe keeps all M at every stage, 1F1B min(max(p − 1 − s, 1), M) at stage s in the blog's
           code and min(p − s, M) as published: no stage keeps more than under GPipe and the last
           keeps one, but with few microbatches the first stages keep all M as well.
Source     hypothesis, and 1F1B pipeline.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import sympy

from schedules.families import blog_1f1b, blog_gpipe
from schedules.validation.facts import in_flight
from theory.judging import prover
from theory.laws.stamped_bounds import BOUND
from theory.laws.stamped_families import prove
from theory.laws.static_orders.in_flight import peak
from theory.laws.static_orders.order import of_program
from theory.laws.static_orders.symbols import M, p, s, symbolic
from theory.papers.blog.lemmas import laws

_FAMILIES = {"1f1b": blog_1f1b.FAMILY, "gpipe": blog_gpipe.FAMILY}
PUBLISHED_PEAK = sympy.Min(p - s, M)
_TWO = sympy.Integer(2)


def _statements(formulas: prover.Formulas) -> Iterator[prover.Statement]:
    for name in _FAMILIES:
        yield from peak(of_program(laws.PROGRAMS[f"blog-{name}"]), formulas[name])


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    yield from laws.proof(laws.PROGRAMS)
    yield from prover.in_turn(_statements(formulas))


def _less(
    name: str, formulas: prover.Formulas, least: Any, goal: str = "few < many", last: bool = False
) -> prover.Outcome:
    """A stage keeps fewer under 1F1B, or as the goal says, if M ≥ `least`."""
    forms = {"few": formulas["1f1b"], "many": formulas["gpipe"], "least": least}
    known = {key: laws.number(form, symbolic()) for key, form in forms.items()}
    where = f"p >= 2, s >= 0, {'s == p - 1' if last else 's < p'}, least <= M"
    return prover.decide(prover.stated(name, name, where, goal, **known))


def _average(formulas: prover.Formulas, least: sympy.Expr) -> prover.Outcome:
    """The mean over ranks is lower under 1F1B, if M ≥ `least`."""
    no_more, says = "no stage keeps more than under GPipe", ", the last one fewer"
    average = [
        _less(no_more, formulas, least, "few <= many"),
        _less("the last keeps fewer", formulas, least, last=True),
    ]
    return prover.merge("average", no_more + says, average)


def _peaks(name: str, stages: int, size: int) -> list[int]:
    return in_flight(_FAMILIES[name].build(stages, size))


def _of_stage(name: str, *at: int) -> int:
    return _peaks(name, *at[:2])[at[2]]


def _mismatch(formulas: prover.Formulas, name: str) -> prover.Refutation | None:
    """The first stage of a run whose peak is not as stated."""
    found = partial(_of_stage, name)
    cells, of_a_stage = laws.stages(), laws.OF_A_STAGE
    return prover.first_violation(found, "==", formulas[name], cells, of_a_stage, "peak")


def _no_lower() -> prover.Refutation | None:
    """The first stage of a run that keeps as much under 1F1B as under GPipe."""
    return prover.first_violation(
        lambda *at: _of_stage("gpipe", *at) - _of_stage("1f1b", *at),
        ">=",
        sympy.Integer(1),
        laws.stages(),
        laws.OF_A_STAGE,
        named="",
        also=lambda *at: {name: _peaks(name, *at[:2]) for name in _FAMILIES},
    )


def _boundary() -> prover.Evidence:
    """What the lists of the printed code keep, beside what autograd does."""
    says = (
        "inputs and outputs of a stage stand in the code's lists to the end of the step, M of each "
        "under 1F1B too; what a backward frees is what autograd saved inside the stage"
    )
    kept = {"saved inside": _peaks("1f1b", 4, 8), "inputs and outputs": [8] * 4}
    return prover.Evidence("neither", says, {"p": 4, "M": 8, **kept})


def _published() -> tuple[prover.Ground, ...]:
    """The same comparison for published 1F1B, from its family's stamps."""
    peaks = prove("1f1b", "in-flight", {BOUND: PUBLISHED_PEAK})
    return peaks, _average({"1f1b": PUBLISHED_PEAK, "gpipe": M}, _TWO)


_AVERAGE = "average over ranks, as the blog measures it"
_ENOUGH = "every stage, M ≥ p"


def _account(formulas: prover.Formulas) -> prover.Account:
    peaks = [prover.decide(statement) for statement in _statements(formulas)]
    stated = prover.merge("peaks", "the peaks of every stage are as stated", peaks)
    numbers = (*laws.proof(laws.PROGRAMS), stated)
    wrong = laws.unless_other(lambda: _mismatch(formulas, "1f1b") or _mismatch(formulas, "gpipe"))
    average, same_at = _average(formulas, _TWO), _no_lower()
    every = _less("every stage keeps fewer", formulas, _TWO)
    enough = _less("every stage keeps fewer if M ≥ p", formulas, p)
    few = f"with few microbatches the first stages keep all of them{prover.witnessed(same_at)}"
    cases = {
        (_AVERAGE, "for all p ≥ 2 and M ≥ 2"): prover.Decision((*numbers, average)),
        (_ENOUGH, ""): prover.Decision((*numbers, enough)),
        ("every stage, any M", few): prover.Decision((*numbers, every), same_at),
        (
            "1F1B as published, average over ranks",
            "min(p − s, M) at stage s; every stage keeps fewer only if M > p",
        ): prover.Decision((*numbers, *_published())),
    }
    return laws.account(
        prover.Decision(numbers, wrong) if wrong else prover.Readings((_AVERAGE, _ENOUGH)),
        cases=prover.cases(cases),
        assumes=(
            "a stage keeps a microbatch from its forward to its backward's end",
            "the whole batch of the naive pipeline counts as M microbatches",
        ),
        steps=prover.lines((*numbers, average, enough)),
        findings=(_missing(same_at, numbers, enough),) if same_at else (),
        evidence=(_boundary(),),
    )


def _missing(
    same_at: prover.Refutation, numbers: tuple[prover.Outcome, ...], enough: prover.Outcome
) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "1F1B pipeline",
        "a stage with at least M stages behind it keeps all M microbatches too",
        same_at.witness,
        numbers,
        prover.Repair(
            "If M ≥ p, every stage of the blog's 1F1B keeps fewer microbatches at its peak, "
            "max(p − 1 − s, 1), than under GPipe, M.",
            (*numbers, enough),
        ),
    )


_PRINTED = {"1f1b": sympy.Min(sympy.Max(p - 1 - s, 1), M), "gpipe": M}

CLAIM = prover.row(
    "blog.inflight-1f1b",
    "hypothesis, and 1F1B pipeline",
    "1F1B has a lower peak of activations than GPipe and the naive pipeline, as a stage frees "
    "microbatches before its last forward: min(max(p − 1 − s, 1), M) instead of M at stage s.",
    r"\min(\max(p - 1 - s, 1), M) \quad\text{instead of}\quad M",
    _PRINTED,
    _holds,
    account=_account,
    weakened={"M ≥ 2": lambda: (_average(_PRINTED, sympy.Integer(1)),)},
)
