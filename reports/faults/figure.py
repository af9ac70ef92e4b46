"""A fault as a picture: the run around it, arrows between the actions concerned, versions.

All lengths are inches, x to the right, y down.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from reports.faults.bands import Band, version_bands
from reports.faults.focus import Focus, Times, explanation, look_at, run_of
from reports.faults.looks import ARROWS, STATES, Point, colour_of, draw_arrow, look_of
from reports.faults.places import GAP, HANG, WIDEST, Places
from reports.faults.scene import Cell, Scene, scene_of
from reports.figures.shades import rgb
from reports.figures.style import GREY, INK, PALE, clipped, readable, style
from reports.text import visible
from schedules.actions import Kind
from schedules.schedule import Schedule
from schedules.validation.violation import Violation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NARROWEST: Final = 7.2
_LEFT: Final = 0.2
_CELL, _BAND, _AIR = 0.30, 0.14, 0.36
_LINE: Final = 0.17
_LETTER: Final = 0.066
"""About as wide as a letter of a text is."""
_MESSAGE_LINES: Final = 4


def fault_figure(
    schedule: Schedule, violation: Violation, progress: Times | None = None
) -> Figure | None:
    """Draw the part of a run around a fault.

    A row a rank, a cell an action. The actions that the violation marks have a thick outline; its
    arrows are drawn and numbered, and spelled out below. What never ends stands behind a line,
    hatched, in program order. Where a send meets the receive of another tensor, dashed arrows
    say what should have met. Violations about versions show those of the weights concerned.

    Parameters
    ----------
    schedule : Schedule
    violation : Violation
        Found in this schedule.
    progress : Times, optional
        As for `reports.faults.excerpt`.

    Returns
    -------
    Figure or None
        None if the violation marks nothing.

    Raises
    ------
    PictureError
        A mark is no action of this schedule.

    Examples
    --------
    >>> from schedules import build
    >>> from schedules.validation.violation import Marks
    >>> fault = Violation("causal", "…", "gpipe:rank 0", {}, Marks((0,)))
    >>> len(fault_figure(build("gpipe", 2, 2), fault).axes)
    1
    """
    focus = look_at(schedule, violation)
    if focus is None:
        return None
    run = run_of(schedule) if progress is None else progress
    scene = scene_of(schedule, focus, run, lambda scene: Places.of(schedule, scene).end <= WIDEST)
    with style():
        return _Drawing(schedule, violation, focus, scene).draw()


@dataclass(frozen=True)
class _Drawing:
    """A scene on its way to a figure."""

    schedule: Schedule
    violation: Violation
    focus: Focus
    scene: Scene

    @cached_property
    def _places(self) -> Places:
        return Places.of(self.schedule, self.scene)

    @cached_property
    def _cells(self) -> dict[int, Cell]:
        return {cell.action: cell for cell in self.scene.cells}

    @cached_property
    def _bands(self) -> tuple[Band, ...]:
        return version_bands(self.schedule, self.violation, self.scene)

    @cached_property
    def _width(self) -> float:
        return max(self._places.end + _LEFT, _NARROWEST)

    @cached_property
    def _above(self) -> list[str]:
        lines = self._wrapped(visible(self.violation.message))
        cut = lines[: _MESSAGE_LINES - 1]
        return lines if len(lines) <= _MESSAGE_LINES else [*cut, f"{lines[len(cut)]} …"]

    @cached_property
    def _below(self) -> list[str]:
        told = explanation(self.schedule, self.focus)
        return [line for words in told for line in self._wrapped(words)]

    def _wrapped(self, words: str) -> list[str]:
        letters = int((self._width - 2 * _LEFT) / _LETTER)
        return textwrap.wrap(words, letters, subsequent_indent="    ", break_on_hyphens=False)

    @cached_property
    def _head_line(self) -> float:
        """Where the slots stand."""
        return 0.42 + _LINE * len(self._above) + 0.48

    @cached_property
    def _pitch(self) -> float:
        return _CELL + _AIR + (_BAND if self._bands else 0)

    def _top(self, row: int) -> float:
        """Upper edge of a row's cells."""
        return self._head_line + 0.14 + _AIR + self._pitch * row

    @cached_property
    def _foot(self) -> float:
        return self._top(len(self.scene.ranks)) - _AIR

    def draw(self) -> Figure:
        """Draw everything, from above down."""
        from matplotlib.figure import Figure

        total = self._foot + 0.32 + _LINE * len(self._below) + 0.08
        figure = Figure(figsize=(self._width, total))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, self._width)
        axes.set_ylim(total, 0)
        axes.set_axis_off()
        self._words(axes)
        self._legend(axes)
        self._columns(axes)
        self._ranks(axes)
        for cell in self.scene.cells:
            self._cell(axes, cell)
        for band in self._bands:
            self._band(axes, band)
        self._arrows(axes)
        return figure

    def _words(self, axes: Axes) -> None:
        title = f"{self.violation.invariant}: {self.schedule.name}"
        axes.text(_LEFT, 0.22, clipped(title, 90), fontsize=10, weight="bold", va="center")
        for line, words in enumerate(self._above):
            axes.text(_LEFT, 0.45 + _LINE * line, words, color=GREY, va="center")
        for line, words in enumerate(self._below):
            axes.text(_LEFT, self._foot + 0.36 + _LINE * line, words, va="center")

    def _legend(self, axes: Axes) -> None:
        """What boxes and arrows stand for."""
        from matplotlib.patches import Rectangle

        x, y = _LEFT, 0.42 + _LINE * len(self._above) + 0.11
        used = {cell.state for cell in self.scene.cells} if self.scene.timed else set()
        states = [(state, words) for state, words in STATES.items() if state in used]
        for look, words in [*states, ("marked", "marked")]:
            box = Rectangle((x, y - 0.07), 0.26, 0.14, **look_of(look, rgb(GREY)))
            axes.add_patch(box)
            x = self._entry(axes, x, y, words)
        for kind, (colour, line) in ARROWS.items():
            labels = {pointer.label for pointer in self.focus.pointers if pointer.kind == kind}
            if len(labels) == 1:
                axes.plot([x, x + 0.26], [y, y], color=colour, linestyle=line, linewidth=1.7)
                x = self._entry(axes, x, y, clipped(labels.pop(), 40))

    def _entry(self, axes: Axes, x: float, y: float, words: str) -> float:
        axes.text(x + 0.33, y, words, va="center")
        return x + 0.33 + _LETTER * len(words) + 0.22

    def _columns(self, axes: Axes) -> None:
        """Slots, gaps, and the line behind which nothing ends."""
        places, scene, y = self._places, self.scene, self._head_line
        name = "slot" if scene.timed else "order"
        axes.text(_LEFT, y, name, va="center", color=GREY)
        before: int | None = None
        for column, x in zip(scene.columns, places.left, strict=True):
            if column.gap:
                self._gap(axes, x - GAP / 2, column.left_out)
            if column.slot is not None and column.slot != before:
                axes.text(x + 0.03, y, str(column.slot), va="center", color=GREY)
            before = column.slot
        if scene.more:
            self._gap(axes, places.end - GAP / 2, scene.more)
        if scene.hang is not None:
            x = places.left[scene.hang] - HANG / 2 - GAP * scene.columns[scene.hang].gap
            axes.vlines(x, y - 0.1, self._foot + 0.1, color=INK, linestyle=(0, (4, 2)))
            axes.text(x + 0.08, y, "never ends, in program order", va="center", weight="bold")

    def _gap(self, axes: Axes, x: float, rows: tuple[int, ...]) -> None:
        for row in rows:
            axes.text(x, self._top(row) + _CELL / 2, "…", ha="center", va="center", color=GREY)

    def _ranks(self, axes: Axes) -> None:
        left, right = self._places.left[0] - 0.05, self._places.end
        for row, rank in enumerate(self.scene.ranks):
            y = self._top(row) + _CELL / 2
            axes.text(_LEFT, y, f"rank {rank}", va="center")
            axes.hlines(y, left, right, color=PALE, linewidth=0.6, zorder=0)
        for row, stage in {band.row: band.stage for band in self._bands}.items():
            y = self._top(row) + _CELL + _BAND / 2
            axes.text(_LEFT, y, f"stage {stage}", va="center", fontsize=6.5)

    def _box(self, cell: Cell) -> tuple[float, float, float, float]:
        """Left, right, top, foot."""
        left = self._places.left[cell.column]
        right = self._places.right[cell.column + cell.span - 1]
        top = self._top(cell.row)
        return left + 0.02, right - 0.02, top, top + _CELL

    def _cell(self, axes: Axes, cell: Cell) -> None:
        from matplotlib.patches import Rectangle

        left, right, top, foot = self._box(cell)
        marked = cell.action in self.focus.actions
        colour = colour_of(Kind(int(self.schedule.kind[cell.action])))
        for look in (cell.state, "marked") if marked else (cell.state,):
            box = Rectangle((left, top), right - left, foot - top, **look_of(look, colour))
            if look == "marked" or not marked:
                box.set_gid(f"{'mark' if marked else 'action'}-{cell.action}")
            axes.add_patch(box)
        words = str(self.schedule.action(cell.action))
        ink = INK if cell.state == "never" else readable(*colour)
        text = axes.text((left + right) / 2, (top + foot) / 2, words, color=ink, fontsize=7.5)
        text.set(ha="center", va="center_baseline", weight="bold" if marked else "normal")
        if cell.state != "done":  # Hatches end around the letters.
            ground = "white" if cell.state == "never" else colour
            text.set(bbox={"facecolor": ground, "edgecolor": "none", "pad": 0.8})

    def _band(self, axes: Axes, band: Band) -> None:
        from matplotlib.patches import Rectangle

        left, right = self._places.left[band.start], self._places.right[band.stop - 1]
        top = self._top(band.row) + _CELL + 0.02
        shade = PALE if band.version % 2 else "#f0f0f0"
        height = _BAND - 0.02
        box = Rectangle((left, top), right - left, height, facecolor=shade, edgecolor="none")
        axes.add_patch(box)
        axes.vlines(left, top, top + height, color=INK, linewidth=0.8)
        axes.text(left + 0.03, top + height / 2, f"v{band.version}", va="center", fontsize=6.5)

    def _arrows(self, axes: Axes) -> None:
        before: Counter[int] = Counter()
        for number, pointer in enumerate(self.focus.pointers, 1):
            if pointer.source in self._cells and pointer.target in self._cells:
                cells = self._cells[pointer.source], self._cells[pointer.target]
                path = self._path(*cells, max(0.3, 0.7 - 0.2 * before[pointer.target]))
                draw_arrow(axes, path, number, pointer.kind)
                before[pointer.target] += 1

    def _path(self, source: Cell, target: Cell, tip: float) -> list[Point]:
        """Start, control point and end of a curve; `tip` is where it meets its target's edge."""
        a, b = self._box(source), self._box(target)
        start, end = a[0] + 0.35 * (a[1] - a[0]), b[0] + tip * (b[1] - b[0])
        if source.row != target.row:
            y, z = (a[3], b[2]) if source.row < target.row else (a[2], b[3])
            return [(start, y), ((start + end) / 2 + 0.15 * (z - y), (y + z) / 2), (end, z)]
        lift = min(0.52, 0.32 + 0.05 * abs(end - start))
        y, peak = (a[3], a[3] + lift) if source.row in self._below_rows else (a[2], a[2] - lift)
        return [(start, y), ((start + end) / 2, peak), (end, y)]

    @cached_property
    def _below_rows(self) -> frozenset[int]:
        """Rows whose own arrows run below them, as others come from above only."""
        shown = self._cells
        rows = [
            sorted((shown[pointer.source].row, shown[pointer.target].row))
            for pointer in self.focus.pointers
            if pointer.source in shown and pointer.target in shown
        ]
        across = [(upper, lower) for upper, lower in rows if upper != lower]
        below = {lower for _, lower in across} - {upper for upper, _ in across}
        return frozenset() if self._bands else frozenset(below)
