"""The rule that uses another theorem, at other values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from operator import add
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean, with_vectors
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules.series import pinned
from theory.kernel.signs import nonnegative
from theory.kernel.theorem import Checked, Given, Hypothesis, Smooth, Theorem
from theory.kernel.vectors import ZERO, Point, Scalar, Vector, vector
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Cite:
    """Another theorem, with expressions for its symbols and vectors for its vectors.

    Its hypotheses, so replaced, must be among ours or among what is shown; each expression must lie
    in the domain of the symbol it stands for; and the theorem itself must be proved.

    Attributes
    ----------
    id : str
        A theorem that ours lists under `cites`.
    scalars, vectors : mappings
        What takes the place of its symbols and of its vectors.
    domain : tuple of str
        Facts under which an expression lies in its symbol's domain.
    """

    id: str
    scalars: Mapping[Scalar, Scalar] = field(default_factory=dict)
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    domain: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """What bounds the domain; which hypotheses it needs is found out by `check`."""
        return self.domain

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that theorem at these values."""
        cited = self.cited(given.theorem)
        if cited is None:
            return Checked(Verdict.UNKNOWN, f"{self.id} is not listed under cites")
        problem = (
            self._unproved(cited)
            or self._captured(cited, given)
            or self._random(cited)
            or self._meanings(cited, given)
            or self._outside(cited, given)
            or self._lacking(cited, given)
            or self._differs(cited, goal)
        )
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
        return Checked(Verdict.PROVED, f"by {self.id}")

    def cited(self, theorem: Theorem) -> Theorem | None:
        """The theorem that is cited."""
        return next((one for one in theorem.cites if one.id == self.id), None)

    def needed(self, given: Given) -> frozenset[str]:
        """Names of our facts and assumptions that stand for its hypotheses."""
        cited = self.cited(given.theorem)
        if cited is None:
            return frozenset()
        found = (self._name(hypothesis, given) for hypothesis in _used(cited))
        return frozenset(name for name in found if name is not None)

    def _unproved(self, cited: Theorem) -> str:
        from theory.kernel.prove import prove

        verdict = prove(cited).verdict
        return "" if verdict is Verdict.PROVED else f"{self.id} is {verdict.name}"

    def _captured(self, cited: Theorem, given: Given) -> str:
        """Symbols of the cited theorem are replaced, by what its own proof does not range over."""
        known = {*cited.symbols, *cited.scalars, *(point.value for point in cited.points)}
        named = {name for one in _vectors(cited) for name in one.names}
        strange = [str(key) for key in self.scalars if key not in known]
        strange += [name for name in self.vectors if name not in named]
        if strange:
            return f"{min(strange)} is no symbol of {self.id}"
        put = {symbol for value in self.scalars.values() for symbol in _symbols(value)}
        own = _indices(cited)
        if put & own:
            return f"{min(put & own, key=str)} is an index in {self.id}"
        for index in iterations(cited):
            fixed = pinned(index, given)
            if fixed:
                return fixed.note
        return ""

    def _random(self, cited: Theorem) -> str:
        """What is random to a mean of the cited theorem is neither replaced nor put in."""
        put = {symbol.name for value in self.scalars.values() for symbol in _symbols(value)}
        put |= {name for value in self.vectors.values() for name in value.names}
        replaced = {symbol.name for symbol in self.scalars} | set(self.vectors)
        for _, relation in cited.relations:
            for mean in (relation.lhs + relation.rhs).atoms(Mean):
                for name in map(str, mean.args[1]):
                    if name in put | replaced:
                        return f"{name} is random to {mean.args[0]} in {self.id}"
        return ""

    def _meanings(self, cited: Theorem, given: Given) -> str:
        """Sequences mean the same, what follows a point is the same, and points stay points."""
        ours = given.theorem
        stated = [cited.goal, *(h.relation for h in _used(cited) if isinstance(h, Hypothesis))]
        called = {call.func for one in stated for call in one.gap.atoms(AppliedUndef)}
        said = {one: value for one, value in cited.sequences.items() if one in called}
        for sequence, value in said.items():
            moved = with_vectors(value, self.vectors).subs(dict(self.scalars))
            if ours.sequences.get(sequence) != moved:
                return f"{sequence} means something else in {self.id}"
        for now, then in cited.following if said else ():
            if (self._moved(now), self._moved(then)) not in ours.following:
                return f"what follows {now.value} differs from {self.id}"
        for point in cited.points:
            if self._moved(point) not in ours.points:
                return f"{self._moved(point).value} is no such point of this theorem"
        return ""

    def _moved(self, point: Point) -> Point:
        """A point at the values of this citation."""
        values = dict(self.scalars)
        position, gradient = (
            _with_scalars(one.replaced(self.vectors), values)
            for one in (point.position, point.gradient)
        )
        return Point(position, point.value.subs(values), gradient, point.function)

    def _outside(self, cited: Theorem, given: Given) -> str:
        facts = [given.facts[name] for name in self.domain if name in given.facts]
        for symbol, value in self.scalars.items():
            form = sympy.sympify(value)
            if symbol.assumptions0 not in _PLAIN:
                return f"the domain of {symbol} is not one that is checked"
            if not form.is_real:
                return f"{form} is not shown to be real"
            if symbol.is_integer and not form.is_integer:
                return f"{form} is not shown to be an integer, as {symbol} is"
            least = 1 if symbol.is_integer and symbol.is_positive else 0
            if symbol.is_nonnegative:
                strict = bool(symbol.is_positive and not symbol.is_integer)
                outcome = nonnegative(form - least, facts, strict=strict)
                if outcome.verdict is not Verdict.PROVED:
                    return f"{form} is not shown to lie in the domain of {symbol}: {outcome.note}"
        return ""

    def _lacking(self, cited: Theorem, given: Given) -> str:
        absent = [h.name for h in _used(cited) if self._name(h, given) is None]
        return f"{self.id} needs {', '.join(absent)}, not shown here" if absent else ""

    def _name(self, hypothesis: Hypothesis | Smooth, given: Given) -> str | None:
        """Our name of a hypothesis of the cited theorem."""
        if isinstance(hypothesis, Smooth):
            constant = sympy.sympify(hypothesis.constant).subs(dict(self.scalars))
            for own in given.theorem.hypotheses:
                about = isinstance(own, Smooth) and own.function == hypothesis.function
                if isinstance(own, Smooth) and about and is_zero(own.constant - constant):
                    return own.name
            return None
        wanted = _at(hypothesis.relation, self)
        exact = [name for name, fact in given.facts.items() if fact == wanted]
        equal = (
            name
            for name, fact in given.facts.items()
            if fact.kind == wanted.kind and is_zero(fact.gap - wanted.gap)
        )
        trivial = "" if is_zero(wanted.gap) else None
        return exact[0] if exact else next(equal, trivial)

    def _differs(self, cited: Theorem, goal: Relation) -> str:
        found = _at(cited.goal, self)
        same = goal.kind == found.kind and is_zero(goal.gap - found.gap)
        return "" if same else f"{self.id} says {found} at these values"


