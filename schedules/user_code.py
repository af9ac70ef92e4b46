"""Python files that users write: the module that one is run in, how long, and how it failed."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from hashlib import sha256
from textwrap import shorten
from time import monotonic
from types import FrameType, ModuleType
from typing import Final

_LONGEST_REASON: Final = 300

_AGAIN: Final = 1.0
"""Seconds to the next alarm: Python swallows what a `__del__` or a callback of gc raises."""


class TooLong(BaseException):
    """No answer in the time that there is; no `Exception`, which a file may catch on its way."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooLong` where a block takes longer, as one does that never ends; it prints on stderr.

    The main thread has the clock that interrupts; where it runs already, the shorter time counts.

    Examples
    --------
    >>> with limited(0.01):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    schedules.user_code.TooLong: no answer within 0.01 s
    """

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TooLong(f"no answer within {seconds:g} s")

    mine = threading.current_thread() is threading.main_thread()
    clock = mine and hasattr(signal, "setitimer")
    left, again = signal.getitimer(signal.ITIMER_REAL) if clock else (0.0, 0.0)
    if not clock or 0 < left < seconds:
        yield
        return
    began, before = monotonic(), signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        with redirect_stdout(sys.stderr):  # stdout may have to be one JSON object
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (monotonic() - began), 1e-3), again)


def module_for(path: str, kind: str) -> ModuleType:
    """An empty module of its own for a file; what lies beside the file can be imported.

    Parameters
    ----------
    path : str
    kind : str
        How the module's name begins, such as ``"claim_file"``.
    """
    name = f"{kind}_{sha256(os.path.abspath(path).encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module  # dataclasses look their module up
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.append(folder)  # last, so that a neighbour cannot hide a library
    return module


def reason(error: BaseException) -> str:
    """The type and message of an exception in one line, even of one whose message cannot be had.

    Examples
    --------
    >>> reason(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    try:
        message = shorten(str(error), _LONGEST_REASON, placeholder=" …")
    except Exception:  # the exception is the user's own, and so is its text
        message = ""
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def place_in(path: str, error: BaseException) -> str:
    """``path:line`` of the innermost call in this file or folder that led to an exception."""
    frames = traceback.extract_tb(error.__traceback__)
    if os.path.isdir(path):
        within = os.path.abspath(path) + os.sep
        inside = [frame for frame in frames if frame.filename.startswith(within)]
        places = [(os.path.relpath(one.filename, path), one.lineno) for one in inside]
        return f"{os.path.join(path, places[-1][0])}:{places[-1][1]}" if places else path
    lines = [frame.lineno for frame in frames if frame.filename == path]
    return f"{path}:{lines[-1]}" if lines else path
