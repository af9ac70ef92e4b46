"""Instances of a method that are drawn, run in exact fractions, and looked at.

Parameters, curvatures, starts and inputs are drawn from short lists of rational numbers; constants
that a hypothesis bounds are often put where it is tight, and those of the statement where it just
fails. A run is looked at as far as the statement speaks of it, and `forever` shows the rest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from theory.errors import NotExactError
from theory.falsifier.dips import dipped
from theory.falsifier.finite_sums import AT, opposed
from theory.falsifier.fraction_code import compiled
from theory.falsifier.iterations import Iteration
from theory.falsifier.numbers import in_domain
from theory.falsifier.posed import has_roots
from theory.falsifier.run_models import Run, named_model
from theory.falsifier.small_models import SmallModel
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.theorem import Hypothesis, Theorem
from theory.kernel.vectors import Gram, Scalar, Vector, dot, vector

NUMBERS: Final = tuple(map(Fraction, "1 2 1/2 1/4 4 3 1/3 9 1/10 10 3/4 1/8 1/100".split()))
"""What is drawn, the first ones more often; with either sign, or 0, where the domain has them."""
LONGEST: Final = 5000
"""Bits of a number, from which on a run is given up."""
AHEAD: Final = (20, 3)
"""Iterations beyond, with one outcome and with more: most that cannot go on for ever end there."""
PLAIN: Final = 1000
"""Denominator, beside its size, of a constant that is put where the statement just fails."""
CLEAR: Final = Fraction(1, 10**9)
"""By how much a statement with roots or exponentials is violated."""

Numbers = dict[Scalar, Fraction]
Choice = Callable[[Iterable[Fraction]], Fraction]


def is_irrational(form: Scalar) -> bool:
    """Whether there are roots, exponentials or logarithms in it."""
    return has_roots(form) or form.has(*ELEMENTARY)


@dataclass(frozen=True)
class Tight:
    """Where a constant makes a hypothesis, by its number, an equation."""

    relation: int
    constant: Scalar
    early: bool
    choice: Choice


class Runner:
    """An iteration, ready to be run from what is drawn.

    Attributes
    ----------
    work : int
        How many relations have been looked at.
    """

    def __init__(self, one: Iteration, counts: Mapping[Scalar, Scalar]) -> None:
        self.work = 0
        self._one, self._counts = one, counts
        self._centred = {
            name for name, base in one.around.items() if is_mean(base, name, one.theorem)
        }
        arguments = [*one.constants, *one.state, *one.inputs, one.index]
        everything = [*arguments, *one.marks.values()]
        gaps = [each.gap for each in one.relations]
        self._then = [compiled(arguments, then) for then in one.then]
        self._values = compiled(arguments, [one.values[str(call.func)] for call in one.marks])
        self._gaps = compiled(everything, gaps)
        self._goal = compiled(everything, [one.goal.gap], near=True)  # the judge looks once more
        self._margin = CLEAR if is_irrational(one.goal.gap) else 0
        self._numbers = {c: self._possible(c) for c in one.constants}
        self._constants = {c.name: c for c in one.constants}
        still = {*one.constants}
        shape = (c for c in one.constants if c not in one.theorem.symbols)
        self._shape = [(c, c.name.partition("[")[0].endswith("''")) for c in shape]
        self._opposed = opposed(self._constants)
        moved = {s for form in one.moving for s in form.free_symbols}
        early = [gap.free_symbols <= still for gap in gaps]
        self._early = [each for each, soon in zip(one.relations, early, strict=True) if soon]
        self._checked = compiled(one.constants, [each.gap for each in self._early])
        self._named = [gap.free_symbols & still for gap in gaps]
        self._each = [compiled(everything, [gap]) for gap in gaps]
        self._places_of = {c: n for n, c in enumerate(one.constants)}
        self._tight = [
            Tight(i, c, early[i], _choice(one.relations[i].kind, slope))
            for i, gap in enumerate(gaps)
            for c in sorted(self._named[i] - counts.keys(), key=str)
            if early[i] or c not in moved
            for slope in [sympy.diff(gap, c)]
            if slope != 0 and c not in slope.free_symbols
        ]
        self._open = [
            c
            for c in sorted(one.goal.gap.free_symbols & still - counts.keys() - moved, key=str)
            if c not in sympy.diff(one.goal.gap, c).free_symbols
        ]

    def _possible(self, one: Scalar) -> list[Fraction]:
        if one in self._counts:
            return [Fraction(int(self._counts[one]))]
        signed = [Fraction(0), *(x for n in NUMBERS for x in (n, -n))]
        return [x for x in signed if in_domain(sympy.Rational(x), one)] or [Fraction(0)]

    def violating(self, source: random.Random, at_rest: bool = False) -> SmallModel | None:
        """An instance that is drawn, if it satisfies all hypotheses as far as it is looked at.

        At rest, it starts at 0, where parabolas are least, and is moved by steps of ±1 alone.
        """
        try:
            return self._violating(source, at_rest)
        except (ArithmeticError, NotExactError, ValueError):  # numbers beyond all bounds, or none
            return None

    def _violating(self, source: random.Random, at_rest: bool) -> SmallModel | None:
        self.work += len(self._early) + 1
        at = {c: self._drawn(c, source) for c in self._one.constants}
        if at_rest:
            at |= {
                c: abs(drawn_number(source, 0)) if bent else Fraction(0) for c, bent in self._shape
            }
            at |= {
                c: Fraction(n) for pair in self._opposed for c, n in zip(pair, (1, -1), strict=True)
            }
        else:
            at |= dipped(self._one.theorem, self._constants, source)
            at |= {c: -at[first] for first, c in self._opposed if source.random() < 0.8}
        self._tighten(at, source, None)
        if not all(map(holds, self._early, self._checked(*at.values()))):
            return None
        drawn = dict.fromkeys(self._one.state, Fraction(0)) if at_rest else self._begun(source)
        start = tuple(drawn[self._one.starts.get(s, s)] for s in self._one.state)
        inputs = self._steps() if at_rest else self._inputs(at, source)
        run = self._played(at, start, inputs)
        if run is None:
            return None
        self._tighten(at, source, run)
        self._breach(at, source, run)
        if not all(in_domain(sympy.Rational(x), c) for c, x in at.items()):
            return None
        gaps = [self._goal(*each)[0] for each in self._places(at, run)]
        goals = [self._keeps(gap) for gap in gaps]
        if all(goals) or not self._admits(at, run):
            return None
        further = self._played(at, start, inputs, run.marks)
        if further is None or not self._admits(at, further):
            return None
        return self._model(at, run, goals.index(False))

    def _keeps(self, gap: Fraction) -> bool:
        """Whether the statement holds, or it is not clear that it does not."""
        return holds(self._one.goal, gap) or abs(gap) < self._margin

    def _model(self, at: Numbers, run: Run, violated: int) -> SmallModel | None:
        return named_model(self._one, at, run, violated)

    def _admits(self, at: Numbers, run: Run) -> bool:
        """Whether all hypotheses hold wherever the run was."""
        gaps = (self._gaps(*each) for each in self._places(at, run))
        return all(all(map(holds, self._one.relations, each)) for each in gaps)

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
            wanted = each.choice is first_of or source.random() < chance
            open_ = each.constant not in taken and each.relation not in done
            if wanted and open_ and each.early is (run is None):
                plainly = [(*at.values(), *[Fraction(0)] * others)]
                zeros = self._zeros(each, plainly if run is None else self._places(at, run))
                at[each.constant] = each.choice(zeros) if zeros else at[each.constant]
                taken |= self._named[each.relation]
                done.add(each.relation)

    def _breach(self, at: Numbers, source: random.Random, run: Run) -> None:
        """Put a constant where the statement just fails, by chance; hypotheses come after."""
        if self._open and source.random() < 0.5:
            n = self._places_of[one := source.choice(self._open)]
            for place in self._places(at, run):
                low, high = (
                    self._goal(*place[:n], Fraction(x), *place[n + 1 :])[0] for x in (0, 1)
                )
                zero = low / (low - high) if low != high else Fraction(0)
                aside = zero - abs(zero) / 10 if high > low else zero + abs(zero) / 10
                scale = 1 + int(1 / abs(aside)) if aside else 1
                at[one] = aside.limit_denominator(PLAIN * scale)
                return

    def _zeros(self, tight: Tight, places: Iterable[tuple[Fraction, ...]]) -> list[Fraction]:
        """Where the gap, which is linear in the constant, is 0."""
        n, gap = self._places_of[tight.constant], self._each[tight.relation]
        found = []
        for place in places:
            low, high = (gap(*place[:n], Fraction(x), *place[n + 1 :])[0] for x in (0, 1))
            found += [Fraction(low / (low - high))] if low != high else []
        return found

    def _begun(self, source: random.Random) -> Numbers:
        """Where a run starts."""
        drawn = {s: drawn_number(source, 0.3) for s in self._one.state}
        return drawn | dict.fromkeys(self._one.empty, Fraction(0))

    def _steps(self) -> list[tuple[Fraction, ...]]:
        """Steps of 1, or of 1 and −1 at two outcomes."""
        signs = (-1 if one.name.endswith(f"{AT}2") else 1 for one in self._one.inputs)
        return [tuple(map(Fraction, signs))] * (self._one.last + 2)

    def _inputs(self, at: Numbers, source: random.Random) -> list[tuple[Fraction, ...]]:
        """What each iteration chooses; the last choice stays for ever."""
        length = self._one.last + 2
        columns: list[list[Fraction]] = []
        for symbol in self._one.inputs:
            kind, zero = source.randrange(3), [Fraction(0)]
            column = [drawn_number(source, 0.4) for _ in range(length)]
            column = [column[:1] * length, column[:1] + zero * (length - 1), column][kind]
            name, _, outcome = symbol.name.partition(AT)
            centred = name.partition("[")[0] in self._centred
            if outcome == "2" and columns and (centred or source.random() < 0.8):
                column = [-x for x in columns[-1]]  # noise without a mean
            elif centred and not outcome:
                column = zero * length
            columns.append(column)
        return [tuple(column[k] for column in columns) for k in range(length)]

    def _played(
        self,
        at: Numbers,
        start: tuple[Fraction, ...],
        inputs: list[tuple[Fraction, ...]],
        marks: tuple[Fraction, ...] | None = None,
    ) -> Run | None:
        """The run, or None if its numbers become too long.

        Where it is known what sequences are at numbers, it goes further.
        """
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
            parts = (n for state in states[-1] for x in state for n in x.as_integer_ratio())
            if max(map(int.bit_length, parts), default=0) > LONGEST:
                self.work += LONGEST
                return None
        numbers = enumerate(int(call.args[0]) for call in self._one.marks)
        found = tuple(means[k][i] for i, k in numbers) if marks is None else marks
        return Run(tuple(states), tuple(inputs), found)

    def _places(self, at: Numbers, run: Run) -> Iterator[tuple[Fraction, ...]]:
        """Values of everything in every iteration and branch."""
        for k, states in enumerate(run.states[:-1]):
            chosen = run.inputs[min(k, len(run.inputs) - 1)]
            for state in states:
                self.work += len(self._one.relations)
                yield (*at.values(), *state, *chosen, Fraction(k), *run.marks)


def is_mean(base: Vector, name: str, theorem: Theorem) -> bool:
    """Whether a theorem says of a vector that its mean is this one, with whatever vector.

    Its hypotheses say so at the vectors that it names; where these are 0, they would admit more.
    """
    for one in theorem.hypotheses:
        gap = one.relation.gap if isinstance(one, Hypothesis) else sympy.S.Zero
        for mean in gap.atoms(Mean):
            names = mean.args[2].names if isinstance(mean.args[2], Gram) else ()
            for other in (n for n in names if name in names and n != name):
                if sympy.expand(gap - gap.coeff(mean) * (mean - dot(base, vector(other)))) == 0:
                    return True
    return False


def _choice(kind: str, slope: Scalar) -> Choice:
    """Which of several values makes a relation hold in every iteration."""
    if kind == "==":
        return first_of
    return max if slope.is_nonnegative is not False else min


def first_of(values: Iterable[Fraction]) -> Fraction:
    """What makes an equation hold in the first iteration."""
    return next(iter(values))


def drawn_number(source: random.Random, zero: float) -> Fraction:
    """One of the plain numbers with either sign, or 0 with this probability."""
    if source.random() < zero:
        return Fraction(0)
    drawn = NUMBERS[int(len(NUMBERS) * source.random() ** 2)]
    return -drawn if source.random() < 0.3 else drawn


def holds(one: Relation, gap: Fraction) -> bool:
    """Whether a relation with this gap holds."""
    return gap == 0 if one.kind == "==" else gap >= 0
