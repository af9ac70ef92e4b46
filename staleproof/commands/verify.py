"""``staleproof verify``: proves or refutes published claims."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, positive, suggestion
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.ledgers import collected, proved_rows, require_writable, written
from staleproof.output import note, one_line, put, put_json, put_table, shown, width
from staleproof.reviews import Review

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.ledger import Row

REQUIRE: Final = "--require"
REQUIRED_OF_FILES: Final = "PROVED"
"""What is required of the claims of a user's file when no ``--require`` speaks of them."""

LONGEST_CELL: Final = 160
"""Characters of a sentence in the table; ``--json`` and ``--report`` have all of it."""

MOST_IN_A_TABLE: Final = 12
"""Rows that are shown with their statements; ``--json`` and ``--report`` show all with them."""

NARROWEST_TABLE: Final = 100
"""Columns below which a table of sentences cannot be read."""

_LONGEST_VERDICT: Final = len("CONDITIONAL")


@dataclass(frozen=True)
class Requirement:
    """A least verdict and the ids of the claims it is required of; None: of all selected."""

    verdict: str
    names: tuple[str, ...] | None


def configure(parser: Parser) -> None:
    """Add the arguments of ``verify``."""
    parser.add_argument(
        "names",
        metavar="PAPER|CLAIM|FILE",
        nargs="*",
        help="papers, claim ids or their beginnings up to a dot, or Python files that define CLAIM "
        "or CLAIMS (default: all papers)",
    )
    parser.add_argument(
        REQUIRE,
        metavar="VERDICT[:ID,…]",
        action="append",
        default=[],
        type=requirement,
        help="exit with 1 unless these claims (default: all selected) have at least this verdict; "
        f"may be repeated; claims of files that none speaks of have to be {REQUIRED_OF_FILES}",
    )
    parser.add_argument(
        "-j",
        metavar="N",
        type=positive("-j"),
        help="processes to judge in (default: one a core); no verdict depends on it",
    )
    parser.add_argument(
        "--deep", action="store_true", help="also gather evidence that takes minutes"
    )
    parser.add_argument(
        "--cross",
        action="store_true",
        help="put every question that z3 answered to cvc5 too; exit with 1 if they disagree",
    )
    parser.add_argument(
        "--smt", metavar="DIR", help="write what z3 was asked into this folder, as SMT-LIB 2 files"
    )
    parser.add_argument("--report", metavar="DIR", help="also write a report into this folder")
    add_json(parser)


def requirement(text: str) -> Requirement:
    """Read ``VERDICT[:id,…]``.

    Examples
    --------
    >>> requirement("PROVED:rpd.prop-4.1,rpd.cor-c1").names
    ('rpd.prop-4.1', 'rpd.cor-c1')
    """
    verdict, colon, names = text.partition(":")
    return Requirement(verdict, tuple(names.split(",")) if colon else None)


def run(arguments: Namespace) -> int:
    """Verify, print, report; 1 if a requirement falls short."""
    refuse_unknown_verdicts(arguments.require)
    for directory in (arguments.report, arguments.smt):
        if directory is not None:
            require_writable(directory)
    review = Review(arguments.cross) if arguments.cross or arguments.smt is not None else None

    from theory.verify import select
    from theory.workers import read_elsewhere

    claims = select(arguments.names, read_elsewhere)
    required = requirements(arguments.require, claims)
    rows = proved_rows(claims, arguments.j, arguments.deep, review)
    result = collected(rows)
    files = written(result, arguments.report) if arguments.report is not None else []
    if review is not None and arguments.smt is not None:
        files += review.written(arguments.smt)
    if arguments.json:
        put_json(result)
    else:
        put_rows(result["claims"])
        put(*files)
    short = [line for verdict, ids in required for line in shortfalls(verdict, ids, rows)]
    if review is not None:
        short += [f"staleproof: {line}" for line in review.contradictions]
    for line in short:
        note(line)
    return 1 if short else 0


def refuse_unknown_verdicts(required: Sequence[Requirement]) -> None:
    """Raise for a requirement whose verdict is none."""
    if not required:
        return
    from theory.verdicts import Verdict

    words = [verdict.name for verdict in Verdict]
    for entry in required:
        if entry.verdict not in words:
            raise UsageError(
                f"a verdict is one of {', '.join(words)}, not {shown(entry.verdict)}",
                REQUIRE,
                suggestion(entry.verdict, words) or "name one of them",
            )


def requirements(
    required: Sequence[Requirement], claims: Sequence[Claim]
) -> list[tuple[str, set[str]]]:
    """Least verdicts, each with the ids of the claims that it is required of.

    Raises
    ------
    UsageError
        One of them is not among the claims to be verified.
    theory.errors.UnknownClaimError
        There is no such claim.
    """
    found = [(entry.verdict, _required_ids(entry, claims)) for entry in required]
    spoken_of = {name for _, ids in found for name in ids}
    silent = {claim.id for claim in claims if claim.source is not None} - spoken_of
    return [*found, (REQUIRED_OF_FILES, silent)]


