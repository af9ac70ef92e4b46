"""Runs small methods on small functions until one satisfies every hypothesis and breaks the goal.

Parameters, curvatures, starts and inputs are drawn from short lists of rational numbers, in exact
fractions throughout; constants that a hypothesis bounds are put where it is tight half of the time.
A run is looked at as far as the statement speaks of it by number, and `forever` shows the rest.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import Any, Final

import sympy
from sympy.printing.pycode import PythonCodePrinter

from theory.errors import NotExactError, TheoryError
from theory.falsifier.forever import forever
from theory.falsifier.small_models import SmallModel
from theory.falsifier.small_runs import Iteration, free_vectors, isolated, iteration
from theory.kernel.context import means_in
from theory.kernel.relations import Relation, eq
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar

NUMBERS: Final = tuple(map(Fraction, "1 2 1/2 1/4 4 3 1/3 9 1/10 10 3/4 1/8 1/100".split()))
"""What is drawn, the simple ones more often; with either sign, or 0, where the domain has them."""
DRAWS: Final = 400
"""Instances for one shape and one combination of counts."""
COUNTS: Final = (1, 2, 3, 4, 0, 9)
"""Values of integer symbols, the first ones first."""
COMBINATIONS: Final = 12
LAST: Final = 3
"""Iterations that are looked at where the statement is about every one."""

AHEAD: Final = (20, 3)
"""Iterations beyond, with one outcome and with more: most that cannot go on for ever end there."""

Numbers = dict[Scalar, Fraction]
State = tuple[Fraction, ...]


def small_run(theorem: Theorem) -> SmallModel | None:
    """Look for an exact small run that satisfies all hypotheses and violates a statement.

    Returns
    -------
    SmallModel or None
        None says nothing: the search is small.

    Examples
    --------
    >>> from theory.kernel import Combine
    >>> q = sympy.Symbol("q", positive=True)
    >>> j = sympy.Symbol("j", integer=True, nonnegative=True)
    >>> total = sympy.Sum(q**j, (j, 0, 2))
    >>> names = dict(id="mine.sum", where="", statement="", latex="", conclude=Combine())
    >>> one = Theorem(**names, symbols=(q,), lhs=total, terms={"right": 1 + q + q**2})
    >>> small_run(one) is None
    True
    >>> from dataclasses import replace
    >>> small_run(replace(one, terms={"right": 1 + q})).shown["left"]
    '3'
    """
    if theorem.assumes:  # what is said in words, numbers need not satisfy
        return None
    source = random.Random(0)
    for counts in islice(_counts(theorem), COMBINATIONS):
        for dimension, outcomes, base in _shapes(theorem):
            one = iteration(theorem, counts, dimension, outcomes, base)
            runner = None if one is None else _Runner(one, counts)
            for _ in range(DRAWS if runner else 0):
                model = runner and runner.violating(source)
                if model is not None and model.lasts():
                    return model
    return None


def _counts(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Small values for integer symbols, inside their domains."""
    named = sorted((one for one in theorem.symbols if one.is_integer), key=str)
    choices = [[n for n in COUNTS if in_domain(sympy.Integer(n), one)] for one in named]
    for values in sorted(product(*choices), key=sum):
        yield dict(zip(named, map(sympy.Integer, values), strict=True))


def in_domain(value: Scalar, symbol: Scalar) -> bool:
    """Whether a number has all that a symbol is declared to have, such as even or negative."""
    return all(getattr(value, f"is_{word}") is said for word, said in symbol.assumptions0.items())


def _shapes(theorem: Theorem) -> Iterator[tuple[int, int, str]]:
    """Coordinates, outcomes, and what vectors that nothing defines are near."""
    means = {str(mean.args[0]) for _, mean in means_in(theorem)}
    plain = bool(theorem.points or theorem.vectors)
    bases = [""]
    if free_vectors(theorem):
        bases += [name for one in theorem.points for name in sorted(one.gradient.names)]
    for base in bases[:4]:
        yield 1, 1, base
        if len(means) == 1:
            yield 1, 2, base
    if plain:
        yield 2, 1, ""


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Writes expressions as code on fractions; a root that is not rational has no value."""

    def _print_Rational(self, expr: Any) -> str:
        return f"Fraction({expr.p}, {expr.q})"

    _print_Integer = _print_Half = _print_Rational
    _print_One = _print_Zero = _print_NegativeOne = _print_Rational

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_Pow(self, expr: Any, **_: Any) -> str:
        return f"power({self._print(expr.base)}, {self._print(expr.exp)})"


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A rational power that is rational.

    Raises
    ------
    NotExactError
        It is not.

    Examples
    --------
    >>> power(Fraction(4, 9), Fraction(-1, 2))
    Fraction(3, 2)
    """
    degree = exponent.denominator
    if degree == 1:
        return base**exponent.numerator
    if base < 0:
        raise NotExactError("a root of a negative number", str(base), "take another instance")
    above, below = (_whole_root(part, degree) for part in (base.numerator, base.denominator))
    return Fraction(above, below) ** exponent.numerator


