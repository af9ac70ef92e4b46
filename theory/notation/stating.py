"""The theorem that a statement makes, with a line of which nobody has written what it gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

from theory.errors import TheoryError
from theory.kernel.relations import Relation
from theory.kernel.rules import Found
from theory.kernel.stored import entries_of
from theory.kernel.theorem import Rule, Theorem
from theory.notation.building import INSIDE, built
from theory.notation.gains import distances_of, gains, ratios_of
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
    longer = [
        _with_line(statement, plan, functions, Written(named(number), line, search, "", "ours"))
        for number, line in enumerate(_lines(statement.relation, plan))
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
    ratios = ratios_of(plan.iterates, plan.moduli, plan.index)
    distances = distances_of(plan.iterates, plan.sequences, plan.index)
    return gains(plan.as_sum(goal), plan.index, bounds, said, ratios, distances)


def _with_line(
    statement: Statement, plan: Plan, functions: Sequence[Function], line: Written
) -> Callable[[], Theorem]:
    longer = plan.copied()
    longer.written = [one for one in plan.written if one.relation != statement.relation]
    longer.written.append(line)
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
