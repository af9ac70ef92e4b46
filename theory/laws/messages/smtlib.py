"""The question whether a schedule's events can have times, as SMT-LIB 2 text."""

from __future__ import annotations

from collections.abc import Iterator

from schedules.messages.channels import Channels
from schedules.messages.model import QueueModel
from schedules.schedule import Schedule
from theory.laws.messages.times import Constraint, each_constraint


def smtlib(schedule: Schedule, plan: Channels, model: QueueModel) -> str:
    r"""Write the constraints for any solver of integer difference logic.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    >>> text = smtlib(schedule, channels(schedule), QueueModel())
    >>> for line in text.splitlines()[-6:]:
    ...     print(line)
    (assert (! (>= (- end_3 start_3) 1) :named takes-time.end_3.start_3))
    (assert (! (>= (- start_1 end_0) 0) :named posted.start_1.end_0))
    (assert (! (= end_1 end_2) :named meets.end_1.end_2))
    (assert (! (>= (- start_3 end_2) 0) :named input.start_3.end_2))
    (check-sat)
    (get-unsat-core)
    """
    return "\n".join(smtlib_lines(schedule, plan, model)) + "\n"


def smtlib_lines(schedule: Schedule, plan: Channels, model: QueueModel) -> Iterator[str]:
    """The lines of `smtlib` one by one: a long schedule has more of them than fit into memory."""
    yield f"; Can {_one_line(schedule.name)} run to its end? Model: {model}."
    yield "; sat: it can; the values are times of its events."
    yield "; unsat: it cannot; the core names waits that form a cycle, or a message or BARRIER"
    yield "; without its counterpart. Any other answer decides nothing. After sat there is no"
    yield "; core, and asking for it is answered with an error."
    yield "(set-option :produce-unsat-cores true)"
    yield "(set-logic QF_IDL)"
    for index in range(len(schedule)):
        where = f"{schedule.action(index)} at {_one_line(schedule.place(index))}"
        yield f"(declare-fun start_{index} () Int) ; {where}"
        yield f"(declare-fun end_{index} () Int)"
    for one in each_constraint(schedule, plan, model):
        yield f"(assert (! {_formula(one)} :named {one.name}))"
    yield "(check-sat)"
    yield "(get-unsat-core)"


def _formula(one: Constraint) -> str:
    if one.earlier is None:
        return "false"
    if one.equal:
        return f"(= {one.later} {one.earlier})"
    return f"(>= (- {one.later} {one.earlier}) {one.gap})"


def _one_line(text: str) -> str:
    """A comment ends with its line."""
    return " ".join(text.split())
