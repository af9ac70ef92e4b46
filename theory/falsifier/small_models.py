"""Attacks a statement that is not proved: numbers that satisfy its hypotheses and violate it.

Vectors get one or two coordinates, every function is a quadratic with a diagonal Hessian, a mean is
one over up to three outcomes of equal weight. All of the statement is then about real numbers, and
z3 looks for some. They are made rational, and replayed by whoever decides. Statements with
sequences or sums are about whole runs, and are not attacked here; nor are those with roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import UnsupportedFormError
from theory.falsifier.everywhere import beyond_numbers, everywhere
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.means import Mean, random_names
from theory.kernel.prove import as_printed
from theory.kernel.relations import Relation, eq, exact, le
from theory.kernel.rules.ranges import indices
from theory.kernel.signs import Translator
from theory.kernel.theorem import Delayed, Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Gram, Point, Scalar, Vector
from theory.smt.rational import rational_model

SHAPES: Final = ((1, 1), (1, 2), (2, 1), (1, 3), (2, 2))
"""Coordinates of vectors, and outcomes of a mean, in the order in which they are tried."""
COUNTS: Final = (1, 2, 3, 5)
"""Values that integer symbols take."""
RLIMIT: Final = 200_000
"""z3's budget for one shape and one combination: what is violated is mostly violated quickly."""
UNKNOWNS: Final = 10
MONOMIALS: Final = 80
"""What a question may hold at most: z3 does not keep to its budget on larger ones."""
TRIES: Final = 3
"""Combinations of them."""


@dataclass(frozen=True)
class SmallModel:
    """An instance of a statement's hypotheses that violates it.

    Attributes
    ----------
    of : Theorem
        What is violated.
    numbers : mapping of sympy symbol to rational number
        Symbols as in the theorem, coordinates, coefficients of functions.
    under : tuple of Relation
        What the hypotheses say of these numbers.
    goal : Relation
        What the statement says of them, and what is not so.
    shown : mapping
        The instance for a reader, as plain data.
    lasts : callable
        Whether what is supposed of every iteration holds in those that come later, too.
    """

    of: Theorem
    numbers: Mapping[Scalar, Scalar]
    under: tuple[Relation, ...]
    goal: Relation
    shown: Mapping[str, Any]
    lasts: Callable[[], bool] = lambda: True

    def left(self) -> Scalar:
        """The left-hand side, exactly; no number if the instance cannot go on for ever."""
        if not self.lasts():
            return sympy.nan
        return self.goal.lhs.subs(dict(self.numbers), simultaneous=True)


def small_model(theorem: Theorem) -> SmallModel | None:
    """Look for numbers that satisfy all hypotheses of a theorem and violate it.

    Returns
    -------
    SmallModel or None
        None says nothing: the search is small, and does not know sequences, sums, and means under
        several laws.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel.lemmas import YOUNG
    >>> small_model(YOUNG) is None
    True
    >>> wrong = replace(YOUNG, terms={**YOUNG.terms, "second": YOUNG.terms["second"] / 2})
    >>> model = small_model(wrong)
    >>> sorted(model.shown)
    ['a', 'left', 'right', 'u', 'v']
    """
    if not _in_reach(theorem):
        return None
    random = any(_means(theorem))
    for dimension, outcomes in SHAPES:
        if outcomes == 1 or random:
            posed = Posed(theorem, dimension, outcomes)
            for counts in islice(_counts(theorem), TRIES):
                for at in _questions(posed, counts):
                    found = _solved(posed, at)
                    if found is not None and everywhere(theorem, {**counts, **found.numbers}):
                        return found
    return None


