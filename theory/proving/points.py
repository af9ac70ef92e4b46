"""Rational points of a domain: where inequalities of the field hold, as strictly as they can."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import sympy
import z3

from theory.proving.elimination import Solved
from theory.proving.forms import Element, Split

TRIES: Final = 400
"""Random points that are tried before z3 is asked for one."""
RLIMIT: Final = 300_000
"""z3's budget for one question about a point."""
PATIENCE: Final = 2_000
"""Milliseconds for it: some nonlinear questions take long and count as nothing."""
SIZES: Final = (1, 1, 1, 4, 20, 100)
"""How small numbers are made, so that small step sizes are met as well."""

Point = tuple[Fraction, ...]
Pair = tuple[int, int, Fraction]
"""Places of two roots, and by how much the square of the first is more than that of the other."""
Sign = tuple[int | None, bool]


def points(
    split: Split,
    solved: Sequence[Solved],
    bounds: Sequence[Element],
    count: int,
    seed: int = 1,
    by_chance: bool = False,
    pairs: Sequence[Pair] = (),
) -> list[Point]:
    """At most this many points at which bounds are positive and equations hold.

    Parameters
    ----------
    split : Split
    solved : sequence of Solved
        Equations; the points satisfy them.
    bounds : sequence of elements
        What must be positive besides what symbols are declared to be.
    count : int
    seed : int
    by_chance : bool
        Leave z3 out, which knows where narrow domains are.
    pairs : sequence of Pair
        Roots that are to be rational together.
    """
    draw = random.Random(seed)
    signs = [_sign(split.atoms.nodes[number]) for number in split.inside]
    chosen: list[Point] = []
    for _ in range(TRIES):
        values = [_number(draw, *sign) for sign in signs]
        for more, less, by in pairs:  # b² − a² = c where b + a = t and b − a = c/t
            t = _number(draw, 1, False)
            values[more], values[less] = abs(t + by / t) / 2, abs(t - by / t) / 2
        point = _completed(values, solved)
        if point is not None and point not in chosen and _inside(point, signs, bounds):
            chosen.append(point)
            if len(chosen) == count:
                return chosen
    for _ in range(0 if by_chance else 2 * count):
        point = _asked(draw, signs, solved, bounds)
        if point is not None and point not in chosen:
            chosen.append(point)
        if len(chosen) >= count:
            break
    return chosen


def pair_of(equation: Element) -> Pair | None:
    """Of b² = a² + c, where a, b and c are.

    Examples
    --------
    >>> from sympy import QQ, field
    >>> F, a, b = field("a b", QQ)
    >>> pair_of(2 * a**2 - 2 * b**2 + 2), pair_of(a**2 - b), pair_of(a**2 + b**2)
    ((1, 0, Fraction(1, 1)), None, None)
    """
    terms = {powers: _fraction(c, equation.field.domain) for powers, c in equation.numer.terms()}
    number = terms.pop((0,) * len(equation.field.gens), Fraction(0))
    squares = {powers.index(2): c for powers, c in terms.items() if sorted(powers)[-2:] == [0, 2]}
    if len(squares) != 2 or len(terms) != 2 or sum(squares.values()) != 0:
        return None
    more, less = sorted(squares, key=lambda place: squares[place] * number < 0, reverse=True)
    return more, less, abs(number / squares[more])


def _sign(node: Any) -> tuple[int | None, bool]:
    """1 for a positive atom, 0 for one that is at least 0, else None; and whether it is whole."""
    root = node.is_Pow and node.exp == sympy.S.Half  # where it is a number at all
    least = 1 if node.is_positive else 0 if node.is_nonnegative or root else None
    return least, bool(node.is_integer)


def _number(draw: random.Random, least: int | None, whole: bool) -> Fraction:
    if whole:
        return Fraction(draw.choice((1, 2, 3, 4, 5, 7, 10, 20)))
    size = Fraction(draw.randint(2, 19), draw.randint(2, 19) * draw.choice(SIZES))
    return size if least is not None or draw.random() < 0.5 else -size


def _completed(values: list[Fraction], solved: Sequence[Solved]) -> Point | None:
    for entry in solved:
        solution = at(entry.value, values)
        if solution is None:
            return None
        values[entry.place] = solution
    return tuple(values)


def _inside(point: Point, signs: Sequence[Sign], bounds: Sequence[Element]) -> bool:
    for value, (least, _) in zip(point, signs, strict=True):
        if least is not None and (value < 0 or value == 0 < least):
            return False
    sizes = [at(bound, point) for bound in bounds]
    return all(size is not None and size > 0 for size in sizes)


def at(element: Element, point: Sequence[Fraction]) -> Fraction | None:
    """The value at a point, or None where the element is not defined."""
    below = _polynomial_at(element.denom, point)
    return _polynomial_at(element.numer, point) / below if below else None


def _polynomial_at(polynomial: Any, point: Sequence[Fraction]) -> Fraction:
    total = Fraction(0)
    for powers, c in polynomial.terms():
        term = _fraction(c, polynomial.ring.domain)
        for value, power in zip(point, powers, strict=True):
            if power:
                term *= value**power
        total += term
    return total


def _fraction(number: Any, domain: Any) -> Fraction:
    """A number; one that is not rational is rounded."""
    if domain.is_QQ:
        return Fraction(int(number.numerator), int(number.denominator))
    return Fraction(float(domain.to_sympy(number)))


def _asked(
    draw: random.Random,
    signs: Sequence[Sign],
    solved: Sequence[Solved],
    bounds: Sequence[Element],
) -> Point | None:
    """A point of z3's, with as many coordinates drawn by chance as it allows."""
    reals = [z3.Real(f"x{place}") for place in range(len(signs))]
    solver = z3.Solver()
    solver.set("rlimit", RLIMIT)
    solver.set("timeout", PATIENCE)
    for real, (least, _) in zip(reals, signs, strict=True):
        if least is not None:
            solver.add(real > 0 if least else real >= 0)
    for entry in solved:
        solver.add(_as_z3(entry.gap.numer, reals) == 0)
    for bound in bounds:
        upper, lower = _as_z3(bound.numer, reals), _as_z3(bound.denom, reals)
        solver.add(upper * lower > 0)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    places = list(range(len(signs)))
    draw.shuffle(places)
    for place in places:
        for _ in range(3):
            value = _number(draw, *signs[place])
            solver.push()
            solver.add(reals[place] == z3.RatVal(value.numerator, value.denominator))
            if solver.check() == z3.sat:
                model = solver.model()
                break
            solver.pop()
    values = [model.eval(real, model_completion=True) for real in reals]
    if not all(z3.is_rational_value(value) for value in values):
        return None
    point = tuple(value.as_fraction() for value in values)
    return point if _inside(point, signs, bounds) else None


def _as_z3(polynomial: Any, reals: Sequence[Any]) -> Any:
    return z3.Sum(
        [
            z3.Product(
                [
                    z3.RatVal(*_fraction(c, polynomial.ring.domain).as_integer_ratio()),
                    *(
                        real
                        for real, power in zip(reals, powers, strict=True)
                        for _ in range(power)
                    ),
                ]
            )
            for powers, c in polynomial.terms()
        ]
        or [z3.RatVal(0, 1)]
    )
