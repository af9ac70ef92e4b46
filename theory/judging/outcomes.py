"""Decided queries as grounds and as lines of a proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from theory.account import Case, Compared, Decision, Ground, Line
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


def lines(grounds: Iterable[Outcome | Compared]) -> tuple[Line, ...]:
    """Grounds as lines of our own proof: what each says, and which engine or code found it.

    Examples
    --------
    >>> [line.rule for line in lines([Compared("2 + 2 is 4", "my_paper.sums", True)])]
    ['exact, by my_paper.sums']
    """
    return tuple(Line("ours", one.says, _how(one), Decision((one,))) for one in grounds)


def _how(ground: Outcome | Compared) -> str:
    return ground.note if isinstance(ground, Outcome) else f"exact, by {ground.code}"


def found_by(grounds: Mapping[tuple[str, str], Iterable[Ground]]) -> tuple[Line, ...]:
    """Lines of our own proof, by what they say and how that was found.

    Examples
    --------
    >>> [line.rule for line in found_by({("2 + 2 is 4", "by hand"): ()})]
    ['by hand']
    """
    return tuple(
        Line("ours", says, rule, Decision(tuple(one))) for (says, rule), one in grounds.items()
    )


def cases(known: Mapping[tuple[str, str], Decision]) -> tuple[Case, ...]:
    """Cases, by when they apply and what is said of them.

    Examples
    --------
    >>> [case.when for case in cases({("n = 2", ""): Decision()})]
    ['n = 2']
    """
    return tuple(Case(when, one, says) for (when, says), one in known.items())
