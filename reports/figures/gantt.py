"""A run as bars: a row a rank, time to the right.

Legend: R ranks, T time. A bar is one action; its colour says the kind, its shade which of the
rank's stages, dots at its foot which pipeline, the number which microbatch. What does not fit
in one line continues in bands below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from reports.errors import PictureError, shorten
from reports.figures.elision import Gap, draw_gaps, gaps_in, ticks, without
from reports.figures.shades import MOST_DOTS, Hue, Shades, shades_of
from reports.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PURPLE,
    clipped,
    readable,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS: Final = {
    "F": Hue("forward", BLUE, 0.55),
    "B": Hue("backward", ORANGE, 0.4),
    "I": Hue("input gradient", PURPLE, 0.65),
    "W": Hue("weight gradient", GREEN, 0.4),
}
"""Kind → its colour; with these palest shades, colour-blind eyes tell all eight apart too."""
HATCHES: Final = {"F": ("", "■"), "B": ("//", "▨"), "I": ("--", "▤"), "W": ("\\\\", "▧")}
"""Kind → its hatching, and the sign that stands for it, so that kinds differ without colours."""
MOST_BARS: Final = 100_000
_WIDTH = 10.0
_ROW, _CELL = 0.24, 0.30
_BAND = 56
"""Unit bars in a band of a small timeline."""
_TALLEST = 96
"""Rows of all bands together, beyond which bands get longer instead."""
_MOST_BANDS = 24
_MOST_NUMBERED = 8_000
_LETTER = 0.071
_VERSIONED: Final = ", under the number the version of the weights it reads, a stroke an update"
_TOP, _BOTTOM, _GAP = 0.86, 0.44, 0.34


@dataclass(frozen=True, slots=True)
class Update:
    """A rank's weights change at this time: those of a stage, or of one of its copies."""

    rank: int
    time: float


@dataclass(frozen=True, slots=True)
class Message:
    """What one rank sends at `start`, and another has at `end`."""

    sender: int
    start: float
    receiver: int
    end: float


@dataclass(frozen=True, slots=True)
class Bar:
    """What a rank does from `start` to `end`; `kind` is one of ``F B I W``; perhaps outlined.

    `version` is that of the weights it reads, where the picture is to show it.
    """

    rank: int
    start: float
    end: float
    kind: str
    stage: int
    microbatch: int
    pipeline: int = 0
    outlined: bool = False
    version: int | None = None


