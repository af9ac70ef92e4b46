"""The events of a trace while its lines are read."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from schedules.actions import NEEDS_MICROBATCH, NO_MICROBATCH, Kind
from schedules.errors import FormatError
from schedules.formats import columns
from schedules.formats.cells import LIMIT
from schedules.formats.columns import Columns, frozen
from schedules.formats.head import (
    SAFE,
    read_microbatches,
    read_parameters,
    read_placement,
    read_policy,
)
from schedules.formats.strict_json import Node
from schedules.formats.trace import LATEST, NONE, Extra, Trace, group_kind
from schedules.policies import WeightPolicy
from schedules.schedule import Group, IntArray, Schedule
from schedules.timeline import Timeline

FLUSH: Final = WeightPolicy("flush")

_NUMBERS: Final = ("rank", "op", "stage", "start", "end")
_NUMBERS_OPTIONAL: Final = ("microbatch", "pipeline", "peer", "channel", "batch", "version")
_OPTIONAL: Final = (*_NUMBERS_OPTIONAL, "extra")
_REQUIRED: Final = frozenset(_NUMBERS)
_KNOWN: Final = frozenset(_NUMBERS + _OPTIONAL)
_KINDS: Final = {kind.name: kind for kind in Kind}


@dataclass
class Events:
    """The columns of a trace while its lines are read."""

    name: str
    channels: dict[str, int] = field(default_factory=dict)
    extra: dict[int, dict[str, Extra]] = field(default_factory=dict)
    columns: dict[str, array[int]] = field(
        default_factory=lambda: {key: array("q") for key in ("line", *_NUMBERS, *_NUMBERS_OPTIONAL)}
    )

    def add(self, node: Node, number: int) -> None:
        """Read an event."""
        if len(self.columns["line"]) >= columns.MAX_ACTIONS:
            columns.require_room(len(self.columns["line"]) + 1, node.place)
        value = node.value
        if not isinstance(value, dict) or not _REQUIRED <= value.keys() <= _KNOWN:
            node.fields(*_NUMBERS, optional=_OPTIONAL)
            raise AssertionError("the line above explains what is wrong")
        event = {
            "line": number,
            "rank": _number(node, value["rank"], "rank", LIMIT - 1),
            "op": _kind(node, value["op"]),
            "stage": _number(node, value["stage"], "stage", LIMIT - 1),
            "start": _number(node, value["start"], "start", LATEST),
            "end": _number(node, value["end"], "end", LATEST),
            "pipeline": _number(node, value.get("pipeline", 0), "pipeline", LIMIT - 1),
            "channel": self._channel(node, value.get("channel")),
            "microbatch": _number_or_null(node, value, "microbatch", LIMIT - 1),
            "peer": _number_or_null(node, value, "peer", LIMIT - 1),
            "batch": _number_or_null(node, value, "batch", SAFE),
            "version": _number_or_null(node, value, "version", SAFE),
        }
        if event["microbatch"] == NO_MICROBATCH and event["op"] in NEEDS_MICROBATCH:
            raise FormatError(
                f"a computation or message names its microbatch, found {value['op']} without one",
                node.place,
                "add the microbatch",
            )
        if event["end"] < event["start"]:
            raise FormatError(
                "an event ends at its start or later, found start "
                f"{event['start']} and end {event['end']}",
                node.place,
                "correct the times",
            )
        if "extra" in value:
            self.extra[len(self.columns["line"])] = _extra(Node(value["extra"], node, "extra"))
        for key, number in event.items():
            self.columns[key].append(number)

    def _channel(self, node: Node, value: object) -> int:
        if value is None:
            return NONE
        return self.channels.setdefault(Node(value, node, "channel").text(), len(self.channels))

    def trace(
        self, header: dict[str, Node], microbatches: int | None, policy: WeightPolicy | None
    ) -> Trace:
        """What was read; the events of a rank keep their order."""
        order = np.argsort(frozen(self.columns["rank"]), kind="stable")
        found = {key: frozen(frozen(column)[order]) for key, column in self.columns.items()}
        ranks = int(found["rank"].max(initial=-1)) + 1
        if "ranks" in header:
            ranks = header["ranks"].integer(ranks, LIMIT)
        schedule = self._schedule(found, ranks, header, microbatches, policy)
        return Trace(
            timeline=Timeline(schedule, found["start"], found["end"]),
            unit=header["unit"].text(),
            peer=found["peer"],
            channel=found["channel"],
            version=found["version"],
            channels=tuple(self.channels),
            extra={
                index: self.extra[line]
                for index, line in enumerate(order.tolist() if self.extra else [])
                if line in self.extra
            },
        )

    def _schedule(
        self,
        found: dict[str, IntArray],
        ranks: int,
        header: dict[str, Node],
        microbatches: int | None,
        policy: WeightPolicy | None,
    ) -> Schedule:
        offsets = np.searchsorted(found["rank"], np.arange(ranks + 1))
        columns = Columns(
            self.name,
            kind=_column(found["op"]),
            stage=_column(found["stage"]),
            microbatch=_column(found["microbatch"]),
            pipeline=_column(found["pipeline"]),
            row=_column(found["line"]),
            cell=_column(np.ones_like(found["line"])),
            offsets=_column(offsets),
        )
        if "microbatches" in header:
            microbatches = read_microbatches(header["microbatches"], microbatches)
        elif microbatches is None:
            microbatches = columns.distinct_microbatches()
        stated = read_policy(header["policy"]) if "policy" in header else FLUSH
        return columns.schedule(
            header["name"].text() if "name" in header else self.name,
            microbatches,
            read_placement(header["placement"])
            if "placement" in header
            else columns.placed_by_appearance(),
            policy or stated,
            read_parameters(header["parameters"]) if "parameters" in header else {},
            _groups(found, self.name),
        )


def _column(values: IntArray) -> array[int]:
    return array("q", values.astype(np.int64).tobytes())


def _number(node: Node, value: object, key: str, most: int) -> int:
    if type(value) is int and 0 <= value <= most:
        return value
    return Node(value, node, key).integer(0, most)


def _number_or_null(node: Node, event: dict[str, object], key: str, most: int) -> int:
    value = event.get(key)
    return NONE if value is None else _number(node, value, key, most)


def _extra(node: Node) -> dict[str, Extra]:
    found: dict[str, Extra] = {}
    for key, entry in node.members():
        value = entry.value
        if value is not None and not isinstance(value, str | int):
            raise entry.error(
                "what an event adds is a text, a whole number, true, false or null",
                "write other values as text",
            )
        found[key] = value
    return found


def _kind(node: Node, value: object) -> Kind:
    if isinstance(value, str) and value in _KINDS:
        return _KINDS[value]
    rule = f"a kind of action is one of {', '.join(_KINDS)}"
    raise Node(value, node, "op").error(rule, "name one of them")


def _groups(found: dict[str, IntArray], name: str) -> list[Group]:
    """Consecutive events of a rank with the same batch number; groups in order of the number."""
    rank, batch = found["rank"], found["batch"]
    changes = np.ones(len(batch), dtype=np.bool_)
    changes[1:] = (np.diff(batch) != 0) | (np.diff(rank) != 0)
    begins = np.flatnonzero(changes)
    ends = np.append(begins[1:], len(batch))
    together = batch[begins] != NONE
    first_of_rank = np.searchsorted(rank, rank[begins])
    groups: dict[tuple[int, int], Group] = {}
    for begin, end, first in zip(
        begins[together].tolist(), ends[together].tolist(), first_of_rank[together].tolist(),
        strict=True,
    ):  # fmt: skip
        number = (int(batch[begin]), int(rank[begin]))
        if number in groups:
            raise FormatError(
                "events of a rank that were started together stand one after the other, found "
                f"batch {number[0]} of rank {number[1]} again",
                f"{name}:line {found['line'][begin]}",
                "move them together, or number the batches of a rank differently",
            )
        kind = group_kind(found["op"][begin:end])
        groups[number] = Group(number[1], begin - first, end - begin, kind)
    return [groups[number] for number in sorted(groups)]
