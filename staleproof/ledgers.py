"""Making a ledger and writing its report: what ``verify`` and ``report`` share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staleproof import __version__
from staleproof.errors import DestinationError
from staleproof.interrupts import keep_from_z3
from staleproof.output import progress
from staleproof.titles import with_titles

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.judging.verify import Review
    from theory.ledger import Evidence, Row


def proved_rows(
    claims: Sequence[Claim],
    jobs: int | None = None,
    deep: bool = False,
    tightness: bool = False,
    review: Review | None = None,
    every: bool = False,
    attack: int | None = None,
) -> list[Row]:
    """Run the claims, with a line of progress on stderr for each.

    Parameters
    ----------
    claims : sequence of Claim
    jobs : int, optional
        Processes; by default one for each core that this program may use.
    deep : bool
        Also gather evidence that takes long.
    tightness : bool
        Of that, how near the bounds are to being attained.
    every : bool, optional
        Try every control instead of a sample.
    attack : int, optional
        How long to look for counterexamples, as a percentage of what is usual.
    review : callable, optional
        See `theory.judging.verify.verify`.
    """
    from theory.falsifier.effort import USUAL
    from theory.judging.judge import nothing_more
    from theory.judging.verify import verify

    keep_from_z3()
    rows = verify(
        claims,
        progress=lambda name, begun, total: progress(f"[{begun + 1}/{total}] {name}"),
        jobs=jobs or usable_cores(),
        deep=deep,
        review=review,
        more=_evidence_about if tightness else nothing_more,
        every=every,
        attack=USUAL if attack is None else attack,
    )
    return with_rocq(claims, rows)


def with_rocq(claims: Sequence[Claim], rows: Sequence[Row]) -> list[Row]:
    """The rows, with what Rocq has accepted under `checked_by`: each step, and all that is cited.

    That it was accepted is on record for this theorem with this proof; a row that rests on more
    than the kernel's rules is not covered by it.
    """
    from dataclasses import replace

    from theory.rocq.recorded import is_recorded
    from theory.verdicts import Verdict

    known = {claim.id: claim for claim in claims}
    found = []
    for row in rows:
        claim = known.get(row.id)
        proved = row.verdict is Verdict.PROVED and row.to_json()["rests_on"] == ["kernel"]
        if proved and claim is not None and is_recorded(claim):
            row = replace(row, checked_by=(*row.checked_by, "rocq"))
        found.append(row)
    return found


def _evidence_about(claim: Claim) -> tuple[Evidence, ...]:
    """How near a claim is to being attained; what works that out is imported when it is wanted."""
    from theory.tightness.evidence import evidence_about

    return evidence_about(claim)


def usable_cores() -> int:
    """Cores that this program may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collected(rows: Sequence[Row]) -> dict[str, Any]:
    """The ledger of these rows, with the version that reached its verdicts.

    Raises
    ------
    reports.errors.LedgerError
        A prover left something in a row that has no place there.
    """
    from reports import validate_ledger
    from theory.judging.verify import ledger

    found = {"version": __version__, **ledger(rows)}
    validate_ledger(found)
    return found


def written(
    ledger: Mapping[str, Any], directory: str, folder: str | None = None, *, pdf: bool = False
) -> list[str]:
    """Write the report of a ledger; the files written.

    Parameters
    ----------
    ledger : mapping
    directory : str
        Where to write.
    folder : str, optional
        Of the claims, if they are a user's: its README has their title.
    pdf : bool, optional
        Also compile the documents.

    Raises
    ------
    reports.errors.ReportError
        The ledger has not the shape of one, or the folder cannot be written.
    """
    from reports import validate_ledger, write_report

    whole = validate_ledger(with_titles(ledger, folder))
    return [str(path) for path in write_report(whole, directory, pdf=pdf)]


def page_written(ledger: Mapping[str, Any], file: str, folder: str | None = None) -> str:
    """Write a ledger as one page; the file.

    Raises
    ------
    reports.errors.ReportError
        The ledger has not the shape of one, or the file cannot be written.
    """
    from reports import validate_ledger
    from reports.files import write_files
    from reports.pages import ledger_page

    page = ledger_page(validate_ledger(with_titles(ledger, folder)))
    target = Path(file)
    write_files({target.name: page.encode()}, target.parent)
    return file


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
