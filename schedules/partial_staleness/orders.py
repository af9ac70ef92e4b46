"""The orders that layers are computed in; a sequential model has only one of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schedules.errors import ParameterError
from schedules.partial_staleness.layers import Model


@dataclass(frozen=True)
class Orders:
    """The orders of backwards and forwards: every layer once in each."""

    backward: tuple[int, ...]
    forward: tuple[int, ...]

    def fit(self, model: Model) -> bool:
        """Whether every layer is computed once each way, after all that it needs.

        Examples
        --------
        >>> from schedules.partial_staleness.layers import sequential
        >>> model = sequential([1, 1], [1, 1], [1, 1])
        >>> Orders((1, 0), (0, 1)).fit(model), Orders((0, 1), (0, 1)).fit(model)
        (True, False)
        """
        return _respects(self.forward, model.predecessors) and _respects(
            self.backward, model.successors
        )


def orders_of(model: Model, orders: Orders | None = None) -> Orders:
    """The orders given, or those of a sequential model.

    Raises
    ------
    ParameterError
        They do not fit the model, or none are given and the model is a graph.
    """
    if orders is None:
        require_sequential(model, "orders are needed where several are possible")
        layers = tuple(range(model.count))
        return Orders(layers[::-1], layers)
    if not orders.fit(model):
        raise ParameterError(
            f"layers are computed once each way, after those they need, found backwards "
            f"{list(orders.backward[:12])} and forwards {list(orders.forward[:12])}",
            "orders",
            "give topological orders",
        )
    return orders


def require_sequential(model: Model, rule: str) -> None:
    """Raise a `ParameterError` that states the rule if the model is a graph."""
    if model.after is not None:
        raise ParameterError(f"{rule}, and this model is a graph", model.source, "see graph.py")


def _respects(order: Sequence[int], needs: Sequence[Sequence[int]]) -> bool:
    if sorted(order) != list(range(len(needs))):
        return False
    place = {layer: position for position, layer in enumerate(order)}
    return all(place[before] < place[layer] for layer in order for before in needs[layer])
