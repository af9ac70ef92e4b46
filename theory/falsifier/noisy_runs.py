"""Long runs with noise on parabolas: what quantities are in the mean, exactly and without sampling.

Where an update is affine in the state, the means of its parts and of their products in iteration
k + 1 are made of those in iteration k; so twenty iterations with two outcomes each need no million
of runs. What hypotheses say must hold in every state there is, whatever the outcomes were.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import Any, Final

import sympy

from theory.errors import TheoryError
from theory.falsifier.drawn_runs import (
    Numbers,
    Runner,
    Tight,
    drawn_number,
    first_of,
    holds,
)
from theory.falsifier.effort import current
from theory.falsifier.everywhere import beyond_numbers
from theory.falsifier.forever import everywhere
from theory.falsifier.fraction_code import compiled
from theory.falsifier.gram.lasting import nearest
from theory.falsifier.gram.parameters import lengths
from theory.falsifier.gram.plain import Outcomes, plain
from theory.falsifier.iterations import Iteration, iteration
from theory.falsifier.moments import Moments, Monomial, Square
from theory.falsifier.numbers import in_domain
from theory.falsifier.posed import Posed
from theory.falsifier.rewriting import free_vectors, means_of
from theory.falsifier.run_models import Run, placed_at, shown, sides_of
from theory.falsifier.small_models import SmallModel
from theory.falsifier.small_runs import is_one
from theory.kernel.context import means_in
from theory.kernel.relations import eq
from theory.kernel.rules.inner_runs import inner_runs
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar, Vector, vector

LONG: Final = (200, 20, 2)
"""Values of integer symbols that say how far a statement speaks of a run."""
SHORT: Final = (1, 2, 3)
"""Values of others."""
POSED: Final = 4
"""Combinations of them."""
DRAWS: Final = 800
"""Instances for one combination."""
BEGUN: Final = 300
"""Instances of which one has to satisfy all hypotheses."""
NEAR: Final = tuple(map(Fraction, "1/2 3/4 9/10 11/10 4/3 2 0 -1".split()))
"""Factors from one value of a constant to values beside it."""


def noisy_run(theorem: Theorem) -> SmallModel | None:
    """Look for a long run with noise that satisfies all hypotheses and violates a statement.

    Returns
    -------
    SmallModel or None
        None says nothing: only parabolas and two outcomes of equal weight are tried.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> noisy_run(YOUNG) is None
    True
    """
    if beyond_numbers(theorem) or inner_runs(theorem) or not theorem.following:
        return None
    operators = {str(mean.args[0]) for _, mean in means_in(theorem)}
    outcomes = 2 if len(operators) == 1 else 1
    source, around, made = random.Random(0), _around(theorem), current()
    draws = made.tries(DRAWS)
    for number, counts in enumerate(islice(_counts(theorem), POSED)):
        one = iteration(theorem, counts, 1, outcomes, around, Posed)
        moments = None if one is None or one.empty else Moments.of(one)
        if one is None or moments is None:
            continue
        runner = _Noisy(one, counts, moments)
        for draw in range(draws):
            made.say("long runs with noise", number * draws + draw, POSED * draws)
            model = runner.violating(source)
            if model and is_one(theorem, counts, model, outcomes):
                return model
            if draw > made.tries(BEGUN) and not runner.begun:
                break
    return None


def _around(theorem: Theorem) -> Mapping[str, Vector]:
    """What hypotheses say that vectors are near, each made of what is known."""
    said = {
        min(g.names): m for _, g, m in means_of(theorem) if g == vector(min(g.names, default=""))
    }
    try:
        relations = plain(theorem, Outcomes()).relations
    except TheoryError:
        return {}
    open_ = free_vectors(theorem)
    near = {n: [*([said[n]] if n in said else ()), *nearest(n, relations)] for n in open_}
    found: dict[str, Vector] = {}
    for _ in open_:
        for name in open_:
            for one in near[name]:
                known = one.replaced({n: v + Vector(((n, sympy.S.One),)) for n, v in found.items()})
                if name not in found and not one.names & {*open_} - found.keys():
                    found[name] = known
    return found


def _counts(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Values of integer symbols, long runs first."""
    far = lengths(theorem)
    named = sorted((one for one in theorem.symbols if one.is_integer), key=str)
    choices = [
        [n for n in (LONG if one in far else SHORT) if in_domain(sympy.Integer(n), one)]
        for one in named
    ]
    for values in product(*choices):
        yield dict(zip(named, map(sympy.Integer, values), strict=True))


