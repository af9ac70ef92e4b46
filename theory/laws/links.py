"""What ties a proof for all sizes to the schedules that a family builds: a grid of sizes.

A proof speaks of start times or of a program. That a family builds just these is compared here
size by size, action by action, and no further: whatever rests on it says so, as ``"grid"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from schedules.errors import ScheduleError
from schedules.families.family import Family
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from theory.smt.solver import Outcome
from theory.verdicts import Verdict

MOST_STAGES: Final = 7
"""Largest p of a grid."""

PER_STAGE: Final = 3
"""A grid has every M up to so many times p: steady states, and runs too short for one."""

FIXED_INTERVALS: Final = range(1, 5)
"""Values of a family's parameter K at every size; p, p + 1 and M are others."""

Place = dict[str, Any]
"""Where a schedule differs: a stage, perhaps an action, and what is found there."""

Size = Mapping[str, int]
"""p, M and, by their names, values of the family's parameters."""


@dataclass(frozen=True)
class Grid:
    """Sizes at which a family is compared.

    Attributes
    ----------
    least_stages, least_microbatches : int
    single : bool
        Whether M is the least only, instead of every one up to 3p.
    interval : str
        The family's parameter K: backwards an update follows; ``""`` if it has none.
    at_least_p : bool
        Whether the family asks for K ≥ p.
    """

    least_stages: int = 2
    least_microbatches: int = 1
    single: bool = False
    interval: str = ""
    at_least_p: bool = False

    def sizes(self) -> Iterator[dict[str, int]]:
        """Every size, the smallest first.

        Examples
        --------
        >>> [tuple(size.values()) for size in Grid().sizes()][:7]
        [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (3, 1)]
        """
        first = self.least_microbatches
        for p in range(self.least_stages, MOST_STAGES + 1):
            for M in range(first, (first if self.single else PER_STAGE * p) + 1):
                yield from ({"p": p, "M": M, **chosen} for chosen in self._intervals(p, M))

    def _intervals(self, p: int, M: int) -> list[dict[str, int]]:
        if not self.interval:
            return [{}]
        least = p if self.at_least_p else 1
        values = sorted({*FIXED_INTERVALS, p, p + 1, M})
        return [{self.interval: K} for K in values if least <= K <= M]

    @property
    def words(self) -> str:
        """The grid as part of a sentence.

        Examples
        --------
        >>> Grid(1, interval="window", at_least_p=True).words
        '1 ≤ p ≤ 7, 1 ≤ M ≤ 3p and window of 1 … 4, p, p + 1 and M where p ≤ window ≤ M'
        """
        microbatches = f"{self.least_microbatches} ≤ M ≤ {PER_STAGE}p"
        if self.single:
            microbatches = f"M = {self.least_microbatches}"
        words = f"{self.least_stages} ≤ p ≤ {MOST_STAGES}, {microbatches}"
        if not self.interval:
            return words
        fixed = f"{FIXED_INTERVALS[0]} … {FIXED_INTERVALS[-1]}"
        where = f"{'p ≤ ' if self.at_least_p else ''}{self.interval} ≤ M"
        return f"{words} and {self.interval} of {fixed}, p, p + 1 and M where {where}"


@dataclass(frozen=True)
class Link:
    """A family, compared with what is proved of it.

    Attributes
    ----------
    family : str
    says : str
        What the family's schedules are said to be, at all sizes.
    grid : Grid
        The sizes that were compared.
    sizes : int
        How many of them, up to the first that differs.
    differs : dict or None
        The first size at which a schedule is another one, and where in it.
    kind : str
        What a proof with this link rests on.
    """

    family: str
    says: str
    grid: Grid
    sizes: int
    differs: Place | None = None
    kind: Literal["grid"] = "grid"

    @property
    def verdict(self) -> Verdict:
        """CHECKED where every size of the grid agrees and there is one; else nothing is tied."""
        if self.differs is not None:
            return Verdict.REFUTED
        return Verdict.CHECKED if self.sizes else Verdict.UNKNOWN

    @property
    def ties(self) -> bool:
        """Whether what is proved may be said of the family."""
        return self.verdict is Verdict.CHECKED

    @property
    def words(self) -> str:
        """What was compared, as a sentence."""
        return f"{self.says}, for {self.grid.words}"

    @property
    def note(self) -> str:
        """How it was compared, or where it differs."""
        if self.differs is not None:
            return f"another one at {self.differs}"
        return f"{self.sizes} sizes, every rank, action by action, stage r alone on rank r"

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.kind,
            "family": self.family,
            "says": self.says,
            "grid": self.grid.words,
            "sizes": self.sizes,
            "differs": self.differs,
            "verdict": self.verdict.name,
        }


