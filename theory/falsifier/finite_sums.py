"""Functions that are drawn: f_i is another function at every outcome, and f may be their mean.

Of f a theorem says that E∇f_i(x) = ∇f(x) at points that it names; an instance has it everywhere, as
whoever reads "f is the mean of the f_i" expects. It satisfies the more for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from theory.kernel.context import drawn_functions, measures
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar

AT: Final = " at outcome "
"""Between a name and the number of an outcome."""


@lru_cache(maxsize=2**10)
def drawn(theorem: Theorem) -> frozenset[str]:
    """Functions that are drawn under a mean.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> drawn(DESCENT)
    frozenset()
    """
    found = (drawn_functions(theorem.points, one.random) for one in measures(theorem))
    return frozenset[str]().union(*found)


@lru_cache(maxsize=2**10)
def means(theorem: Theorem) -> Mapping[str, str]:
    """By its name, what a function is the mean of: f of the f_i where E∇f_i(x) = ∇f(x)."""
    own = {one.gradient: one for one in theorem.points}
    found: dict[str, str] = {}
    for _, kind, said in theorem.everywhere:
        known = [own[one] for one in said if one in own] if kind == "unbiased" else []
        if len(known) == 2 and known[0].position == known[1].position:
            member, whole = (one.function for one in known)
            if member in drawn(theorem) and whole not in drawn(theorem):
                found.setdefault(whole, member)
    return found


def labels(theorem: Theorem, function: str, outcomes: int, outcome: int) -> tuple[str, ...]:
    """The functions whose mean a function is at an outcome: one, unless it is a mean of drawn ones.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> labels(DESCENT, "f", 2, 0)
    ('f',)
    """
    member = means(theorem).get(function, function)
    places = range(outcomes) if member != function else (outcome,)
    if outcomes == 1 or member not in drawn(theorem):
        return (member,)
    return tuple(f"{member}{AT}{k + 1}" for k in places)


def opposed(names: Mapping[str, Scalar]) -> list[tuple[Scalar, Scalar]]:
    """The slopes at 0 of a drawn function at two outcomes, which mostly add up to 0.

    Examples
    --------
    >>> opposed(dict.fromkeys(("f_i at outcome 1'(0)", "f_i at outcome 2'(0)", "f'(0)"), 1))
    [(1, 1)]
    """
    slopes = (name for name in names if f"{AT}1'(0)" in name)
    pairs = ((name, name.replace(f"{AT}1", f"{AT}2")) for name in slopes)
    return [(names[first], names[second]) for first, second in pairs if second in names]
