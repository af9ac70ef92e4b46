"""Standard input and pipes: what can be read only once is copied before it is looked at."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from typing import IO, Final

STANDARD_INPUT: Final = "-"
"""The path that means it."""

MAX_BYTES: Final = 64 * 1024**2
"""Largest JSON document that is read."""

MOST_COPIED: Final = 2 * MAX_BYTES
"""No reader takes more of what is no trace; traces are read line by line."""

LINED: Final = b"staleproof-trace/"
"""In the first line of a trace."""

_PIECE: Final = 1024**2


class Piped(os.PathLike[str]):
    """A copy, in a file that goes with this object, of what can be read only once.

    Attributes
    ----------
    name : str
        What it was read from, for messages.
    """

    def __init__(self, name: str, source: IO[bytes]) -> None:
        self.name = name
        self._file = tempfile.NamedTemporaryFile(prefix="staleproof-")  # noqa: SIM115
        piece = source.read(_PIECE)
        is_trace = LINED in piece
        # What is longer than its reader takes is not copied to its end; that reader says so.
        while piece and (is_trace or self._file.tell() <= MOST_COPIED):
            self._file.write(piece)
            piece = source.read(_PIECE)
        self._file.flush()

    def __fspath__(self) -> str:
        return self._file.name


def is_piped(path: str | os.PathLike[str]) -> bool:
    """Whether a path can be read only once: standard input, a FIFO, a device.

    Examples
    --------
    >>> is_piped("-"), is_piped("step.csv")
    (True, False)
    """
    if isinstance(path, Piped):
        return False
    if os.fspath(path) == STANDARD_INPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def copied(path: str | os.PathLike[str]) -> Piped:
    """Read what can be read only once.

    Raises
    ------
    OSError
        It cannot be read.
    """
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return Piped("<stdin>", sys.stdin.buffer)
    with open(path, "rb") as source:
        return Piped(name, source)