def _questions(posed: Posed, counts: Mapping[Scalar, Scalar]) -> Iterator[dict[Scalar, Scalar]]:
    """Numbers that are put in before z3 is asked, so that not too much is left to be found.

    None, unless that is too much: then functions and their gradients are 0 at 0, and so is what is
    the same in every iteration, or every vector that is not random: noise at x = x* = 0 is left.
    """
    relations = (*posed.under, posed.goal)  # in this order: the first names what the others use
    functions = sorted({one.function for one in posed.theorem.points})
    origin = [(constant, *slopes) for constant, slopes, _ in map(posed.coefficients, functions)]
    fixed = {name for one in posed.theorem.fixed for name in one.names}
    still = [*posed.still()]
    flat = [one for parts in origin for one in parts]
    at_rest = [one for name, one in still if name in fixed]
    for zeros in ([], [*flat, *at_rest], [*flat, *(one for _, one in still)]):
        at = {**counts, **dict.fromkeys(zeros, sympy.S.Zero)}
        if _is_small([one.replaced(at) for one in relations]):
            yield at
            if not zeros:
                return


def _in_reach(theorem: Theorem) -> bool:
    forms = [*printed(theorem), *(relation.gap for _, relation in theorem.relations)]
    if any(isinstance(one, Delayed) for one in theorem.hypotheses):  # about a whole run
        return False
    if beyond_numbers(theorem) or theorem.sequences:
        return False
    if theorem.indices or theorem.following or indices(theorem):  # hypotheses hold for every k
        return False
    beyond = (AppliedUndef, sympy.Sum, *ELEMENTARY)
    if any(form.atoms(*beyond) or has_roots(form) for form in forms):
        return False
    return len({mean.args[0] for mean in _means(theorem)}) <= 1


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


def _means(theorem: Theorem) -> Iterator[Any]:
    for _, relation in theorem.relations:
        yield from relation.lhs.atoms(Mean) | relation.rhs.atoms(Mean)  # none may cancel another


