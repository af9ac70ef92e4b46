"""The theorem that a statement makes, with a line of which nobody has written what it gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation, le
from theory.kernel.rules import Found
from theory.kernel.stored import entries_of
from theory.kernel.theorem import Rule, Theorem
from theory.kernel.vectors import Gram, Scalar
from theory.notation.building import INSIDE, built
from theory.notation.gains import distances_of, gains, ratios_of, start_of, unweighted
from theory.notation.names import Function
from theory.notation.norms import SQUARED
from theory.notation.plan import Plan, Statement, Written

LINE: Final = "one iteration"
"""What the line is called."""

LONGER: Final[WeakKeyDictionary[Theorem, Sequence[Callable[[], Theorem]]]] = WeakKeyDictionary()
"""Of theorems that lack a certificate, what makes the same theorem with a line, one by one."""


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
    longer = [
        _with_lines(statement, plan, functions, search, {**more, named(number): line})
        for number, (line, more) in enumerate([*((one, {}) for one in lines), *signed])
    ]
    for number, make in enumerate(longer):
        if _is_stored(statement, named(number)):
            with suppress(TheoryError):  # such as a number that is not shown to be defined
                if not _lacks(found := make(), (INSIDE, SQUARED)):
                    return found
    made = built(statement, plan, functions)
    if longer and _lacks(made):
        LONGER[made] = longer
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
    distances = distances_of(plan.iterates, plan.sequences, plan.index)
    return gains(plan.as_sum(goal), plan.index, bounds, said, ratios, distances)


def _beside(line: Relation, start: Relation | None, plan: Plan, k: Scalar) -> dict[str, Relation]:
    """That sums of squares that are left in the end are at least 0; a line without its weights.

    And what the statement says of the start, of any iteration.
    """
    later = {call.func for call in atoms(line.gap, AppliedUndef) if call.args[0] == k + 1}
    here = sorted((f(k) for f in later if atoms(plan.sequences.get(f, k), Gram)), key=str)
    plain = unweighted(line, k)
    found = {f"{one} at least 0": le(0, one) for one in here if not one.is_nonnegative}
    found |= {} if start is None else {"as at the start": start}
    return found if plain is None else {**found, "without weights": plain}


def _with_lines(
    statement: Statement,
    plan: Plan,
    functions: Sequence[Function],
    search: Rule,
    lines: Mapping[str, Relation],
) -> Callable[[], Theorem]:
    longer = plan.copied()
    longer.written = [one for one in plan.written if one.relation != statement.relation]
    longer.written += [Written(name, one, search, "", "ours") for name, one in lines.items()]
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
