"""Decided queries as lines of our own proofs."""

from __future__ import annotations

from collections.abc import Iterable

from theory.account import Compared, Decision, Line
from theory.smt.solver import Outcome


def ours(grounds: Iterable[Outcome | Compared]) -> tuple[Line, ...]:
    """One line for each: what it says, and how it was found."""
    return tuple(Line("ours", one.says, how(one), Decision((one,))) for one in grounds)


def how(ground: Outcome | Compared) -> str:
    """Which engine answered, or which code compared.

    Examples
    --------
    >>> how(Compared("2 + 2 is 4", "theory.papers.amdp.lemmas.lines", True))
    'exact, by theory.papers.amdp.lemmas.lines'
    """
    return ground.note if isinstance(ground, Outcome) else f"exact, by {ground.code}"
