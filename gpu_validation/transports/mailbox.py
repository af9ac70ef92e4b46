"""A rank's mailbox: threads fill it with what arrives, the executor takes out what it needs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from gpu_validation.messages import Label
from gpu_validation.transports.member import Member

POLL_SECONDS: Final = 0.1
"""How often a rank that waits looks whether it is to stop."""

Letter = TypeVar("Letter")
"""What the mailbox holds."""


class Mailbox(Generic[Letter]):
    """Letters by label.

    - `member`: says whether to stop.
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

    def take(self, label: Label) -> Letter:
        """Wait for a letter and take it out.

        Raises `Exception`: what the receiving thread failed with.
        """
        self._wait(lambda: label in self._letters)
        with self._changed:
            return self._letters.pop(label)

    def ready(self, label: Label) -> bool:
        """Whether a letter is there."""
        with self._changed:
            return label in self._letters

    def wait_any(self) -> None:
        """Wait for any letter that has come since the last call."""
        self._wait(lambda: self._arrivals != self._seen)
        self._seen = self._arrivals

    def _wait(self, holds: Callable[[], bool]) -> None:
        """Wait as long as it takes: who watches the run decides what is too long."""
        over = False
        while not over:
            with self._changed:
                over = self._changed.wait_for(lambda: holds() or bool(self._broken), POLL_SECONDS)
            if not over:
                self._member.check()
        if not holds():
            assert self._broken is not None
            raise self._broken


class BoxEndpoint(Generic[Letter]):
    """What the ends of transports with mailboxes share; see `gpu_validation.messages.Endpoint`."""

    def __init__(self, member: Member, box: Mailbox[Letter]) -> None:
        self._member, self._box = member, box

    @property
    def rank(self) -> int:
        """The rank whose end it is."""
        return self._member.rank

    def ready(self, label: Label) -> bool:
        """Whether a message has arrived."""
        return self._box.ready(label)

    def wait_any(self) -> None:
        """Wait for any message that has come since the last call."""
        self._box.wait_any()

    def meet(self, timeout: float) -> None:
        """Wait until every rank is here."""
        self._member.meet(timeout)

    def check(self) -> None:
        """Raise if another rank has failed."""
        self._member.check()
