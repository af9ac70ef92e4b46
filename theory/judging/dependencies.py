"""What rests on what: the directed graph of claims, which must have no circle."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError as Circle
from graphlib import TopologicalSorter
from typing import Final, TypeVar

from theory.claims import Claim
from theory.errors import CycleError
from theory.judging.catalogue import unknown
from theory.ledger import Evidence, Row
from theory.verdicts import Verdict

Name = TypeVar("Name", bound=Hashable)

Graph = Mapping[str, tuple[str, ...]]
"""For each claim, what it rests on."""

SETTLED_ALONE: Final = (Verdict.REFUTED, Verdict.UNKNOWN)
"""Verdicts that rest on nothing else: a witness stands by itself."""


def dependency_graph(claims: Iterable[Claim], known: Mapping[str, Claim]) -> Graph:
    """The claims and everything they rest on.

    Parameters
    ----------
    claims : iterable of Claim
    known : mapping of str to Claim
        Where ids are looked up; a claim's own id stands for the claim given.

    Raises
    ------
    UnknownClaimError
        An id that nothing is known by, with the nearest one.
    CycleError
        Claims that rest on one another in a circle, in order.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.judging.catalogue import CLAIMS
    >>> theorem = replace(CLAIMS["kernel.young"], id="mine.theorem", depends=("kernel.jensen",))
    >>> dependency_graph([theorem], CLAIMS)
    {'mine.theorem': ('kernel.jensen',), 'kernel.jensen': ()}
    """
    own = {claim.id: claim for claim in claims}
    graph = {name: claim.depends for name, claim in own.items()}
    open_ends = list(own.values())
    while open_ends:
        claim = open_ends.pop()
        for name in claim.depends:
            if name not in graph:
                needed = known.get(name)
                if needed is None:
                    raise unknown(name, f"{claim.id}: depends", known, "list it in CLAIMS as well")
                graph[name] = needed.depends
                open_ends.append(needed)
    circle = circle_in(graph)
    if circle:
        raise CycleError(
            f"claims must not rest on one another in a circle, found {' → '.join(circle)}",
            circle[0],
            "prove one of them without the others",
        )
    return graph


def circle_in(graph: Mapping[Name, Iterable[Name]]) -> tuple[Name, ...]:
    """A circle of what rests on what, each before what rests on it; its first comes last again.

    Examples
    --------
    >>> circle_in({"a": ["b"], "b": []}), circle_in({"a": ["b"], "b": ["a"]})
    ((), ('a', 'b', 'a'))
    """
    try:
        TopologicalSorter(graph).prepare()
    except Circle as error:
        return tuple(error.args[1])
    return ()


def settled(rows: Sequence[Row], graph: Graph) -> list[Row]:
    """Withdraw every verdict that rests on a claim which is not established.

    Parameters
    ----------
    rows : sequence of Row
        One for each node of the graph that could be judged.
    graph : mapping of str to tuple of str
        From `dependency_graph`.

    Returns
    -------
    list of Row
        In the same order, each with all that it rests on; what is withdrawn is UNKNOWN and says
        why.
    """
    found, closure = {row.id: row for row in rows}, dict[str, frozenset[str]]()
    for name in TopologicalSorter(graph).static_order():
        needs = graph[name]
        closure[name] = frozenset(needs).union(*(closure[one] for one in needs))
        row = found.get(name)
        if row is None or row.verdict in SETTLED_ALONE:
            continue
        # What is only checked on a finite domain carries no conclusion beyond it.
        known = {one: found[one].verdict.name if one in found else "not judged" for one in needs}
        short = [f"{one}, which is {what}" for one, what in known.items() if what != "PROVED"]
        if short:
            reasons = ", ".join(short)
            found[name] = _withdrawn(row, f"not decided: it rests on {reasons}")
    return [replace(found[row.id], closure=tuple(sorted(closure[row.id]))) for row in rows]


def _withdrawn(row: Row, why: str) -> Row:
    evidence = (*row.judgement.evidence, Evidence("neither", why, {}))
    return replace(
        row, judgement=replace(row.judgement, verdict=Verdict.UNKNOWN, evidence=evidence)
    )
