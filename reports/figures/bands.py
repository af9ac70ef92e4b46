"""Drawing stretches of a timeline: cells, outlined marks and their labels.

Legend: rows are stages, columns slots; lengths are slots unless they are said to be inches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.figures.style import BLUE, GREEN, INK, ORANGE, VERMILLION, clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = {
    "F": ("forward", BLUE, "white"),
    "B": ("backward", ORANGE, INK),
    "I": ("input gradient", VERMILLION, "white"),
    "W": ("weight gradient", GREEN, "white"),
}
"""Letter of an action → its name, its colour, and the colour of the number on it."""
LANE = 0.19
"""Height of a line of mark labels, in inches."""
_LETTER = 0.062
"""Width of a letter of a label, in inches, on the safe side."""
_LONGEST_LABEL = 60

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Mark:
    """An outlined cell and what it shows."""

    stage: int
    slot: int
    label: str


@dataclass(frozen=True)
class Label:
    """A mark and where its words run, in slots."""

    mark: Mark
    left: float
    right: float

    def draw(self, axes: Axes, height: float) -> None:
        """Outline the cell; a hairline in the gap between two slots leads to the words above."""
        from matplotlib.patches import Rectangle

        slot, stage = self.mark.slot, self.mark.stage
        box = Rectangle((slot, stage), 1, 1, fill=False, edgecolor=INK, linewidth=1.3)
        axes.add_patch(box)
        to_the_right = self.left >= slot
        edge = slot if to_the_right else slot + 1
        axes.plot([edge, edge], [height, stage], color=INK, linewidth=0.6)
        words = f" {self._words()}" if to_the_right else f"{self._words()} "
        side = "left" if to_the_right else "right"
        axes.text(edge, height, words, fontsize=7, va="center", ha=side, color=INK)

    def _words(self) -> str:
        return clipped(self.mark.label, _LONGEST_LABEL)


@dataclass(frozen=True)
class Band:
    """A stretch of slots; ``cell`` is a slot's width in inches, ``lanes`` are lines of labels."""

    start: int
    stop: int
    length: int
    cell: float
    lanes: tuple[tuple[Label, ...], ...]

    def draw(self, axes: Axes, rows: Rows) -> None:
        """Draw the cells, the marks and the axes."""
        size = min(8.0, self.cell * 72 * 0.52)
        if size < 3:
            _fill(axes, rows, self.start, self.stop)
        else:
            for s, row in enumerate(rows):
                for t in range(self.start, self.stop):
                    _cell(axes, s, t, row[t], size)
        for k, lane in enumerate(self.lanes):
            for label in lane:
                label.draw(axes, -(k + 0.4) * LANE / max(self.cell, 0.05))
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if step * self.cell > 0.22)
        shown = range(-(-self.start // step) * step, self.stop, step)
        axes.set_xticks([t + 0.5 for t in shown], [str(t) for t in shown])
        readable = self.cell > 0.1
        named = range(0, len(rows), 1 if readable else 8)
        word = "stage " if readable and len(rows) < 100 else ""
        axes.set_yticks([s + 0.5 for s in named], [f"{word}{s}" for s in named])
        axes.tick_params(length=0, labelsize=min(7.5, max(5.5, size)))
        axes.spines[:].set_visible(False)


def place_labels(
    marks: Sequence[Mark], start: int, length: int, cell: float
) -> tuple[tuple[Label, ...], ...]:
    """Place labels on as many lines as it takes for none to cover another."""
    lanes: list[list[Label]] = []
    for mark in marks:
        width = (min(len(mark.label), _LONGEST_LABEL) * _LETTER + 0.12) / cell
        label = Label(mark, mark.slot, mark.slot + width)
        if label.right > start + length and mark.slot + 1 - width >= start:
            label = Label(mark, mark.slot + 1 - width, mark.slot + 1)
        for lane in lanes:
            if all(label.left > other.right or label.right < other.left for other in lane):
                lane.append(label)
                break
        else:
            lanes.append([label])
    return tuple(map(tuple, lanes))


def _cell(axes: Axes, stage: int, slot: int, token: str, size: float) -> None:
    """Draw one action as a coloured square with its microbatch in it."""
    if token == ".":
        return
    from matplotlib.patches import Rectangle

    _, colour, ink = KINDS[token[0]]
    axes.add_patch(Rectangle((slot + 0.04, stage + 0.05), 0.92, 0.90, color=colour, linewidth=0))
    number = token[1:]
    axes.text(
        slot + 0.5,
        stage + 0.53,
        number,
        color=ink,
        fontsize=size if len(number) < 3 else size * 2.1 / len(number),
        ha="center",
        va="center_baseline",
    )


def _fill(axes: Axes, rows: Rows, start: int, stop: int) -> None:
    """Paint cells too small for numbers as one image."""
    from matplotlib.colors import to_rgb

    colours = {kind: to_rgb(colour) for kind, (_, colour, _) in KINDS.items()} | {".": (1.0,) * 3}
    pixels = [[colours[token[0]] for token in row[start:stop]] for row in rows]
    limits = axes.axis()
    axes.imshow(
        pixels, extent=(start, stop, len(rows), 0), aspect="auto", interpolation="nearest", zorder=0
    )
    axes.axis(limits)
