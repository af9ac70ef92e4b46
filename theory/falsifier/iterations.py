"""One iteration of the method that a statement describes, as formulas on a small function.

What `theory.falsifier.small_models` cannot pose are statements about whole runs: sequences, sums
over an index, delays, `following`. Here the update rule of `following` becomes a map from one state
to the next, sequences become what the state says they are the mean of, and everything that a
hypothesis says of an iteration becomes a relation in state, inputs and constants. Functions are
piecewise quadratics: parabolas, Huber's function, half parabolas, functions bent at two knots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.falsifier.finite_sums import drawn
from theory.falsifier.posed import Posed
from theory.falsifier.rewriting import free_vectors, remembering, rewritten, unbound
from theory.falsifier.run_forms import (
    LONGEST,
    MOST,
    by_side,
    calls_in,
    capped,
    functions_in,
    index_of,
    isolated,
    least_of,
    number_named,
    unsupported,
    with_marks,
    written_out,
)
from theory.kernel.relations import Relation, le
from theory.kernel.theorem import Smooth, Theorem
from theory.kernel.vectors import Scalar, Vector, vector

LAST: Final = 3
"""Iterations that are looked at where the statement is about every one."""


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
    starts : mapping of symbol to symbol
        Parts of the state that start where others do: what is older than the start is the start.
    around : mapping of str to Vector
        From what the inputs of these names differ.
    empty : frozenset of sympy symbols
        Parts of the state that start at 0: a window has no terms before the start.
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
    starts: Mapping[Scalar, Scalar] = field(default_factory=dict)
    around: Mapping[str, Vector] = field(default_factory=dict)
    empty: frozenset[Scalar] = frozenset()

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

    def member_at(
        self, member: str, position: tuple[Scalar, ...]
    ) -> tuple[Scalar, tuple[Scalar, ...]]:
        """The value and the gradient: c x²/2 between knots ±w, times 1 + e beyond them."""
        constant, slopes, bends = self.coefficients(member)
        value, gradient = constant, []
        for i, (b, c, x) in enumerate(zip(slopes, bends, position, strict=True)):
            above, below, width = self.knots(member, i)
            right, left = sympy.Max(x - width, 0), sympy.Max(-x - width, 0)
            value += b * x + c * (x**2 + above * right**2 + below * left**2) / 2
            gradient.append(b + c * (x + above * right - below * left))
        return value, tuple(gradient)

    def knots(self, member: str, i: int) -> tuple[Scalar, Scalar, Scalar]:
        """By which part of itself the curvature changes above and below, and where."""
        end = self._suffixes()[i]
        above, below = (sympy.Symbol(f"{member}'' {s}{end}", real=True) for s in ("+", "-"))
        return above, below, sympy.Symbol(f"{member} knot{end}", nonnegative=True)

    def _everywhere(self) -> Iterator[Relation]:
        """Nothing: these functions are not as simple, and what they are is looked at afterwards."""
        return iter(())

    def _smooth(self, one: Smooth, outcome: int) -> Iterator[Relation]:
        """Of a mean, all members are as smooth: then it is."""
        constant = self.at(sympy.sympify(one.constant), outcome)
        for member in self.members(one.function, outcome):
            for i, bend in enumerate(self.coefficients(member)[2]):
                for change in (0, *self.knots(member, i)[:2]):
                    yield le(bend * (1 + change), constant)
                    yield le(-constant, bend * (1 + change))


def iteration(
    theorem: Theorem,
    counts: Mapping[Scalar, Scalar],
    dimension: int,
    outcomes: int,
    around: Mapping[str, Vector],
    kind: type[Posed] = Bent,
    *,
    loose: bool = False,
) -> Iteration | None:
    """The iteration of a theorem, or None where it says more than can be run.

    Parameters
    ----------
    theorem : Theorem
    counts : mapping of integer symbol to number
    dimension, outcomes : int
        Coordinates of vectors; outcomes of an iteration, or members of an average.
    around : mapping of str to Vector
        From what vectors that nothing defines differ: a stochastic gradient is one and a noise.
    kind : type
        Which functions there are.
    loose : bool
        Whether a sequence without a meaning is chosen below what bounds it, not just there.
    """
    try:
        known = remembering(theorem, counts)
        if known is None:
            return None
        certain = outcomes == 1 and not drawn(theorem)
        plainly = unbound(rewritten(known[0], around, "" if certain else None))
        posed = kind(plainly, dimension, outcomes)
        found = _Iterated(plainly, counts, posed, known[1], loose).iteration()
    except TheoryError:
        return None
    return replace(found, theorem=theorem, around=around)


class _Iterated:
    """The iteration while it is made."""

    def __init__(
        self,
        theorem: Theorem,
        counts: Mapping[Scalar, Scalar],
        posed: Posed,
        starts: Mapping[str, str],
        loose: bool,
    ) -> None:
        self._loose = loose
        self._theorem, self._counts, self._outcomes = theorem, dict(counts), posed.outcomes
        self._posed, self._starts = posed, starts
        self._index = index_of(theorem)
        self._state: dict[Scalar, tuple[Scalar, ...]] = {}  # with what follows, by outcome
        self._inputs: dict[Scalar, None] = {}
        self._empty: set[Scalar] = set()
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
            raise unsupported("an outcome of many is no mean")
        placed = dict.fromkeys(self._under_calls(one, len(branches)) for one in relations)
        goal = self._under_calls(goal, 1)
        values = {str(f): self._called(f(self._index)) for f in functions_in([*relations, goal])}
        moving = (*(form for then in branches for form in then), *values.values())
        if any(form.atoms(AppliedUndef) for form in moving):
            raise unsupported("a step that depends on a sequence at a number")
        called = sorted({call for one in (*placed, goal) for call in calls_in(one)}, key=str)
        if not all(call.args[0].is_Integer for call in called):
            raise unsupported("a step that depends on a sequence")
        marks = {call: number_named(call) for call in called}
        return Iteration(
            self._theorem,
            self._index,
            tuple(state),
            branches,
            tuple(one for one in self._inputs if one.is_Symbol and one not in state),
            tuple(with_marks(one, marks) for one in placed if one.gap != 0),
            values,
            with_marks(goal, marks),
            marks,
            dict(self._alike()),
            empty=frozenset(self._empty),
        )

    def _written(self, one: Relation) -> Relation:
        """A relation with numbers for counts, and its sums written out."""
        placed = one.replaced(self._counts)
        longest = LONGEST if isinstance(self._posed, Bent) else MOST
        return by_side(placed, lambda side: written_out(side, longest))

    def _signed(self) -> Iterator[Relation]:
        """Values of points that are declared nonnegative."""
        for point in self._theorem.points:
            least = least_of(point.value)
            if least is not None and point.value not in self._theorem.symbols:
                at = (self._posed.at(point.value, k) for k in range(self._outcomes))
                yield from (le(least, value) for value in at)

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

    def _alike(self) -> Iterator[tuple[Scalar, Scalar]]:
        """What starts where something else does, at every outcome."""
        for old, now in self._starts.items():
            for outcome in range(self._outcomes):
                late, first = (self._posed.vector(vector(n), outcome) for n in (old, now))
                if not {*late, *first} <= self._state.keys():
                    raise unsupported("a stale point of what does not move")
                yield from zip(late, first, strict=True)

    def _with_scalars(
        self, relations: list[Relation], goal: Relation
    ) -> tuple[list[Relation], Relation]:
        """Quantities of an iteration: what an equation says they are, else chosen."""
        for scalar in self._theorem.scalars:
            for one in dict.fromkeys(self._posed.at(scalar, k) for k in range(self._outcomes)):
                equations = (e.gap for e in relations if e.kind == "==" and not functions_in([e]))
                forms = (form for e in equations for form in (*isolated(e, one), *capped(e, one)))
                found = next(forms, None)
                least = least_of(one)
                if least is not None and not (
                    least > 0 and found is not None and found.is_positive
                ):
                    relations += [le(least, one)]
                if found is None:
                    self._inputs[one] = None
                    continue
                relations = [each.replaced({one: found}) for each in relations]
                goal = goal.replaced({one: found})
                self._defined.append((one, found))
        for one, then in self._state.items():  # a step reads what the equations say, too
            self._state[one] = tuple(form.subs(self._defined) for form in then)
        return relations, goal

    def _sequences(self, relations: Sequence[Relation]) -> list[Relation]:
        """Give every sequence its meaning, or its recurrence, or leave it to be chosen."""
        known = {str(f): value for f, value in self._theorem.sequences.items()}
        if known and not self._theorem.following:
            raise unsupported("what follows is not said")
        signs = []
        for function in functions_in(relations):
            name, now = str(function), function(self._index)
            if name in known:
                parts = [self._posed.at(known[name], k) for k in range(self._outcomes)]
                mean = (sympy.Add(*parts) / self._outcomes).subs(self._counts)
                self._shifted[name, 0] = mean.subs(self._defined)
                continue
            least = least_of(now)
            signs += [] if least is None else [le(least, now)]
            self._chosen(function, relations)
        return signs

    def _chosen(self, function: Scalar, relations: Sequence[Relation]) -> None:
        """A sequence without a meaning: state, and the last of it by a recurrence or chosen."""
        calls = {call for one in relations for call in calls_in(one)}
        shifts = [self._shift(one) for one in calls if one.func == function]
        low, high = min((0, *filter(None, shifts))), max((0, *filter(None, shifts)))
        name, last = str(function), function(self._index + high)
        names = [sympy.Symbol(f"{name}({_place(i)})", real=True) for i in range(low, high + 1)]
        self._empty |= set(names[: -low if low else 0])
        bounds = high > 0 and not self._loose
        gaps = [one.gap for one in relations if one.kind == "==" or bounds]
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
        known = call.args[0].is_Integer and call.args[0] >= 0
        if len(call.args) > 1 or not (known or shift.is_Integer):
            raise unsupported(f"{call} at other indices")
        return None if call.args[0].is_Integer else int(shift)

    def _under_calls(self, one: Relation, branches: int) -> Relation:
        """A relation about one iteration; a mean is one of many outcomes in linear ones alone."""
        calls = {call for call in calls_in(one) if self._shift(call) is not None}
        mixed = calls and one.gap.free_symbols & {*self._state, *self._inputs}
        if branches > 1 and (
            mixed or any(sympy.diff(one.gap, a, b) != 0 for a in calls for b in calls)
        ):
            raise unsupported("a mean beside one of many outcomes, or inside of a product")
        return by_side(one, self._called)

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
                raise unsupported(f"{name} of what the next iteration chooses")
            branches = [
                dict(zip(self._state, then, strict=True))
                for then in zip(*self._state.values(), strict=True)
            ]
            parts = [form.subs(then, simultaneous=True) for then in branches]
            self._shifted[name, 1] = sympy.Add(*parts) / len(parts)
        else:
            raise unsupported(f"{name}({_place(shift)})")
        return self._shifted[name, shift]


def _place(shift: int) -> str:
    """The iteration that is so far from k."""
    return "k" if shift == 0 else f"k {'+' if shift > 0 else '-'} {abs(shift)}"
