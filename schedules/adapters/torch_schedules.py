"""PyTorch's own pipeline schedules, built without a process group.

PyTorch's schedule classes compute their order when they are constructed and look at few attributes
of the stages for that; stand-ins that hold those are enough. Importing this imports no PyTorch.

The classes are public, the order that they hold is not: `TESTED` lists the versions whose orders
this module is tested with, and others give an `UntestedTorchWarning`. `from_torch` says what is
given where a version states none.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from schedules.actions import Action, Kind
from schedules.adapters.torch_loops import LOOPS, loop
from schedules.errors import FormatError, ParameterError, ScheduleError, UnknownNameError
from schedules.families import get_family
from schedules.families.family import require_room
from schedules.formats.cells import OVERLAP, PLAIN, explain
from schedules.formats.pytorch_csv import FLUSH, parse_csv
from schedules.lowering import erase_messages, lower
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule

TESTED: Final = tuple(f"2.{minor}" for minor in range(6, 16))
"""Versions of PyTorch, by their first two numbers."""

MODULE: Final = "torch.distributed.pipelining.schedules"

COMPUTE: Final = "pipeline_order"
WITH_MESSAGES: Final = "pipeline_order_with_comms"
"""Attributes that hold an order."""

LOOP_SIZES: Final = ("_num_stages", "_n_microbatches")
REDUCTIONS: Final = frozenset({Kind.REDUCE, Kind.WAIT_REDUCE})


class UntestedTorchWarning(UserWarning):
    """The installed PyTorch is none of the `TESTED` versions."""


class TorchError(ScheduleError):
    """PyTorch is absent, or it or an object of it has not the private parts that are read."""


@dataclass(frozen=True)
class TorchClass:
    """How a family is called in PyTorch.

    Attributes
    ----------
    name : str
        Class in ``torch.distributed.pipelining.schedules``.
    chunks : int
        Stages a rank unless given.
    single : bool
        Whether its constructor takes one stage, not a list of them.
    """

    name: str
    chunks: int = 2
    single: bool = False


CLASSES: Final[Mapping[str, TorchClass]] = {
    "gpipe": TorchClass("ScheduleGPipe", chunks=1, single=True),
    "1f1b": TorchClass("Schedule1F1B", chunks=1, single=True),
    "interleaved-1f1b": TorchClass("ScheduleInterleaved1F1B"),
    "looped-bfs": TorchClass("ScheduleLoopedBFS"),
    "interleaved-zero-bubble": TorchClass("ScheduleInterleavedZeroBubble"),
    "zbv": TorchClass("ScheduleZBVZeroBubble"),
    "dualpipev": TorchClass("ScheduleDualPipeV"),
}
"""The families that PyTorch has."""


@dataclass
class StandIn:
    """What the constructors of PyTorch's schedules read from a stage, or write to it.

    Stages, ranks, the rank of this process, the layers, and the stages' ranks, which are written.
    """

    num_stages: int
    group_size: int
    group_rank: int = 0
    submod: None = None
    stage_index_to_group_rank: dict[int, int] = field(default_factory=dict)


def torch_schedule(name: str, ranks: int, microbatches: int, chunks: int | None = None) -> Any:
    """Construct PyTorch's schedule object of a family, without a process group.

    It states its order; it cannot run.

    Parameters
    ----------
    name : str
        One of `CLASSES`.
    ranks, microbatches : int
        p ≥ 1 and M ≥ 1.
    chunks : int, optional
        Stages a rank; PyTorch's usual number by default.

    Raises
    ------
    UnknownNameError
        No such family, or PyTorch does not have it.
    ParameterError, SizeError
        PyTorch refuses these parameters, with the message it gives, or they are out of proportion.
    TorchError
        PyTorch is not installed, or its classes want something else than they did.

    Warns
    -----
    UntestedTorchWarning
        Another version than those tested.

    Examples
    --------
    >>> type(torch_schedule("zbv", 2, 4)).__name__
    'ScheduleZBVZeroBubble'
    """
    found = _torch_class(name)
    chunks = found.chunks if chunks is None else chunks
    get_family(name).checked(ranks, microbatches, {})
    if not isinstance(chunks, int) or chunks < 1 or (found.single and chunks != 1):
        allowed = "1" if found.single else "an integer of at least 1"
        raise ParameterError(
            f"chunks, the stages a rank, is {allowed} for PyTorch's {found.name}, found {chunks!r}",
            f"family {name}",
            "leave it out for the usual number",
        )
    require_room(name, ranks * chunks, microbatches)
    make = getattr(_pipelining(), found.name, None)
    if make is None:
        raise _missing(f"a class {found.name}", MODULE)
    stages = [StandIn(ranks * chunks, ranks) for _ in range(chunks)]
    try:
        return make(stages[0] if found.single else stages, microbatches)
    except (ValueError, AssertionError) as error:
        raise ParameterError(
            f"PyTorch refuses p = {ranks}, M = {microbatches}, chunks = {chunks}: "
            f"{str(error).splitlines()[0]}",
            f"{MODULE}.{found.name}",
            "take parameters that it accepts",
        ) from error
    except (AttributeError, TypeError) as error:
        raise _missing(
            f"a constructor that is content with stand-ins ({error})", found.name
        ) from error


def torch_order(
    name: str, ranks: int, microbatches: int, chunks: int | None = None
) -> list[list[str | None]]:
    """The compute order that PyTorch states, cell by cell; None is an idle cell.

    The order is passed on as it is. That of ``1f1b`` is wrong on the last rank from PyTorch 2.8 on:
    its forwards are numbered from 1. Single-stage schedules end every rank with a ``REDUCE_GRAD``
    from 2.10 on; in 2.6 and 2.7 they state no order, and that of their loop is given.

    Raises
    ------
    UnknownNameError, ParameterError, SizeError, TorchError
        As `torch_schedule`.

    Warns
    -----
    UntestedTorchWarning
        As `torch_schedule`.

    Examples
    --------
    >>> torch_order("looped-bfs", 2, 1)[1]
    [None, '1F0', '3F0', '3B0', '1B0']
    """
    schedule = torch_schedule(name, ranks, microbatches, chunks)
    if _runs_a_loop(schedule) and not _states(schedule, COMPUTE):
        order = from_torch(schedule)
        return [[str(action) for action in order.rank(rank)] for rank in range(ranks)]
    return _cells(schedule, COMPUTE)


def from_torch(schedule: Any, *, messages: bool = False, policy: WeightPolicy = FLUSH) -> Schedule:
    """Turn a live PyTorch schedule object into a `Schedule`.

    Idle cells are dropped. Stages are placed as the object places them. What the object states is
    not judged here; `schedules.validate.validate` does that.

    Parameters
    ----------
    schedule : object
        Of a class in ``torch.distributed.pipelining``, or one derived from them: what is read is
        ``pipeline_order``, or ``pipeline_order_with_comms``, and the number of microbatches.
    messages : bool
        Whether to give the order with communication. ``ScheduleGPipe`` and ``Schedule1F1B`` post
        their messages in a loop: it is given, with its batches and waits, and the reductions that
        the object states. Other objects that hold no order with communication (most classes up
        to 2.9) get the messages that PyTorch's runtime would add, as `lower` does.
    policy : WeightPolicy
        How weights are versioned.

    Raises
    ------
    TorchError
        The object does not hold such an order.
    FormatError
        The order holds something that is no action of this package.

    Warns
    -----
    UntestedTorchWarning
        As `torch_schedule`.

    See Also
    --------
    schedules.formats.pytorch_csv.read_csv : the same from the file that PyTorch writes.

    Examples
    --------
    >>> print(*from_torch(torch_schedule("interleaved-1f1b", 2, 2)).rank(1))
    1F0 1F1 3F0 3B0 3F1 3B1 1B0 1B1
    """
    torch = sys.modules.get("torch")
    if torch is not None:
        _warn_if_untested(torch, depth=3)
    if _runs_a_loop(schedule):
        if messages:
            return _loop(schedule, policy)
        if not _states(schedule, COMPUTE):
            return erase_messages(_loop(schedule, policy))
    adds = messages and not _states(schedule, WITH_MESSAGES)
    read = _read(schedule, WITH_MESSAGES if messages and not adds else COMPUTE, policy)
    return lower(read) if adds else read


def _states(schedule: Any, attribute: str) -> bool:
    return getattr(schedule, attribute, None) is not None


def _read(schedule: Any, attribute: str, policy: WeightPolicy) -> Schedule:
    """The order under `attribute`, placed as the object places its stages."""
    name, rows = type(schedule).__name__, _cells(schedule, attribute)
    _require_cells(name, rows)
    text = "\n".join(",".join(cell or "" for cell in row) or "," for row in rows)
    read = parse_csv(text, name, getattr(schedule, "_n_microbatches", None), policy)
    return replace(read, placement=_placement(schedule, read), source=None)


def _runs_a_loop(schedule: Any) -> bool:
    """Whether it is PyTorch's own class of one stage a rank: one derived from it may do more."""
    return type(schedule).__module__ == MODULE and type(schedule).__name__ in LOOPS


