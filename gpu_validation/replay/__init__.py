"""Replay: a small lowered schedule run with blocking messages, one process a rank, on gloo."""

from gpu_validation.replay.errors import NotReplayableError, ReplayError, WorkerError
from gpu_validation.replay.run import Replay, Wrong, replay

__all__ = ["NotReplayableError", "Replay", "ReplayError", "WorkerError", "Wrong", "replay"]
