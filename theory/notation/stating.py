"""The theorem that a statement makes, with a line of which nobody has written what it gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

import sympy
from sympy import Sum, Symbol
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.elementary import Exp
from theory.kernel.relations import Relation, eq, le
from theory.kernel.rules import Combine, Found, Induction
from theory.kernel.stored import entries_of
from theory.kernel.theorem import Rule, Theorem
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.notation.building import INSIDE, built
from theory.notation.coercion import is_parameters
from theory.notation.decomposition import decomposed
from theory.notation.gains import distances_of, gains, ratios_of, start_of, unweighted
from theory.notation.moving import is_gap
from theory.notation.names import Function
from theory.notation.norms import SQUARED
from theory.notation.plan import Plan, Statement, Written
from theory.notation.potentials import at_most, from_start, in_powers, less, potential_of
from theory.notation.weighed import (
    Part,
    Weighed,
    assumed_parts,
    beginning_with_nothing,
    stored_weights,
    with_moves,
)

LINE: Final = "one iteration"
"""What the line is called."""

WEIGHED: Final[WeakKeyDictionary[Theorem, Sequence[Weighed]]] = WeakKeyDictionary()
"""Of theorems that lack a certificate, lines of which a search may find the weights."""

Longer = tuple[str, Callable[[], Theorem]]
"""The name of a line, and what makes the theorem with it."""

LONGER: Final[WeakKeyDictionary[Theorem, Sequence[Longer]]] = WeakKeyDictionary()
"""Of theorems that lack a certificate, the same with a line, one by one."""

BELOW: Final = "bound below"
"""What a bound of f at x − ∇f(x)/L is called."""


def theorem_of(
    statement: Statement, plan: Plan, functions: Sequence[Function], search: Rule | None
) -> Theorem:
    """The theorem of the kernel.

    Parameters
    ----------
    statement : Statement
    plan : Plan
    functions : sequence of Function
    search : Rule, optional
        By which a line is shown that the statement tells; None where no line is tried.
    """
    if search is None:
        return built(statement, plan, functions)
    lines = _lines(statement.relation, plan)
    start = start_of(statement.relation, plan.index) if lines else None
    signed = [(one, more) for one in lines if (more := _beside(one, start, plan, plan.index))]
    longer = [*_from_nothing(statement, plan, functions, search)]
    for line, more in (*((one, {}) for one in lines), *signed):
        number = len(longer)
        written = _written({**more, named(number): line}, search)
        longer.append((named(number), _with_lines(statement, plan, functions, written)))
    name = named(len(longer))
    sums = _along_a_sum(statement, plan, functions, search, name, statement.relation)
    longer += [(name, make) for make in sums]
    longer += _before_a_line(statement, plan, functions, search, len(longer))
    longer += _lower(statement, plan, functions, search)
    apart = [*_weighed(statement, plan, functions, lines, search)]
    stored = [make for line, make in longer if _is_stored(statement, line)]
    kept = ((one, stored_weights(statement, one.name)) for one in apart)
    stored += [partial(one.with_weights, weights) for one, weights in kept if weights]
    for make in stored:
        with suppress(TheoryError):  # such as a number that is not shown to be defined
            if not _lacks(found := make(), (INSIDE, SQUARED)):
                return found
    made = built(statement, plan, functions)
    if longer and _lacks(made):
        LONGER[made] = longer
        WEIGHED[made] = apart
    return made


def named(number: int) -> str:
    """What the line is called, of several that are tried.

    Examples
    --------
    >>> named(0), named(1)
    ('one iteration', 'one iteration, 2')
    """
    return LINE if number == 0 else f"{LINE}, {number + 1}"


def _lines(goal: Relation, plan: Plan) -> tuple[Relation, ...]:
    """What one iteration gains, if the statement says it all."""
    if plan.index is None:
        return ()
    bounds = {*plan.constants, *plan.lower_bounds}
    said = [one.relation for one in plan.assumed]
    ratios = ratios_of(plan.iterates, plan.moduli, said)
    distances = distances_of(plan.iterates, plan.sequences, plan.index, said)
    return gains(plan.as_sum(goal), plan.index, bounds, said, ratios, distances)


def _beside(line: Relation, start: Relation | None, plan: Plan, k: Scalar) -> dict[str, Relation]:
    """That sums of squares that are left in the end are at least 0; a line without its weights.

    And what the statement says of the start, of any iteration.
    """
    later = {call.func for call in atoms(line.gap, AppliedUndef) if call.args[0] == k + 1}
    here = sorted((f(k) for f in later if atoms(plan.sequences.get(f, k), Gram)), key=str)
    plain = unweighted(line, k)
    apart = less(plain or line, _in_sequences(plan, k), k)
    found = {f"{one} at least 0": le(0, one) for one in here if not one.is_nonnegative}
    found |= {} if start is None else {"as at the start": start}
    found |= {} if apart is None else {"without what is assumed": apart}
    return found if plain is None else {**found, "without weights": plain}


def _in_sequences(plan: Plan, k: Scalar) -> list[Relation]:
    """What is assumed, with the sequences that it is about by their names."""
    said = [one.relation for one in plan.assumed]
    values = {one(k): value for one, value in plan.sequences.items()}
    free = {s for one in (*(r.gap for r in said), *values.values()) for s in one.free_symbols}
    fixed = {one for one in free - plan.varying if "(" not in one.name or is_gap(one)}
    found = []
    for one in said:
        sides = [decomposed(side, values, fixed) for side in (one.lhs, one.rhs)]
        named = None not in sides and not atoms(one.gap, AppliedUndef)
        found.append(Relation(sides[0], one.kind, sides[1]) if named else one)
    return found


def _along_a_sum(
    statement: Statement,
    plan: Plan,
    functions: Sequence[Function],
    search: Rule,
    name: str,
    bound: Relation,
    begins: Scalar | None = None,
) -> Iterator[Callable[[], Theorem]]:
    """The theorem by induction along the sum of the sequences with which a bound starts.

    And of a bound with exp(−cn) for (1 − c)ⁿ, which is less. With `begins`, the sum is shown to be
    at most that at the start.
    """
    goal, k = in_powers(bound), plan.index
    forms = (goal.lhs, goal.rhs, *plan.forms)
    taken = {str(call.func) for form in forms for call in atoms(form, AppliedUndef)}
    taken |= _named(statement, plan).keys()
    meant = {} if k is None else _meanings(plan, goal, taken)
    found = None if k is None else potential_of(goal, meant, taken)
    bound = from_start(goal if found is None else found.bound)
    if k is None or bound == statement.relation or not isinstance(bound.lhs, AppliedUndef):
        return
    sequence = bound.lhs.func
    line = next((one for one in gains(bound, k) if one.lhs == sequence(k + 1)), None)
    if line is None:
        return
    longer, lines = plan.copied(), {name: line}
    if found is not None:
        free = [meant[one] for _, one in found.parts if one not in plan.sequences]
        longer.sequences |= {one: meant[one] for _, one in found.parts} | {sequence: found.value}
        longer.varying |= {*free}
        apart = found.less(line, _in_sequences(plan, k), k)
        lines = {} if apart is None else {f"{name}, without what is assumed": apart}
        lines |= {name: line}
    first, starts = f"{sequence(0)}", list[Written]()
    if begins is not None:
        starts = _written({first: le(sequence(0), begins)}, search)
        bound = le(bound.lhs, bound.rhs.subs(sequence(0), begins))
    elif bound.rhs.has(sequence(0)) or not plan.start_of(sequence(0)):
        starts = [Written(first, eq(sequence(0), sequence(0)), Combine(), "", "ours")]
    else:
        first = plan.start_of(sequence(0))
    bounded = _by_induction(bound, name, plan, first)
    yield _with_lines(statement, longer, functions, [*_written(lines, search), *starts, bounded])


def _by_induction(bound: Relation, line: str, plan: Plan, start: str) -> Written:
    """A bound of a(n), or of a(k), by induction along a line."""
    sequence, count = bound.lhs.func, bound.lhs.args[0]
    under = tuple(one.name for one in plan.assumed if is_parameters(one.relation))
    along = Induction(line, plan.index, count, sequence, start, under)
    return Written(f"{bound.lhs}", bound, along, "", "ours")


def _from_nothing(
    statement: Statement, plan: Plan, functions: Sequence[Function], search: Rule
) -> Iterator[Longer]:
    """Of R(n) ≤ b for n ≤ H, where R begins with 0, an induction with a ratio of 1 + 1/(2H).

    R(k + 1) ≤ q·R(k) + (q − 1)·b gives R(n) ≤ (qⁿ − 1)·b, and qⁿ is at most exp(n/(2H)) ≤ 2. This
    is how far local steps lead: R is the mean of ‖y − x‖², where y is x at first.
    """
    call, most, k = statement.relation.lhs, statement.relation.rhs, plan.index
    if k is None or not isinstance(call, AppliedUndef) or atoms(most, AppliedUndef, Sum):
        return
    sequence, n = call.func, call.args[0]
    start = plan.start_of(sequence(0))
    if statement.relation.kind != "<=" or not start or not n.is_Symbol or n == k:
        return
    gaps = (h.relation.gap for h in plan.assumed if is_parameters(h.relation))
    ends = [gap + n for gap in gaps if gap.coeff(n) == -1 and not most.has(n)]
    for number, end in enumerate(one for one in ends if one.is_positive):
        name, ratio = named(number), 1 + 1 / (2 * end)
        line = le(sequence(k + 1), ratio * sequence(k) + most / (2 * end))
        power = le(ratio**n, Exp(n / (2 * end)))
        bound = _by_induction(le(sequence(k), most * (ratio**k - 1)), name, plan, start)
        lines = _written({name: line, f"{name}, in powers": power}, search)
        yield name, _with_lines(statement, plan, functions, [*lines, bound])


def _named(statement: Statement, plan: Plan) -> dict[str, Scalar]:
    """All numbers that a theorem names."""
    told = (one for *_, values in plan.everywhere for one in values)
    pairs = (*plan.iterates, *plan.spreads)
    vectors = [*plan.equations.values(), *(one for pair in pairs for one in pair)]
    vectors += [one for _, old, now, _ in plan.delays for one in (old, now)]
    forms = [*plan.forms, statement.relation.gap, *(one.constant for one in plan.smooth)]
    forms += [one for one in told if not isinstance(one, Vector)]
    forms += [delay for *_, delay in plan.delays]
    forms += [sympy.sympify(factor) for one in vectors for _, factor in one.terms]
    return {s.name: s for form in forms for s in form.free_symbols}


def _meanings(plan: Plan, goal: Relation, taken: Set[str]) -> dict[Scalar, Scalar]:
    """What sequences are the means of; any sequence of numbers is that of a number that varies."""
    free = {one.func for one in atoms(goal.gap, AppliedUndef)} - plan.sequences.keys()
    names = {one: f"{one}_{plan.index}" for one in sorted(free, key=str)}
    fresh = {one: Symbol(name, **_sign(one)) for one, name in names.items() if name not in taken}
    return {**plan.sequences, **fresh}


def _sign(one: Scalar) -> dict[str, bool]:
    call = one(0)
    signs = ("positive", call.is_positive), ("nonnegative", call.is_nonnegative), ("real", True)
    return {next(name for name, has in signs if has): True}


def _weighed(
    statement: Statement,
    plan: Plan,
    functions: Sequence[Function],
    lines: Sequence[Relation],
    search: Rule,
) -> Iterator[Weighed]:
    """Lines that may have a part of what comes to nothing over all iterations."""
    if not lines:
        return
    k: Scalar = plan.index
    summed, (wider, near) = atoms(statement.relation.lhs, Sum), with_moves(plan, statement.relation)
    named_so = _named(statement, wider)
    beside = beginning_with_nothing(statement.relation, wider)
    beside = tuple(one for one in beside if str(one) not in near)
    known = _in_sequences(plan, k)
    bounds = {one: at_most(one(k + 1), known, k) for one in beside}

    def make(said: Mapping[str, Relation]) -> Theorem:
        return _with_lines(statement, wider, functions, _written(said, search))()

    def along(name: str, now: Scalar, ratio: Scalar, shares: Mapping[str, Scalar]) -> Theorem:
        goal = statement.relation
        more = sympy.Add(*(shares[str(one)] * one(0) for one in beside if str(one) in shares))
        heavier = le(goal.lhs, goal.rhs + ratio ** goal.lhs.args[0] * more)
        made = _along_a_sum(statement, wider, functions, search, name, heavier, now(0))
        potential = next(made, None)
        if potential is None:
            raise TheoryError("no potential is made of these weights", name, "certify again")
        return potential()

    def rising(ratio: Scalar) -> dict[str, Part]:
        return {str(one): Part.rising(one, k, ratio, bounds[one]) for one in beside}

    for one in summed:
        near |= assumed_parts(wider, one.limits)
    for number, line in enumerate(lines if beside or (near and summed) else ()):
        name = f"{named(number)}, with weights"
        if summed:
            yield Weighed(name, line, {**rising(sympy.S.One), **near}, named_so, make)
        elif isinstance(line.lhs, AppliedUndef) and beside:
            now = line.lhs.func
            ratio = sympy.expand(line.rhs).coeff(now(k))
            if line.lhs == now(k + 1) and ratio not in (0, 1) and not ratio.has(k):
                sums = partial(along, name, now, ratio)
                yield Weighed(name, line, rising(ratio), named_so, make, sums)


def _before_a_line(
    statement: Statement, plan: Plan, functions: Sequence[Function], search: Rule, number: int
) -> Iterator[Longer]:
    """The theorem with what one iteration gains of a bound for every n that a line states."""
    for place, written in enumerate(plan.written):
        bound = written.relation
        if type(written.rule) is Found and isinstance(bound.lhs, AppliedUndef):
            for line in _lines(bound, plan):
                longer = plan.copied()
                longer.written[place:place] = _written({named(number): line}, search)
                yield named(number), partial(built, statement, longer, functions)
                number += 1


def _lower(
    statement: Statement, plan: Plan, functions: Sequence[Function], search: Rule
) -> Iterator[Longer]:
    """The theorem with a bound of f said of x − ∇f(x)/L as well, where no sequence is named."""
    least = {
        name: values[-1]
        for name, kind, values in plan.everywhere
        if kind in ("least", "minimum") and not atoms(statement.relation.gap, AppliedUndef)
    }
    curved = {f.name for f, _ in plan.convex}
    for one in plan.smooth:
        for f in (f for f in functions if f.name == one.function and f.name in least):
            bound = least[f.name]
            places = [at for at in f.points.values() if statement.relation.gap.has(at.gradient**2)]
            for at in places if f.name not in curved else ():
                there = at.position - at.gradient / one.constant
                low = f(bound) if isinstance(bound, Vector) else bound
                lines = _written({BELOW: le(low, f(there))}, search)
                yield BELOW, _with_lines(statement, plan, functions, lines)
                return


def _written(lines: Mapping[str, Relation], search: Rule) -> list[Written]:
    return [Written(name, one, search, "", "ours") for name, one in lines.items()]


def _with_lines(
    statement: Statement, plan: Plan, functions: Sequence[Function], lines: Iterable[Written]
) -> Callable[[], Theorem]:
    longer = plan.copied()
    longer.written = [one for one in plan.written if one.relation != statement.relation]
    longer.written += lines
    return partial(built, statement, longer, functions)


def _lacks(theorem: Theorem, beside: Iterable[str] = ()) -> bool:
    """Whether a line, or the statement, has no certificate; lines with these endings need none."""
    steps = [one for one in theorem.steps if not one.name.endswith(tuple(beside))]
    rules = (*(one.rule for one in steps), theorem.conclude)
    return any(type(rule) is Found and rule.problem for rule in rules)


def _is_stored(statement: Statement, line: str) -> bool:
    """Whether the data file beside a claim has certificates of the line."""
    rule = statement.rule
    try:
        return isinstance(rule, Found) and bool(entries_of(rule.path, statement.id, line))
    except TheoryError:  # no data file of certificates, which is said where one is looked for
        return False
