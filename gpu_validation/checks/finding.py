"""`Finding`: what one check says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Outcome(Enum):
    """How a check came out.

    ``UNDECIDED``: the log lacks what the check needs, so nothing was shown either way.
    ``INAPPLICABLE``: the check has no meaning for this schedule or machine.
    """

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    INAPPLICABLE = "inapplicable"


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    - `says`: one sentence: what was compared, or what differs, or why nothing can be said.
    - `compared`: how many values were compared; a check that compared none does not hold.
    - `witness`: where it fails first: the action, what was predicted, what was found.
    """

    name: str
    outcome: Outcome
    says: str
    compared: int = 0
    witness: Mapping[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        """True, false, or None where it is not decided or does not apply."""
        return {Outcome.HOLDS: True, Outcome.FAILS: False}.get(self.outcome)

    @property
    def applies(self) -> bool:
        """Whether the check has a meaning here."""
        return self.outcome is not Outcome.INAPPLICABLE


def holds(name: str, compared: int, says: str) -> Finding:
    """The check held for `compared` values; with none of them it is undecided."""
    if compared < 1:
        return undecided(name, "there was nothing to compare")
    return Finding(name, Outcome.HOLDS, says, compared)


def fails(name: str, says: str, compared: int = 0, **witness: Any) -> Finding:
    """The check does not hold."""
    return Finding(name, Outcome.FAILS, says, compared, witness)


def undecided(name: str, says: str) -> Finding:
    """The log does not say enough."""
    return Finding(name, Outcome.UNDECIDED, says)


def inapplicable(name: str, says: str) -> Finding:
    """The check means nothing here."""
    return Finding(name, Outcome.INAPPLICABLE, says)
