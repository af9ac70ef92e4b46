"""Lines of the proof of Theorem 6 that fail, each on one instance in exact numbers.

Runs are those of `schedules.methods`. Losses are capped parabolas: x²/2 for |x| ≤ 1, a slope that
levels off from there to |x| = 3 and is constant beyond; every run here stays within |x| ≤ 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from schedules.methods import SAPipeWP, State, run
from theory.account import Ground
from theory.judging.decide import proves
from theory.papers.sapipe.witnesses.exact_objectives import Constants, Piece, shown, u

HALF = Fraction(1, 2)
REMAINDER = Fraction(1, 4)
"""M of a capped parabola."""


@dataclass(frozen=True)
class Capped:
    """A parabola around a centre whose slope levels off; twice differentiable, all constants exact.

    L = 1, V₂ = 4 and M = 1/4: the second derivative falls from 1 to 0 over a length of 2.

    Attributes
    ----------
    centre : Fraction
    """

    centre: Fraction = Fraction(0)

    def slope(self, x: Fraction) -> Fraction:
        """f′.

        Examples
        --------
        >>> [str(Capped().slope(Fraction(x))) for x in (-1, 0, 1, 2, 3, 9)]
        ['-1', '0', '1', '7/4', '2', '2']
        """
        away = x - self.centre
        sign = -1 if away < 0 else 1
        far = min(abs(away), Fraction(3))
        return sign * (far if far <= 1 else far - (far - 1) ** 2 / 4)

    def curvature(self, x: Fraction) -> Fraction:
        """f″."""
        away = abs(x - self.centre)
        return Fraction(1) if away <= 1 else max(Fraction(0), 1 - (away - 1) / 2)

    def hold(self) -> Iterator[Ground]:
        """Why L, M and the largest slope are right everywhere, in x less the centre.

        Examples
        --------
        >>> proves(*Capped().hold())
        True
        """
        pieces = (
            Piece(u, sympy.S.One, Fraction(0), Fraction(1)),
            Piece(u - (u - 1) ** 2 / 4, 1 - (u - 1) / 2, Fraction(1), Fraction(3)),
        )
        return shown(pieces, Constants(Fraction(1), REMAINDER, Fraction(2)))


@dataclass(frozen=True)
class Fleet:
    """Workers without noise and a run of option 3 with them.

    Attributes
    ----------
    losses : tuple of Capped
        One a worker.
    learning_rate, weight, start : Fraction
        η, λ and x_0.
    """

    losses: tuple[Capped, ...]
    learning_rate: Fraction
    weight: Fraction
    start: Fraction

    def states(self, updates: int) -> Iterator[State]:
        """What is known after each iteration 0, …, updates."""
        count = len(self.losses)
        method = SAPipeWP(count, self.learning_rate, 3, self.weight)
        rounds = [(None,) * count] * (updates + 1)
        found = run(method, np.array([self.start], dtype=object), self._gradient, rounds)
        next(found)  # before any gradient
        yield from found

    def _gradient(self, x: Any, worker: int, draw: None) -> Any:
        return np.array([self.losses[worker].slope(x[0])], dtype=object)

    def iterations(self, updates: int) -> list[tuple[Fraction, tuple[Fraction, ...]]]:
        """x_t and the g_{i,t} that led to it, for t = 1, 2 and so on.

        Examples
        --------
        >>> fleet = Fleet((Capped(),) * 2, HALF, Fraction(0), Fraction(1))
        >>> [str(x) for x, _ in fleet.iterations(3)]
        ['1/2', '1/8', '3/32']
        """
        return [
            (state.model[0], tuple(one[0] for one in state.applied))
            for state in self.states(updates)
            if state.applied is not None
        ]


def others(gradients: tuple[Fraction, ...], worker: int) -> Fraction:
    """(1/n) Σ_{j≠i} g_j."""
    return (sum(gradients, Fraction(0)) - gradients[worker]) / len(gradients)


EQUAL = Fleet((Capped(),) * 2, HALF, Fraction(0), Fraction(1, 8))
"""Two workers with the same data: V₁ = 0, and no Hessian changes within the run."""


def stale_points(fleet: Fleet = EQUAL, at: int = 4) -> dict[str, Any] | None:
    """① of the proof beside its bound with V₁ = 0: prediction errors make it larger; else None.

    Examples
    --------
    >>> found = stale_points()
    >>> found["first part"] > found["its bound"]
    True
    """
    run_ = fleet.iterations(at)
    (old, _), (last, now), (_, later) = run_[-3:]
    moved = last - old
    mean = sum(
        (
            others(later, i)
            - others(now, i)
            - sum(f.curvature(old) for j, f in enumerate(fleet.losses) if j != i)
            * moved
            / len(fleet.losses)
        )
        ** 2
        for i in range(len(fleet.losses))
    ) / len(fleet.losses)
    rate = fleet.learning_rate
    found, bound = 2 * rate**2 * mean, 4 * rate**2 * REMAINDER**2 * moved**4
    if found <= bound or not all(proves(*one.hold()) for one in fleet.losses):
        return None
    return {
        **described(fleet),
        "iteration": at,
        "x": [x for x, _ in run_],
        "g_{2,t}": [gradients[1] for _, gradients in run_],
        "gradients of f_2 at the models before": [
            fleet.losses[1].slope(x) for x in (fleet.start, *(x for x, _ in run_[:-1]))
        ],
        "first part": found,
        "its bound": bound,
    }


def described(fleet: Fleet) -> dict[str, Any]:
    """The instance as plain data."""
    return {
        "f_i": "(x − c_i)²/2 for |x − c_i| ≤ 1, the slope levels off to 2 at |x − c_i| = 3",
        "c_i": [one.centre for one in fleet.losses],
        "n": len(fleet.losses),
        "eta": fleet.learning_rate,
        "lambda": fleet.weight,
        "x_0": fleet.start,
        "L, V1, V2, M": [1, 0, 4, Fraction(1, 4)],
    }


def used_samples(rate: Fraction = HALF, start: Fraction = HALF) -> dict[str, Any] | None:
    """E‖A − B‖² above Var A + Var B, where B is at a point that depends on its own sample.

    Two workers; f_1 = 0, f_2 = z x²/2 with z = ±1, so x_1 = x_0 − ηz x_0/2. A = z′x_1/2 has a fresh
    sample, B = z x_1/2 the one that x_1 was made with; the proof gives both the mean of A.

    Examples
    --------
    >>> {name: str(number) for name, number in list(used_samples().items())[-3:]}
    {'E B': '-1/16', 'E(A − B)²': '17/128', 'Var A + Var B': '33/256'}
    """
    draws = [(z, fresh) for z in (-1, 1) for fresh in (-1, 1)]
    pairs = [
        (fresh * point / 2, z * point / 2)
        for z, fresh in draws
        for point in (start - rate * z * start / 2,)
    ]
    means = [sum(pair[side] for pair in pairs) / 4 for side in (0, 1)]
    variances = [sum((pair[side] - means[side]) ** 2 for pair in pairs) / 4 for side in (0, 1)]
    apart = sum((one - other) ** 2 for one, other in pairs) / 4
    if apart <= sum(variances):
        return None
    return {
        "f_1, f_2": "0 and z x²/2, z = ±1 with probability 1/2 each; n = 2",
        "eta": rate,
        "x_0": start,
        "E A": means[0],
        "E B": means[1],
        "E(A − B)²": apart,
        "Var A + Var B": sum(variances),
    }


def lost_factor(away: Fraction = HALF, weight: Fraction = HALF) -> dict[str, Any] | None:
    """② above what its second line allows, two workers of which one is at its minimum; else None.

    Examples
    --------
    >>> found = lost_factor()
    >>> str(found["mean of the squares"]), str(found["what the line allows"])
    ('481/2048', '241/2048')
    """
    losses = (Capped(), Capped(away))
    slopes = [one.slope(away) for one in losses]
    halves = [slopes[1] / 2, slopes[0] / 2]
    curvature = [losses[1].curvature(away) / 2, losses[0].curvature(away) / 2]
    pairs = list(zip(curvature, halves, strict=True))
    found = sum((h - weight * p**2) ** 2 for h, p in pairs) / 2
    allowed = sum((1 - weight) ** 2 * h**2 + weight**2 * (h - p**2) ** 2 for h, p in pairs) / 2
    if found <= allowed:
        return None
    return {
        "f_1, f_2": "x²/2 and (x − a)²/2 near x = a",
        "a": away,
        "lambda": weight,
        "(1/n)Σ_{j≠i} g_j": halves,
        "(1/n)Σ_{j≠i} f_j''": curvature,
        "mean of the squares": found,
        "what the line allows": allowed,
        "with Young's factor 2": 2 * allowed,
    }


def scaled_objective() -> dict[str, Any] | None:
    """‖pp − h‖ above Δ for (f_2 + f_3)/3, though every f_i has Δ = 1; None if it is not.

    f_2′ = c with c(0) = 3/4 and c′ a tent of height 25/16 over |x| ≤ 1/10; f_3(x) = f_2(−x). At 0
    the two gradients cancel, and two thirds of the Hessian are left.

    Examples
    --------
    >>> str(scaled_objective()["|pp − h| at 0"])
    '25/24'
    """
    height, slope, width, apart = Fraction(25, 16), Fraction(3, 4), Fraction(1, 10), Fraction(1)
    largest = slope + height * width / 2
    # For x > 0 the slope grows and the tent falls. For x < 0 the tent falls by height/width a unit
    # of length, and f′² by 2·largest·height at most: so f″ − f′² is largest at 0.
    steeper = height / width >= 2 * largest * height
    each = max(largest**2, height - slope**2)
    found = abs(Fraction(0) - height * 2 / 3)
    if not steeper or each > apart or found <= apart:
        return None
    return {
        "f_2'": "c(x), c(0) = 3/4, c' = (25/16) max(0, 1 − 10|x|)",
        "f_3(x)": "f_2(−x)",
        "n": 3,
        "least Delta of f_2 and f_3": each,
        "p at 0": 0,
        "h at 0": height * 2 / 3,
        "|pp − h| at 0": found,
    }


def equal_sign(fleet: Fleet = EQUAL) -> dict[str, Any] | None:
    """‖u + v‖² of the first split beside 2‖u‖² + 2‖v‖², which is printed equal; else None.

    Examples
    --------
    >>> equal_sign()["left"] < equal_sign()["right"]
    True
    """
    (old, _), (last, now), (_, later) = fleet.iterations(4)[-3:]
    moved = (last - old) * fleet.losses[1].curvature(old) / 2
    one = others(later, 0) - others(now, 0) - moved
    other = moved - fleet.weight * others(now, 0) ** 2 * (last - old)
    left, right = (one + other) ** 2, 2 * one**2 + 2 * other**2
    return None if left == right else {**described(fleet), "left": left, "right": right}
