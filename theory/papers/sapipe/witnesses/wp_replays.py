"""Exact runs of SAPipe-WP on workers of which every assumption of Theorems 4 and 5 can be checked.

Worker i has F_i = c_i h, h being Huber's function: x²/2 for |x| ≤ w, a line of slope w beyond. All
gradients are proportional and bounded, so that Assumptions 1 to 3 hold for every x, and not only
along a run, with constants that are read off. Nothing is random. The algorithm itself is
`schedules.methods`; no formula of a claim enters it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from schedules.methods import SAPipeWP, State, run
from theory.claims import Formulas
from theory.falsifier.numbers import fraction
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import symbols

R0, V1, V2, L, T, eta, kappa, n = symbols.letters("R0 V1 V2 L T eta kappa n")
rho = symbols.letters("rho")


@dataclass(frozen=True)
class Instance:
    """A run without noise, all elements predicted (κ = 1).

    Attributes
    ----------
    weights : tuple of Fraction
        c_i, one a worker; their sum is positive, so that F has its minimum at 0.
    width : Fraction
        w.
    learning_rate : Fraction
    option : int
        1 or 2.
    start : Fraction
        x_0.
    """

    weights: tuple[Fraction, ...]
    width: Fraction
    learning_rate: Fraction
    option: int
    start: Fraction = Fraction(1)

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self.weights)

    @property
    def mean(self) -> Fraction:
        """c, of F = c h."""
        return sum(self.weights, Fraction(0)) / self.workers

    @property
    def diversity(self) -> Fraction:
        """The least ρ of Assumption 3: the ratio is the same at every x ≠ 0.

        Examples
        --------
        >>> Instance(
        ...     (Fraction(1), Fraction(1), Fraction(-1)), Fraction(2), Fraction(1), 1
        ... ).diversity
        Fraction(3, 1)
        """
        squares = sum((weight**2 for weight in self.weights), Fraction(0))
        return squares / (self.workers * self.mean) ** 2

    def constants(self) -> dict[Scalar, Fraction]:
        """The constants of the assumptions, each the least possible."""
        steepest = max(map(abs, self.weights))
        return {
            n: Fraction(self.workers),
            eta: self.learning_rate,
            L: steepest,
            V1: Fraction(0),
            V2: (steepest * self.width) ** 2,
            rho: self.diversity,
            kappa: Fraction(1),
            R0: self.mean * self.value(self.start),
        }

    def value(self, x: Fraction) -> Fraction:
        """h(x)."""
        near = abs(x) <= self.width
        return x**2 / 2 if near else self.width * abs(x) - self.width**2 / 2

    def slope(self, x: Fraction) -> Fraction:
        """h'(x)."""
        return max(-self.width, min(self.width, x))

    def gradient(self, x: Any, worker: int, draw: None) -> Any:
        """∇F_i, as `schedules.methods` wants it."""
        return np.array([self.weights[worker] * self.slope(x[0])], dtype=object)

    def states(self, updates: int) -> Iterator[State]:
        """What is known after each of so many updates, from none on."""
        method = SAPipeWP(self.workers, self.learning_rate, self.option)
        rounds = [(None,) * self.workers] * (updates + 1)
        found = run(method, np.array([self.start], dtype=object), self.gradient, rounds)
        next(found)  # before any gradient
        yield from found

    def models(self, updates: int) -> list[Fraction]:
        """x_0, x_1, … up to so many updates."""
        return [Fraction(state.model[0]) for state in self.states(updates)]

    def average(self, updates: int) -> Fraction:
        """The mean of ‖∇F(x_{t−1})‖² over t = 1, …, T.

        Examples
        --------
        >>> Instance((Fraction(1),), Fraction(2), Fraction(1, 2), 1).average(2)
        Fraction(5, 8)
        """
        slopes = [self.mean * self.slope(x) for x in self.models(updates - 1)]
        return sum((slope**2 for slope in slopes), Fraction(0)) / updates

    def bound(self, printed: Formulas) -> Scalar:
        """A bound at these constants, with T left open."""
        numbers = {s: sympy.Rational(*q.as_integer_ratio()) for s, q in self.constants().items()}
        return sympy.Add(*printed.values()).subs(numbers)

    def violation(self, printed: Formulas, updates: int) -> dict[str, Any] | None:
        """The run beside the bound if it is above, or None."""
        bound = self.bound(printed).subs(T, updates)
        if not bound.is_Rational:
            return None
        measured = self.average(updates)
        if measured <= fraction(bound):
            return None
        return {**self.described(), "T": updates, "measured": measured, "bound": fraction(bound)}

    def described(self) -> Mapping[str, Any]:
        """The instance as plain data."""
        slopes = ", ".join(map(str, self.weights))
        return {
            "F_i": f"c_i h, c = ({slopes}), h(x) = x²/2 for |x| ≤ {self.width} and linear beyond",
            "option": self.option,
            "x_0": self.start,
            **{str(symbol): number for symbol, number in self.constants().items()},
        }
