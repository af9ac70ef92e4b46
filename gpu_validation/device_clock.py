"""Times on a device: events that are put on the stream and read when the run is over."""

from __future__ import annotations

from typing import TypeAlias

import torch

from gpu_validation.event_log import Deferred

Stamp: TypeAlias = "torch.cuda.Event | None"
"""A place in a stream; None on a CPU."""


class DeviceClock:
    """The clock of the present stream; on a CPU there is none, and nothing is noted.

    Examples
    --------
    >>> clock = DeviceClock("cpu")
    >>> clock.between(clock.stamp())
    {}
    """

    def __init__(self, device: str) -> None:
        self._on = device == "cuda"
        self._origin = self.stamp()

    def stamp(self) -> Stamp:
        """Put an event on the present stream."""
        if not self._on:
            return None
        event = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        event.record()
        return event

    def between(self, begun: Stamp) -> dict[str, Deferred]:
        """Nanoseconds from the first stamp to `begun`, and until now on the device."""
        origin, ended = self._origin, self.stamp()
        if begun is None or origin is None or ended is None:
            return {}

        def since(event: torch.cuda.Event) -> Deferred:
            def read() -> int:
                event.synchronize()
                return round(float(origin.elapsed_time(event)) * 1e6)

            return read

        return {"device_start": since(begun), "device_end": since(ended)}
