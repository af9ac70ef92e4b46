"""A theorem without means: one of them over two equally likely outcomes, the others over one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from theory.falsifier.rewriting import means_of, rewritten
from theory.falsifier.run_forms import by_side, calls_in, index_of, unsupported
from theory.kernel.context import means_in, measures, vanishing
from theory.kernel.means import Mean, is_average
from theory.kernel.relations import Relation, eq
from theory.kernel.theorem import Delayed, Hypothesis, Smooth, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, Vector, square


@dataclass(frozen=True)
class Outcomes:
    """How names are called at an outcome.

    Attributes
    ----------
    operator : str
        The mean with two outcomes, or ``""``.
    random : frozenset of str
        What is random to it.
    """

    operator: str = ""
    random: frozenset[str] = frozenset()

    @property
    def places(self) -> range:
        """Their numbers."""
        return range(2 if self.operator else 1)

    def named(self, name: str, outcome: int) -> str:
        """A name at an outcome; the first keeps its own."""
        return f"{name} at outcome {outcome + 1}" if name in self.random and outcome else name

    def vector(self, one: Vector, outcome: int) -> Vector:
        """A vector at an outcome; its factors may be random as well."""
        parts = {self.named(n, outcome): self.scalar(a, outcome) for n, a in one.terms}
        return Vector(tuple(sorted(parts.items())))

    def point(self, one: Point, outcome: int) -> Point:
        """A point at an outcome."""
        position, gradient = (self.vector(v, outcome) for v in (one.position, one.gradient))
        return Point(position, self.scalar(one.value, outcome), gradient, one.function)

    def scalar(self, form: Scalar, outcome: int = 0) -> Scalar:
        """An expression at an outcome, means written out."""
        form = sympy.sympify(form)
        if isinstance(form, Mean):
            own = str(form.args[0]) == self.operator
            places = self.places if own else (outcome,)
            parts = [self.scalar(form.args[2], place) for place in places]
            return sympy.Add(*parts) / len(parts)
        if isinstance(form, Gram):
            return Gram(*(Str(self.named(name, outcome)) for name in form.names))
        if form.is_Symbol:
            name = self.named(form.name, outcome)
            return form if name == form.name else sympy.Symbol(name, **form.assumptions0)
        if not form.args or isinstance(form, (AppliedUndef, sympy.Sum)):
            return form
        return form.func(*(self.scalar(part, outcome) for part in form.args))

    def relation(self, one: Relation, outcome: int) -> Relation:
        """A relation at an outcome."""
        left, right = (self.scalar(side, outcome) for side in (one.lhs, one.rhs))
        return Relation(left, one.kind, right)


def outcomes_of(theorem: Theorem) -> Iterator[Outcomes]:
    """One outcome; and where a statement is not about a run, two of each mean.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> list(outcomes_of(YOUNG))
    [Outcomes(operator='', random=frozenset())]
    """
    yield Outcomes()
    if not theorem.following:
        averages = {str(m.args[0]) for _, m in means_in(theorem) if is_average(m)}
        for one in measures(theorem):  # an average of what is drawn may be of one member
            others = (
                m.random
                for m in measures(theorem)
                if m.name != one.name and (m.name in averages) is (one.name in averages)
            )
            if one.random.isdisjoint(frozenset[str]().union(*others)):  # else all have outcomes
                yield Outcomes(one.name, one.random)


@dataclass(frozen=True, eq=False)
class Plain:
    """What a theorem says where means are those of given outcomes.

    Attributes
    ----------
    of : Theorem
    relations : tuple of Relation
        Hypotheses, at every outcome.
    smooth, delayed : tuples
        Other hypotheses.
    points, following, scalars : tuples
        As in a theorem, for all outcomes.
    moving : frozenset of str
        Names of vectors that differ from iteration to iteration.
    sequences : mapping of str to expression
    lhs : expression
    terms : mapping of str to expression
        The statement, at the first outcome: which is the first is a matter of names.
    zero : mapping of str to Vector
        Vectors of which a hypothesis says that they are 0, and of one vector that is 0 anyway.
    """

    of: Theorem
    relations: tuple[Relation, ...]
    smooth: tuple[Smooth, ...]
    delayed: tuple[Delayed, ...]
    points: tuple[Point, ...]
    following: tuple[tuple[Point, Point], ...]
    scalars: tuple[Scalar, ...]
    moving: frozenset[str]
    sequences: Mapping[str, Scalar]
    lhs: Scalar
    terms: Mapping[str, Scalar]
    zero: Mapping[str, Vector] = field(default_factory=dict)

    @cached_property
    def index(self) -> Scalar:
        """What counts iterations."""
        return index_of(self.of)

    @cached_property
    def is_run(self) -> bool:
        """Whether hypotheses are said of every iteration."""
        said = (self.following, self.sequences, self.of.indices, self.delayed)
        goal = Relation(self.lhs, "<=", sympy.Add(*self.terms.values()))
        return any(said) or any(calls_in(one) for one in (*self.relations, goal))

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Vectors that every iteration chooses anew."""
        taken = {name for one in self.points for name in one.gradient.names}
        taken |= {name for now, _ in self.following for name in now.position.names}
        taken |= {name for one in self.delayed for name in one.old.position.names}
        return tuple(sorted(self.moving - taken - self.zero.keys()))