class _Noisy(Runner):
    """Runs whose states are looked at in the mean."""

    def __init__(self, one: Iteration, counts: Mapping[Scalar, Scalar], moments: Moments) -> None:
        super().__init__(one, counts)
        self._moments = moments
        arguments = [*one.constants, *one.inputs, one.index]
        place = moments.monomials.index
        self._moves = [[*map(place, each)] for each in moments.then]
        self._factors = compiled(arguments, [a for each in moments.then for a in each.values()])
        everything = [*one.constants, *one.state, *one.inputs, one.index, *one.marks.values()]
        self._squares = [Square.of(r.gap, one.state, everything) for r in one.relations]
        self._size = compiled(everything, [one.goal.lhs + one.goal.rhs], near=True)
        self._best: tuple[Fraction, Numbers, Numbers, tuple[Fraction, ...]] | None = None
        self._reads = {name: [*map(place, each)] for name, each in moments.values.items()}
        forms = {name: [*each.values()] for name, each in moments.values.items()}
        forms[""] = [a for each in moments.then for a in each.values()]
        self._named_in = {n: {s for a in f for s in a.free_symbols} for n, f in forms.items()}
        self._weights = {
            name: compiled(arguments, [*each.values()]) for name, each in moments.values.items()
        }

    @property
    def begun(self) -> bool:
        """Whether some instance satisfied all hypotheses."""
        return self._best is not None

    def _violating(self, source: random.Random, at_rest: bool) -> SmallModel | None:
        """An instance that violates the statement; else what comes nearest to it is remembered."""
        one, best = self._one, self._best
        if best is None or source.random() < 0.3:
            at = {c: self._drawn(c, source) for c in one.constants}
            start, inputs = self._begun(source), self._inputs(at, source)[0]
        else:
            at, start, inputs = dict(best[1]), best[2], best[3]
            for c in source.sample(one.constants, min(2, len(one.constants))):
                moved = c not in self._counts and source.random() < 0.6
                at[c] = at[c] * source.choice(NEAR) if moved else self._drawn(c, source)
            if source.random() < 0.4:
                start, inputs = self._begun(source), self._inputs(at, source)[0]
        self._tighten(at, source, None)
        if not all(map(holds, self._early, self._checked(*at.values()))):
            return None
        first = tuple(start[one.starts.get(s, s)] for s in one.state)
        run = self._played(at, first, [inputs] * 2)
        self._tighten(at, source, run)
        self._breach(at, source, run)
        known = all(in_domain(sympy.Rational(x), c) for c, x in at.items())
        if not (known and self._admits(at, run)):
            return None
        place = next(self._places(at, run))
        gap, size = self._goal(*place)[0], self._size(*place)[0]
        near = gap / size if size else Fraction(1)
        if not self._keeps(gap):
            exact = self._marks(at, first, inputs, Fraction)
            run = self._played(at, first, [inputs] * 2, exact)
            gap = self._goal(*next(self._places(at, run)))[0]
            if not self._keeps(gap) and self._admits(at, run):
                return self._model(at, run, 0)
        if best is None or near < best[0]:
            self._best = near, at, start, inputs
        return None

    def _zeros(self, tight: Tight, places: Iterable[tuple[Fraction, ...]]) -> list[Fraction]:
        """Where the gap is 0 in one state, and nowhere below."""
        first, *_ = known = [*places]
        n, one = self._places_of[tight.constant], self._squares[tight.relation]
        ends = [(*first[:n], Fraction(x), *first[n + 1 :]) for x in (0, 1)]
        low, high = (None if one is None else one.least(place) for place in ends)
        if tight.choice is first_of or low is None or high is None:
            return super()._zeros(tight, known)
        return [Fraction(low / (low - high))] if low != high else []

    def _admits(self, at: Numbers, run: Run) -> bool:
        """Whether all hypotheses hold in every state, as far as they are of second degree."""
        if not super()._admits(at, run):
            return False
        place = next(self._places(at, run))
        known = zip(self._one.relations, self._squares, strict=True)
        return all(
            one is None or r.kind == "==" or ((low := one.least(place)) is not None and low >= 0)
            for r, one in known
        )

    def _drawn(self, one: Scalar, source: random.Random) -> Fraction:
        """Parabolas that mostly open upwards, with their bottom at 0."""
        if one in self._one.theorem.symbols:
            return super()._drawn(one, source)
        upwards = "''" in one.name
        return abs(super()._drawn(one, source)) if upwards else drawn_number(source, 0.8)

    def _begun(self, source: random.Random) -> Numbers:
        """Mostly at 0, so that nothing but noise moves anything."""
        zero = source.choice((1, 1, 0.5))
        return {s: drawn_number(source, zero) for s in self._one.state}

    def _inputs(self, at: Numbers, source: random.Random) -> list[tuple[Fraction, ...]]:
        """The same in every iteration: one noise, or more, as large as constants, with both signs.

        The second outcome is the opposite of the first.
        """
        sizes = [at[s] for s in self._one.theorem.symbols]
        first = [s for s in self._one.inputs if not s.name.endswith("outcome 2")]
        lone = source.choice(first) if first and source.random() < 0.7 else None
        chosen: list[Fraction] = []
        for symbol in self._one.inputs:
            if symbol not in first:
                chosen.append(-chosen[-1] if chosen else Fraction(0))
            elif lone in (None, symbol):
                size = source.choice(sizes) if sizes and source.random() < 0.7 else None
                chosen.append(drawn_number(source, 0.2) if size is None else size)
            else:
                chosen.append(Fraction(0))
        return [tuple(chosen)] * 2

    def _played(
        self,
        at: Numbers,
        start: tuple[Fraction, ...],
        inputs: list[tuple[Fraction, ...]],
        marks: tuple[Fraction, ...] | None = None,
    ) -> Run:
        """A few states at which hypotheses are looked at first, and sequences at numbers."""
        zeros = [Fraction(0)] * len(start)
        some = [start, tuple(zeros)]
        for n in range(len(start)):
            some += [(*zeros[:n], Fraction(x), *zeros[n + 1 :]) for x in (1, -1)]
        if marks is None:
            marks = self._marks(at, start, inputs[0], float)
        return Run((tuple(some), (start,)), tuple(inputs), marks)

    def _marks(
        self, at: Numbers, start: tuple[Fraction, ...], inputs: tuple[Fraction, ...], kind: Any
    ) -> tuple[Fraction, ...]:
        """Sequences at numbers: exactly, or in floating point."""
        means = self._means(at, start, inputs, kind)
        means[0] = self._means(at, start, inputs, Fraction, 0)[0]  # often compared exactly
        weights = {
            name: self._weights[name](*at.values(), *inputs, Fraction(0)) for name in self._reads
        }
        found = []
        for call in self._one.marks:
            name, k = str(call.func), int(call.args[0])
            if self._one.index in self._named_in[name]:
                weights[name] = self._weights[name](*at.values(), *inputs, Fraction(k))
            parts = zip(weights[name], self._reads[name], strict=True)
            number = Fraction if k == 0 else kind
            found.append(Fraction(sum(number(a) * means[k][m] for a, m in parts)))
        return tuple(found)

    def _means(
        self,
        at: Numbers,
        start: tuple[Fraction, ...],
        inputs: tuple[Fraction, ...],
        kind: Any,
        last: int | None = None,
    ) -> list[list[Any]]:
        """Means of all monomials, iteration by iteration."""
        first = dict(zip(self._one.state, start, strict=True))
        found = [[kind(_product(first, m)) for m in self._moments.monomials]]
        factors: list[Any] = []
        for k in range(self._one.last if last is None else last):
            if k == 0 or self._one.index in self._named_in[""]:
                exact = self._factors(*at.values(), *inputs, Fraction(k))
                factors = [kind(x) for x in exact]
            each, before = iter(factors), found[-1]
            found.append([sum(next(each) * before[m] for m in row) for row in self._moves])
        return found

    def _model(self, at: Numbers, run: Run, violated: int) -> SmallModel | None:
        """The instance: means of the state and of its products by iteration, and how they move."""
        one, start, inputs = self._one, run.states[0][0], run.inputs[0]
        numbers = {c: sympy.Rational(x) for c, x in at.items()}
        numbers |= dict(zip(one.inputs, map(sympy.Rational, inputs), strict=True))
        fixed = dict(numbers)
        first = dict(zip(one.state, map(sympy.Rational, start), strict=True))
        numbers |= {_start(s): x for s, x in first.items()}
        under = [eq(_start(s), _start(t)) for s, t in one.starts.items()]
        here: dict[Monomial, Scalar] = {
            m: sympy.Mul(*(_start(s) for s in m)) for m in self._moments.monomials
        }
        means = self._means(at, start, inputs, Fraction)
        for k in range(one.last + 1):
            for call, symbol in one.marks.items():
                if call.args[0] == k:
                    form = _meant(self._moments.values[str(call.func)], here)
                    under.append(eq(symbol, form.xreplace({one.index: sympy.Integer(k)})))
            if k < one.last:
                after = {m: _named(m, k + 1) for m in self._moments.monomials}
                for m, each in zip(self._moments.monomials, self._moments.then, strict=True):
                    form = _meant(each, here).xreplace({one.index: sympy.Integer(k)})
                    under.append(eq(after[m], form))
                pairs = zip(after.values(), means[k + 1], strict=True)
                numbers |= {s: sympy.Rational(x) for s, x in pairs if s != 1}
                here = after
        numbers |= dict(zip(one.marks.values(), map(sympy.Rational, run.marks), strict=True))
        put = fixed | dict(zip(one.marks.values(), map(sympy.Rational, run.marks), strict=True))
        placed = [placed_at(each, put) for each in one.relations]
        idle = {s: sympy.S.Zero for s in one.state if s not in numbers}  # it cancels: any will do
        under += [placed_at(r, idle) for r in one.relations if r.gap.free_symbols <= numbers.keys()]
        return SmallModel(
            one.theorem,
            numbers,
            tuple(under),
            one.goal,
            shown(one, at, run) | sides_of(one.goal, numbers),
            partial(everywhere, placed, one.index),
        )


def _product(values: Mapping[Scalar, Fraction], monomial: Monomial) -> Fraction:
    found = Fraction(1)
    for part in monomial:
        found *= values[part]
    return found


def _named(monomial: Monomial, k: int) -> Scalar:
    """The symbol for the mean of a product in iteration k."""
    text = " * ".join(part.name for part in monomial)
    return sympy.Symbol(f"mean of {text} at {k}", real=True) if monomial else sympy.S.One


def _start(part: Scalar) -> Scalar:
    return sympy.Symbol(f"{part.name} at 0", real=True)


def _meant(form: Mapping[Monomial, Scalar], here: Mapping[Monomial, Scalar]) -> Scalar:
    return sympy.Add(*(factor * here[m] for m, factor in form.items()))
