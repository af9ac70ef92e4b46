"""``staleproof show`` and ``staleproof list``: what was found out, from a kept or a new run."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any, Final

from staleproof.arguments import Parser, add_json, one_of, positive
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.obtained import obtained
from staleproof.output import one_line, put, put_json, shown, width

NAMES: Final = "PAPER|CLAIM|FILE|DIR"


def configure_list(parser: Parser) -> None:
    """Add the arguments of ``list``."""
    parser.takes(
        """
        names* PAPER|CLAIM|FILE|DIR  papers, claim ids or their beginnings, files or folders
            (default: all papers)
        --verdict VERDICT  only rows with this verdict
        --finding KIND  only rows with such a finding
        """
    )
    _add_run(parser)


def configure_show(parser: Parser) -> None:
    """Add the arguments of ``show``."""
    parser.takes(
        """
        id ID  the id of a claim, see `staleproof list`
        file? FILE|DIR  where it is defined, if yours
        """
    )
    _add_run(parser)


def _add_run(parser: Parser) -> None:
    parser.takes(
        """
        -j N  processes to judge in (default: one a core)
        --no-cache  prove again what was proved before
        """,
        j=positive("-j"),
    )
    add_json(parser)


def run_list(arguments: Namespace) -> int:
    """List rows, each with its verdict and reason."""
    from reports import VERDICTS
    from reports.documents.claim import KINDS

    if arguments.verdict is not None:
        one_of(arguments.verdict, VERDICTS, "a verdict is one of", "--verdict")
    if arguments.finding is not None:
        one_of(arguments.finding, KINDS, "a finding is one of", "--finding")
    ledger = _ledger(arguments, arguments.names)
    chosen = [row for row in ledger["claims"] if _wanted(row, arguments)]
    if arguments.json:
        put_json({**ledger, "claims": chosen})
        return 0
    from staleproof.rows import counted, lines

    put(*lines(chosen, width()), colour=True)
    put(counted(chosen) or "no claim is like this")
    return 0


def _wanted(row: Mapping[str, Any], arguments: Namespace) -> bool:
    kinds = {finding["kind"] for finding in row["findings"]}
    return arguments.verdict in (None, row["verdict"]) and (
        arguments.finding is None or arguments.finding in kinds
    )


def run_show(arguments: Namespace) -> int:
    """Show one row whole."""
    from reports.documents.as_text import text_lines
    from reports.documents.blocks import Block, Code, Paragraph
    from reports.documents.claim import ABBREVIATION, claim_blocks

    name, places = arguments.id, [arguments.file] if arguments.file else []
    _require_one(name, places)
    ledger = _ledger(arguments, places or [name], only=name)
    rows = [row for row in ledger["claims"] if row["id"] == name]
    if arguments.json:
        put_json({**ledger, "claims": rows})
        return 0
    blocks: tuple[Block, ...] = claim_blocks(rows[0])
    if any(step.get("certificate") for step in rows[0]["steps"]):
        blocks += (Paragraph((ABBREVIATION,)),)
    blocks += (
        Paragraph(("To check: ", Code(f"staleproof verify {' '.join(places) or name} --no-cache"))),
    )
    put(*map(one_line, list(text_lines(blocks, width()))[1:]), colour=True)
    return 0


def _require_one(name: str, places: Sequence[str]) -> None:
    """Refuse a name that is not the id of one claim, before anything is proved."""
    from theory.judging.catalogue import unknown
    from theory.judging.verify import select
    from theory.judging.workers import read_elsewhere

    known = [claim.id for claim in select(places or [name], read_elsewhere)]
    if name in known:
        return
    if places:
        raise unknown(name, places[0], known, f"see `staleproof list {places[0]}`")
    raise UsageError(
        f"{shown(name)} is no claim by itself: {len(known)} begin with it",
        "ID",
        f"see `staleproof list {name}`",
    )


def _ledger(
    arguments: Namespace, names: Sequence[str], only: str | None = None
) -> Mapping[str, Any]:
    return obtained(
        names,
        from_shell=arguments.from_shell,
        jobs=arguments.j,
        fresh=arguments.no_cache,
        only=only,
    )


LIST: Final = Command(
    name="list",
    summary="claims, their verdicts and reasons",
    description=(
        "Lists claims with verdict and first finding, from a run that was kept, or else from a\n"
        "new one. Exit code 0 whatever the verdicts are; `verify --require` judges."
    ),
    configure=configure_list,
    run=run_list,
)
SHOW: Final = Command(
    name="show",
    summary="one claim whole: statement, assumptions, proof, counterexample",
    description=(
        "Shows a claim at full length and at any width: statement, verdict, assumptions, every\n"
        "line of the proof with its reason, counterexample, findings. From a kept run or a new one."
    ),
    configure=configure_show,
    run=run_show,
)
