"""Questions to solvers: z3 decides them within a budget, cvc5 gives a second opinion."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""What glibc's `mallopt` calls two of its settings."""


def _keep_freed_memory() -> None:
    """Let glibc keep what a question to z3 frees, for the next one.

    Every question has a context of its own, of more than a megabyte. Where each gets fresh pages of
    the system, making one may take eight times as long.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, 2**25)
        set_option(_TRIM_THRESHOLD, 2**28)


if sys.platform == "linux":
    _keep_freed_memory()
