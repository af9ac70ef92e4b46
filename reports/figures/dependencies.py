"""Which claim rests on which, as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.documents.graph import Layout
from reports.figures.style import BLUE, GREEN, GREY, INK, ORANGE, VERMILLION, WIDTH, clipped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME: Final = "depends"
_EDGES: Final = {"PROVED": BLUE, "CONDITIONAL": GREEN, "REFUTED": VERMILLION}
_LINE: Final = 0.19
_LONGEST: Final = 24


@dataclass(frozen=True)
class Dependencies:
    """A layout, and the verdict of each node."""

    title: str
    layout: Layout
    verdicts: dict[str, str]

    def caption(self) -> str:
        """Say what the figure shows."""
        count = len(self.layout.places)
        return (
            f"{self.title}: {count} rows that rest on one another, what is used to the left of "
            "what uses it; P proved, C conditional, X checked, U unknown, R refuted."
        )

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        places = self.layout.places
        columns = max(column for column, _ in places.values()) + 1
        lines = max(line for _, line in places.values()) + 1
        heights = {c: sum(1 for k, _ in places.values() if k == c) for c in range(columns)}
        height = _LINE * (lines + 1)
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
        axes.set_xlim(-0.02, columns)
        axes.set_ylim(lines, -0.5)
        axes.set_axis_off()
        step = 0.78 if columns > 1 else 0.9

        def at(name: str) -> tuple[float, float]:
            column, line = places[name]
            return column, line + (lines - heights[column]) / 2

        for start, end in self.layout.edges:
            (x, y), (u, v) = at(start), at(end)
            axes.plot((x + step, u - 0.02), (y, v), color=GREY, linewidth=0.4, zorder=1)
        size = max(3.2, min(6.0, 30 / columns))
        for name in places:
            x, y = at(name)
            verdict = self.verdicts[name]
            letter = "X" if verdict == "CHECKED" else verdict[0]
            short = clipped(name.partition(".")[2] or name, _LONGEST)
            axes.text(
                x,
                y,
                f"{letter} {short}",
                fontsize=size,
                color=INK,
                va="center",
                zorder=2,
                bbox={
                    "boxstyle": "round,pad=0.2",
                    "facecolor": "white",
                    "edgecolor": _EDGES.get(verdict, ORANGE),
                    "linewidth": 0.8,
                },
            )
        return figure
