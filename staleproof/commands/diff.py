"""``staleproof diff``: what changed between two ledgers.

Says which rows of a ledger appeared or vanished, and which verdicts, statements, goals, hypotheses,
cases, witnesses and origins changed. Exit code 1 if a row vanished or a verdict changed, that of a
case included.
"""

import json
from argparse import Namespace
from typing import Final

from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.output import put, put_json, put_table

LONGEST: Final = 200
"""Characters of a value in the table."""


def configure(parser: Parser) -> None:
    """Add the arguments of ``diff``."""
    for name in ("old", "new"):
        parser.add_argument(name, metavar=name.upper(), help="a ledger, or a folder with one")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Compare two ledgers."""
    from reports.changes import compare_rows, rows_of

    found = compare_rows(rows_of(arguments.old), rows_of(arguments.new))
    code = 0 if found.keeps_verdicts else 1
    if arguments.json:
        put_json(found.to_json())
        return code
    rows = [[name, "row", "", "appeared"] for name in found.appeared]
    rows += [[name, "row", "vanished", ""] for name in found.vanished]
    rows += [[one.id, one.what, _cell(one.old), _cell(one.new)] for one in found.changed]
    if rows:
        put_table("", ["id", "what", "old", "new"], rows)
    else:
        put("no row differs")
    return code


def _cell(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


COMMAND: Final = Command.of(__doc__, configure, run)
