"""What the rules of a proof let run, and what they hold fixed meanwhile.

A theorem may be used in every iteration of a run, and its own proof may go along a run as well. The
two are one and the same run if all that the proof holds fixed is constant where it is cited. Else
the proof goes along a run *inside* each iteration, and nothing of that one may be taken for
something of the outer run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.means import Mean
from theory.kernel.rules.series import Everywhere
from theory.kernel.rules.unrolling import Unroll
from theory.kernel.theorem import Delayed, Hypothesis, Rule, Theorem
from theory.kernel.values import Values, named
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector


@dataclass(frozen=True)
class Run:
    """What a proof lets run.

    Attributes
    ----------
    indices : frozenset of sympy symbols
    held : frozenset of expressions and Vectors
        What its premises say of all iterations at once.
    functions : frozenset of sympy functions
        Sequences that go along.
    names : frozenset of sympy symbols and str
        Quantities and vectors that go along.
    looks_back : bool
        Whether points of it are stale ones: what is said of one iteration is about others then.
    """

    indices: frozenset[Scalar]
    held: frozenset[Scalar | Vector]
    functions: frozenset[Scalar]
    names: frozenset[Scalar | str]
    looks_back: bool = False

    def at(self, values: Values) -> Run:
        """The run as a citation at these values sees it."""
        held = (
            values.vector(one) if isinstance(one, Vector) else values.scalar(one)
            for one in self.held
        )
        put: set[Scalar | str] = set()
        for name in self.names:
            if isinstance(name, str):
                put |= named(values.vectors.get(name, vector(name)))
            else:
                put |= named(values.scalars.get(name, name))
        return replace(self, held=frozenset(held), names=frozenset(put))

    def moving(self, theorem: Theorem) -> Scalar | Vector | None:
        """Something that is held fixed and need not be in this theorem, if any."""
        strange = (one for one in self.held if not is_constant(one, theorem))
        return min(strange, key=str, default=None)


def is_constant(one: Scalar | Vector, theorem: Theorem) -> bool:
    """Whether something is the same in every iteration of a theorem: of constants alone."""
    if isinstance(one, Vector):
        fixed = {name for each in theorem.fixed for name in each.names}
        return one.names <= fixed and all(is_constant(form, theorem) for _, form in one.terms)
    form = sympy.sympify(one)
    constants = set(theorem.symbols) - own_indices(theorem)
    return not atoms(form, Gram, Mean, AppliedUndef) and form.free_symbols <= constants


def rules_of(theorem: Theorem) -> Iterator[Rule]:
    """The rules of a proof, in order."""
    yield from (step.rule for step in theorem.steps)
    yield theorem.conclude


def lets_run(rule: Rule) -> frozenset[Scalar]:
    """The indices over which a rule ranges: what it says holds at each of their values."""
    found = {vars(rule)["index"]} if getattr(rule, "iterates", False) else set()
    if isinstance(rule, Unroll):
        found |= {rule.other}
    if isinstance(rule, Everywhere):
        found |= set(rule.values)
    return frozenset(found)


def own_indices(theorem: Theorem) -> frozenset[Scalar]:
    """The indices over which a proof itself ranges."""
    return frozenset[Scalar]().union(*map(lets_run, rules_of(theorem)))


@lru_cache(maxsize=2**12)
def runs(theorem: Theorem) -> tuple[Run, ...]:
    """What a proof, and those that it cites, let run."""
    from theory.kernel.rules.cite import Cite

    own = [_own_run(theorem)] if own_indices(theorem) else []
    cites = (rule for rule in rules_of(theorem) if isinstance(rule, Cite))
    nested = ((cite, cite.cited(theorem)) for cite in cites)
    return (
        *own,
        *(run.at(cite.at) for cite, cited in nested if cited is not None for run in runs(cited)),
    )


def _own_run(theorem: Theorem) -> Run:
    along = {name for value in theorem.sequences.values() for name in named(value)}
    for pair in theorem.following:
        for one in pair:
            along |= _named_at(one)
    fixed = {name for one in theorem.fixed for name in one.names}
    return Run(
        own_indices(theorem),
        _held(theorem, along),
        functions(theorem),
        frozenset(along - {*theorem.symbols, *fixed}),
        any(isinstance(one, Delayed) for one in theorem.hypotheses),
    )


def _held(theorem: Theorem, along: set[Scalar | str]) -> frozenset[Scalar | Vector]:
    """The constants of its premises: what is in no premise may be anything, and so each in turn."""
    said = set(along)
    for hypothesis in theorem.hypotheses:
        if isinstance(hypothesis, Hypothesis):
            said |= named(hypothesis.relation.gap)
        else:
            said |= named(hypothesis.constant)
    for one in theorem.points:
        said |= _named_at(one)
    constants = (set(theorem.symbols) - own_indices(theorem)) & said
    return frozenset(constants | {one for one in theorem.fixed if one.names & said})


def _named_at(one: Point) -> set[Scalar | str]:
    return named(one.value) | named(one.position) | named(one.gradient)


def functions(theorem: Theorem) -> frozenset[Scalar]:
    """The sequences that a theorem calls."""
    gaps = (relation.gap for _, relation in theorem.relations)
    return frozenset(call.func for gap in gaps for call in atoms(gap, AppliedUndef))


def indices(theorem: Theorem) -> frozenset[Scalar]:
    """What a theorem ranges over: its proof, its sums, and the arguments of its sequences."""
    found = set(ranging(theorem))
    for _, relation in theorem.relations:
        found |= {limit[0] for one in atoms(relation.gap, sympy.Sum) for limit in one.limits}
        for call in atoms(relation.gap, AppliedUndef):
            found |= call.free_symbols - set(theorem.symbols)
    return frozenset(found)


def ranging(theorem: Theorem) -> frozenset[Scalar]:
    """The indices over which a proof ranges, or one that it cites."""
    return frozenset[Scalar]().union(*(run.indices for run in runs(theorem)))
