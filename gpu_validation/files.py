"""Writing results: as a whole or not at all, and strict JSON."""

from __future__ import annotations

import json
import os
import secrets
from importlib import metadata
from pathlib import Path
from typing import Final

import numpy as np

from gpu_validation.errors import MeasureError

ERROR: Final = "staleproof-error/1"


def mark(schema: str) -> dict[str, str]:
    """What a result is, and of which version; a checkout may be used without being installed."""
    try:
        version = metadata.version("staleproof")
    except metadata.PackageNotFoundError:
        version = "not installed"
    return {"schema": schema, "version": version}


def json_text(value: object) -> str:
    """One line of strict JSON."""
    return json.dumps(value, allow_nan=False, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r}")


def require_writable(path: str) -> None:
    """Refuse a place where no file can be written.

    Raises `MeasureError`: something else than a file is there, or its folder cannot be written to.
    """
    folder = os.path.dirname(os.path.abspath(path))
    reason = None
    if os.path.lexists(path) and not os.path.isfile(path):
        reason = "something else than a file is there"
    elif not os.path.isdir(folder):
        reason = f"there is no folder {folder}"
    elif not os.access(folder, os.W_OK):
        reason = f"the folder {folder} cannot be written to"
    if reason is not None:
        raise MeasureError(f"a result is written to a file, but {reason}", path, "choose another")


def append_text(path: str, text: str) -> None:
    """Add lines to a file in one write, so that who is killed leaves whole ones.

    Raises `OSError`: it cannot be written.
    """
    with open(path, "ab", buffering=0) as file:
        file.write(text.encode())


def write_text(path: str, text: str) -> None:
    """Write a file so that its readers see the old one or the new one.

    Raises `MeasureError`: it cannot be written.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise MeasureError(
            f"a result cannot be written ({error.strerror or error})",
            path,
            "choose a folder that exists and can be written to",
        ) from None
