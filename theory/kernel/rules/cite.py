"""The rule that uses another theorem, at other values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.context import drawn, measures, names_in
from theory.kernel.means import Mean
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules.expectation import laws
from theory.kernel.rules.inner_runs import mixed_up
from theory.kernel.rules.ranges import indices, ranging
from theory.kernel.rules.series import pinned
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Assumption, Checked, Delayed, Given, Hypothesis, Smooth, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import Scalar, Vector
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Cite:
    """Another theorem, with expressions for its symbols and vectors for its vectors.

    Its hypotheses, so replaced, must be among ours or among what is shown; each expression must lie
    in the domain of the symbol it stands for; and the theorem itself must be proved. Where its
    proof goes along iterations, what it holds fixed is fixed here too, or its run is another one
    inside each of ours (`theory.kernel.rules.inner_runs`).

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
            or self._drawn(cited, given)
            or self._laws(cited, given)
            or self._meanings(cited, given)
            or mixed_up(self, cited, given.theorem)
            or self._outside(cited, given)
            or self._lacking(cited, given)
            or self._differs(cited, goal)
        )
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
        return Checked(Verdict.PROVED, f"by {self.id}")

    @property
    def at(self) -> Values:
        """What takes the place of symbols and vectors."""
        return Values(self.scalars, self.vectors)

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
        own = indices(cited)
        if self.at.put & own:
            return f"{min(self.at.put & own, key=str)} is an index in {self.id}"
        if own & set(self.scalars):
            index = min(own & set(self.scalars), key=str)
            return f"{self.id} holds for every {index}: it is cited whole, not at one value"
        # Our facts are about every value of the indices over which the cited proof ranges.
        fixed = (pinned(index, given) for index in sorted(ranging(cited), key=str))
        return next((found.note for found in fixed if found), "")

    def _random(self, cited: Theorem) -> str:
        """What is random to a mean of the cited theorem is neither replaced nor put in."""
        put = {str(name) for name in self.at.put}
        replaced = {symbol.name for symbol in self.scalars} | set(self.vectors)
        for _, relation in cited.relations:
            for mean in atoms(relation.lhs, Mean) | atoms(relation.rhs, Mean):
                for name in map(str, mean.args[1]):
                    if name in put | replaced:
                        return f"{name} is random to {mean.args[0]} in {self.id}"
        return ""

    def _drawn(self, cited: Theorem, given: Given) -> str:
        """What the cited proof takes out of a mean is not random to the mean of that name here."""
        ours = {one.name: one.random for one in measures(given.theorem)}
        for mean in measures(cited):
            hidden = ours.get(mean.name, frozenset()) - mean.random
            for _, relation in cited.relations if hidden else ():
                found = names_in(self.at.relation(relation).gap) & hidden
                if found:
                    return f"{min(found)} is random to {mean.name}, and is not in {self.id}"
        return ""

    def _laws(self, cited: Theorem, given: Given) -> str:
        """Sequences of several theorems are means under one law."""
        apart = laws(given.theorem)
        if len(apart) < 2 or not laws(cited):
            return ""
        return f"what is cited here takes means under {' and '.join(sorted(apart))} for one mean"

    def _meanings(self, cited: Theorem, given: Given) -> str:
        """Sequences mean the same, what follows a point is the same, and points stay points."""
        ours = given.theorem
        stated = [cited.goal, *(h.relation for h in _used(cited) if isinstance(h, Hypothesis))]
        called = {call.func for one in stated for call in atoms(one.gap, AppliedUndef)}
        for sequence, value in cited.sequences.items():
            if sequence in called and ours.sequences.get(sequence) != self.at.scalar(value):
                return f"{sequence} means something else in {self.id}"
        for now, then in cited.following if called or ranging(cited) else ():
            if (self.at.point(now), self.at.point(then)) not in ours.following:
                return f"what follows {now.value} differs from {self.id}"
        anew = drawn(ours) if called or ranging(cited) else frozenset()
        for one in cited.points:
            point = self.at.point(one)
            if point not in ours.points:
                return f"{point.value} is no such point of this theorem"
            if point.value.name in anew and one.value.name not in drawn(cited):
                return f"{point.function} is drawn here, and is one function in {self.id}"
        return ""

    def _outside(self, cited: Theorem, given: Given) -> str:
        facts = [given.facts[name] for name in self.domain if name in given.facts]
        for factor in self.at.factors:
            hole = undefined(factor, facts)
            if hole:
                return f"a factor of a vector is not shown to be real: {hole}"
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

    def _name(self, hypothesis: Assumption, given: Given) -> str | None:
        """Our name of a hypothesis of the cited theorem."""
        if isinstance(hypothesis, Smooth):
            constant = self.at.scalar(hypothesis.constant)
            for own in given.theorem.hypotheses:
                about = isinstance(own, Smooth) and own.function == hypothesis.function
                if isinstance(own, Smooth) and about and is_zero(own.constant - constant):
                    return own.name
            return None
        if isinstance(hypothesis, Delayed):
            pair = self.at.point(hypothesis.old), self.at.point(hypothesis.now)
            most = self.at.scalar(hypothesis.constant)
            same = (own for own in given.theorem.hypotheses if isinstance(own, Delayed))
            return next(
                (
                    o.name
                    for o in same
                    if (o.old, o.now) == pair
                    and is_zero(o.constant - most)
                    and (o.exact or not hypothesis.exact)
                ),
                None,
            )
        wanted = self.at.relation(hypothesis.relation)
        exact = [name for name, fact in given.facts.items() if fact == wanted]
        equal = (
            name
            for name, fact in given.facts.items()
            if fact.kind == wanted.kind and is_zero(fact.gap - wanted.gap)
        )
        trivial = "" if is_zero(wanted.gap) else None
        return exact[0] if exact else next(equal, trivial)

    def _differs(self, cited: Theorem, goal: Relation) -> str:
        found = self.at.relation(cited.goal)
        same = goal.kind == found.kind and is_zero(goal.gap - found.gap)
        return "" if same else f"{self.id} says {found} at these values"


def _vectors(theorem: Theorem) -> Iterator[Vector]:
    """Everything of a theorem that has vectors' names."""
    yield from theorem.vectors
    for point in theorem.points:
        yield from (point.position, point.gradient)


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


def _used(cited: Theorem) -> tuple[Assumption, ...]:
    """The hypotheses that the cited proof needs."""
    from theory.kernel.prove import prove

    used = prove(cited).used
    return tuple(h for h in cited.hypotheses if h.name in used)
