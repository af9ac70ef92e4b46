"""One iteration of the method that a statement describes, as formulas on a small function.

What `theory.falsifier.small_models` cannot pose are statements about whole runs: sequences, sums
over an index, delays, `following`. Here the update rule of `following` becomes a map from one state
to the next, sequences become what the state says they are the mean of, and everything that a
hypothesis says of an iteration becomes a relation in state, inputs and constants. Functions are
piecewise quadratics: parabolas, Huber's function, half parabolas, functions bent at two knots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError, UnsupportedFormError
from theory.falsifier.small_models import Posed
from theory.kernel.means import Mean
from theory.kernel.relations import Relation, le
from theory.kernel.rules import Combine
from theory.kernel.theorem import Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Gram, Scalar, Vector, square, vector

LAST: Final = 3
"""Iterations that are looked at where the statement is about every one."""
LONGEST: Final = 12
"""Terms of a sum, and iterations of a run."""
INDEX: Final = sympy.Dummy("k", integer=True, nonnegative=True)
"""The index of statements that name none; each runs through 0, 1, 2, …"""


@dataclass(frozen=True)
class Iteration:
    """What happens in iteration k, for every k.

    Attributes
    ----------
    theorem : Theorem
    index : sympy symbol
        k.
    state : tuple of sympy symbols
        What one iteration hands to the next.
    then : tuple of tuples of expressions
        The next state, for each of the equally likely outcomes of an iteration.
    inputs : tuple of sympy symbols
        What every iteration may choose anew.
    relations : tuple of Relation
        What the hypotheses say of it.
    values : mapping of str to expression
        What a sequence is in it.
    goal : Relation
    marks : mapping of call to symbol
        Names of sequences at numbers, such as F(0).
    """

    theorem: Theorem
    index: Scalar
    state: tuple[Scalar, ...]
    then: tuple[tuple[Scalar, ...], ...]
    inputs: tuple[Scalar, ...]
    relations: tuple[Relation, ...]
    values: Mapping[str, Scalar]
    goal: Relation
    marks: Mapping[Scalar, Scalar]

    @property
    def moving(self) -> tuple[Scalar, ...]:
        """What a run is made of."""
        return (*(form for then in self.then for form in then), *self.values.values())

    @cached_property
    def constants(self) -> tuple[Scalar, ...]:
        """What is the same in every iteration: parameters, and what the function is."""
        named = {one for form in (*self.moving, *self._sides) for one in form.free_symbols}
        named |= set(self.theorem.symbols)  # they have a domain
        others = {*self.state, *self.inputs, *self.marks.values(), self.index}
        return tuple(sorted(named - others, key=str))

    @property
    def _sides(self) -> tuple[Scalar, ...]:
        return tuple(side for r in (*self.relations, self.goal) for side in (r.lhs, r.rhs))

    @cached_property
    def last(self) -> int:
        """The last iteration of which the statement speaks."""
        runs = self.goal.gap.free_symbols & {*self.state, self.index}
        return max(LAST if runs else 0, *(int(call.args[0]) for call in self.marks), 0)


class Bent(Posed):
    """A theorem as a question about numbers, on functions with up to three curvatures."""

    def function_at(
        self, function: str, position: Sequence[Scalar]
    ) -> tuple[Scalar, tuple[Scalar, ...]]:
        """The value and the gradient: c x²/2 between knots ±w, times 1 + e beyond them."""
        constant, slopes, bends = self.coefficients(function)
        value, gradient = constant, []
        for i, (b, c, x) in enumerate(zip(slopes, bends, position, strict=True)):
            above, below, width = self.knots(function, i)
            right, left = sympy.Max(x - width, 0), sympy.Max(-x - width, 0)
            value += b * x + c * (x**2 + above * right**2 + below * left**2) / 2
            gradient.append(b + c * (x + above * right - below * left))
        return value, tuple(gradient)

    def knots(self, function: str, i: int) -> tuple[Scalar, Scalar, Scalar]:
        """By which part of itself the curvature changes above and below, and where."""
        end = self._suffixes()[i]
        above, below = (sympy.Symbol(f"{function}'' {s}{end}", real=True) for s in ("+", "-"))
        return above, below, sympy.Symbol(f"{function} knot{end}", nonnegative=True)

    def _smooth(self, one: Smooth, outcome: int) -> Iterator[Relation]:
        constant = self.at(sympy.sympify(one.constant), outcome)
        for i, bend in enumerate(self.coefficients(one.function)[2]):
            for change in (0, *self.knots(one.function, i)[:2]):
                yield le(bend * (1 + change), constant)
                yield le(-constant, bend * (1 + change))


def iteration(
    theorem: Theorem, counts: Mapping[Scalar, Scalar], dimension: int, outcomes: int, base: str
) -> Iteration | None:
    """The iteration of a theorem, or None where it says more than can be run.

    Parameters
    ----------
    theorem : Theorem
    counts : mapping of integer symbol to number
    dimension, outcomes : int
        Coordinates of vectors; outcomes of an iteration, or members of an average.
    base : str
        A gradient from which vectors that nothing defines may differ, or ``""``: a stochastic
        gradient is one and a noise.
    """
    try:
        found = _Iterated(rewritten(theorem, base), counts, dimension, outcomes).iteration()
    except TheoryError:
        return None
    return replace(found, theorem=theorem)


def free_vectors(theorem: Theorem) -> list[str]:
    """Names of vectors that are neither fixed, nor followed, nor gradients at points."""
    taken = {name for one in theorem.points for name in one.gradient.names}
    taken |= {name for now, _ in theorem.following for name in now.position.names}
    taken |= {name for one in theorem.fixed for name in one.names}
    named = {name for one in theorem.vectors for name in one.names}
    named |= {name for one in theorem.points for name in one.position.names}
    return sorted(named - taken)


def rewritten(theorem: Theorem, base: str = "") -> Theorem:
    """With vectors put in place of those that an equation defines, and noise around a base."""
    gaps = [h.relation.gap for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    put: dict[str, Vector] = {}
    for name in free_vectors(theorem):
        equations = (_solved_for(name, gap) for gap in gaps)
        found = next((one for one in equations if one is not None), None)
        if found is not None and not found.names & put.keys():
            put[name] = found
        elif base:
            put[name] = vector(base) + vector(name)
    points = {
        one: replace(one, position=one.position.replaced(put), gradient=one.gradient)
        for one in theorem.points
    }
    return replace(
        theorem,
        points=tuple(points.values()),
        following=tuple((points.get(a, a), points.get(b, b)) for a, b in theorem.following),
        hypotheses=tuple(
            replace(h, relation=h.relation.replaced({}, put)) if isinstance(h, Hypothesis) else h
            for h in theorem.hypotheses
        ),
        sequences={
            f: Relation(v, "==", 0).replaced({}, put).lhs for f, v in theorem.sequences.items()
        },
        lhs=theorem.goal.replaced({}, put).lhs,
        terms={n: Relation(t, "==", 0).replaced({}, put).lhs for n, t in theorem.terms.items()},
        vectors=(*theorem.vectors, *(vector(name) for one in put.values() for name in one.names)),
        steps=(),
        conclude=Combine(),
    )


def _solved_for(name: str, gap: Scalar) -> Vector | None:
    """The vector of this name in ‖a·name + others‖² = 0, if a gap says this."""
    if gap.atoms(Mean) or not gap.atoms(Gram):
        return None
    form = sympy.expand(gap)
    own = vector(name)
    size = form.coeff(square(own))
    if size == 0:
        return None
    others = vector(name) * 0
    for entry in form.atoms(Gram):
        if name in entry.names and entry.names != (name, name):
            other = next(one for one in entry.names if one != name)
            others = others - vector(other) * (form.coeff(entry) / (2 * size))
    return others if sympy.simplify(form - size * square(own - others)) == 0 else None


class _Iterated:
    """The iteration while it is made."""

    def __init__(
        self, theorem: Theorem, counts: Mapping[Scalar, Scalar], dimension: int, outcomes: int
    ) -> None:
        self._theorem, self._counts, self._outcomes = theorem, dict(counts), outcomes
        self._posed = Bent(theorem, dimension, outcomes)
        self._index = index_of(theorem)
        self._state: dict[Scalar, tuple[Scalar, ...]] = {}  # with what follows, by outcome
        self._inputs: dict[Scalar, None] = {}
        self._shifted: dict[tuple[str, int], Scalar] = {}
        self._open: dict[tuple[str, int], Scalar] = {}
        self._defined: list[tuple[Scalar, Scalar]] = []

    def iteration(self) -> Iteration:
        """Put it together."""
        relations = [self._written(one) for one in (*self._posed.under, *self._signed())]
        goal = self._written(self._posed.goal)
        self._follow()
        relations, goal = self._with_scalars(relations, goal)
        for name in free_vectors(self._theorem):
            for outcome in range(self._outcomes):
                self._inputs |= dict.fromkeys(self._posed.vector(vector(name), outcome))
        relations += self._sequences([*relations, goal])
        state = {one: [*map(self._called, then)] for one, then in self._state.items()}
        branches = tuple(dict.fromkeys(zip(*state.values(), strict=True))) or ((),)
        if len(branches) > 1 and self._index in goal.gap.free_symbols:
            raise _unsupported("an outcome of many is no mean")
        placed = dict.fromkeys(self._under_calls(one, len(branches)) for one in relations)
        goal = self._under_calls(goal, 1)
        marks = {call: number_named(call) for one in (*placed, goal) for call in _calls(one)}
        return Iteration(
            self._theorem,
            self._index,
            tuple(state),
            branches,
            tuple(one for one in self._inputs if one.is_Symbol and one not in state),
            tuple(_marked(one, marks) for one in placed if one.gap != 0),
            {str(call.func): self._called(call.func(self._index)) for call in marks},
            _marked(goal, marks),
            marks,
        )

    def _written(self, one: Relation) -> Relation:
        """A relation with numbers for counts, and its sums written out."""
        placed = one.replaced(self._counts)
        return _by_side(placed, written_out)

    def _signed(self) -> Iterator[Relation]:
        """Values of points that are declared nonnegative."""
        for point in self._theorem.points:
            if _domain(point.value) and point.value not in self._theorem.symbols:
                yield from (le(0, self._posed.at(point.value, k)) for k in range(self._outcomes))

    def _follow(self) -> None:
        """The next state: where what follows a point is."""
        for now, then in self._theorem.following:
            own = bool(now.position.names & self._posed.random)  # a member of an average
            for outcome in range(self._outcomes if own else 1):
                places = [
                    self._posed.vector(then.position, outcome if own else each)
                    for each in range(self._outcomes)
                ]
                for i, one in enumerate(self._posed.vector(now.position, outcome)):
                    self._state[one] = tuple(form[i].subs(self._counts) for form in places)

    def _with_scalars(
        self, relations: list[Relation], goal: Relation
    ) -> tuple[list[Relation], Relation]:
        """Quantities of an iteration: what an equation says they are, else chosen."""
        for scalar in self._theorem.scalars:
            for one in {self._posed.at(scalar, k) for k in range(self._outcomes)}:
                equations = (e.gap for e in relations if e.kind == "==" and not _functions([e]))
                found = next((form for e in equations for form in isolated(e, one)), None)
                if found is None or not one.is_Symbol:
                    self._inputs[one] = None
                    continue
                signed = [le(0, found)] if _domain(one) else []
                relations = [*(r.replaced({one: found}) for r in relations), *signed]
                goal = goal.replaced({one: found})
                self._defined.append((one, found))
        return relations, goal

    def _sequences(self, relations: Sequence[Relation]) -> list[Relation]:
        """Give every sequence its meaning, or its recurrence, or leave it to be chosen."""
        known = {str(f): value for f, value in self._theorem.sequences.items()}
        if known and not self._theorem.following:
            raise _unsupported("what follows is not said")
        signs = []
        for function in _functions(relations):
            name, now = str(function), function(self._index)
            if name in known:
                parts = [self._posed.at(known[name], k) for k in range(self._outcomes)]
                mean = (sympy.Add(*parts) / self._outcomes).subs(self._counts)
                self._shifted[name, 0] = mean.subs(self._defined)
                continue
            signs += [le(0, now)] if _domain(now) else []
            self._chosen(function, relations)
        return signs

    def _chosen(self, function: Scalar, relations: Sequence[Relation]) -> None:
        """A sequence without a meaning: state, and the last of it by a recurrence or chosen."""
        calls = {call for one in relations for call in _calls(one)}
        shifts = [self._shift(one) for one in calls if one.func == function]
        low, high = min((0, *filter(None, shifts))), max((0, *filter(None, shifts)))
        name, last = str(function), function(self._index + high)
        names = [sympy.Symbol(f"{name}(k{i:+d})", real=True) for i in range(low, high + 1)]
        gaps = [one.gap for one in relations if one.kind == "==" or high > 0]
        laws = [form for gap in gaps for form in isolated(gap, last)]
        self._shifted |= {(name, low + i): one for i, one in enumerate(names)}
        if laws:
            self._open[name, high] = laws[0]
            del self._shifted[name, high]
        else:
            self._inputs[names[-1]] = None
        for i, one in enumerate(names[:-1]):
            after = names[i + 1] if i + 2 < len(names) else last
            self._state[one] = (after,) * self._outcomes

    def _shift(self, call: Scalar) -> int | None:
        """The i in F(k + i); None in F(0)."""
        shift = call.args[0] - self._index
        if len(call.args) > 1 or not (call.args[0].is_Integer or shift.is_Integer):
            raise _unsupported(f"{call} at other indices")
        return None if call.args[0].is_Integer else int(shift)

    def _under_calls(self, one: Relation, branches: int) -> Relation:
        """A relation about one iteration; a mean is one of many outcomes in linear ones alone."""
        calls = {call for call in _calls(one) if self._shift(call) is not None}
        if branches > 1 and any(sympy.diff(one.gap, a, b) != 0 for a in calls for b in calls):
            raise _unsupported("a mean inside of a product")
        return _by_side(one, self._called)

    def _called(self, form: Scalar) -> Scalar:
        """An expression in state and inputs, with sequences at numbers left as they are."""
        calls = {one: self._shift(one) for one in form.atoms(AppliedUndef)}
        put = {one: self._value(str(one.func), i) for one, i in calls.items() if i is not None}
        return form.subs(put, simultaneous=True) if put else form

    def _value(self, name: str, shift: int) -> Scalar:
        if (name, shift) in self._shifted:
            return self._shifted[name, shift]
        if (name, shift) in self._open:
            law = self._open.pop((name, shift))  # asked for again meanwhile, it is a circle
            self._shifted[name, shift] = self._called(law)
        elif shift == 1 and (name, 0) in self._shifted:
            form = self._shifted[name, 0]
            if form.free_symbols & self._inputs.keys():
                raise _unsupported(f"{name} of what the next iteration chooses")
            branches = [
                dict(zip(self._state, then, strict=True))
                for then in zip(*self._state.values(), strict=True)
            ]
            parts = [form.subs(then, simultaneous=True) for then in branches]
            self._shifted[name, 1] = sympy.Add(*parts) / len(parts)
        else:
            raise _unsupported(f"{name}(k{shift:+d})")
        return self._shifted[name, shift]


def isolated(gap: Scalar, one: Scalar) -> list[Scalar]:
    """What an unknown is where the gap is 0, if it occurs in it linearly."""
    form = sympy.expand(gap)
    factor = form.coeff(one)
    rest = sympy.expand(form - factor * one)
    return [] if factor == 0 or (factor + rest).has(one) else [-rest / factor]


def _functions(relations: Sequence[Relation]) -> list[Scalar]:
    return sorted({call.func for one in relations for call in _calls(one)}, key=str)


def _marked(one: Relation, marks: Mapping[Scalar, Scalar]) -> Relation:
    return _by_side(one, lambda side: side.xreplace(dict(marks)))


def number_named(call: Scalar) -> Scalar:
    """The symbol for a sequence at a number."""
    sign = {"nonnegative": True} if call.is_nonnegative else {"real": True}
    return sympy.Symbol(str(call), **sign)


def _calls(one: Relation) -> set[Scalar]:
    found: set[Scalar] = one.lhs.atoms(AppliedUndef) | one.rhs.atoms(AppliedUndef)
    return found  # none may cancel another


def index_of(theorem: Theorem) -> Scalar:
    """The index of iterations, over which all that is assumed holds."""
    found = set(theorem.indices)
    for _, one in theorem.relations:
        bound = {limit[0] for total in one.gap.atoms(sympy.Sum) for limit in total.limits}
        calls = one.gap.atoms(AppliedUndef)
        found |= {s for call in calls for s in call.free_symbols} - {*theorem.symbols} - bound
    if len(found) > 1 or any(one.assumptions0 != INDEX.assumptions0 for one in found):
        raise _unsupported(f"the indices {found}")
    return min(found, default=INDEX)


def _by_side(one: Relation, change: Callable[[Scalar], Scalar]) -> Relation:
    return Relation(change(one.lhs), one.kind, change(one.rhs))


def written_out(node: Scalar) -> Scalar:
    """An expression without sums; they have a number of terms that is known."""
    if not node.has(sympy.Sum):
        return node
    if not isinstance(node, sympy.Sum):
        return node.func(*map(written_out, node.args))
    form, *inner, (bound, first, last) = node.args
    terms = sympy.expand(last - first + 1)
    if not terms.is_Integer or not 0 <= terms <= LONGEST:
        raise _unsupported(f"a sum of {terms} terms")
    body = sympy.Sum(form, *inner) if inner else form
    return sympy.Add(*(written_out(body.subs(bound, first + i)) for i in range(int(terms))))


def _domain(one: Scalar) -> bool:
    """Whether a symbol or a call is declared nonnegative; it must not be declared more."""
    plain = [
        sympy.Function("a", **{sign: True})(INDEX)
        if one.args
        else sympy.Symbol("a", **{sign: True})
        for sign in ("real", "nonnegative")
    ]
    said = {word for word, holds in one.assumptions0.items() if holds}
    if said not in [{w for w, holds in p.assumptions0.items() if holds} for p in plain]:
        raise _unsupported(f"the domain of {one}")
    return bool(one.is_nonnegative)


def _unsupported(what: str) -> UnsupportedFormError:
    return UnsupportedFormError(f"{what} cannot be run", "small run", "take a witness of your own")
