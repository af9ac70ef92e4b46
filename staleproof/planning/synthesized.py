"""``staleproof plan --synthesize``: the best order, checked, written, in words."""

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from schedules.errors import InvalidScheduleError
from schedules.families import build
from schedules.formats import Document, format_of_name
from schedules.invariants import check, parse_requirements
from schedules.lowering import lower
from schedules.placement import Placement
from schedules.planning.costs import Costs, split
from schedules.planning.layers import Layers
from schedules.planning.plans import Counts, Found, fitting_partition
from schedules.planning.synthesis import solve
from schedules.planning.synthesis.problem import NoRoomError, Problem, lower_bound
from schedules.schedule import Schedule
from staleproof import interrupts
from staleproof.layer_options import time_text
from staleproof.output import note, progress
from staleproof.planning.answers import bytes_text, name_of
from staleproof.planning.arguments import Asked


def synthesized(asked: Asked, layers: Layers, found: Found) -> solve.Synthesized:
    """Search, and let the simulator and the invariants judge what was found.

    Raises
    ------
    NoRoomError
        No order fits into the memory.
    ScheduleError
        The problem is too large, or there is no order in time.
    """
    known = seeds(found, asked.placement, asked.microbatches)
    problem = min(_problems(asked, layers, found), key=lambda each: _promise(each, known))
    result = solve.synthesize(problem, known, asked.seconds, _teller(problem))
    if result.interrupted:
        interrupts.answered()
        note("interrupted: the best order so far")
    return result


def _promise(problem: Problem, known: list[tuple[str, Schedule]]) -> tuple[float, int]:
    """How short an order is known on a partition, and its bound; the least is searched."""
    orders = (solve.first_order(each, known) for each in (problem, *solve.fresher(problem)))
    span = min((order[0] * problem.grain for order in orders if order), default=math.inf)
    return span, lower_bound(problem) * problem.grain


def _teller(problem: Problem) -> solve.Progress:
    """Says on stderr how far the search is."""
    layers = problem.costs.layers
    unit = layers.unit

    def say(makespan: int | None, bound: int, seconds: float) -> None:
        least = layers.time(bound * problem.grain)
        if makespan is None:
            progress(f"{seconds:.0f} s: no order yet, bound {time_text(least, unit)}")
            return
        best = layers.time(makespan * problem.grain)
        gap = Fraction(makespan - bound, max(bound, 1))
        progress(
            f"{seconds:.0f} s: makespan {time_text(best, unit)}, bound {time_text(least, unit)}, "
            f"gap {float(gap):.2%}"
        )

    return say


def _problems(asked: Asked, layers: Layers, found: Found) -> list[Problem]:
    """One a partition, with as many weight versions as fit, at most K + 1.

    Raises
    ------
    NoRoomError
        No partition leaves room for one microbatch.
    """
    limits = found.limits
    most = asked.microbatches // asked.window - 1
    stale = most if limits.staleness is None else min(limits.staleness, most)
    size = asked.placement, asked.microbatches, asked.window, limits.memory
    several, problems = partitions(asked.placement, layers, found), []
    for bounds in several:
        for lag in range(stale, -1, -1):
            with suppress(NoRoomError):
                problems.append(Problem(Costs(layers, bounds), *size, lag))
                break
    # Without any, the first says what it lacks.
    return problems or [Problem(Costs(layers, several[0]), *size, 0)]


def partitions(placement: Placement, layers: Layers, found: Found) -> list[tuple[int, ...]]:
    """Those of all plans so placed; with one stage a rank also those made for few microbatches."""
    chosen = [split(layers, placement).bounds]
    plans = (*found.plans, *found.others)
    chosen += [p.costs.bounds for p in plans if p.schedule.placement.ranks == placement.ranks]
    memory, stages = found.limits.memory, placement.stages
    if memory is not None and placement == Placement.one_stage_a_rank(stages):
        for most in range(1, stages + 1):
            few = [Counts(min(most, stages - s), 1) for s in range(stages)]
            bounds = fitting_partition(layers, placement, few.__getitem__, memory)
            chosen += [] if bounds is None else [bounds]
    return list(dict.fromkeys(chosen))


