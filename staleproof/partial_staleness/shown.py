"""The timeline of an answer: as JSON, as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from schedules.errors import SizeError
from schedules.partial_staleness import Iteration, Model, Run, iterations, simulate
from schedules.partial_staleness.layers import OPERATIONS
from staleproof.partial_staleness.answers import Answer

if TYPE_CHECKING:
    from reports.figures.overlap import Overlap

FEWEST: Final = 2
MOST: Final = 4
"""Iterations that are shown: up to the first that comes again, but from `FEWEST` to `MOST`."""
MOST_OPERATIONS: Final = 100_000
MOST_SIMULATED: Final = 64
"""Iterations after which a run that has not repeated itself is shown from its start only."""
MOST_LETTERED: Final = 40
"""Layers of a model whose timeline is also shown as text."""
_ROWS: Final = {"forward": "forward", "backward": "backward", "communication": "channel"}
_LABEL: Final = len("backward ")


@dataclass(frozen=True)
class Line:
    """The first iterations of a run.

    Attributes
    ----------
    model : Model
    stale : frozenset of int
    iterations : tuple of Iteration
    repeats : tuple of int, or None
        The iteration from which on the run repeats itself, and after how many.
    """

    model: Model
    stale: frozenset[int]
    iterations: tuple[Iteration, ...]
    repeats: tuple[int, int] | None

    def operations(self) -> Iterator[dict[str, Any]]:
        """Every operation as plain data, iteration by iteration, in time within each row."""
        model = self.model
        for number, iteration in enumerate(self.iterations):
            for kind in OPERATIONS:
                starts = getattr(iteration, kind)
                for layer in sorted(range(model.count), key=starts.__getitem__):
                    start = starts[layer]
                    found: dict[str, Any] = {
                        "operation": kind,
                        "layer": model.layers[layer].name,
                        "iteration": number + (kind == "forward"),
                        "start": model.time(start),
                        "end": model.time(start + model.ticks[kind][layer]),
                    }
                    if kind == "forward":
                        newest = number - (layer in self.stale)
                        found["gradient"] = newest if newest >= 0 else None
                    yield found


def timeline_of(model: Model, answer: Answer) -> Line | str:
    """The timeline of an answer, or why there is none."""
    if answer.orders is None:
        return "the printed algorithms run a layer before one that it needs, or twice"
    if MOST * len(OPERATIONS) * model.count > MOST_OPERATIONS:
        return f"it would have more than {MOST_OPERATIONS} operations"
    stale = frozenset(range(model.count)) if answer.stale is None else answer.stale
    try:
        run: Run = simulate(model, stale, answer.orders, most=MOST_SIMULATED)
    except SizeError:
        first = tuple(islice(iterations(model, stale, answer.orders), MOST))
        return Line(model, stale, first, None)
    count = min(MOST, max(FEWEST, len(run.iterations)))
    shown = tuple(run.iteration(number) for number in range(count))
    return Line(model, stale, shown, (run.first, run.period))


def gantt(line: Line, width: int) -> list[str]:
    r"""Draw a timeline as text: a row each for forwards, backwards, the channel and stalls.

    A bar begins with ``|`` and is filled with ``-``; the names of stale layers end in ``*``.

    Examples
    --------
    >>> from schedules.partial_staleness import sequential
    >>> from staleproof.partial_staleness.answers import answers
    >>> model = sequential([2, 2], [2, 2], [2, 2], names="ab")
    >>> line = timeline_of(model, answers(model).right)
    >>> print(*gantt(line, 50), sep="\n")
    forward            |a*--|b---          |a*--|b---
    backward |b---|a*--          |b---|a*--
    channel       |b---|a*--          |b---|a*--
             0                                     16
    """
    model = line.model
    cells = max(20, width - _LABEL - 1)
    last_sent = max(map(sum, zip(line.iterations[-1].communication, model.v, strict=True)))
    end = max(line.iterations[-1].end, last_sent)
    rows = {name: [" "] * cells for name in (*_ROWS.values(), "stall")}
    for iteration in line.iterations:
        for kind, name in _ROWS.items():
            for layer, start in enumerate(getattr(iteration, kind)):
                stop = start + model.ticks[kind][layer]
                first, last = start * cells // end, stop * cells // end
                text = model.layers[layer].name + "*" * (layer in line.stale)
                rows[name][first:last] = f"|{text}".ljust(last - first, "-")[: last - first]
        for start, stop in waits(model, iteration):
            first, last = start * cells // end, stop * cells // end
            rows["stall"][first:last] = "!" * (last - first)
    used = [name for name, row in rows.items() if name != "stall" or "!" in row]
    length = f"{model.time(end)} {model.unit}".strip()
    return [
        *(f"{name:<{_LABEL}}{''.join(rows[name])}".rstrip() for name in used),
        " " * _LABEL + f"0{length:>{cells - 1}}",
    ]


def waits(model: Model, iteration: Iteration) -> list[tuple[int, int]]:
    """When computation waits in an iteration."""
    busy = sorted(
        (start, start + taken)
        for starts, durations in ((iteration.backward, model.b), (iteration.forward, model.u))
        for start, taken in zip(starts, durations, strict=True)
    )
    ends = [iteration.begin, *(end for _, end in busy)]
    return [(end, start) for end, (start, _) in zip(ends, busy, strict=False) if start > end]


def picture(line: Line, title: str, note: str) -> Overlap:
    """Draw a timeline as a picture."""
    from reports.figures.overlap import Operation, Overlap

    model = line.model
    stale = {model.layers[layer].name for layer in line.stale}
    bars = []
    for entry in line.operations():
        kind = entry["operation"]
        if kind == "forward" and entry["layer"] in stale:
            kind = "stale"
        start, end = float(entry["start"]), float(entry["end"])
        bars.append(Operation(kind, entry["layer"], start, end))
    for iteration in line.iterations:
        for start, stop in waits(model, iteration):
            bars.append(Operation("stall", "", float(model.time(start)), float(model.time(stop))))
    marks = tuple(float(model.time(iteration.begin)) for iteration in line.iterations[1:])
    return Overlap(title, note, model.unit, tuple(bars), marks)
