"""Rates of long runs: a measured quantity along one parameter, and the exponent it follows.

Runs are second-moment recursions in doubles, or closed forms, never samples. An exponent is
evidence: whatever it is, it refutes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from theory.ledger import Evidence


@dataclass(frozen=True)
class Rate:
    """A quantity along one parameter.

    Attributes
    ----------
    says : str
        What was run.
    along : str
        The parameter, by the name of its symbol.
    at : tuple of int
        Its values, rising.
    measured : tuple of float
    """

    says: str
    along: str
    at: tuple[int, ...]
    measured: tuple[float, ...]

    def slopes(self) -> list[float]:
        """Exponents between neighbouring points."""
        points = [(math.log(x), math.log(y)) for x, y in self._points()]
        return [(v - y) / (u - x) for (x, y), (u, v) in pairwise(points)]

    @property
    def exponent(self) -> float:
        """The least-squares slope on logarithmic axes.

        Examples
        --------
        >>> round(Rate("squares", "K", (1, 2, 4), (3.0, 12.0, 48.0)).exponent, 6)
        2.0
        """
        slope, _ = np.polyfit(np.log(self.at), np.log(self.measured), 1)
        return float(slope)

    @property
    def fitted(self) -> tuple[float, ...]:
        """The power law through the middle of the points."""
        logs = [math.log(y) - self.exponent * math.log(x) for x, y in self._points()]
        factor = math.exp(sum(logs) / len(logs))
        return tuple(factor * x**self.exponent for x in self.at)

    def _points(self) -> list[tuple[int, float]]:
        return list(zip(self.at, self.measured, strict=True))

    def evidence(self) -> Evidence:
        """The series, its exponent and spread, with the data of a picture of curves."""
        slopes = self.slopes()
        spread = f"{min(slopes):.2f} … {max(slopes):.2f}"
        law = f"{self.along}^{self.exponent:.2f}"
        return Evidence(
            "neither",
            f"{self.says}: grows as {law} (between neighbouring points: {spread})",
            {
                "figure": "curves",
                "title": self.says,
                "note": f"fitted exponent {self.exponent:.3f}, between neighbours {spread}",
                "across": self.along,
                "up": "measured",
                "places": list(self.at),
                "curves": [
                    {"label": label, "group": label, "values": [float(f"{v:.6g}") for v in values]}
                    for label, values in (("measured", self.measured), (law, self.fitted))
                ],
                "exponent": f"{self.exponent:.3f}",
                "spread": [f"{min(slopes):.3f}", f"{max(slopes):.3f}"],
            },
        )


def evidence(*runs: Callable[[], Rate]) -> tuple[Callable[[], Evidence], ...]:
    """Long runs as the evidence that they give, each run when it is asked for."""
    return tuple(partial(_evidence, run) for run in runs)


def _evidence(run: Callable[[], Rate]) -> Evidence:
    return run().evidence()
