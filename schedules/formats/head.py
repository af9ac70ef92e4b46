"""What a file says about a schedule beside its actions: policy, placement, parameters.

Our JSON schedule and the header of an event trace share these keys.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, get_args

from schedules.errors import FormatError, ParameterError
from schedules.formats.cells import LIMIT
from schedules.formats.strict_json import Node
from schedules.placement import Placement
from schedules.policies import PolicyName, WeightPolicy
from schedules.schedule import Group, IntArray, Schedule

SAFE: Final = 2**53 - 1
"""Largest integer that every JSON reader keeps exactly."""

GROUP_KINDS: Final = ("overlap", "batch")


def described(schedule: Schedule) -> dict[str, object]:
    """Name (unless it is its file's), microbatches, policy, placement, parameters as plain data.

    Raises
    ------
    FormatError
        A parameter is no integer, or a number is too large for JSON.

    Examples
    --------
    >>> from schedules.families import build
    >>> described(build("gpipe", 2, 4))["placement"]
    {'ranks': [[0, 1]], 'copies': [[0, 0]]}
    """
    policy, placement = schedule.policy, schedule.placement
    _require_safe(schedule)
    # A schedule that is only called after its file is called after the new one next time.
    unnamed = schedule.source is not None and schedule.name == schedule.source.file
    return {
        **({} if unnamed else {"name": schedule.name}),
        "microbatches": int(schedule.microbatches),
        "policy": {
            "name": policy.name,
            "interval": int(policy.interval),
            "horizon": int(policy.horizon),
        },
        "placement": {
            "ranks": [list(map(int, row)) for row in placement.ranks],
            "copies": [list(map(int, row)) for row in placement.copies],
            **({} if placement.owners is None else {"owners": list(map(int, placement.owners))}),
        },
        "parameters": {name: int(value) for name, value in schedule.parameters.items()},
    }


def _require_safe(schedule: Schedule) -> None:
    values = {
        "policy interval": schedule.policy.interval,
        "policy horizon": schedule.policy.horizon,
        **schedule.parameters,
    }
    for name, value in values.items():
        if isinstance(value, bool) or int(value) != value or abs(value) > SAFE:
            raise FormatError(
                f"numbers in the file are integers of at most {SAFE}, found {name} = {value}",
                schedule.name,
                "change it",
            )
    placement = schedule.placement
    owners = () if placement.owners is None else (placement.owners,)
    rows = (*placement.ranks, *placement.copies, *owners)
    sizes = {len(row) for row in rows}
    numbers = [number for row in rows for number in row]
    if len(sizes) != 1 or not all(0 <= number < LIMIT for number in numbers):
        raise FormatError(
            "a placement has the same stages in every pipeline, on ranks and copies from 0 to "
            f"{LIMIT - 1}",
            schedule.name,
            "correct the placement",
        )
    if not 0 <= schedule.microbatches <= LIMIT:
        raise FormatError(
            f"M (microbatches) is a number from 0 to {LIMIT}, found {schedule.microbatches}",
            schedule.name,
            "correct it",
        )


def lines(entries: dict[str, object]) -> list[str]:
    """The entries of a JSON object, one a line, without the braces."""
    return [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in entries.items()]


def read_policy(node: Node) -> WeightPolicy:
    """Read a weight policy; interval 1 and horizon 0 may be left out."""
    fields = node.fields("name", optional=("interval", "horizon"))
    name = fields["name"].text()
    interval = fields["interval"].integer(1, SAFE) if "interval" in fields else 1
    horizon = fields["horizon"].integer(0, SAFE) if "horizon" in fields else 0
    for known in get_args(PolicyName):
        if known == name:
            try:
                return WeightPolicy(known, interval, horizon)
            except ParameterError as error:
                raise FormatError(error.what, node.place, error.fix) from None
    raise fields["name"].error(
        f"a weight policy is one of {', '.join(get_args(PolicyName))}", "name one of them"
    )


def read_placement(node: Node) -> Placement:
    """Read ranks and copies by pipeline and stage, owners by stage; all rows are equally long."""
    fields = node.fields("ranks", "copies", optional=("owners",))
    ranks, copies = (_rows(fields[key]) for key in ("ranks", "copies"))
    if not ranks or len({len(row) for row in (*ranks, *copies)}) != 1 or len(ranks) != len(copies):
        raise FormatError(
            "ranks and copies have a row for each pipeline with a number for each stage, found "
            f"rows of {_lengths(ranks)} and of {_lengths(copies)}",
            node.place,
            "make the rows equally long",
        )
    if "owners" not in fields:
        return Placement(ranks, copies)
    try:
        return Placement(ranks, copies, _row(fields["owners"]))
    except ParameterError as error:
        place = fields["owners"].place
        raise FormatError(f"{error.where}: {error.what}", place, error.fix) from None


def _rows(node: Node) -> tuple[tuple[int, ...], ...]:
    return tuple(_row(row) for row in node.items())


def _row(node: Node) -> tuple[int, ...]:
    return tuple(number.integer(0, LIMIT - 1) for number in node.items())


def _lengths(rows: Sequence[Sequence[int]]) -> str:
    some = ", ".join(str(len(row)) for row in rows[:8])
    return f"{some}, …" if len(rows) > 8 else some or "nothing"


def read_parameters(node: Node) -> dict[str, int]:
    """Read the parameters of a family: any names, integers."""
    return {name: value.integer(-SAFE, SAFE) for name, value in node.members()}


def read_microbatches(node: Node, asked: int | None, least: int = 0) -> int:
    """Read M, and hold it against the M that was asked for, if one was.

    Raises
    ------
    FormatError
        No number from `least` to `LIMIT`.
    ParameterError
        Another M was asked for.
    """
    found = node.integer(least, LIMIT)
    if asked is not None and asked != found:
        raise ParameterError(
            f"the file states its number of microbatches, {found}; found {asked} asked for",
            node.place,
            "leave it out",
        )
    return found


def require_apart(groups: Sequence[Group], offsets: IntArray, place: str) -> None:
    """Refuse groups that do not fit into their rank, or share an action.

    Raises
    ------
    FormatError
        With the first such group.
    """
    lengths = (offsets[1:] - offsets[:-1]).tolist()
    end_of: dict[int, int] = {}
    for group in sorted(groups, key=lambda group: (group.rank, group.first)):
        fits = 0 <= group.rank < len(lengths) and group.first >= 0 and group.count >= 1
        if not fits or group.first + group.count > lengths[group.rank]:
            raise FormatError(
                f"a group lies within the actions of its rank, found {group.count} actions from "
                f"position {group.first} of rank {group.rank}",
                place,
                "count ranks and positions from 0",
            )
        if group.kind not in GROUP_KINDS:
            raise FormatError(
                f"the kind of a group is one of {', '.join(GROUP_KINDS)}, found {group.kind!r}",
                place,
                "name one of them",
            )
        if group.first < end_of.get(group.rank, 0):
            raise FormatError(
                f"an action is in at most one group, found two groups at position {group.first} "
                f"of rank {group.rank}",
                place,
                "make the groups disjoint",
            )
        end_of[group.rank] = group.first + group.count
