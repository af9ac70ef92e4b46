"""``staleproof delays``: exact delays of one schedule.

Prints how many updates lie between the weights a gradient was computed with and its own update: for
every pair of active stage and block, under a named way to count. Updates are counted one after the
other, also those of one iteration at several stages. How stale the gradients of a stage are is its
local staleness, which is printed too.
"""

from argparse import Namespace
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np

from schedules import (
    LINEARIZATIONS,
    Delays,
    Family,
    Schedule,
    Steady,
    Timeline,
    Unsteady,
    delays,
    equivalent_delays,
    get_family,
    get_linearization,
    steady,
    versions,
)
from schedules.delays import require_room
from schedules.linearization import DEFAULT
from schedules.schedule import IntArray
from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.family_options import (
    FAMILY_HELP,
    add_parameters,
    add_size,
    built,
    require_family,
    size,
    stages,
)
from staleproof.layer_options import Clock, add_layers, given_layers
from staleproof.output import matrix_lines, put, put_json

LARGEST_PRINTED = 16
"""Stages up to which the matrix is printed; JSON always has it."""

COUNTED = (
    "updates are counted one after the other, also those of one iteration at several stages, so an "
    "entry above 0 need not be staleness"
)

NO_UPDATE = "whole run: no delays, as no gradient is applied"


