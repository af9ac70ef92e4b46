"""Computation and communication side by side: what overlaps, and where computation waits.

Legend: three rows (forward, backward, channel), time to the right; a bar is one operation of one
layer. Dotted lines part iterations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.errors import PictureError, shorten
from reports.figures.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, VERMILLION, clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS: Final = {
    "forward": ("forward", 0, BLUE),
    "stale": ("forward, stale gradient", 0, PURPLE),
    "backward": ("backward", 1, ORANGE),
    "communication": ("communication", 2, GREEN),
    "stall": ("computation waits", 0, VERMILLION),
}
"""Kind → what it is called, its row, its colour."""
ROWS: Final = ("forward", "backward", "channel")
MOST_BARS: Final = 20_000
_WIDTH: Final = 10.0
_HEIGHT: Final = 2.2


@dataclass(frozen=True, slots=True)
class Operation:
    """One bar: its kind, what is written on it, start and end."""

    kind: str
    label: str
    start: float
    end: float


@dataclass(frozen=True)
class Overlap:
    """The operations of some iterations.

    Attributes
    ----------
    title, note : str
        The first and the second line above the picture.
    unit : str
        Of time; may be empty.
    operations : tuple of Operation
    marks : tuple of float
        Where iterations begin.
    """

    title: str
    note: str
    unit: str
    operations: tuple[Operation, ...]
    marks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= len(self.operations) <= MOST_BARS:
            raise self._error(f"1 to {MOST_BARS} bars", self.operations, "draw fewer layers")
        for bar in self.operations:
            if bar.kind not in KINDS or not 0 <= bar.start < bar.end < math.inf:
                kinds = ", ".join(KINDS)
                rule = f"bars of kinds {kinds} that end after they start, at 0 or later"
                raise self._error(rule, bar, "correct the bar")

    def _error(self, rule: str, found: object, fix: str) -> PictureError:
        what = f"this picture shows {rule}, found {shorten(found)}"
        return PictureError(what, shorten(self.title), fix)

    def _used(self) -> list[str]:
        used = {bar.kind for bar in self.operations}
        return [kind for kind in KINDS if kind in used]

    def caption(self) -> str:
        """Say what the figure shows."""
        words = ", ".join(KINDS[kind][0] for kind in self._used())
        return f"{self.title}: bars are operations of layers ({words}). {self.note}"

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(_WIDTH, _HEIGHT))
        axes = figure.add_axes((0.075, 0.2, 0.91, 0.48))
        length = max(bar.end for bar in self.operations)
        axes.set_xlim(0, length)
        axes.set_ylim(len(ROWS), 0)
        self._rectangles(axes)
        for bar in self.operations:
            _label(axes, bar, (bar.end - bar.start) / length)
        for mark in self.marks:
            axes.axvline(mark, color=INK, linewidth=0.8, linestyle=(0, (1.0, 2.0)))
        axes.set_yticks([row + 0.5 for row in range(len(ROWS))], list(ROWS))
        axes.tick_params(axis="y", length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(f"time in {self.unit}" if self.unit else "time")
        self._head(figure)
        return figure

    def _rectangles(self, axes: Axes) -> None:
        from matplotlib.collections import PolyCollection

        corners = []
        for bar in self.operations:
            top = KINDS[bar.kind][1] + 0.04
            foot = top + 0.92
            corners.append([(bar.start, top), (bar.end, top), (bar.end, foot), (bar.start, foot)])
        colours = [KINDS[bar.kind][2] for bar in self.operations]
        axes.add_collection(
            PolyCollection(corners, facecolors=colours, edgecolors="white", linewidths=0.5)
        )

    def _head(self, figure: Figure) -> None:
        """Write title, note and legend."""
        figure.text(0.075, 0.92, clipped(self.title, 110), fontsize=9.5)
        figure.text(0.075, 0.83, clipped(self.note, 130), color=GREY)
        place = 0.075
        for kind in self._used():
            name, _, colour = KINDS[kind]
            figure.text(place, 0.73, "■", color=colour)
            figure.text(place + 0.014, 0.73, name)
            place += 0.03 + 0.0068 * len(name)


def _label(axes: Axes, bar: Operation, part: float) -> None:
    """Write on a bar as much as fits on its part of the width."""
    letters = int(part * 0.91 * _WIDTH / 0.06)
    if letters < 1 or not bar.label:
        return
    axes.text(
        (bar.start + bar.end) / 2,
        KINDS[bar.kind][1] + 0.52,
        clipped(bar.label, letters),
        color=INK if bar.kind in ("backward", "stale") else "white",
        fontsize=7.0,
        ha="center",
        va="center_baseline",
    )
