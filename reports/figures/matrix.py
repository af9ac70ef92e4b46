"""A table of whole numbers as colours: delays, staleness.

Shapes: any number of rows by any number of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.errors import PictureError, shorten
from reports.figures.style import GREY, clipped, readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

MOST_CELLS: Final = 4_000_000
_WIDTH, _LEAST_WIDTH, _TALLEST = 10.0, 4.6, 9.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.62, 0.15, 0.62, 0.5
_BAR = 0.75
"""Inches for the scale of colours beside the table."""
_CELL = 0.38


@dataclass(frozen=True)
class Matrix:
    """Whole numbers, with what rows and columns count, both from 0.

    Attributes
    ----------
    title, note : str
        The first and the second line above the picture.
    row, column : str
    rows : tuple of tuple of int
        All of one length.
    """

    title: str
    note: str
    row: str
    column: str
    rows: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.rows}
        if len(lengths) != 1 or not 0 < len(self.rows) * max(lengths) <= MOST_CELLS:
            raise PictureError(
                f"a table has rows of one length and 1 to {MOST_CELLS} cells, found "
                f"{len(self.rows)} rows of lengths {shorten(sorted(lengths)[:3])}",
                shorten(self.title),
                "draw fewer microbatches",
            )

    def caption(self) -> str:
        """Say what the figure shows."""
        return f"{self.title} (rows: {self.row}, columns: {self.column}). {self.note}"

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        high, wide = len(self.rows), len(self.rows[0])
        widest = max(len(str(value)) for row in self.rows for value in row)
        cell = min(_CELL, (_WIDTH - _LEFT - _RIGHT - _BAR) / wide)
        tall = min(_CELL, max(cell, 0.2), _TALLEST / high)
        size = min(9.5, tall * 72 * 0.5, cell * 72 * 0.9 / (0.64 * widest))
        numbered = size >= 3
        beside = _RIGHT if numbered else _BAR
        whole = max(_LEFT + cell * wide + beside, _LEAST_WIDTH)
        total = _TOP + tall * high + _BOTTOM
        figure = Figure(figsize=(whole, total))
        axes = figure.add_axes(
            (_LEFT / whole, _BOTTOM / total, cell * wide / whole, tall * high / total)
        )
        lowest = min(min(row) for row in self.rows)
        largest = max(max(row) for row in self.rows)
        # With numbers in the cells nobody needs the heaviest colours.
        top = lowest + max(1.0, (largest - lowest) * (1.35 if numbered else 1.0))
        image = axes.imshow(
            self.rows, cmap="Blues", vmin=lowest, vmax=top, interpolation="nearest", aspect="auto"
        )
        axes.set_xlabel(self.column)
        axes.set_ylabel(self.row)
        axes.set_xticks(_ticks(wide, cell, 0.2))
        axes.set_yticks(_ticks(high, tall, 0.14))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if numbered:
            self._write(image, size)
        else:
            left = (_LEFT + cell * wide + 0.12) / whole
            scale = figure.add_axes((left, _BOTTOM / total, 0.13 / whole, tall * high / total))
            figure.colorbar(image, cax=scale).outline.set_visible(False)
        figure.text(_LEFT / whole, 1 - 0.24 / total, clipped(self.title, 100), fontsize=10)
        figure.text(_LEFT / whole, 1 - 0.44 / total, clipped(self.note, 120), color=GREY)
        return figure

    def _write(self, image: AxesImage, size: float) -> None:
        """Write the numbers into the cells."""
        import numpy as np

        shades = image.to_rgba(np.asarray(image.get_array()))
        for i, row in enumerate(self.rows):
            for j, value in enumerate(row):
                ink = readable(*shades[i, j, :3])
                image.axes.text(
                    j,
                    i,
                    str(value).replace("-", "−"),
                    fontsize=size,
                    color=ink,
                    ha="center",
                    va="center_baseline",
                )


def _ticks(count: int, cell: float, room: float) -> range:
    """Which of `count` cells, each so many inches, get a number of so many inches.

    Examples
    --------
    >>> _ticks(9, 0.1, 0.2)
    range(0, 9, 2)
    """
    steps = (k * 10**power for power in range(8) for k in (1, 2, 5))
    return range(0, count, next(step for step in steps if step * cell >= room))
