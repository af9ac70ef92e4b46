"""What a schedule is checked against: read from the command line, from settings, from Python."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from schedules import LINEARIZATIONS, WeightPolicy
from schedules.linearization import DEFAULT
from schedules.messages.model import QUEUE_KEYS, QueueKey, QueueModel
from schedules.policies import PolicyName
from staleproof.arguments import one_of, whole_number
from staleproof.errors import UsageError
from staleproof.output import shown
from staleproof.sources import WINDOWED, policy_name

if TYPE_CHECKING:
    from schedules.invariants import Requirement

UNLIMITED: Final = "inf"
"""How a buffer without limit is written."""

FORMATS: Final = ("text", "json", "junit", "github", "sarif")


@dataclass(frozen=True)
class Options:
    """What is required of a schedule, and of which machine and weights.

    Attributes
    ----------
    requirements : tuple of Requirement
        Beyond what is always decided.
    queues : str
        One of `QUEUE_KEYS`.
    buffer : int or None
        Messages of a channel that are sent before they are received; None is unlimited.
    policy : str, WeightPolicy or None
        Replaces what a file or family says; a name leaves the rest to `given_policy`.
    window : int or None
        Microbatches per update of the policy `WINDOWED`.
    sizes : str or None
        Path of a sizes file: bytes of each stage.
    layers : str or None
        Path of a file of measured layers, in place of sizes and unit times.
    linearization : str
        How global delays are counted.
    lower : str or None
        Where the messages are placed that a schedule without any is given first.
    ranks, microbatches : int or None
    parameters : mapping of str to int
        Of families.
    """

    requirements: tuple[Requirement, ...] = ()
    queues: QueueKey = "rank"
    buffer: int | None = 0
    policy: PolicyName | WeightPolicy | None = None
    window: int | None = None
    sizes: str | None = None
    layers: str | None = None
    linearization: str = DEFAULT
    lower: str | None = None
    ranks: int | None = None
    microbatches: int | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def model(self) -> QueueModel:
        """The queues and buffers of a rank."""
        return QueueModel(self.queues, self.buffer)

    def overlaid(self, values: Mapping[str, Any]) -> Options:
        """These options with some replaced; a policy that comes without a window drops the old.

        Examples
        --------
        >>> Options(queues="peer").overlaid({"buffer": None}).model
        QueueModel(queues='peer', buffer=None)
        """
        dropped = {"window": None} if "policy" in values else {}
        dropped |= {"sizes": None} if "layers" in values else {}
        dropped |= {"layers": None} if "sizes" in values else {}
        return dataclasses.replace(self, **(dropped | dict(values)))

    def require_window_used(self, where: str = "--window") -> None:
        """Refuse a window where it would be ignored.

        Raises
        ------
        UsageError
            The policy is not `WINDOWED`.
        """
        if self.window is not None and self.policy != WINDOWED:
            found = "no policy" if self.policy is None else f"the policy {self.policy}"
            if isinstance(self.policy, WeightPolicy):
                found = "a policy that states its own interval"
            raise UsageError(
                f"only the policy {WINDOWED} has a window, found {found}",
                where,
                f"drop it, or choose the policy {WINDOWED}",
            )


def read_require(value: str | Iterable[str], where: str) -> tuple[Requirement, ...]:
    """Read requirements: terms separated by commas, or a list of such texts.

    Raises
    ------
    schedules.errors.RequirementError
        A term that is none, or two that contradict each other; `where` is its place.
    """
    from schedules.invariants import parse_requirements

    text = value if isinstance(value, str) else ",".join(value)
    return parse_requirements(text, where) if text.strip() else ()


def read_queues(text: str, where: str) -> QueueKey:
    """Read what a rank has communication queues for: one of `QUEUE_KEYS`."""
    return cast(QueueKey, one_of(text, QUEUE_KEYS, "communication queues are kept per", where))


def read_buffer(value: str | int | float, where: str) -> int | None:
    """Read the capacity of a channel: a number of messages, or `UNLIMITED`.

    Raises
    ------
    UsageError
        Anything else.

    Examples
    --------
    >>> read_buffer("2", "--buffer"), read_buffer("inf", "--buffer")
    (2, None)
    """
    if value in (UNLIMITED, math.inf):
        return None
    try:
        return whole_number(str(value), where, minimum=0)
    except UsageError as error:
        raise UsageError(
            f"a buffer holds a number of messages, 0 or more, or {UNLIMITED}; found "
            f"{shown(str(value))}",
            where,
            f"{error.fix}, or {UNLIMITED}",
        ) from None


def read_lower(text: str, where: str) -> str:
    """Read where messages are placed."""
    from schedules.lowering import PLACEMENTS

    return one_of(text, PLACEMENTS, "a placement of messages is one of", where)


def read_format(text: str, where: str) -> str:
    """Read the form of the result: one of `FORMATS`."""
    return one_of(text, FORMATS, "the form of a result is one of", where)


Reader = Callable[[Any, str], Any]

READERS: Final[Mapping[str, tuple[str, Reader]]] = {
    "require": ("requirements", read_require),
    "queues": ("queues", read_queues),
    "buffer": ("buffer", read_buffer),
    "policy": ("policy", policy_name),
    "linearization": (
        "linearization",
        lambda text, where: one_of(text, LINEARIZATIONS, "a linearization is one of", where),
    ),
    "lower": ("lower", read_lower),
}
"""Options by the name under which they are given: field of `Options`, reader."""
