"""Reading event traces line by line; what they hold is described in `schedules.formats.trace`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from typing import IO, Final

from schedules.errors import FormatError
from schedules.formats.strict_json import Node, decoded, display_name, parse, unreadable, versioned
from schedules.formats.trace import SCHEMA, UNITS, Trace
from schedules.formats.trace_events import Events
from schedules.policies import WeightPolicy

MAX_LINE: Final = 1024**2
"""Longest line that is read, in bytes."""

_HEADER: Final = ("unit",)
_HEADER_OPTIONAL: Final = ("ranks", "microbatches", "name", "policy", "placement", "parameters")

Line = tuple[int, str, bool]
"""Its number from 1, its text, whether it ends in a line end."""


def read_trace(
    path: str | os.PathLike[str],
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Trace:
    """Read an event trace.

    Parameters
    ----------
    path : path-like
    microbatches : int, optional
        M, if the header does not state it; another number than the header's is an error.
    policy : WeightPolicy, optional
        Replaces the policy of the header; ``flush`` if neither states one.

    Raises
    ------
    FormatError
        The file cannot be read, or a line does not follow the format; the message names it.
    ParameterError
        `microbatches` is not what the header states.
    """
    name = display_name(path)
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below; only opening may raise here
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from None
    with file:
        return _read(_file_lines(file, name), name, microbatches, policy)


def parse_trace(
    text: str,
    name: str,
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Trace:
    r"""Parse the text of an event trace; `name` stands for the file in messages.

    Raises
    ------
    FormatError, ParameterError
        As `read_trace`.

    Examples
    --------
    >>> header = '{"schema": "staleproof-trace/1", "unit": "ns"}\n'
    >>> event = '{"rank": 0, "op": "U", "stage": 0, "start": 3, "end": 7}\n'
    >>> parse_trace(header + event, "run.jsonl").timeline.end.tolist()
    [7]
    >>> parse_trace(header + event[:20], "run.jsonl")
    Traceback (most recent call last):
    schedules.errors.FormatError: run.jsonl:line 2:column 19: the last line is torn: ...
    """
    lines = text.split("\n")
    return _read(_text_lines(lines, name), name, microbatches, policy)


def _text_lines(lines: list[str], name: str) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise _too_long(name, number)
        yield number, line, number < len(lines)


def _file_lines(file: IO[bytes], name: str) -> Iterator[Line]:
    for number in count(1):
        try:
            line = file.readline(MAX_LINE + 1)
        except OSError as error:
            raise unreadable(error, name) from None
        if not line:
            return
        if len(line) > MAX_LINE:
            raise _too_long(name, number)
        yield number, decoded(line, name, number).removesuffix("\n"), line.endswith(b"\n")


def _too_long(name: str, number: int) -> FormatError:
    return FormatError(
        f"a line has at most {MAX_LINE} bytes, found more",
        f"{name}:line {number}",
        "write one event a line, or check that this is the right file",
    )


def _whole_lines(lines: Iterator[Line], name: str) -> Iterator[tuple[int, Node]]:
    """The parsed lines; blank ones are tolerated at the end of the file only."""
    blank = 0
    for number, text, complete in lines:
        if not text.strip(" \t\r"):
            blank = blank or number
            continue
        if blank:
            raise FormatError(
                "every line holds an event, found a blank line", f"{name}:line {blank}", "delete it"
            )
        yield number, _parsed(text, f"{name}:line {number}", complete)


def _parsed(text: str, place: str, complete: bool) -> Node:
    try:
        return parse(text, place)
    except FormatError as error:
        # A parser's own place counts the lines of the text that it is given: always one.
        where = error.where.replace(f"{place}:line 1:column", f"{place}:column")
        if complete:
            raise FormatError(error.what, where, error.fix) from None
        raise FormatError(
            f"the last line is torn: {error.what}",
            where,
            "the writer was interrupted; delete this line, or run again",
        ) from None


def _read(
    lines: Iterator[Line], name: str, microbatches: int | None, policy: WeightPolicy | None
) -> Trace:
    parsed = _whole_lines(lines, name)
    first = next(parsed, None)
    if first is None:
        raise FormatError(
            "a trace starts with a header, found no line at all", name, "write the header first"
        )
    header = first[1]
    fields = versioned(header, SCHEMA, *_HEADER, optional=_HEADER_OPTIONAL)
    if fields["unit"].text() not in UNITS:
        raise fields["unit"].error(f"the unit is one of {', '.join(UNITS)}", "name one of them")
    events = Events(name)
    for number, node in parsed:
        if isinstance(node.value, dict) and "schema" in node.value:
            _require_same(node, header)
        else:
            events.add(node, number)
    return events.trace(fields, microbatches, policy)


def _require_same(node: Node, header: Node) -> None:
    if node.value != header.value:
        raise FormatError(
            "a header that comes again is the same as the first, found another",
            node.place,
            "put together only files of one run, with one header",
        )