def compared(
    family: Family,
    says: str,
    grid: Grid,
    unlike: Callable[[Schedule], Place | None],
    parameters: Callable[[int, int], Mapping[str, int]] = lambda p, M: {},
) -> Link:
    """Compare what a family builds with what is proved of it, up to the first difference.

    Parameters
    ----------
    family : Family
        Its `build` is asked, not its rule.
    says : str
        What its schedules are said to be.
    grid : Grid
    unlike : callable
        Where a schedule is another one, None where it is not.
    parameters : callable, optional
        Further parameters of the family, from p and M.

    Returns
    -------
    Link
        A size that the family refuses to build differs too.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> compared(get_family("gpipe"), "anything", Grid(), lambda schedule: None).verdict.name
    'CHECKED'
    >>> compared(get_family("chimera"), "anything", Grid(), lambda schedule: None).differs["M"]
    1
    """
    count = 0
    for size in grid.sizes():
        whole = {**size, **parameters(size["p"], size["M"])}
        place = _place(family, grid, whole, unlike)
        if place is not None:
            return Link(family.name, says, grid, count, {**whole, **place})
        count += 1
    return Link(family.name, says, grid, count)


def _place(
    family: Family, grid: Grid, size: Size, unlike: Callable[[Schedule], Place | None]
) -> Place | None:
    if not callable(family.build):
        return {"refused": "the family builds nothing"}
    others = {name: value for name, value in size.items() if name not in ("p", "M")}
    try:
        schedule = family.build(size["p"], size["M"], **others)
        policy, interval = schedule.policy, size.get(grid.interval, family.policy.interval)
        if (policy.name, policy.interval) != (family.policy.name, interval):
            return {"policy": _policy(policy), "stated": f"{family.policy.name} {interval}"}
        if schedule.microbatches != size["M"] or schedule.stages != size["p"]:
            return {"stages": schedule.stages, "microbatches": schedule.microbatches}
        return unlike(schedule)
    except ScheduleError as error:
        return {"refused": error.what}


def _policy(policy: WeightPolicy) -> str:
    return f"{policy.name} {policy.interval}"


def tied(outcomes: Iterable[Outcome], *links: Link) -> tuple[Outcome, ...]:
    """What is proved, said of the families that these links are about.

    All of it rests on a grid then; where a family is another one, an outcome that is UNKNOWN says
    so.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> nowhere = compared(get_family("gpipe"), "anything", Grid(9), lambda schedule: None)
    >>> [(outcome.verdict.name, outcome.rests_on) for outcome in tied([], nowhere)]
    [('UNKNOWN', ('grid',))]
    """
    loose = (
        Outcome("family", one.words, Verdict.UNKNOWN, {}, one.note, 0, ())
        for one in links
        if not one.ties
    )
    return tuple(
        replace(one, rests_on=tuple(dict.fromkeys((*one.rests_on, "grid"))))
        for one in (*outcomes, *loose)
    )


def one_stage_a_rank(schedule: Schedule, stages: int) -> bool:
    """Whether there are as many ranks as stages, and stage r of the only pipeline is on rank r.

    Examples
    --------
    >>> from schedules.families import chimera, gpipe
    >>> [one_stage_a_rank(family.build(4, 4), 4) for family in (gpipe, chimera)]
    [True, False]
    """
    return schedule.ranks == stages and schedule.placement == Placement.one_stage_a_rank(stages)
