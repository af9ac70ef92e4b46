"""The schedule as a directed acyclic graph on networkx."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from schedules.actions import Action, Kind
from schedules.dependencies import EdgeKind, barriers, edges
from schedules.schedule import Schedule
from schedules.versions import update_after, weights_of_action

if TYPE_CHECKING:
    import networkx as nx


def build_dag(schedule: Schedule) -> nx.DiGraph[Action]:
    """Return the dependency graph of a schedule.

    Nodes are `Action`; every weight update appears as an action of kind ``U`` that carries the
    microbatch of the last gradient that it applies, and every BARRIER carries its number on its
    rank instead of a microbatch. Every edge has an attribute ``kind``:

    ============ ===========================================================================
    ``program``  the next action of the same rank; a receive is posted and holds nothing up
    ``data``     a tensor handed on within a rank (activation, gradient)
    ``message``  a tensor handed to another rank
    ``update``   gradient → update, and update → the next forward on the same weights
    ``barrier``  what a collective waits for: a backward, or what stands before the counterpart
                 of a BARRIER on another rank
    ============ ===========================================================================

    Where two kinds join the same pair, the data dependency is the one kept: it is what the
    program order has to respect. A schedule that can hang gives a graph with a cycle, unless all
    that it lacks is a BARRIER on some rank.

    Examples
    --------
    >>> from schedules.families import build
    >>> graph = build("naive", 2, 1).dag()
    >>> graph.edges[Action(Kind.F, 0, 0), Action(Kind.F, 1, 0)]["kind"]
    'message'
    """
    import networkx as nx

    graph: nx.DiGraph[Action] = nx.DiGraph()
    actions = _numbered_barriers(schedule, _named_updates(schedule))
    graph.add_nodes_from(actions)
    for rank in range(schedule.ranks):
        order = actions[schedule.offsets[rank] : schedule.offsets[rank + 1]]
        previous: Action | None = None
        for action in order:
            if previous is not None:
                graph.add_edge(previous, action, kind=EdgeKind.PROGRAM.name.lower())
            if action.kind not in (Kind.RECV_F, Kind.RECV_B):
                previous = action
    found = edges(schedule)
    for source, target, kind in zip(found.source, found.target, found.kind, strict=True):
        name = EdgeKind(int(kind)).name.lower()
        graph.add_edge(actions[source], actions[target], kind=name)
    _add_updates(graph, schedule, actions)
    return graph


def _named_updates(schedule: Schedule) -> list[Action]:
    """All actions; those of kind U with the microbatch of the last gradient that they apply."""
    actions = [schedule.action(index) for index in range(len(schedule))]
    weights, last = weights_of_action(schedule).tolist(), dict[int, Action]()
    for index, action in enumerate(actions):
        if action.kind in (Kind.B, Kind.W):
            last[weights[index]] = action
        if action.kind is Kind.U and weights[index] in last:
            microbatch = last.pop(weights[index]).microbatch
            actions[index] = replace(action, microbatch=microbatch)
    return actions


def _numbered_barriers(schedule: Schedule, actions: list[Action]) -> list[Action]:
    """The actions; each BARRIER with its number, as several of a rank may look the same."""
    found = barriers(schedule)
    for index, number in zip(found.index.tolist(), found.number.tolist(), strict=True):
        actions[index] = replace(actions[index], microbatch=number)
    return actions


def _add_updates(graph: nx.DiGraph[Action], schedule: Schedule, actions: list[Action]) -> None:
    updates, weights_of = update_after(schedule), weights_of_action(schedule).tolist()
    for rank in range(schedule.ranks):
        pending: dict[int, list[Action]] = {}
        gradient: dict[int, Action] = {}
        for index in range(int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])):
            action, weights = actions[index], weights_of[index]
            if action.kind is Kind.F:
                for update in pending.pop(weights, ()):
                    graph.add_edge(update, action, kind="update")
            if action.kind in (Kind.B, Kind.W):
                gradient[weights] = action
            if updates[index]:
                update = replace(action, kind=Kind.U)
                if weights in gradient:
                    graph.add_edge(gradient[weights], update, kind="update")
                pending.setdefault(weights, []).append(update)
