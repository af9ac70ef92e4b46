"""PyTorch's own validators of schedules, asked about ours.

``_validate_schedule`` is what PyTorch's runtime calls on every schedule that it is given;
``_simulate_comms_compute`` is the dry run that its tests call on lowered schedules. The dry run
knows neither collectives nor overlaps and raises where it meets one, so it is asked about the
schedule without collectives, the parts of an overlap one by one.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from schedules import Schedule
from schedules.actions import COMPUTE, MESSAGES
from schedules.errors import FormatError
from schedules.formats.pytorch_csv import write_csv
from tests.mutations.orders import Cell, rows_of, schedule_of

MODULE: Final = "torch.distributed.pipelining.schedules"
PRIVATE: Final = ("_Action", "_validate_schedule", "_simulate_comms_compute")
KNOWN: Final = COMPUTE | MESSAGES


@dataclass(frozen=True)
class Opinion:
    """What a validator says: None if it accepts, else the first line of its error."""

    validator: str | None
    simulator: str | None


def load() -> Any | None:
    """PyTorch's module, if it is installed and has the validators."""
    try:
        module = import_module(MODULE)
    except ImportError:
        return None
    return module if all(hasattr(module, name) for name in PRIVATE) else None


def expressible(schedule: Schedule) -> bool:
    """Whether PyTorch's cells can hold it: one pipeline, no updates, overlaps of two."""
    try:
        write_csv(schedule)
    except FormatError:
        return False
    return True


def in_torch(module: Any, schedule: Schedule) -> dict[int, list[Any]]:
    rows = enumerate(write_csv(schedule).splitlines())
    return {
        rank: [module._Action.from_str(cell) for cell in row.split(",") if cell]
        for rank, row in rows
    }


def plain(schedule: Schedule) -> Schedule:
    """Computations and messages alone."""
    return schedule_of(
        schedule,
        tuple(
            tuple(Cell(cell.action) for cell in row if cell.action.kind in KNOWN)
            for row in rows_of(schedule)
        ),
    )


def validate(module: Any, schedule: Schedule) -> str | None:
    try:
        module._validate_schedule(
            in_torch(module, schedule), schedule.ranks, schedule.stages, schedule.microbatches
        )
    except (AssertionError, KeyError) as error:
        return first_line(error)
    return None


def simulate(module: Any, schedule: Schedule) -> str | None:
    """Stages are where the schedule's placement has them."""
    rank_of = dict(enumerate(schedule.placement.ranks[0]))
    try:
        with redirect_stdout(io.StringIO()):
            module._simulate_comms_compute(
                in_torch(module, schedule), rank_of.__getitem__, schedule.stages
            )
    except (ValueError, KeyError, IndexError) as error:
        return first_line(error)
    return None


def opinion(module: Any, schedule: Schedule) -> Opinion:
    return Opinion(validate(module, schedule), simulate(module, plain(schedule)))


def first_line(error: Exception) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"
