"""Theorems from a goal, a rule and hypotheses, as tests of the kernel write them."""

from __future__ import annotations

from typing import Any

from theory.kernel import Hypothesis, Relation, Theorem, prove
from theory.kernel.theorem import Rule


def theorem(goal: Relation, conclude: Rule, *said: Relation, **changes: Any) -> Theorem:
    """A theorem under these hypotheses, called "0", "1" and so on.

    >>> from theory.kernel import Combine, le
    >>> verdict(theorem(le(0, 1), Combine(), le(0, 2)))
    'UNKNOWN'
    """
    base: dict[str, Any] = {
        "id": "test.one",
        "where": "here",
        "statement": "The goal.",
        "latex": "",
        "symbols": (),
        "hypotheses": tuple(Hypothesis(str(i), "", one) for i, one in enumerate(said)),
        "lhs": goal.lhs,
        "terms": {"all": goal.rhs},
        "kind": goal.kind,
        "conclude": conclude,
    }
    return Theorem(**(base | changes))


def verdict(one: Theorem) -> str:
    """What the kernel says of it."""
    return prove(one).verdict.name
