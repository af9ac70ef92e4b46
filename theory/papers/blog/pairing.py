"""The batched pairs of 1F1B: none of them waits in a circle, for any p and M.

Problem    the blog posts a forward's send together with a backward's receive, and a backward's
           send together with a forward's receive, and waits for both.
Method     ranks that grow along all that waits, with the strictest waits: a message is complete
           only when its other end has been posted, and a rank goes on only when all it posted is
           complete. Each model of docs/explanation/deadlock.md asks for a subset of these waits.
Guarantee  no deadlock, for all p ≥ 2 and M ≥ 2; posted one by one the same messages hang.
Source     1F1B pipeline, steady-state phase.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import sympy

from schedules import programs as orders
from schedules.families.blog_1f1b import Label, coming, newest
from schedules.messages import channels, model, progress
from schedules.schedule import Schedule
from schedules.validation.match import match
from theory.judging import prover
from theory.laws.static_orders.order import as_term
from theory.laws.static_orders.symbols import M, p
from theory.papers.blog.lemmas import laws
from theory.papers.blog.lemmas.programs import one_f_one_b

_PARTS = ("actions", "channels", "places", "waits")


b = sympy.Symbol("b", integer=True, nonnegative=True)
"""How many backwards a stage has begun before, from 0."""

a = sympy.Symbol("a", integer=True, positive=True)
"""Forwards of a stage before its first backward, the last stage's own included."""


def _program(formulas: prover.Formulas) -> orders.Program:
    return one_f_one_b(_labelled(formulas["sent"]), _labelled(formulas["received"]))


def _labelled(form: sympy.Expr) -> Label:
    """A microbatch as a formula in `a` and `b`, on numbers and on terms."""
    number = sympy.lambdify((a, b), form)

    def microbatch(ahead: orders.Number, n: orders.Number) -> orders.Number:
        if isinstance(ahead, int) and isinstance(n, int):
            return int(number(ahead, n))
        return prover.term(form, {a: as_term(ahead), b: as_term(n)})

    return microbatch


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    return laws.parts_hold(_program(formulas), *_PARTS)


def _ends(schedule: Schedule, queues: model.QueueModel) -> bool:
    return progress.progress(schedule, channels.channels(schedule), queues).finished


def fault(schedule: Schedule) -> str | None:
    """What goes wrong with a schedule's messages in the strictest model.

    Examples
    --------
    >>> fault(orders.as_schedule(one_f_one_b(), 4, 6)) is None
    True
    >>> fault(alone(orders.as_schedule(one_f_one_b(), 4, 6)))
    'hangs'
    """
    if match(schedule, channels.channels(schedule)):
        return "a message meets another one's receive, or none"
    return None if _ends(schedule, model.QueueModel()) else "hangs"


def alone(schedule: Schedule) -> Schedule:
    """The same schedule with every message posted by itself."""
    return replace(schedule, groups=())


def _hanging(program: orders.Program) -> prover.Refutation | None:
    """The first run whose messages do not all meet, or that does not come to its end."""

    def found(stages: int, size: int) -> str | None:
        return fault(orders.as_schedule(program, stages, size))

    return prover.first_violation(
        lambda *at: int(found(*at) is not None),
        "==",
        sympy.Integer(0),
        ({p: stages, M: size} for stages, size in laws.SIZES),
        laws.SUPPOSED,
        named="",
        also=lambda *at: {"fault": found(*at)},
    )


@prover.remembered
def _models() -> prover.Evidence:
    """Runs in every model of queues, beside the proof."""
    for (stages, size), key in product(laws.SIZES, model.QUEUE_KEYS):
        if not _ends(orders.as_schedule(one_f_one_b(), stages, size), model.QueueModel(key)):
            at = {"p": stages, "M": size, "queues": key}
            return prover.Evidence("against", "a run that hangs", at)
    says = "runs of p ≤ 6 and M ≤ 9 come to their end in every model of queues, without a buffer"
    return prover.Evidence("for", says, {"queues": list(model.QUEUE_KEYS)})


def _control() -> tuple[prover.Line, ...]:
    """Without the batches the same messages hang: the pairs are what the claim rests on."""
    hangs = [at for at in laws.SIZES if fault(alone(orders.as_schedule(one_f_one_b(), *at)))]
    says = "posted one by one the same messages hang wherever p > 2"
    holds = hangs == [at for at in laws.SIZES if at[0] > 2]
    tried = prover.Exhausted(f"{says}, p ≤ 6 and M ≤ 9", len(laws.SIZES), holds)
    return prover.found_by({(says, "replays"): (tried,)})


def _account(formulas: prover.Formulas) -> prover.Account:
    program = _program(formulas)
    parts = (laws.outcome(program, part) for part in _PARTS)
    found = laws.as_built_by_all((laws.established("blog-1f1b", "loops"), *parts))
    hanging = laws.unless_other(lambda: _hanging(program))
    decision = prover.Decision(found, hanging)
    cases = {
        ("no buffer, every rank waits for all it posts", "as the blog's calls do"): decision,
        (
            "any model of docs/explanation/deadlock.md, any buffer",
            "each asks for some of these waits only",
        ): decision,
    }
    return laws.account(
        decision,
        cases=prover.cases(cases),
        assumes=("messages of one direction between two ranks arrive in order",),
        steps=(*prover.lines(found), *_control()),
        evidence=(_models(),) if hanging is None else (),
    )


CLAIM = prover.row(
    "blog.pairing",
    "1F1B pipeline, steady-state phase",
    "The pairs of messages that 1F1B posts together, a forward's send with a backward's receive "
    "and a backward's send with a forward's receive, cannot deadlock.",
    r"\{\mathrm{send}\,F_{a+b-1},\ \mathrm{recv}\,B_b\},\ B_b,\ "
    r"\{\mathrm{send}\,B_b,\ \mathrm{recv}\,F_{a+b}\},\ F_{a+b}",
    {"sent": newest(a, b), "received": coming(a, b)},
    _holds,
    account=_account,
)
