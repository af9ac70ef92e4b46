"""Replay: a small lowered schedule run with blocking messages, one process a rank, on gloo."""

from tests.gloo_replay.errors import NotReplayableError, ReplayError, WorkerError
from tests.gloo_replay.run import Replay, Wrong, replay

__all__ = ["NotReplayableError", "Replay", "ReplayError", "WorkerError", "Wrong", "replay"]
