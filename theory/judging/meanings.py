"""What a theorem says of its names, in words that are made from its data."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from theory.judging.expression_text import expression_text, name_text
from theory.kernel.context import names_in
from theory.kernel.means import Mean
from theory.kernel.rules.averages import Average
from theory.kernel.rules.ranges import indices, ranging
from theory.kernel.theorem import Smooth, Theorem
from theory.kernel.vectors import Point, Scalar, Vector

Names = dict[tuple[str, str], str]
"""By kind (``"name"`` or ``"sequence"``) and name."""


def meanings(theorem: Theorem) -> Names:
    """What each name of a theorem stands for, where its domain does not say it all.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> found = meanings(DESCENT)
    >>> found["name", "f(x)"], ("name", "L") in found
    ('f at x', False)
    """
    found: Names = {}
    k = _counter(theorem)
    for symbol in theorem.scalars:
        found["name", symbol.name] = "quantity that may depend on the run"
    for symbol in indices(theorem):
        found["name", symbol.name] = "index of a sum or sequence"
    for symbol in ranging(theorem):
        found["name", symbol.name] = "index over which the proof ranges"
    spoken = points_in_use(theorem)
    for point in spoken:
        found |= _of_point(point)
    for vector in theorem.fixed:
        for name in vector.names:
            found["name", name] = _and(found.get(("name", name)), "the same in every iteration")
    for before, after in theorem.following:
        _follow(found, before, after, k, before in spoken)
    for function, value in theorem.sequences.items():
        name, meant = function.__name__, expression_text(value)
        mean = f"{name}({k}) is the mean of {meant} in iteration {k}"
        found["sequence", name] = mean
    return found


def points_in_use(theorem: Theorem) -> tuple[Point, ...]:
    """The points of whose value or gradient a theorem says something; others name a place alone."""
    used = frozenset[str]().union(*map(names_in, _forms(theorem)))
    used |= {name for point in theorem.points for name in point.position.names}
    smooth = {one.function for one in theorem.hypotheses if isinstance(one, Smooth)}
    return tuple(
        point
        for point in theorem.points
        if point.function in smooth or used & {point.value.name, *point.gradient.names}
    )


def operators(theorem: Theorem) -> Iterator[dict[str, str]]:
    """The means that the formulas take, and what is random to each."""
    means = {mean.args[:2] for form in _forms(theorem) for mean in form.atoms(Mean)}
    for name, random in sorted(means, key=str):
        drawn = [str(one) for one in random if str(one) not in Average._kind]
        average = len(drawn) < len(random)
        listed = ", ".join(map(name_text, drawn))
        says = f"average over indices of {listed}" if average else f"mean over {listed}"
        yield {"name": str(name), "domain": "mean", "says": says}


def _forms(theorem: Theorem) -> list[Scalar]:
    """All formulas, as they stand there."""
    sides = [side for _, relation in theorem.relations for side in (relation.lhs, relation.rhs)]
    return [sympy.sympify(form) for form in (*sides, *theorem.sequences.values())]


def position_text(position: Vector) -> str:
    """A position as text.

    Examples
    --------
    >>> from theory.kernel.vectors import vectors
    >>> x, g = vectors("x g")
    >>> position_text(x - sympy.Symbol("gamma") * g)
    '-g*gamma + x'
    """
    total = sympy.Add(*(factor * sympy.Symbol(name) for name, factor in position.terms))
    return expression_text(total)


def _of_point(point: Point) -> Names:
    at = position_text(point.position)
    found = {("name", point.value.name): f"{point.function} at {at}"}
    for name in point.gradient.names:
        found["name", name] = f"gradient of {point.function} at {at}"
    return found


def _counter(theorem: Theorem) -> str:
    """What counts iterations in words: k, unless a constant is called so."""
    running = ranging(theorem)
    constants = {str(one) for one in {*theorem.symbols, *theorem.scalars} - running}
    letters: tuple[str, ...] = ("k", *sorted(map(str, running)), *"tnmij", "iteration")
    return next(one for one in letters if one not in constants)


def _follow(found: Names, before: Point, after: Point, k: str, spoken: bool) -> None:
    """What takes the place of a vector in the next iteration, and of the value at it."""
    name = ("name", before.value.name)
    says = f"in iteration {k} + 1 it is {name_text(after.value.name)}"
    if spoken:
        found[name] = _and(found.get(name), says)
    for vector in before.position.names:
        found["name", vector] = f"in iteration {k} + 1 it is {position_text(after.position)}"


def _and(first: str | None, second: str) -> str:
    return f"{first}; {second}" if first else second
