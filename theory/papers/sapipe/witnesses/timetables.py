"""One iteration of a sequential model without a stall, from an empty channel: start times."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from schedules.partial_staleness import Model


@dataclass(frozen=True)
class Timetable:
    """When things start, by layer, in ticks after the start of the first backward."""

    model: Model
    forward: tuple[int, ...]
    communication: tuple[int, ...]

    def times(self, layer: int, completion: bool = False) -> tuple[int, int, int, int]:
        """c(u), u, c(v), v of a layer; c is the start, or the time of completion."""
        u, v = self.model.u[layer], self.model.v[layer]
        later = (u, v) if completion else (0, 0)
        return self.forward[layer] + later[0], u, self.communication[layer] + later[1], v

    def shown(self) -> dict[str, Any]:
        """As data, for a witness."""
        model = self.model
        return {
            **{"m": model.count, "b": model.b, "u": model.u, "v": model.v},
            "forwards start": self.forward,
            "communications start": self.communication,
        }


def backward_ends(model: Model) -> list[int]:
    """When the backward of each layer ends."""
    return list(accumulate(reversed(model.b)))[::-1]


def timetable(model: Model, smallest_first: bool = False) -> Timetable:
    """Play one iteration; the channel takes gradients as they come, none is interrupted.

    Parameters
    ----------
    model : Model
    smallest_first : bool
        Of the gradients that are ready the one of the smallest layer is sent; else the one that
        has been ready for longest.

    Examples
    --------
    >>> from schedules.partial_staleness import sequential
    >>> model = sequential([1, 1, 1], [1, 1, 1], [1, 1, 2])
    >>> timetable(model).communication, timetable(model, smallest_first=True).communication
    ((4, 3, 1), (3, 4, 1))
    """
    ends, start, now = backward_ends(model), [0] * model.count, 0
    waiting = set(range(model.count))
    while waiting:
        now = max(now, min(ends[layer] for layer in waiting))
        ready = [layer for layer in waiting if ends[layer] <= now]
        layer = min(ready) if smallest_first else max(ready)
        start[layer] = now
        now += model.v[layer]
        waiting.remove(layer)
    forward = tuple(accumulate(model.u[:-1], initial=sum(model.b)))
    return Timetable(model, forward, tuple(start))
