"""The data sets of n workers, and the constants that SAPipe's assumptions name, exactly."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.falsifier.problem import Problem, Vector
from theory.falsifier.scalars import Piecewise
from theory.papers.sapipe.runs.parts import Lifted, Part, mean_part

Gradients = tuple[Vector, ...]
"""Stochastic gradients at a point, all equally likely."""


@dataclass(frozen=True)
class Fleet(Problem):
    """A finite sum of which worker i owns the i-th of n equal runs of components.

    Worker i draws uniformly among its components; F is the mean of all. Coordinates are separate,
    so that the constants are exact. With one component, all workers own it.
    """

    components: tuple[tuple[Part, ...], ...]  # type: ignore[assignment]  # more kinds of parts

    @property
    def rational(self) -> bool:
        """Always: every part maps fractions to fractions."""
        return True

    @cached_property
    def parts(self) -> tuple[Part | None, ...]:
        """F, coordinate by coordinate; None where the mean has no name."""
        return tuple(mean_part(column) for column in zip(*self.components, strict=True))

    def gradient(self, x: Vector) -> Vector:
        """∇F(x)."""
        count, total = len(self.components), [Fraction(0)] * len(x)
        for parts, times in Counter(self.components).items():
            share = Fraction(times, count)
            for j, part in enumerate(parts):
                total[j] += share * part.derivative(x[j])
        return tuple(total)

    def value(self, x: Vector) -> Any:
        """F(x), up to the constant that `minimum` has too; only where the mean has a name."""
        named = [part for part in self.parts if part is not None]
        return sum((part.value(at) for part, at in zip(named, x, strict=True)), Fraction(0))

    @cached_property
    def smoothness(self) -> Fraction:
        """The least L of Assumption 1, for every component."""
        return max(part.lipschitz() for parts in self.components for part in parts)

    @cached_property
    def minimum(self) -> Fraction | None:
        """F(x_*), or None where F has none or it is not known."""
        lows = [None if part is None else part.minimum() for part in self.parts]
        known = [low for low in lows if low is not None]
        return sum(known, Fraction(0)) if len(known) == len(lows) else None

    def owned(self, n: int) -> list[tuple[tuple[Part, ...], ...]]:
        """The components of each of n workers."""
        if len(self.components) == 1:
            return [self.components] * n
        each = len(self.components) // n
        return [self.components[i * each : (i + 1) * each] for i in range(n)]

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        components = [[_described(part) for part in parts] for parts in self.components]
        start = [str(value) for value in self.start]
        return {"name": self.name, "components": components, "start": start}


def fleet(name: str, shares: Sequence[Sequence[Sequence[Part]]], start: Sequence[Any]) -> Fleet:
    """The problem whose worker i draws among the components of the i-th share.

    Examples
    --------
    >>> from theory.falsifier.scalars import quadratic
    >>> apart = fleet("apart", [[[quadratic(1)]], [[quadratic(-1)]], [[quadratic(3)]]], [1])
    >>> apart.gradient((Fraction(2),)), diversity(apart, 3)
    ((Fraction(2, 1),), Fraction(11, 9))
    """
    components = tuple(tuple(parts) for share in shares for parts in share)
    at = tuple(Fraction(x) for x in start)
    return Fleet(name, components, at, tuple(range(len(at))))


def gradients(share: Sequence[tuple[Part, ...]], x: Vector) -> Gradients:
    """All stochastic gradients of a worker at x."""
    return tuple(
        tuple(part.derivative(at) for part, at in zip(parts, x, strict=True)) for parts in share
    )


def diversity(problem: Fleet, n: int) -> Fraction | None:
    """The least ρ of Assumption 3, or None where there is none or it is not known.

    It is known where the workers' objectives are multiples of one function, coordinate by
    coordinate: then the worst coordinate decides.
    """
    found = [_ratio(column) for column in _means(problem, n)]
    known = [ratio for ratio in found if ratio is not None]
    return max(known) if len(known) == len(found) else None


def taylor_remainder(problem: Fleet) -> Fraction | None:
    """An M of Assumption 4 for every mean of components; None where one has kinks.

    ‖remainder‖² = Σ_j (M_j Δ_j²)² ≤ max M_j² · ‖Δ‖⁴.
    """
    lifted = _lifted(problem)
    return None if lifted is None else max(part.remainder for parts in lifted for part in parts)


def hessian_error(problem: Fleet) -> Fraction | None:
    """A Δ of Assumption 4 for every mean of components, at all points; None without bounds.

    The eigenvalues of ggᵀ − ∇²f lie between −(greatest curvature) and ‖g‖² − (least curvature).
    """
    lifted = _lifted(problem)
    if lifted is None:
        return None
    curvatures = [part.curvatures for parts in lifted for part in parts]
    steep = max(sum((part.steepest**2 for part in parts), Fraction(0)) for parts in lifted)
    return max(max(high for _, high in curvatures), steep - min(low for low, _ in curvatures))


def _lifted(problem: Fleet) -> list[list[Lifted]] | None:
    rows = [[part for part in parts if isinstance(part, Lifted)] for parts in problem.components]
    whole = all(len(row) == len(problem.start) for row in rows)
    return rows if whole else None


def _means(problem: Fleet, n: int) -> list[list[Part | None]]:
    """For each coordinate the objective of each worker."""
    shares = [
        [mean_part(column) for column in zip(*share, strict=True)] for share in problem.owned(n)
    ]
    return [list(column) for column in zip(*shares, strict=True)]


def _ratio(column: Sequence[Part | None]) -> Fraction | None:
    """Σ c_i² / (Σ c_i)² for multiples c_i of one function."""
    factors = _factors(column)
    if factors is None or not sum(factors):
        return None
    return sum((c * c for c in factors), Fraction(0)) / sum(factors) ** 2


def _factors(column: Sequence[Part | None]) -> list[Fraction] | None:
    if all(part == column[0] for part in column):
        return None if column[0] is None else [Fraction(1)] * len(column)
    lifted = [part for part in column if isinstance(part, Lifted) and not part.tilt]
    if len(lifted) == len(column) and len({(p.shape, p.centre) for p in lifted}) == 1:
        return [part.factor for part in lifted]
    pieces = [part for part in column if isinstance(part, Piecewise)]
    if len(pieces) < len(column):
        return None
    return _multiples(pieces)


def _multiples(pieces: Sequence[Piecewise]) -> list[Fraction] | None:
    """The factors of functions with the same knots whose derivatives are proportional."""
    rows = [(*part.values, part.left, part.right) for part in pieces]
    if len({part.knots for part in pieces}) > 1:
        return None
    pivot = next((k for k, entry in enumerate(rows[0]) if entry), None)
    if pivot is None:
        return None
    factors = [row[pivot] / rows[0][pivot] for row in rows]
    scaled = all(
        entry == factor * first
        for row, factor in zip(rows, factors, strict=True)
        for entry, first in zip(row, rows[0], strict=True)
    )
    return factors if scaled else None


def _described(part: Part) -> dict[str, Any]:
    if isinstance(part, Lifted):
        shape = part.shape
        form = "x²/(1+x²)" if shape.kind == "bell" else "rounded parabola"
        sizes = {} if shape.kind == "bell" else {"width": str(shape.width), "fall": str(shape.fall)}
        numbers = {"factor": part.factor, "tilt": part.tilt, "centre": part.centre}
        return {"kind": form, **sizes, **{name: str(value) for name, value in numbers.items()}}
    assert isinstance(part, Piecewise)
    return {
        "derivative": [[str(x), str(g)] for x, g in zip(part.knots, part.values, strict=True)],
        "slopes outside": [str(part.left), str(part.right)],
    }
