"""Rules for functions: what smoothness gives at two points."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from theory.kernel.context import free_in
from theory.kernel.means import is_random
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, le
from theory.kernel.signs import nonnegative
from theory.kernel.theorem import Checked, Given, Smooth
from theory.kernel.vectors import Point, Scalar, dot, square
from theory.smt.queries import remembered
from theory.verdicts import Verdict


def lipschitz(constant: Scalar, x: Point, y: Point) -> Relation:
    """‖∇f(x) − ∇f(y)‖² ≤ L²‖x − y‖²."""
    return le(square(x.gradient - y.gradient), constant**2 * square(x.position - y.position))


def descent(constant: Scalar, x: Point, y: Point) -> Relation:
    """f(y) ≤ f(x) + ⟨∇f(x), y − x⟩ + (L/2)‖y − x‖² (descent lemma)."""
    step = y.position - x.position
    return le(y.value, x.value + dot(x.gradient, step) + constant * square(step) / 2)


def support(constant: Scalar, x: Point, y: Point) -> Relation:
    """f(y) ≥ f(x) + ⟨∇f(x), y − x⟩ − (L/2)‖y − x‖²: the descent lemma of −f, which is as smooth."""
    step = y.position - x.position
    return le(x.value + dot(x.gradient, step) - constant * square(step) / 2, y.value)


@dataclass(frozen=True)
class Lipschitz:
    """Smoothness at two points: gradients differ by at most L times the distance of the points.

    Attributes
    ----------
    of : str
        The assumption.
    x, y : Point
    """

    of: str
    x: Point
    y: Point

    @property
    def uses(self) -> tuple[str, ...]:
        """The assumption."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that instance."""
        smooth = given.smooth(self.of, (self.x, self.y))
        if smooth is None:
            return Checked(Verdict.UNKNOWN, f"not assumed of a function at these points: {self.of}")
        return _sized(smooth) or _instance(
            goal, lipschitz(smooth.constant, self.x, self.y), "L-smooth"
        )


@dataclass(frozen=True)
class Descent:
    """The descent lemma at two points, from x to y.

    Attributes
    ----------
    of : str
        The smoothness assumption.
    x, y : Point
    below : bool
        That of −f: by how much f falls at most.
    """

    of: str
    x: Point
    y: Point
    below: bool = False

    @property
    def uses(self) -> tuple[str, ...]:
        """The assumption."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that instance."""
        smooth = given.smooth(self.of, (self.x, self.y))
        if smooth is None:
            return Checked(Verdict.UNKNOWN, f"not assumed of a function at these points: {self.of}")
        if not _lemma_holds():
            return Checked(Verdict.UNKNOWN, "the descent lemma is not proved")
        instance = (support if self.below else descent)(smooth.constant, self.x, self.y)
        return _sized(smooth) or _instance(goal, instance, "descent lemma")


def _sized(smooth: Smooth) -> Checked | None:
    """An UNKNOWN if a Lipschitz constant may be negative, or None."""
    outcome = nonnegative(sympy.sympify(smooth.constant))
    if outcome.verdict is Verdict.PROVED:
        return None
    return Checked(Verdict.UNKNOWN, f"{outcome.says} is not shown: {outcome.note}")


def _instance(goal: Relation, instance: Relation, name: str) -> Checked:
    if goal.kind == instance.kind and is_zero(goal.gap - instance.gap):
        return Checked(Verdict.PROVED, name)
    return Checked(Verdict.UNKNOWN, f"no instance of {name}: that would be {instance}")


@remembered
def _lemma_holds() -> bool:
    from theory.kernel.lemmas import DESCENT
    from theory.kernel.prove import prove

    return prove(DESCENT).verdict is Verdict.PROVED


@dataclass(frozen=True)
class Integral:
    """From a bound of the slope along the segment from x to y to a bound of f(y) − f(x).

    The fact bounds ⟨∇f(z), y − x⟩ at z = x + t(y − x), for t in (0, 1]; by the fundamental theorem
    of calculus f(y) − f(x) is at most the integral of that bound, a polynomial in t: Σ aₙ/(n + 1).

    Attributes
    ----------
    of : str
        The bound of the slope.
    time : sympy symbol
        t.
    x, y, z : Point
    """

    of: str
    time: Scalar
    x: Point
    y: Point
    z: Point

    @property
    def uses(self) -> tuple[str, ...]:
        """The bound of the slope."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that integral."""
        fact = given.fact(self.of)
        if fact is None:
            return Checked(Verdict.UNKNOWN, f"not shown: {self.of}")
        problem = self._problem(fact, given)
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
        way = self.y.position - self.x.position
        on_segment = (self.z.position - self.x.position - way * self.time).terms == ()
        if not on_segment or not is_zero(fact.lhs - dot(self.z.gradient, way)):
            return Checked(Verdict.UNKNOWN, f"{self.of} does not bound the slope")
        powers = sympy.Poly(fact.rhs, self.time).all_coeffs()[::-1]
        area = sympy.Add(*(a / (n + 1) for n, a in enumerate(powers)))
        return _instance(goal, le(self.y.value - self.x.value, area), "integral of the slope")

    def _problem(self, fact: Relation, given: Given) -> str:
        """Why the bound does not hold along the whole segment, or what else is wrong."""
        points = {self.x, self.y, self.z}
        if not points <= set(given.theorem.points) or len({one.function for one in points}) > 1:
            return "the points are not those of one function of the theorem"
        if self.time.assumptions0 != sympy.Symbol("t", positive=True).assumptions0:
            return f"{self.time} does not run through all positive numbers"
        if fact.kind != "<=" or self._moves(fact.rhs):
            return "the bound itself depends on the point of the segment"
        if not fact.rhs.is_polynomial(self.time):
            return f"the bound is no polynomial in {self.time}"
        return free_in(given.theorem, self.time, {"z": self.z})

    def _moves(self, form: Scalar) -> bool:
        """Whether an expression depends on the value or the gradient at z."""
        return is_random(form, self.z.gradient.names | {self.z.value.name})
