"""``--layers``: schedules in measured times, on measured layers."""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from schedules import Schedule, Timeline, timeline
from staleproof.arguments import Parser
from staleproof.errors import UsageError
from staleproof.output import note

if TYPE_CHECKING:
    from schedules.planning.costs import Costs
    from schedules.planning.layers import Layers

BOTH: Final = "layers say how many bytes stages have, and sizes do too"


def add_layers(parser: Parser) -> None:
    """Add ``--layers``."""
    parser.takes(
        """
        --layers LAYERS.csv  measured layers, split over the stages: real durations, bytes and
            message times (links in LAYERS.toml beside it; see docs/how-to/planning.md)
        """
    )


def given_layers(arguments: Namespace) -> Layers | None:
    """The layers that are asked for, with a note of what was rounded.

    Raises
    ------
    UsageError
        Sizes are given as well.
    schedules.errors.ScheduleError
        The file cannot be read or does not follow the format.
    """
    if arguments.layers is None:
        return None
    if getattr(arguments, "sizes", None) is not None:
        raise UsageError(BOTH, "--sizes", "drop one of them")
    return read_measured(arguments.layers)


def read_measured(path: str) -> Layers:
    """Read layers; notes on stderr say what was rounded or assumed."""
    from schedules.planning.layers import read_layers

    layers = read_layers(path)
    for remark in remarks(layers):
        note(f"{layers.file}: {remark}")
    return layers


def remarks(layers: Layers) -> list[str]:
    """What was rounded, or taken for something that the file does not say."""
    found = []
    if not layers.exact_messages:
        tick = f"1/{layers.ticks} {layers.unit or 'units'}"
        found.append(f"message times are rounded up to {tick}; durations are exact")
    if not layers.stated_outputs and not layers.network.is_instant:
        found.append(
            "no column output_bytes: messages are taken to carry the activation_bytes of the last "
            "layer of a stage"
        )
    return found


class Clock:
    """The times of runs: slots, or ticks of measured layers, which split as the schedule does."""

    def __init__(self, layers: Layers | None) -> None:
        self.layers = layers

    def costs(self, schedule: Schedule) -> Costs | None:
        """The layers on the stages of a schedule; None without layers."""
        from schedules.planning.costs import split

        return None if self.layers is None else split(self.layers, schedule.placement)

    def line(self, schedule: Schedule) -> Timeline:
        """The run of a schedule."""
        costs = self.costs(schedule)
        return timeline(schedule) if costs is None else costs.timeline(schedule)

    def time(self, ticks: int) -> int | Fraction:
        """Ticks in the unit of the layers; slots are their own."""
        return ticks if self.layers is None else self.layers.time(ticks)

    def text(self, ticks: int) -> str:
        """A time with its unit."""
        return time_text(self.time(ticks), "slots" if self.layers is None else self.layers.unit)


def time_text(time: int | Fraction, unit: str = "") -> str:
    """A time for people: up to four decimals, ``~`` before what is rounded.

    Examples
    --------
    >>> time_text(Fraction(5, 2), "ms"), time_text(Fraction(1, 3)), time_text(7, "slots")
    ('2.5 ms', '~0.3333', '7 slots')
    """
    if isinstance(time, int) or time.denominator == 1:
        text = str(time)
    else:
        exact = (time * 10**4).denominator == 1
        text = ("" if exact else "~") + f"{float(time):.4f}".rstrip("0").rstrip(".")
    return f"{text} {unit}".strip()


def exposed_of(line: Timeline, costs: Costs) -> dict[str, Any]:
    """Waiting for messages on their way, and what the critical path is made of, as plain data."""
    from schedules.analysis import critical_shares, exposed_communication

    layers = costs.layers
    links = exposed_communication(line, costs.message_time)
    shares = critical_shares(line, costs.message_time)
    return {
        "exposed_communication": layers.time(sum(link.exposed for link in links)),
        "links": [
            {
                "source": link.source,
                "target": link.target,
                "messages": link.messages,
                "busy": layers.time(link.busy),
                "exposed": layers.time(link.exposed),
            }
            for link in links
        ],
        "critical_path": [
            {"what": share.what, "count": share.count, "time": layers.time(share.time)}
            for share in shares
        ],
        "partition": list(costs.bounds),
    }
