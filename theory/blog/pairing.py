"""The batched pairs of 1F1B: none of them waits in a circle, for any p and M.

The blog posts a forward's send together with a backward's receive, and a backward's send together
with a forward's receive, and waits for both. Proved with the strictest waits: a message is
complete only when its other end has been posted, and a rank goes on only when all it posted is
complete. Each model of docs/deadlock.md asks for a subset of these waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schedules.messages.channels import channels
from schedules.messages.model import QUEUE_KEYS, QueueModel
from schedules.messages.progress import progress
from schedules.schedule import Schedule
from schedules.validation.match import match
from theory.blog.laws import ASSUMES, compared, established, outcome, parts_hold
from theory.blog.programs import RECEIVED, SENT, one_f_one_b
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Judgement, Step
from theory.outcomes import steps, verdict_of
from theory.programs.program import SIZES, Program, as_schedule
from theory.queries import remembered
from theory.solver import Outcome
from theory.verdicts import Verdict

_PARTS: Final = ("actions", "channels", "places", "waits")


def _program(formulas: Formulas) -> Program:
    return one_f_one_b(formulas["sent"], formulas["received"])


def _proof(formulas: Formulas) -> list[Outcome]:
    found = [outcome(_program(formulas), part) for part in _PARTS]
    return [established("blog-1f1b", "loops"), *found]


def _holds(formulas: Formulas) -> Verdict:
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


def _witness(formulas: Formulas) -> dict[str, Any] | None:
    program = _program(formulas)
    for p, M in SIZES:
        found = fault(as_schedule(program, p, M))
        if found is not None:
            return {"p": p, "M": M, "fault": found}
    return None


def _sizes_that_hang() -> Iterator[tuple[int, int]]:
    program = one_f_one_b()
    for p, M in SIZES:
        if fault(alone(as_schedule(program, p, M))) is not None:
            yield p, M


@remembered
def _models() -> Evidence:
    """Runs in every model of queues, beside the proof."""
    program = one_f_one_b()
    for p, M in SIZES:
        schedule = as_schedule(program, p, M)
        plan = channels(schedule)
        for key in QUEUE_KEYS:
            if not progress(schedule, plan, QueueModel(key)).finished:
                return Evidence("against", "a run that hangs", {"p": p, "M": M, "queues": key})
    says = "runs of p ≤ 6 and M ≤ 9 come to their end in every model of queues, without a buffer"
    return Evidence("for", says, {"queues": list(QUEUE_KEYS)})


def _control() -> Step:
    """Without the batches the same messages hang: the pairs are what the claim rests on."""
    hanging = list(_sizes_that_hang())
    says = "posted one by one the same messages hang wherever p > 2"
    holds = hanging == [(p, M) for p, M in SIZES if p > 2]
    return Step("ours", says, "replays", Verdict.CHECKED if holds else Verdict.UNKNOWN)


def _judge(formulas: Formulas) -> Judgement:
    found, witness = _proof(formulas), _witness(formulas)
    same, differs = compared()
    verdict = verdict_of(found, witness)
    return Judgement(
        verdict=verdict if not differs else Verdict.UNKNOWN,
        printed_proof="none",
        cases=(
            Case("no buffer, every rank waits for all it posts", verdict, "as the blog's calls do"),
            Case(
                "any model of docs/deadlock.md, any buffer",
                verdict,
                "each asks for some of these waits only",
            ),
        ),
        assumes=(*ASSUMES, "messages of one direction between two ranks arrive in order"),
        steps=(*steps(found), _control(), same),
        counterexample=witness,
        evidence=(*differs, *((_models(),) if witness is None else ())),
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
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
