"""Ctrl-C and SIGTERM in a program that has started others."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import NoReturn


@contextmanager
def termination_raised() -> Iterator[None]:
    """Let SIGTERM end this program as Ctrl-C does: processes that it has started end first."""
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield  # somebody else sees to it
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(signum: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + signum)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Start processes that never see Ctrl-C: this one does, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its own start would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
