"""Runs of RPD that is fed with PipeDream's order, microbatches and delays, beside PipeDream's own.

And what is not enough to make the two the same.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import sympy

from schedules.actions import Kind
from schedules.delays import Delays, delays, equivalent_delays
from schedules.families import build
from schedules.timeline import Timeline, timeline
from theory.ledger import Evidence
from theory.papers.rpd.lemmas.embedding import h, k
from theory.papers.rpd.lemmas.laws import PAPER
from theory.papers.rpd.witnesses.replays import (
    KINDS,
    Problem,
    Row,
    first_difference,
    pipedream,
    problem,
    rpd,
)
from theory.smt.queries import remembered

SIZES = ((2, 2), (2, 7), (3, 7), (4, 5), (5, 11), (6, 13))
"""(p, M) of the runs."""

UNEVEN: dict[Kind | tuple[Kind, int], int] = {Kind.F: 2, (Kind.F, 1): 5, Kind.B: 3, (Kind.B, 0): 7}
"""Times that keep no stage in step with another."""


def fed(run: Delays, delay: sympy.Expr) -> list[Row]:
    """The rows that RPD is fed with, delays by a formula in k and h.

    Examples
    --------
    >>> run = delays(timeline(build("pipedream", 2, 6)))
    >>> fed(run, k - h)[2]
    Row(stage=1, microbatch=1, delays=(2, 0))
    """
    formula = sympy.lambdify((k, h), delay)
    recorded = run.index[:, None] - run.matrix
    rows = zip(run.stage, run.microbatch, run.index, recorded, strict=True)
    return [
        Row(int(stage), int(m), tuple(int(formula(int(index), int(one))) for one in lengths))
        for stage, m, index, lengths in rows
    ]


def timelines() -> Iterator[tuple[dict[str, Any], Timeline]]:
    """PipeDream as the paper schedules it, by its runtime's order, and with uneven times."""
    for p, M in SIZES:
        yield {"family": "pipedream", "p": p, "M": M}, timeline(build("pipedream", p, M))
    runtime = timeline(build("pipedream-runtime", 4, 9))
    yield {"family": "pipedream-runtime", "p": 4, "M": 9}, runtime
    uneven = timeline(build("pipedream", 3, 8), UNEVEN)
    yield {"family": "pipedream", "p": 3, "M": 8, "times": "uneven"}, uneven


def problems(line: Timeline) -> Iterator[tuple[str, Problem]]:
    """A quadratic in fractions, then all in floats."""
    shape = (line.schedule.stages, line.schedule.microbatches)
    yield "quadratic, fractions", problem("quadratic", *shape, exact=True)
    for kind in KINDS:
        yield f"{kind}, float64", problem(kind, *shape)


def mismatch(linearization: str, delay: sympy.Expr) -> dict[str, Any] | None:
    """The first run in which RPD, fed with these delays, is not PipeDream.

    Examples
    --------
    >>> mismatch("ascending", k - h) is None
    True
    >>> mismatch("ascending", k - h + 1)["rpd"]
    'reads outside of its history'
    """
    return _first_mismatch(lambda line: fed(delays(line, linearization), delay))


def mismatch_of_equivalent() -> dict[str, Any] | None:
    """The same for the equivalent delays."""
    return _first_mismatch(lambda line: fed(equivalent_delays(line, PAPER), k - h))


def _first_mismatch(feed: Callable[[Timeline], Sequence[Row]]) -> dict[str, Any] | None:
    for about, line in timelines():
        rows = feed(line)
        for name, given in problems(line):
            found = first_difference(pipedream(line, given), rpd(rows, given))
            if found is not None:
                return {**about, "problem": name, **found}
    return None


def _swapped(rows: Sequence[Row], field: str) -> list[Row]:
    """Two neighbouring updates of the second half exchange one of their fields."""
    at = next(
        n
        for n in range(len(rows) // 2, len(rows) - 1)
        if getattr(rows[n], field) != getattr(rows[n + 1], field)
    )
    changed = list(rows)
    changed[at] = replace(rows[at], **{field: getattr(rows[at + 1], field)})
    changed[at + 1] = replace(rows[at + 1], **{field: getattr(rows[at], field)})
    return changed


def _steady_delays(rows: Sequence[Row]) -> list[Row]:
    """Delays that depend on the active stage only, those of its last update, from the start on."""
    last = {row.stage: row.delays for row in rows}
    return [
        replace(row, delays=tuple(min(d, index) for d in last[row.stage]))
        for index, row in enumerate(rows)
    ]


@remembered
def insufficient() -> tuple[tuple[str, bool], ...]:
    """What is not enough to reproduce PipeDream, and whether the runs say so."""
    line = timeline(build("pipedream", 4, 9))
    rows = fed(delays(line, PAPER), k - h)
    given = problem("curved", 4, 9)
    exact = pipedream(line, given)
    none = [replace(row, delays=(0,) * 4) for row in rows]
    fakes = {
        "order and batches, no delays": none,
        "order and delays, two batches exchanged": _swapped(rows, "microbatch"),
        "batches and delays, two stages exchanged": _swapped(rows, "stage"),
        "a delay vector for every stage": _steady_delays(rows),
    }
    found = [
        (name, first_difference(exact, rpd(fake, given)) is not None)
        for name, fake in fakes.items()
    ]
    unstashed = pipedream(line, given, stashes=False)
    found.append(
        ("the newest weights in backwards", first_difference(exact, unstashed) is not None)
    )
    return tuple(found)


@remembered
def off_by_one() -> bool:
    """A delay that is off by one shows if and only if the block was updated at that entry."""
    line = timeline(build("pipedream", 3, 5))
    given = problem("quadratic", 3, 5, exact=True)
    exact, rows = pipedream(line, given), fed(delays(line, PAPER), k - h)
    for (index, row), j, off in product(enumerate(rows), range(3), (1, -1)):
        back = index - row.delays[j] - off
        if not 0 <= back <= index:
            continue
        changed_at = min(back, back + off)
        vector = (*row.delays[:j], row.delays[j] + off, *row.delays[j + 1 :])
        fake = [*rows[:index], replace(row, delays=vector), *rows[index + 1 :]]
        differs = first_difference(exact, rpd(fake, given)) is not None
        if differs != (rows[changed_at].stage == j):
            return False
    return True


def compared_runs() -> Evidence:
    """What was compared; a difference would have been the counterexample."""
    runs = [about for about, _ in timelines()]
    kinds = [name for name, _ in problems(next(timelines())[1])]
    says = (
        f"{len(runs)} runs, {len(kinds)} problems each: every version of every block, bit for bit"
    )
    return Evidence("for", says, {"runs": runs, "problems": kinds})
