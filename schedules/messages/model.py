"""`QueueModel`: how a rank's messages queue up, and how much a channel holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from schedules.errors import ParameterError

QueueKey = Literal["rank", "peer", "direction"]

QUEUE_KEYS: Final[tuple[QueueKey, ...]] = get_args(QueueKey)
"""What the messages of a rank queue up by, the strictest first."""

_QUEUES: Final = {
    "rank": "one queue a rank",
    "peer": "one queue a rank and peer",
    "direction": "one queue a rank, peer and direction",
}


@dataclass(frozen=True)
class QueueModel:
    """What decides when a message can start and is complete; see ``docs/explanation/deadlock.md``.

    Attributes
    ----------
    queues : str
        One of `QUEUE_KEYS`: all messages of a rank in one queue, a queue for each peer, or one
        for each peer and direction (sends, receives).
    buffer : int or None
        Messages that a channel holds without a receive: 0 is rendezvous, None is without limit.

    Raises
    ------
    ParameterError
        Another kind of queue, or a buffer that is negative or no integer.

    Examples
    --------
    >>> str(QueueModel()), str(QueueModel("peer", None))
    ('one queue a rank, buffer 0', 'one queue a rank and peer, buffer without limit')
    """

    queues: QueueKey = "rank"
    buffer: int | None = 0

    def __post_init__(self) -> None:
        """Refuse what is no model."""
        if self.queues not in QUEUE_KEYS:
            raise ParameterError(
                f"the messages of a rank queue up by {', '.join(QUEUE_KEYS)}; found "
                f"{self.queues!r}",
                "queues",
                "name one of them",
            )
        whole = isinstance(self.buffer, int) and not isinstance(self.buffer, bool)
        if self.buffer is not None and (not whole or self.buffer < 0):
            raise ParameterError(
                f"a channel holds a number of messages from 0 on, found {self.buffer!r}",
                "buffer",
                "give a whole number, 0 for rendezvous",
            )

    def __str__(self) -> str:
        held = "without limit" if self.buffer is None else self.buffer
        return f"{_QUEUES[self.queues]}, buffer {held}"
