"""Lines of Algorithms 4 and 5 as formulas, run on sequential models.

In a sequential model the sets from which RANDOMSELECT and GETMININDEX take hold one layer each, so
that a loop is a recursion from layer to layer. Its lines are formulas over the variables of the
algorithms; the same ones serve numbers and solver terms.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import sympy
import z3

from schedules.partial_staleness import Model
from theory.claims import Formulas
from theory.laws.static_orders.symbols import term
from theory.papers.sapipe.witnesses.timetables import timetable
from theory.smt.solver import Statement, Term

t, b, u, v, r, c = sympy.symbols("t b u v r c", integer=True)
"""The clock t; of a layer, durations b, u, v, the time r when its gradient is ready and c when its
communication starts."""

PRINTED_4 = {"ready": t, "clock": t + b, "start": t, "channel": t + v}
"""Lines 7, 8, 16 and 17."""

REPAIRED_4 = {
    "ready": t + b,
    "clock": t + b,
    "start": sympy.Max(t, r),
    "channel": sympy.Max(t, r) + v,
}
"""A gradient is ready when its backward has ended, and not sent before."""

PRINTED_5 = {"test": t + u, "gradient": c, "clock": t + u}
"""Lines 6 and 7: a layer is stale if its test comes before its gradient."""

REPAIRED_5 = {"test": t, "gradient": c + v, "clock": t + u}
"""A forward is tested when it starts, against the end of the communication."""


def communications(
    formulas: Formulas, model: Model, begin: int = 0
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """When gradients are ready and when their communications start, by Algorithm 4.

    Its line 2 sets the clock to `begin`, in ticks after the start of the first backward.

    Examples
    --------
    >>> from schedules.partial_staleness import sequential
    >>> model = sequential(backward=[2, 1, 3], forward=[1, 1, 1], communication=[1, 2, 1])
    >>> communications(PRINTED_4, model), communications(REPAIRED_4, model)
    (((4, 3, 0), (3, 1, 0)), ((6, 4, 3), (6, 4, 3)))
    """
    ready, start, clock, channel = [0] * model.count, [0] * model.count, begin, 0
    line = {name: _compiled(form) for name, form in formulas.items()}
    for layer in reversed(range(model.count)):
        now = {"t": clock, "b": model.b[layer]}
        ready[layer], clock = line["ready"](**now), line["clock"](**now)
    for layer in reversed(range(model.count)):
        now = {"t": channel, "r": ready[layer], "v": model.v[layer]}
        start[layer], channel = line["start"](**now), line["channel"](**now)
    return tuple(ready), tuple(start)


def stale_layers(formulas: Formulas, model: Model, start: tuple[int, ...]) -> frozenset[int]:
    """The stale layers by Algorithm 5, from these starts of communications.

    Examples
    --------
    >>> from schedules.partial_staleness import sequential
    >>> model = sequential(backward=[2, 1, 3], forward=[1, 1, 1], communication=[1, 2, 1])
    >>> [set(stale_layers(lines, model, (6, 4, 3))) for lines in (PRINTED_5, REPAIRED_5)]
    [set(), {0}]
    """
    found, clock = set[int](), sum(model.b)
    line = {name: _compiled(form) for name, form in formulas.items()}
    for layer in range(model.count):
        now = {"t": clock, "u": model.u[layer], "v": model.v[layer], "c": start[layer]}
        if line["test"](**now) < line["gradient"](**now):
            found.add(layer)
        clock = line["clock"](**now)
    return frozenset(found)


@cache
def _compiled(form: sympy.Expr) -> Any:
    values = sympy.lambdify((t, b, u, v, r, c), form, modules=[{"Max": max, "Min": min}, "math"])

    def at(**known: int) -> int:
        return int(values(*(known.get(symbol.name, 0) for symbol in (t, b, u, v, r, c))))

    return at


_REALS = {symbol: z3.Real(symbol.name) for symbol in (t, b, u, v, r, c)}
_TIMES = tuple(_REALS[symbol] > 0 for symbol in (b, u, v))
_BEGUN = tuple(_REALS[symbol] >= 0 for symbol in (t, r, c))


def _read(form: sympy.Expr) -> Term:
    return term(form, _REALS)


def timing(formulas: Formulas) -> Iterator[Statement]:
    """Algorithm 4, layer by layer: from when backward and communication i + 1 have ended to i.

    Its clock t is the end of the backward before; in the second loop the end of the communication
    before. The start is the first moment when the channel is free and the gradient there.
    """
    clock, ended = _REALS[t], _REALS[t] + _REALS[b]
    yield Statement(
        "ready",
        "line 7: a gradient is ready when its backward has ended, after the one before",
        (*_TIMES, *_BEGUN),
        z3.And(_read(formulas["ready"]) == ended, _read(formulas["clock"]) == ended),
    )
    start, ready = _read(formulas["start"]), _REALS[r]
    first = z3.And(start >= clock, start >= ready, z3.Or(start == clock, start == ready))
    yield Statement(
        "start",
        "line 16: a communication starts as soon as the channel is free and its gradient ready",
        (*_TIMES, *_BEGUN),
        z3.And(first, _read(formulas["channel"]) == start + _REALS[v]),
    )


def marking(formulas: Formulas) -> Statement:
    """Algorithm 5, layer by layer: its clock t is the end of the forward before."""
    begins, sent = _REALS[t], _REALS[c] + _REALS[v]
    stale = _read(formulas["test"]) < _read(formulas["gradient"])
    return Statement(
        "stale",
        "line 7: a layer is stale if and only if its gradient is not there when its forward begins",
        (*_TIMES, *_BEGUN),
        z3.And(stale == (begins < sent), _read(formulas["clock"]) == begins + _REALS[u]),
    )


def late(model: Model) -> frozenset[int]:
    """Layers whose gradient is not there when their forward begins, from a timetable."""
    found = timetable(model)
    times = enumerate(zip(found.forward, found.communication, model.v, strict=True))
    return frozenset(layer for layer, (begins, starts, takes) in times if begins < starts + takes)
