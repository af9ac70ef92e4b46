"""Long runs of the delayed method in doubles: how f(w_t) − f* goes over millions of iterations.

Many runs go side by side, one to a column of an array. All have β = 1, so that η stands for ηβ.
Only sums, products, quotients and clipping are used, entry by entry: every machine with IEEE
doubles gives the same bits. Exponents are evidence: whatever they are, they prove and refute
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from theory.falsifier.rates import Rate
from theory.ledger import Evidence
from theory.papers.nesterov.runs.local_analysis import exponent

Floats = npt.NDArray[np.float64]

FIRST: Final = 6
"""Windows begin at t = 2^FIRST; before, a delay is not yet small against t."""
DOUBLINGS: Final = 20
"""Runs of a deep search go to t = 2^DOUBLINGS, about a million."""
FITTED: Final = 4
"""Windows from which an exponent is taken, the last ones."""
SLOW: Final = -0.95
"""An exponent above it speaks against O(1/t); exponents of −1 are measured to about 0.02."""


@dataclass(frozen=True)
class Column:
    """One run on a scalar f with minimizer 0, whose derivative is λw, clipped to [−below, above].

    Attributes
    ----------
    says : str
        Name of the function.
    tau : int
    eta : Fraction
    curvature : Fraction
        λ ≤ β = 1.
    start : Fraction
        w_1.
    below, above : float
        Infinite for a parabola.
    """

    says: str
    tau: int
    eta: Fraction
    curvature: Fraction = Fraction(1)
    start: Fraction = Fraction(1)
    below: float = float("inf")
    above: float = float("inf")


def extremes(columns: Sequence[Column], doublings: int) -> tuple[Floats, Floats]:
    """The least and the greatest w_t of every window 2^k ≤ t < 2^{k+1}, FIRST ≤ k < doublings.

    Returns
    -------
    tuple of arrays, each of shape (doublings − FIRST, number of columns)

    Examples
    --------
    >>> low, high = extremes([Column("line", 3, Fraction(1), start=Fraction(500), above=1.0)], 8)
    >>> high.ravel().tolist()  # w_t = 501 − t at first, whatever the delay
    [437.0, 373.0]
    """
    tau = np.array([column.tau for column in columns])
    force = np.array([float(column.eta) for column in columns]) * 2.0
    bend = np.array([float(column.curvature) for column in columns])
    below = np.array([-column.below for column in columns])
    above = np.array([column.above for column in columns])
    point = np.array([float(column.start) for column in columns])
    move = np.zeros_like(point)
    size, every = int(tau.max()) + 1, np.arange(len(columns))
    ahead = np.tile(point, (size, 1))  # w_s + d_s for the last `size` values of s
    lows, highs = [], []
    for t in range(1, 2**doublings):
        if t >= 2**FIRST and t & (t - 1) == 0:
            lows.append(point.copy())
            highs.append(point.copy())
        ahead[t % size] = point + max(t - 2, 0) / t * move
        slope = np.clip(bend * ahead[(t - tau) % size, every], below, above)
        # γ_1 = 0, so that the first step is η and not 2η
        move = max(t - 2, 0) / t * move - (force / max(t, 2)) * slope
        if lows:
            np.minimum(lows[-1], point, out=lows[-1])
            np.maximum(highs[-1], point, out=highs[-1])
        point = point + move
    return np.array(lows), np.array(highs)


def gaps(columns: Sequence[Column], doublings: int) -> Floats:
    """The greatest f(w_t) − f* of every window, shape (doublings − FIRST, number of columns)."""
    low, high = extremes(columns, doublings)
    bend = np.array([float(column.curvature) for column in columns])
    worths = []
    for reach, far in ((-low, [c.below for c in columns]), (high, [c.above for c in columns])):
        out = np.maximum(reach, 0.0)
        knee = np.array(far) / bend
        near = np.minimum(out, knee)
        beyond = np.where(out > knee, bend * near * (out - near), 0.0)
        worths.append(bend * near**2 / 2 + beyond)
    worst: Floats = np.maximum(worths[0], worths[1])
    return worst


@dataclass(frozen=True)
class Trend:
    """What a run's gaps do in the end.

    Attributes
    ----------
    column : Column
    gaps : tuple of float
        The greatest f(w_t) − f* of every window.
    exponent : float
        Of t, by least squares over the last `FITTED` windows.
    spread : tuple of float
        The least and the greatest exponent between neighbours among them.
    """

    column: Column
    gaps: tuple[float, ...]
    exponent: float
    spread: tuple[float, float]

    def describe(self) -> dict[str, Any]:
        """As plain data, with the exponent that the formal series gives on a parabola."""
        one = self.column
        return {
            "function": one.says,
            "tau": one.tau,
            "eta·beta": str(one.eta),
            "curvature/beta": str(one.curvature),
            "exponent": round(self.exponent, 3),
            "spread": [round(end, 3) for end in self.spread],
            "parabola": str(exponent(one.tau, one.eta, one.curvature)),
        }


def trends(columns: Sequence[Column], doublings: int = DOUBLINGS) -> list[Trend]:
    """All runs side by side, each with its exponent."""
    found = gaps(columns, doublings)
    places = tuple(2**k for k in range(doublings - FITTED, doublings))
    ends = []
    for n, column in enumerate(columns):
        series = tuple(map(float, found[:, n]))
        rate = Rate(column.says, "t", places, series[-FITTED:])
        slopes = rate.slopes()
        ends.append(Trend(column, series, rate.exponent, (min(slopes), max(slopes))))
    return ends


def hubers(taus: Iterable[int], share: Callable[[int], Fraction]) -> list[Column]:
    """Huber's function for every delay, from outside its parabola."""
    three = Fraction(3)
    return [Column("Huber", tau, share(tau), start=three, below=1.0, above=1.0) for tau in taus]


