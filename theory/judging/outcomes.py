"""Decided queries as grounds and as lines of a proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from theory.account import Decision, Line
from theory.smt.solver import Outcome, Statement, decide, merge
from theory.verdicts import Verdict


def in_turn(statements: Iterable[Statement]) -> Iterator[Outcome]:
    """Outcomes of statements that are needed together, up to the first that is not PROVED.

    Each is decided when it is asked for, so that a mutant is refused as soon as one falls short.
    No statement at all is one outcome, UNKNOWN.

    Examples
    --------
    >>> [outcome.note for outcome in in_turn([])]
    ['nothing was decided']
    """
    found = None
    for statement in statements:
        found = decide(statement)
        yield found
        if found.verdict is not Verdict.PROVED:
            return
    if found is None:
        yield merge("nothing", "nothing is stated", [])


def lines(outcomes: Iterable[Outcome]) -> tuple[Line, ...]:
    """Outcomes as lines of our own proof."""
    return tuple(Line("ours", one.says, one.note, Decision((one,))) for one in outcomes)
