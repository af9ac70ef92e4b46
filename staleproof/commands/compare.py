"""``staleproof compare``: schedules side by side.

Prints makespan, bubble, utilisation, memory, staleness and messages of several schedules in a
table. All run in the same unit times, recorded traces in their own; with --layers in measured
times, the layers split over the stages of each. A file that cannot run is refused; one that hangs
with small buffers is marked.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from schedules import FAMILIES, Kind, Schedule, Timeline, build, get_family, timeline, versions
from schedules.actions import among
from schedules.families import is_family_file
from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.errors import UsageError
from staleproof.family_options import add_parameters, add_size, parameters, size
from staleproof.layer_options import Clock, add_layers, exposed_of, given_layers, time_text
from staleproof.output import put_json, put_table
from staleproof.soundness import require_runnable
from staleproof.sources import is_file

if TYPE_CHECKING:
    from schedules.analysis import Sizes
    from schedules.planning.costs import Costs

WHOLE: Final = "F = B = 1"
SPLIT: Final = "F = I = W = 1, B = 2"
HANGS: Final = "with one queue a rank and no buffer"

LABELS: Final = {
    "times": "times",
    "ranks": "ranks",
    "stages": "stages",
    "microbatches": "microbatches",
    "makespan": "makespan",
    "bubble": "bubble",
    "utilisation_min": "utilisation, least",
    "utilisation_max": "utilisation, most",
    "peak_activations": "activations kept, most on a rank",
    "peak_versions": "weight versions kept, most of a copy",
    "peak_pending": "weight gradients pending, most on a rank",
    "staleness_max": "local staleness, most",
    "messages": "messages",
    "hangs": "hangs",
    "peak_bytes": "bytes kept, most on a rank",
    "volume": "bytes sent",
    "exposed_communication": "waiting for messages on their way, all ranks",
    "links": "  by link",
    "critical_path": "critical path, longest parts",
    "partition": "layers by stage",
}


def configure(parser: Parser) -> None:
    """Add the arguments of ``compare``."""
    parser.takes(
        """
        sources+ FAMILY|FILE  families (or their .py files) and schedule files
        """
    )
    add_size(parser)
    add_parameters(parser)
    parser.add_argument(
        "--sizes", metavar="FILE.toml", help="bytes of each stage: adds memory and volume in bytes"
    )
    add_layers(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Compare schedules."""
    from schedules.analysis import read_sizes

    _require_consistent(arguments)
    clock = Clock(given_layers(arguments))
    sizes = None if arguments.sizes is None else read_sizes(arguments.sizes)
    found = [
        summary(name, line, sizes, costs) | {"times": times} | ({"hangs": HANGS} if hangs else {})
        for name, line, times, costs, hangs in _runs(arguments, clock)
    ]
    if arguments.json:
        put_json({"schedules": found})
        return 0
    rows = [
        [label, *(_cell(entry.get(key), key) for entry in found)]
        for key, label in LABELS.items()
        if any(entry.get(key) is not None for entry in found)
    ]
    put_table("", ["", *(entry["name"] for entry in found)], rows)
    return 0


def summary(
    name: str, line: Timeline, sizes: Sizes | None = None, costs: Costs | None = None
) -> dict[str, Any]:
    """The numbers of one run, as plain data; bytes are None without `sizes` and `costs`.

    Examples
    --------
    >>> found = summary("gpipe", timeline(build("gpipe", 2, 3)))
    >>> found["makespan"], str(found["bubble"]), found["peak_activations"], found["messages"]
    (8, '1/4', 3, 6)
    """
    from schedules.analysis import byte_peaks, peaks, traffic, utilisation

    schedule = line.schedule
    sizes = sizes if costs is None else costs.sizes
    busy, most, channels = utilisation(line), peaks(line), traffic(schedule, sizes)
    return {
        "name": name,
        "ranks": schedule.ranks,
        "stages": schedule.stages,
        "microbatches": schedule.microbatches,
        "makespan": line.length if costs is None else costs.layers.time(line.length),
        "bubble": line.idle_fraction,
        "utilisation_min": min(busy, default=Fraction(0)),
        "utilisation_max": max(busy, default=Fraction(0)),
        "peak_activations": max(most.activations_by_rank, default=0),
        "peak_versions": max(most.versions_by_stage, default=0),
        "peak_pending": max(most.pending_by_rank, default=0),
        "staleness_max": int(versions(schedule).local_staleness.max(initial=0)),
        "messages": sum(channel.messages for channel in channels),
        "peak_bytes": None if sizes is None else max(byte_peaks(line, sizes).total, default=0),
        "volume": None if sizes is None else sum(channel.volume or 0 for channel in channels),
        **({} if costs is None else exposed_of(line, costs)),
    }


