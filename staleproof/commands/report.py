"""``staleproof report``: documents, errata and a page of a ledger.

Writes, for each paper of a ledger, a document with summary, setting, statements and proofs, and an
erratum for its authors where something fails: Markdown, LaTeX and, with --pdf, PDF. --html writes
all of it as one page to explore. Without a ledger it first verifies all claims.
"""

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import Any, Final

from staleproof.arguments import Parser
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.ledgers import collected, page_written, proved_rows, require_writable, written
from staleproof.output import put


def configure(parser: Parser) -> None:
    """Add the arguments of ``report``."""
    parser.takes(
        """
        ledger? LEDGER|DIR  what `staleproof verify --json` printed, or a folder of claim files,
            which are verified first; without it all claims are
        -o DIR  folder to write documents into
        --pdf  also compile the documents, which needs latexmk
        --html FILE  write one page that needs nothing else and no network
        """
    )


def run(arguments: Namespace) -> int:
    """Write a report."""
    if arguments.o is None and arguments.html is None:
        raise UsageError("a place to write to is needed", "report", "add -o DIR or --html FILE")
    if arguments.pdf and arguments.o is None:
        raise UsageError("PDF files go into the folder of the documents", "--pdf", "add -o DIR")
    if arguments.pdf:
        from reports.pdf import require_latexmk

        require_latexmk()
    for directory in filter(
        None, (arguments.o, arguments.html and os.path.dirname(arguments.html))
    ):
        require_writable(directory)
    found = _ledger(arguments.ledger)
    folder = arguments.ledger if arguments.ledger and os.path.isdir(arguments.ledger) else None
    files = []
    if arguments.o is not None:
        files += written(found, arguments.o, folder, pdf=arguments.pdf)
    if arguments.html is not None:
        files.append(page_written(found, arguments.html, folder))
    put(*files)
    return 0


def _ledger(path: str | None) -> Mapping[str, Any]:
    if path is None or os.path.isdir(path):
        from theory.judging.verify import select
        from theory.judging.workers import read_elsewhere

        return collected(proved_rows(select([] if path is None else [path], read_elsewhere)))
    from reports import load_ledger

    return load_ledger(path)


COMMAND: Final = Command.of(__doc__, configure, run)
