"""Program orders as lists that can be cut and joined, groups included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from schedules import Action, Group, Schedule, WeightPolicy


@dataclass(frozen=True)
class Cell:
    """An action, and the number of the group it stands in."""

    action: Action
    group: int | None = None


Row = tuple[Cell, ...]
Rows = tuple[Row, ...]


def rows_of(schedule: Schedule) -> Rows:
    number: dict[tuple[int, int], int] = {}
    for count, group in enumerate(schedule.groups):
        for place in range(group.first, group.first + group.count):
            number[group.rank, place] = count
    return tuple(
        tuple(
            Cell(action, number.get((rank, place)))
            for place, action in enumerate(schedule.rank(rank))
        )
        for rank in range(schedule.ranks)
    )


def schedule_of(schedule: Schedule, rows: Rows, policy: WeightPolicy | None = None) -> Schedule:
    """The same schedule with other program orders; a group of one is none."""
    groups: list[Group] = []
    for rank, row in enumerate(rows):
        place = 0
        for number, members in groupby(row, key=lambda cell: cell.group):
            count = len(list(members))
            if number is not None and count > 1:
                kind = "batch" if number < 0 else schedule.groups[number].kind
                groups.append(Group(rank, place, count, kind))
            place += count
    return Schedule.from_orders(
        schedule.name,
        [[cell.action for cell in row] for row in rows],
        schedule.microbatches,
        policy or schedule.policy,
        placement=schedule.placement,
        parameters=schedule.parameters,
        groups=groups,
    )


def places(rows: Rows) -> Iterator[tuple[int, int, Action]]:
    for rank, row in enumerate(rows):
        for place, cell in enumerate(row):
            yield rank, place, cell.action


def with_row(rows: Rows, rank: int, row: Row) -> Rows:
    return (*rows[:rank], row, *rows[rank + 1 :])


def without(rows: Rows, rank: int, place: int) -> Rows:
    row = rows[rank]
    return with_row(rows, rank, row[:place] + row[place + 1 :])


def inserted(rows: Rows, rank: int, place: int, action: Action) -> Rows:
    """With one more action; between two members of a group it joins the group."""
    row = rows[rank]
    inside = 0 < place < len(row) and row[place - 1].group == row[place].group
    cell = Cell(action, row[place].group if inside else None)
    return with_row(rows, rank, (*row[:place], cell, *row[place:]))


def changed(rows: Rows, rank: int, place: int, action: Action) -> Rows:
    row = rows[rank]
    cell = replace(row[place], action=action)
    return with_row(rows, rank, (*row[:place], cell, *row[place + 1 :]))


def swapped(rows: Rows, rank: int, one: int, other: int) -> Rows:
    """Two actions change places; groups stay where they are."""
    first, second = rows[rank][one].action, rows[rank][other].action
    return changed(changed(rows, rank, one, second), rank, other, first)
