"""Assumptions that hold everywhere, at the points and vectors that a theorem names.

A template gives hypotheses for what a theorem turns out to be about; those that its proof does not
use are left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

from theory.kernel.relations import Relation, eq, le
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Point, Scalar, Vector, vector
from theory.notation.coercion import VectorEquation
from theory.notation.interpolation import place, tangent_at
from theory.notation.names import Expectation, Function, text
from theory.notation.plan import Template
from theory.notation.scene import Scene


def everywhere(f: Function, name: str, says: str, at: Callable[[Point], Relation]) -> Template:
    """Something that holds at every point of a function."""

    def instances(scene: Scene) -> Iterator[Hypothesis]:
        for one in scene.points_of(f):
            yield Hypothesis(f"{name}, at {place(one)}", says, at(one))

    return instances


def strongly_convex(f: Function, modulus: Scalar) -> Template:
    """f(y) ≥ f(x) + ⟨∇f(x), y − x⟩ + (μ/2)‖y − x‖²."""

    def instances(scene: Scene) -> Iterator[Hypothesis]:
        for x, y in permutations(scene.points_of(f), 2):
            yield tangent_at(modulus, x, y)
        for u in scene.meetings:
            if u.smooth.function == f.name and u.modulus == modulus:
                yield u.convex

    return instances


def lower_bound(f: Function, least: Scalar) -> Template:
    """F ≥ least."""
    says = f"{f.name} is at least {least}"
    return everywhere(f, says, says, lambda one: le(least, one.value))


def least(f: Function, star: Vector) -> Template:
    """f(x*) ≤ f."""
    says = f"{f.name} is least at {text(star)}"

    def instances(scene: Scene) -> Iterator[Hypothesis]:
        for one in scene.points_of(f):
            if one.value != f(star):
                yield Hypothesis(f"{says}, at {place(one)}", says, le(f(star), one.value))

    return instances


def stationary(f: Function, star: Vector) -> Template:
    """∇f(x*) = 0."""
    at = f.grad(star)
    says = f"{text(at)} = 0"
    return vector_equation(says, VectorEquation(at, at - at), says)


def quasi_convex(f: Function, star: Vector, modulus: Scalar) -> Template:
    """⟨∇f(x), x − x*⟩ ≥ f(x) − f(x*) + (μ/2)‖x − x*‖²."""
    strength = "" if modulus == 0 else f"{modulus}-strongly "
    says = f"{f.name} is {strength}quasi-convex about {text(star)}"

    def instances(scene: Scene) -> Iterator[Hypothesis]:
        for one in scene.points_of(f):
            if one.value != f(star):
                way = one.position - star
                gain = one.value - f(star) + (modulus / 2 * way**2 if modulus != 0 else 0)
                yield Hypothesis(f"{says}, at {place(one)}", says, le(gain, one.gradient @ way))

    return instances


def pl(f: Function, modulus: Scalar, least: Scalar) -> Template:
    """‖∇f‖² ≥ 2μ(f − least)."""
    says = f"{f.name} satisfies the Polyak–Łojasiewicz inequality with {modulus}"

    def bound(one: Point) -> Relation:
        return le(2 * modulus * (one.value - least), one.gradient**2)

    return everywhere(f, "Polyak–Łojasiewicz", says, bound)


def bounded_gradient(f: Function, bound: Scalar) -> Template:
    """‖∇f‖ ≤ bound."""
    says = f"gradients of {f.name} have norms of at most {bound}"
    return everywhere(f, "bounded gradient", says, lambda one: le(one.gradient**2, bound**2))


def vector_equation(name: str, said: VectorEquation, says: str) -> Template:
    """Inner products of an equation of vectors with everything that has a name."""
    difference = said.left - said.right

    def instances(scene: Scene) -> Iterator[Hypothesis]:
        for other in scene.names:
            yield Hypothesis(
                f"{name}, with {other}", says or name, eq(difference @ vector(other), 0)
            )

    return instances


def unbiased(mean: Expectation, random: Vector, expected: Vector) -> Template:
    """E⟨g, v⟩ = ⟨expected, v⟩ for every v that is not random."""
    says = f"the mean of {text(random)} is {text(expected)}"

    def instances(scene: Scene) -> Iterator[Hypothesis]:
        for other in scene.names:
            if other not in scene.random(mean.name):
                v = vector(other)
                said = eq(scene.resolved(mean(random @ v)), expected @ v)
                yield Hypothesis(f"{says}, with {other}", says, said)

    return instances
