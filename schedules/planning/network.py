r"""Latency and bandwidth of the links between ranks, as TOML beside a file of layers.

[links]                       # every link that has no table of its own
latency = "0.005"             # in the unit of the durations
bandwidth = 25_000_000        # bytes in one unit of time

[links.0.1]                   # from rank 0 to rank 1, and back unless [links.1.0] is there
bandwidth = 200_000_000
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from typing import Final

from schedules.errors import FormatError
from schedules.formats.layer_table import Time, exact_number, quoted
from schedules.formats.strict_json import display_name, read_text

MAX_BYTES: Final = 4 * 1024**2
KEYS: Final = ("latency", "bandwidth")
TABLE: Final = "links"


@dataclass(frozen=True)
class Link:
    """One link, in one direction.

    Attributes
    ----------
    latency : int or Fraction
        Units of time of any message.
    bandwidth : int, Fraction or None
        Bytes in one unit of time, above 0; None is without limit.
    """

    latency: Time = 0
    bandwidth: Time | None = None

    def time(self, size: int) -> Fraction:
        """Units of time of a message of so many bytes.

        Examples
        --------
        >>> Link(1, 8).time(12)
        Fraction(5, 2)
        """
        return Fraction(self.latency) + (Fraction(size) / self.bandwidth if self.bandwidth else 0)


@dataclass(frozen=True)
class Network:
    """The links between ranks.

    Attributes
    ----------
    default : Link
        Of all pairs of ranks that `links` does not name; a message takes no time by default.
    links : mapping of (int, int) to Link
        By source and target.
    """

    default: Link = field(default_factory=Link)
    links: Mapping[tuple[int, int], Link] = field(default_factory=dict)

    def link(self, source: int, target: int) -> Link:
        """The link from one rank to another."""
        return self.links.get((source, target), self.default)

    @property
    def kinds(self) -> set[Link]:
        """All different links."""
        return {self.default, *self.links.values()}

    @property
    def latencies(self) -> set[Time]:
        """All different latencies."""
        return {link.latency for link in self.kinds}

    def times(self, sizes: Iterable[int]) -> Iterator[Fraction]:
        """Times of messages of these sizes, over all links."""
        several = set(sizes)
        return (link.time(size) for link in self.kinds for size in several)

    @property
    def is_instant(self) -> bool:
        """Whether no message takes time."""
        return all(not link.latency and link.bandwidth is None for link in self.kinds)


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a file of links.

    Raises
    ------
    FormatError
        It cannot be read, is no TOML, or does not follow the format.
    """
    return parse_network(read_text(path, MAX_BYTES, "a file of links"), display_name(path))


def parse_network(text: str, file: str) -> Network:
    r"""Read the text of a file of links.

    Raises
    ------
    FormatError
        It is no TOML, or does not follow the format.

    Examples
    --------
    >>> found = parse_network("[links]\nlatency = 0.5\n[links.0.1]\nbandwidth = 8", "model.toml")
    >>> found.link(1, 0), found.link(1, 2)
    (Link(latency=Fraction(1, 2), bandwidth=8), Link(latency=Fraction(1, 2), bandwidth=None))
    """
    try:
        # Numbers stay text until they are read exactly.
        document = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise FormatError(
            f"a file of links is TOML, found: {reason}", file, "see docs/how-to/planning.md"
        ) from None
    _refuse_others(document, (TABLE,), file)
    if TABLE not in document:
        raise FormatError(f"the file has a table {TABLE}, found none", file, f"add [{TABLE}]")
    table = _table(document[TABLE], f"{file}:{TABLE}")
    pairs = {key: value for key, value in table.items() if isinstance(value, dict)}
    default = _link({key: table[key] for key in table if key not in pairs}, f"{file}:{TABLE}")
    links: dict[tuple[int, int], Link] = {}
    for source, targets in pairs.items():
        for target, own in _table(targets, f"{file}:{TABLE}.{source}").items():
            place = f"{file}:{TABLE}.{source}.{target}"
            ends = _rank(source, place), _rank(target, place)
            links[ends] = _link(_table(own, place), place, default)
    back = {(b, a): link for (a, b), link in links.items()}
    return Network(default, back | links)


def _link(table: Mapping[str, object], place: str, base: Link | None = None) -> Link:
    _refuse_others(table, KEYS, place)
    base = base or Link()
    latency = _number(table["latency"], f"{place}.latency") if "latency" in table else base.latency
    if "bandwidth" not in table:
        return Link(latency, base.bandwidth)
    bandwidth = _number(table["bandwidth"], f"{place}.bandwidth")
    if not bandwidth:
        raise FormatError(
            "a bandwidth is above 0, found 0",
            f"{place}.bandwidth",
            "leave it out if it is no limit",
        )
    return Link(latency, bandwidth)


def _number(value: object, place: str) -> Time:
    number = None
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        number = exact_number(str(value))
    if number is None:
        raise FormatError(
            f"a number of 0 or more is needed, found {quoted(repr(value))}",
            place,
            'write it as 12, 0.05 or "2/3"',
        )
    return number


def _rank(text: str, place: str) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,8}", text):
        raise FormatError(
            f"a link goes from a rank to a rank, found {quoted(text)}", place, "write [links.0.1]"
        )
    return int(text)


def _table(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise FormatError(
            f"a table is needed, found {quoted(repr(value))}", place, "write [links.0.1]"
        )
    return value


def _refuse_others(table: Mapping[str, object], known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            raise FormatError(
                f"this table holds {', '.join(known)}, not {quoted(key)}",
                place,
                f"did you mean {near[0]!r}?" if near else "remove it",
            )