def _loop(schedule: Any, policy: WeightPolicy) -> Schedule:
    """What its loop does, and behind it the reductions that it states, if any."""
    name = type(schedule).__name__
    ranks, microbatches = (getattr(schedule, size, None) for size in LOOP_SIZES)
    if not isinstance(ranks, int) or not isinstance(microbatches, int):
        raise _missing("the numbers of stages and microbatches", name)
    behind: list[list[Action]] = [[] for _ in range(ranks)]
    if _states(schedule, COMPUTE):
        stated = _read(schedule, COMPUTE, policy)
        behind = [
            [action for action in stated.rank(rank) if action.kind in REDUCTIONS]
            for rank in range(ranks)
        ]
    return loop(name, ranks, microbatches, policy, behind)


def _torch_class(name: str) -> TorchClass:
    if name in CLASSES:
        return CLASSES[name]
    family = get_family(name)
    raise UnknownNameError(
        f"PyTorch has no schedule like {family.name}; it has {', '.join(CLASSES)}",
        "family",
        "name one of them",
    )


def _pipelining() -> ModuleType:
    try:
        torch, module = import_module("torch"), import_module(MODULE)
    except ImportError as error:
        raise TorchError(
            f"PyTorch's pipeline schedules have to be importable, found: {error}",
            MODULE,
            "install the extra `torch`",
        ) from error
    _warn_if_untested(torch, depth=4)
    return module


