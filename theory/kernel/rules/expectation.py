"""Rules of expectations: they are monotone and linear, and a mean of means is a mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.context import changes, drawn
from theory.kernel.means import Mean, Operator, is_random, law_of, random_names
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, put_in
from theory.kernel.rules.averages import MEANS, is_average
from theory.kernel.rules.ranges import is_constant
from theory.kernel.rules.series import pinned_beside
from theory.kernel.rules.windows import is_window
from theory.kernel.theorem import Checked, Given, Hypothesis, Theorem, missing, unlike
from theory.kernel.vectors import Gram, Point, Scalar, Vector
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Expect:
    """Both sides of a fact under an expectation.

    Attributes
    ----------
    of : str
        The fact, which holds for every outcome.
    under : Operator
    """

    of: str
    under: Operator

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is the mean of the fact."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        fact = given.facts[self.of]
        if type(self.under) not in MEANS:
            return Checked(Verdict.UNKNOWN, f"{type(self.under).__name__} is no mean of the kernel")
        proved = Checked(Verdict.PROVED, f"mean of {self.of}")
        return unlike(f"the mean of {self.of}", fact.kind, self.under.of(fact.gap), goal) or proved


@dataclass(frozen=True)
class Total:
    """A fact of iteration k under the expectation of everything, in the notation of sequences.

    The theorem's `sequences` say what F(k) is the mean of; F(k + 1) is that of the points that its
    `following` names, if F(k) is the mean of nothing else that may change: what is neither followed
    nor `fixed` may be another one in iteration k + 1, and a function that is drawn is. Conditional
    means disappear (tower property), if all of a theorem, and of what it cites, are of one law.

    Attributes
    ----------
    of : str
        The fact; it holds at every iteration.
    index : sympy symbol
        k.
    """

    of: str
    index: Scalar

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is the fact in that notation."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        changing = changes(given.theorem, self.index)
        if changing:
            return Checked(Verdict.UNKNOWN, changing)
        elsewhere = pinned_beside(self.index, given)
        if elsewhere:
            return elsewhere
        fact = given.facts[self.of]
        others = fact.gap.free_symbols & self._indices(given)
        if others:
            note = f"{min(others, key=str)} counts something else than {self.index}"
            return Checked(Verdict.UNKNOWN, note)
        apart = laws(given.theorem)
        if len(apart) > 1:
            note = (
                f"means under {' and '.join(sorted(apart))} are no means under one law: say by "
                "`law` of which they are conditional means"
            )
            return Checked(Verdict.UNKNOWN, note)
        form, left = self.rewritten(fact.gap, given)
        other = left is not None or not is_zero(goal.gap - form)
        if other and self._spelled(goal.gap, fact.gap, given):
            form, left = goal.gap, None
        stray = self._elsewhere(form, given)
        if stray is not None:
            return Checked(Verdict.UNKNOWN, f"{stray} is not a sequence along {self.index}")
        if left:
            return Checked(Verdict.UNKNOWN, f"no sequence stands for the mean of {left}")
        proved = Checked(Verdict.PROVED, f"total expectation of {self.of}")
        return unlike(f"the mean of {self.of} in this notation", fact.kind, form, goal) or proved

    def rewritten(self, gap: Scalar, given: Given) -> tuple[Scalar, Scalar | None]:
        """The gap in sequences; and the first random factor that no sequence stands for."""
        table = self.table(given)
        total = sympy.S.Zero
        for term in sympy.Add.make_args(sympy.expand(gap)):
            factors = sympy.Mul.make_args(term)
            fixed = [part for part in factors if self._is_constant(part, given)]
            random = sympy.Mul(*(part for part in factors if not self._is_constant(part, given)))
            while random not in table and (inside := _inside(random)) is not None:
                random = inside
            if random != 1 and random not in table:
                return total, random
            total += sympy.Mul(*fixed) * table.get(random, sympy.S.One)
        return total, None

    def _spelled(self, goal: Scalar, fact: Scalar, given: Given) -> bool:
        """Whether a goal reads as the fact once each sequence is what it is the mean of.

        D(k) may be the mean of ‖x − x*‖², of which the fact names the inner products: what counts
        is that the goal is linear in sequences, with constant factors.
        """
        values = self.meanings(given)
        taken = {mean for value in values.values() for mean in atoms(value, Mean)}
        if atoms(fact, AppliedUndef) or any(map(_is_conditional, taken)):
            return False
        total = sympy.S.Zero
        for term in sympy.Add.make_args(sympy.expand(goal)):
            calls = [part for part in sympy.Mul.make_args(term) if part in values]
            factor = sympy.Mul(*(part for part in sympy.Mul.make_args(term) if part not in values))
            if (
                len(calls) > 1
                or atoms(factor, AppliedUndef)
                or not self._is_constant(factor, given)
            ):
                return False
            total += factor * (values[calls[0]] if calls else 1)
        return is_zero(total - self.without_means(fact, given))

    def without_means(self, fact: Scalar, given: Given) -> Scalar:
        """The fact with what conditional means are of in their place, where they stand alone."""
        total = sympy.S.Zero
        for term in sympy.Add.make_args(sympy.expand(fact)):
            parts = sympy.Mul.make_args(term)
            fixed = [part for part in parts if self._is_constant(part, given)]
            rest = sympy.Mul(*(part for part in parts if not self._is_constant(part, given)))
            while (inside := _inside(rest)) is not None:
                rest = inside
            total += sympy.Mul(*fixed) * rest
        return total

    def table(self, given: Given) -> dict[Scalar, Scalar]:
        """What each random atom becomes."""
        return {value: call for call, value in self.meanings(given).items()}

    def meanings(self, given: Given) -> dict[Scalar, Scalar]:
        """What each sequence is the mean of in iteration k, and in k + 1 where that follows."""
        vectors: dict[str, Vector] = {}
        values: dict[Scalar, Scalar] = {}
        anew = drawn(given.theorem)
        for now, then in (*given.theorem.following, *_carried(given.theorem)):
            values |= {} if now.value.name in anew else {now.value: then.value}
            for old, new in ((now.position, then.position), (now.gradient, then.gradient)):
                if [a for _, a in old.terms] == [1] and not old.names & anew:  # 2x is no x
                    vectors.update(dict.fromkeys(old.names, new))
        found = {}
        for sequence, value in given.theorem.sequences.items():
            found[sequence(self.index)] = value
            # Given what is known in iteration k + 1 a mean is another one than in iteration k.
            conditional = any(map(_is_conditional, atoms(value, Mean)))
            if not conditional and self._follows(value, {*vectors}, {*values}, given):
                found[sequence(self.index + 1)] = put_in(value, values, vectors)
        return found

    def _follows(self, value: Scalar, vectors: set[str], values: set[Scalar], given: Given) -> bool:
        """Whether all of a value that may change is followed, and some of it is."""
        named = {name for entry in atoms(value, Gram) for name in entry.names}
        named -= {name for one in given.theorem.fixed for name in one.names}
        changing = value.free_symbols & (
            {*given.theorem.scalars} | {one.value for one in given.theorem.points}
        )
        changing -= set(given.theorem.symbols)
        return bool(named or changing) and named <= vectors and changing <= values

    def _is_constant(self, factor: Scalar, given: Given) -> bool:
        """Whether a factor is the same in every run: of constants, and of means taken before."""
        if atoms(factor, Gram, Mean):
            return False
        sequences = given.theorem.sequences
        called = all(
            call.func in sequences and call.args in ((self.index,), (self.index + 1,))
            for call in atoms(factor, AppliedUndef)
        )
        known = {*given.theorem.symbols, self.index}
        return called and bool(factor.free_symbols <= known)

    def _indices(self, given: Given) -> set[Scalar]:
        """Other symbols at which the theorem calls sequences: they may go along with the index."""
        gaps = [relation.gap for _, relation in given.theorem.relations]
        calls = (call for gap in gaps for call in atoms(gap, AppliedUndef))
        return {symbol for call in calls for symbol in call.free_symbols} - {self.index}

    def _elsewhere(self, form: Scalar, given: Given) -> Scalar | None:
        """A call of one of these sequences at another index somewhere in the theorem, if any."""
        known = {*given.theorem.symbols, self.index}
        named = {call.func for call in atoms(form, AppliedUndef)}
        for _, relation in given.theorem.relations:
            form = relation.gap.replace(lambda node: is_window(node, self.index), lambda node: 0)
            for call in atoms(form, AppliedUndef):
                if call.func in named and not call.free_symbols <= known:
                    return call
        return None


def _is_conditional(form: Scalar) -> bool:
    return isinstance(form, Mean) and not is_average(form)


def _inside(product: Scalar) -> Scalar | None:
    """The same without a conditional mean: tower property, a·E[b] = E[a·b] if a is not random to E.

    None if there is no such mean, or what stands beside it may be random.
    """
    parts = sympy.Mul.make_args(product)
    means = [part for part in parts if _is_conditional(part)]
    beside = sympy.Mul(*(part for part in parts if part not in means))
    if len(means) != 1 or atoms(beside, Mean) or is_random(beside, random_names(means[0])):
        return None
    return beside * means[0].args[2]


def _carried(theorem: Theorem) -> Iterator[tuple[Point, Point]]:
    """Points made of iterates alone, such as x − e, and those made of the next ones."""
    moves = {name: then.position for now, then in theorem.following for name in now.position.names}
    still = {name for one in theorem.fixed for name in one.names}
    followed = {now for now, _ in theorem.following}
    for one in theorem.points:
        names = one.position.names
        constant = all(is_constant(factor, theorem) for _, factor in one.position.terms)
        if one in followed or not constant or not names <= moves.keys() | still or names <= still:
            continue
        after = one.position.replaced(moves)
        for other in theorem.points:
            if other.function == one.function and (other.position - after).terms == ():
                yield one, other


def laws(theorem: Theorem) -> frozenset[str]:
    """The laws under which means disappear in a proof, and in those that it cites."""
    rules = [(step.rule, step.relation) for step in theorem.steps]
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    facts |= {step.name: step.relation for step in theorem.steps}
    found = frozenset[str]()
    for rule, _ in [*rules, (theorem.conclude, theorem.goal)]:
        if isinstance(rule, Total) and rule.of in facts:
            means = atoms(facts[rule.of].gap, Mean)
            found |= {law_of(mean) for mean in means if not is_average(mean)}
    return found.union(*(laws(cited) for cited in theorem.cites))
