"""SIGTERM, by which launchers and queues end a program, as Ctrl-C: what was recorded is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def termination_as_interruption() -> Iterator[None]:
    """Let SIGTERM raise `KeyboardInterrupt` in this block, as Ctrl-C does.

    Examples
    --------
    >>> with termination_as_interruption():
    ...     try:
    ...         signal.raise_signal(signal.SIGTERM)
    ...     except KeyboardInterrupt:
    ...         print("interrupted")
    interrupted
    """

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    # Only the main thread may ask for signals; and a program that was started with SIGTERM ignored
    # keeps ignoring it.
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
