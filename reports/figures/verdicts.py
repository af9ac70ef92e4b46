"""The verdicts of a table of claims as colours, each with its word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.figures.style import BLUE, GREEN, INK, PALE, VERMILLION, WIDTH, clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME: Final = "verdicts"
"""Part of the name of its files."""

_COLOURS: Final = {
    "PROVED": (BLUE, "white"),
    "CONDITIONAL": (GREEN, "white"),
    "CHECKED": ("#9ecae9", INK),
    "UNKNOWN": (PALE, INK),
    "REFUTED": (VERMILLION, "white"),
}
"""Verdict → its colour, which people who see few colours tell apart, and that of its word."""

_LINE, _HEAD, _LEFT, _FOOT = 0.22, 0.62, 1.75, 0.08
_LONGEST: Final = 26
"""Letters of a line's name."""


@dataclass(frozen=True)
class Verdicts:
    """Verdicts by line and column; empty where a line has none.

    Attributes
    ----------
    title : str
    rows, columns : tuple of str
    words : tuple of tuple of str
        One line a row.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    def caption(self) -> str:
        """Say what the figure shows."""
        flat = [word for line in self.words for word in line if word]
        counts = ", ".join(f"{flat.count(word)} {word}" for word in _COLOURS if word in flat)
        return (
            f"{self.title}: {len(self.rows)} lines, {len(self.columns)} columns, {counts}. "
            "A domain belongs to every verdict."
        )

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        height = _HEAD + _LINE * len(self.rows) + _FOOT
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_axes(
            (
                _LEFT / WIDTH,
                _FOOT / height,
                1 - (_LEFT + 0.1) / WIDTH,
                _LINE * len(self.rows) / height,
            )
        )
        axes.set_xlim(0, len(self.columns))
        axes.set_ylim(len(self.rows), 0)
        for at, line in enumerate(self.words):
            for column, word in enumerate(line):
                _cell(axes, at, column, word)
        axes.set_yticks(
            [at + 0.5 for at in range(len(self.rows))],
            [clipped(name, _LONGEST) for name in self.rows],
        )
        axes.set_xticks([at + 0.5 for at in range(len(self.columns))], self.columns)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        figure.text(0.1 / WIDTH, 1 - 0.2 / height, clipped(self.title, 90), fontsize=9)
        return figure


def _cell(axes: Axes, at: int, column: int, word: str) -> None:
    if word not in _COLOURS:
        return
    from matplotlib.patches import Rectangle

    colour, ink = _COLOURS[word]
    axes.add_patch(Rectangle((column + 0.02, at + 0.05), 0.96, 0.9, color=colour, linewidth=0))
    axes.text(
        column + 0.5, at + 0.53, word, color=ink, fontsize=6, ha="center", va="center_baseline"
    )
