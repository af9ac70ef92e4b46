"""``staleproof report``: a ledger as Markdown and LaTeX."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import Any, Final

from staleproof.arguments import Parser
from staleproof.commands.command import Command
from staleproof.ledgers import collected, proved_rows, require_writable, written
from staleproof.output import put


def configure(parser: Parser) -> None:
    """Add the arguments of ``report``."""
    parser.add_argument(
        "ledger",
        metavar="LEDGER|DIR",
        nargs="?",
        help="what `staleproof verify --json` printed, or a folder of claim files, which are "
        "verified first; without it all claims are",
    )
    parser.add_argument("-o", metavar="DIR", required=True, help="folder to write into")


def run(arguments: Namespace) -> int:
    """Write a report."""
    require_writable(arguments.o)
    put(*written(_ledger(arguments.ledger), arguments.o))
    return 0


def _ledger(path: str | None) -> Mapping[str, Any]:
    if path is None or os.path.isdir(path):
        from theory.judging.verify import select
        from theory.judging.workers import read_elsewhere

        return collected(proved_rows(select([] if path is None else [path], read_elsewhere)))
    from reports import load_ledger

    return load_ledger(path)


COMMAND: Final = Command(
    name="report",
    summary="write a ledger as Markdown and LaTeX",
    description=(
        "Writes a report of a ledger, with its figures, into a folder. Without a ledger it first\n"
        "verifies all claims."
    ),
    configure=configure,
    run=run,
)
