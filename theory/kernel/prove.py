"""`prove`: check a theorem's proof line by line, and see what it really uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import NotExactError, VacuousError
from theory.kernel.atoms import atoms
from theory.kernel.consistency import consistent, require_no_contradiction
from theory.kernel.entailed import entailed, positive
from theory.kernel.means import Mean
from theory.kernel.places import near_roots, placed_at
from theory.kernel.relations import Relation, eq, le, put_in
from theory.kernel.rules import RULES
from theory.kernel.rules.cite import Cite
from theory.kernel.rules.ranges import indices, own_indices, rules_of
from theory.kernel.rules.series import Everywhere
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Checked, Delayed, Given, Hypothesis, Rule, Smooth, Theorem
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.ledger import Step as Line
from theory.smt.queries import remembered
from theory.verdicts import Verdict, weakest

SOME: Final = tuple(map(sympy.Integer, (0, 1, 2, 10**6)))
"""Values of an index at which hypotheses are checked to have a common model; more cannot be."""


JOINT: Final = tuple(map(sympy.Integer, range(8)))
"""Neighbouring values at which hypotheses about sequences must have one common model."""


MANY: Final = sympy.Integer(10) ** 400
"""More iterations than any bound that is not meant to grow."""


SIZE: Final = sympy.Integer(10) ** 50
"""No constant is larger, or if positive smaller than its inverse, where iterations are many."""


@dataclass(frozen=True)
class Proof:
    """What came of a proof.

    Attributes
    ----------
    verdict : Verdict
        PROVED, or UNKNOWN if a line that the statement needs is not shown.
    lines : tuple of theory.ledger.Step
        Every step and the conclusion, with its own verdict.
    used : frozenset of str
        Names of the hypotheses and steps that the statement rests on.
    needs : mapping of str to frozenset of str
        For each step, what its own rule takes.
    """

    verdict: Verdict
    lines: tuple[Line, ...]
    used: frozenset[str]
    needs: Mapping[str, frozenset[str]]


@remembered
def prove(theorem: Theorem) -> Proof:
    """Check every step and the conclusion, and that the hypotheses do not contradict each other.

    A step may use hypotheses and earlier steps that are proved.

    Raises
    ------
    theory.errors.VacuousError
        No values satisfy the hypotheses.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> found = prove(DESCENT)
    >>> found.verdict.name, sorted(found.used)
    ('PROVED', ['near', 'rise', 'slope', 'smooth'])
    """
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    lines, needs = [], {}
    for step in theorem.steps:
        given = Given(theorem, dict(facts))
        checked = _checked(step.rule, step.relation, given)
        needed = _needed(step.rule, given)
        needs[step.name] = needed | _defining((step.relation,), needed, given)
        if checked.verdict is Verdict.PROVED:
            facts[step.name] = step.relation
        says = step.says or str(step.relation)
        lines.append(Line(step.where, says, checked.note, checked.verdict))
    given = Given(theorem, dict(facts))
    concluded = _checked(theorem.conclude, theorem.goal, given, as_printed(theorem))
    lines.append(Line("statement", str(theorem.goal), concluded.note, concluded.verdict))
    needed = _needed(theorem.conclude, given)
    used = closure(needed | _defining(as_printed(theorem), needed, given), needs)
    possible = _possible(theorem)
    if concluded.verdict is Verdict.PROVED:
        taken = (fact for name, fact in facts.items() if name in used)
        said = dict.fromkeys((*taken, theorem.goal))
        require_no_contradiction((*said, *positive(theorem, said)), theorem.id)
        _require_possible_for_all(theorem, (*facts.values(), theorem.goal))
    lines.append(Line("ours", "the hypotheses have a model", possible.note, possible.verdict))
    proof = Proof(weakest((concluded.verdict, possible.verdict)), tuple(lines), used, needs)
    _LINES.update((line.says, line.rule, line.verdict) for line in lines)
    return _MADE.setdefault(id(proof), proof)


_MADE: Final[dict[int, Proof]] = {}
"""The proofs that were made here; they are remembered anyway."""
_LINES: Final[set[tuple[str, str, Verdict]]] = set()
"""Their lines."""


def is_made(proof: Proof) -> bool:
    """Whether a proof is one that `prove` has made: anybody can write down the record of one."""
    return _MADE.get(id(proof)) is proof


def is_line(line: Line) -> bool:
    """Whether a line, without the name of its case before it, is one of a proof made here."""
    ends = (at + 2 for at in range(len(line.says)) if line.says.startswith(": ", at))
    return any((line.says[at:], line.rule, line.verdict) in _LINES for at in (0, *ends))


def as_printed(theorem: Theorem) -> tuple[Scalar, ...]:
    """The sides of a statement before anything is added up: 1/r − 1/r means nothing at r = 0."""
    return (theorem.lhs, *theorem.terms.values())


def _checked(
    rule: Rule, relation: Relation, given: Given, printed: Sequence[Scalar] = ()
) -> Checked:
    """What a rule says; only rules of the kernel are asked."""
    if type(rule) not in RULES:
        return Checked(Verdict.UNKNOWN, f"{type(rule).__name__} is no rule of the kernel")
    checked = rule.check(relation, given)
    if checked.verdict is Verdict.PROVED:
        facts = tuple(given.facts.values())
        problem = next(filter(None, (undefined(part, facts) for part in (relation, *printed))), "")
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
    return checked


def _defining(
    parts: Sequence[Scalar | Relation], used: frozenset[str], given: Given
) -> frozenset[str]:
    """Facts beside those used without which some part would not be defined."""

    def settled(names: Iterable[str]) -> bool:
        facts = [given.facts[name] for name in names if name in given.facts]
        return not any(undefined(part, facts) for part in parts)

    if settled(()) or settled(used):
        return frozenset()
    others = [name for name in given.facts if name not in used]
    for name in list(others):
        fewer = [one for one in others if one != name]
        if settled((*used, *fewer)):
            others = fewer
    return frozenset(others)


def _possible(theorem: Theorem) -> Checked:
    """Whether the hypotheses have a model, at a few values of the indices they hold for."""
    _require_functions(theorem)
    relations = [h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    ranged = {getattr(rule, "index", None) for rule in rules_of(theorem)} | own_indices(theorem)
    named = {symbol for one in relations for symbol in one.gap.free_symbols & ranged}
    together = entailed(theorem, relations)
    if together:
        at_first = dict.fromkeys(named, SOME[1])
        said = (*relations, *together)
        stated = dict.fromkeys((*said, *(one.replaced(at_first) for one in said)))
        require_no_contradiction(tuple(stated), theorem.id)
    start = _at_the_start(theorem, relations, named)
    require_no_contradiction(start, f"{theorem.id}: iteration 0, where nothing is stale yet")
    if not named:
        return consistent(relations, theorem.id)
    # Sequences keep their meaning from index to index, so what is said of them holds jointly.
    varying = {*theorem.scalars, *(point.value for point in theorem.points)}
    still = (one for one in relations if not atoms(one.gap, Gram, Mean))
    pure = [one for one in still if not one.gap.free_symbols & varying]
    some = sorted({*SOME, *near_roots(relations, named), *placed_at(theorem)})
    joint = sorted({*JOINT, *some[:-1]})
    try:
        systems = [_at(relations, named, [at]) for at in some] + [_at(pure, named, joint)]
        systems = [[*system, *positive(theorem, system)] for system in systems]
        for rule in rules_of(theorem):
            if isinstance(rule, Everywhere):
                there = tuple(one.replaced(rule.values) for one in relations)
                require_no_contradiction((*there, *positive(theorem, there)), theorem.id)
    except NotExactError:
        return Checked(Verdict.UNKNOWN, "a hypothesis is not defined at every index")
    found = [consistent(system, theorem.id) for system in systems]
    return min(found, key=lambda checked: checked.verdict)


def _at_the_start(
    theorem: Theorem, relations: Sequence[Relation], named: Iterable[Scalar]
) -> tuple[Relation, ...]:
    """What is assumed of iteration 0, where all that is stale is what it was read from.

    ‖x[k] − x[k − 1]‖² ≥ c > 0 is false there.
    """
    vectors: dict[str, Vector] = {}
    values: dict[Scalar, Scalar] = dict.fromkeys(named, sympy.S.Zero)
    for one in theorem.hypotheses:
        if isinstance(one, Delayed) and [factor for _, factor in one.old.position.terms] == [1]:
            values[one.old.value] = one.now.value
            vectors |= dict.fromkeys(one.old.position.names, one.now.position)
            vectors |= dict.fromkeys(one.old.gradient.names, one.now.gradient)
    if not vectors and not any(atoms(one.gap, sympy.Sum) for one in relations):
        return ()
    meant = [
        eq(call(0), put_in(value, values, vectors)) for call, value in theorem.sequences.items()
    ]
    known = [one for one in meant if not atoms(one.gap, Gram, Mean)]  # as 0 is the mean of ‖x − x̂‖²
    try:
        said = [_placed(one, values, vectors) for one in (*relations, *known)]
    except NotExactError:  # it is not defined there, which is said of its own
        return ()
    return tuple(said)


def _placed(
    one: Relation, values: Mapping[Scalar, Scalar], vectors: Mapping[str, Vector]
) -> Relation:
    """A relation of these values; sums over no iterations are 0."""
    sides = [put_in(side, values, vectors) for side in (one.lhs, one.rhs)]
    sums = {total for side in sides for total in atoms(side, sympy.Sum)}
    none = {s: 0 for s in sums if len(s.limits) == 1 and s.limits[0][2] - s.limits[0][1] == -1}
    return Relation(sides[0].xreplace(none), one.kind, sides[1].xreplace(none))


def _require_functions(theorem: Theorem) -> None:
    """Refuse what is said of every point, and is so of no function: its points alone may do it."""
    flat = {function for function, kind, _ in theorem.everywhere if kind == "steepest"}
    most = {one.function: one.constant for one in theorem.hypotheses if isinstance(one, Smooth)}
    for function, kind, constants in theorem.everywhere:
        if kind == "convex" and function in most:  # none is more strongly convex than smooth
            curvature = [le(one, most[function]) for one in constants]
            require_no_contradiction((*curvature, *conditions(theorem)), theorem.id)
        curved = kind in ("convex", "quasi-convex") and any(
            getattr(one, "is_positive", False) for one in constants
        )
        if curved and function in flat:
            raise VacuousError(
                f"no function that is strongly convex has bounded gradients, so what is said of "
                f"{function} would imply anything",
                theorem.id,
                "bound the gradients at the points of the run, by T.assume",
            )


def _require_possible_for_all(theorem: Theorem, shown: Sequence[Relation]) -> None:
    """Refuse hypotheses from which a proof along iterations reached what cannot be.

    A(k + 1) = A(k) + 1 and 0 ≤ A ≤ W have a model for some iterations, and none for all of them. A
    count that no sequence is said to depend on may be as large as one likes, whatever W is, if
    nothing is said of constants that forbids it.
    """
    ranged = indices(theorem)
    if not ranged:
        return
    plain = [one for one in shown if not atoms(one.gap, Gram, Mean)]
    require_no_contradiction(tuple(dict.fromkeys(plain)), theorem.id)
    said = conditions(theorem)
    assumed = [h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    told = {s for one in assumed if one not in said for s in one.gap.free_symbols}
    counts = {one for one in theorem.symbols if one.is_integer} - told
    sizes = tuple(_sized(one) for one in theorem.symbols if one not in {*counts, *ranged})
    moderate = tuple(one for pair in sizes for one in pair)
    large = dict.fromkeys((*counts, *ranged), MANY)
    starts = {call for one in plain for call in atoms(one.gap, AppliedUndef)}
    first = (call for call in starts if all(at.is_number for at in call.args))
    moderate += tuple(one for call in sorted(first, key=str) for one in _sized(call))
    if not _may_be((*said, *moderate), large):
        free = {s for one in said for s in one.gap.free_symbols}
        large, moderate = dict.fromkeys({*counts, *ranged} - free, MANY), ()
    powers = {power: _unknown(power) for one in plain for power in _raised(one, large)}
    try:
        placed = [Relation(o.lhs.xreplace(powers), o.kind, o.rhs.xreplace(powers)) for o in plain]
        placed = [one.replaced(large) for one in placed]
    except NotExactError:
        return
    safe = {power: name for power, name in powers.items() if _is_base(power.base, said)}
    known = (fact for power, name in safe.items() for fact in _of_power(power, name, large))
    try:
        require_no_contradiction(tuple(dict.fromkeys((*placed, *known, *moderate))), theorem.id)
    except VacuousError as error:
        raise VacuousError(
            "no run is as long as one likes and satisfies the hypotheses, so they would imply "
            "anything",
            theorem.id,
            f"look at {'; '.join(map(str, assumed))}",
        ) from error


def conditions(theorem: Theorem) -> tuple[Relation, ...]:
    """What the hypotheses say of constants alone, so that the numbers of an instance decide it."""
    constants = set(theorem.symbols)
    return tuple(
        one.relation
        for one in theorem.hypotheses
        if isinstance(one, Hypothesis)
        and one.relation.gap.free_symbols <= constants
        and not atoms(one.relation.gap, Gram, Mean, AppliedUndef, sympy.Sum)
    )


def _sized(symbol: Scalar) -> tuple[Relation, ...]:
    """That a constant is of some size."""
    least = 1 / SIZE if symbol.is_positive else -SIZE
    return le(least, symbol), le(symbol, SIZE)


def _may_be(relations: Sequence[Relation], large: Mapping[Scalar, Scalar]) -> bool:
    """Whether relations are seen to have a model with these values."""
    try:
        placed = [one.replaced(large) for one in relations]
        return consistent(placed, "constants").verdict is Verdict.PROVED
    except (NotExactError, VacuousError):
        return False


def _raised(relation: Relation, large: Mapping[Scalar, Scalar]) -> list[Scalar]:
    """Powers whose exponents grow."""
    powers = atoms(relation.lhs, sympy.Pow) | atoms(relation.rhs, sympy.Pow)
    return [power for power in powers if power.exp.free_symbols & large.keys()]


def _unknown(power: Scalar) -> Scalar:
    """A name for a power that is too large to be written out."""
    return sympy.Dummy("power", real=True, nonnegative=power.is_nonnegative or None)


def _is_base(base: Scalar, said: Sequence[Relation]) -> bool:
    return nonnegative(base, said).verdict is Verdict.PROVED


def _of_power(power: Scalar, name: Scalar, large: Mapping[Scalar, Scalar]) -> Iterator[Relation]:
    """What Bernoulli's inequality says of it: b^n ≥ 1 + n(b − 1), and b^n (1 + n(1 − b)) ≤ 1."""
    base, count = power.base.xreplace(large), power.exp.xreplace(large)
    if count.is_Integer and count > 0:
        yield le(1 + count * (base - 1), name)
        yield le(name * (1 + count * (1 - base)), 1)


def _at(relations: list[Relation], named: set[Scalar], values: Sequence[Scalar]) -> list[Relation]:
    """The relations at values of their indices, each once."""
    placed = [one.replaced(dict.fromkeys(named, at)) for one in relations for at in values]
    return list(dict.fromkeys(placed))


def _needed(rule: Rule, given: Given) -> frozenset[str]:
    names = frozenset(rule.uses)
    return names | rule.needed(given) if isinstance(rule, Cite) else names


def closure(first: frozenset[str], uses: dict[str, frozenset[str]]) -> frozenset[str]:
    """Everything that is used, directly or by a step that is."""
    found: set[str] = set()
    waiting = set(first)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= uses.get(name, frozenset()) - found
    return frozenset(found - {""})