def configure(parser: Parser) -> None:
    """Add the arguments of ``delays``."""
    parser.add_argument("family", metavar="FAMILY|FILE.py", help=FAMILY_HELP)
    add_size(parser)
    add_parameters(parser)
    parser.add_argument(
        "--linearization",
        metavar="L",
        default=DEFAULT,
        help=f"{', '.join(LINEARIZATIONS)} (default {DEFAULT})",
    )
    add_layers(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Build the schedule and print its delays."""
    linearization = get_linearization(arguments.linearization).name
    require_family(arguments.family)
    family = get_family(arguments.family)
    # A delay matrix that is too large is refused before its schedule takes its time.
    _, microbatches = size(arguments, arguments.family)
    require_room(stages(arguments, arguments.family), microbatches)
    clock = Clock(given_layers(arguments))
    schedule = built(arguments, arguments.family)
    line = clock.line(schedule)
    result = measured(line, linearization, family)
    if arguments.json:
        put_json(result | {"length": clock.time(line.length)})
    else:
        put(*_lines(schedule, result, clock.text(line.length)))
    return 0


def measured(line: Timeline, linearization: str, family: Family | None = None) -> dict[str, Any]:
    """All delays of a run, as plain data; its family is that of the schedule unless given.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> found = measured(timeline(build("pipedream", 4, 16)), "ascending")
    >>> found["steady"]["rows"][0], str(found["steady"]["mean"]), found["whole_run_max"]
    ([14, 11, 9, 6], '15/2', 16)
    """
    schedule = line.schedule
    known = family or get_family(schedule.name)
    exact = _exact(line, linearization, known)
    first = exact["steady_range"]["first"] if exact["steady"] else 0
    return {
        "family": schedule.name,
        "parameters": dict(schedule.parameters),
        "stages": schedule.stages,
        "microbatches": schedule.microbatches,
        "linearization": linearization,
        **exact,
        **_equivalent(line, linearization, known),
        **_local(schedule, known, max(first, schedule.stages)),
        "length": line.length,
        "idle_fraction": line.idle_fraction,
    }


def _exact(line: Timeline, linearization: str, known: Family) -> dict[str, Any]:
    found = delays(line, linearization)
    why = known.why_unsteady(line.schedule.ranks, get_linearization(linearization))
    part = Unsteady(why) if why else _periodic(line.schedule, found, known)
    return {
        "steady": _statistics(part),
        "steady_range": _range(part),
        "steady_why": part.why if isinstance(part, Unsteady) else None,
        "whole_run_max": _max(found),
        "whole_run_argmax": _largest(found) if found.matrix.size else None,
    }


def _equivalent(line: Timeline, linearization: str, known: Family) -> dict[str, Any]:
    found = equivalent_delays(line, linearization)
    why = known.no_steady
    part = Unsteady(why) if why else _periodic(line.schedule, found, known)
    return {
        "equivalent": _statistics(part),
        "equivalent_why": part.why if isinstance(part, Unsteady) else None,
        "equivalent_whole_run_max": _max(found),
    }


def _max(found: Delays) -> int | None:
    """The largest delay; None where no gradient is applied."""
    return int(found.matrix.max()) if found.matrix.size else None


def _periodic(schedule: Schedule, found: Delays, known: Family) -> Steady | Unsteady:
    return steady(found, known.unit(schedule.ranks))


def _statistics(part: Steady | Unsteady) -> dict[str, Any] | None:
    if isinstance(part, Unsteady):
        return None
    return {"rows": part.rows.tolist(), "max": part.max, "min": part.min, "mean": part.mean}


def _range(part: Steady | Unsteady) -> dict[str, int] | None:
    """Which microbatches have the steady rows, and how long a run has to be for one."""
    if isinstance(part, Unsteady):
        return None
    return {"first": part.first, "stop": part.stop, "least_microbatches": part.least_microbatches}


def _largest(found: Delays) -> dict[str, int]:
    """Where the largest delay occurs first."""
    row, block = np.unravel_index(int(found.matrix.argmax()), found.matrix.shape)
    return {
        "index": int(found.index[row]),
        "stage": int(found.stage[row]),
        "microbatch": int(found.microbatch[row]),
        "block": int(block),
    }


def _local(schedule: Schedule, known: Family, first: int) -> dict[str, Any]:
    found = versions(schedule).local_staleness
    inside = found[:, first : schedule.microbatches - schedule.stages]
    part = found if known.no_steady else inside
    return {
        "local_staleness": constant_rows(part),
        "local_staleness_whole_run": found.max(axis=1).tolist(),
    }


def constant_rows(table: IntArray) -> list[int] | None:
    """The value of every row, or None where a row varies or there is no column.

    Examples
    --------
    >>> constant_rows(np.array([[2, 2], [1, 1]])), constant_rows(np.array([[2, 1]]))
    ([2, 1], None)
    """
    if not table.size or (table != table[:, :1]).any():
        return None
    return [int(value) for value in table[:, 0]]


def _lines(schedule: Schedule, result: dict[str, Any], length: str) -> Iterator[str]:
    given = "".join(f", {name} = {value}" for name, value in schedule.parameters.items())
    yield (
        f"{schedule.name}: p = {schedule.ranks} ranks, M = {schedule.microbatches} microbatches"
        f"{given}; weight policy {schedule.policy.name}"
    )
    yield f"{length}, idle {_exactly(result['idle_fraction'])}"
    yield f"linearization {result['linearization']}: " + (
        LINEARIZATIONS[result["linearization"]].meaning
    )
    yield ""
    yield from _matrix("steady delay D[i][j]", result["steady"], result["steady_why"])
    if result["steady_range"] is not None:
        first, stop, least = result["steady_range"].values()
        yield f"microbatches {first} ≤ m < {stop}; the shortest run with one has M = {least}"
    where = result["whole_run_argmax"]
    if where is None:
        yield NO_UPDATE
    else:
        yield (
            f"whole run: max {result['whole_run_max']}, first at update {where['index']} (stage "
            f"{where['stage']}, microbatch {where['microbatch']}) against block {where['block']}"
        )
    yield ""
    yield from _matrix("steady equivalent delay", result["equivalent"], result["equivalent_why"])
    yield NO_UPDATE if where is None else f"whole run: max {result['equivalent_whole_run_max']}"
    if result["equivalent_whole_run_max"]:
        yield COUNTED
    yield ""
    yield from _staleness(result)


def _matrix(title: str, part: dict[str, Any] | None, why: str | None) -> Iterator[str]:
    if part is None:
        yield f"{title}: none, as {why}"
        return
    rows = part["rows"]
    if len(rows) <= LARGEST_PRINTED:
        yield f"{title} (row: active stage i, column: block j)"
        yield from matrix_lines(rows)
    else:
        yield f"{title} ({len(rows)} × {len(rows)} entries; --json prints them)"
    yield f"max {part['max']}, min {part['min']}, mean {_exactly(part['mean'])}"


def _staleness(result: dict[str, Any]) -> Iterator[str]:
    steady_part, largest = result["local_staleness"], result["local_staleness_whole_run"]
    if len(largest) > LARGEST_PRINTED:
        yield f"local staleness: at most {max(largest)} (--json has every stage)"
        return
    constant = "none that is constant" if steady_part is None else _listed(steady_part)
    yield f"local staleness by stage: {constant}"
    yield f"whole run, max by stage: {_listed(largest)}"


def _listed(values: list[int]) -> str:
    return " ".join(map(str, values))


def _exactly(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{value} ({float(value):.6g})"


COMMAND: Final = Command.of(__doc__, configure, run)
