"""The server that ranks are forked from: it has torch loaded, and is deaf to Ctrl-C."""

from __future__ import annotations

import signal
from multiprocessing import forkserver, resource_tracker
from typing import Final

PRELOADED: Final = (
    "gpu_validation.transports.gloo",
    "gpu_validation.transports.torch_runtime.program",
)
"""What the server imports before it forks; torch is most of it."""


def start_server() -> None:
    """Start the server, if it does not run yet.

    Ctrl-C reaches every process of a terminal, and a server that is still importing would print
    where it was. A signal that comes meanwhile is held back, not lost.
    """
    forkserver.set_forkserver_preload(list(PRELOADED))
    # It unblocks the signal when it starts, so it comes first.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
