"""Answers about one model: what is right, what the paper's program and algorithms say."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from schedules.errors import SizeError
from schedules.formats.layer_table import Time
from schedules.partial_staleness import (
    Late,
    Model,
    Orders,
    Plan,
    fewest_stale,
    fewest_stale_of_graph,
    heuristic,
    late_gradient,
    printed_fewest_stale,
    stall,
)
from schedules.partial_staleness.algorithms import printed_algorithm_4, printed_algorithm_5
from schedules.partial_staleness.orders import orders_of


@dataclass(frozen=True)
class Answer:
    """One answer to how few layers must be stale.

    Attributes
    ----------
    by : str
        What gave it: ``solver``, ``exact``, ``heuristic``, ``program`` or ``algorithms``.
    stale : frozenset of int, or None
        The stale layers; None if it says that no number of them is enough.
    orders : Orders or None
        The orders that it is about; None if it runs layers too early, or twice.
    stall : int, Fraction or None
        Time that computation waits in an iteration, in the long run, with these stale layers (all
        of them where it names none) and these orders; None without orders.
    late : Late or None
        Of the printed program: the gradient that it takes to be in time, and is not.
    """

    by: str
    stale: frozenset[int] | None
    orders: Orders | None
    stall: Time | None
    late: Late | None = None

    @property
    def holds(self) -> bool:
        """Whether it names stale layers with which computation never waits."""
        return self.stall == 0


@dataclass(frozen=True)
class Answers:
    """All answers about a model.

    Attributes
    ----------
    model : Model
    right : Answer
        With the fewest stale layers; in a graph too large for that, of the heuristic.
    heuristic : Answer or None
        Of a graph: the repaired Algorithms 4 and 5.
    program : Answer or None
        As printed; None for a graph, which it is not about.
    algorithms : Answer or None
        Algorithms 4 and 5 as printed; None where they do not come to an end.
    """

    model: Model
    right: Answer
    heuristic: Answer | None
    program: Answer | None
    algorithms: Answer | None

    @property
    def printed(self) -> Answer | None:
        """The paper's answer: its program, or for a graph its algorithms."""
        return self.algorithms if self.program is None else self.program


def answers(model: Model) -> Answers:
    """Find all answers about a model.

    Examples
    --------
    >>> from schedules.partial_staleness import sequential
    >>> found = answers(sequential([1, 9, 1], [1, 1, 1], [1, 3, 1]))
    >>> sorted(found.right.stale), found.right.stall
    ([0, 1], 0)
    >>> sorted(found.program.stale), found.program.stall
    ([], 3)
    """
    if model.after is not None:
        return _of_graph(model)
    orders = orders_of(model)
    printed = printed_fewest_stale(model)
    late = None if printed is None else late_gradient(model, printed)
    return Answers(
        model,
        _first("solver", model, orders, fewest_stale(model)),
        None,
        _first("program", model, orders, printed, late),
        _algorithms(model),
    )


def _first(
    by: str, model: Model, orders: Orders, k: int | None, late: Late | None = None
) -> Answer:
    """The answer that the first k layers must be stale."""
    waits = stall(model, range(model.count if k is None else k), orders)
    return Answer(by, None if k is None else frozenset(range(k)), orders, waits, late)


def _of_graph(model: Model) -> Answers:
    by_heuristic = _planned("heuristic", model, heuristic)
    try:
        right = _planned("exact", model, fewest_stale_of_graph)
    except SizeError:
        right = by_heuristic
    return Answers(model, right, by_heuristic, None, _algorithms(model))


def _planned(by: str, model: Model, plan: Callable[[Model], Plan | None]) -> Answer:
    """The answer of a solver for graphs; where there is none, every layer stale in some order."""
    found = plan(model)
    if found is None:
        orders = _some_orders(model)
        return Answer(by, None, orders, stall(model, range(model.count), orders))
    return Answer(by, found.stale, found.orders, stall(model, found.stale, found.orders))


def _some_orders(model: Model) -> Orders:
    from graphlib import TopologicalSorter

    forward = tuple(TopologicalSorter(dict(enumerate(model.predecessors))).static_order())
    return Orders(forward[::-1], forward)


def _algorithms(model: Model) -> Answer | None:
    """Algorithms 4 and 5 as printed, where a choice is free that of the first layer in the file."""
    try:
        communications = printed_algorithm_4(model)
        marking = printed_algorithm_5(model, communications)
    except SizeError:
        return None
    orders = Orders(communications.order, marking.order)
    answer = partial(Answer, "algorithms", marking.stale)
    if not orders.fit(model):
        return answer(None, None)
    return answer(orders, stall(model, marking.stale, orders))
