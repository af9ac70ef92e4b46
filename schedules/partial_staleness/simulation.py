"""Events of training with partial staleness, iteration after iteration, until they repeat.

Iteration t computes its backwards, hands each gradient to a channel that sends them in that
order, one at a time and without regard to iterations, and then the forwards of iteration t + 1.
A forward of a fresh layer begins once the layer's gradient of iteration t has been sent. That of
a stale layer uses exactly the gradient of iteration t − 1 and waits for that one; in iteration 0
there is none and it does not wait. Everything begins as soon as it can.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from schedules.errors import SizeError
from schedules.formats.layer_table import Time
from schedules.partial_staleness.layers import Model
from schedules.partial_staleness.orders import Orders, orders_of
from schedules.partial_staleness.stalls import require_layers

MOST_ITERATIONS: Final = 100_000
"""Iterations after which a simulation that has not repeated itself gives up."""

Ticks: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Iteration:
    """One iteration: start times by layer, in ticks.

    Attributes
    ----------
    backward, communication : tuple of int
        Of this iteration.
    forward : tuple of int
        Of the next iteration, which its gradients lead to.
    begin, end : int
        Start of the first backward, end of the last forward.
    stall : int
        Time between them in which nothing is computed.
    """

    backward: Ticks
    communication: Ticks
    forward: Ticks
    begin: int
    end: int
    stall: int

    def shifted(self, ticks: int) -> Iteration:
        """The same, later."""
        return Iteration(
            tuple(start + ticks for start in self.backward),
            tuple(start + ticks for start in self.communication),
            tuple(start + ticks for start in self.forward),
            self.begin + ticks,
            self.end + ticks,
            self.stall,
        )


@dataclass(frozen=True)
class Run:
    """A run that repeats itself for ever.

    Attributes
    ----------
    model : Model
    stale : frozenset of int
    iterations : tuple of Iteration
        From iteration 0 up to where it begins to repeat.
    first : int
        The first of the iterations that come again; ``iterations[first:]`` is the period.
    """

    model: Model
    stale: frozenset[int]
    iterations: tuple[Iteration, ...]
    first: int

    @property
    def period(self) -> int:
        """Iterations after which everything comes again."""
        return len(self.iterations) - self.first

    @property
    def stall(self) -> Time:
        """Time that computation waits in an iteration, in the mean over a period."""
        waits = sum(iteration.stall for iteration in self.iterations[self.first :])
        return self.model.time(Fraction(waits, self.period))

    @property
    def never_stalls(self) -> bool:
        """Whether computation never waits, from the first iteration on."""
        return not any(iteration.stall for iteration in self.iterations)

    def iteration(self, number: int) -> Iteration:
        """Iteration `number`, counted from 0, however late."""
        if number < len(self.iterations):
            return self.iterations[number]
        rounds, place = divmod(number - self.first, self.period)
        length = self.iterations[-1].end - self.iterations[self.first].begin
        return self.iterations[self.first + place].shifted(rounds * length)


def iterations(
    model: Model, stale: Collection[int], orders: Orders | None = None
) -> Iterator[Iteration]:
    """Yield the iterations of a run, without end.

    Parameters
    ----------
    model : Model
    stale : collection of int
        The stale layers.
    orders : Orders, optional
        Needed for a graph.

    Raises
    ------
    ParameterError
        A stale layer or an order does not fit the model.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    >>> next(iterations(model, stale=()))
    Iteration(backward=(1, 0), communication=(3, 1), forward=(4, 5), begin=0, end=6, stall=1)
    """
    for iteration, _ in _played(model, stale, orders):
        yield iteration


def simulate(
    model: Model,
    stale: Collection[int],
    orders: Orders | None = None,
    most: int = MOST_ITERATIONS,
) -> Run:
    """Simulate until an iteration begins with a backlog that was there before.

    The backlog, how long the channel is still busy, decides all that follows: the first layer is
    the last to be sent and the first to be needed, so when its forward begins, all older gradients
    are there. Durations are whole ticks and the backlog is bounded, so one must come again.

    Raises
    ------
    ParameterError
        As `iterations`.
    SizeError
        It has not come again after `most` iterations.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    >>> simulate(model, stale=()).stall, simulate(model, stale={0}).stall
    (1, 0)
    """
    played: list[Iteration] = []
    seen: dict[int, int] = {}
    for iteration, backlog in _played(model, stale, orders):
        if backlog in seen:
            return Run(model, frozenset(stale), tuple(played), seen[backlog])
        if len(played) == most:
            raise SizeError(
                f"a run repeats itself sooner or later, but not within {most} iterations",
                model.source,
                "simulate more of them, or round the durations",
            )
        seen[backlog] = len(played)
        played.append(iteration)
    raise AssertionError("iterations have no end")


def _played(
    model: Model, stale: Collection[int], orders: Orders | None
) -> Iterator[tuple[Iteration, int]]:
    """Iterations, each with the backlog that it begins with."""
    stale, orders = require_layers(model, stale), orders_of(model, orders)
    b, u, v = model.b, model.u, model.v
    is_stale = [layer in stale for layer in range(model.count)]
    now = channel = 0
    sent = [0] * model.count
    while True:
        begin, backlog, before = now, max(0, channel - now), sent
        backward, communication, forward, sent = ([0] * model.count for _ in range(4))
        for layer in orders.backward:
            backward[layer] = now
            now += b[layer]
            communication[layer] = max(channel, now)
            channel = sent[layer] = communication[layer] + v[layer]
        stall = 0
        for layer in orders.forward:
            forward[layer] = max(now, before[layer] if is_stale[layer] else sent[layer])
            stall += forward[layer] - now
            now = forward[layer] + u[layer]
        rows = (tuple(backward), tuple(communication), tuple(forward))
        yield Iteration(*rows, begin, now, stall), backlog