def seeds(found: Found, placement: Placement, microbatches: int) -> list[tuple[str, Schedule]]:
    """Orders to begin with: all plans so placed, and ever fewer microbatches at a time."""
    several = [
        (name_of(plan.family, plan.parameters), plan.schedule)
        for plan in (*found.plans, *found.others)
        if plan.schedule.placement.ranks == placement.ranks
    ]
    known = {name for name, _ in several}
    if placement == Placement.one_stage_a_rank(placement.stages):
        for noam in range(1, placement.stages + 1):
            if f"pipedream noam={noam}" not in known:
                schedule = build("pipedream", placement.stages, microbatches, noam=noam)
                several.append((f"pipedream noam={noam}", schedule))
    return several


def judged(asked: Asked, result: solve.Synthesized) -> Schedule:
    """The order with its messages, once everything that it was made for holds of it.

    Raises
    ------
    InvalidScheduleError
        Something does not hold.
    """
    problem = result.problem
    lowered = lower(result.plan.schedule, "as-soon-as-possible")
    terms = [f"staleness<={problem.lag}", "stash" if problem.windows > 1 else "flush"]
    if problem.memory is not None:
        terms.append(f"rank-memory<={problem.memory}B")
    required = parse_requirements(", ".join(terms)) if problem.memory != 0 else ()
    report = check(Document(lowered), required, asked.options.model, None, costs=problem.costs)
    line = problem.costs.timeline(lowered)
    if not report.ok or line.length != result.plan.line.length:
        broken = {violation.invariant for violation in report.violations}
        broken |= {name for name, _ in report.undecided}
        raise InvalidScheduleError(
            f"a synthesised order keeps what was asked for, found broken: "
            f"{', '.join(sorted(broken)) or 'makespan with messages'}",
            result.plan.schedule.name,
            "report this as a fault of staleproof",
        )
    return lowered


def write(schedule: Schedule, out: str) -> list[str]:
    """Write an order; what its format cannot keep.

    Raises
    ------
    reports.errors.OutputError
        It cannot be written.
    """
    from reports.files import write_files

    entry, document = format_of_name(out), Document(schedule)
    assert entry is not None  # `asked` refused other names
    write_files({os.path.basename(out): entry.text(document, out).encode()}, os.path.dirname(out))
    return [held for held in document.holds if held not in entry.keeps]


@dataclass(frozen=True)
class Told:
    """A synthesised order as plain data, and for people."""

    data: dict[str, Any]
    lines: tuple[str, ...]


def told(asked: Asked, result: solve.Synthesized) -> Told:
    """What is said of an order."""
    return Told(_data(asked, result), tuple(_lines(asked, result)))


def _data(asked: Asked, result: solve.Synthesized) -> dict[str, Any]:
    """The order as plain data."""
    plan, layers = result.plan, result.problem.costs.layers
    return {
        "makespan": plan.makespan,
        "lower_bound": layers.time(result.bound),
        "optimal": result.optimal,
        "gap": result.gap,
        "file": asked.out,
        "placement": list(result.problem.ranks),
        "partition": list(plan.costs.bounds),
        "window": result.problem.window,
        "bubble": plan.line.idle_fraction,
        "peak_memory": plan.peak_memory,
        "staleness": plan.staleness,
        "exposed_communication": plan.exposed_communication,
        "began_with": result.seed or None,
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 1),
    }


def _lines(asked: Asked, result: solve.Synthesized) -> Iterator[str]:
    """The order for people: how good it is first."""
    plan, problem = result.plan, result.problem
    layers = problem.costs.layers
    unit = layers.unit
    if result.optimal:
        says = "optimal"
    else:
        bound = time_text(layers.time(result.bound), unit)
        percent = math.ceil(float(result.gap) * 10_000) / 100
        says = f"within {percent:g} % of optimal (no order is below {bound})"
    yield f"synthesised order: makespan {time_text(plan.makespan, unit)}, {says}"
    parts = " ".join(str(b - a) for a, b in pairwise(plan.costs.bounds))
    step = "one step" if problem.windows == 1 else f"an update every {problem.window} microbatches"
    kept = f", {problem.lag + 1} weight versions kept" if problem.lag else ""
    yield f"  of all orders with {asked.words}, layers {parts}, {step}{kept}, split backwards"
    yield (
        f"  bubble {float(plan.line.idle_fraction):.1%}, memory of a rank "
        f"{bytes_text(plan.peak_memory)}, staleness {plan.staleness}, exposed communication "
        f"{time_text(plan.exposed_communication, unit)}"
    )
    began = f"began with {result.seed}" if result.seed else "began with no order, as no family fits"
    yield f"  {began}; {result.seconds:.1f} s; checked with its messages, {asked.options.model}"
    if asked.out is not None:
        yield f"  written: {asked.out}"
