"""Who is to blame when a run makes no progress, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpu_validation.errors import RankFailedError, RankHangError
from gpu_validation.event_log import EventLog


@dataclass(frozen=True)
class RankState:
    """Where a rank stands.

    Attributes
    ----------
    rank : int
    last : str
        Its last event.
    doing : str
        What it does or waits for.
    waiting : bool
        Whether it waits for another rank.
    """

    rank: int
    last: str
    doing: str
    waiting: bool

    def __str__(self) -> str:
        return f"rank {self.rank} {self.doing} (last event: {self.last})"


def state_of(recorder: EventLog) -> RankState:
    """Where the rank of a recorder stands."""
    return RankState(recorder.rank, recorder.last, recorder.doing, recorder.waiting)


def hang(unfinished: Sequence[RankState], timeout: float) -> RankHangError:
    """The error for a run in which nothing happened for `timeout` seconds.

    Who waits for others is not to blame, unless all do.

    Examples
    --------
    >>> states = [
    ...     RankState(0, "0F3", "waits for 1SEND_B0 of rank 1", True),
    ...     RankState(1, "1F2", "does 1B0", False),
    ... ]
    >>> print(hang(states, 5.0))
    rank 1: every rank makes progress within 5 s, but rank 1 does 1B0 (last event: 1F2); see what
    holds this rank up, or allow more time
    """
    busy = [state for state in unfinished if not state.waiting]
    guilty = busy or list(unfinished)
    return RankHangError(
        f"every rank makes progress within {timeout:g} s, but {'; '.join(map(str, guilty))}",
        " and ".join(f"rank {state.rank}" for state in guilty) or "run",
        "see what holds this rank up, or allow more time"
        if busy
        else "these ranks wait for each other: run `staleproof check` on the schedule",
        guilty[0].rank if len(guilty) == 1 else -1,
    )


def failed(recorder: EventLog, error: Exception) -> RankFailedError:
    """The error for a rank that raised one."""
    reason = str(error).strip().splitlines()
    said = reason[0] if reason else "no message"
    return RankFailedError(
        f"every rank finishes its program, but rank {recorder.rank} {recorder.doing} and raises "
        f"{type(error).__name__}: {said} (last event: {recorder.last})",
        f"rank {recorder.rank}",
        "correct what the error says",
        recorder.rank,
    )
