"""What the ranks of a run tell each other beside tensors: reports, results, and when to stop.

It lies in a `torch.distributed` store: a TCP server of the process that starts the ranks, or the
one of ``torchrun``. Only operations that do not wait are used, so that several threads share a
connection.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gpu_validation.errors import RankError, RankState
from gpu_validation.event_log import Event
from gpu_validation.spec import Launched, RankOutcome, RunSpec

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

PIECE_BYTES: Final = 4 << 20
"""Largest value that is stored as one; a store that speaks TCP refuses more than 8 MiB."""


@dataclass(frozen=True)
class Report:
    """What a rank has done since its last report.

    - `state`: where it stands.
    - `count`: events so far.
    - `events`: new ones.
    """

    state: RankState
    count: int
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class End:
    """How a rank left a run.

    - `outcome`: partial if the rank did not finish its program.
    - `failure`: what went wrong in this rank itself.
    """

    outcome: RankOutcome
    finished: bool
    failure: RankError | None = None


class Board:
    """The messages of one run.

    - `store`: shared by all ranks.
    - `number`: which run of these ranks.
    """

    poll = 0.02
    """Seconds between two looks at it."""

    def __init__(self, store: Store, number: int) -> None:
        self._store, self._name = store, f"run {number}/"

    def start(self, spec: RunSpec) -> None:
        """Tell the ranks what to run."""
        self._put("spec", spec)

    def spec(self) -> RunSpec | None:
        """What to run, once it has been told."""
        found: RunSpec | None = self._get("spec")
        return found

    def arrive(self) -> None:
        """Say that one more rank is ready."""
        self._store.add(f"{self._name}here", 1)

    def arrived(self) -> int:
        """How many ranks are ready."""
        return self._store.add(f"{self._name}here", 0)

    def report(self, rank: int, number: int, report: Report) -> None:
        """Leave the report of a rank with that number, from 0."""
        self._put(f"report {rank} {number}", report)

    def take_report(self, rank: int, number: int) -> Report | None:
        """The report of a rank with that number, once it is there; it is then forgotten."""
        found: Report | None = self._get(f"report {rank} {number}", forget=True)
        return found

    def end(self, rank: int, end: End) -> None:
        """Say how a rank left."""
        self._put(f"end {rank}", end)

    def take_end(self, rank: int) -> End | None:
        """How a rank left, once it has; it is then forgotten."""
        found: End | None = self._get(f"end {rank}", forget=True)
        return found

    def stop(self, failure: RankError) -> None:
        """Tell every rank to stop."""
        self._put("stop", failure)

    def stopped(self) -> RankError | None:
        """Why every rank is to stop, if it is."""
        found: RankError | None = self._get("stop")
        return found

    def close(self, launched: Launched | None = None) -> None:
        """Say that the run is over, and, where all have to know, how."""
        self._put("over", launched)

    def over(self) -> bool:
        """Whether the run is over."""
        return bool(self._store.check([f"{self._name}over"]))

    def launched(self) -> Launched:
        """How the run went; to be asked once it is over."""
        found: Launched = self._get("over")
        return found

    def _put(self, key: str, value: object) -> None:
        """Store a value in pieces; it is there once their number is."""
        data = pickle.dumps(value)
        pieces = range(0, len(data), PIECE_BYTES)
        for number, first in enumerate(pieces):
            piece = data[first : first + PIECE_BYTES]
            # A store that is written in Python's C API takes text or bytes, typed as text.
            self._store.set(f"{self._name}{key}/{number}", piece)  # type: ignore[arg-type]
        self._store.set(f"{self._name}{key}", str(len(pieces)))

    def _get(self, key: str, forget: bool = False) -> Any:
        """A value, or None if it is not there."""
        name = f"{self._name}{key}"
        if not self._store.check([name]):
            return None
        names = [f"{name}/{number}" for number in range(int(self._store.get(name)))]
        value = pickle.loads(b"".join(self._store.get(piece) for piece in names))
        for old in [name, *names] if forget else []:
            self._store.delete_key(old)
        return value


class LocalBoard(Board):
    """The messages of a run whose ranks are threads of this process: nothing is copied."""

    poll = 0.002

    def __init__(self) -> None:
        self._here, self._told = 0, dict[str, Any]()
        self._lock = threading.Lock()

    def arrive(self) -> None:
        """Say that one more rank is ready."""
        with self._lock:
            self._here += 1

    def arrived(self) -> int:
        """How many ranks are ready."""
        return self._here

    def _put(self, key: str, value: object) -> None:
        self._told[key] = value

    def _get(self, key: str, forget: bool = False) -> Any:
        return self._told.pop(key, None) if forget else self._told.get(key)


def partial_outcomes(
    ends: Sequence[End | None], streamed: Sequence[Sequence[Event]]
) -> tuple[RankOutcome, ...]:
    """What every rank leaves; of one that could say nothing any more, the events of its reports."""
    return tuple(
        RankOutcome(rank, tuple(events)) if end is None else end.outcome
        for rank, (end, events) in enumerate(zip(ends, streamed, strict=True))
    )