def _counts(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Small values for integer symbols."""
    free = {one for _, relation in theorem.relations for one in relation.gap.free_symbols}
    named = sorted((one for one in free if one.is_integer), key=str)
    yield from (
        dict(zip(named, map(sympy.Integer, values), strict=True))
        for values in sorted(product(COUNTS, repeat=len(named)), key=sum)
    )


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
        return frozenset[str]().union(*(random_names(mean) for mean in _means(self.theorem)))

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
        value, gradient = self.function_at(point.function, self.vector(point.position, outcome))
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
        self, function: str, position: tuple[Scalar, ...]
    ) -> tuple[Scalar, tuple[Scalar, ...]]:
        """The value and the gradient of a function at a position."""
        constant, slopes, bends = self.coefficients(function)
        value = constant + sum(
            slope * at + bend * at**2 / 2
            for slope, bend, at in zip(slopes, bends, position, strict=True)
        )
        gradient = tuple(
            slope + bend * at for slope, bend, at in zip(slopes, bends, position, strict=True)
        )
        return value, gradient

    def coefficients(self, function: str) -> tuple[Scalar, tuple[Scalar, ...], tuple[Scalar, ...]]:
        """The constant, slopes at 0 and second derivatives of a function."""
        names = [f"{function}(0)"]
        names += [f"{function}'(0){suffix}" for suffix in self._suffixes()]
        names += [f"{function}''{suffix}" for suffix in self._suffixes()]
        constant, *others = (sympy.Symbol(name, real=True) for name in names)
        return constant, tuple(others[: self.dimension]), tuple(others[self.dimension :])

    def _suffixes(self) -> list[str]:
        return [""] if self.dimension == 1 else [f"[{i + 1}]" for i in range(self.dimension)]

    def _index(self, name: str, outcome: int) -> int:
        return outcome if name in self.random else 0

    def _named(self, name: str, outcome: int) -> str:
        many = self.outcomes > 1 and name in self.random
        return f"{name} at outcome {outcome + 1}" if many else name

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
            parts = [self.at(form.args[2], k) for k in range(self.outcomes)]
            return sympy.Add(*parts) / self.outcomes
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
        for function, kind, said in self.theorem.everywhere:
            if kind == "unbiased":
                continue
            constant, slopes, bends = self.coefficients(function)
            bound = 0 if isinstance(said[0], Vector) else self.at(said[0], 0)
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
        for _, kind, said in self.theorem.everywhere:
            if kind != "unbiased" or (self.theorem.following and self.outcomes == 1):
                continue
            random, expected = (one for one in said if isinstance(one, Vector))
            drawn = [self.vector(random, k) for k in range(self.outcomes)]
            for outcome in range(self.outcomes):
                for i, meant in enumerate(self.vector(expected, outcome)):
                    yield eq(sympy.Add(*(one[i] for one in drawn)) / self.outcomes, meant)

    def _defined(self) -> Iterator[Relation]:
        """What has a denominator equals itself, so that whoever replays it sees it be a number."""
        for part in printed(self.theorem):
            if any(power.exp.is_negative for power in part.atoms(sympy.Pow)):
                for outcome in range(self.outcomes):
                    yield eq(one := self.at(part, outcome), one)

    def _smooth(self, one: Smooth, outcome: int) -> Iterator[Relation]:
        constant = self.at(sympy.sympify(one.constant), outcome)
        for bend in self.coefficients(one.function)[2]:
            yield le(bend, constant)
            yield le(-constant, bend)

    @cached_property
    def goal(self) -> Relation:
        """The statement at the first outcome; which is the first is a matter of names."""
        return self.relation(self.theorem.goal, 0)


def _solved(posed: Posed, counts: Mapping[Scalar, Scalar]) -> SmallModel | None:
    """Ask z3 with these values of integer symbols."""
    at = dict(counts)
    under = [one.replaced(at) for one in posed.under]  # before the goal: it puts functions in
    goal = posed.goal.replaced(at)
    translator = Translator()
    try:
        facts = [translator.fact(one) for one in under]
        for side in (side for one in under for side in (one.lhs, one.rhs)):
            translator.term(side)  # none of its denominators is 0
        gap = translator.term(goal.gap)
    except (UnsupportedFormError, ValueError):
        return None
    violated = gap < 0 if goal.kind == "<=" else gap != 0
    asked = (*facts, violated, *translator.domain())
    values = rational_model(asked, f"an instance that violates {posed.theorem.id}", RLIMIT)
    if values is None:
        return None
    return _read(posed, at, translator.read(values))


def _is_small(relations: Iterable[Relation]) -> bool:
    """Whether there are few unknowns, and few monomials in the numerators, and all is defined."""
    gaps = [one.gap for one in relations]
    if any(gap.has(sympy.zoo, sympy.nan) for gap in gaps):
        return False
    numerators = [sympy.fraction(sympy.together(gap))[0] for gap in gaps]
    monomials = sum(len(sympy.Add.make_args(sympy.expand(one))) for one in numerators)
    unknowns = {symbol for gap in gaps for symbol in gap.free_symbols}
    return len(unknowns) <= UNKNOWNS and monomials <= MONOMIALS


def _read(
    posed: Posed, counts: Mapping[Scalar, Scalar], values: Mapping[Scalar, Fraction]
) -> SmallModel:
    """The model with a number for every symbol that the relations name."""
    relations = (*posed.under, posed.goal)
    named = {one for each in relations for one in (each.lhs + each.rhs).free_symbols}
    named |= {one for each in relations for one in each.gap.free_symbols}
    found = {
        one: sympy.Rational(value.numerator, value.denominator) for one, value in values.items()
    }
    numbers = {one: found.get(one, counts.get(one, _any(one))) for one in sorted(named, key=str)}
    sides = {
        name: side.subs(numbers, simultaneous=True)
        for name, side in (("left", posed.goal.lhs), ("right", posed.goal.rhs))
    }
    shown = {**{one.name: value for one, value in numbers.items()}, **sides}
    text = {name: sympy.sstr(value) for name, value in shown.items()}
    return SmallModel(posed.theorem, numbers, posed.under, posed.goal, text)


def _any(one: Scalar) -> Scalar:
    """A value for what makes no difference."""
    return sympy.S.One if one.is_positive else sympy.S.Zero
