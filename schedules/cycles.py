"""Waits that close a cycle: why a schedule cannot run to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schedules.actions import Kind
from schedules.dependencies import Edges, edges, past_receives
from schedules.schedule import Schedule

SHOWN_WAITS = 8
"""Links of a cycle that a message spells out."""


@dataclass(frozen=True)
class Wait:
    """One link of a cycle, by flat index.

    Attributes
    ----------
    action : int
        The action a rank cannot get past.
    awaited : int
        What it waits for; it stands on the rank of the next link, at or behind the action
        which that rank cannot get past.
    """

    action: int
    awaited: int


def find_cycles(
    schedule: Schedule, stuck: Mapping[int, int], found: Edges | None = None
) -> list[list[Wait]]:
    """The waits that close a cycle among the ranks that `run_to_end` left stuck.

    Parameters
    ----------
    schedule : Schedule
    stuck : mapping of int to int
        As `run_to_end` returns it.
    found : Edges, optional
        The dependencies it was played with; all of them by default.

    Returns
    -------
    list of list of Wait
        Disjoint cycles, each from its lowest rank on; the last link waits for the first. At
        least one if any rank is stuck.
    """
    found = past_receives(schedule, edges(schedule) if found is None else found)
    waits = _blocking(schedule, stuck, found)
    rank_of = schedule.rank_of_action
    cycles: list[list[Wait]] = []
    seen: dict[int, int] = {}
    for first in sorted(waits):
        path, rank = [], first
        while rank not in seen:
            seen[rank] = first
            path.append(rank)
            rank = int(rank_of[waits[rank].awaited])
        if path and seen[rank] == first:
            cycle = path[path.index(rank) :]
            turn = cycle.index(min(cycle))
            cycles.append([waits[r] for r in cycle[turn:] + cycle[:turn]])
    return cycles


def _blocking(schedule: Schedule, stuck: Mapping[int, int], found: Edges) -> dict[int, Wait]:
    """For every stuck rank: one thing it waits for that has not run."""
    rank_of = schedule.rank_of_action
    waiting = np.array(sorted(stuck.values()), dtype=np.int64)
    chosen = np.flatnonzero(np.isin(found.target, waiting))
    waits: dict[int, Wait] = {}
    for edge in chosen.tolist():
        source, target = int(found.source[edge]), int(found.target[edge])
        owner = int(rank_of[source])
        if owner in stuck and source >= stuck[owner]:
            waits.setdefault(int(rank_of[target]), Wait(target, source))
    return waits


def describe_cycle(schedule: Schedule, cycle: Sequence[Wait]) -> str:
    """Put a cycle into words, for messages.

    Examples
    --------
    >>> from schedules.actions import Action, Kind
    >>> from schedules.policies import WeightPolicy
    >>> order = [[Action(Kind.B, 0, 0), Action(Kind.F, 0, 0)]]
    >>> bad = Schedule.from_orders("bad", order, 1, WeightPolicy("flush"))
    >>> describe_cycle(bad, [Wait(action=0, awaited=1)])
    '0B0 (bad:rank 0:position 0) waits for 0F0 (bad:rank 0:position 1), which stands behind 0B0'
    """
    links = []
    for wait, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        awaits = f"{_named(schedule, wait.action)} {_waits_for(schedule, wait)} "
        if wait.awaited == following.action:
            links.append(awaits + str(schedule.action(wait.awaited)))
        else:
            behind = str(schedule.action(following.action))
            links.append(f"{awaits}{_named(schedule, wait.awaited)}, which stands behind {behind}")
        if len(links) == SHOWN_WAITS < len(cycle):
            links.append(f"… and {len(cycle) - SHOWN_WAITS} more waits")
            break
    return "; ".join(links)


def _waits_for(schedule: Schedule, wait: Wait) -> str:
    if schedule.kind[wait.action] != Kind.BARRIER:
        return "waits for"
    return f"waits for rank {int(schedule.rank_of_action[wait.awaited])} to get past"


def _named(schedule: Schedule, index: int) -> str:
    return f"{schedule.action(index)} ({schedule.place(index)})"
