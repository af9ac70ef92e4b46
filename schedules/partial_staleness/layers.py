"""Layers and their durations: what partial staleness is decided on.

Layers count from 0 here, in forward order; the paper counts from 1. b, u and v are the durations
of the backward, the forward and the gradient's communication of a layer, in any one unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from math import lcm
from typing import Final

from schedules.errors import ParameterError, SizeError
from schedules.formats.layer_table import Time

MOST_LAYERS: Final = 1_000_000
MOST_IN_GRAPH: Final = 1_000
MOST_DENOMINATOR: Final = 10**60
"""Largest common denominator of all durations; beyond it exact arithmetic has no end."""
OPERATIONS: Final = ("backward", "forward", "communication")


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: its name and the durations of its three operations, all above 0."""

    name: str
    backward: Time
    forward: Time
    communication: Time


@dataclass(frozen=True)
class Model:
    """Layers in forward order, or in a graph.

    Attributes
    ----------
    layers : tuple of Layer
        At least one, under different names.
    after : tuple of tuple of int, or None
        For every layer the layers whose forward it needs; its backward is needed by theirs. None
        for a sequential model: each layer needs the one before. A graph has one layer that needs
        none and one that none needs, as the algorithms of the paper start there.
    unit : str
        The unit of all durations, for people; may be empty.
    source : str
        Where the layers come from, for messages.

    Raises
    ------
    ParameterError
        No layer, a name given twice, a duration that is not an `int` or `Fraction` above 0, a
        graph with a cycle or with several beginnings or ends.
    SizeError
        More than `MOST_LAYERS` layers, or `MOST_IN_GRAPH` in a graph; a common denominator above
        `MOST_DENOMINATOR`.

    Examples
    --------
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, Fraction(1, 2)])
    >>> model.count, model.denominator, model.v
    (2, 2, (2, 1))
    >>> model.computation, model.channel
    (5, Fraction(3, 2))
    """

    layers: tuple[Layer, ...]
    after: tuple[tuple[int, ...], ...] | None = None
    unit: str = ""
    source: str = "layers"

    def __post_init__(self) -> None:
        _require_layers(self)
        if self.after is not None:
            _require_graph(self)

    @property
    def count(self) -> int:
        """Number of layers, m in the paper."""
        return len(self.layers)

    @cached_property
    def denominator(self) -> int:
        """Ticks in a unit: with it, all durations are whole."""
        return lcm(
            *{
                time.denominator
                for layer in self.layers
                for time in (layer.backward, layer.forward, layer.communication)
                if isinstance(time, Fraction)
            }
        )

    @cached_property
    def ticks(self) -> dict[str, tuple[int, ...]]:
        """For each of `OPERATIONS` its durations, layer by layer, in ticks."""
        ticks = self.denominator
        return {
            operation: tuple(
                time * ticks
                if isinstance(time, int)
                else time.numerator * (ticks // time.denominator)
                for time in (getattr(layer, operation) for layer in self.layers)
            )
            for operation in OPERATIONS
        }

    @property
    def b(self) -> tuple[int, ...]:
        """Backward durations, in ticks."""
        return self.ticks["backward"]

    @property
    def u(self) -> tuple[int, ...]:
        """Forward durations, in ticks."""
        return self.ticks["forward"]

    @property
    def v(self) -> tuple[int, ...]:
        """Durations of communication, in ticks."""
        return self.ticks["communication"]

    @property
    def computation(self) -> Time:
        """Time that all backwards and forwards of an iteration take."""
        return self.time(sum(self.b) + sum(self.u))

    @property
    def channel(self) -> Time:
        """Time that all communications of an iteration take."""
        return self.time(sum(self.v))

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """For every layer the layers whose forward it needs."""
        if self.after is not None:
            return self.after
        return tuple((layer - 1,) if layer else () for layer in range(self.count))

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """For every layer those that need its forward."""
        found: list[list[int]] = [[] for _ in self.layers]
        for layer, needed in enumerate(self.predecessors):
            for before in needed:
                found[before].append(layer)
        return tuple(map(tuple, found))

    def time(self, ticks: int | Fraction) -> Time:
        """Ticks in the unit of the durations: an int where that is exact.

        Examples
        --------
        >>> model = sequential([1], [1], [Fraction(1, 2)])
        >>> model.time(4), model.time(3)
        (2, Fraction(3, 2))
        """
        found = Fraction(ticks, self.denominator)
        return found.numerator if found.denominator == 1 else found


def sequential(
    backward: Sequence[Time],
    forward: Sequence[Time],
    communication: Sequence[Time],
    names: Sequence[str] | None = None,
) -> Model:
    """A sequential model from its durations, layer by layer in forward order.

    Raises
    ------
    ParameterError, SizeError
        As `Model`; or the sequences differ in length.

    Examples
    --------
    >>> sequential([1, 2], [1, 1], [1, 1]).layers[1]
    Layer(name='1', backward=2, forward=1, communication=1)
    """
    lengths = {len(backward), len(forward), len(communication)}
    names = [str(layer) for layer in range(len(backward))] if names is None else names
    if len(lengths | {len(names)}) > 1:
        raise ParameterError(
            f"every layer has a name and three durations, found {len(names)} names and "
            f"{len(backward)}, {len(forward)} and {len(communication)} durations",
            "layers",
            "give as many of each",
        )
    rows = zip(names, backward, forward, communication, strict=True)
    return Model(tuple(Layer(*row) for row in rows))


def _require_layers(model: Model) -> None:
    if not model.layers:
        raise ParameterError("a model has layers, found none", model.source, "give at least one")
    most, kind = (MOST_LAYERS, "model") if model.after is None else (MOST_IN_GRAPH, "graph")
    if model.count > most:
        raise SizeError(
            f"a {kind} has at most {most} layers, found {model.count}",
            model.source,
            "join layers",
        )
    seen: set[str] = set()
    for layer in model.layers:
        if layer.name in seen:
            raise ParameterError(
                f"layers have different names, found {layer.name!r} twice",
                model.source,
                "rename one of them",
            )
        seen.add(layer.name)
        for operation in OPERATIONS:
            time = getattr(layer, operation)
            exact = isinstance(time, (int, Fraction)) and not isinstance(time, bool)
            if not exact or time <= 0:
                raise ParameterError(
                    f"a duration is an int or Fraction above 0, found {time!r}",
                    f"{model.source}: {operation} of layer {layer.name!r}",
                    "give the time it takes; join a layer that takes none to a neighbour",
                )
    if model.denominator > MOST_DENOMINATOR:
        digits = len(str(MOST_DENOMINATOR)) - 1
        raise SizeError(
            f"all durations are whole multiples of one fraction 1/n with n of at most 10^{digits}",
            model.source,
            "write them with fewer digits, or as decimals",
        )


def _require_graph(model: Model) -> None:
    after, names = model.predecessors, [layer.name for layer in model.layers]
    if len(after) != model.count or any(not 0 <= b < model.count for n in after for b in n):
        raise ParameterError(
            f"every one of {model.count} layers says which of them it needs, found {len(after)} "
            "lists",
            model.source,
            "give indices of layers, a list for each",
        )
    try:
        TopologicalSorter(dict(enumerate(after))).prepare()
    except CycleError as error:
        cycle = " → ".join(names[layer] for layer in error.args[1][:8])
        raise ParameterError(
            f"a layer must not need its own output, but these form a cycle: {cycle}",
            model.source,
            "remove one of these dependencies",
        ) from None
    for ends, word in ((after, "that needs no other"), (model.successors, "that no other needs")):
        found = [name for name, others in zip(names, ends, strict=True) if not others]
        if len(found) > 1:
            raise ParameterError(
                f"there is one layer {word}, found {len(found)}: {', '.join(found[:6])}",
                model.source,
                "add the layer that they share",
            )
