"""Runs small methods on small functions until one satisfies every hypothesis and breaks the goal.

Parameters, curvatures, starts and inputs are drawn from short lists of rational numbers, in exact
fractions throughout; constants that a hypothesis bounds are often put where it is tight. A run is
looked at as far as the statement speaks of it by number, and `forever` shows the rest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Final

import sympy

from theory.errors import NotExactError
from theory.falsifier.fraction_code import compiled
from theory.falsifier.iterations import Iteration, iteration
from theory.falsifier.rewriting import free_vectors
from theory.falsifier.run_models import Run, named_model
from theory.falsifier.small_models import SmallModel, has_roots, printed
from theory.kernel.context import means_in
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.relations import Relation
from theory.kernel.theorem import Delayed, Theorem
from theory.kernel.vectors import Scalar
from theory.kernel.wellformed import is_square

NUMBERS: Final = tuple(map(Fraction, "1 2 1/2 1/4 4 3 1/3 9 1/10 10 3/4 1/8 1/100".split()))
"""What is drawn, the first ones more often; with either sign, or 0, where the domain has them."""
COUNTS: Final = (1, 2, 3, 4, 0)
"""Values of integer symbols; 9 too where there are roots."""
POSED: Final = 24
"""Shapes, and combinations of counts with them."""
DRAWS: Final = 500
"""Instances for one shape and one combination of counts."""
SPLITS: Final = 4
"""Iterations of a run that splits into outcomes."""
AHEAD: Final = (20, 3)
"""Iterations beyond, with one outcome and with more: most that cannot go on for ever end there."""

CLEAR: Final = Fraction(1, 10**9)
"""By how much a statement with roots is violated."""

Numbers = dict[Scalar, Fraction]
Choice = Callable[[Iterable[Fraction]], Fraction]


def small_run(theorem: Theorem) -> SmallModel | None:
    """Look for an exact small run that satisfies all hypotheses and violates a statement.

    Returns
    -------
    SmallModel or None
        None says nothing: the search is small.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel import Combine
    >>> q = sympy.Symbol("q", positive=True)
    >>> j = sympy.Symbol("j", integer=True, nonnegative=True)
    >>> total = sympy.Sum(q**j, (j, 0, 2))
    >>> names = dict(id="mine.sum", where="", statement="", latex="", conclude=Combine())
    >>> one = Theorem(**names, symbols=(q,), lhs=total, terms={"right": 1 + q + q**2})
    >>> small_run(one) is None
    True
    >>> small_run(replace(one, terms={"right": 1 + q})).numbers[q] > 0
    True
    """
    if theorem.assumes:  # what is said in words, numbers need not satisfy
        return None
    if any(isinstance(one, Delayed) for one in theorem.hypotheses):  # its runs have a memory
        return None
    if any(side.atoms(*ELEMENTARY) for side in printed(theorem)):  # no fractions
        return None
    source = random.Random(0)
    posed = ((counts, shape) for counts in _counts(theorem) for shape in _shapes(theorem))
    for counts, shape in islice(posed, POSED):
        one = iteration(theorem, counts, *shape)
        if one is not None and (len(one.then) == 1 or one.last <= SPLITS):
            runner = _Runner(one, counts)
            models = (runner.violating(source) for _ in range(DRAWS))
            sound = (m for m in models if m and is_defined(theorem, {**counts, **m.numbers}))
            found = next((model for model in sound if model.lasts()), None)
            if found is not None:
                return found
    return None


def is_defined(theorem: Theorem, numbers: Mapping[Scalar, Scalar]) -> bool:
    """Whether no denominator vanishes and no root is one of a negative number, before any cancels.

    Both must be made of constants: then one look is enough for all iterations.
    """
    powers = {power for part in printed(theorem) for power in part.atoms(sympy.Pow)}
    for power in powers:
        base, exponent = power.base, power.exp
        if exponent.is_integer and exponent.is_nonnegative:
            continue
        if exponent.is_positive and (base.is_nonnegative or is_square(base)):  # the root of a norm
            continue
        if base.atoms(sympy.Function) or not base.free_symbols <= numbers.keys():
            return False
        value = base.subs(dict(numbers), simultaneous=True)
        known = value.is_positive or (value.is_zero and exponent.is_positive)
        if not (known or (exponent.is_integer and value.is_negative)):
            return False
    return True


def _counts(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Small values for integer symbols, inside their domains."""
    named = sorted((one for one in theorem.symbols if one.is_integer), key=str)
    rooted = any(has_roots(side) for _, r in theorem.relations for side in (r.lhs, r.rhs))
    known = (*COUNTS, 9) if rooted else COUNTS
    choices = [[n for n in known if in_domain(sympy.Integer(n), one)] for one in named]
    for values in sorted(product(*choices), key=sum):
        yield dict(zip(named, map(sympy.Integer, values), strict=True))


