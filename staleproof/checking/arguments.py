"""The arguments of `staleproof.check`: what they can be, and which subject they fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from schedules import Schedule, WeightPolicy
from staleproof.arguments import as_mapping, assignment
from staleproof.checking.options import READERS
from staleproof.errors import UsageError
from staleproof.output import shown
from staleproof.sources import refuse_family_options

if TYPE_CHECKING:
    from schedules.formats import Document

SIZED: Final = ("ranks", "microbatches", "parameters")
"""Arguments that say what a family is built with."""


def read_subject(
    subject: str | os.PathLike[str] | Schedule | Document, given: Mapping[str, Any]
) -> str | None:
    """The name of a file or family; None of what is no name.

    Raises
    ------
    UsageError
        It is nothing that can be checked, or something given would be ignored.
    """
    from schedules.formats import Document

    said = [name for name in SIZED if given.get(name) is not None]
    if isinstance(subject, (Schedule, Document)):
        if said:
            raise UsageError(
                "it says how a family is built or a file read, and this is a "
                f"{type(subject).__name__}",
                said[0],
                "drop it",
            )
        return None
    name = read_path(subject, "subject", "a schedule, a file or the name of a family is checked")
    of_family = [each for each in said if each != "microbatches"]
    path = isinstance(subject, os.PathLike)
    refuse_family_options(
        of_family[0] if of_family else None, [os.path.join(".", name) if path else name]
    )
    return name


def read_arguments(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields of `Options` and their values.

    Raises
    ------
    TypeError
        An argument that `check` does not have.
    UsageError, schedules.errors.RequirementError
        A value that it cannot have.
    """
    for name, value in given.items():
        if name not in READERS and name not in _READ:
            raise TypeError(f"check has no argument {name!r}")
        if value is None and name != "buffer":
            continue
        if name in _READ:
            yield name, _READ[name](value, name)
        elif name == "policy" and isinstance(value, WeightPolicy):
            yield "policy", value
        else:
            field, read = READERS[name]
            yield field, None if value is None else read(_text(value, name), name)


def read_path(value: object, where: str, rule: str = "a path is given") -> str:
    """A path as text.

    Raises
    ------
    UsageError
        It is none.
    """
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(path, str):
        return path
    raise _error(rule, value, where)


def _text(value: object, where: str) -> object:
    """What the reader of a text takes; requirements may be several, a buffer a number."""
    if where == "buffer" and isinstance(value, (int, float)):
        return value
    if where == "require" and isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        several = list(value)
        if all(isinstance(each, str) for each in several):
            return several
    if isinstance(value, str):
        return value
    raise _error("a text is given", value, where)


def _count(value: object, where: str) -> int:
    if type(value) is not int or value < 1:
        raise _error("a whole number of 1 or more is given", value, where)
    return value


def _parameters(value: object, where: str) -> dict[str, int]:
    if not isinstance(value, Mapping) or not all(type(each) is int for each in value.values()):
        raise _error("a mapping of names to whole numbers is given", value, where)
    pairs = (assignment(f"{name}={number}", where, "name=value") for name, number in value.items())
    return as_mapping(pairs, where)


def _error(rule: str, value: object, where: str) -> UsageError:
    return UsageError(
        f"{rule}, found {shown(repr(value))} ({type(value).__name__})",
        where,
        "see help(staleproof.check)",
    )


_READ: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "window": _count,
    "ranks": _count,
    "microbatches": _count,
    "parameters": _parameters,
    "sizes": read_path,
    "layers": read_path,
}
"""Arguments that are fields of `Options`, and their readers."""