def _vectors(theorem: Theorem) -> Iterator[Vector]:
    """Everything of a theorem that has vectors' names."""
    yield from theorem.vectors
    for point in theorem.points:
        yield from (point.position, point.gradient)


def iterations(theorem: Theorem) -> frozenset[Scalar]:
    """The indices along which a proof, or one that it cites, goes."""
    rules = [step.rule for step in theorem.steps] + [theorem.conclude]
    own = {vars(rule)["index"] for rule in rules if getattr(rule, "iterates", False)}
    return frozenset(own).union(*(iterations(cited) for cited in theorem.cites))


def _indices(theorem: Theorem) -> set[Scalar]:
    """What a theorem ranges over: indices of iterations and of sums, arguments of sequences."""
    found = set(iterations(theorem))
    for _, relation in theorem.relations:
        found |= {limit[0] for one in relation.gap.atoms(sympy.Sum) for limit in one.limits}
        for call in relation.gap.atoms(AppliedUndef):
            found |= call.free_symbols - set(theorem.symbols)
    return found


def _with_scalars(one: Vector, values: Mapping[Scalar, Scalar]) -> Vector:
    """A vector with expressions for symbols in its coefficients."""
    parts = [vector(name) * factor.subs(values) for name, factor in one.terms]
    return reduce(add, parts, ZERO)


_PLAIN: Final = [
    sympy.Symbol("x", **domain).assumptions0
    for domain in (
        {"real": True},
        {"nonnegative": True},
        {"positive": True},
        {"integer": True},
        {"integer": True, "nonnegative": True},
        {"integer": True, "positive": True},
    )
]
"""Domains of symbols that can be checked of what takes their place."""


def _at(relation: Relation, cite: Cite) -> Relation:
    """A relation at the values of a citation."""
    return _replaced(relation, tuple(cite.scalars.items()), tuple(cite.vectors.items()))


@lru_cache(maxsize=2**14)
def _replaced(
    relation: Relation,
    scalars: tuple[tuple[Scalar, Scalar], ...],
    vectors: tuple[tuple[str, Vector], ...],
) -> Relation:
    return relation.replaced(dict(scalars), dict(vectors))


def _symbols(value: Scalar) -> frozenset[Scalar]:
    return frozenset(sympy.sympify(value).free_symbols)


def _used(cited: Theorem) -> tuple[Hypothesis | Smooth, ...]:
    """The hypotheses that the cited proof needs."""
    from theory.kernel.prove import prove

    used = prove(cited).used
    return tuple(h for h in cited.hypotheses if h.name in used)
