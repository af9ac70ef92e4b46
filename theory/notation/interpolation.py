"""What smoothness and convexity give together at two points, and neither gives alone.

For f convex and L-smooth, f(y) + ⟨∇f(y), x − y⟩ + ‖∇f(x) − ∇f(y)‖²/(2L) ≤ f(x): the descent lemma
from x to u = x − (∇f(x) − ∇f(y))/L, and convexity from y to u. Where f is μ-strongly convex and
μ < L is assumed, the same is said of f − (μ/2)‖·‖², which is (L − μ)-smooth. These inequalities are
all that f has to satisfy at finitely many points (Taylor, Hendrickx and Glineur 2017, theorem 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Final

import sympy

from theory.errors import TheoryError
from theory.kernel.relations import le
from theory.kernel.rules import Combine, Descent
from theory.kernel.rules.calculus import descent
from theory.kernel.signs import undefined
from theory.kernel.theorem import Hypothesis, Smooth, Step
from theory.kernel.vectors import Point, Scalar, Vector, vector
from theory.notation.names import Function

MOST: Final = 4
"""Points of a function; between more, too many facts would be offered."""


@dataclass(frozen=True)
class Meeting:
    """The point u at which the descent lemma from x meets convexity from y.

    Attributes
    ----------
    smooth : Smooth
    modulus : sympy expression
        μ.
    room : Hypothesis, optional
        What says that L is μ + c with a positive c; without it μ < L is not known.
    x, y : Point
    """

    smooth: Smooth
    modulus: Scalar
    room: Hypothesis | None
    x: Point
    y: Point

    @property
    def width(self) -> Scalar:
        """L, or L − μ if that is positive."""
        if self.room is None:
            return self.smooth.constant
        return self.room.relation.rhs - self.modulus

    @property
    def turn(self) -> Vector:
        """∇f(x) − ∇f(y), or the same of f − (μ/2)‖·‖²."""
        less = 0 if self.room is None else self.modulus
        turn: Vector = (
            self.x.gradient - self.y.gradient - less * (self.x.position - self.y.position)
        )
        return turn

    @cached_property
    def u(self) -> Point:
        """Where the two bounds meet."""
        f, name = self.smooth.function, f"between {place(self.x)} and {place(self.y)}"
        value, slope = sympy.Symbol(f"{f}({name})", real=True), vector(f"∇{f}({name})")
        return Point(self.x.position - self.turn / self.width, value, slope, f)

    @property
    def convex(self) -> Hypothesis:
        """Convexity from y to u."""
        return tangent_at(self.modulus, self.y, self.u)

    def steps(self) -> Iterator[Step]:
        """The descent lemma from x to u, and what follows."""
        down = f"descent, {place(self.x)} to {place(self.u)}"
        rule = Descent(self.smooth.name, self.x, self.u)
        yield Step(down, descent(self.smooth.constant, self.x, self.u), rule)
        facts = {down: sympy.S.One, self.convex.name: sympy.S.One}
        squares: tuple[tuple[Scalar, Scalar | Vector], ...] = ()
        way, turn = self.x.position - self.y.position, self.turn
        below = self.y.value + self.y.gradient @ way + turn**2 / (2 * self.width)
        if self.room is None:
            squares = ((self.modulus / 2, self.u.position - self.y.position),)
        else:
            facts[self.room.name] = turn**2 / (2 * self.width**2)
            below += self.modulus / 2 * way**2
        name = f"interpolation, {place(self.y)} to {place(self.x)}"
        yield Step(name, le(below, self.x.value), Combine(facts, squares=squares))


def meetings(
    smooth: Iterable[Smooth],
    convex: Iterable[tuple[Function, Scalar]],
    assumed: Iterable[Hypothesis],
    points: tuple[Point, ...],
) -> tuple[Meeting, ...]:
    """For every two points of a smooth and convex function, where its bounds meet."""
    known = tuple(assumed)
    moduli = {f.name: modulus for f, modulus in convex}
    found = []
    for one in smooth:
        about = [point for point in points if point.function == one.function]
        if len(about) <= MOST and one.function in moduli:
            modulus = moduli[one.function]
            room = _room(known, one.constant, modulus)
            if room is None and len(about) > 1:
                _require_positive(one)
            found += [Meeting(one, modulus, room, *two) for two in permutations(about, 2)]
    return tuple(found)


def _require_positive(smooth: Smooth) -> None:
    if smooth.constant == 0 or undefined(1 / smooth.constant):
        raise TheoryError(
            f"{smooth.function} is convex and {smooth.constant}-smooth, and {smooth.constant} may "
            "be 0, by which nothing can be divided",
            smooth.name,
            'take a positive constant, as in L = positive("L"): what is 0-smooth is L-smooth too',
        )


def tangent_at(modulus: Scalar, x: Point, y: Point) -> Hypothesis:
    """That f lies above its tangent at x, or the parabola there, as seen from y."""
    kind = "convex" if modulus == 0 else f"{modulus}-strongly convex"
    says = f"{x.function} is {kind}"
    way = y.position - x.position
    bend = modulus / 2 * way**2 if modulus != 0 else 0  # a square of long vectors is slow
    tangent = x.value + x.gradient @ way + bend
    return Hypothesis(f"{says}, from {place(x)} to {place(y)}", says, le(tangent, y.value))


def place(one: Point) -> str:
    """Where a point is, in words."""
    return str(one.value).removeprefix(f"{one.function}(").removesuffix(")")


def _room(assumed: tuple[Hypothesis, ...], constant: Scalar, modulus: Scalar) -> Hypothesis | None:
    """The assumption μ < L, as `theory.notation.coercion.slack` writes it."""
    for one in assumed:
        if one.relation.kind == "==" and one.relation.lhs == constant and modulus != 0:
            rest = one.relation.rhs - modulus
            if rest.is_Symbol and rest.is_positive:
                return one
    return None
