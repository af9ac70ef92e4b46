"""A theorem as a question about numbers: vectors by coordinates, functions by coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import sympy

from theory.falsifier.finite_sums import AT, labels, means
from theory.falsifier.rewriting import means_of
from theory.kernel.means import Mean, random_names
from theory.kernel.prove import as_printed
from theory.kernel.relations import Relation, eq, exact, le
from theory.kernel.theorem import Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Gram, Point, Scalar, Vector


@dataclass(frozen=True)
class Posed:
    """A theorem as a question about numbers."""

    theorem: Theorem
    dimension: int
    outcomes: int
    _vectors: dict[tuple[str, int], tuple[Scalar, ...]] = field(default_factory=dict)
    _values: dict[tuple[Scalar, int], Scalar] = field(default_factory=dict)

    @cached_property
    def random(self) -> frozenset[str]:
        """Names that differ from outcome to outcome."""
        return frozenset[str]().union(*(random_names(mean) for mean in named_means(self.theorem)))

    def tied(self) -> list[Relation]:
        """Put what functions give in place of its names; equations where that is not possible."""
        waiting = [(one, k) for one in self.theorem.points for k in range(self.outcomes)]
        found: list[Relation] = []
        while waiting:
            pending = {(name, k) for one, k in waiting for name in one.gradient.names}
            free = [
                (one, k)
                for one, k in waiting
                if not {(name, k) for name in one.position.names} & pending
            ]
            point, outcome = (free or waiting)[0]
            waiting.remove((point, outcome))
            found += self._placed(point, outcome, bool(free))
        return found

    def _placed(self, point: Point, outcome: int, free: bool) -> Iterator[Relation]:
        """Put value and gradient in place of their names; the equations that are left."""
        value, gradient = self.function_at(point.function, outcome, point.position)
        names = point.gradient.terms
        key = (names[0][0], self._index(names[0][0], outcome)) if len(names) == 1 else None
        if free and key and names[0][1] == 1 and key not in self._vectors:
            self._vectors[key] = gradient
        else:
            for one, other in zip(self.vector(point.gradient, outcome), gradient, strict=True):
                yield eq(one, other)
        name = (point.value, self._index(str(point.value), outcome))
        plain = point.value == sympy.Symbol(str(point.value), real=True)  # without a domain
        if plain and name not in self._values and point.value not in self.theorem.symbols:
            self._values[name] = value
        else:
            yield eq(self.at(point.value, outcome), value)

    def function_at(
        self, function: str, outcome: int, position: Vector
    ) -> tuple[Scalar, tuple[Scalar, ...]]:
        """The value and the gradient of a function at a position, at an outcome."""
        at = self.vector(position, outcome)
        values, gradients = zip(
            *(self.member_at(o, at) for o in self.members(function, outcome)), strict=True
        )
        return mean_of(values), tuple(map(mean_of, zip(*gradients, strict=True)))

    def member_at(
        self, member: str, position: tuple[Scalar, ...]
    ) -> tuple[Scalar, tuple[Scalar, ...]]:
        """The same of a function that is no mean of others."""
        constant, slopes, bends = self.coefficients(member)
        value = constant + sum(
            slope * at + bend * at**2 / 2
            for slope, bend, at in zip(slopes, bends, position, strict=True)
        )
        gradient = tuple(
            slope + bend * at for slope, bend, at in zip(slopes, bends, position, strict=True)
        )
        return value, gradient

    def members(self, function: str, outcome: int) -> tuple[str, ...]:
        """The functions whose mean a function is."""
        return labels(self.theorem, function, self.outcomes, outcome)

    def coefficients(self, member: str) -> tuple[Scalar, tuple[Scalar, ...], tuple[Scalar, ...]]:
        """The constant, slopes at 0 and second derivatives of a function."""
        names = [f"{member}(0)"]
        names += [f"{member}'(0){suffix}" for suffix in self._suffixes()]
        names += [f"{member}''{suffix}" for suffix in self._suffixes()]
        constant, *others = (sympy.Symbol(name, real=True) for name in names)
        return constant, tuple(others[: self.dimension]), tuple(others[self.dimension :])

    def mean_coefficients(
        self, function: str, outcome: int
    ) -> tuple[Scalar, tuple[Scalar, ...], tuple[Scalar, ...]]:
        """The same of a mean of functions."""
        parts = map(self.coefficients, self.members(function, outcome))
        constants, *others = zip(*parts, strict=True)
        slopes, bends = (tuple(map(mean_of, zip(*each, strict=True))) for each in others)
        return mean_of(constants), slopes, bends

    def shown(self, numbers: Mapping[Scalar, Scalar]) -> dict[str, str]:
        """An instance for a reader: functions as polynomials in t, and all other numbers."""
        t = tuple(sympy.Symbol(f"t{suffix}", real=True) for suffix in self._suffixes())
        zeros = dict.fromkeys(self._coefficients(), sympy.S.Zero)  # where nothing names them
        put = {**zeros, **numbers}
        said = {o: self.member_at(o, t)[0].subs(put) for o in self._members()}
        for function in means(self.theorem) if self.outcomes > 1 else ():
            said[function] = mean_of([said[o] for o in self.members(function, 0)])
        others = {one.name: x for one, x in numbers.items() if one not in zeros}
        at = f"({', '.join(map(str, t))})"
        parts = ((o.partition(AT), form) for o, form in said.items())
        named = {f"{name}{at}{between}{outcome}": form for (name, between, outcome), form in parts}
        return {name: sympy.sstr(value) for name, value in (others | named).items()}

    def flat(self) -> dict[Scalar, Scalar]:
        """What makes functions and their gradients 0 at 0; of drawn ones that of the mean."""
        found = {self.coefficients(o)[0]: sympy.S.Zero for o in self._members()}
        for function in dict.fromkeys(one.function for one in self.theorem.points):
            own = {o: None for k in range(self.outcomes) for o in self.members(function, k)}
            for slopes in zip(*(self.coefficients(o)[1] for o in own), strict=True):
                found[slopes[-1]] = -sympy.Add(*slopes[:-1])
        return found

    def _members(self) -> list[str]:
        """All functions that are no means of others."""
        functions = sorted({one.function for one in self.theorem.points})
        pairs = product(functions, range(self.outcomes))
        return [*dict.fromkeys(o for f, k in pairs for o in self.members(f, k))]

    def _coefficients(self) -> Iterator[Scalar]:
        for constant, slopes, bends in map(self.coefficients, self._members()):
            yield from (constant, *slopes, *bends)

    def _suffixes(self) -> list[str]:
        return [""] if self.dimension == 1 else [f"[{i + 1}]" for i in range(self.dimension)]

    def _index(self, name: str, outcome: int) -> int:
        return outcome if name in self.random else 0

    def _named(self, name: str, outcome: int) -> str:
        many = self.outcomes > 1 and name in self.random
        return f"{name}{AT}{outcome + 1}" if many else name

    def vector(self, one: Vector, outcome: int) -> tuple[Scalar, ...]:
        """The coordinates of a vector."""
        parts = [
            (self.at(sympy.sympify(factor), outcome), self._coordinates(name, outcome))
            for name, factor in one.terms
        ]
        return tuple(
            sympy.Add(*(factor * coordinates[i] for factor, coordinates in parts))
            for i in range(self.dimension)
        )

    def _coordinates(self, name: str, outcome: int) -> tuple[Scalar, ...]:
        label = self._named(name, outcome)
        fresh = tuple(sympy.Symbol(f"{label}{end}", real=True) for end in self._suffixes())
        return self._vectors.setdefault((name, self._index(name, outcome)), fresh)

    def still(self) -> Iterator[tuple[str, Scalar]]:
        """The coordinates to be found of vectors that are the same at every outcome, by name."""
        for (name, _), coordinates in self._vectors.items():
            if name not in self.random:
                yield from ((name, one) for one in coordinates if one.is_Symbol)

    def at(self, form: Scalar, outcome: int) -> Scalar:
        """An expression at an outcome."""
        if isinstance(form, Gram):
            one, other = (self._coordinates(name, outcome) for name in form.names)
            return sympy.Add(*(a * b for a, b in zip(one, other, strict=True)))
        if isinstance(form, Mean):
            return mean_of([self.at(form.args[2], k) for k in range(self.outcomes)])
        if form.is_Symbol:
            label = self._named(form.name, outcome)
            fresh = form if label == form.name else sympy.Symbol(label, **form.assumptions0)
            return self._values.get((form, self._index(form.name, outcome)), fresh)
        if not form.args:
            return form
        return form.func(*(self.at(part, outcome) for part in form.args))

    def relation(self, one: Relation, outcome: int) -> Relation:
        """A relation at an outcome."""
        return Relation(self.at(one.lhs, outcome), one.kind, self.at(one.rhs, outcome))

    @cached_property
    def under(self) -> tuple[Relation, ...]:
        """What is supposed, at every outcome."""
        found = self.tied()
        for one in self.theorem.hypotheses:
            for outcome in range(self.outcomes):
                if isinstance(one, Hypothesis):
                    found.append(self.relation(one.relation, outcome))
                elif isinstance(one, Smooth):
                    found += self._smooth(one, outcome)
        found += [*self._everywhere(), *self._unbiased()]
        return (*(one for one in dict.fromkeys(found) if one.gap != 0), *self._defined())

    def _everywhere(self) -> Iterator[Relation]:
        """What makes `everywhere` likely, so that the search goes where it holds."""
        said = [one for one in self.theorem.everywhere if one[1] != "unbiased"]
        for (function, kind, constants), outcome in product(said, range(self.outcomes)):
            constant, slopes, bends = self.mean_coefficients(function, outcome)
            bound = 0 if isinstance(constants[0], Vector) else self.at(constants[0], outcome)
            if kind == "steepest":
                yield le(sympy.Add(*(slope**2 for slope in slopes)), bound**2)
            for slope, bend in zip(slopes, bends, strict=True):
                if kind == "steepest":
                    yield eq(bend, 0)
                elif kind == "least":
                    yield le(slope**2, 2 * bend * (constant - bound))
                yield le(bound if kind in ("convex", "quasi-convex") else 0, bend)

    def _unbiased(self) -> Iterator[Relation]:
        """Means of vectors, by coordinates: hypotheses only say some inner products."""
        for _, random, expected in means_of(self.theorem):
            drawn = [self.vector(random, k) for k in range(self.outcomes)]
            for outcome in range(self.outcomes):
                for i, meant in enumerate(self.vector(expected, outcome)):
                    yield eq(mean_of([one[i] for one in drawn]), meant)

    def _defined(self) -> Iterator[Relation]:
        """What has a denominator equals itself, so that whoever replays it sees it be a number."""
        for part in printed(self.theorem):
            if any(power.exp.is_negative for power in part.atoms(sympy.Pow)):
                for outcome in range(self.outcomes):
                    yield eq(one := self.at(part, outcome), one)

    def _smooth(self, one: Smooth, outcome: int) -> Iterator[Relation]:
        constant = self.at(sympy.sympify(one.constant), outcome)
        for bend in self.mean_coefficients(one.function, outcome)[2]:
            yield le(bend, constant)
            yield le(-constant, bend)

    @cached_property
    def goal(self) -> Relation:
        """The statement at the first outcome; which is the first is a matter of names."""
        return self.relation(self.theorem.goal, 0)


def printed(theorem: Theorem) -> tuple[Scalar, ...]:
    """All that a reader sees, before anything cancels: 1/r − 1/r means nothing at r = 0."""
    said = (one.relation for one in theorem.hypotheses if isinstance(one, Hypothesis))
    return (
        *map(exact, as_printed(theorem)),
        *(side for one in said for side in (one.lhs, one.rhs)),
    )


def has_roots(form: Scalar) -> bool:
    """Whether there are roots in it: z3 does not keep to its budget there."""
    return any(not power.exp.is_Integer for power in form.atoms(sympy.Pow))


def named_means(theorem: Theorem) -> Iterator[Any]:
    """All means that relations name."""
    for _, relation in theorem.relations:
        yield from relation.lhs.atoms(Mean) | relation.rhs.atoms(Mean)  # none may cancel another


def mean_of(parts: Sequence[Scalar]) -> Scalar:
    """The mean of expressions."""
    return sympy.Add(*parts) / len(parts)
