"""What rests on what: the directed graph of claims, which must have no circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from theory.claims import Claim
from theory.errors import CycleError
from theory.judging.catalogue import unknown
from theory.ledger import Evidence, Row
from theory.verdicts import Verdict

if TYPE_CHECKING:
    import networkx as nx

SETTLED_ALONE: Final = (Verdict.REFUTED, Verdict.UNKNOWN)
"""Verdicts that rest on nothing else: a witness stands by itself."""


def dependency_graph(claims: Iterable[Claim], known: Mapping[str, Claim]) -> nx.DiGraph:
    """The claims and everything they rest on, with an edge from each claim to what uses it.

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
    >>> list(dependency_graph([theorem], CLAIMS).edges)
    [('kernel.jensen', 'mine.theorem')]
    """
    import networkx as nx  # here: it takes as long to import as a small file to verify

    own = {claim.id: claim for claim in claims}
    graph = nx.DiGraph()
    graph.add_nodes_from(own)
    open_ends = list(own.values())
    while open_ends:
        claim = open_ends.pop()
        for name in claim.depends:
            if name not in graph:
                needed = known.get(name)
                if needed is None:
                    raise unknown(name, f"{claim.id}: depends", known, "list it in CLAIMS as well")
                open_ends.append(needed)
            graph.add_edge(name, claim.id)
    _refuse_circles(graph)
    return graph


def _refuse_circles(graph: nx.DiGraph) -> None:
    import networkx as nx

    try:
        edges = nx.find_cycle(graph)
    except nx.NetworkXNoCycle:
        return
    circle = " → ".join([edges[0][0], *(after for _, after in edges)])
    raise CycleError(
        f"claims must not rest on one another in a circle, found {circle}",
        edges[0][0],
        "prove one of them without the others",
    )


def settled(rows: Sequence[Row], graph: nx.DiGraph) -> list[Row]:
    """Withdraw every verdict that rests on a claim which is not established.

    Parameters
    ----------
    rows : sequence of Row
        One for each node of the graph.
    graph : networkx.DiGraph
        From `dependency_graph`.

    Returns
    -------
    list of Row
        In the same order, each with all that it rests on; what is withdrawn is UNKNOWN and says
        why.
    """
    import networkx as nx

    found = {row.id: row for row in rows}
    for name in nx.topological_sort(graph):
        row = found[name]
        if row.verdict in SETTLED_ALONE:
            continue
        # What is only checked on a finite domain carries no conclusion beyond it.
        short = [f for f in graph.predecessors(name) if found[f].verdict is not Verdict.PROVED]
        if short:
            reasons = ", ".join(f"{one}, which is {found[one].verdict.name}" for one in short)
            found[name] = _withdrawn(row, f"not decided: it rests on {reasons}")
    return [
        replace(found[row.id], closure=tuple(sorted(nx.ancestors(graph, row.id)))) for row in rows
    ]


def _withdrawn(row: Row, why: str) -> Row:
    evidence = (*row.judgement.evidence, Evidence("neither", why, {}))
    return replace(
        row, judgement=replace(row.judgement, verdict=Verdict.UNKNOWN, evidence=evidence)
    )
