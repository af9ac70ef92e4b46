"""Just enough of JSON Schema (draft 2020-12) to hold the published schemas against the readers.

An unknown keyword is an error, so that nothing in a schema goes unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

TYPES: dict[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
NOTES = {"$schema", "$id", "$defs", "title", "description", "then", "else"}


def conforms(value: object, schema: Schema, root: Schema | None = None) -> bool:
    """Whether a value conforms to a schema."""
    root = schema if root is None else root
    return all(_holds(keyword, value, schema, root) for keyword in schema.keys() - NOTES)


def _holds(keyword: str, value: Any, schema: Schema, root: Schema) -> bool:
    wanted = schema[keyword]
    number = isinstance(value, int) and not isinstance(value, bool)
    if keyword == "type":
        names = wanted if isinstance(wanted, list) else [wanted]
        return any(TYPES[name](value) for name in names)
    if keyword in ("const", "enum"):
        options = wanted if keyword == "enum" else [wanted]
        return any(type(value) is type(option) and value == option for option in options)
    if keyword == "minimum":
        return not number or value >= wanted
    if keyword == "maximum":
        return not number or value <= wanted
    if keyword == "pattern":
        return not isinstance(value, str) or re.search(wanted, value, re.ASCII) is not None
    if keyword == "minItems":
        return not isinstance(value, list) or len(value) >= wanted
    if keyword == "items":
        return not isinstance(value, list) or all(conforms(item, wanted, root) for item in value)
    if keyword == "required":
        return not isinstance(value, dict) or all(key in value for key in wanted)
    if keyword == "properties":
        return not isinstance(value, dict) or all(
            conforms(value[key], wanted[key], root) for key in wanted if key in value
        )
    if keyword == "additionalProperties":
        known = schema.get("properties", {})
        extra = [value[key] for key in value if key not in known] if isinstance(value, dict) else []
        return not extra if wanted is False else all(conforms(v, wanted, root) for v in extra)
    if keyword == "$ref":
        return conforms(value, root["$defs"][wanted.removeprefix("#/$defs/")], root)
    if keyword == "if":
        branch = "then" if conforms(value, wanted, root) else "else"
        return conforms(value, schema.get(branch, {}), root)
    raise ValueError(f"the schema uses {keyword!r}, which this does not know")
