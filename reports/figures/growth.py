"""How the global delay grows with the number of stages: measured, and as the laws say."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reports.checks import integer, list_of, plain, rationals, record, text
from reports.errors import LedgerError
from reports.figures.style import BLUE, GREY, INK, VERMILLION, WIDTH, clipped, heading, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LAW = record({"label": text, "latex": text, "values": list_of(plain)})
_SHAPE = record(
    {
        "linearization": text,
        "p": list_of(integer(1)),
        "mean": list_of(plain),
        "max": list_of(integer(0)),
        "p10": list_of(plain),
        "whole_run_max": list_of(integer(0)),
        "laws": list_of(_LAW),
    }
)
_DASHES = ((4.0, 2.0), (1.5, 1.5), (6.0, 2.0, 1.5, 2.0), (3.0, 1.0, 1.0, 1.0, 1.0, 1.0))
_MOST_MARKED = 16
"""Numbers of stages up to which each has its marker and its tick."""

Values = tuple[Fraction, ...]


@dataclass(frozen=True)
class Law:
    """A printed or derived formula, evaluated at every p of the figure."""

    label: str
    latex: str
    values: Values


@dataclass(frozen=True)
class Growth:
    """Delays by number of stages; every sequence has one value for each p."""

    linearization: str
    p: Values
    mean: Values
    maximum: Values
    p10: Values
    whole_run_max: Values
    laws: tuple[Law, ...]

    @classmethod
    def read(cls, data: dict[str, Any], place: str) -> Growth:
        """Check the data of a ledger row and make them exact.

        Raises
        ------
        LedgerError
            If a key is missing, a number is none, or the lengths differ.
        """
        _SHAPE(data, place)
        laws, stages = data["laws"], data["p"]
        if not stages or any(a >= b for a, b in pairwise(stages)):
            raise LedgerError("must be rising numbers of stages", stages, f"{place}.p", "sort them")
        columns = {f".{key}": data[key] for key in ("mean", "max", "p10", "whole_run_max")}
        columns |= {f".laws[{k}].values": law["values"] for k, law in enumerate(laws)}
        exact = {}
        for key, values in columns.items():
            if len(values) != len(stages):
                raise LedgerError(
                    f"needs one value for each of the {len(stages)} p",
                    f"{len(values)} values",
                    place + key,
                    "give as many values as there are p",
                )
            exact[key] = rationals(values, place + key)
        return cls(
            data["linearization"],
            rationals(stages, f"{place}.p"),
            exact[".mean"],
            exact[".max"],
            exact[".p10"],
            exact[".whole_run_max"],
            tuple(
                Law(law["label"], law["latex"], exact[f".laws[{k}].values"])
                for k, law in enumerate(laws)
            ),
        )

    def caption(self) -> str:
        """Say what the figure shows."""
        laws = "; ".join(law.label for law in self.laws)
        return (
            f"Global delay in the steady state against the number of stages p, "
            f"{self.linearization} linearization: mean (line), 10th percentile to maximum (band), "
            f"and the largest delay of the whole run, start and end included"
            + (f". Dashed: {laws}." if laws else ".")
        )

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, 4.0))
        longest = max(len(words) for words, _, _ in self._ends())
        axes = figure.add_axes((0.085, 0.12, 0.87 - 0.0085 * longest, 0.78))
        stages = _floats(self.p)
        axes.fill_between(
            stages, _floats(self.p10), _floats(self.maximum), color=BLUE, alpha=0.14, linewidth=0
        )
        lines = [(self.maximum, BLUE, "o"), (self.mean, BLUE, "o")]
        for values, colour, sign in [*lines, (self.whole_run_max, VERMILLION, "s")]:
            axes.plot(
                stages,
                _floats(values),
                color=colour,
                linewidth=1.8,
                marker=sign if len(stages) <= _MOST_MARKED else "",
                markersize=3.2,
                clip_on=False,
            )
        for k, law in enumerate(self.laws):
            dashes = (0, _DASHES[k % len(_DASHES)])
            axes.plot(stages, _floats(law.values), color=INK, linewidth=0.9, linestyle=dashes)
        heading(axes, f"Global delay, {self.linearization} linearization")
        axes.set_xlabel("stages p")
        axes.set_ylabel("delay, in updates of the global history")
        if len(stages) <= _MOST_MARKED:
            axes.set_xticks(stages)
        axes.set_xlim(stages[0] if len(stages) > 1 else stages[0] - 1, stages[-1])
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]) if self._below_zero() else 0.0)
        self._label(axes)
        return figure

    def _below_zero(self) -> bool:
        return any(value < 0 for law in self.laws for value in law.values)

    def _ends(self) -> list[tuple[str, float, str]]:
        """List what stands at the right end of every line: words, height, colour."""
        return [
            ("whole run, maximum", float(self.whole_run_max[-1]), VERMILLION),
            ("steady, maximum", float(self.maximum[-1]), BLUE),
            ("steady, mean", float(self.mean[-1]), BLUE),
            ("steady, 10th percentile", float(self.p10[-1]), BLUE),
            *((clipped(law.label, 44), float(law.values[-1]), INK) for law in self.laws),
        ]

    def _label(self, axes: Axes) -> None:
        """Name every line at its right end, moved apart, with a hairline to where it ends."""
        end = axes.get_xlim()[1]
        low, high = axes.get_ylim()
        ends = self._ends()
        heights = spread([value for _, value, _ in ends], (high - low) * 0.048)
        beside = 1 + 0.03 / axes.get_position().width
        for (words, value, colour), height in zip(ends, heights, strict=True):
            axes.annotate(
                words,
                xy=(end, value),
                xytext=(beside, (height - low) / (high - low)),
                textcoords="axes fraction",
                color=colour,
                fontsize=7.5,
                verticalalignment="center",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkB": 1},
            )


def _floats(values: Values) -> list[float]:
    return [float(value) for value in values]
