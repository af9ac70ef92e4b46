"""Ctrl-C: ends the program, whatever library is at work when it comes."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_seen = threading.Event()


@contextmanager
def watched() -> Iterator[None]:
    """Raise `KeyboardInterrupt` on Ctrl-C inside this block, and remember that it came.

    An exception that is raised while Python clears an object away is lost; `again` finds it.
    """
    _seen.clear()
    # Only the main thread may ask for signals; and a program started with SIGINT ignored, as a
    # shell does in the background, keeps ignoring it.
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    report, sys.unraisablehook = sys.unraisablehook, _unless_interrupted
    try:
        yield
    finally:
        sys.unraisablehook = report
        signal.signal(signal.SIGINT, signal.default_int_handler)


def again() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C came earlier and was lost."""
    if _seen.is_set():
        raise KeyboardInterrupt


def answered() -> None:
    """Forget that Ctrl-C came: what it asked for has been done."""
    _seen.clear()


def keep_from_z3() -> None:
    """Let Ctrl-C end the program; by default z3 takes it and calls its query undecided."""
    import z3

    z3.set_param("ctrl_c", False)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    _seen.set()
    raise KeyboardInterrupt


def _unless_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
    """Half-made objects complain when they are cleared away; after Ctrl-C nobody wants to know."""
    if not _seen.is_set():
        sys.__unraisablehook__(unraisable)
