"""Deadlock-free: every queue of every rank comes to its end."""

from __future__ import annotations

from schedules.actions import MESSAGES, among
from schedules.dependencies import MISSING
from schedules.messages.channels import Channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import Progress, progress
from schedules.messages.steps import execution_steps
from schedules.messages.waits import Blockage, Link, blockages, describe
from schedules.schedule import Schedule
from schedules.validation.violation import Arrow, Case, Finding, Marks, Violation, listed


def deadlock_free(
    schedule: Schedule, plan: Channels, model: QueueModel, found: Progress | None = None
) -> list[Violation]:
    r"""What keeps a schedule from its end in a model: cycles of waits, and orphans.

    `found` is the progress of the schedule in the model, where that is known already.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.messages.channels import channels
    >>> text = "0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0"
    >>> schedule = parse_csv(text, "a.csv")
    >>> [hangs] = deadlock_free(schedule, channels(schedule), QueueModel())
    >>> hangs.witness["kind"], hangs.witness["steps"][-1]
    ('cycle', 'rank 0 starts 0SEND_F0')
    >>> deadlock_free(schedule, channels(schedule), QueueModel(buffer=1))
    []
    """
    found = found or progress(schedule, plan, model)
    stuck = [] if found.finished else blockages(found)
    cycles = [blockage for blockage in stuck if blockage.kind == "cycle"]
    orphans = [blockage for blockage in stuck if blockage.kind == "orphan"]
    findings = [_cycles(found, model, cycles, plan), _orphans(found, model, orphans)]
    return listed(schedule, "deadlock-free", findings)


def _cycles(found: Progress, model: QueueModel, cycles: list[Blockage], plan: Channels) -> Finding:
    schedule = found.queues.schedule
    remedy = "reorder the actions of one of these ranks"
    if among(schedule.kind, MESSAGES).any():
        remedy = "reorder the messages of one of these ranks, or post them in one batch"
    if (plan.partner[plan.channel >= 0] == MISSING).any():
        remedy = f"complete the messages first (match): then, {remedy}"

    def describe_case(case: int) -> Case:
        rule = "queues must come to their ends, but these wait for each other in a circle"
        return _case(found, model, cycles[case], rule, remedy)

    return Finding("circle of waits", len(cycles), describe_case)


def _orphans(found: Progress, model: QueueModel, orphans: list[Blockage]) -> Finding:
    def describe_case(case: int) -> Case:
        return _case(
            found,
            model,
            orphans[case],
            "queues must come to their ends, but the last of these waits for what never comes",
            "add the missing half of the message, or drop the other one"
            if orphans[case].links[-1].why != "barrier"
            else "add a BARRIER to that rank, or drop that of the others",
        )

    return Finding("wait for what is not there", len(orphans), describe_case)


def _case(found: Progress, model: QueueModel, stuck: Blockage, rule: str, fix: str) -> Case:
    schedule = found.queues.schedule
    actions = [link.action for link in stuck.links]
    culprit = actions[-1] if stuck.kind == "orphan" else actions[0]
    arrows = [(link.action, link.awaited) for link in stuck.links]
    marks = Marks(
        (culprit, *(action for action in actions if action != culprit)),
        tuple(Arrow(one, other, "waits for") for one, other in arrows if other is not None),
    )
    witness: dict[str, object] = {
        "kind": stuck.kind,
        "queues": model.queues,
        "buffer": model.buffer,
        "cycle" if stuck.kind == "cycle" else "chain": [_data(schedule, k) for k in stuck.links],
        "steps": execution_steps(found, actions),
    }
    return Case(
        schedule.place(culprit),
        f"{rule} ({model}): {describe(schedule, stuck)}",
        fix,
        witness,
        marks,
    )


def _data(schedule: Schedule, link: Link) -> dict[str, object]:
    awaited = link.awaited
    return {
        "action": str(schedule.action(link.action)),
        "place": schedule.place(link.action),
        "waits_for": None if awaited is None else str(schedule.action(awaited)),
        "waits_for_place": None if awaited is None else schedule.place(awaited),
        "why": link.why,
    }