def _require_consistent(arguments: Namespace) -> None:
    given = "-p" if arguments.p is not None else "--set" if arguments.set else None
    if given and all(is_file(source) for source in arguments.sources):
        raise UsageError("it describes a family, and these are files", given, "drop it")
    families = [source for source in arguments.sources if not is_file(source)]
    known = {known.name for source in families for known in get_family(source).parameters}
    unknown = [name for name in parameters(arguments) if name not in known]
    if unknown:
        raise UsageError(
            f"none of these families has a parameter {unknown[0]!r}; they have: "
            f"{', '.join(sorted(known)) or 'none'}",
            "--set",
            "see `staleproof families`",
        )


def _runs(
    arguments: Namespace, clock: Clock
) -> Iterator[tuple[str, Timeline, str, Costs | None, bool]]:
    """Name, run, meaning of time, costs of every schedule, and whether its messages may hang.

    Without layers, where one splits its backwards, whole ones take 2 slots in all of them: else a
    slot would not mean the same amount of work. For the same reason a batch that is not cut takes
    M slots where others cut it into M.
    """
    loaded = list(_loaded(arguments))
    cut = max(schedule.microbatches for _, schedule, _, _ in loaded)
    split = any(among(schedule.kind, (Kind.I, Kind.W)).any() for _, schedule, _, _ in loaded)
    durations, times = ({Kind.B: 2}, SPLIT) if split else ({}, WHOLE)
    for name, schedule, recorded, hangs in loaded:
        costs = clock.costs(schedule)
        if recorded is not None and costs is not None:
            raise UsageError(f"{name} has times that were recorded", "--layers", "drop one of them")
        if recorded is not None:
            yield name, recorded, "recorded", None, hangs
        elif costs is not None:
            unit = f" ({costs.layers.unit})" if costs.layers.unit else ""
            yield name, costs.timeline(schedule), f"{costs.layers.file}{unit}", costs, hangs
        elif cut > 1 and schedule.name in FAMILIES and FAMILIES[schedule.name].whole_batch:
            whole = {Kind.F: cut, Kind.B: cut * durations.get(Kind.B, 1)}
            said = f"F = {cut}, B = {2 * cut}" if split else f"F = B = {cut}"
            yield f"{name} (not cut)", timeline(schedule, whole), said, None, hangs
        else:
            yield name, timeline(schedule, durations), times, None, hangs


def _loaded(arguments: Namespace) -> Iterator[tuple[str, Schedule, Timeline | None, bool]]:
    """Every schedule, its run if that was recorded, and whether its messages may hang.

    A parameter goes to the families that have it, and -m to files only where no family takes it.
    """
    families = [source for source in arguments.sources if not is_file(source)]
    for source in arguments.sources:
        if source not in families:
            yield source, *_read(source, None if families else arguments.m)
            continue
        family = get_family(source)
        own = {parameter.name for parameter in family.parameters}
        chosen = {key: value for key, value in parameters(arguments).items() if key in own}
        ranks, microbatches = size(arguments, source)
        bytes_or_layers = arguments.sizes is not None or given_layers(arguments) is not None
        if family.whole_batch and len(arguments.sources) > 1 and not bytes_or_layers:
            microbatches = 1
        built = build(source, ranks, microbatches, **chosen)
        yield source, built, None, is_family_file(source) and not require_runnable(source, built)


def _read(source: str, microbatches: int | None) -> tuple[Schedule, Timeline | None, bool]:
    from schedules.formats import read_document

    document = read_document(source, None, microbatches, None)
    line = None if document.trace is None else document.trace.timeline
    return document.schedule, line, not require_runnable(source, document)


def _cell(value: Any, key: str) -> str:
    if value is None:
        return ""
    if key in ("makespan", "exposed_communication"):
        return time_text(value)
    if key == "links":
        waits = sorted((link for link in value if link["exposed"]), key=lambda at: -at["exposed"])
        return _first(f"{at['source']}→{at['target']} {time_text(at['exposed'])}" for at in waits)
    if key == "critical_path":
        return _first(
            f"{part['what']} ×{part['count']} {time_text(part['time'])}" for part in value
        )
    if key == "partition":
        return " ".join(str(b - a) for a, b in pairwise(value))
    if isinstance(value, Fraction):
        return f"{value} ({float(value):.1%})" if value.denominator > 1 else str(value)
    return str(value)


def _first(parts: Iterable[str], most: int = 4) -> str:
    several = list(parts)
    return ", ".join(several[:most]) + (", …" if len(several) > most else "")


COMMAND: Final = Command.of(__doc__, configure, run)
