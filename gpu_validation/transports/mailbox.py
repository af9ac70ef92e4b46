"""A rank's mailbox: threads fill it with what arrives, the executor takes out what it needs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from gpu_validation.errors import RankHangError
from gpu_validation.messages import Label
from gpu_validation.transports.member import Member

POLL_SECONDS: Final = 0.1
"""How often a rank that waits looks whether it is to stop."""

Letter = TypeVar("Letter")
"""What the mailbox holds."""


class Mailbox(Generic[Letter]):
    """Letters by label.

    Parameters
    ----------
    member : Member
        Says whether to stop.

    Examples
    --------
    >>> from gpu_validation.messages import Label
    >>> from gpu_validation.transports.board import Board
    >>> from schedules.actions import Kind
    >>> import torch.distributed as dist
    >>> label = Label(Kind.SEND_F, 0, 3, 0)
    >>> box = Mailbox[str](Member(0, 1, 0, Board(dist.HashStore(), 0)))
    >>> box.put(label, "a letter")
    >>> box.ready(label), box.take(label, 1.0), box.ready(label)
    (True, 'a letter', False)
    """

    def __init__(self, member: Member) -> None:
        self._member = member
        self._changed = threading.Condition()
        self._letters: dict[Label, Letter] = {}
        self._arrivals = self._seen = 0
        self._broken: Exception | None = None

    def put(self, label: Label, letter: Letter) -> None:
        """Put a letter in; called by threads that receive."""
        with self._changed:
            self._letters[label] = letter
            self._arrivals += 1
            self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        """Let the rank fail: nothing more will arrive."""
        with self._changed:
            self._broken = self._broken or error
            self._changed.notify_all()

    def take(self, label: Label, timeout: float) -> Letter:
        """Wait for a letter and take it out.

        Raises
        ------
        StoppedError, RankHangError
        Exception
            What the receiving thread failed with.
        """
        self._wait(lambda: label in self._letters, timeout, str(label))
        with self._changed:
            return self._letters.pop(label)

    def ready(self, label: Label) -> bool:
        """Whether a letter is there."""
        with self._changed:
            return label in self._letters

    def wait_any(self, timeout: float) -> None:
        """Wait for any letter that has come since the last call.

        Raises
        ------
        StoppedError, RankHangError
        """
        self._wait(lambda: self._arrivals != self._seen, timeout, "any message")
        self._seen = self._arrivals

    def _wait(self, holds: Callable[[], bool], timeout: float, what: str) -> None:
        left = timeout
        while True:
            with self._changed:
                step = min(POLL_SECONDS, left)
                if self._changed.wait_for(lambda: holds() or self._broken is not None, step):
                    break
            self._member.check()
            left -= POLL_SECONDS
            if left <= 0:
                raise RankHangError(
                    f"a rank waits at most {timeout:g} s for {what}",
                    f"rank {self._member.rank}",
                    "see what the sender does, or allow more time",
                    self._member.rank,
                )
        if not holds():
            assert self._broken is not None
            raise self._broken
