"""Compute + communication → compute: the way back from `lower`."""

from __future__ import annotations

from schedules.actions import MESSAGES, WAITED_SENDS, among
from schedules.lowering.rebuild import with_only
from schedules.schedule import Schedule


def erase_messages(schedule: Schedule) -> Schedule:
    r"""The same order without sends, waits for them and receives; all else stays, groups included.

    What is left has to make sense by itself or not as the schedule did before: nothing is checked,
    so that a wrong file can be taken apart too.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> sent = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "a.csv")
    >>> print(*erase_messages(sent).rank(1))
    1F0 1B0
    """
    return with_only(schedule, ~among(schedule.kind, [*MESSAGES, *WAITED_SENDS.values()]))
