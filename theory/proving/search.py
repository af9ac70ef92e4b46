"""`search`: a certificate for a relation from facts, or why none was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from time import process_time
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean, Operator
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, le
from theory.kernel.rules.algebra import Combine
from theory.kernel.stored import names_of, vector_from
from theory.kernel.theorem import Given, Step, Theorem
from theory.kernel.vectors import Gram, Scalar
from theory.kernel.vectors import squared as length_of
from theory.notation.building import operator_of
from theory.notation.names import plainly
from theory.notation.norms import norm
from theory.notation.offers import squared
from theory.proving.basis import basis
from theory.proving.blocks import Averaged
from theory.proving.boundary import at_boundaries, from_boundaries
from theory.proving.linear import linear, varied
from theory.proving.problem import stated
from theory.proving.radicals import NAME, radical
from theory.proving.squares import with_squares
from theory.proving.storing import terms
from theory.verdicts import Verdict

NONE = "no multipliers"
"""Begins what is said where none exist at a point."""

PATIENCE = 40
"""Seconds of the processor for one certificate."""

LONGEST = 160
"""Characters of a reason: one that spells out all inner products says nothing."""

MOST_SORTS = 3
"""Sorts of reasons: more of them are not read."""


@dataclass(frozen=True)
class Searched:
    """What came of a search.

    Attributes
    ----------
    combine : Combine, optional
        A certificate that the kernel has accepted.
    why : str
        Otherwise, what stood in the way.
    steps : tuple of Step
        Squares of which it uses a mean.
    """

    combine: Combine | None
    why: str = ""
    steps: tuple[Step, ...] = ()


def search(theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]) -> Searched:
    """Look for a certificate of a relation.

    Parameters
    ----------
    theorem : Theorem
        Its constants and vectors are those that the relation is about.
    goal : Relation
    facts : mapping of str to Relation
        What may be used.

    Examples
    --------
    >>> from theory.kernel.lemmas import JENSEN
    >>> facts = {step.name: step.relation for step in JENSEN.steps}
    """
    facts = related(goal, facts, theorem)
    gaps = [goal.gap, *(fact.gap for fact in facts.values())]
    means = {one.args[:2]: operator_of(one) for gap in gaps for one in gap.atoms(Mean)}
    names = {str(one): one for one in theorem.symbols} | names_of((goal, *facts.values()))
    whys, until = [], process_time() + PATIENCE
    for candidate in _in_floats(_in_a_basis(theorem, goal, facts)):
        if process_time() > until:
            whys.append(f"the search was given up after {PATIENCE} s")
            break
        if isinstance(candidate, str):
            whys.append(candidate)
            continue
        candidate, steps = _spelled(candidate, means, names)
        more = {one.name: one.relation for one in steps}
        checked = candidate.check(goal, Given(theorem, {**facts, **more}))
        if checked.verdict is Verdict.PROVED:
            return Searched(candidate, steps=steps)
        whys.append(checked.note)
    return Searched(None, "; ".join(_told(whys)) or "nothing to search with")


def _in_floats(candidates: Iterator[Combine | str]) -> Iterator[Combine | str]:
    """Candidates as long as floats hold all numbers."""
    try:
        yield from candidates
    except OverflowError:
        yield "a number is met that is too large for the search"


def related(goal: Relation, facts: Mapping[str, Relation], theorem: Theorem) -> dict[str, Relation]:
    """Facts that have more than constants in common with the goal, or with such a fact."""

    def names(said: Relation) -> set[Any]:
        found: set[Any] = said.gap.atoms(AppliedUndef) | (said.gap.free_symbols - constants)
        return found.union(*(entry.names for entry in said.gap.atoms(Gram)))  # squares mix them

    constants = {*theorem.symbols, *theorem.indices}
    waiting, reached = {name: names(fact) for name, fact in facts.items()}, names(goal)
    kept = {name for name, found in waiting.items() if not found}
    while near := {n for n in waiting.keys() - kept if waiting[n] & reached}:
        kept |= near
        reached = reached.union(*(waiting[name] for name in near))
    return {name: fact for name, fact in facts.items() if name in kept}


def _spelled(
    found: Combine, means: Mapping[Any, Operator], names: Mapping[str, Scalar]
) -> tuple[Combine, tuple[Step, ...]]:
    """Means of squares as facts, with the steps that show them, as their data file gives them."""
    facts, steps, plain = dict(found.facts), list[Step](), list[Any]()
    for coefficient, one in found.squares:
        if not isinstance(one, Averaged):
            plain.append((coefficient, one))
            continue
        read = plainly(one)
        with suppress(ValueError):  # a name of two things, which no data file can tell apart
            read = vector_from(terms(read), names)  # (a − 1)/2 is read as a/2 − 1/2
        made = [*squared(read, [means[under] for under in one.under])]
        if made[-1] is made[0]:  # nothing in it is random: its mean is the square itself
            plain.append((coefficient, plainly(one)))
            continue
        steps += made
        facts[made[-1].name] = facts.get(made[-1].name, 0) + coefficient
    return replace(found, facts=facts, squares=tuple(plain)), tuple(steps)


def _told(whys: list[str]) -> list[str]:
    """Reasons, each sort once: the first field is the richest, and its points lie in the domain.

    Examples
    --------
    >>> _told(["no multipliers at a = 1", "no multipliers and squares at a = 1", "no multipliers"])
    ['no multipliers and squares at a = 1']
    """
    sorts: dict[str, str] = {}
    telling = [why for why in whys if not why.startswith("-1 >= 0 ")]  # a sign wrong throughout
    for why in telling or whys:
        sorts.setdefault(why.partition(" at ")[0].partition(" of ")[0], why)
    if "no multipliers and squares" in sorts:  # which says more
        sorts.pop("no multipliers", None)
    first = [*sorts.values()][:MOST_SORTS]
    return [why if len(why) < LONGEST else f"{why[:LONGEST]}…" for why in first]


def _in_a_basis(
    theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Combine | str]:
    """Candidates, and first those in vectors of which norms are named, or with roots as one."""
    one_root = radical((goal, *facts.values()))
    if one_root is not None:
        named = {name: one_root.relation(fact) for name, fact in facts.items()}
        named[NAME] = one_root.equation
        wider = replace(theorem, symbols=(*theorem.symbols, one_root.root))
        for one in _in_a_basis(wider, one_root.relation(goal), named):
            yield one_root.told(one) if isinstance(one, str) else one_root.certificate(one)
        return
    better = basis((goal, *facts.values()))
    if better is not None:
        there = {name: better.relation(fact) for name, fact in facts.items()}
        for one in _candidates(theorem, better.relation(goal), there):
            yield one if isinstance(one, str) else better.certificate(one)
    yield from _candidates(theorem, goal, facts)


def _candidates(
    theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Combine | str]:
    if is_zero(goal.gap):
        yield Combine()
    settled = True
    for problem in stated(theorem.symbols, goal, facts):
        for one in chain(linear(problem), with_squares(problem), varied(problem)):
            settled = settled and isinstance(one, str) and one.startswith(NONE)
            yield one
    if not settled:  # where some exist at every point that was looked at
        yield from from_boundaries(theorem, goal, facts)
    yield from at_boundaries(theorem, goal, facts)
    yield from _by_a_norm(theorem, goal, facts)
    plain = {name: fact for name, fact in facts.items() if not _multiplies_roots(fact)}
    if len(plain) < len(facts):  # norms are then no coefficients, of which points are rare
        for problem in stated(theorem.symbols, goal, plain):
            found = chain(linear(problem), with_squares(problem))
            yield from (one for one in found if not isinstance(one, str))
    few = {name: fact for name, fact in facts.items() if not fact.gap.atoms(sympy.Function)}
    if len(few) < len(facts):  # many facts may hide that the goal is a square by itself
        for problem in stated(theorem.symbols, goal, few):
            yield from (one for one in with_squares(problem) if not isinstance(one, str))


def _multiplies_roots(fact: Relation) -> bool:
    """Whether a term is a product of roots of two things."""
    products = (sympy.Mul.make_args(term) for term in sympy.Add.make_args(fact.gap.expand()))
    return any(sum(one.is_Pow and one.exp == sympy.S.Half for one in each) > 1 for each in products)


def _by_a_norm(
    theorem: Theorem, goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Combine | str]:
    """For ‖v‖² ≤ b², certificates of ‖v‖² ≤ b‖v‖: b² − ‖v‖² is (b − ‖v‖)² and twice b‖v‖ − ‖v‖²."""
    length = length_of(goal.lhs) if goal.kind == "<=" else None
    if length is None or not any(fact.gap.has(norm(length[1])) for fact in facts.values()):
        return
    size, bound = (sympy.sqrt(sympy.factor(one)) for one in (length[0], goal.rhs))
    size *= norm(length[1])
    if bound.has(sympy.Abs):  # it is no square at a glance
        return
    for problem in stated(theorem.symbols, le(goal.lhs, bound * size), facts):
        for one in chain(linear(problem), varied(problem)):
            if isinstance(one, Combine):
                twice = {name: 2 * multiplier for name, multiplier in one.facts.items()}
                last = (sympy.S.One, bound - size)
                yield Combine(twice, (last,), tuple(2 * more for more in one.plus), one.domain)
