"""The five verdicts and their order."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import total_ordering


@total_ordering
class Verdict(Enum):
    """What a machine may say of a statement; REFUTED < UNKNOWN < CHECKED < CONDITIONAL < PROVED.

    PROVED covers every value of the stated domain; CONDITIONAL a named part of it, where the
    source leaves something open; CHECKED an exhausted finite domain; REFUTED has an exact
    witness; UNKNOWN is undecided and never a pass.

    Examples
    --------
    >>> Verdict.REFUTED < Verdict.UNKNOWN < Verdict.PROVED
    True
    """

    REFUTED = 0
    UNKNOWN = 1
    CHECKED = 2
    CONDITIONAL = 3
    PROVED = 4

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return bool(self.value < other.value)


def weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """The least of several verdicts; UNKNOWN for none, since nothing was shown.

    Examples
    --------
    >>> weakest([]).name
    'UNKNOWN'
    """
    return min(verdicts, default=Verdict.UNKNOWN)


def first_short(verdicts: Iterable[Verdict]) -> Verdict:
    """PROVED if all verdicts are, else the first that is not; UNKNOWN for none.

    Later verdicts are not asked for, so that a mutant is refused as soon as one part falls short.

    Examples
    --------
    >>> first_short([Verdict.PROVED, Verdict.UNKNOWN, Verdict.REFUTED]).name
    'UNKNOWN'
    >>> first_short([]).name
    'UNKNOWN'
    """
    found = Verdict.UNKNOWN
    for found in verdicts:
        if found is not Verdict.PROVED:
            break
    return found
