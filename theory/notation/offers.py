"""Facts that follow by one rule from what is known, and are offered to a search unasked.

All of them are steps of the proof that the kernel checks; those that no certificate uses are left
out again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial, reduce
from itertools import permutations, product
from operator import add
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.means import Average, Mean, Operator, is_average, is_random
from theory.kernel.normal import is_zero, linear_sums
from theory.kernel.relations import Relation, eq, le, put_in
from theory.kernel.residues import Residues
from theory.kernel.rules import (
    Combine,
    Descent,
    Drift,
    Everywhere,
    Expect,
    Induction,
    Lipschitz,
    Reread,
    Split,
    Start,
    Swap,
    Telescope,
    Total,
    Windows,
)
from theory.kernel.rules.calculus import descent, lipschitz, support
from theory.kernel.rules.series import varying
from theory.kernel.rules.windows import window
from theory.kernel.signs import undefined
from theory.kernel.theorem import Delayed, Given, Hypothesis, Rule, Smooth, Step, Theorem
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector
from theory.notation.coercion import is_parameters, sides
from theory.notation.decomposition import decomposed
from theory.notation.interpolation import place
from theory.notation.names import index, text
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Run:
    """What a proof along iterations is about.

    Attributes
    ----------
    index : sympy symbol, optional
        k, if there are iterations.
    counts : tuple of expressions
        Numbers of iterations that the statement speaks of.
    windows : tuple of expressions
        Sums over the last iterations of which lines speak.
    """

    index: Scalar | None
    counts: tuple[Scalar, ...]
    windows: tuple[Scalar, ...] = ()


@dataclass(frozen=True)
class Offer:
    """A step whose relation is worked out when somebody looks at it: most are never used.

    It speaks of these sequences, of no symbols but these, and of these vectors among others.
    """

    name: str
    rule: Rule
    sequences: frozenset[Scalar]
    symbols: frozenset[Scalar]
    work_out: Callable[[], Relation]
    vectors: frozenset[str] = frozenset()
    says: str = ""
    where: str = "ours"

    @cached_property
    def relation(self) -> Relation:
        """What it states."""
        return self.work_out()

    def step(self) -> Step:
        """The step itself."""
        return Step(self.name, self.relation, self.rule, self.says, self.where)


def smooth(assumed: Smooth, points: Sequence[Point], *, below: bool) -> Iterator[Offer]:
    """The descent lemma and the Lipschitz bound at every two points; `below`, that of −f too."""
    about = [one for one in points if one.function == assumed.function]
    for x, y in permutations(about, 2):
        names, values = f"{place(x)} to {place(y)}", (x.value, y.value, assumed.constant)
        vectors = (one for at in (x, y) for one in (at.position, at.gradient))
        forms = sympy.Tuple(*values, *(factor for one in vectors for _, factor in one.terms))
        known, slopes = (_sequences(forms), forms.free_symbols), x.gradient.names
        down, rule = partial(descent, assumed.constant, x, y), Descent(assumed.name, x, y)
        yield Offer(f"descent, {names}", rule, *known, down, slopes)
        if below:
            up, rule = partial(support, assumed.constant, x, y), replace(rule, below=True)
            yield Offer(f"at least, {names}", rule, *known, up, slopes)
        if str(x.value) < str(y.value):
            apart = partial(lipschitz, assumed.constant, x, y)
            by = Lipschitz(assumed.name, x, y)
            yield Offer(f"lipschitz, {names}", by, *known, apart, slopes)


def expected(name: str, fact: Relation, means: Iterable[Operator]) -> Iterator[Step]:
    """A fact about one outcome under each mean to which it is random."""
    for operator in means:
        if is_random(_without(fact.gap, operator.name), frozenset(operator.random)):
            mean = Relation(operator.of(fact.lhs), fact.kind, operator.of(fact.rhs))
            yield Step(f"{operator.name}[{name}]", mean, Expect(name, operator))


def spread(random: Vector, expected: Vector) -> Step:
    """A vector's squared distance from its mean, of which the mean is Jensen's inequality."""
    away = random - expected
    name = f"spread of {text(random)}"
    return Step(name, le(0, away**2), Combine(squares=((sympy.S.One, away),)))


def squared(one: Vector, means: Sequence[Operator]) -> Iterator[Step]:
    """That a square is nonnegative, and so is its mean; the innermost mean stands last."""
    made = Step(f"‖{text(one)}‖² ≥ 0", le(0, one**2), Combine(squares=((sympy.S.One, one),)))
    yield made
    for operator in reversed(means):
        made = next(expected(made.name, made.relation, (operator,)), made)
        yield made


def swapped(name: str, fact: Relation, means: Sequence[Operator]) -> Iterator[Step]:
    """A fact with the average over workers, or other indices, inside of an expectation."""
    for average, under in permutations(means, 2):
        if isinstance(average, Average):
            rule = Swap(name, average, under)
            gap = rule.inside(fact.gap)
            if gap != fact.gap:
                yield Step(f"{name}, {average.name} inside", sides(gap, fact.kind), rule)


def _without(gap: Scalar, name: str) -> Scalar:
    taken = (mean for mean in atoms(gap, Mean) if str(mean.args[0]) == name)
    return gap.xreplace({mean: sympy.Integer(0) for mean in taken})


def along(name: str, fact: Relation, run: Run, bare: Theorem) -> Iterator[Step | Offer]:
    """A fact of one iteration in the notation of sequences, at both ends, and summed."""
    if run.index is None:
        return
    if atoms(fact.gap, AppliedUndef):
        if run.index in fact.gap.free_symbols and not varying(fact, Given(bare, {})):
            yield from _ranged(name, fact, run)
            yield from _windowed(name, fact, run, bare)
        return
    total = in_sequences(fact, run.index, bare)
    if total is not None:
        each = f"{name}, each {run.index}"
        yield Step(each, total, Total(name, run.index))
        yield from _ranged(each, total, run)
        yield from _windowed(each, total, run, bare)


def _ranged(name: str, fact: Relation, run: Run) -> Iterator[Offer]:
    """At both ends and summed: relations in which the index does not occur."""
    sequences, symbols = _sequences(fact.gap), fact.gap.free_symbols - {run.index}
    powers = atoms(fact.gap, sympy.Pow) if run.index in fact.gap.free_symbols else ()
    now = {call.args for call in atoms(fact.gap, AppliedUndef)} == {(run.index,)}
    ahead = (run.index + 1,) if now and run.index is not None else ()
    for at in dict.fromkeys((sympy.S.Zero, *run.counts, *ahead)):
        if any(p.exp.is_negative and p.base.subs(run.index, at) == 0 for p in powers):
            continue  # 1/k, which no rule may take at 0
        rule, known = Everywhere(name, {run.index: at}), frozenset(symbols | at.free_symbols)
        here = partial(fact.replaced, {run.index: at})
        yield Offer(f"{name}, at {at}", rule, sequences, known, here)
    for number in run.counts:
        total, known = Telescope(name, run.index, number), frozenset(symbols | number.free_symbols)
        over = partial(_summed, total, fact)
        yield Offer(f"{name}, summed to {number}", total, sequences, known, over)


def _sequences(form: Scalar) -> frozenset[Scalar]:
    return frozenset(call.func for call in atoms(form, AppliedUndef))


def _summed(rule: Telescope, fact: Relation) -> Relation:
    return sides(rule.total(fact.gap), fact.kind)


@lru_cache(maxsize=2**13)
def _linear(gap: Scalar) -> Scalar:
    return linear_sums(gap)


def among(steps: Sequence[Step | Offer], said: Relation, at: Residues) -> int | None:
    """Where a relation is among steps; residues tell most of them apart."""
    wanted = _linear(said.gap)
    here = sympy.expand(wanted)
    sequences = _sequences(here)
    for number, one in enumerate(steps):
        if isinstance(one, Offer) and (
            one.sequences != sequences or not here.free_symbols <= one.symbols
        ):
            continue
        if one.relation.kind != said.kind:
            continue
        known = _linear(one.relation.gap)
        if not at.differ(known, wanted) and sympy.expand(known) == here:
            return number
    return None


def drifts(bare: Theorem, run: Run) -> Iterator[Step]:
    """How far stale iterates are, summed; and on every path, where moves are bounded."""
    bounded: dict[str, Step] = {}  # what bounds the moves of one iterate, for all copies of it
    for stale in bare.hypotheses:
        if not isinstance(stale, Delayed) or run.index is None:
            continue
        for number in run.counts:
            rule = Drift(stale.name, run.index, count=number)
            goal = rule.stated(Given(bare, {}))
            if isinstance(goal, Relation):
                yield Step(f"drift, {stale.name}, summed to {number}", goal, rule)
        for one in bare.hypotheses:
            if isinstance(one, Hypothesis):
                moved = tuple(
                    replace(step, name=f"{step.name}, for {stale.name}")
                    if bounded.get(step.name, step).relation != step.relation
                    else step
                    for step in _moves(one, stale, bare)
                )
                yield from (step for step in moved if step.name not in bounded)
                bounded |= {step.name: step for step in moved}
                name, fact = (
                    (moved[0].name, moved[0].relation) if moved else (one.name, one.relation)
                )
                for step in drift_by(name, fact, stale, run, bare):
                    yield replace(step, name=f"drift, {stale.name}, by {one.name}")


def drift_by(name: str, fact: Relation, stale: Delayed, run: Run, bare: Theorem) -> Iterator[Step]:
    """How far a stale iterate is at most, if a fact bounds every move."""
    rule = Drift(stale.name, run.index, move=name)
    goal = rule.stated(Given(bare, {name: fact}))
    if isinstance(goal, Relation):
        yield Step(f"drift, {stale.name}, by {name}", goal, rule)


def _moves(one: Hypothesis, stale: Delayed, bare: Theorem) -> Iterator[Step]:
    """That ‖γg‖² ≤ γ²G², for a bound of ‖g‖² and moves by γg."""
    for now, then in bare.following:
        way = then.position - now.position
        if now.position == stale.now.position and len(way.terms) == 1:
            ((name, factor),) = way.terms
            if factor not in (1, -1) and one.relation.lhs == vector(name) ** 2:
                bound = le(way**2, factor**2 * one.relation.rhs)
                yield Step(f"move, by {one.name}", bound, Combine({one.name: factor**2}))
                return


def windows(said: Iterable[Relation], bare: Theorem, k: Scalar | None) -> tuple[Scalar, ...]:
    """The sums over the last iterations of which relations speak, or by which drift is bounded."""
    sums = {total for one in said for total in atoms(one.gap, sympy.Sum) if total.has(sympy.Max)}
    stale = [one for one in bare.hypotheses if isinstance(one, Delayed)]
    if sums or k is None:
        return tuple(sorted(sums, key=str))
    j = next(j for j in index("j i") if j != k)
    found = (  # two late copies of one iterate have one window
        window(moves(j), j, k, one.constant)
        for one, moves in product(stale, bare.sequences)
        if isinstance(Drift(one.name, k, inner=j, moves=moves).stated(Given(bare, {})), Relation)
    )
    return tuple(dict.fromkeys(found))


def late(bare: Theorem, run: Run) -> Iterator[Step]:
    """What is known of sums over the last iterations, and of what is read late."""
    k, given = run.index, Given(bare, {})
    places = {
        (one.limits[0][0], call.func)
        for one in run.windows
        for call in atoms(one.function, AppliedUndef)
    }
    for stale in bare.hypotheses:
        if not isinstance(stale, Delayed) or k is None:
            continue
        for j, moves in sorted(places, key=str):
            rule = Drift(stale.name, k, inner=j, moves=moves)
            yield from _stated(rule, f"drift, {stale.name}, by {moves}", given)
        for one, number in product(bare.sequences, run.counts):
            late = Reread(stale.name, one, k, number)
            yield from _stated(late, f"{one} late, summed to {number}", given)
        for one in bare.sequences:
            yield from _stated(Start(stale.name, one, k), f"{one} at the start", given)
    for name, last in _windows(run):
        for number in run.counts:
            over = replace(last, count=number)
            yield from _stated(over, f"{name}, summed to {number}", given)


def starts(bare: Theorem, free: Set[str]) -> dict[Scalar, Scalar]:
    """What sequences are in iteration 0, as sequences: nothing is late there.

    Of those that are then a sum of others; a multiple of one is found by `Start` alone. Names that
    an author gave to something else are left to that.
    """
    found: dict[Scalar, Scalar] = {}
    values = {one(0): value for one, value in bare.sequences.items()}
    own = [h.relation for h in bare.hypotheses if isinstance(h, Hypothesis)]
    told = {call.func for one in (bare.goal, *own) for call in atoms(one.gap, AppliedUndef)}
    taken = {*free, *map(str, (*told, *bare.sequences))}
    for one, value in bare.sequences.items():
        made: dict[Scalar, Scalar] = {}
        for stale in (h for h in bare.hypotheses if isinstance(h, Delayed)):
            old, now = stale.old, stale.now
            pairs = ((old.position, now.position), (old.gradient, now.gradient))
            put = {name: new for before, new in pairs for name in before.names}
            here = put_in(value, {old.value: now.value}, put)
            if here != value:
                name = f"{one} with nothing late" + (f", {len(made) + 1}" if made else "")
                if name in taken:
                    return {}
                made[sympy.Function(name, real=True)] = value = here
        if made and not atoms(value, AppliedUndef, Mean):
            same = decomposed(value, values, {*bare.symbols})
            found |= made if same is not None and len(atoms(same, AppliedUndef)) > 1 else {}
    return found


def least(bare: Theorem, run: Run, lines: Iterable[Relation]) -> Iterator[Step]:
    """That what decreases is at least 0, or what the statement bounds: it is that and a square."""
    k, said = run.index, _sequences(bare.goal.gap)
    now = {call.func for one in lines for call in atoms(one.lhs, AppliedUndef) if call.has(k)}
    values = {one: value for one, value in bare.sequences.items() if one in now - said}
    for one, value in values.items() if k is not None else ():
        others = {other(k): bare.sequences[other] for other in bare.sequences if other in said}
        for low, part in {sympy.S.Zero: sympy.S.Zero, **others}.items():
            above = None if low == 0 and one(k).is_nonnegative else _above(value - part, bare)
            goal = le(part, value)
            if above is not None and _holds(above, goal, bare):
                for name in above.domain:
                    less = replace(above, domain=tuple(n for n in above.domain if n != name))
                    above = less if _holds(less, goal, bare) else above
                yield Step(f"{one} at least {low}", goal, above)


def _above(form: Scalar, bare: Theorem) -> Combine | None:
    """A square and a multiple of what is assumed of values, whose sum a form is."""
    about = {h.name: h.relation for h in bare.hypotheses if isinstance(h, Hypothesis)}
    domain = tuple(name for name, one in about.items() if is_parameters(one))
    form = sympy.expand(form)
    rest, whole = _less_a_square(form)
    if whole is None or rest == 0:
        return None if whole is None else Combine(squares=(whole,), domain=domain)
    for name, one in about.items():
        value = min(one.gap.free_symbols & rest.free_symbols, key=str, default=None)
        size = sympy.S.Zero if value is None else one.gap.coeff(value)
        if one.kind == "<=" and size.is_number and size != 0 and not atoms(one.gap, Gram, Mean):
            factor = rest.coeff(value) / size
            if is_zero(rest - factor * one.gap):
                return Combine({name: factor}, squares=(whole,), domain=domain)
    return None


def _less_a_square(form: Scalar) -> tuple[Scalar, tuple[Scalar, Vector] | None]:
    """What is left of a form beside c·‖v‖², where that is all that it has of vectors; c and v."""
    shares = {entry.names: sympy.cancel(form.coeff(entry)) for entry in atoms(form, Gram)}
    for (first, other), size in sorted(shares.items(), key=lambda one: sympy.count_ops(one[1])):
        if first == other and size.is_nonnegative:
            halves = {n: c / (2 * size) for n, c in shares.items() if first in n and n[0] != n[1]}
            beside = (vector(n[n[0] == first]) * sympy.factor(c) for n, c in halves.items())
            whole = reduce(add, beside, vector(first))
            rest = sympy.expand(form - sympy.Add(*(form.coeff(e) * e for e in atoms(form, Gram))))
            if is_zero(form - rest - size * whole**2):
                return rest, (size, whole)
    return form, None


def _holds(rule: Combine, goal: Relation, bare: Theorem) -> bool:
    own = (h for h in bare.hypotheses if isinstance(h, Hypothesis))
    given = Given(bare, {one.name: one.relation for one in own})
    return rule.check(goal, given).verdict is Verdict.PROVED


def by_powers(goal: Relation, run: Run, lines: Iterable[Relation]) -> Iterator[Relation]:
    """Of a(k + 1) ≤ q·a(k), that a(n) ≤ qⁿ·a(0), if the statement does not speak of a."""
    said, k = _sequences(goal.gap), run.index
    if k is None:
        return
    for one in lines:
        now = one.lhs.func(k) if isinstance(one.lhs, AppliedUndef) else None
        if now is not None and one.lhs == now.func(k + 1) and now.func not in said:
            ratio = sympy.expand(one.rhs).coeff(now)
            if ratio not in (0, 1) and not ratio.has(k) and is_zero(one.rhs - ratio * now):
                yield from (le(now.func(n), ratio**n * now.func(0)) for n in run.counts)


def inductions(
    goal: Relation, bare: Theorem, run: Run, lines: Mapping[str, Relation]
) -> Iterator[Step]:
    """A bound a(n) ≤ … from a line a(k + 1) ≤ ratio·a(k) + rest, where the bound carries."""
    share, call = goal.lhs.as_independent(AppliedUndef, as_Add=False)
    if share != 1 and share.is_positive:  # of w·a(n) ≤ …
        goal = Relation(call, goal.kind, goal.rhs / share)
    own = (one for one in bare.hypotheses if isinstance(one, Hypothesis))
    under = tuple(one.name for one in own if is_parameters(one.relation))
    if run.index is None or not isinstance(call, AppliedUndef) or call.args[0] not in run.counts:
        return
    first = call.func(0)
    itself = Step(f"{first}", eq(first, first), Combine())
    facts = {**lines, itself.name: itself.relation}
    along = [name for name, fact in lines.items() if fact.lhs == call.func(run.index + 1)]
    starts = [name for name, fact in lines.items() if fact.lhs == first]
    for name, start in product(along, (itself.name, *starts)):
        rule = Induction(name, run.index, call.args[0], call.func, start, under)
        if rule.check(goal, Given(bare, facts)).verdict is Verdict.PROVED:
            if start == itself.name:
                yield itself
            yield Step(f"by induction along {name}", goal, rule)
            return


def twice(bare: Theorem, run: Run) -> Iterator[Step]:
    """Sequences that are one thing: ‖x[k] − x[k − 1]‖² is what ‖x[k + 1] − x[k]‖² was before.

    One may be a constant, or a multiple of another, as ‖γg‖² is of ‖g‖².
    """
    if run.index is None:
        return
    known: dict[Scalar, tuple[Scalar, Scalar]] = {}
    for call, value in Total("", run.index).meanings(Given(bare, {})).items():
        constant = not atoms(value, Gram, Mean) and value.free_symbols <= {*bare.symbols}
        size, part = (value, sympy.S.One) if constant else _multiple(value, {*bare.symbols})
        first, other = known.setdefault(part, (size, call)) if not constant else (1, 1)
        if other != call:
            same = sympy.cancel(size / first) * other
            name = f"{call} is {same}"
            inside = _itself(f"{name}, in one iteration", value, bare)
            yield inside
            yield Step(name, eq(call, same), Total(inside.name, run.index))
            yield Step(f"{name} at most", le(call, same), Combine({name: 1}))


def sums(bare: Theorem, run: Run) -> Iterator[Step]:
    """A sequence that is the sum of others, each of which has fewer terms."""
    values = {} if run.index is None else Total("", run.index).meanings(Given(bare, {}))
    for call, value in values.items():
        size = len(sympy.Add.make_args(sympy.expand(value)))
        others = {
            one: form
            for one, form in values.items()
            if len(sympy.Add.make_args(sympy.expand(form))) < size
        }
        same = decomposed(value, others, {*bare.symbols, run.index}) if len(others) > 1 else None
        if same is not None and len(atoms(same, AppliedUndef)) > 1:
            inside = _itself(f"{call} is a sum, in one iteration", value, bare)
            yield inside
            yield Step(f"{call} is {same}", eq(call, same), Total(inside.name, run.index))


def _itself(name: str, value: Scalar, bare: Theorem) -> Step:
    """That a value is what it is, under the facts about constants by which it is defined."""
    own = (one for one in bare.hypotheses if isinstance(one, Hypothesis))
    about = {one.name: one.relation for one in own if is_parameters(one.relation)}
    needed = tuple(about) if undefined(value) else ()
    for name_of in needed:
        rest = tuple(one for one in needed if one != name_of)
        needed = needed if undefined(value, [about[one] for one in rest]) else rest
    return Step(name, eq(value, value), Combine(domain=needed))


def _multiple(value: Scalar, constants: Set[Scalar]) -> tuple[Scalar, Scalar]:
    """A positive constant, and what it multiplies: of the first term of which it is a factor."""
    form = sympy.expand(value)
    for term in sorted(sympy.Add.make_args(form), key=str):
        size, _ = term.as_independent(*(term.free_symbols - constants), *atoms(term, Gram, Mean))
        if size.is_positive:
            return size, sympy.expand(sympy.cancel(form / size))
    return sympy.S.One, form


def _windows(run: Run) -> Iterator[tuple[str, Windows]]:
    """For each sequence in a sum over the last iterations, what it is called, and its rule."""
    for total in run.windows:
        j, first, last = total.limits[0]
        shift = [one for one in first.args if one != 0]
        if run.index is None or not isinstance(first, sympy.Max) or len(shift) != 1:
            continue
        length = sympy.expand(last + 1 - shift[0])
        for call in sorted(atoms(total.function, AppliedUndef), key=str):
            rule = Windows(call.func, run.index, j, length)
            yield f"{call.func} of the last {length}", rule


def _windowed(name: str, fact: Relation, run: Run, bare: Theorem) -> Iterator[Step]:
    """A sum over the last iterations, where a fact bounds every term."""
    for label, rule in _windows(run):
        if atoms(fact.gap, AppliedUndef) == {rule.sequence(run.index)}:
            given = Given(bare, {name: fact})
            yield from _stated(replace(rule, each=name), f"{label}, by {name}", given)


def _stated(rule: Drift | Reread | Start | Windows, name: str, given: Given) -> Iterator[Step]:
    goal = rule.stated(given)
    if isinstance(goal, Relation):
        yield Step(name, goal, rule)


def ends(total: Any) -> Iterator[Step]:
    """For a sum that does not begin at 0: how it is part of one that does."""
    if len(total.limits) != 1 or not total.limits[0][1].is_Integer or total.limits[0][1] <= 0:
        return
    ((i, first, last),) = total.limits
    whole = sympy.Sum(total.function, (i, 0, last))
    before = [total.function.subs(i, j) for j in range(first)]
    yield Step(
        f"{total} and its beginning",
        eq(whole, sympy.Add(*before, total)),
        Split(i, first=int(first)),
    )
    shorter = sympy.Sum(total.function, (i, 0, last - 1))
    end = total.function.subs(i, last)
    yield Step(f"{total} and its end", eq(whole, shorter + end), Split(i, last=1))


@lru_cache(maxsize=8)
def _meant(bare: Theorem, index: Scalar) -> frozenset[Scalar]:
    """Inner products that sequences are the means of."""
    values = Total("", index).meanings(Given(bare, {})).values()
    return frozenset(entry for value in values for entry in atoms(value, Gram))


def in_sequences(fact: Relation, index: Scalar, bare: Theorem) -> Relation | None:
    """A fact with sequences for the means of what it names, or None if they do not suffice."""
    given = Given(bare, {})
    rule = Total("", index)
    calls = atoms(fact.gap, AppliedUndef)
    if not (calls or bare.sequences) or not atoms(fact.gap, Gram) <= _meant(bare, index):
        return None
    form, left = rule.rewritten(fact.gap, given)
    if left is None:
        return sides(form, fact.kind) if atoms(form, AppliedUndef) else None
    values = rule.meanings(given)
    if not all(is_average(mean) for value in values.values() for mean in atoms(value, Mean)):
        return None
    found = decomposed(rule.without_means(fact.gap, given), values, {*bare.symbols, index})
    return None if found is None else sides(found, fact.kind)


def spelled(
    fact: Relation, index: Scalar, bare: Theorem, means: Sequence[Operator]
) -> Relation | None:
    """A relation of sequences at k and k + 1 as one of what they are the means of, or None.

    If that is random to a mean, it is said under this mean.
    """
    if index is None or not atoms(fact.gap, AppliedUndef):
        return None
    values = Total("", index).meanings(Given(bare, {}))
    summed = {one for total in atoms(fact.gap, sympy.Sum) for one in atoms(total, AppliedUndef)}
    if summed or not atoms(fact.gap, AppliedUndef) <= set(values):  # sums are of many iterations
        return None
    lhs, rhs = fact.lhs.xreplace(values), fact.rhs.xreplace(values)
    gap = rhs - lhs
    random = [one for one in means if is_random(_without(gap, one.name), frozenset(one.random))]
    if len(random) > 1:
        return None
    for one in random:
        lhs, rhs = one.of(lhs), one.of(rhs)
    return Relation(lhs, fact.kind, rhs)
