"""Values of a settings file: each reader takes one, or raises a `SettingsError` with its place."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from staleproof.arguments import as_mapping, assignment
from staleproof.errors import SettingsError
from staleproof.output import shown


def read_table(value: object, place: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Read a table that has only these keys."""
    if not isinstance(value, dict):
        raise error("a table", value, place)
    for key in value:
        if key not in keys:
            near = get_close_matches(key, keys, n=1)
            raise SettingsError(
                f"the keys here are {', '.join(keys)}, not {shown(key)}",
                f"{place}.{key}" if key.isidentifier() else place,
                f"did you mean {near[0]!r}?" if near else "drop it",
            )
    return value


def read_tables(value: object, place: str) -> list[object]:
    """Read a list of what should be tables."""
    if not isinstance(value, list):
        raise error("a list of tables, [[tool.staleproof.check]]", value, place)
    return value


def read_text(value: object, place: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise error("a text", value, place)
    return value


def read_texts(value: object, place: str) -> tuple[str, ...]:
    """Read a text, or a list of texts."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise error("a text or a list of texts", value, place)
    return tuple(values)


def read_count(value: object, place: str) -> int:
    """Read a number that counts something."""
    if type(value) is not int or value < 1:
        raise error("a whole number of 1 or more", value, place)
    return value


def read_parameters(value: object, place: str) -> dict[str, int]:
    """Read a table of names and whole numbers."""
    if not isinstance(value, dict) or not all(type(each) is int for each in value.values()):
        raise error("a table of whole numbers", value, place)
    pairs = [f"{name}={number}" for name, number in value.items()]
    return as_mapping([assignment(pair, place, "name=value") for pair in pairs], place)


def error(wanted: str, value: object, place: str) -> SettingsError:
    """The error for a value of another type than the one wanted."""
    return SettingsError(
        f"{wanted} stands here, found {shown(str(value))} ({type(value).__name__})",
        place,
        "see docs/reference/check.md",
    )
