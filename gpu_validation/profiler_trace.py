"""Traces of ``torch.profiler`` (Kineto, Chrome's format) as logs: order, times, overlap.

What counts are ranges called ``PP:`` and an action as schedule files have it, such as ``PP:0F3``
(stage 0, microbatch 3) or ``PP:1U3``. PyTorch's own runtime for looped, interleaved and zero-bubble
schedules names its ranges so (`torch.distributed.pipelining.schedules`, read in 2.13); its GPipe
has ``Forward 3`` and ``Backward 3``, which are those of the stage of the rank's number. In a loop
of your own write ``with torch.profiler.record_function(f"PP:{stage}F{microbatch}"):``.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from gpu_validation.communication import RankProfile
from gpu_validation.profiling import RUN, Seen, profiles
from schedules.errors import FormatError
from schedules.formats.piped import MAX_BYTES
from schedules.formats.strict_json import display_name, unreadable

_CELL: Final = re.compile(r"PP:(\d{1,9})(F|B|I|W|U)(\d{1,9})")
_WHOLE: Final = re.compile(r"(Forward|Backward) (\d{1,9})")
_LANES: Final = ("gpu_user_annotation", "user_annotation")
"""Categories of ranges: on the device if it was traced, else on the host."""

_KERNELS: Final = ("kernel", "gpu_memcpy", "gpu_memset")
"""Categories of what ran on a device."""

FIX: Final = "trace the step with torch.profiler, and name its ranges as docs/how-to/recording.md"


def is_profile(path: Path) -> bool:
    """Whether a file is called ``.json`` or ``.json.gz``, and does not begin as our own logs do."""
    if path.suffixes[-2:] == [".json", ".gz"]:
        return True
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return b"staleproof-trace" not in file.read(4096)


def log_lines(paths: Sequence[Path]) -> str:
    """The traces of all ranks, one a file, as the lines of one log.

    Actions that come again, in the same order or another, are those of the next step. Times are
    those of the profiler of each rank, and are not compared between ranks.

    Raises `FormatError`: a file is no such trace, has no range of a pipeline's action, or two are
    of one rank.
    """
    found: dict[int, list[dict[str, Any]]] = {}
    sizes = set()
    for number, path in enumerate(paths):
        document = _read(path)
        rank, size = _rank(document, number, len(paths))
        sizes.add(size)
        events = [*_events(document, rank, path)]
        if rank in found or not events or len(sizes) > 1:
            problem = "a range of an action, such as PP:0F3, found none"
            if events:
                problem = f"one rank of {min(sizes)}, found rank {rank} of {size} beside others"
            raise FormatError(f"each trace has {problem}", display_name(path), FIX)
        found[rank] = events
    every = [event for rank in sorted(found) for event in found[rank]]
    header = {
        "schema": "staleproof-trace/1", "unit": "ns", "name": "recorded", "ranks": sizes.pop(),
        "microbatches": 1 + max(event["microbatch"] for event in every),
        "parameters": {"recorder": 1, "run": 0},
    }  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in (header, *every))


def rank_profiles(paths: Sequence[Path]) -> tuple[str, list[RankProfile]]:
    """What the ranks of traces did: the device, and when each communicated and computed.

    The run of a rank is from its first range of an action to the end of the last one. On a CPU
    counts what ran in the thread of these ranges, on a GPU every kernel.

    Raises `FormatError`: as `log_lines`.
    """
    found, kernels = [], False
    for number, path in enumerate(paths):
        document = _read(path)
        rank, _ = _rank(document, number, len(paths))
        seen = [_seen(one, path) for one in document["traceEvents"] if _is_range(one)]
        marks = [event for event in seen if event.user and _action(event.name, rank) is not None]
        if marks:
            start, end = min(one.start for one in marks), max(one.end for one in marks)
            run = Seen(f"{RUN}{rank}", start, end, marks[0].thread, user=True)
            on_device = any(event.on_device for event in seen)
            kernels = kernels or on_device
            found += profiles([run, *seen], "cuda" if on_device else "cpu")
    return "cuda" if kernels else "cpu", found


def _is_range(event: object) -> bool:
    return (
        isinstance(event, dict)
        and event.get("ph") == "X"
        and event.get("cat") in (*_KERNELS, "cpu_op", "user_annotation")
    )


def _seen(event: Mapping[str, Any], path: Path) -> Seen:
    start, thread = _nanoseconds(event, "ts", path), event.get("tid")
    return Seen(
        str(event.get("name")),
        start,
        start + _nanoseconds(event, "dur", path),
        thread if isinstance(thread, int) else 0,
        event["cat"] in _KERNELS,
        event["cat"] == "user_annotation",
    )


def _read(path: Path) -> Mapping[str, Any]:
    name = display_name(path)
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        if len(text) > MAX_BYTES:
            raise FormatError(
                f"a trace has at most {MAX_BYTES} bytes, found {len(text)}", name, FIX
            )
        document = json.loads(text, parse_float=Decimal)
    except (OSError, EOFError) as error:
        raise unreadable(OSError(str(error)), name) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"a trace is JSON, found {error}", name, FIX) from None
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        raise FormatError("a trace is an object with traceEvents, found none", name, FIX)
    return document


def _rank(document: Mapping[str, Any], number: int, files: int) -> tuple[int, int]:
    """Rank and number of ranks: as the profiler says, else by the order of the files."""
    about = document.get("distributedInfo")
    place = (about.get("rank"), about.get("world_size")) if isinstance(about, dict) else ()
    match place:
        case int(rank), int(size) if 0 <= rank < size:
            return rank, size
    return number, files


def _events(document: Mapping[str, Any], rank: int, path: Path) -> Iterator[dict[str, Any]]:
    ranges = [
        (one["cat"], action, _nanoseconds(one, "ts", path), _nanoseconds(one, "dur", path))
        for one in document["traceEvents"]
        if isinstance(one, dict) and one.get("ph") == "X" and one.get("cat") in _LANES
        if (action := _action(one.get("name"), rank)) is not None
    ]
    lane = min((category for category, *_ in ranges), default="")
    chosen = sorted((start, end, action) for cat, action, start, end in ranges if cat == lane)
    seen: Counter[tuple[str, int, int]] = Counter()
    for start, length, (op, stage, microbatch) in chosen:
        step = seen[op, stage, microbatch]
        seen[op, stage, microbatch] += 1
        yield {
            "rank": rank, "op": op, "stage": stage, "microbatch": microbatch, "pipeline": 0,
            "start": start, "end": start + length,
            "extra": {"host": f"profiler of rank {rank}", "run": 0, "step": step},
        }  # fmt: skip


def _action(name: object, rank: int) -> tuple[str, int, int] | None:
    """What a range is called, as kind, stage and microbatch."""
    if not isinstance(name, str):
        return None
    if cell := _CELL.fullmatch(name):
        return cell[2], int(cell[1]), int(cell[3])
    whole = _WHOLE.fullmatch(name)
    return None if whole is None else (whole[1][0], rank, int(whole[2]))


def _nanoseconds(event: Mapping[str, Any], key: str, path: Path) -> int:
    value = event.get(key)
    if not isinstance(value, int | Decimal) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise FormatError(
            f"a range has {key} in microseconds, found {value!r} in {event.get('name')!r}",
            display_name(path),
            FIX,
        )
    return int(value * 1000)
