"""The batched pairs of 1F1B: none of them waits in a circle, for any p and M.

The blog posts a forward's send together with a backward's receive, and a backward's send together
with a forward's receive, and waits for both. Proved with the strictest waits: a message is
complete only when its other end has been posted, and a rank goes on only when all it posted is
complete. Each model of docs/deadlock.md asks for a subset of these waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import sympy

from schedules.messages.channels import channels
from schedules.messages.model import QUEUE_KEYS, QueueModel
from schedules.messages.progress import progress
from schedules.schedule import Schedule
from schedules.validation.match import match
from theory.account import Account, Case, Decision, Exhausted, Line, Refutation, Violation
from theory.claims import Claim, Formulas
from theory.judging.outcomes import lines
from theory.laws.static_orders.program import SIZES, Program, as_schedule
from theory.laws.static_orders.symbols import M, p
from theory.ledger import Evidence
from theory.papers.blog.lemmas.laws import (
    ASSUMES,
    SUPPOSED,
    as_built_by_all,
    compared,
    established,
    outcome,
    parts_hold,
)
from theory.papers.blog.lemmas.programs import RECEIVED, SENT, one_f_one_b
from theory.smt.queries import remembered
from theory.smt.solver import Outcome

_PARTS: Final = ("actions", "channels", "places", "waits")


def _program(formulas: Formulas) -> Program:
    return one_f_one_b(formulas["sent"], formulas["received"])


def _proof(formulas: Formulas) -> tuple[Outcome, ...]:
    found = (outcome(_program(formulas), part) for part in _PARTS)
    return as_built_by_all((established("blog-1f1b", "loops"), *found))


def _holds(formulas: Formulas) -> Iterator[Outcome]:
    return parts_hold(_program(formulas), *_PARTS)


def fault(schedule: Schedule) -> str | None:
    """What goes wrong with a schedule's messages in the strictest model.

    Examples
    --------
    >>> fault(as_schedule(one_f_one_b(), 4, 6)) is None
    True
    >>> fault(alone(as_schedule(one_f_one_b(), 4, 6)))
    'hangs'
    """
    plan = channels(schedule)
    if match(schedule, plan):
        return "a message meets another one's receive, or none"
    return None if progress(schedule, plan, QueueModel()).finished else "hangs"


def alone(schedule: Schedule) -> Schedule:
    """The same schedule with every message posted by itself."""
    return replace(schedule, groups=())


def _hanging(program: Program) -> Refutation | None:
    """The first run whose messages do not all meet, or that does not come to its end."""
    for stages, size in SIZES:
        found = fault(as_schedule(program, stages, size))
        if found is not None:
            return Refutation(
                {"p": stages, "M": size, "fault": found}, _faults(program, stages, size)
            )
    return None


def _faults(program: Program, stages: int, size: int) -> Violation:
    """How many faults the run has, one or none, where there is to be none."""

    def measured() -> int:
        return int(fault(as_schedule(program, stages, size)) is not None)

    return Violation(measured, "==", sympy.Integer(0), {p: stages, M: size}, SUPPOSED)


def _sizes_that_hang() -> Iterator[tuple[int, int]]:
    program = one_f_one_b()
    for stages, size in SIZES:
        if fault(alone(as_schedule(program, stages, size))) is not None:
            yield stages, size


@remembered
def _models() -> Evidence:
    """Runs in every model of queues, beside the proof."""
    program = one_f_one_b()
    for stages, size in SIZES:
        schedule = as_schedule(program, stages, size)
        plan = channels(schedule)
        for key in QUEUE_KEYS:
            if not progress(schedule, plan, QueueModel(key)).finished:
                at = {"p": stages, "M": size, "queues": key}
                return Evidence("against", "a run that hangs", at)
    says = "runs of p ≤ 6 and M ≤ 9 come to their end in every model of queues, without a buffer"
    return Evidence("for", says, {"queues": list(QUEUE_KEYS)})


def _control() -> Line:
    """Without the batches the same messages hang: the pairs are what the claim rests on."""
    hanging = list(_sizes_that_hang())
    says = "posted one by one the same messages hang wherever p > 2"
    expected = [(stages, size) for stages, size in SIZES if stages > 2]
    tried = Exhausted(f"{says}, p ≤ 6 and M ≤ 9", len(SIZES), hanging == expected)
    return Line("ours", says, "replays", Decision((tried,)))


def _account(formulas: Formulas) -> Account:
    found = _proof(formulas)
    same, differs = compared()
    hanging = None if differs else _hanging(_program(formulas))
    decision = Decision(found, hanging)
    return Account(
        decision,
        cases=(
            Case(
                "no buffer, every rank waits for all it posts", decision, "as the blog's calls do"
            ),
            Case(
                "any model of docs/deadlock.md, any buffer",
                decision,
                "each asks for some of these waits only",
            ),
        ),
        assumes=(*ASSUMES, "messages of one direction between two ranks arrive in order"),
        steps=(*lines(found), _control(), *same),
        evidence=(*differs, *((_models(),) if hanging is None else ())),
    )


_PRINTED: Final = {"sent": SENT, "received": RECEIVED}

CLAIM: Final = Claim(
    id="blog.pairing",
    where="1F1B pipeline, steady-state phase",
    statement=(
        "The pairs of messages that 1F1B posts together, a forward's send with a backward's "
        "receive and a backward's send with a forward's receive, cannot deadlock."
    ),
    latex=(
        r"\{\mathrm{send}\,F_{a+b-1},\ \mathrm{recv}\,B_b\},\ B_b,\ "
        r"\{\mathrm{send}\,B_b,\ \mathrm{recv}\,F_{a+b}\},\ F_{a+b}"
    ),
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
