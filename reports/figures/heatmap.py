"""The steady delay matrix, and where it leaves the printed law.

Shapes: p rows (active stage i) by p columns (block j).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from reports.checks import integer, list_of, plain, rationals, record, text
from reports.errors import LedgerError
from reports.figures.style import WIDTH, heading, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_SHAPE = record(
    {
        "linearization": text,
        "p": integer(1),
        "rows": list_of(list_of(integer(-(10**30) + 1))),
        "law": list_of(list_of(plain)),
    }
)
_LARGEST_WITH_NUMBERS = 16
_EMS = {"+": 0.84, "−": 0.84, "/": 0.34}
"""Widths of signs, in ems; a digit has 0.64."""

Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Heatmap:
    """Exact delays and the printed law, both p by p."""

    linearization: str
    p: int
    rows: Matrix
    law: Matrix

    @classmethod
    def read(cls, data: dict[str, Any], place: str) -> Heatmap:
        """Check the data of a ledger row and make them exact.

        Raises
        ------
        LedgerError
            If a key is missing, a number is none, or a matrix is not p by p.
        """
        _SHAPE(data, place)
        p = data["p"]
        for key in ("rows", "law"):
            shape = [len(data[key]), *(len(row) for row in data[key])]
            if any(size != p for size in shape):
                odd = next(size for size in shape if size != p)
                raise LedgerError(
                    f"must be a matrix of {p} by {p} numbers",
                    f"a side of {odd}",
                    f"{place}.{key}",
                    "give one row a stage and one column a block",
                )
        rows, law = (
            tuple(rationals(row, f"{place}.{key}[{i}]") for i, row in enumerate(data[key]))
            for key in ("rows", "law")
        )
        return cls(data["linearization"], len(rows), rows, law)

    @property
    def difference(self) -> Matrix:
        """Measured minus law, exactly."""
        return tuple(
            tuple(measured - law for measured, law in zip(*pair, strict=True))
            for pair in zip(self.rows, self.law, strict=True)
        )

    def caption(self) -> str:
        """Say what the figure shows."""
        off = sum(value != 0 for row in self.difference for value in row)
        total = self.p**2
        return (
            f"Steady global delays for p = {self.p}, {self.linearization} linearization (row: "
            f"active stage i, column: block j, both from 0), and what remains of them after the "
            f"printed law is taken away: {off} of {total} entries differ from it."
        )

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        numbered = self.p <= _LARGEST_WITH_NUMBERS
        figure = Figure(figsize=(WIDTH, 3.75 if numbered else 3.3))
        measured, remains = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.065, right=0.985, top=0.92, bottom=0.115, wspace=0.16)
        largest = max(2.0, *(abs(float(value)) for row in self.difference for value in row))
        values = [float(value) for row in self.rows for value in row]
        # Beyond the values lie the heaviest colours; with numbers in the cells nobody needs them.
        room = 1.4 if numbered else 1.0
        top = min(values) + max(1.0, max(values) - min(values)) * room
        images = (
            _panel(measured, self.rows, "Blues", (min(values), top)),
            _panel(remains, self.difference, "PuOr_r", (-room * largest, room * largest)),
        )
        if numbered:
            _write(images[0], [[str(value) for value in row] for row in self.rows])
            _write(images[1], [[_signed(value) for value in row] for row in self.difference])
        else:
            for image, axes in zip(images, (measured, remains), strict=True):
                bar = figure.colorbar(image, ax=axes, shrink=0.86, pad=0.03)
                bar.ax.spines[:].set_visible(False)
        heading(measured, f"Exact delay, p = {self.p}, {self.linearization}")
        heading(remains, "Exact − printed law")
        measured.set_ylabel("active stage i")
        return figure


def _signed(value: Fraction) -> str:
    return "0" if value == 0 else f"{'+' if value > 0 else '−'}{abs(value)}"


def _panel(axes: Axes, matrix: Matrix, colours: str, limits: tuple[float, float]) -> AxesImage:
    """Draw one matrix as squares of colour."""
    values = [[float(value) for value in row] for row in matrix]
    low, high = limits
    image = axes.imshow(values, cmap=colours, vmin=low, vmax=high, interpolation="nearest")
    axes.set_xlabel("block j")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def _write(image: AxesImage, entries: list[list[str]]) -> None:
    """Write the numbers into the cells, in the largest size that fits all of them."""
    import numpy as np

    axes, p = image.axes, len(entries)
    axes.set_xticks(range(p))
    axes.set_yticks(range(p))
    widest = max(sum(_EMS.get(c, 0.64) for c in entry) for row in entries for entry in row)
    size = min(11.0, 215 / p / (max(widest, 1.2) + 0.5))
    shades = image.to_rgba(np.asarray(image.get_array()))
    for i, row in enumerate(entries):
        for j, entry in enumerate(row):
            colour = readable(*shades[i, j, :3])
            axes.text(j, i, entry, fontsize=size, color=colour, ha="center", va="center_baseline")