def _warn_if_untested(torch: ModuleType, depth: int) -> None:
    """Warn the caller that many calls up."""
    version = str(getattr(torch, "__version__", "of unknown version"))
    if ".".join(version.split("+")[0].split(".")[:2]) not in TESTED:
        warnings.warn(
            f"PyTorch {version} is untested here, tested: {', '.join(TESTED)}; it may state its "
            "orders differently",
            UntestedTorchWarning,
            stacklevel=depth,
        )


def _cells(schedule: Any, attribute: str) -> list[list[str | None]]:
    """The order under `attribute`, one list of cells a rank."""
    name = type(schedule).__name__
    order = getattr(schedule, attribute, None)
    if not isinstance(order, Mapping) or not order:
        raise _missing(f"an order under {attribute!r}", name)
    if sorted(order, key=str) != sorted(range(len(order)), key=str):
        raise FormatError(
            f"an order has one row for every rank from 0 on, found ranks {list(order)[:8]}",
            f"{name}.{attribute}",
            "give every rank a row, an empty one if it does nothing",
        )
    rows = (order[rank] for rank in range(len(order)))
    return [[None if action is None else str(action) for action in row] for row in rows]


def _require_cells(name: str, rows: list[list[str | None]]) -> None:
    """Refuse what the grammar of files does not have, before commas and empty texts mislead it."""
    for rank, row in enumerate(rows):
        for position, cell in enumerate(row):
            if cell is not None and not (PLAIN.fullmatch(cell) or OVERLAP.fullmatch(cell)):
                what, fix = explain(cell)
                raise FormatError(what, f"{name}:rank {rank}:position {position}", fix)


def _placement(schedule: Any, read: Schedule) -> Placement:
    """Where the object places its stages, or where they first appear if it does not say."""
    rank_of = getattr(schedule, "stage_index_to_group_rank", None)
    if not isinstance(rank_of, Mapping) or set(rank_of) != set(range(read.stages)):
        return read.placement
    return Placement.from_ranks(tuple(int(rank_of[stage]) for stage in range(read.stages)))


def _missing(what: str, where: str) -> TorchError:
    return TorchError(
        f"{what} is needed, and found none; it is private to PyTorch and may differ between "
        f"versions, tested: {', '.join(TESTED)}",
        where,
        "use a tested version, or read the file that PyTorch writes",
    )
