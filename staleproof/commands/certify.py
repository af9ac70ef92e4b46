"""``staleproof certify``: find the certificates that Found stands for.

Searches for the certificate of every step that says Found(...), and keeps it in
NAME.certificates.json beside NAME.py, where `staleproof verify` checks it. Nothing is proved here.
Exit code 1 if a certificate was not found; the reason names a rational point where none exists, or
the sign that is open. An induction that verify will not accept is said to be refused, exit code 1.
A theorem that is not well-formed with the facts that its certificates use ends it as it ends
`verify`, exit code 2.
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.output import LONGEST_SLACK, note, put, put_json

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.proving.certify import Certified
    from theory.proving.merging import Merged


def configure(parser: Parser) -> None:
    """Add the arguments of ``certify``."""
    parser.takes(
        """
        names+ FILE|DIR|CLAIM  Python files that define CLAIM or CLAIMS, folders of such files,
            papers or claim ids
        --again  also search for certificates that still hold
        --merge  also say which lines and hypotheses can go, and the least constant of a statement
        """
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Search, write the data files, and say what was found; 1 if something was not."""
    from theory.judging.verify import select
    from theory.proving.certify import certify

    claims = select(arguments.names)
    results = certify(claims, arguments.again, note)
    merged = _merged(claims) if arguments.merge else []
    if arguments.json:
        more = {"merged": [asdict(one) for one in merged]} if arguments.merge else {}
        put_json(_as_json(results) | more)
    else:
        put(*map(_line, results), *(f"{m.theorem}: {m.says}" for m in merged), _summary(results))
    if any(result.outcome == "found" for result in results):
        select(arguments.names)  # a theorem is looked at anew with what its certificates use
    return 1 if any(result.entry is None for result in results) else 0


def _merged(claims: list[Claim]) -> list[Merged]:
    from theory.proving.merging import merge

    found: list[Merged] = []
    for claim in claims:
        if claim.theorem is not None:
            note(f"{claim.id}: what it can do without")
            found += merge(claim.theorem)
    return found


def _as_json(results: list[Certified]) -> dict[str, Any]:
    short = [result for result in results if result.entry is None]
    return {
        "found": len(results) - len(short),
        "failed": [{"claim": r.theorem, "step": r.step, "why": r.why} for r in short],
        "certificates": [_described(result) for result in results],
    }


def _described(result: Certified) -> dict[str, Any]:
    return {
        "theorem": result.theorem,
        "step": result.step,
        "outcome": result.outcome,
        "why": result.why,
        "seconds": round(result.seconds, 3),
        "file": str(result.path),
        "certificate": result.entry,
    }


def _line(result: Certified) -> str:
    place = f"{result.theorem}: {result.step}: {result.outcome}"
    if result.entry is None:
        return f"{place} ({result.why})"
    counts = {part: len(result.entry[part]) for part in ("facts", "squares", "plus")}
    words = {"facts": "fact", "squares": "square", "plus": "nonnegative term"}
    parts = [f"{n} {words[part]}{'s' * (n != 1)}" for part, n in counts.items() if n]
    more = " + ".join(result.entry["plus"]) if result.step == "statement" else ""
    slack = f"; slack: {shorten(more, LONGEST_SLACK, placeholder=' …')}" if more else ""
    return f"{place}, {' + '.join(parts) or 'an identity'}, {result.seconds:.1f} s{slack}"


def _summary(results: list[Certified]) -> str:
    if not results:
        return "there is no Found here: nothing to search for"
    count = sum(result.outcome != "refused" for result in results)
    missing = sum(result.outcome == "not found" for result in results)
    files = ", ".join(dict.fromkeys(str(r.path) for r in results if r.entry is not None))
    said = f"{count - missing} of {count} certificate{'s' * (count != 1)}"
    refused = len(results) - count
    more = f"; verify will refuse {refused} line{'s' * (refused != 1)}" if refused else ""
    return f"{said} in {files}{more}" if files else said + more


COMMAND: Final = Command.of(__doc__, configure, run)