@dataclass(frozen=True)
class Gantt:
    """The bars of a run.

    Attributes
    ----------
    title, note : str
        The first and the second line above the picture.
    ranks : int
    bars : tuple of Bar
    updates : tuple of Update
    unit : str
        What the axis counts.
    messages : tuple of Message
        Arrows from row to row.
    gaps : tuple of Gap
        What is left out; of it `bars` and `updates` have nothing that is drawn.
    """

    title: str
    note: str
    ranks: int
    bars: tuple[Bar, ...]
    updates: tuple[Update, ...] = ()
    unit: str = "time"
    gaps: tuple[Gap, ...] = ()
    messages: tuple[Message, ...] = ()

    def __post_init__(self) -> None:
        if len(self.bars) > MOST_BARS:
            raise PictureError(
                f"a timeline has at most {MOST_BARS} bars, found {len(self.bars)}",
                shorten(self.title),
                "draw fewer microbatches",
            )
        if not self.bars:
            raise PictureError(
                "a timeline needs a bar, found none", shorten(self.title), "draw another schedule"
            )
        for bar in self.bars:
            inside = 0 <= bar.rank < self.ranks and 0 <= bar.start < bar.end < math.inf
            if bar.kind not in KINDS or not inside:
                raise PictureError(
                    f"a bar is one of {', '.join(KINDS)}, on a rank from 0 to {self.ranks - 1}, "
                    f"and ends after it starts, at 0 or later; found {shorten(bar)}",
                    shorten(self.title),
                    "correct the bar",
                )

    @cached_property
    def length(self) -> float:
        """The end of the last bar."""
        return max(bar.end for bar in self.bars)

    @property
    def _versioned(self) -> bool:
        return self.bars[0].version is not None

    @cached_property
    def _shades(self) -> Shades:
        return shades_of((bar.rank, bar.pipeline, bar.stage) for bar in self.bars)

    def in_short(self) -> Gantt:
        """The same picture; if it is long, periods that repeat the one before are left out."""
        long = self.length > 2 * _BAND * self.shortest and not self.messages
        gaps = gaps_in(self.bars, self.updates, self.shortest) if long else ()
        if not gaps:
            return self
        bars, updates = without(self.bars, self.updates, gaps)
        said = " and ".join(gap.says() for gap in gaps)
        note = f"{self.note}; ⋯ {said}"
        return replace(self, note=note, bars=bars, updates=updates, gaps=gaps)

    def caption(self) -> str:
        """Say what the figure shows."""
        words = ", ".join(hue.name for kind, hue in KINDS.items() if kind in self._used())
        return (
            f"{self.title}: a row a rank, microbatch numbers in the bars ({words}), idle time "
            f"left blank{_VERSIONED if self._versioned else ''}. {self.note}"
        )

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        names = [self._name(rank) for rank in range(self.ranks)]
        left = 0.2 + _LETTER * max(map(len, names))
        unit = self.shortest
        units = self.length / unit
        most = max(1, min(_MOST_BANDS, _TALLEST // self.ranks))
        count = max(1, min(math.ceil(units / _BAND), most))
        length = math.ceil(units / count) * unit
        count = math.ceil(self.length / length)
        cell = min(_CELL, (_WIDTH - left - 0.15) * unit / length)
        row = min(_ROW * (1.6 if self._versioned else 1), 24 / (self.ranks * count))
        width = cell * length / unit
        total = _TOP + count * row * self.ranks + (count - 1) * _GAP + _BOTTOM
        heads = (_width(self.title) * 1.25, _width(self.note), sum(w for *_, w in self._legend()))
        whole = left + max(width, *heads) + 0.15
        figure = Figure(figsize=(whole, total))
        size = min(8.0, cell * 72 * 0.56, row * 72 * 0.55)
        for k in range(count):
            foot = _BOTTOM + (count - 1 - k) * (row * self.ranks + _GAP)
            box = (left / whole, foot / total, width / whole, row * self.ranks / total)
            axes = figure.add_axes(box)
            self._band(axes, k * length, (k + 1) * length, size, cell / unit, row)
            self._axes(axes, names, row, cell / unit)
        axes.set_xlabel(self.unit)
        self._head(figure, left, whole, total)
        return figure

    @cached_property
    def shortest(self) -> float:
        """The duration that gets a whole cell: a short one, not the one odd one of a recording."""
        durations = sorted(bar.end - bar.start for bar in self.bars)
        return durations[len(durations) // 4]

    def _used(self) -> set[str]:
        return {bar.kind for bar in self.bars}

    def _name(self, rank: int) -> str:
        stages = self._shades.stages.get(rank, ())
        if self._shades.count == 1 and stages in ((rank,), ()):
            return f"rank {rank}"
        named = [str(stage) for stage in stages]
        if len(named) > 4:
            named = [*named[:2], "…", named[-1]]
        return f"rank {rank}: {', '.join(named)}"

    def _band(
        self, axes: Axes, start: float, stop: float, size: float, inch: float, row: float
    ) -> None:
        """Draw one stretch; `inch` and `row` are a unit of time and a row, in inches."""
        axes.set_xlim(start, stop)
        axes.set_ylim(self.ranks, 0)
        shown = [bar for bar in self.bars if bar.end > start and bar.start < stop]
        self._rectangles(axes, shown)
        draw_gaps(axes, self.gaps, self.ranks)
        self._arrows(axes, [one for one in self.messages if start < one.end <= stop])
        self._strokes(axes, [one for one in self.updates if start < one.time <= stop])
        if self._shades.dotted:
            self._dots(axes, shown, inch, row)
        if size < 3 or len(self.bars) > _MOST_NUMBERED:
            return
        for bar in shown:
            begin, end = max(bar.start, start), min(bar.end, stop)
            self._number(axes, bar, begin, end, size, inch)

    def _rectangles(self, axes: Axes, shown: Sequence[Bar]) -> None:
        """Draw all bars, a collection a kind with its hatching, parted by white lines."""
        from matplotlib.collections import PolyCollection

        few = len(self.bars) <= _MOST_NUMBERED
        for kind, (hatch, _) in HATCHES.items():
            bars = [bar for bar in shown if bar.kind == kind]
            corners = [_box(bar.start, bar.end, bar.rank + 0.03, bar.rank + 0.97) for bar in bars]
            axes.add_collection(
                PolyCollection(
                    corners,
                    facecolors=[self._colour(bar) for bar in bars],
                    edgecolors="white",
                    linewidths=0.7 if few else 0.0,
                    hatch=hatch if few else "",
                )
            )
        marked = [
            _box(bar.start, bar.end, bar.rank + 0.03, bar.rank + 0.97)
            for bar in shown
            if bar.outlined
        ]
        if marked:
            axes.add_collection(
                PolyCollection(marked, facecolors="none", edgecolors=INK, linewidths=0.9)
            )

    def _arrows(self, axes: Axes, now: Sequence[Message]) -> None:
        """Draw messages, from the sender's row to the receiver's; those that go up a bit later."""
        for one in now:
            up = one.receiver < one.sender
            near, far = (0.3, 0.7) if up else (0.7, 0.3)
            aside = (0.07 if up else -0.07) * self.shortest
            axes.annotate(
                "",
                (one.end + aside, one.receiver + far),
                (one.start + aside, one.sender + near),
                arrowprops={
                    "arrowstyle": "-|>",
                    "color": INK,
                    "linewidth": 0.7,
                    "mutation_scale": 5,
                },
                zorder=3,
            )

    def _strokes(self, axes: Axes, now: Sequence[Update]) -> None:
        """Draw when weights change."""
        if now:
            feet, heads = [one.rank + 0.98 for one in now], [one.rank + 0.02 for one in now]
            axes.vlines([one.time for one in now], feet, heads, color=INK, linewidth=2.2, zorder=3)

    def _dots(self, axes: Axes, shown: Sequence[Bar], inch: float, row: float) -> None:
        """Draw the dots that tell pipelines apart, in the middle of the foot of every bar."""
        from matplotlib.collections import PolyCollection

        corners, inks = [], []
        for bar in shown:
            dots = self._shades.dots(bar.pipeline)
            wide = min(0.03 / inch, (bar.end - bar.start) / (2 * MOST_DOTS + 1))
            first = (bar.start + bar.end) / 2 - (dots - 0.5) * wide
            top = bar.rank + 0.75
            for k in range(dots):
                left = first + 2 * k * wide
                high = min(0.03 / row, 0.16)
                corners.append(_box(left, left + wide, top, top + high))
                inks.append(readable(*self._colour(bar)))
        axes.add_collection(PolyCollection(corners, facecolors=inks, edgecolors="none"))

    def _colour(self, bar: Bar) -> tuple[float, float, float]:
        shade = self._shades.shade(bar.rank, bar.stage)
        return KINDS[bar.kind].shade(shade, self._shades.count)

    def _number(
        self, axes: Axes, bar: Bar, begin: float, end: float, size: float, inch: float
    ) -> None:
        digits = str(bar.microbatch)
        fits = (end - begin) * inch * 72 * 0.92 / (0.64 * len(digits))
        ink = readable(*self._colour(bar))
        middle = 0.32 if bar.version is not None else 0.42 if self._shades.dotted else 0.53
        axes.text(
            (begin + end) / 2,
            bar.rank + middle,
            digits,
            color=ink,
            fontsize=min(size, fits),
            ha="center",
            va="center_baseline",
        )
        if bar.version is not None:
            axes.text(
                (begin + end) / 2,
                bar.rank + 0.7,
                f"v{bar.version}",
                color=ink,
                fontsize=min(size, fits) * 0.8,
                ha="center",
                va="center_baseline",
            )
        if self._shades.count > 2 and bar.start >= begin:
            corner = begin + 0.03 / inch
            small = min(size, fits) * 0.5
            axes.text(corner, bar.rank + 0.1, str(bar.stage), color=ink, fontsize=small, va="top")

    def _axes(self, axes: Axes, names: list[str], row: float, inch: float) -> None:
        """Name ranks and times, and draw a pale line under every row."""
        every = next(2**k for k in range(64) if 2**k * row > 0.11)
        named = range(0, self.ranks, every)
        axes.set_yticks([r + 0.5 for r in named], [names[r] for r in named])
        low, high = axes.get_xlim()
        step = _step(0.45 / inch)
        found = list(ticks(low, high, step, self.gaps))
        axes.set_xticks([at for _, at in found], [f"{time:g}" for time, _ in found])
        axes.tick_params(axis="x", length=2.5)
        axes.tick_params(axis="y", length=0, labelsize=min(7.5, max(5.0, row * 72 * 0.6)))
        axes.spines[:].set_visible(False)
        if row > 0.08:
            axes.hlines(range(self.ranks + 1), low, high, color=PALE, linewidth=0.4, zorder=0)

    def _legend(self) -> list[tuple[str, object, float]]:
        """What colours, shades and dots stand for: words, their colour, inches up to the next."""
        entries: list[tuple[str, object, float]] = []
        count = self._shades.count
        for kind, hue in KINDS.items():
            if kind in self._used():
                entries += [(HATCHES[kind][1], hue.shade(k, count), 0.13) for k in range(count)]
                entries.append((hue.name, INK, _width(hue.name) + 0.22))
        if self._versioned:
            entries += [
                (words, INK, _width(words) + 0.22) for words in ("v: version read", "┃ update")
            ]
        if self.messages:
            entries.append(("→ message", INK, _width("→ message") + 0.22))
        for dots, words in self._shades.legend():
            if dots:
                entries.append(("▪" * dots, INK, _width("▪" * dots) + 0.05))
            entries.append((words, INK, _width(words) + 0.22))
        return entries

    def _head(self, figure: Figure, left: float, whole: float, total: float) -> None:
        """Write title, note and legend."""
        figure.text(left / whole, 1 - 0.24 / total, clipped(self.title, 100), fontsize=10)
        figure.text(left / whole, 1 - 0.43 / total, clipped(self.note, 120), color=GREY)
        for words, colour, width in self._legend():
            figure.text(left / whole, 1 - 0.67 / total, words, color=colour)
            left += width


def _box(left: float, right: float, top: float, foot: float) -> list[tuple[float, float]]:
    return [(left, top), (right, top), (right, foot), (left, foot)]


def _width(words: str) -> float:
    """How long words are in the letters of legends, in inches."""
    from matplotlib.textpath import TextPath

    if not words:
        return 0.0
    return float(TextPath((0, 0), words, size=8.0).get_extents().x1) / 72


def _step(least: float) -> float:
    """The smallest of …, 1, 2, 5, 10, 20, … that is not below `least`.

    Examples
    --------
    >>> _step(1.4), _step(3), _step(70)
    (2, 5, 100)
    """
    power: float = 10 ** math.floor(math.log10(least))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= least)
