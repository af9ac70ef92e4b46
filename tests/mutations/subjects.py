"""The schedules that are mutated: stored files of other projects, and families of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from schedules import Action, Kind, Schedule, build
from schedules.actions import MESSAGES
from schedules.formats import Document, read_document
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from tests.mutations.orders import Cell, Row, rows_of, schedule_of

DATA: Final = Path(__file__).parents[1] / "data" / "schedules"
STRICTEST: Final = QueueModel()


@dataclass(frozen=True)
class Subject:
    """A schedule that nothing is wrong with, in the model it is meant for."""

    name: str
    document: Document
    model: QueueModel = STRICTEST

    @property
    def schedule(self) -> Schedule:
        return self.document.schedule


def with_updates(schedule: Schedule) -> Schedule:
    """The updates that the policy implies, as actions."""
    each = schedule.policy.name != "flush"
    closes = (Kind.B, Kind.W)

    def row(actions: list[Action]) -> Iterator[Action]:
        last = {(a.stage, a.pipeline): place for place, a in enumerate(actions) if a.kind in closes}
        for place, action in enumerate(actions):
            yield action
            owner = action.stage, action.pipeline
            if action.kind in closes and (each or place == last[owner]):
                yield Action(Kind.U, action.stage, pipeline=action.pipeline)

    rows = tuple(
        tuple(Cell(action) for action in row(list(schedule.rank(rank))))
        for rank in range(schedule.ranks)
    )
    return schedule_of(schedule, rows)


def batched(schedule: Schedule) -> Schedule:
    """Messages that stand together in one batch."""
    number = 0

    def row(cells: Row) -> Iterator[Cell]:
        nonlocal number
        for cell in cells:
            talks = cell.action.kind in MESSAGES
            number -= not talks
            yield Cell(cell.action, number - 1 if talks else None)

    return schedule_of(schedule, tuple(tuple(row(cells)) for cells in rows_of(schedule)))


def lowered(name: str, ranks: int, M: int, how: str = "as-soon-as-possible") -> Schedule:
    return lower(build(name, ranks, M), how)


JUST_IN_TIME: Final = "just-in-time"

TORCH: Final = "1F1B GPipe Interleaved1F1B LoopedBFS InterleavedZeroBubble ZBVZeroBubble DualPipeV"

FILES: Final = (
    *(f"torch2.13_{name}_p2_m4.comms.csv" for name in TORCH.split()),
    *(f"torch2.13_{name}_p2_m4.compute.csv" for name in ("1F1B", "ZBVZeroBubble", "DualPipeV")),
    "deepspeed0.19.8_train_p2_m4.json",
    "megatron0.16.1_p4_m8_v1.json",
)
"""Every mutant of these is tried."""

LARGER_FILES: Final = (
    *(f"torch2.13_{name}_p4_m8.comms.csv" for name in TORCH.split()),
    "deepspeed0.19.8_train_p4_m8.json",
    "megatron0.16.1_p4_m8_v2.json",
)
"""A sample of the mutants of these is tried."""

BUILT: Final[dict[str, Callable[[], tuple[Schedule, QueueModel]]]] = {
    "pipedream": lambda: (lowered("pipedream", 3, 6), STRICTEST),
    "pipedream with updates": lambda: (with_updates(lowered("pipedream", 3, 6)), STRICTEST),
    "pipedream, just in time": lambda: (
        lowered("pipedream", 3, 5, JUST_IN_TIME),
        QueueModel("rank", 1),
    ),
    "pipedream, batched": lambda: (batched(lowered("pipedream", 3, 5, JUST_IN_TIME)), STRICTEST),
    "zb-h1 with updates": lambda: (with_updates(lowered("zb-h1", 3, 4)), STRICTEST),
    "localsgd with updates": lambda: (with_updates(build("localsgd", 2, 8)), STRICTEST),
    "chimera": lambda: (lowered("chimera", 4, 4), STRICTEST),
    "1f1b, just in time": lambda: (
        lowered("1f1b", 3, 5, JUST_IN_TIME),
        QueueModel("direction", None),
    ),
    "chimera, just in time": lambda: (
        lowered("chimera", 4, 4, JUST_IN_TIME),
        QueueModel("peer", None),
    ),
}


@cache
def subject(name: str) -> Subject:
    if name in BUILT:
        schedule, model = BUILT[name]()
        return Subject(name, Document(schedule), model)
    return Subject(name, read_document(DATA / name))