def _required_ids(entry: Requirement, claims: Sequence[Claim]) -> set[str]:
    chosen = {claim.id for claim in claims}
    if entry.names is None:
        return chosen
    if "" in entry.names:
        raise UsageError(
            "an id is needed after ':' and after every ','",
            REQUIRE,
            f"write {entry.verdict}:id or {entry.verdict} alone",
        )
    by_name = {
        name: {c.id for c in claims if f"{c.id}.".startswith(f"{name}.")} for name in entry.names
    }
    absent = [name for name in entry.names if not by_name[name]]
    if absent:
        _refuse_unknown(absent, chosen)
        raise UsageError(
            f"{', '.join(absent)} is required but not selected",
            REQUIRE,
            "name it among the claims to verify, or name none to verify all",
        )
    return set().union(*by_name.values())


def _refuse_unknown(names: Sequence[str], chosen: set[str]) -> None:
    """Raise for a name that means nothing anywhere."""
    from theory.catalogue import called, unknown

    for name in names:
        if not called(name):
            raise unknown(name, REQUIRE, chosen)


def shortfalls(required: str, ids: set[str], rows: Sequence[Row]) -> list[str]:
    """A line for every row below the verdict required of it."""
    from theory.verdicts import Verdict

    return [
        f"staleproof: {row.id}: the verdict is {row.verdict.name}, {required} is required"
        for row in rows
        if row.id in ids and row.verdict < Verdict[required]
    ]


def put_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows of a ledger, and how often each verdict occurs.

    Few rows come as a table with their statements, many as a line each, or as cells of a table.
    """
    if len(rows) <= MOST_IN_A_TABLE and width() >= NARROWEST_TABLE:
        columns = ("id", "verdict", "printed proof", "statement", "remark")
        put_table("", columns, [_cells(row) for row in rows])
    else:
        put(*lines(rows, width()))
    counts = Counter(row["verdict"] for row in rows)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    number = "1 claim" if len(rows) == 1 else f"{len(rows)} claims"
    put(f"{number}: {listed}")


def lines(rows: Sequence[dict[str, Any]], columns: int) -> Iterator[str]:
    """A line a row, under the name of its paper: id, verdict, and the remark as far as it fits.

    Rows that form a table stand in it.
    """
    from reports.cells import table_of
    from staleproof.matrix import table_lines

    papers = [(name, list(group)) for name, group in groupby(rows, key=lambda row: row["paper"])]
    tables = [table_of(group) for _, group in papers]
    inside = {name for table in tables if table is not None for name in table.ids}
    alone = [row for row in rows if row["id"] not in inside]
    longest = max((len(row["id"]) for row in alone), default=0)
    for (paper, group), table in zip(papers, tables, strict=True):
        yield str(paper)
        for row in group:
            if row["id"] in inside:
                continue
            start = f"  {row['id']:<{longest}}  {row['verdict']:<{_LONGEST_VERDICT}}"
            remark = one_line(_remark(row))
            room = columns - len(start) - 2
            if len(remark) > room:
                remark = f"{remark[: max(room - 1, 0)].rstrip()}…" if room > 0 else ""
            yield f"{start}  {remark}".rstrip()
        if table is not None:
            yield from table_lines(table, columns)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    said = (row["statement"], _remark(row))
    brief = (shorten(text, LONGEST_CELL, placeholder=" …") for text in said)
    return row["id"], row["verdict"], row["printed_proof"], *brief


def _remark(row: dict[str, Any]) -> str:
    """What is special about its file, then the first finding or why nothing is decided."""
    special = [entry["says"] for entry in row["evidence"] if entry["data"].get("remark") is True]
    return "; ".join(filter(None, (*special, _found(row))))


def _found(row: dict[str, Any]) -> str:
    """The first finding; without one, what kept the claim from being decided, if anything did."""
    for finding in row["findings"]:
        return f"{finding['kind']}: {finding['says']}"
    if row["verdict"] != "UNKNOWN":
        return ""
    for evidence in reversed(row["evidence"]):
        if evidence["says"].startswith("not decided"):
            return str(evidence["says"])
    for step in row["steps"]:
        if step["verdict"] != "PROVED":
            return f"{step['where']}: {step['rule']}"
    return ""


COMMAND: Final = Command(
    name="verify",
    summary="prove or refute published claims",
    description=(
        "Decides claims of papers as printed: PROVED covers every value of the stated domain,\n"
        "REFUTED has an exact witness, UNKNOWN is never a pass. Exit code 1 if a --require falls\n"
        "short or two solvers disagree, else 0 whatever the verdicts are. A file of your own has\n"
        "to be PROVED."
    ),
    configure=configure,
    run=run,
)
