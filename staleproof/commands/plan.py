"""``staleproof plan``: the best schedule for measured layers, within memory and staleness."""

from __future__ import annotations

from argparse import Namespace
from typing import Any, Final

from staleproof.arguments import Parser, add_json, positive, whole_number
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.layer_options import read_measured
from staleproof.output import put, put_json, put_table, shown

SHOWN: Final = 12
"""Plans that are printed; JSON has all."""


def configure(parser: Parser) -> None:
    """Add the arguments of ``plan``."""
    parser.add_argument(
        "layers", metavar="LAYERS.csv", help="measured layers, see docs/planning.md"
    )
    for short, long, metavar in (("-p", "--ranks", "RANKS"), ("-m", "--microbatches", "M")):
        parser.add_argument(
            short,
            long,
            dest=short[1],
            metavar=metavar,
            type=positive(short),
            required=True,
            help=f"number of {long[2:]}",
        )
    parser.add_argument("--memory", metavar="BYTES", help="cap of every rank, such as 60GiB")
    parser.add_argument(
        "--staleness",
        metavar="K",
        type=lambda text: whole_number(text, "--staleness", 0),
        help="most updates that a gradient's weights may be behind (0: synchronous)",
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Plan; 1 if no plan stays within the limits."""
    from schedules.planning.plans import Limits, binding, find_plans
    from staleproof.planning.answers import (
        beyond,
        binding_lines,
        found_data,
        path_line,
        plan_columns,
        plan_rows,
    )

    limits = Limits(_memory(arguments.memory), arguments.staleness)
    layers = read_measured(arguments.layers)
    found = find_plans(layers, arguments.p, arguments.m, limits)
    why = binding(found)
    if arguments.json:
        asked: dict[str, Any] = {
            "layers": {"file": layers.file, "count": layers.count, "unit": layers.unit or None},
            "ranks": arguments.p,
            "microbatches": arguments.m,
            "memory": limits.memory,
            "staleness": limits.staleness,
        }
        put_json(asked | found_data(found, why) | {"synthesized": None})
    elif why is not None:
        put(*binding_lines(found, why))
    else:
        put(
            f"{layers.file}: {layers.count} layers, {arguments.p} ranks, {arguments.m} microbatches"
        )
        put_table("", plan_columns(layers.unit), plan_rows(found, SHOWN))
        rest = len(found.plans) - SHOWN
        if rest > 0:
            put(f"… and {rest} more; --json lists them")
        if found.others:
            put(f"beyond the limits: {beyond(found)} more")
        put(path_line(found.plans[0]))
    return 0 if found.plans else 1


def _memory(text: str | None) -> int | None:
    from schedules.invariants.requirement import UNITS, parse_bytes

    if text is None:
        return None
    size = parse_bytes(text)
    if size is None or size < 0:
        raise UsageError(
            f"a size is a number of bytes, perhaps with a unit ({', '.join(UNITS)}); found "
            f"{shown(text)}",
            "--memory",
            "write it as 60GiB",
        )
    return size


COMMAND: Final = Command(
    name="plan",
    summary="the best schedule for measured layers",
    description=(
        "Reads how long layers take and what they keep, splits them over the stages of every\n"
        "family and its parameters, and ranks those within the limits by makespan. Exit code 1:\n"
        "none is within them; then it says which limit binds, and the least that would do."
    ),
    configure=configure,
    run=run,
)
