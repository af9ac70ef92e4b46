"""How long an attack goes on, counted in tries and never in seconds, and who hears how far it is.

The budget is one number, a percentage of what is tried by default; so whether a counterexample is
found does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Final

USUAL: Final = 100
"""The budget by default."""
APART: Final = 2.0
"""Seconds between two words about how far it is."""

Told = Callable[[str], None]


@dataclass
class Effort:
    """The budget of an attack, and who hears of it.

    Attributes
    ----------
    budget : int
        A percentage; 0 is no attack.
    told : callable
        Takes what is tried and how much of it has been.
    """

    budget: int = USUAL
    told: Told = lambda text: None
    _last: float = 0.0

    def tries(self, usual: int) -> int:
        """How many there are within the budget."""
        return usual * self.budget // USUAL

    def say(self, what: str, done: int, most: int) -> None:
        """Say, now and then, what is tried and what part of the tries that there are is done."""
        now = monotonic()
        if now - self._last >= APART:
            self._last = now
            self.told(f"not proved; tries {what}: {100 * done // max(most, 1)} % of at most {most}")


_CURRENT: ContextVar[Effort | None] = ContextVar("effort", default=None)


def current() -> Effort:
    """The effort that is made now."""
    return _CURRENT.get() or Effort()


@contextmanager
def effort(budget: int | None = None, told: Told | None = None) -> Iterator[None]:
    """Make this effort in a block; what is not given stays as it is.

    Examples
    --------
    >>> with effort(10):
    ...     current().tries(500)
    50
    """
    before = current()
    made = Effort(
        before.budget if budget is None else budget, before.told if told is None else told
    )
    token = _CURRENT.set(made)
    try:
        yield
    finally:
        _CURRENT.reset(token)
