r"""Our own JSON schedule, ``staleproof-schedule/1``: everything a `Schedule` holds.

===================== ====================================================================
key                   meaning
===================== ====================================================================
``schema``            ``"staleproof-schedule/1"``
``ranks``             a list for each rank, of actions in program order
``microbatches``      M
``placement``         ``ranks`` and ``copies``, each by pipeline and stage
``policy``            ``name``, perhaps ``interval`` (1) and ``horizon`` (0)
``name``              family or file, for messages (the file's own name by default)
``parameters``        the family's parameters, integers by name (none)
``groups``            ``rank``, ``first``, ``count``, ``kind`` of actions that form a unit (none)
===================== ====================================================================

An action is written stage, kind, microbatch: ``2F0``, ``1SEND_B3``, ``0REDUCE``; ``@`` and the
pipeline follow if that is not 0: ``2F0@1``. The JSON Schema is `schemas/schedule.json`.
"""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from typing import Final

import numpy as np

from schedules.actions import NEEDS_MICROBATCH, NO_MICROBATCH, Kind
from schedules.formats.cells import LIMIT
from schedules.formats.columns import Columns, require_representable
from schedules.formats.head import (
    described,
    lines,
    read_microbatches,
    read_parameters,
    read_placement,
    read_policy,
    require_apart,
)
from schedules.formats.strict_json import Node, display_name, parse, read_text, versioned
from schedules.policies import WeightPolicy
from schedules.schedule import Group, Schedule

SCHEMA: Final = "staleproof-schedule/1"

_WITH: Final = "|".join(kind.name for kind in Kind if kind in NEEDS_MICROBATCH)
_WITHOUT: Final = "|".join(kind.name for kind in Kind if kind not in NEEDS_MICROBATCH)

ACTION_PATTERN: Final = (
    rf"^([0-9]{{1,6}})(?:({_WITH})([0-9]{{1,6}})|({_WITHOUT})([0-9]{{1,6}})?)(?:@([0-9]{{1,6}}))?$"
)
"""How an action is written; `schemas/schedule.json` states the same."""

_ACTION: Final = re.compile(ACTION_PATTERN.removeprefix("^").removesuffix("$"))
_REQUIRED: Final = ("ranks", "microbatches", "placement", "policy")
_OPTIONAL: Final = ("name", "parameters", "groups")


