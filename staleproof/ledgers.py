"""Making a ledger and writing its report: what ``verify`` and ``report`` share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staleproof import __version__
from staleproof.errors import DestinationError
from staleproof.interrupts import keep_from_z3
from staleproof.output import note

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.ledger import Row


def proved_rows(claims: Sequence[Claim]) -> list[Row]:
    """Run the claims, with a line of progress on stderr for each."""
    from theory.verify import verify

    keep_from_z3()
    return verify(claims, progress=lambda name, done, total: note(f"[{done + 1}/{total}] {name}"))


def collected(rows: Sequence[Row]) -> dict[str, Any]:
    """The ledger of these rows, with the version that reached its verdicts."""
    from theory.verify import ledger

    return {"version": __version__, **ledger(rows)}


def written(ledger: Mapping[str, Any], directory: str) -> list[str]:
    """Write the report of a ledger; the files written.

    Raises
    ------
    reports.errors.ReportError
        The ledger has not the shape of one, or the folder cannot be written.
    """
    from reports import validate_ledger, write_report

    return [str(path) for path in write_report(validate_ledger(ledger), directory)]


def require_writable(directory: str) -> None:
    """Refuse a destination before the work is done that it is for; writes nothing.

    Raises
    ------
    DestinationError
        The path or one above it is no folder, or may not be written.

    Examples
    --------
    >>> require_writable(f"{__file__}/report")
    Traceback (most recent call last):
    staleproof.errors.DestinationError: ...ledgers.py: must be a directory, ...
    """
    path = Path(os.path.abspath(directory))
    while not os.path.lexists(path):
        path = path.parent
    if not path.is_dir():
        raise DestinationError(
            "must be a directory, but something else is there", str(path), "choose another folder"
        )
    if not os.access(path, os.W_OK | os.X_OK):
        raise DestinationError("may not be written", str(path), "choose another folder")
