"""From decided queries to what a row says: a verdict, and steps."""

from __future__ import annotations

from collections.abc import Iterable

from theory.ledger import Step
from theory.solver import Outcome, Statement, decide
from theory.verdicts import Verdict, weakest


def lazily(statements: Iterable[Statement]) -> Verdict:
    """PROVED if all statements are, else the verdict of the first that is not."""
    found = (decide(statement).verdict for statement in statements)
    return next((verdict for verdict in found if verdict is not Verdict.PROVED), Verdict.PROVED)


def steps(outcomes: Iterable[Outcome]) -> tuple[Step, ...]:
    """Outcomes as steps of our own proof."""
    return tuple(Step("ours", found.says, found.note, found.verdict) for found in outcomes)


def verdict_of(outcomes: Iterable[Outcome], witness: object) -> Verdict:
    """PROVED, or REFUTED by a replayed witness; a solver's model without a replay is UNKNOWN."""
    if witness is not None:
        return Verdict.REFUTED
    proved = weakest(found.verdict for found in outcomes) is Verdict.PROVED
    return Verdict.PROVED if proved else Verdict.UNKNOWN