def read_json(
    path: str | os.PathLike[str],
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Schedule:
    """Read a JSON schedule.

    Parameters
    ----------
    path : path-like
    microbatches : int, optional
        The file states it; another number is an error.
    policy : WeightPolicy, optional
        Replaces the policy that the file states.

    Raises
    ------
    FormatError
        The file cannot be read, is too large, or does not follow the format.
    ParameterError
        `microbatches` is not what the file states.
    """
    return parse_json(read_text(path), display_name(path), microbatches, policy)


def parse_json(
    text: str,
    name: str,
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Schedule:
    """Parse the text of a JSON schedule; `name` stands for the file in messages.

    Raises
    ------
    FormatError, ParameterError
        As `read_json`.

    Examples
    --------
    >>> from schedules.families import build
    >>> schedule = parse_json(write_json(build("gpipe", 2, 4)), "a.json")
    >>> schedule.name, schedule.policy.name, len(schedule), schedule.place(9)
    ('gpipe', 'flush', 16, 'a.json:ranks[1][1]')
    """
    return from_node(parse(text, name), name, microbatches, policy)


def from_node(
    node: Node, name: str, microbatches: int | None = None, policy: WeightPolicy | None = None
) -> Schedule:
    """Make a schedule of a parsed document; as `parse_json`."""
    fields = versioned(node, SCHEMA, *_REQUIRED, optional=_OPTIONAL)
    columns = Columns(name, form=("ranks[{rank}]", "[{index}]"))
    for row, rank in enumerate(fields["ranks"].items(), 1):
        _read_rank(columns, rank, row)
    groups = [_group(group) for group in fields["groups"].items()] if "groups" in fields else []
    require_apart(groups, np.array(columns.offsets, dtype=np.int64), f"{name}:groups")
    stated = read_policy(fields["policy"])
    return columns.schedule(
        fields["name"].text() if "name" in fields else name,
        read_microbatches(fields["microbatches"], microbatches),
        read_placement(fields["placement"]),
        policy or stated,
        read_parameters(fields["parameters"]) if "parameters" in fields else {},
        groups,
    )


def _read_rank(columns: Columns, rank: Node, row: int) -> None:
    columns.require_room(len(rank.values()), rank.place)
    for cell, value in enumerate(rank.values(), 1):
        match = _ACTION.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise Node(value, rank, cell - 1).error(
                "an action is its stage, kind and microbatch, and @ and its pipeline if not 0, "
                f"with numbers below {LIMIT}",
                'write it like "2F0", "1SEND_B3", "0REDUCE" or "2F0@1"',
            )
        stage, kind, microbatch, other_kind, other_microbatch, pipeline = match.groups()
        number = microbatch or other_microbatch
        columns.add(
            Kind[kind or other_kind],
            int(stage),
            int(number) if number else NO_MICROBATCH,
            int(pipeline or 0),
            row,
            cell,
        )
    columns.end_rank()


def _group(node: Node) -> Group:
    fields = node.fields("rank", "first", "count", "kind")
    rank, first, count = (fields[key].integer(0, 10**9) for key in ("rank", "first", "count"))
    return Group(rank, first, count, fields["kind"].text())


def action_texts(schedule: Schedule) -> list[str]:
    """Every action as the file writes it.

    Examples
    --------
    >>> from schedules.families import build
    >>> action_texts(build("localsgd", 1, 2, replicas=2, local_steps=1))
    ['0F0', '0B0', '0F1@1', '0B1@1', '0REDUCE1@1']
    """
    names = [kind.name for kind in Kind]
    table = zip(
        schedule.stage.tolist(),
        schedule.kind.tolist(),
        schedule.microbatch.tolist(),
        schedule.pipeline.tolist(),
        strict=True,
    )
    return [
        f"{stage}{names[kind]}{'' if m == NO_MICROBATCH else m}{f'@{pipeline}' if pipeline else ''}"
        for stage, kind, m, pipeline in table
    ]


def write_json(schedule: Schedule) -> str:
    """Write a schedule; `parse_json` reads it back, all but the places it was read from.

    Raises
    ------
    FormatError
        It holds a number that is negative or too large, a computation without a microbatch, an
        action that its placement does not place, or groups that share an action.

    Examples
    --------
    >>> from schedules.families import build
    >>> print(write_json(build("gpipe", 2, 1)), end="")
    {
      "schema": "staleproof-schedule/1",
      "name": "gpipe",
      "microbatches": 1,
      "policy": {"name": "flush", "interval": 1, "horizon": 0},
      "placement": {"ranks": [[0, 1]], "copies": [[0, 0]]},
      "parameters": {},
      "groups": [],
      "ranks": [
        ["0F0", "0B0"],
        ["1F0", "1B0"]
      ]
    }
    """
    require_representable(schedule)
    require_apart(schedule.groups, schedule.offsets, schedule.name)
    entries = {
        "schema": SCHEMA,
        **described(schedule),
        "groups": [
            {
                "rank": int(group.rank),
                "first": int(group.first),
                "count": int(group.count),
                "kind": group.kind,
            }
            for group in schedule.groups
        ],
    }
    texts = action_texts(schedule)
    ranks = ",\n".join(
        f"    {json.dumps(texts[first:last])}"
        for first, last in pairwise(schedule.offsets.tolist())
    )
    body = f"\n{ranks}\n  " if ranks else ""
    return "\n".join(["{", *lines(entries), f'  "ranks": [{body}]', "}", ""])
