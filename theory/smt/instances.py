"""Whether a statement still speaks of its smallest instance.

Hypotheses that are stronger than meant make a statement easier to prove and no less true. So a
statement about all p ≥ 2 is also asked whether its hypotheses admit p = 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import z3

from theory.smt.solver import Outcome, Statement, decide, have_model
from theory.verdicts import Verdict

Instance = Mapping[str, int]
"""Integers, by the names of solver symbols; the other symbols are free."""


def admits(statement: Statement, instance: Instance) -> bool:
    """Whether some case of a statement has these numbers.

    Examples
    --------
    >>> n = z3.Int("n")
    >>> square = Statement("square", "n ≤ n²", (n >= 1,), n <= n * n)
    >>> admits(square, {"n": 1}), admits(square, {"n": 0})
    (True, False)
    """
    pinned = [z3.Int(name) == number for name, number in instance.items()]
    asks = f"{statement.name}: its hypotheses at {in_words(instance)}"
    return have_model((*statement.hypotheses, *pinned), asks) == "sat"


def decide_from(statement: Statement, smallest: Instance) -> Outcome:
    """Decide a statement; UNKNOWN where it leaves out the smallest instance that is meant.

    Examples
    --------
    >>> n = z3.Int("n")
    >>> narrow = Statement("square", "n ≤ n²", (n >= 2,), n <= n * n)
    >>> decide_from(narrow, {"n": 1}).note
    'the hypotheses leave out n = 1'
    """
    outcome = decide(statement)
    if outcome.verdict is not Verdict.PROVED or admits(statement, smallest):
        return outcome
    note = f"the hypotheses leave out {in_words(smallest)}"
    return replace(outcome, verdict=Verdict.UNKNOWN, note=note)


def in_words(instance: Mapping[str, object]) -> str:
    """An instance or a witness as part of a sentence.

    Examples
    --------
    >>> in_words({"p": 2, "M": 3, "peaks": [2, 1]})
    'p = 2, M = 3, peaks = (2, 1)'
    """
    return ", ".join(f"{name} = {_plain(value)}" for name, value in instance.items())


def _plain(value: object) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, (list, tuple)) else str(value)
