"""Whether the computations of a schedule are there, once, in an order that can be.

============= ================================================================================
invariant     holds if
============= ================================================================================
``complete``  each (stage, microbatch) has one F and either one B or one I and one W, and
              nothing is out of range
``causal``    nothing stands before what it needs, no ranks wait for each other in a circle, and
              a microbatch stays in one pipeline
``exclusive`` a stage of a pipeline, and a weight copy, lives on one rank, the one stated
``policy``    the weight policy asks for no version that does not exist yet; looked at when the
              others hold
============= ================================================================================

Whether messages meet and queues let them pass, and all other invariants: `schedules.invariants`.
"""

from __future__ import annotations

import numpy as np

from schedules.actions import MESSAGES, among
from schedules.schedule import Schedule
from schedules.validation.causal import causal
from schedules.validation.complete import complete, is_empty
from schedules.validation.exclusive import exclusive
from schedules.validation.facts import facts
from schedules.validation.policy import policy
from schedules.validation.violation import Violation

__all__ = ["Violation", "facts", "has_messages", "validate"]


def validate(schedule: Schedule) -> list[Violation]:
    r"""Everything that is wrong with a schedule, in a fixed order; empty if it is valid.

    At most `schedules.validation.violation.CAP` violations of an invariant are listed, then one
    that counts the others.

    Raises
    ------
    SizeError
        Stages × microbatches is out of proportion to the number of actions.

    See Also
    --------
    facts : what a valid schedule does.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> validate(parse_csv("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1", "good.csv"))
    []
    >>> for found in validate(parse_csv("0F0,0B0\n1B0,1F0", "bad.csv")):
    ...     print(f"{found.invariant}: {found.message}")
    causal: bad.csv:row 2:cell 1: an action stands behind what it needs, but 1B0 stands before
    1F0 (bad.csv:row 2:cell 2), whose forward it needs; move 1B0 behind 1F0
    """
    if is_empty(schedule):
        return complete(schedule)
    found = [*complete(schedule), *causal(schedule), *exclusive(schedule)]
    return found or policy(schedule)


def has_messages(schedule: Schedule) -> int | None:
    r"""Flat index of the first send or receive, or None.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> has_messages(parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1F0", "a.csv"))
    1
    """
    found = np.flatnonzero(among(schedule.kind, MESSAGES))
    return int(found[0]) if len(found) else None
