"""Whether what holds in the first iterations of a small run holds in all that follow.

The last state lies in a set of states that no iteration leaves, and in which all relations hold:
one point, an interval, half lines or everything. Both are shown by z3, over all states of the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy
import z3

from theory.errors import TheoryError
from theory.falsifier.compare import certain_sign
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.relations import Relation, le
from theory.kernel.signs import Translator, undefined
from theory.kernel.vectors import Scalar
from theory.smt.solver import have_model

RLIMIT = 400_000
"""z3's budget for one relation over one set of states."""

State = Mapping[Scalar, Scalar]


def forever(
    relations: Sequence[Relation],
    then: Sequence[State],
    states: Sequence[State],
    index: Scalar,
    first: int,
) -> bool:
    """Whether relations hold at these states and at all that ever follow them.

    Parameters
    ----------
    relations : sequence of Relation
        In the symbols of a state and the index, with numbers for all else.
    then : sequence of mapping
        The next state, for each outcome.
    states : sequence of mapping
        All states in which iteration `first` may begin.
    index : sympy symbol
    first : int

    Examples
    --------
    >>> x, k = sympy.Symbol("x", real=True), sympy.Symbol("k", integer=True, nonnegative=True)
    >>> at_one = [{x: sympy.Integer(1)}]
    >>> forever([le(x, 1)], [{x: x / 2}], at_one, k, 0)
    True
    >>> forever([le(0, x)], [{x: x - 1}], at_one, k, 0)
    False

    What follows is read of one state: here y is what x was, and x grows without end.

    >>> y = sympy.Symbol("y", real=True)
    >>> forever([le(x, 9)], [{x: 2 * x - y, y: x}], [{x: sympy.Integer(1), y: sympy.S(0)}], k, 0)
    False
    """
    still = _still(then, states)
    moving = [one for one in states[0] if one not in still]
    follows = [{one: each[one].subs(still) for one in moving} for each in then]
    placed = [Relation(r.lhs.subs(still), r.kind, r.rhs.subs(still)) for r in relations]
    try:
        return any(
            _kept(placed, follows, (*kept, le(first, index)), kept)
            for kept in _sets(moving, states, follows)
        )
    except TheoryError:  # not exact, or not for z3
        return False


def everywhere(relations: Sequence[Relation], index: Scalar) -> bool:
    """Whether relations hold in every state, at every iteration.

    Examples
    --------
    >>> x, k = sympy.Symbol("x", real=True), sympy.Symbol("k", integer=True, nonnegative=True)
    >>> everywhere([le(0, x**2)], k), everywhere([le(x, 1)], k)
    (True, False)
    """
    try:
        return all(_holds(one, (le(0, index),)) for one in relations)
    except TheoryError:
        return False


def _still(then: Sequence[State], states: Sequence[State]) -> dict[Scalar, Scalar]:
    """What never changes again."""
    found = {one: x for one, x in states[0].items() if all(s[one] == x for s in states)}
    while True:
        moved = {
            one for one, x in found.items() if any(each[one].subs(found) != x for each in then)
        }
        if not moved:
            return found
        found = {one: x for one, x in found.items() if one not in moved}


def _sets(
    moving: Sequence[Scalar], states: Sequence[State], then: Sequence[State]
) -> Iterator[tuple[Relation, ...]]:
    """Sets that hold all of the states, as inequalities."""
    yield ()
    if not moving:
        return
    ends = {one: [state[one] for state in states] for one in moving}
    size = max(abs(x) for xs in ends.values() for x in xs)
    yield tuple(
        bound for one, xs in ends.items() for bound in (le(min(0, *xs), one), le(one, max(0, *xs)))
    )
    yield tuple(
        le(0, one) if min(xs) >= 0 else le(one, 0)
        for one, xs in ends.items()
        if min(xs) >= 0 or max(xs) <= 0
    )
    yield tuple(bound for one in moving for bound in (le(-size, one), le(one, size)))
    rises = {
        one: all((each[one].xreplace(s) - s[one]).is_nonnegative for each in then for s in states)
        for one in moving
    }
    yield tuple(le(min(xs), one) if rises[one] else le(one, max(xs)) for one, xs in ends.items())


def _kept(
    relations: Sequence[Relation],
    then: Sequence[State],
    given: Sequence[Relation],
    kept: Sequence[Relation],
) -> bool:
    """Whether all relations hold wherever the given ones do, and nothing leaves the set."""
    stays = [one.replaced(each) for one in kept for each in then]  # all at once: y, x for x, y
    return all(_holds(one, given) for one in (*relations, *stays))


def _holds(one: Relation, given: Sequence[Relation]) -> bool:
    if one.gap.is_Rational:
        return bool(one.gap == 0 if one.kind == "==" else one.gap >= 0)
    if not one.gap.free_symbols and one.gap.has(*ELEMENTARY):
        return one.kind == "<=" and certain_sign(one.gap) == 1
    if undefined(one):
        return False
    translator = Translator()
    facts = [translator.fact(each) for each in given]
    goal = translator.fact(one)
    for node in one.gap.atoms(sympy.Max):
        greatest, parts = translator.term(node), [*map(translator.term, node.args)]
        facts += [greatest >= part for part in parts]
        facts.append(z3.Or([greatest == part for part in parts]))
    asked = (*facts, *translator.domain(), z3.Not(goal))
    return have_model(asked, "a state in which a hypothesis fails", RLIMIT) == "unsat"