def parabolas(taus: Iterable[int], shares: Iterable[Fraction]) -> list[Column]:
    """Parabolas of three curvatures, but for those that are solved in one step."""
    curvatures = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
    return [
        Column("parabola", tau, eta, curvature)
        for tau, eta, curvature in product(taus, shares, curvatures)
        if tau or eta * curvature != 1
    ]


def with_small_steps(taus: Iterable[int]) -> list[Column]:
    """Four functions for every delay τ ≥ 1, with η = 1/(4τβ)."""
    return [column for tau in taus for column in family(tau, Fraction(1, 4 * tau))]


def family(tau: int, eta: Fraction) -> list[Column]:
    """A parabola, and Huber functions from near, from afar, and with unequal sides."""
    return [
        Column("parabola", tau, eta),
        Column("Huber", tau, eta, start=Fraction(3), below=1.0, above=1.0),
        Column("Huber from afar", tau, eta, start=Fraction(40), below=1.0, above=1.0),
        Column("asymmetric Huber", tau, eta, start=Fraction(-2), below=0.5, above=2.0),
    ]


def edge(shares: Sequence[float], exponents: Sequence[float], level: float) -> float | None:
    """Where exponents first rise to a level, between neighbouring stepsizes; None if nowhere.

    Examples
    --------
    >>> edge([0.0, 1.0, 2.0], [-3.0, -1.0, 1.0], -2.0), edge([0.0, 1.0], [-3.0, -2.0], 0.0)
    (0.5, None)
    """
    for (x, low), (end, high) in pairwise(zip(shares, exponents, strict=True)):
        if low < level <= high:
            return x + (end - x) * (level - low) / (high - low)
    return None


def at_full_step(doublings: int = DOUBLINGS) -> tuple[Evidence, ...]:
    """Whether runs with η = 1/β go as O(1/t): Huber's function, drawn, and parabolas."""
    bent = trends(hubers(range(6), lambda _: Fraction(1)), doublings)
    flat = trends(parabolas(range(9), [Fraction(1)]), doublings)
    return (
        _evidence("Huber's function, η = 1/β", bent, doublings, picture(bent)),
        _evidence("parabolas, η = 1/β", flat, doublings),
    )


def at_small_steps(doublings: int = DOUBLINGS) -> tuple[Evidence, ...]:
    """Whether runs with η = 1/(4τβ) go as O(1/t), on four functions."""
    found = trends(with_small_steps(range(1, 9)), doublings)
    return (_evidence("four functions, η = 1/(4τβ)", found, doublings),)


def picture(found: Sequence[Trend]) -> dict[str, Any]:
    """The data of a picture of curves, one for each run on one function."""
    return {
        "figure": "curves",
        "title": f"Nesterov's method with a fixed delay: {found[0].column.says}'s function",
        "note": "the greatest f(w_t) − f* of every window 2^k ≤ t < 2^(k+1), β = 1",
        "across": "t",
        "up": "f(w_t) − f*",
        "places": [2 ** (FIRST + k) for k in range(len(found[0].gaps))],
        "curves": [
            {
                "label": f"τ = {one.column.tau}, η = {one.column.eta}: t^{_short(one.exponent)}",
                "group": f"τ = {one.column.tau}",
                "values": [float(f"{gap:.6g}") for gap in one.gaps],
            }
            for one in found
        ],
    }


def _short(number: float) -> str:
    return f"{round(number, 2) + 0.0:.2f}"  # no −0.00


def _evidence(
    what: str, found: Sequence[Trend], doublings: int, drawn: Mapping[str, Any] | None = None
) -> Evidence:
    slow = [trend for trend in found if trend.exponent > SLOW]
    worst = max(found, key=lambda trend: trend.exponent)
    says = (
        f"runs to t = 2^{doublings} on {what}: f(w_t) − f* is slower than O(1/t) in {len(slow)} of "
        f"{len(found)}; at most t^{_short(worst.exponent)}, at τ = {worst.column.tau}"
    )
    data = {"t below": 2**doublings, "runs": [trend.describe() for trend in found]}
    return Evidence("against" if slow else "for", says, {**(drawn or {}), **data})
