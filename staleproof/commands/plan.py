"""``staleproof plan``: the best schedule for measured layers.

Reads how long layers take and what they keep, splits them over the stages of every family and its
parameters, and ranks those within the limits by makespan. Exit code 1: none is within them; then it
says which limit binds, and the least that would do.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, positive, whole_number
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.layer_options import read_measured
from staleproof.output import note, put, put_json, put_table, shown
from staleproof.planning.arguments import Asked, add_synthesis, asked

if TYPE_CHECKING:
    from schedules.planning.layers import Layers
    from schedules.planning.plans import Found
    from staleproof.planning.synthesized import Told

SHOWN: Final = 12
"""Plans that are printed; JSON has all."""


def configure(parser: Parser) -> None:
    """Add the arguments of ``plan``."""
    parser.add_argument(
        "layers", metavar="LAYERS.csv", help="measured layers, see docs/how-to/planning.md"
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
    parser.takes(
        """
        --memory BYTES  cap of every rank, such as 60GiB
        --staleness K  most updates that a gradient's weights may be behind (0: synchronous)
        """,
        staleness=lambda text: whole_number(text, "--staleness", 0),
    )
    add_synthesis(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Plan; 1 if no plan stays within the limits."""
    from schedules.planning.plans import Limits, binding, find_plans
    from staleproof.planning.answers import (
        binding_lines,
        found_data,
        found_lines,
        plan_columns,
        plan_rows,
    )

    limits = Limits(_memory(arguments.memory), arguments.staleness)
    wanted = asked(arguments)
    layers = read_measured(arguments.layers)
    found = find_plans(layers, arguments.p, arguments.m, limits)
    why = binding(found)
    order = None if wanted is None else _synthesized(wanted, layers, found)
    if arguments.json:
        stated: dict[str, Any] = {
            "layers": {"file": layers.file, "count": layers.count, "unit": layers.unit or None},
            "ranks": arguments.p,
            "microbatches": arguments.m,
            "memory": limits.memory,
            "staleness": limits.staleness,
        }
        put_json(stated | found_data(found, why) | {"synthesized": order and order.data})
    else:
        if why is not None:
            put(*binding_lines(found, why))
        if found.plans:
            size = f"{layers.count} layers, {arguments.p} ranks, {arguments.m} microbatches"
            put(f"{layers.file}: {size}")
            put_table("", plan_columns(layers.unit), plan_rows(found, SHOWN))
            put(*found_lines(found, SHOWN))
        if order is not None:
            put(*order.lines)
    return 0 if found.plans or order else 1


def _synthesized(wanted: Asked, layers: Layers, found: Found) -> Told | None:
    """The best order, judged and written; None if none fits into the memory."""
    from schedules.planning.synthesis.problem import NoRoomError
    from staleproof.planning.synthesized import judged, synthesized, told, write

    try:
        result = synthesized(wanted, layers, found)
    except NoRoomError as error:
        note(f"no order: {error.what}; {error.fix}")
        return None
    lowered = judged(wanted, result)
    if wanted.out is not None:
        lost = write(lowered, wanted.out)
        if result.problem.windows > 1 and "weight policy" in lost:
            window = result.problem.window
            note(f"{wanted.out}: the format states no policy: stash, an update every {window}")
    return told(wanted, result)


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


COMMAND: Final = Command.of(__doc__, configure, run)