def in_domain(value: Scalar, symbol: Scalar) -> bool:
    """Whether a number has all that a symbol is declared to have, such as even or negative."""
    return all(getattr(value, f"is_{word}") is said for word, said in symbol.assumptions0.items())


def _shapes(theorem: Theorem) -> Iterator[tuple[int, int, str]]:
    """Coordinates, outcomes, and the gradient near which vectors lie that nothing defines."""
    free = set(free_vectors(theorem))
    known = [one for one in theorem.points if free and not one.position.names & free]
    for base in ("", *(name for one in known[:3] for name in one.gradient.names)):
        yield 1, 1, base
        if len({str(mean.args[0]) for _, mean in means_in(theorem)}) == 1:
            yield 1, 2, base
    if theorem.points or theorem.vectors:
        yield 2, 1, ""


@dataclass(frozen=True)
class _Tight:
    """Where a constant makes a hypothesis, by its number, an equation."""

    relation: int
    constant: Scalar
    early: bool
    choice: Choice


class _Runner:
    """An iteration, ready to be run from what is drawn."""

    def __init__(self, one: Iteration, counts: Mapping[Scalar, Scalar]) -> None:
        self._one, self._counts = one, counts
        arguments = [*one.constants, *one.state, *one.inputs, one.index]
        everything = [*arguments, *one.marks.values()]
        gaps = [each.gap for each in one.relations]
        self._then = [compiled(arguments, then) for then in one.then]
        self._values = compiled(arguments, [one.values[str(call.func)] for call in one.marks])
        self._gaps = compiled(everything, gaps)
        self._goal = compiled(everything, [one.goal.gap], near=True)  # the judge looks once more
        self._margin = CLEAR if has_roots(one.goal.gap) else 0
        self._numbers = {c: self._possible(c) for c in one.constants}
        still = {*one.constants}
        moved = {s for form in one.moving for s in form.free_symbols}
        early = [gap.free_symbols <= still for gap in gaps]
        self._early = [each for each, soon in zip(one.relations, early, strict=True) if soon]
        self._checked = compiled(one.constants, [each.gap for each in self._early])
        self._named = [gap.free_symbols & still for gap in gaps]
        self._each = [compiled(everything, [gap]) for gap in gaps]
        self._places_of = {c: n for n, c in enumerate(one.constants)}
        self._tight = [
            _Tight(i, c, early[i], _choice(one.relations[i].kind, slope))
            for i, gap in enumerate(gaps)
            for c in sorted(self._named[i] - counts.keys(), key=str)
            if early[i] or c not in moved
            for slope in [sympy.diff(gap, c)]
            if slope != 0 and c not in slope.free_symbols
        ]

    def _possible(self, one: Scalar) -> list[Fraction]:
        if one in self._counts:
            return [Fraction(int(self._counts[one]))]
        signed = [Fraction(0), *(x for n in NUMBERS for x in (n, -n))]
        return [x for x in signed if in_domain(sympy.Rational(x), one)] or [Fraction(0)]

    def violating(self, source: random.Random) -> SmallModel | None:
        """An instance that is drawn, if it satisfies all hypotheses as far as it is looked at."""
        try:
            return self._violating(source)
        except (ZeroDivisionError, NotExactError, OverflowError):
            return None

    def _violating(self, source: random.Random) -> SmallModel | None:
        at = {c: self._drawn(c, source) for c in self._one.constants}
        self._tighten(at, source, None)
        if not all(map(_holds, self._early, self._checked(*at.values()))):
            return None
        start = tuple(_any(source, 0.3) for _ in self._one.state)
        inputs = self._inputs(source)
        run = self._played(at, start, inputs)
        self._tighten(at, source, run)
        if not all(in_domain(sympy.Rational(x), c) for c, x in at.items()):
            return None
        gaps = [self._goal(*each)[0] for each in self._places(at, run)]
        goals = [_holds(self._one.goal, gap) or abs(gap) < self._margin for gap in gaps]
        if all(goals) or not self._admits(at, run):
            return None
        if not self._admits(at, self._played(at, start, inputs, run.marks)):
            return None
        return named_model(self._one, at, run, goals.index(False))

    def _admits(self, at: Numbers, run: Run) -> bool:
        """Whether all hypotheses hold wherever the run was."""
        gaps = (self._gaps(*each) for each in self._places(at, run))
        return all(all(map(_holds, self._one.relations, each)) for each in gaps)

    def _drawn(self, one: Scalar, source: random.Random) -> Fraction:
        if one not in self._one.theorem.symbols and source.random() < 0.5:
            return Fraction(0)
        known = self._numbers[one]
        return known[int(len(known) * source.random() ** 2)]

    def _tighten(self, at: Numbers, source: random.Random, run: Run | None) -> None:
        """Put constants where hypotheses are tight: always for equations, else by chance.

        Before the run where a hypothesis is about constants alone, and after it where nothing in
        the run depends on the constant.
        """
        chance = source.choice((0, 0.2, 0.6))
        taken: set[Scalar] = set()
        done: set[int] = set()
        others = len(self._one.state) + len(self._one.inputs) + 1 + len(self._one.marks)
        for each in source.sample(self._tight, len(self._tight)):
            wanted = each.choice is _first or source.random() < chance
            open_ = each.constant not in taken and each.relation not in done
            if wanted and open_ and each.early is (run is None):
                places = [(*at.values(), *[Fraction(0)] * others)]
                places = places if run is None else [*self._places(at, run)]
                zeros = [self._zero(each, place) for place in places]
                at[each.constant] = each.choice(zeros)
                taken |= self._named[each.relation]
                done.add(each.relation)

    def _zero(self, tight: _Tight, place: tuple[Fraction, ...]) -> Fraction:
        """Where the gap, which is linear in the constant, is 0."""
        n, gap = self._places_of[tight.constant], self._each[tight.relation]
        low, high = (gap(*place[:n], Fraction(x), *place[n + 1 :])[0] for x in (0, 1))
        return Fraction(low / (low - high))

    def _inputs(self, source: random.Random) -> list[tuple[Fraction, ...]]:
        """What each iteration chooses; the last choice stays for ever."""
        length = self._one.last + 2
        columns: list[list[Fraction]] = []
        for symbol in self._one.inputs:
            kind, zero = source.randrange(3), [Fraction(0)]
            column = [_any(source, 0.4) for _ in range(length)]
            column = [column[:1] * length, column[:1] + zero * (length - 1), column][kind]
            if symbol.name.endswith("outcome 2") and source.random() < 0.8:  # noise without a mean
                column = [-x for x in columns[-1]]
            columns.append(column)
        return [tuple(column[k] for column in columns) for k in range(length)]

    def _played(
        self,
        at: Numbers,
        start: tuple[Fraction, ...],
        inputs: list[tuple[Fraction, ...]],
        marks: tuple[Fraction, ...] | None = None,
    ) -> Run:
        """The run; where it is known what sequences are at numbers, it goes further."""
        states: list[tuple[tuple[Fraction, ...], ...]] = [(start,)]
        means: list[list[Fraction]] = []
        more = 0 if marks is None else AHEAD[len(self._then) > 1]
        for k in range(self._one.last + 1 + more):
            chosen = inputs[min(k, len(inputs) - 1)]
            places = [(*at.values(), *state, *chosen, Fraction(k)) for state in states[-1]]
            if marks is None:
                seen = [self._values(*place) for place in places]
                means.append([sum(column) / len(column) for column in zip(*seen, strict=True)])
            states.append(tuple(tuple(then(*place)) for place in places for then in self._then))
        numbers = enumerate(int(call.args[0]) for call in self._one.marks)
        found = tuple(means[k][i] for i, k in numbers) if marks is None else marks
        return Run(tuple(states), tuple(inputs), found)

    def _places(self, at: Numbers, run: Run) -> Iterator[tuple[Fraction, ...]]:
        """Values of everything in every iteration and branch."""
        for k, states in enumerate(run.states[:-1]):
            chosen = run.inputs[min(k, len(run.inputs) - 1)]
            for state in states:
                yield (*at.values(), *state, *chosen, Fraction(k), *run.marks)


def _choice(kind: str, slope: Scalar) -> Choice:
    """Which of several values makes a relation hold in every iteration."""
    if kind == "==":
        return _first
    return max if slope.is_nonnegative is not False else min


def _first(values: Iterable[Fraction]) -> Fraction:
    return next(iter(values))


def _any(source: random.Random, zero: float) -> Fraction:
    if source.random() < zero:
        return Fraction(0)
    drawn = NUMBERS[int(len(NUMBERS) * source.random() ** 2)]
    return -drawn if source.random() < 0.3 else drawn


def _holds(one: Relation, gap: Fraction) -> bool:
    return gap == 0 if one.kind == "==" else gap >= 0
