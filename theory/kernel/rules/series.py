"""Rules for sequences: summing over iterations, and induction along a recurrence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.context import changes, changing, constants
from theory.kernel.means import Mean, is_sequence
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Checked, Given, Hypothesis, Theorem, missing, unlike
from theory.kernel.values import named
from theory.kernel.vectors import Gram, Scalar
from theory.verdicts import Verdict


def pinned(index: Scalar, given: Given) -> Checked | None:
    """An UNKNOWN if a fact about this index need not hold for every index 0, 1, 2, …, or None.

    Hypotheses are read for every index. One that says something of the index alone, such as
    ``k <= 5``, holds for some of its values only; and an index whose domain is smaller than
    0, 1, 2, … was never general. One about what changes is read in every iteration if 0 satisfies
    it in all of them: (k + 2)y = kx + 2z does, (k − 5)(1 + ‖g‖²) ≤ 0 says k ≤ 5 in other words.
    """
    plain = sympy.Symbol("k", integer=True, nonnegative=True)
    if not index.is_Symbol or index.assumptions0 != plain.assumptions0:
        return Checked(Verdict.UNKNOWN, f"{index} does not run through 0, 1, 2, …")
    if index in {*given.theorem.symbols, *given.theorem.scalars}:
        note = f"{index} is declared as one value, not as an index: list it under `indices`"
        return Checked(Verdict.UNKNOWN, note)
    changing = changes(given.theorem, index)
    if changing:
        return Checked(Verdict.UNKNOWN, changing)
    return _fixed(index, given.theorem, of_changes=True) or pinned_beside(index, given)


def pinned_beside(index: Scalar, given: Given) -> Checked | None:
    """An UNKNOWN if what changes is spoken of at some values of another index only, or None.

    Of (k − 4)·‖g‖² ≤ 1 and k ≥ 5 it follows that ‖g‖² ≤ 1, and not in every iteration j.
    """
    others = (one for one in given.theorem.indices if one != index and _counts(one, given.theorem))
    return next(filter(None, (_fixed(one, given.theorem) for one in others)), None)


def _fixed(index: Scalar, theorem: Theorem, of_changes: bool = False) -> Checked | None:
    for hypothesis in theorem.hypotheses:
        if (
            not isinstance(hypothesis, Hypothesis)
            and index in sympy.sympify(hypothesis.constant).free_symbols
        ):
            return Checked(Verdict.UNKNOWN, f"the constant of {hypothesis.name!r} fixes {index}")
        if isinstance(hypothesis, Hypothesis) and index in hypothesis.relation.gap.free_symbols:
            gap = hypothesis.relation.gap
            own = (one for one in atoms(gap, sympy.Sum) if index in one.bound_symbols)
            calls = atoms(gap.xreplace({one: sympy.Dummy() for one in own}), AppliedUndef)
            if any(index in call.free_symbols for call in calls):
                continue
            if not (of_changes and _always(hypothesis.relation, theorem)):
                return Checked(Verdict.UNKNOWN, f"hypothesis {hypothesis.name!r} fixes {index}")
    return None


def _always(said: Relation, theorem: Theorem) -> bool:
    """Whether a relation is about what changes, and holds at any index where all of that is 0."""
    moving = changing(theorem)
    there = {one for one in said.gap.free_symbols if one.name in moving}
    zero = dict.fromkeys(atoms(said.gap, Gram, Mean) | there, sympy.S.Zero)
    rest = said.gap.xreplace(zero)
    holds = rest == 0 if said.kind == "==" else rest.is_nonnegative
    return bool(holds and set(map(str, named(said.gap))) & (moving - constants(theorem)))


def _counts(index: Scalar, theorem: Theorem) -> bool:
    """Whether a hypothesis or a point names an index beside what changes along iterations."""
    moving = changing(theorem) - constants(theorem)
    said = [named(one.position) for one in theorem.points]
    for one in theorem.hypotheses:
        if isinstance(one, Hypothesis):
            said.append(named(one.relation.gap))
        elif index in named(one.constant):
            return True
    return any(index in one and moving & set(map(str, one)) for one in said)


def no_sequence(*given: Scalar) -> Checked | None:
    """An UNKNOWN if something is not a function such as ``sympy.Function("a")``, or None.

    Any Python function can be called with an index, and return what it likes.
    """
    strange = next((one for one in given if not is_sequence(one)), None)
    return Checked(Verdict.UNKNOWN, f"{strange} is no sequence") if strange is not None else None


def counts(count: Scalar, index: Scalar) -> bool:
    """Whether a number of iterations is one: an integer of at least 0 that is not the index."""
    form = sympy.sympify(count)
    whole = form.is_integer and form.is_nonnegative
    return bool(whole and index not in form.free_symbols)


def varying(relation: Relation, given: Given) -> Checked | None:
    """An UNKNOWN if a relation names what differs from iteration to iteration, or None.

    The same name stands for other things in the next iteration; only constants and sequences keep
    their meaning.
    """
    gap = relation.gap
    if atoms(gap, Gram, Mean):
        return Checked(Verdict.UNKNOWN, "vectors and conditional means change along the index")
    values = {point.value for point in given.theorem.points} - {*given.theorem.symbols}
    changing = {*given.theorem.scalars, *values}  # f(x*) is a constant if it is declared so
    found = gap.free_symbols & changing
    if found:
        return Checked(Verdict.UNKNOWN, f"{min(found, key=str)} changes along the index")
    return None


def captured(form: Scalar, *values: Scalar) -> Checked | None:
    """An UNKNOWN if a value for a symbol of a form names an index of a sum in it, or None.

    Put inside that sum, the value would stand for something else at each of its terms.
    """
    bound = {limit[0] for one in atoms(form, sympy.Sum) for limit in one.limits}
    found = bound & {symbol for value in values for symbol in value.free_symbols}
    if found:
        return Checked(Verdict.UNKNOWN, f"{min(found, key=str)} is an index of a sum there")
    return None


@dataclass(frozen=True)
class Telescope:
    """The sum of a fact over k = 0 … count − 1; what cancels between neighbours is left out.

    Attributes
    ----------
    of : str
        A fact about k and k + 1, for every k.
    index, count : sympy symbols
        k and the number of iterations.
    """

    of: str
    index: Scalar
    count: Scalar

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that sum."""
        absent = missing(self.uses, given) or pinned(self.index, given)
        if absent:
            return absent
        fact = given.facts[self.of]
        changing = varying(fact, given)
        if changing:
            return changing
        if not counts(self.count, self.index):
            return Checked(Verdict.UNKNOWN, f"{self.count} is no number of iterations")
        proved = Checked(Verdict.PROVED, f"sum of {self.of}")
        return unlike(f"the sum of {self.of}", fact.kind, self.total(fact.gap), goal) or proved

    def total(self, gap: Scalar) -> Scalar:
        """The sum by parts: Σ c(k)·F(k + 1) = c(n − 1)·F(n) − c(−1)·F(0) + Σ c(k − 1)·F(k).

        What cancels with terms of F(k) is left out. That is an identity for every c that is defined
        at −1 too, as polynomials and √(k + 1) are; other terms stay in the sum as they are.
        """
        k, form = self.index, sympy.expand(gap)
        ends = sympy.S.Zero
        for later in sorted(atoms(form, AppliedUndef), key=str):
            factor = form.coeff(later) if later.args == (k + 1,) else sympy.S.Zero
            before, now = factor.subs(k, k - 1), later.func(k)
            if factor.is_polynomial(k) or _goes_back(factor, before, k):
                form = sympy.expand(form - factor * later + before * now)
                ends += factor.subs(k, self.count - 1) * later.func(self.count)
                ends -= before.subs(k, 0) * later.func(0)
        return ends + sympy.Sum(form, (k, 0, self.count - 1))


