"""What a theorem quantifies over: constants, quantities of an iteration and an outcome, means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.context import Measure, measures
from theory.kernel.means import Mean, is_average
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite, Total
from theory.kernel.rules.inner_runs import inner_runs
from theory.kernel.rules.ranges import own_indices, rules_of, runs
from theory.kernel.theorem import Delayed, Hypothesis, Smooth, Step, Theorem
from theory.kernel.values import named
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.rocq.text import UnsupportedError


@cache
def slim(theorem: Theorem) -> Slim:
    """The steps that a proof needs, and the names of the assumptions."""
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    facts |= {step.name: step.relation for step in theorem.steps}
    rules = {step.name: step.rule for step in theorem.steps}
    waiting = [*_needs(theorem.conclude, theorem)]
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name and name not in used:
            used.add(name)
            if name in rules:
                waiting += _needs(rules[name], theorem)
    steps = tuple(step for step in theorem.steps if step.name in used)
    return Slim(steps, frozenset(used - set(rules)))


@dataclass(frozen=True)
class Slim:
    """Steps in order, and names of assumptions, that a statement rests on."""

    steps: tuple[Step, ...]
    assumed: frozenset[str]


def _needs(rule: Any, theorem: Theorem) -> list[str]:
    found = list(rule.uses)
    if isinstance(rule, Cite):
        cited = cited_by(rule, theorem)
        found += [
            standing(rule, h, theorem) for h in cited.hypotheses if h.name in slim(cited).assumed
        ]
    return found


def cited_by(rule: Cite, theorem: Theorem) -> Theorem:
    """The theorem that is cited."""
    found = rule.cited(theorem)
    if found is None:
        raise UnsupportedError(f"{rule.id} is not listed under cites")
    return found


def standing(rule: Cite, hypothesis: Any, theorem: Theorem) -> str:
    """Our name of what a cited theorem assumes; ``""`` for what holds of itself."""
    at = rule.at
    if isinstance(hypothesis, Hypothesis):
        wanted = at.relation(hypothesis.relation)
        facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
        facts |= {step.name: step.relation for step in theorem.steps}
        same = [n for n, fact in facts.items() if fact == wanted]
        near = (
            n for n, f in facts.items() if f.kind == wanted.kind and is_zero(f.gap - wanted.gap)
        )
        found = same[0] if same else next(near, "" if is_zero(wanted.gap) else None)
    elif isinstance(hypothesis, Smooth):
        size = at.scalar(hypothesis.constant)
        own = (h for h in theorem.hypotheses if isinstance(h, Smooth))
        found = next(
            (
                h.name
                for h in own
                if h.function == hypothesis.function and is_zero(h.constant - size)
            ),
            None,
        )
    else:
        pair = at.point(hypothesis.old), at.point(hypothesis.now)
        late = (h for h in theorem.hypotheses if isinstance(h, Delayed))
        found = next((h.name for h in late if (h.old, h.now) == pair), None)
    if found is None:
        raise UnsupportedError(f"{rule.id} needs {hypothesis.name}")
    return found


@dataclass(frozen=True, eq=False)
class Inner:
    """A run inside each iteration, from a proof that is cited.

    Attributes
    ----------
    index : sympy symbol
        What counts in it.
    own : frozenset of str
        Quantities and vectors that go along.
    functions : frozenset of sympy functions
        Sequences that go along.
    held : frozenset of str
        Vectors that are fixed while it goes, and may be others in each iteration.
    hypotheses : tuple of Hypothesis
        What is said of it.
    """

    index: Scalar
    own: frozenset[str]
    functions: frozenset[Any]
    held: frozenset[str]
    hypotheses: tuple[Hypothesis, ...]

    def about(self, one: Relation) -> bool:
        """Whether a relation names something that goes along."""
        calls = {call.func for call in _atoms(one, AppliedUndef)}
        return bool(self.functions & calls or self.raw(one.lhs) or self.raw(one.rhs))

    def raw(self, form: Scalar) -> bool:
        """Whether an expression is about one iteration of this run."""
        return bool(self.own & set(map(str, named(form))))


@dataclass(frozen=True, eq=False)
class Shape:
    """A theorem as something to be written.

    Attributes
    ----------
    theorem : Theorem
    """

    theorem: Theorem

    @cached_property
    def hyper(self) -> frozenset[Scalar]:
        """Indices for each value of which hypotheses are assumed, and steps shown."""
        inside = inner_runs(self.theorem)
        outside = (run.indices for run in runs(self.theorem) if run not in inside)
        return frozenset[Scalar]().union(*outside)

    @cached_property
    def inner(self) -> Inner | None:
        """The run inside an iteration, if there is one."""
        found = inner_runs(self.theorem)
        if not found:
            return None
        if len(found) > 1 or len(found[0].indices) > 1 or found[0].looks_back:
            raise UnsupportedError("more than one run inside an iteration")
        run, (index,) = found[0], found[0].indices
        held = frozenset(n for one in run.held if isinstance(one, Vector) for n in one.names)
        inner = Inner(index, frozenset(map(str, run.names)), run.functions, held, ())
        told = [h for h in self.theorem.hypotheses if isinstance(h, Hypothesis)]
        inner = replace(inner, hypotheses=tuple(h for h in told if inner.about(h.relation)))
        said = [step.relation for step in slim(self.theorem).steps] + [self.theorem.goal]
        said += [h.relation for h in inner.hypotheses if _has_mean(h.relation)]
        if any(inner.about(one) for one in said):
            raise UnsupportedError("something of a run inside an iteration is used outside of it")
        return inner

    @cached_property
    def run_of(self) -> frozenset[str]:
        """Theorems that are cited for a run inside an iteration: their own run is that one."""
        index = {self.inner.index} if self.inner is not None else set()
        return frozenset(one.id for one in self.theorem.cites if own_indices(one) & index)

    @cached_property
    def iteration(self) -> Scalar | None:
        """What counts iterations, or None."""
        own = [vars(r)["index"] for r in rules_of(self.theorem) if getattr(r, "iterates", False)]
        if own:
            return own[0]
        return min(self.hyper, key=str, default=None)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """Its means."""
        return measures(self.theorem)

    @cached_property
    def averages(self) -> frozenset[str]:
        """Names of means over finitely many indices."""
        means = (m for one in self.relations for m in one.gap.atoms(Mean))
        return frozenset(str(m.args[0]) for m in means if is_average(m))

    @cached_property
    def law(self) -> bool:
        """Whether everything has an expectation."""
        if any(isinstance(rule, Total) for rule in rules_of(self.theorem)):
            return True
        return any(shape_of(one).law for one in self._cited) or bool(self.meant)

    @property
    def _cited(self) -> list[Theorem]:
        """What is cited, but for runs inside an iteration."""
        return [one for one in self.theorem.cites if one.id not in self.run_of]

    @cached_property
    def random(self) -> bool:
        """Whether there are outcomes."""
        return bool(self.measures) or self.law or any(shape_of(c).random for c in self._cited)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """What is said: hypotheses, the steps that count, and the statement."""
        told = [h.relation for h in self.theorem.hypotheses if isinstance(h, Hypothesis)]
        return (*told, *(step.relation for step in slim(self.theorem).steps), self.theorem.goal)

    @cached_property
    def calls(self) -> dict[str, Any]:
        """A call of every sequence, by name."""
        inside = self.inner.functions if self.inner is not None else ()
        found = (c for one in self.relations for c in _atoms(one, AppliedUndef))
        found = (call for call in found if call.func not in inside)
        return {call.func.__name__: call for call in sorted(found, key=str)}

    @cached_property
    def meant(self) -> dict[str, Scalar]:
        """What sequences are the means of."""
        if self.iteration is None:
            return {}
        values = {f.__name__: value for f, value in self.theorem.sequences.items()}
        return {name: values[name] for name in self.calls if name in values}

    @cached_property
    def internal(self) -> tuple[str, ...]:
        """Sequences with a meaning that only the proof names."""
        told = [h.relation for h in self.theorem.hypotheses if isinstance(h, Hypothesis)]
        said = {
            c.func.__name__ for r in (*told, self.theorem.goal) for c in _atoms(r, AppliedUndef)
        }
        return tuple(name for name in self.meant if name not in said)

    @cached_property
    def constants(self) -> tuple[Scalar, ...]:
        """Symbols that are one number."""
        named = {s for one in self.relations for s in one.gap.free_symbols | one.lhs.free_symbols}
        named |= {
            s
            for h in self.theorem.hypotheses
            if not isinstance(h, Hypothesis)
            for s in sympy.sympify(h.constant).free_symbols
        }
        for one in self.theorem.points:
            named |= {
                s for _, factor in one.position.terms for s in sympy.sympify(factor).free_symbols
            }
        for value in self.meant.values():
            named |= value.free_symbols
        known = set(self.theorem.symbols)
        return tuple(sorted((s for s in named if s in known), key=str))

    @cached_property
    def free(self) -> tuple[Scalar, ...]:
        """Indices that are one number in the whole theorem."""
        named = {s for one in self.relations for s in one.gap.free_symbols}
        known = {*self.constants, *self.quantities} | self.hyper
        if self.inner is not None:
            known |= {self.inner.index, *(s for s in named if s.name in self.inner.own)}
        return tuple(sorted(named - known, key=str))

    @property
    def _aside(self) -> frozenset[str]:
        """Names that are bound in a run inside an iteration."""
        return self.inner.own if self.inner is not None else frozenset()

    @cached_property
    def quantities(self) -> tuple[Scalar, ...]:
        """Numbers that depend on the iteration and the outcome."""
        symbols = {*self.theorem.scalars, *(one.value for one in self.theorem.points)}
        own = (s for s in symbols - set(self.theorem.symbols) if s.name not in self._aside)
        return tuple(sorted(own, key=str))

    @cached_property
    def vectors(self) -> tuple[str, ...]:
        """All names of vectors."""
        named = {name for one in self.theorem.vectors for name in one.names}
        for one in self.theorem.points:
            named |= one.position.names | one.gradient.names
        return tuple(sorted(named - self._aside))

    @cached_property
    def fixed(self) -> frozenset[str]:
        """Vectors that are the same everywhere; without iterations, their means know them."""
        if self.iteration is None:
            return frozenset()
        fixed = frozenset(name for one in self.theorem.fixed for name in one.names)
        return fixed - self.inner.held if self.inner is not None else fixed

    @cached_property
    def varying(self) -> frozenset[str]:
        """Names of what depends on the iteration and the outcome."""
        found = {s.name for s in self.quantities} | (set(self.vectors) - self.fixed)
        return frozenset(found)

    def renamed(self, indices: set[Scalar]) -> dict[Scalar, Scalar]:
        """Under which name a fact about quantities of an iteration counts iterations.

        What runs along an index of its own in a proof that is cited runs along ours: there is one
        iteration that such a fact is about.
        """
        if self.iteration is None or not indices or self.iteration in indices:
            return {}
        if len(indices) > 1:
            raise UnsupportedError(f"a quantity that {' and '.join(map(str, indices))} may count")
        return {next(iter(indices)): self.iteration}

    def raw(self, form: Scalar) -> bool:
        """Whether an expression is about one iteration and outcome."""
        if form.atoms(Mean) or {s.name for s in form.free_symbols} & self.varying:
            return True
        return any(n in self.varying for g in form.atoms(Gram) for n in g.names)


@cache
def shape_of(theorem: Theorem) -> Shape:
    """The shape of a theorem."""
    return Shape(theorem)


def _has_mean(one: Relation) -> bool:
    return bool(one.lhs.atoms(Mean) | one.rhs.atoms(Mean))


def _atoms(one: Relation, kind: Any) -> Iterator[Any]:
    yield from one.lhs.atoms(kind) | one.rhs.atoms(kind)
