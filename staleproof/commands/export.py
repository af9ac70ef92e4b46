"""``staleproof export``: write theorems as files for another proof checker.

Writes each theorem with its proof as a plain Rocq file over the standard real numbers, with the
library that they share. With --check, coqc has to accept every step of it and of all that it cites,
and to show no assumption but those of the real numbers. Exit code 1 if --check was asked for and
something is not accepted.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final

from staleproof.arguments import Parser, add_json, positive
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.ledgers import require_writable, usable_cores
from staleproof.output import note, put, put_json

if TYPE_CHECKING:
    from theory.claims import Claim
    from theory.rocq.asked import Asked

NO_COQC: Final = (
    "coqc is not installed, so nothing was checked; the files are written. Debian and Ubuntu: "
    "apt-get install --no-install-recommends coq"
)


def configure(parser: Parser) -> None:
    """Add the arguments of ``export``."""
    parser.takes(
        """
        names* PAPER|CLAIM|FILE|DIR  papers, claim ids, Python files of claims, or folders of such
            (default: all papers)
        --rocq DIR  write Rocq (Coq 8.16 or newer) files into this folder
        --check  run coqc on each file, and see what it assumes; exit with 1 if one is not accepted
        --record  with --check, keep which theorems are accepted, for `verify` to say under
            checked_by
        --ethos CPC.eo  with --check, put cvc5's proofs to ethos; the rules are this file of
            cvc5's sources
        -j N  files at once (default: one a core)
        """,
        j=positive("-j"),
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Write, check, and say what came of it; 1 if something was to be checked and is not."""
    from theory.judging.verify import select
    from theory.rocq.compiling import checked, compiler
    from theory.rocq.files import accepted, exported, save
    from theory.rocq.recorded import record, record_answers

    if arguments.rocq is None:
        raise UsageError("a folder to write to is needed", "export", "add --rocq DIR")
    signature = Path(arguments.ethos) if arguments.ethos else None
    if signature and (which("ethos") is None or not signature.is_file()):
        problem = f"ethos and {signature} are needed, and one of them is not there"
        raise UsageError(problem, "--ethos", "see docs/how-to/rocq.md, or leave it out")
    require_writable(arguments.rocq)
    claims = select(arguments.names)
    directory = Path(arguments.rocq)
    found = exported(claims, lambda name: note(f"writing {name}"))
    save(found, directory)
    asked = asked_of(claims if arguments.names else ())
    files = {name: directory / f"{module}.v" for name, module in found.theorems.items()}
    files |= asked.save(directory)
    good: list[str] = []
    refused = {name: why for name, why in found.refused.items() if name not in asked.queries}
    if arguments.check and compiler() is None:
        refused |= dict.fromkeys(files, "coqc is not installed")
        note(NO_COQC)
    elif arguments.check:
        jobs = arguments.j or usable_cores()
        said = checked(found.files, jobs, lambda modules: note(f"coqc {modules}"))
        good, bad = accepted(found, said)
        proved = asked.accepted(jobs, lambda count: note(f"coqc {count}"))
        asked.log(proved, directory, signature)
        whole, short = asked.judged(proved)
        refused |= bad | short
        if arguments.record:
            record(claims, good)
            record_answers(asked.answers(proved))
        good += whole
    if arguments.json:
        put_json(
            {
                "theorems": [{"id": name, "file": str(file)} for name, file in files.items()],
                "checked": good,
                "refused": [{"id": name, "why": why} for name, why in refused.items()],
            }
        )
    else:
        put(*_lines(files, refused, good, arguments.check))
    return 1 if arguments.check and len(good) < len(claims) else 0


def asked_of(claims: Iterable[Claim]) -> Asked:
    """What z3 is asked for claims that are no theorems, and rest on its answers."""
    from theory.judging.judge import judged
    from theory.rocq.asked import Asked
    from theory.smt.queries import recording

    found = Asked()
    for claim in claims:
        if claim.theorem is None:
            note(f"asking for {claim.id}")
            with recording() as queries:
                rests_on = judged(claim).rests_on
            if queries and "solver" in rests_on:
                found.add(claim.id, queries)
    return found


def checked_now(ids: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Why coqc does not accept each of these claims, or ``""``."""
    from theory.judging.verify import select
    from theory.rocq.compiling import checked, compiler
    from theory.rocq.files import accepted, exported

    if compiler() is None:
        return dict.fromkeys(ids, NO_COQC)
    chosen = [claim for claim in select(names) if claim.id in ids]
    found, asked = exported(chosen), asked_of(chosen)
    _, bad = accepted(found, checked(found.files, usable_cores()))
    _, short = asked.judged(asked.accepted(usable_cores()))
    open_ones = {name: why for name, why in found.refused.items() if name not in asked.queries}
    why = open_ones | bad | short
    return {name: why.get(name, "") for name in ids}


def _lines(
    files: Mapping[str, Path], refused: Mapping[str, str], good: Sequence[str], check: bool
) -> list[str]:
    lines = [f"{name}: accepted" for name in good]
    lines += [f"{name}: written" for name in files if not check]
    lines += [f"{name}: refused: {why}" for name, why in refused.items()]
    count = f"{len(files)} file{'s' * (len(files) != 1)} written"
    tail = f", {len(good)} accepted by coqc" if check else ""
    return [*lines, f"{count}{tail}, {len(refused)} refused"]


COMMAND: Final = Command.of(__doc__, configure, run)