def _goes_back(factor: Scalar, before: Scalar, k: Scalar) -> bool:
    """Whether a factor of powers is the next of one that is defined at 0, 1, 2, …."""
    plain = not atoms(factor, sympy.Function, sympy.Sum) and not undefined(before)
    return plain and bool(before.subs(k, k + 1) == factor)


@dataclass(frozen=True)
class Induction:
    """From a(k + 1) ≤ ratio · a(k) + rest to a(K) ≤ bound(K), for every K ≥ 0.

    Checked: the bound at 0 is at least a(0), `start`; the ratio is nonnegative, so that the bound
    may take the place of a(k); and ratio · bound(k) + rest is at most bound(k + 1). Of a K above 0
    nothing is asked of a(0) where the ratio is 0 at k = 0, and bound(0) is a number: in
    k · (1/k) it would be none. Where it is at most 0 there, and a(0) at least 0, a(1) is at most
    the first rest: all else is then asked from 1 on.

    Attributes
    ----------
    of : str
        The recurrence, for every k.
    index, count : sympy symbols
        k and K, which may be k: the bound then holds in every iteration.
    sequence : sympy function
        a.
    start : sympy expression
        What a(0) is, or is at most.
    domain : tuple of str
        Facts under which the two signs hold.
    """

    of: str
    index: Scalar
    count: Scalar
    sequence: Scalar
    start: str
    domain: tuple[str, ...] = ()

    iterates: ClassVar[bool] = True

    @property
    def uses(self) -> tuple[str, ...]:
        """The recurrence, the start, and what bounds the domain."""
        return (self.of, self.start, *self.domain)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the bound follows by induction."""
        absent = (
            missing(self.uses, given) or pinned(self.index, given) or no_sequence(self.sequence)
        )
        if absent:
            return absent
        changing = varying(given.facts[self.of], given) or varying(goal, given)
        if changing:
            return changing
        apart = self.count.is_Symbol and counts(self.count, self.index)
        if self.count != self.index and (not apart or goal.gap.has(self.index)):
            return Checked(Verdict.UNKNOWN, f"no bound for every {self.count} alone")
        ratio, rest = self.read(given.facts[self.of])
        first = self.sequence(0)
        start = given.facts[self.start]
        bound = goal.rhs
        if ratio is None or goal.lhs != self.sequence(self.count) or goal.kind != "<=":
            return Checked(Verdict.UNKNOWN, f"{self.of} is no recurrence of {goal.lhs}")
        if start.lhs != first or start.kind not in ("<=", "=="):
            return Checked(Verdict.UNKNOWN, f"{self.start} does not bound {first}")
        at = bound.subs(self.count, self.index)
        under = [given.facts[name] for name in self.domain]
        carried = bound.subs(self.count, self.index + 1) - ratio * at - rest
        signs = {"the ratio is nonnegative": ratio}
        if self.begins_later(at, ratio, under):
            first = bound.subs(self.count, 1) - rest.subs(self.index, 0)
            signs = {"the bound at 1 covers the first rest": first, **signs}
            carried, signs["the ratio is nonnegative"] = (
                form.subs(self.index, self.index + 1) for form in (carried, ratio)
            )
        elif not self.forgets(at, ratio, under):
            covered = bound.subs(self.count, 0) - start.rhs
            signs = {"the bound at 0 covers the start": covered, **signs}
        if not is_zero(carried) and nonnegative(carried, under).verdict is not Verdict.PROVED:
            return Checked(Verdict.UNKNOWN, "the bound does not carry from k to k + 1")
        for name, value in signs.items():
            outcome = nonnegative(sympy.expand(value), under)
            if outcome.verdict is not Verdict.PROVED:
                return Checked(Verdict.UNKNOWN, f"{name}: {outcome.note}")
        return Checked(Verdict.PROVED, f"induction along {self.of}")

    def forgets(self, bound: Scalar, ratio: Scalar, under: Sequence[Relation] = ()) -> bool:
        """Whether the first iteration takes nothing of a(0), and there is one."""
        begins = self.count.is_positive and is_zero(ratio.subs(self.index, 0))
        return bool(begins and not undefined(bound, under) and not undefined(ratio, under))

    def begins_later(self, bound: Scalar, ratio: Scalar, under: Sequence[Relation] = ()) -> bool:
        """Whether the first iteration takes at most nothing of an a(0) that is at least 0."""
        first = ratio.subs(self.index, 0)
        falls = first.is_zero or (first.is_negative and self.sequence(0).is_nonnegative)
        whole = self.count.is_positive and not undefined(ratio, under)
        return bool(whole and falls and not self.forgets(bound, ratio, under))

    def read(self, fact: Relation) -> tuple[Scalar | None, Scalar]:
        """Ratio and rest of a(k + 1) ≤ ratio · a(k) + rest."""
        now, later = self.sequence(self.index), self.sequence(self.index + 1)
        form = sympy.expand(fact.rhs)
        ratio = form.coeff(now)
        known = fact.lhs == later and fact.kind == "<="
        return ratio if known else None, sympy.expand(form - ratio * now)


@dataclass(frozen=True)
class Everywhere:
    """A fact about k at another index: it holds for every k.

    Attributes
    ----------
    of : str
    values : mapping of sympy symbol to expression
        The index, and what takes its place.
    """

    of: str
    values: Mapping[Scalar, Scalar]

    @property
    def uses(self) -> tuple[str, ...]:
        """The fact."""
        return (self.of,)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is the fact at that index."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        declared = set(given.theorem.symbols) | set(given.theorem.scalars)
        if declared & set(self.values):
            return Checked(Verdict.UNKNOWN, "only an index may be replaced")
        for index, value in self.values.items():
            fixed = pinned(index, given)
            if fixed:
                return fixed
            if not (value.is_integer and value.is_nonnegative):
                return Checked(Verdict.UNKNOWN, f"{value} is not shown to be one of 0, 1, 2, …")
        changing = varying(given.facts[self.of], given)
        if changing:
            return changing
        taken = captured(given.facts[self.of].gap, *self.values.values())
        if taken:
            return taken
        fact = given.facts[self.of].replaced(self.values)
        if goal.kind != fact.kind or not is_zero(goal.gap - fact.gap):
            return Checked(Verdict.UNKNOWN, f"not {self.of} at this index")
        return Checked(Verdict.PROVED, f"{self.of} at another index")