def _whole_root(number: int, degree: int) -> int:
    found = math.isqrt(number) if degree == 2 else round(number ** (1 / degree))
    if found**degree != number:
        raise NotExactError("a root that is not rational", str(number), "take another instance")
    return found


def compiled(arguments: Sequence[Scalar], forms: Sequence[Scalar]) -> Callable[..., Any]:
    """A function that gives these expressions, from fractions to fractions."""
    names = {"Fraction": Fraction, "power": power, "max": max}
    printer = _Printer({"fully_qualified_modules": False})
    made: Callable[..., Any] = sympy.lambdify(
        list(arguments), list(forms), modules=[names], printer=printer, cse=True
    )
    return made


@dataclass(frozen=True)
class _Run:
    """A run as far as it is looked at: states by iteration and branch, and sequences."""

    states: tuple[tuple[tuple[Fraction, ...], ...], ...]
    inputs: tuple[tuple[Fraction, ...], ...]
    marks: tuple[Fraction, ...]


class _Runner:
    """An iteration, ready to be run from what is drawn."""

    def __init__(self, one: Iteration, counts: Mapping[Scalar, Scalar]) -> None:
        self.one, self.counts = one, counts
        self.marks = {call: _number_named(call) for call in one.marks}
        self.relations = [_with(each, self.marks) for each in one.relations]
        self.goal = _with(one.goal, self.marks)
        changing = {*one.state, *one.inputs, one.index}
        self.pointwise = bool(self.goal.gap.free_symbols & changing)
        numbers = [int(call.args[0]) for call in one.marks]
        self.last = max([LAST if self.pointwise and (one.state or one.index in self.goal.gap.free_symbols) else 0, *numbers])
        arguments = [*one.constants, *one.state, *one.inputs, one.index]
        everything = [*arguments, *self.marks.values()]
        self._then = [compiled(arguments, then) for then in one.then]
        self._values = compiled(arguments, [one.values[str(c.func)] for c in self.marks])
        self._gaps = compiled(everything, [each.gap for each in self.relations])
        self._goal = compiled(everything, [self.goal.gap])
        self._choices = {c: self._possible(c) for c in one.constants}
        still = {*one.constants}
        moved = {s for form in (*(f for t in one.then for f in t), *one.values.values()) for s in form.free_symbols}
        self._early = [each for each in self.relations if each.gap.free_symbols <= still]
        self._checked = compiled(one.constants, [each.gap for each in self._early])
        self._tight = [
            (each, c, compiled(everything, [form]))
            for each in self.relations
            for c in sorted(each.gap.free_symbols & still, key=str)
            if c not in counts and (each in self._early or c not in moved)
            for form in isolated(each.gap, c)
        ]

    def violating(self, source: random.Random) -> SmallModel | None:
        """An instance that is drawn, if it satisfies all hypotheses as far as it is looked at."""
        try:
            return self._violating(source)
        except (ZeroDivisionError, NotExactError, OverflowError):
            return None

    def _violating(self, source: random.Random) -> SmallModel | None:
        at = {c: self._drawn(c, source) for c in self.one.constants}
        self._bend(at, source)
        self._tighten(at, source, None)
        if not all(map(_holds, self._early, self._checked(*at.values()))):
            return None
        start = tuple(_any(source, 0.3) for _ in self.one.state)
        inputs = self._inputs(source)
        run = self._played(at, start, inputs)
        self._tighten(at, source, run)
        for values in self._places(at, run):
            if not all(map(_holds, self.relations, self._gaps(*values))):
                return None
        if not all(in_domain(_exact(x), c) for c, x in at.items()):
            return None
        for number, values in enumerate(self._places(at, run)):
            if not _holds(self.goal, self._goal(*values)[0]):
                further = self._played(at, start, inputs, run.marks)
                sound = (self._gaps(*each) for each in self._places(at, further))
                if not all(all(map(_holds, self.relations, gaps)) for gaps in sound):
                    return None
                return self._model(at, run, number)
        return None

    def _possible(self, one: Scalar) -> list[Fraction]:
        if one in self.counts:
            return [Fraction(int(self.counts[one]))]
        signed = [Fraction(0), *(x for n in NUMBERS for x in (n, -n))]
        return [x for x in signed if in_domain(_exact(x), one)] or [Fraction(0)]

    def _drawn(self, one: Scalar, source: random.Random) -> Fraction:
        known = self._choices[one]
        if one not in self.one.theorem.symbols and source.random() < 0.6:
            return Fraction(0)
        return known[int(len(known) * source.random() ** 2)]

    def _bend(self, at: Numbers, source: random.Random) -> None:
        """Curvatures: often one for all, or none beyond a knot."""
        for one in at:
            if "''" in one.name:
                change = one.name.split("''")[1][:1] in ("+", "-")
                base = next((c for c in at if change and c.name == one.name.replace("''+", "''").replace("''-", "''")), None)
                drawn = abs(_any(source, 0.1))
                at[one] = drawn if base is None else source.choice((Fraction(0), Fraction(0), -at[base], drawn - at[base]))

    def _tighten(self, at: Numbers, source: random.Random, run: _Run | None) -> None:
        """Put constants where hypotheses are tight: always for equations, else by chance."""
        fixed: set[Scalar] = set()
        tight = list(self._tight)
        source.shuffle(tight)
        done: list[Relation] = []
        for each, one, form in tight:
            wanted = each.kind == "==" or source.random() < 0.4
            if (each in self._early) is not (run is None) or one in fixed or each in done or not wanted:
                continue
            places = [(*at.values(), *[Fraction(0)] * (len(self.one.state) + len(self.one.inputs) + 1 + len(self.marks)))]
            if run is not None:
                places = list(self._places(at, run))
            rising = sympy.diff(each.gap, one)
            values = [form(*place)[0] for place in places]
            at[one] = max(values) if rising.is_nonnegative is not False else min(values)
            fixed |= each.gap.free_symbols & at.keys()
            done.append(each)

    def _inputs(self, source: random.Random) -> tuple[tuple[Fraction, ...], ...]:
        """What each iteration chooses; the last choice stays for ever."""
        columns = []
        for _ in self.one.inputs:
            first, kind = _any(source, 0.2), source.randrange(4)
            column = [first] * (self.last + 2)
            if kind == 0:
                column = [Fraction(0)] * len(column)
            elif kind == 1:
                column[1:] = [Fraction(0)] * (len(column) - 1)
            elif kind == 2:
                column[:-1] = [_any(source, 0.3) for _ in column[:-1]]
                column[-1] = Fraction(0)
            columns.append(column)
        return tuple(zip(*columns, strict=True)) if columns else ((),) * (self.last + 2)

    def _played(
        self,
        at: Numbers,
        start: State,
        inputs: Sequence[State],
        marks: State | None = None,
    ) -> _Run:
        """The run; with values for sequences at numbers, a longer one."""
        states: list[tuple[State, ...]] = [(start,)]
        means: list[list[Fraction]] = []
        more = 0 if marks is None else AHEAD[len(self._then) > 1]
        inputs = (*inputs, *inputs[-1:] * more)
        for k in range(self.last + 1 + more):
            places = [(*at.values(), *state, *inputs[k], Fraction(k)) for state in states[-1]]
            if marks is None:
                seen = [self._values(*place) for place in places]
                means.append([sum(column) / len(column) for column in zip(*seen, strict=True)])
            states.append(tuple(tuple(then(*place)) for place in places for then in self._then))
        if marks is None:
            marks = tuple(means[int(c.args[0])][i] for i, c in enumerate(self.marks))
        return _Run(tuple(states), tuple(inputs), marks)

    def _places(self, at: Numbers, run: _Run) -> Iterator[tuple[Fraction, ...]]:
        """Values of everything in every iteration and branch."""
        for k, states in enumerate(run.states[:-1]):
            for state in states:
                yield (*at.values(), *state, *run.inputs[k], Fraction(k), *run.marks)

    def _model(self, at: Numbers, run: _Run, number: int) -> SmallModel:
        """The instance with a name for everything in it, and all that is supposed of it."""
        one, under = self.one, []
        numbers = {c: _exact(x) for c, x in at.items()}
        numbers |= dict(zip(self.marks.values(), map(_exact, run.marks), strict=True))
        seen: list[list[dict[Scalar, Scalar]]] = []
        goals = []
        for k, states in enumerate(run.states):
            seen.append([])
            for branch, state in enumerate(states):
                named = {s: _at(s, k, branch, len(states)) for s in one.state}
                named |= {s: _at(s, k, 0, 1) for s in one.inputs}
                numbers |= {named[s]: _exact(x) for s, x in zip(one.state, state, strict=True)}
                numbers |= {named[s]: _exact(x) for s, x in zip(one.inputs, run.inputs[k], strict=True)}
                named[one.index] = sympy.Integer(k)
                seen[k].append(named)
                if k > 0:
                    before = seen[k - 1][branch // len(one.then)]
                    then = one.then[branch % len(one.then)]
                    under += [eq(named[s], form.xreplace(before)) for s, form in zip(one.state, then, strict=True)]
                if k <= self.last:
                    under += [_with(each, named) for each in self.relations]
                    goals.append(_with(self.goal, named))
        for call, symbol in self.marks.items():
            parts = [one.values[str(call.func)].xreplace(named) for named in seen[int(call.args[0])]]
            under.append(eq(symbol, sympy.Add(*parts) / len(parts)))
        goal = goals[number]
        return SmallModel(
            one.theorem, numbers, tuple(under), goal, self._shown(at, run, goal, numbers),
            self._lasting(numbers, run),
        )

    def _lasting(self, numbers: Mapping[Scalar, Scalar], run: _Run) -> Callable[[], bool]:
        known = dict(numbers) | dict(zip(self.one.inputs, map(_exact, run.inputs[-1]), strict=True))
        return partial(
            forever,
            [_with(each, known) for each in self.relations],
            [dict(zip(self.one.state, (f.xreplace(known) for f in then), strict=True)) for then in self.one.then],
            [dict(zip(self.one.state, map(_exact, state), strict=True)) for state in run.states[-1]],
            self.one.index,
            self.last + 1,
        )

    def _shown(self, at: Numbers, run: _Run, goal: Relation, numbers: Mapping[Scalar, Scalar]) -> dict[str, str]:
        """Parameters, the function, the start, inputs, and both sides."""
        own = self.one.theorem.symbols
        shown = {c.name: str(x) for c, x in at.items() if c in own or x != 0}
        shown |= {f"{s.name} at 0": str(x) for s, x in zip(self.one.state, run.states[0][0], strict=True)}
        shown |= {
            s.name: ", ".join(str(row[i]) for row in run.inputs[: self.last + 1])
            for i, s in enumerate(self.one.inputs)
        }
        sides = {"left": goal.lhs, "right": goal.rhs}
        return shown | {name: str(side.xreplace(dict(numbers))) for name, side in sides.items()}


def _number_named(call: Scalar) -> Scalar:
    sign = {"nonnegative": True} if call.is_nonnegative else {"real": True}
    return sympy.Symbol(str(call), **sign)


def _with(one: Relation, put: Mapping[Scalar, Scalar]) -> Relation:
    lhs, rhs = (side.xreplace(dict(put)) for side in (one.lhs, one.rhs))
    return Relation(lhs, one.kind, rhs)


def _at(symbol: Scalar, k: int, branch: int, branches: int) -> Scalar:
    """The symbol of an iteration."""
    place = f" at {k}" + (f", branch {branch + 1}" if branches > 1 else "")
    return sympy.Symbol(f"{symbol.name}{place}", **symbol.assumptions0)


def _any(source: random.Random, zero: float) -> Fraction:
    if source.random() < zero:
        return Fraction(0)
    drawn = NUMBERS[int(len(NUMBERS) * source.random() ** 2)]
    return -drawn if source.random() < 0.3 else drawn


def _exact(number: Fraction) -> Scalar:
    return sympy.Rational(number.numerator, number.denominator)


def _holds(one: Relation, gap: Fraction) -> bool:
    return gap == 0 if one.kind == "==" else gap >= 0
