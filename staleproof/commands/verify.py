"""``staleproof verify``: proves or refutes published claims."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, suggestion
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.ledgers import collected, proved_rows, require_writable, written
from staleproof.output import note, put, put_json, put_table, shown

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.ledger import Row

REQUIRE: Final = "--require"


@dataclass(frozen=True)
class Requirement:
    """A least verdict and the ids of the claims it is required of; None: of all selected."""

    verdict: str
    names: tuple[str, ...] | None


def configure(parser: Parser) -> None:
    """Add the arguments of ``verify``."""
    parser.add_argument(
        "names", metavar="PAPER|CLAIM", nargs="*", help="papers or claim ids (default: all)"
    )
    parser.add_argument(
        REQUIRE,
        metavar="VERDICT[:ID,…]",
        action="append",
        default=[],
        type=requirement,
        help="exit with 1 unless these claims (default: all selected) have at least this verdict; "
        "may be repeated",
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
    if arguments.report is not None:
        require_writable(arguments.report)

    from theory.verify import select

    claims = select(arguments.names)
    required = [(entry, _required_ids(entry, claims)) for entry in arguments.require]
    rows = proved_rows(claims)
    result = collected(rows)
    files = written(result, arguments.report) if arguments.report is not None else []
    if arguments.json:
        put_json(result)
    else:
        put_rows(result["claims"])
        put(*files)
    short = [line for entry, ids in required for line in shortfalls(entry.verdict, ids, rows)]
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


def _required_ids(entry: Requirement, claims: Sequence[Claim]) -> set[str]:
    """The ids that a requirement is about.

    Raises
    ------
    UsageError
        One of them is not among the claims to be verified.
    theory.errors.UnknownClaimError
        There is no such claim.
    """
    from theory.verify import select

    chosen = {claim.id for claim in claims}
    if entry.names is None:
        return chosen
    if "" in entry.names:
        raise UsageError(
            "an id is needed after ':' and after every ','",
            REQUIRE,
            f"write {entry.verdict}:id or {entry.verdict} alone",
        )
    wanted = {claim.id for claim in select(entry.names)}
    absent = sorted(wanted - chosen)
    if absent:
        raise UsageError(
            f"{', '.join(absent)} is required but not selected",
            REQUIRE,
            "name it among the claims to verify, or name none to verify all",
        )
    return wanted


def shortfalls(required: str, ids: set[str], rows: Sequence[Row]) -> list[str]:
    """A line for every row below the verdict required of it."""
    from theory.verdicts import Verdict

    return [
        f"staleproof: {row.id}: the verdict is {row.verdict.name}, {required} is required"
        for row in rows
        if row.id in ids and row.verdict < Verdict[required]
    ]


def put_rows(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows of a ledger as a table, and how often each verdict occurs."""
    columns = ("id", "verdict", "printed proof", "statement", "first finding")
    put_table("", columns, [_cells(row) for row in rows])
    counts = Counter(row["verdict"] for row in rows)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    number = "1 claim" if len(rows) == 1 else f"{len(rows)} claims"
    put(f"{number}: {listed}")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    findings = row["findings"]
    first = f"{findings[0]['kind']}: {findings[0]['says']}" if findings else ""
    return row["id"], row["verdict"], row["printed_proof"], row["statement"], first


COMMAND: Final = Command(
    name="verify",
    summary="prove or refute published claims",
    description=(
        "Decides claims of papers as printed: PROVED covers every value of the stated domain,\n"
        "REFUTED has an exact witness, UNKNOWN is never a pass. Exit code 1 if a --require falls\n"
        "short, else 0 whatever the verdicts are."
    ),
    configure=configure,
    run=run,
)
