"""Maps over two quantities, on logarithmic scales: which of several things is best where.

Shapes: a map has a row for each place upwards, from the lowest, and a column for each place across.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Final

from reports.errors import PictureError, shorten
from reports.figures.curves import tick
from reports.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PURPLE,
    VERMILLION,
    WIDTH,
    clipped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE)
MOST_CELLS: Final = 1_000_000
_TOP, _BOTTOM, _LEFT, _MAP = 0.78, 0.85, 0.62, 2.7
"""Inches; a map is so tall."""


@dataclass(frozen=True)
class Panel:
    """One map.

    Attributes
    ----------
    title : str
    best : tuple of tuple of (int or None)
        Which of the names is best; None where none is.
    doubtful : tuple of tuple of bool
        Cells to mark with a dot; none by default.
    """

    title: str
    best: tuple[tuple[int | None, ...], ...]
    doubtful: tuple[tuple[bool, ...], ...] = ()

    def marks(self) -> list[tuple[int, int]]:
        """Column and row of every cell to mark."""
        return [
            (i, j) for j, row in enumerate(self.doubtful) for i, is_so in enumerate(row) if is_so
        ]


@dataclass(frozen=True)
class Regions:
    """Maps over the same places, side by side.

    Attributes
    ----------
    title, note : str
        The first and the second line above the picture.
    across, up : str
        What the axes show.
    places : pair of tuple of float
        Across and upwards, both rising from above 0.
    names : tuple of str
        Each has a colour of its own, the same in all maps.
    panels : tuple of Panel
    """

    title: str
    note: str
    across: str
    up: str
    places: tuple[tuple[float, ...], tuple[float, ...]]
    names: tuple[str, ...]
    panels: tuple[Panel, ...]

    def __post_init__(self) -> None:
        for values in self.places:
            rises = all(a < b for a, b in pairwise(values))
            if len(values) < 2 or not rises or values[0] <= 0 or not isfinite(values[-1]):
                raise self._error("two places or more rise from above 0", values)
        wide, high = map(len, self.places)
        if wide * high > MOST_CELLS:
            raise self._error(f"there are at most {MOST_CELLS} cells", wide * high)
        if not 1 <= len(self.names) <= len(COLOURS) or not self.panels:
            raise self._error(f"there are 1 to {len(COLOURS)} names and some map", self.names)
        for panel in self.panels:
            if len(panel.best) != high or any(len(row) != wide for row in panel.best):
                raise self._error(f"a map has {high} rows of {wide} cells", panel.title)
            if panel.doubtful and [*map(len, panel.doubtful)] != [wide] * high:
                raise self._error("there is a mark or none for each cell", panel.title)
            if not {k for row in panel.best for k in row} <= {None, *range(len(self.names))}:
                raise self._error("a cell is the number of a name, or None", panel.title)

    def _error(self, rule: str, found: object) -> PictureError:
        return PictureError(
            f"a map needs that {rule}, found {shorten(found)}",
            shorten(self.title),
            "change the ranges or the parameters",
        )

    def caption(self) -> str:
        """Say what the figure shows."""
        names, maps = ", ".join(self.names), "; ".join(panel.title for panel in self.panels)
        return (
            f"{self.title}: {self.up} against {self.across}. Colours: {names}. {maps}. {self.note}"
        )

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        total = _TOP + _MAP + _BOTTOM
        figure = Figure(figsize=(WIDTH, total))
        wide = (WIDTH - _LEFT * (len(self.panels) + 0.2)) / len(self.panels)
        for number, panel in enumerate(self.panels):
            left = _LEFT + number * (wide + _LEFT)
            axes = figure.add_axes((left / WIDTH, _BOTTOM / total, wide / WIDTH, _MAP / total))
            self._fill(axes, panel)
        figure.text(
            _LEFT / WIDTH, 1 - 0.22 / total, clipped(self.title, 100), fontsize=9, color=INK
        )
        figure.text(_LEFT / WIDTH, 1 - 0.4 / total, clipped(self.note, 130), fontsize=7, color=GREY)
        self._legend(figure, total)
        return figure

    def _fill(self, axes: Axes, panel: Panel) -> None:
        from matplotlib.colors import ListedColormap

        cells = [[len(COLOURS) if k is None else k for k in row] for row in panel.best]
        across, up = (_edges(values) for values in self.places)
        colours = ListedColormap([*COLOURS, PALE])
        axes.pcolormesh(across, up, cells, cmap=colours, vmin=-0.5, vmax=len(COLOURS) + 0.5)
        marks = panel.marks()
        if marks:
            columns, rows = zip(*marks, strict=True)
            axes.scatter(
                [self.places[0][i] for i in columns],
                [self.places[1][j] for j in rows],
                s=0.9,
                color="white",
                linewidths=0,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(across[0], across[-1])
        axes.set_ylim(up[0], up[-1])
        tick(axes.xaxis, across[0], across[-1])
        tick(axes.yaxis, up[0], up[-1])
        axes.set_xlabel(self.across)
        axes.set_ylabel(self.up)
        axes.set_title(clipped(panel.title, 60), loc="left", fontsize=8)

    def _legend(self, figure: Figure, total: float) -> None:
        from matplotlib.patches import Patch

        used = {k for panel in self.panels for row in panel.best for k in row}
        patches = [
            Patch(color=COLOURS[k], label=clipped(name, 30))
            for k, name in enumerate(self.names)
            if k in used
        ]
        if None in used:
            patches.append(Patch(color=PALE, label="no bound holds"))
        figure.legend(
            handles=patches,
            loc="lower left",
            bbox_to_anchor=(_LEFT / WIDTH, 0.06 / total),
            borderaxespad=0,
            ncols=len(patches),
            frameon=False,
            fontsize=7,
            handlelength=1.1,
            columnspacing=1.2,
        )


def _edges(places: tuple[float, ...]) -> list[float]:
    """Where cells begin and end: halfway between places, as a ratio.

    Examples
    --------
    >>> _edges((1.0, 4.0, 16.0))
    [0.5, 2.0, 8.0, 32.0]
    """
    inner = [sqrt(a) * sqrt(b) for a, b in pairwise(places)]
    return [places[0] ** 2 / inner[0], *inner, places[-1] ** 2 / inner[-1]]
