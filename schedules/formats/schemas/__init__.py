"""The published JSON Schemas (draft 2020-12) of the formats of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

from schedules.errors import UnknownNameError

FILES: Final = {"staleproof-schedule/1": "schedule.json", "staleproof-trace/1": "trace.json"}
"""Schema files by the identifier that stands in the data."""


def published_schema(identifier: str) -> dict[str, Any]:
    """Return the JSON Schema of a format.

    Raises
    ------
    UnknownNameError
        No such schema.

    Examples
    --------
    >>> published_schema("staleproof-trace/1")["title"]
    'A line of an event trace'
    """
    if identifier not in FILES:
        raise UnknownNameError(
            f"no schema is called {identifier!r}; there are {', '.join(FILES)}",
            "schema",
            "name one of them",
        )
    text = files(__name__).joinpath(FILES[identifier]).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
