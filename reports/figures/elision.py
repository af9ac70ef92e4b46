"""Long runs in short: periods that repeat the one before them are left out of a picture."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reports.figures.gantt import Bar, Update

MARK: Final = 3
"""Units that the sign of a gap is wide."""
LONGEST_PERIOD: Final = 32
"""Microbatches of a period, beyond which none is looked for."""
LEAST_SAVED: Final = 4
"""Periods that a gap has at least."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Whole periods that are left out, each like the one before it.

    `start` and `stop` are times of the run; `period` is how long each is, `microbatches` by how
    many the numbers grow from one to the next; `width` is that of its sign.
    """

    start: int
    stop: int
    period: int
    microbatches: int
    width: float

    def says(self) -> str:
        """What is left out, in words."""
        count = (self.stop - self.start) // self.period
        each = f"{self.period} slot{'s' * (self.period > 1)}"
        more = f"microbatch{'es' * (self.microbatches > 1)}"
        return f"{count} × {each} left out (each {self.microbatches} {more} on)"


def gaps_in(bars: Sequence[Bar], updates: Sequence[Update], unit: float) -> tuple[Gap, ...]:
    """Stretches in which every bar is one of the period before, later and of a later microbatch.

    Nothing is guessed: all that a gap leaves out was compared with the period before it: rank,
    kind, stage, duration, the version read, and updates.

    Examples
    --------
    >>> from reports.drawing import run_picture
    >>> from schedules import build, timeline
    >>> for gap in gaps_in(run_picture(timeline(build("1f1b", 2, 40)), "1f1b").bars, (), 1):
    ...     print(gap.says())
    37 × 2 slots left out (each 1 microbatch on)
    """
    run = _Run(
        tuple(sorted(bars, key=lambda bar: bar.start)),
        tuple(sorted(updates, key=lambda one: one.time)),
    )
    middle = max(bar.microbatch for bar in bars) // 2
    of_first = [bar for bar in run.bars if bar.rank == run.bars[0].rank]
    found: list[Gap] = []
    for centre in (bar for bar in of_first if bar.microbatch == middle):
        if any(gap.start <= centre.start < gap.stop for gap in found):
            continue
        later = (bar for bar in of_first if bar.start > centre.start and _alike(bar, centre))
        gap = next(filter(None, (_gap(run, centre, one, unit) for one in later)), None)
        if gap is not None and all(gap.stop <= g.start or g.stop <= gap.start for g in found):
            found.append(gap)
    return tuple(sorted(found, key=lambda gap: gap.start))


def _alike(bar: Bar, centre: Bar) -> bool:
    same = (bar.kind, bar.stage, bar.pipeline) == (centre.kind, centre.stage, centre.pipeline)
    return same and 0 < bar.microbatch - centre.microbatch <= LONGEST_PERIOD


@dataclass(frozen=True)
class _Run:
    """Bars by their start, and updates by their time."""

    bars: tuple[Bar, ...]
    updates: tuple[Update, ...]

    def within(self, begin: float, end: float) -> tuple[set[Bar], set[Update]]:
        """What starts from one time on and before another; updates at its end are its own."""
        first, stop = (
            bisect_left(self.bars, time, key=lambda bar: bar.start) for time in (begin, end)
        )
        one, two = (bisect_right(self.updates, t, key=lambda u: u.time) for t in (begin, end))
        return set(self.bars[first:stop]), set(self.updates[one:two])

    def repeats(self, begin: float, first: Bar, second: Bar) -> bool:
        """Whether the period that begins here is the one before it, moved as first to second."""
        period, ahead = second.start - first.start, second.microbatch - first.microbatch
        newer = (second.version or 0) - (first.version or 0)
        bars, updates = self.within(begin - period, begin)
        moved = {
            replace(
                bar,
                start=bar.start + period,
                end=bar.end + period,
                microbatch=bar.microbatch + ahead,
                version=None if bar.version is None else bar.version + newer,
            )
            for bar in bars
        }
        changed = {replace(one, time=one.time + period) for one in updates}
        return (moved, changed) == self.within(begin, begin + period)


def _gap(run: _Run, first: Bar, second: Bar, unit: float) -> Gap | None:
    """The longest gap about a bar, if from it to a second one is a period of the run."""
    period, last = int(second.start - first.start), run.bars[-1].start
    begin = end = int(second.start)
    while begin >= period and run.repeats(begin, first, second):
        begin -= period
    begin += period
    while end + period <= last and run.repeats(end, first, second):
        end += period
    if (end - begin) // period < LEAST_SAVED or end - begin <= 2 * MARK * unit:
        return None
    ahead = second.microbatch - first.microbatch
    return Gap(begin, end, period, ahead, MARK * unit)


def place(time: float, gaps: Sequence[Gap]) -> float:
    """Where a time of the run is drawn, with signs in place of gaps."""
    moved = time
    for gap in gaps:
        if time >= gap.stop:
            moved -= gap.stop - gap.start - gap.width
        elif time > gap.start:
            moved -= (time - gap.start) * (1 - gap.width / (gap.stop - gap.start))
    return moved


def without(
    bars: Sequence[Bar], updates: Sequence[Update], gaps: Sequence[Gap]
) -> tuple[tuple[Bar, ...], tuple[Update, ...]]:
    """What is outside of the gaps, where it is drawn."""
    outside = [
        bar for bar in bars if not any(g.start <= bar.start and bar.end <= g.stop for g in gaps)
    ]
    kept = [one for one in updates if not any(g.start < one.time <= g.stop for g in gaps)]
    return (
        tuple(replace(b, start=place(b.start, gaps), end=place(b.end, gaps)) for b in outside),
        tuple(replace(one, time=place(one.time, gaps)) for one in kept),
    )


def ticks(
    low: float, high: float, step: float, gaps: Sequence[Gap]
) -> Iterator[tuple[float, float]]:
    """Round times of the run outside of the gaps, each with where it is drawn."""
    time = 0.0
    while (at := place(time, gaps)) <= high:
        if at >= low and not any(gap.start < time < gap.stop for gap in gaps):
            yield time, at
        time += step


def draw_gaps(axes: Axes, gaps: Sequence[Gap], ranks: int) -> None:
    """Draw the signs of gaps: a white band with dots, over what begins or ends inside."""
    for gap in gaps:
        left, right = place(gap.start, gaps), place(gap.stop, gaps)
        axes.axvspan(left, right, facecolor="white", edgecolor="none", zorder=4)
        for x in (left, right):
            axes.vlines(x, 0, ranks, colors="black", linestyles="dashed", linewidth=0.8, zorder=5)
        for rank in range(ranks):
            middle = (left + right) / 2
            axes.text(middle, rank + 0.5, "⋯", ha="center", va="center", zorder=5, clip_on=True)
