"""`Schedule`: what every rank does, in program order, and on which weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedules.actions import Action, Kind
from schedules.placement import Placement
from schedules.policies import WeightPolicy

if TYPE_CHECKING:
    import networkx as nx

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """Consecutive actions of one rank that form a unit.

    Attributes
    ----------
    rank, first, count : int
        The actions ``first … first + count − 1`` in the rank's program order.
    kind : str
        ``"overlap"`` (PyTorch's ``OVERLAP_F_B``: posted together, written order kept) or
        ``"batch"`` (sends and receives started together).
    """

    rank: int
    first: int
    count: int
    kind: str


@dataclass(frozen=True)
class Source:
    """Where actions were read from: a file and, for each action, its row and cell (1-based).

    `form` says how a place is written, from ``row`` and ``cell``, or ``rank`` and ``index`` (both
    0-based); what stands before its second part names a whole rank.
    """

    file: str
    rows: IntArray
    cells: IntArray
    form: tuple[str, str] = ("row {row}", ":cell {cell}")

    def place(self, index: int) -> str:
        """File and place of an action."""
        row, cell = int(self.rows[index]), int(self.cells[index])
        place = "".join(self.form).format(row=row, cell=cell, rank=row - 1, index=cell - 1)
        return f"{self.file}:{place}"

    def rank_place(self, rank: int) -> str:
        """File and place of all that a rank does."""
        return f"{self.file}:{self.form[0].format(row=rank + 1, rank=rank)}"


@dataclass(frozen=True, eq=False)
class Schedule:
    """Actions per rank in program order, their placement and the weight policy.

    The actions of all ranks lie one after the other in flat integer arrays; rank r owns
    ``offsets[r] … offsets[r + 1] − 1``. Nothing mutates them. Every microbatch belongs to one
    pipeline, so (stage, microbatch) names a forward or a backward uniquely.

    Attributes
    ----------
    name : str
        Family or file name, for messages.
    kind, stage, microbatch, pipeline : ndarray of int, shape (actions,)
        The columns of the action table.
    offsets : ndarray of int, shape (ranks + 1,)
    microbatches : int
        Number of microbatches M the schedule is meant to cover.
    placement : Placement
    policy : WeightPolicy
    parameters : mapping
        The family's parameters, for reports.
    groups : tuple of Group
    source : Source or None

    Examples
    --------
    >>> order = [[Action(Kind.F, 0, 0), Action(Kind.B, 0, 0)]]
    >>> schedule = Schedule.from_orders("one", order, 1, WeightPolicy("flush"))
    >>> [str(action) for action in schedule.rank(0)]
    ['0F0', '0B0']
    """

    name: str
    kind: IntArray
    stage: IntArray
    microbatch: IntArray
    pipeline: IntArray
    offsets: IntArray
    microbatches: int
    placement: Placement
    policy: WeightPolicy
    parameters: Mapping[str, int] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    source: Source | None = None

    @classmethod
    def from_orders(
        cls,
        name: str,
        orders: Sequence[Sequence[Action]],
        microbatches: int,
        policy: WeightPolicy,
        *,
        placement: Placement | None = None,
        parameters: Mapping[str, int] | None = None,
        groups: Iterable[Group] = (),
        source: Source | None = None,
    ) -> Schedule:
        """Build a schedule from one list of actions a rank.

        Without `placement`, stage s of the only pipeline runs where it first appears.
        """
        flat = [action for order in orders for action in order]
        columns = np.array(
            [(a.kind, a.stage, a.microbatch, a.pipeline) for a in flat], dtype=np.int64
        ).reshape(len(flat), 4)
        offsets = np.cumsum([0, *(len(order) for order in orders)], dtype=np.int64)
        for array in (columns, offsets):
            array.setflags(write=False)
        return cls(
            name=name,
            kind=columns[:, 0],
            stage=columns[:, 1],
            microbatch=columns[:, 2],
            pipeline=columns[:, 3],
            offsets=offsets,
            microbatches=microbatches,
            placement=placement or _place_by_first_appearance(orders),
            policy=policy,
            parameters=dict(parameters or {}),
            groups=tuple(groups),
            source=source,
        )

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.offsets) - 1

    @property
    def stages(self) -> int:
        """Number of stages."""
        return self.placement.stages

    @property
    def rank_of_action(self) -> IntArray:
        """Rank of every action, shape (actions,)."""
        return np.repeat(np.arange(self.ranks), np.diff(self.offsets))

    def __len__(self) -> int:
        return len(self.kind)

    def action(self, index: int) -> Action:
        """The action at a flat index."""
        return Action(
            Kind(int(self.kind[index])),
            int(self.stage[index]),
            int(self.microbatch[index]),
            int(self.pipeline[index]),
        )

    def rank(self, rank: int) -> Iterator[Action]:
        """The actions of one rank in program order."""
        for index in range(int(self.offsets[rank]), int(self.offsets[rank + 1])):
            yield self.action(index)

    def place(self, index: int) -> str:
        """Where an action stands, for messages: file, row and cell, or rank and position."""
        if self.source is not None:
            return self.source.place(index)
        rank = int(np.searchsorted(self.offsets, index, side="right")) - 1
        return f"{self.name}:rank {rank}:position {index - int(self.offsets[rank])}"

    def dag(self) -> nx.DiGraph[Action]:
        """Return the dependency graph; see `schedules.dag.build_dag`."""
        from schedules.dag import build_dag

        return build_dag(self)


def _place_by_first_appearance(orders: Sequence[Sequence[Action]]) -> Placement:
    rank_of: dict[int, int] = {}
    for rank, order in enumerate(orders):
        for action in order:
            rank_of.setdefault(action.stage, rank)
    stages = max(rank_of, default=-1) + 1
    return Placement.from_ranks(tuple(rank_of.get(stage, 0) for stage in range(stages)))