def plain(theorem: Theorem, outcomes: Outcomes) -> Plain:
    """The theorem where means are those of these outcomes, and all is said of each of them.

    Raises
    ------
    UnsupportedFormError
        An equation defines a stale point.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> found = plain(YOUNG, Outcomes())
    >>> found.lhs == YOUNG.lhs, sorted(found.moving)
    (True, ['u', 'v'])
    """
    one = rewritten(theorem, drawn=outcomes.operator)
    said = [h for h in one.hypotheses if isinstance(h, Hypothesis)]
    delayed = tuple(h for h in one.hypotheses if isinstance(h, Delayed))
    if any(point not in one.points for h in delayed for point in (h.old, h.now)):
        raise unsupported("a stale point that an equation defines")
    # What follows itself must vanish in every iteration: that is left to the equation.
    led = {n for now, _ in one.following for v in (now.position, now.gradient) for n in v.names}
    led |= {n for h in delayed for v in (h.old.position, h.old.gradient) for n in v.names}
    gone = {name for h in said for name in vanishing(h.relation)}
    zero = dict.fromkeys(gone - led, ZERO)
    values = Values({}, zero)
    meant = {f(index_of(theorem)): value for f, value in one.sequences.items()}

    def now(side: Scalar) -> Scalar:  # in a sum its own index may have the same name
        return outcomes.scalar(side if side.has(sympy.Sum) else side.xreplace(meant))

    relations = (
        by_side(outcomes.relation(h.relation, k), now) for h in said for k in outcomes.places
    )
    unbiased = (eq(square(gap), 0) for gap in _biases(one, outcomes))
    points = [outcomes.point(p, k) for p in one.points for k in outcomes.places]
    named = [outcomes.vector(v, k) for v in one.vectors for k in outcomes.places]
    named += [v for p in points for v in (p.position, p.gradient)]
    still = {name for v in one.fixed for name in v.names}
    still |= {name for p in one.points if p.position.names <= still for name in p.gradient.names}
    return Plain(
        theorem,
        tuple(dict.fromkeys(values.relation(r) for r in (*relations, *unbiased))),
        tuple(h for h in one.hypotheses if isinstance(h, Smooth)),
        delayed,
        tuple(dict.fromkeys(values.point(p) for p in points)),
        tuple((outcomes.point(now, 0), outcomes.point(then, 0)) for now, then in one.following),
        tuple(dict.fromkeys(outcomes.scalar(s, k) for s in one.scalars for k in outcomes.places)),
        frozenset(name for v in named for name in v.names) - still,
        {str(f): values.scalar(outcomes.scalar(v)) for f, v in one.sequences.items()},
        values.scalar(outcomes.scalar(one.lhs)),
        {name: values.scalar(outcomes.scalar(term)) for name, term in one.terms.items()},
        zero,
    )


def _biases(theorem: Theorem, outcomes: Outcomes) -> Iterator[Vector]:
    """What is 0 where E g = m, of which hypotheses only say E⟨g, v⟩ = ⟨m, v⟩ for some v."""
    for name, random, expected in means_of(theorem):
        for outcome in outcomes.places:
            places = outcomes.places if name == outcomes.operator else (outcome,)
            drawn = sum((outcomes.vector(random, k) for k in places), ZERO) / len(places)
            gap = drawn - outcomes.vector(expected, outcome)
            if gap != ZERO:
                yield gap
