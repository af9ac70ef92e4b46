"""JSON as the readers here take it: strict, limited in size, every value with its place.

What JSON leaves open is an error here: NaN and Infinity, a key given twice, numbers of more than
19 digits, nesting that exhausts the stack. Such values survive parsing as an `Oddity` and are
refused where they stand, so that the message can say where. No format here has fractions.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from schedules.errors import FormatError
from schedules.formats.cells import shortened
from schedules.formats.piped import MAX_BYTES, Piped

SCHEDULE_FILE: Final = "a schedule file"

MAX_CONTAINERS: Final = 4_000_000
"""Most lists and objects of a document, and most keys: with `MAX_BYTES` about 1 GiB of memory."""

MOST_DIGITS: Final = 19
"""Digits of the longest number; it fits into 64 bits."""


@dataclass(frozen=True, slots=True)
class Oddity:
    """A value that JSON readers disagree about; `text` says what was found, `fix` what to do."""

    text: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and the way to it.

    Attributes
    ----------
    value : object
    parent : Node or str
        The value it is part of; for the whole document the file, and perhaps the line.
    key : str or int
        Its key or index in the parent.

    Examples
    --------
    >>> node = parse('{"ranks": [["0F0"]]}', "a.json")
    >>> next(node.fields("ranks")["ranks"].items()).place
    'a.json:ranks[0]'
    """

    value: object
    parent: Node | str
    key: str | int = ""

    @property
    def place(self) -> str:
        """File and path, as in ``a.json:ranks[0].steps[3]``."""
        keys: list[str | int] = []
        node: Node | str = self
        while isinstance(node, Node):
            keys.append(node.key)
            node = node.parent
        path = "".join(
            f"[{key}]" if isinstance(key, int) else f".{_readable(key)}" for key in keys[-2::-1]
        )
        return f"{node}:{path.removeprefix('.')}" if path else node

    def error(self, rule: str, fix: str) -> FormatError:
        """The error to raise: the rule, what was found instead, where, the remedy."""
        fix = self.value.fix or fix if isinstance(self.value, Oddity) else fix
        return FormatError(f"{rule}, found {described(self.value)}", self.place, fix)

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self.value
        if type(value) is int and low <= value <= high:
            return value
        rule = f"a whole number from {low} to {high} stands here"
        raise self.error(rule, "write such a number, in plain digits")

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.error("a text stands here", "write it in double quotes")
        if _HALF.search(self.value):
            raise self.error("a text of whole characters stands here", "write both halves of each")
        return self.value

    def items(self) -> Iterator[Node]:
        """The values of a list; made one by one, so that a hostile list takes no more memory."""
        for index, value in enumerate(self.values()):
            yield Node(value, self, index)

    def values(self) -> list[object]:
        """Return the bare values of a list."""
        if isinstance(self.value, list):
            return self.value
        raise self.error("a list stands here", "write it in brackets: [ … ]")

    def members(self) -> Iterator[tuple[str, Node]]:
        """Keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.error("an object stands here", "write it in braces: { … }")
        for key, value in self.value.items():
            yield key, Node(value, self, key)

    def fields(self, *required: str, optional: tuple[str, ...] = ()) -> dict[str, Node]:
        """Return the values of an object that has the keys `required`, perhaps `optional`."""
        found = dict(self.members())
        known = required + optional
        for key in required:
            if key not in found:
                raise FormatError(
                    f"this object has the key {key!r}, found {_listed(found)}", self.place, "add it"
                )
        for key in found:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                raise FormatError(
                    f"the keys of this object are {', '.join(known)}; found {shortened(key)}",
                    self.place,
                    f"did you mean {near[0]!r}?" if near else "drop it",
                )
        return found


def versioned(
    node: Node, schema: str, *required: str, optional: tuple[str, ...] = ()
) -> dict[str, Node]:
    """The fields of an object whose ``schema`` is this one: another version may have other keys."""
    stated = dict(node.members()).get("schema")
    if stated is not None and stated.text() != schema:
        raise stated.error(
            f"this version reads {schema!r}", "write that, or take a version that reads this one"
        )
    return node.fields("schema", *required, optional=optional)


def _listed(keys: dict[str, Node]) -> str:
    some = ", ".join(shortened(key) for key in list(keys)[:8])
    return f"{some}, …" if len(keys) > 8 else some or "no key"


def _readable(key: str) -> str:
    return key if key.isidentifier() and key.isascii() and len(key) <= 40 else shortened(key)


def described(value: object) -> str:
    """Name a value in a message, in a few words.

    Examples
    --------
    >>> described([1, 2]), described("x"), described(None)
    ('a list of 2', "the text 'x'", 'null')
    """
    if isinstance(value, Oddity):
        return value.text
    if isinstance(value, float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {shortened(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    return json.dumps(value)


def _pairs(pairs: list[tuple[str, Any]]) -> object:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return Oddity(f"an object that has the key {shortened(key)} twice", "drop one of them")
        seen.add(key)
    return found


def _integer(text: str) -> object:
    if len(text) > MOST_DIGITS + text.startswith("-"):
        return Oddity(f"a number of {len(text)} digits")
    return int(text)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=_integer,
    parse_constant=Oddity,
)
_FAST: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=Oddity)
"""The same where no number is long: `int` itself is five times as fast."""

_HALF: Final = re.compile("[\ud800-\udfff]")
"""Half of a character that JSON writes in two: it can neither be printed nor drawn."""

_LONG: Final = re.compile(f"[0-9]{{{MOST_DIGITS + 1}}}")


def parse(text: str, name: str) -> Node:
    """Parse a JSON document; `name` stands for the file in messages.

    Raises
    ------
    FormatError
        The text is no JSON, nests too deeply or has more than `MAX_CONTAINERS` lists and
        objects or keys.

    Examples
    --------
    >>> parse('{"p": 4', "a.json")
    Traceback (most recent call last):
    schedules.errors.FormatError: a.json:line 1:column 8: the file is JSON, but here: Expecting
    ',' delimiter; correct it, or check that the file is whole
    """
    require_containers(text, name)
    try:
        decoder = _DECODER if _LONG.search(text) else _FAST
        return Node(decoder.decode(text.removeprefix("\ufeff")), name)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"the file is JSON, but here: {error.msg}",
            f"{name}:line {error.lineno}:column {error.colno}",
            "correct it, or check that the file is whole",
        ) from None
    except RecursionError:
        raise FormatError(
            "lists and objects lie a few levels deep, found hundreds",
            name,
            "check that this is the right file",
        ) from None


def require_containers(text: str, name: str) -> None:
    """Refuse a document with more lists, objects or keys than is read.

    Raises
    ------
    FormatError
    """
    if max(text.count("[") + text.count("{"), text.count(":")) > MAX_CONTAINERS:
        raise FormatError(
            f"a file has at most {MAX_CONTAINERS} lists and objects, and as many keys, found more",
            name,
            "cut the schedule down, or check that this is the right file",
        )


def display_name(path: str | os.PathLike[str]) -> str:
    """How a path appears in messages."""
    named = path.name if isinstance(path, Piped) else path
    name = os.fsdecode(named).encode("utf-8", "backslashreplace").decode("utf-8")
    return name if name.isprintable() else shortened(name)


def read_text(
    path: str | os.PathLike[str], most: int = MAX_BYTES, kind: str = SCHEDULE_FILE
) -> str:
    """Read a UTF-8 file of at most `most` bytes; messages call it what `kind` says.

    Raises
    ------
    FormatError
        It cannot be read, is larger, or is no UTF-8.
    """
    name = display_name(path)
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise unreadable(error, name, kind) from None
    if len(data) > most:
        raise FormatError(
            f"a file of this format has at most {most} bytes, found more",
            name,
            "cut the schedule down, or check that this is the right file",
        )
    return decoded(data, name, kind=kind)


def unreadable(error: Exception, name: str, kind: str = SCHEDULE_FILE) -> FormatError:
    """Turn what the operating system says into the error to raise."""
    reason = getattr(error, "strerror", None) or str(error)
    return FormatError(f"{kind} must be readable, found: {reason}", name, "give the path of a file")


def decoded(data: bytes, name: str, first_line: int = 1, kind: str = SCHEDULE_FILE) -> str:
    """Decode UTF-8; the error names the line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + first_line
        raise FormatError(
            f"{kind} is text, found the byte 0x{data[error.start]:02x} that is no UTF-8",
            f"{name}:line {line}",
            "save it as plain text (ASCII or UTF-8)",
        ) from None
