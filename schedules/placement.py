"""Where a stage runs and which weights it uses."""

from __future__ import annotations

from dataclasses import dataclass

from schedules.errors import ParameterError


@dataclass(frozen=True)
class Placement:
    """The maps (pipeline, stage) → rank and (pipeline, stage) → weight copy.

    Both are needed: Chimera runs a stage on two ranks with two copies of its weights, LocalSGD
    runs all replicas of a stage on one rank with a copy each, and an ordinary pipeline has one
    copy of everything.

    Attributes
    ----------
    ranks : tuple of tuple of int
        ``ranks[pipeline][stage]``, 0-based.
    copies : tuple of tuple of int
        ``copies[pipeline][stage]``: pipelines that share weights share the number.
    owners : tuple of int, optional
        ``owners[stage]``: the one weight copy that keeps the optimizer state of the stage for all
        (ZeRO); None if every copy keeps its own.

    Raises
    ------
    ParameterError
        An owner that is no copy of its stage.

    Examples
    --------
    >>> Placement.one_stage_a_rank(3).ranks
    ((0, 1, 2),)
    >>> Placement.one_stage_a_rank(2, pipelines=2).copies
    ((0, 0), (1, 1))
    """

    ranks: tuple[tuple[int, ...], ...]
    copies: tuple[tuple[int, ...], ...]
    owners: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for stage, owner in enumerate(() if self.owners is None else self.owners):
            there = {row[stage] for row in self.copies if stage < len(row)}
            if owner not in there:
                raise ParameterError(
                    f"the owner of a stage's optimizer state is one of its weight copies "
                    f"{sorted(there)}, found {owner}",
                    f"stage {stage}",
                    "name a copy that the stage has",
                )
        if self.owners is not None and len(self.owners) != self.stages:
            raise ParameterError(
                f"each of the {self.stages} stages has an owner, found {len(self.owners)}",
                "placement",
                "name one copy a stage",
            )

    @classmethod
    def one_stage_a_rank(cls, stages: int, pipelines: int = 1) -> Placement:
        """Stage s on rank s; each of several pipelines with its own copy of the weights."""
        return cls(
            ranks=tuple(tuple(range(stages)) for _ in range(pipelines)),
            copies=tuple((pipeline,) * stages for pipeline in range(pipelines)),
        )

    @classmethod
    def from_ranks(cls, rank_of_stage: tuple[int, ...]) -> Placement:
        """One pipeline, one copy, stages placed as given."""
        return cls(ranks=(rank_of_stage,), copies=((0,) * len(rank_of_stage),))

    @classmethod
    def loop(cls, ranks: int, chunks: int = 1) -> Placement:
        """Stage s on rank s mod p, `chunks` stages a rank: from the last rank back to the first.

        Examples
        --------
        >>> Placement.loop(2, 3).ranks
        ((0, 1, 0, 1, 0, 1),)
        """
        return cls.from_ranks(tuple(range(ranks)) * chunks)

    @classmethod
    def v_shape(cls, ranks: int) -> Placement:
        """Two stages a rank: 0 … p−1 down the ranks, p … 2p−1 up again; the last rank turns.

        Examples
        --------
        >>> Placement.v_shape(3).ranks
        ((0, 1, 2, 2, 1, 0),)
        """
        down = tuple(range(ranks))
        return cls.from_ranks(down + down[::-1])

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.ranks[0]) if self.ranks else 0

    @property
    def pipelines(self) -> int:
        """Number of concurrent pipelines."""
        return len(self.ranks)

    @property
    def rank_count(self) -> int:
        """Number of ranks that hold at least one stage, or more if the numbers have gaps."""
        return max((rank for row in self.ranks for rank in row), default=-1) + 1

    @property
    def copy_count(self) -> int:
        """Number of weight copies."""
        return max((copy for row in self.copies for copy in row), default=-1) + 1
