"""Making a ledger and writing its report: what ``verify`` and ``report`` share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from staleproof import __version__
from staleproof.errors import DestinationError
from staleproof.interrupts import keep_from_z3
from staleproof.output import progress
from staleproof.titles import with_titles

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.errors import TheoryError
    from theory.judging.verify import Review
    from theory.ledger import Evidence, Row
    from theory.rocq.recorded import Answers


def proved_rows(
    claims: Sequence[Claim],
    jobs: int | None = None,
    deep: bool = False,
    tightness: bool = False,
    review: Review | None = None,
    every: bool = False,
    attack: int | None = None,
    unjudged: list[TheoryError] | None = None,
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
    review, unjudged : optional
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
        unjudged=unjudged,
    )
    return with_rocq(claims, rows)


def with_rocq(claims: Sequence[Claim], rows: Sequence[Row]) -> list[Row]:
    """The rows, with what second checkers accepted, by the record.

    Under `checked_by` is who accepted every step: of a theorem each step and all that is cited; of
    what rests on z3 alone each question. What rests on more, such as a grid of sizes or an argument
    in words, has nobody there; its evidence is what others accepted of it and what nobody else saw.
    """
    known = {claim.id: claim for claim in claims if claim.source is None}
    links = {row.id: _seen(known[row.id], row) for row in rows if row.id in known}
    by = {row.id: row.checked_by for row in rows}
    by |= {name: _alone(seen) for name, seen in links.items()}
    return [_told(row, links.get(row.id, {}), _every_step(row, known, by)) for row in rows]


_UNSEEN: Final = {
    "kernel": "applied the rules of the kernel",
    "solver": "was asked what z3 was asked",
    "comparison": "compared or replayed",
    "grid": "tried the sizes",
    "words": "read the words",
}
"""What no second checker did for a link."""
_ACCEPTED: Final = "Rocq accepts its theorem"
_Seen = Mapping[str, "Answers | str"]


def _seen(claim: Claim, row: Row) -> _Seen:
    """What second checkers say of each kind of thing that a row rests on."""
    from theory.rocq.recorded import answers, is_recorded

    found: dict[str, Answers | str] = {link: _UNSEEN[link] for link in row.to_json()["rests_on"]}
    said = answers(row.id, row.asked)
    if "kernel" in found and is_recorded(claim):
        found["kernel"] = _ACCEPTED
    if "solver" in found and said is not None:
        found["solver"] = said
    return found


def _alone(seen: _Seen) -> tuple[str, ...]:
    """Who accepted all of what rests on the kernel alone, or on z3 alone."""
    if len(seen) != 1:
        return ()
    (said,) = seen.values()
    if isinstance(said, str):
        return ("rocq",) if said == _ACCEPTED else ()
    return said.checkers


def _every_step(
    row: Row, known: Mapping[str, Claim], by: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Who accepted a row, and what it rests on; what a theorem cites is checked with it."""
    more = by[row.id]
    if row.id in known and known[row.id].theorem is None:
        more = [one for one in more if all(one in by.get(name, ()) for name in row.closure)]
    return tuple(dict.fromkeys((*row.checked_by, *more)))


def _told(row: Row, seen: _Seen, by: tuple[str, ...]) -> Row:
    """The row with who accepted it, and what is said of what it rests on."""
    from theory.ledger import Evidence

    said = seen.get("solver")
    asked = None if isinstance(said, str) else said
    if not seen or (by and asked is None):
        return replace(row, checked_by=by)
    left = [one for one in seen.values() if one in _UNSEEN.values()]
    words = [one if isinstance(one, str) else one.says for one in seen.values() if one not in left]
    words += [f"nobody else {', '.join(map(str, left))}"] if left else []
    if not by and _alone(seen):
        words.append("of what else it rests on, not all is accepted")
    good = asked is not None and asked.checkers
    data = {} if asked is None else asked.data
    evidence = Evidence("for" if good else "neither", "; ".join(words), data)
    judgement = replace(row.judgement, evidence=(*row.judgement.evidence, evidence))
    return replace(row, judgement=judgement, checked_by=by)


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
