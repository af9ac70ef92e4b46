"""Curves over one quantity, on logarithmic scales: bounds, and where one overtakes another."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log10
from typing import TYPE_CHECKING, Any, Final

from reports.checks import list_of, number, record, text
from reports.errors import LedgerError, PictureError, shorten
from reports.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    VERMILLION,
    WIDTH,
    clipped,
    spread,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_CURVE: Final = record({"label": text, "group": text, "values": list_of(number)})
_SHAPE: Final = record(
    {
        "title": text,
        "note": text,
        "across": text,
        "up": text,
        "places": list_of(number),
        "curves": list_of(_CURVE),
    }
)
COLOURS: Final = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE)
MOST_CURVES: Final = 16
_DASHES: Final = ("solid", (0, (4.0, 2.0)), (0, (1.5, 1.5)))
_LABEL: Final = 34
"""Letters of a curve's name that are shown."""


@dataclass(frozen=True)
class Curve:
    """Values of one curve; None where it has none.

    Attributes
    ----------
    label : str
    group : str
        Curves of a group have one colour, and dashes that tell them apart.
    values : tuple of float or None
    """

    label: str
    group: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Curves:
    """Curves over the same places.

    Attributes
    ----------
    title, note : str
        The first and the second line above the picture.
    across, up : str
        What the axes show.
    places : tuple of float
        Rising, above 0.
    curves : tuple of Curve
    marks : tuple of float
        Places to mark with a line upwards.
    """

    title: str
    note: str
    across: str
    up: str
    places: tuple[float, ...]
    curves: tuple[Curve, ...]
    marks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        rises = all(a < b for a, b in zip(self.places, self.places[1:], strict=False))
        if not self.places or not rises or self.places[0] <= 0 or not isfinite(self.places[-1]):
            raise self._error("places rise from above 0", self.places)
        if not 1 <= len(self.curves) <= MOST_CURVES:
            raise self._error(f"there are 1 to {MOST_CURVES} curves", self.curves)
        for curve in self.curves:
            if len(curve.values) != len(self.places):
                raise self._error(f"one value for each of the {len(self.places)} places", curve)
        if not self._drawn():
            raise self._error("some value is finite and above 0", self.curves)

    @classmethod
    def read(cls, data: dict[str, Any], place: str) -> Curves:
        """Check the data of a ledger row.

        Raises
        ------
        LedgerError
            A key is missing, a number is none, or the curves cannot be drawn.
        """
        _SHAPE(data, place)
        curves = tuple(
            Curve(one["label"], one["group"], tuple(map(float, one["values"])))
            for one in data["curves"]
        )
        try:
            return cls(
                data["title"],
                data["note"],
                data["across"],
                data["up"],
                tuple(map(float, data["places"])),
                curves,
            )
        except PictureError as error:
            raise LedgerError(error.what, data["places"], place, error.fix) from error

    def _error(self, rule: str, found: object) -> PictureError:
        return PictureError(
            f"curves need that {rule}, found {shorten(found)}",
            shorten(self.title),
            "change the range or the parameters",
        )

    def _drawn(self) -> list[float]:
        values = (value for curve in self.curves for value in curve.values)
        return [value for value in values if value is not None and 0 < value < float("inf")]

    def caption(self) -> str:
        """Say what the figure shows."""
        names = ", ".join(curve.label for curve in self.curves)
        return f"{self.title}: {self.up} against {self.across}. Curves: {names}. {self.note}"

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, 4.2))
        longest = min(_LABEL, max(len(curve.label) for curve in self.curves))
        axes = figure.add_axes((0.1, 0.12, 0.86 - 0.0085 * longest, 0.74))
        axes.set_xscale("log")
        axes.set_yscale("log")
        values = self._drawn()
        axes.set_xlim(self.places[0], self.places[-1] * (1 if len(self.places) > 1 else 2))
        axes.set_ylim(min(values) / 1.3, max(values) * 1.3)
        ends = [self._plot(axes, curve) for curve in self.curves]
        for axis, ends_of in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            tick(axis, *ends_of)
        for mark in self.marks:
            axes.axvline(mark, color=GREY, linewidth=0.8, linestyle=(0, (1.0, 2.0)))
        axes.set_xlabel(self.across)
        axes.set_ylabel(self.up)
        self._label(axes, ends)
        figure.text(0.1, 0.955, clipped(self.title, 100), fontsize=9, color=INK)
        figure.text(0.1, 0.91, clipped(self.note, 120), fontsize=7.5, color=GREY)
        return figure

    def _plot(self, axes: Axes, curve: Curve) -> tuple[str, float, float, str]:
        """Draw a curve; its name, where it ends, and its colour."""
        groups = list(dict.fromkeys(each.group for each in self.curves))
        colour = COLOURS[groups.index(curve.group) % len(COLOURS)]
        alike = [each for each in self.curves if each.group == curve.group]
        shown = [
            (place, value)
            for place, value in zip(self.places, curve.values, strict=True)
            if value is not None and 0 < value < float("inf")
        ]
        # Gaps stay gaps: matplotlib leaves out what is not a number.
        heights = [float("nan") if value is None else value for value in curve.values]
        axes.plot(
            self.places,
            heights,
            color=colour,
            linewidth=1.6,
            linestyle=_DASHES[alike.index(curve) % len(_DASHES)],
            marker="o" if len(shown) == 1 else "",
            markersize=3.5,
        )
        place, value = shown[-1] if shown else (self.places[-1], max(self._drawn()))
        name = curve.label if shown else f"{curve.label}: nowhere"
        return name, place, value, colour

    def _label(self, axes: Axes, ends: list[tuple[str, float, float, str]]) -> None:
        """Name every curve at the right, moved apart, with a hairline to where it ends."""
        low, high = (log10(end) for end in axes.get_ylim())
        heights = spread([(log10(value) - low) / (high - low) for *_, value, _ in ends], 0.05)
        for (name, place, value, colour), height in zip(ends, heights, strict=True):
            axes.annotate(
                clipped(name, _LABEL),
                xy=(place, value),
                xytext=(1.03, height),
                textcoords="axes fraction",
                color=colour,
                fontsize=7.5,
                verticalalignment="center",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkB": 1},
            )


def tick(axis: Axis, low: float, high: float) -> None:
    """Plain numbers, 1, 2 and 5 times a power of ten where there are few powers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    few = log10(high / low) < 3
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
