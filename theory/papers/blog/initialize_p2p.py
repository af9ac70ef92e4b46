"""``_initialize_p2p``: every channel between neighbours is used once each way, without deadlock.

Problem    Each rank posts, in this order: receive from the previous rank, send to the next, receive
           from the next, send to the previous, and waits for all of them.
Method     Message s → s + 1 is given the number s, message s + 1 → s the number 2p − s. In the list
           of every rank numbers increase, so that none waits in a circle.
Guarantee  2(p − 1) messages, each with its receive; they come to an end for every p even if each is
           posted and waited for by itself.
Source     Blog, initializing P2P communication.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover
from theory.laws.static_orders.symbols import p

Message = tuple[int, int]
"""From which rank to which."""

_RANKS = range(1, 9)


def posted(ranks: int, rank: int) -> list[Message]:
    """What a rank posts, as the blog's function lists it.

    Examples
    --------
    >>> [posted(3, rank) for rank in range(3)]
    [[(0, 1), (1, 0)], [(0, 1), (1, 2), (2, 1), (1, 0)], [(1, 2), (2, 1)]]
    """
    before, after = rank > 0, rank < ranks - 1
    found = [(rank - 1, rank)] * before + [(rank, rank + 1)] * after
    return found + [(rank + 1, rank)] * after + [(rank, rank - 1)] * before


def exchanged(lists: list[list[Message]]) -> list[Message]:
    """The messages of a run in which each is waited for by itself, at both of its ends.

    Examples
    --------
    >>> exchanged([[(0, 1), (1, 0)], [(1, 0), (0, 1)]])
    []
    """
    left = [list(one) for one in lists]
    done: list[Message] = []
    while True:
        heads = [one[0] for one in left if one]
        meets = next((head for head in heads if heads.count(head) == 2), None)
        if meets is None:
            return done
        done.append(meets)
        left = [one[1:] if one and one[0] == meets else one for one in left]


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    order = prover.stated(
        "order",
        "the numbers of what a rank posts increase along its list",
        "p >= 1, 0 <= x, x < p",
        "implies(x > 0, x - 1 < 2*p - (x - 1)), implies(x < p - 1, x < 2*p - x), "
        "implies(0 < x < p - 1, x - 1 < x < 2*p - x < 2*p - (x - 1))",
    )
    yield prover.decide_from(order, {"p": 1, "x": 0})
    says = "one rank more has two channels more, and one rank has none"
    goal, of = "number(p + 1) - number(p) == 2, number(1) == 0", formulas["messages"]
    number = {"number": lambda at: prover.term(of, {p: at})}
    channels = prover.stated("channels", says, "p >= 1", goal, **number)
    yield prover.decide_from(channels, {"p": 1})


def _runs() -> tuple[prover.Ground]:
    """Every message of small runs is exchanged, each waited for by itself."""
    same = True
    for ranks in _RANKS:
        lists = [posted(ranks, rank) for rank in range(ranks)]
        found = exchanged(lists)
        same &= len(set(found)) == len(found) == 2 * (ranks - 1) == sum(map(len, lists)) / 2
    says = "all messages of the runs with p ≤ 8 are exchanged"
    return (prover.Exhausted(says, len(_RANKS), same),)


CLAIM = prover.row(
    "blog.initialize-p2p",
    "initializing P2P communication",
    "The dummy exchange uses every channel between neighbouring ranks once in each direction, "
    "2(p − 1) messages, each with its receive, and cannot deadlock, for every p.",
    r"2 (p - 1)",
    {"messages": 2 * (p - sympy.S.One)},
    _grounds,
    steps=_runs,
)
