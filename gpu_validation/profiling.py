"""One run under ``torch.profiler``: when every rank communicates and when it computes.

docs/how-to/measuring.md says what counts as which on every transport. Waiting and handing over are
ranges that the executor marks; everything else is what PyTorch reports by itself. On gloo a thread
listens all the time, so a receive counts from when the rank waits for it; a send that is still
under way when the rank's run ends does not count. A profile disturbs what is timed, so it is never
that of a run whose times are reported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gpu_validation.communication import RankProfile, blind, rank_profile
from gpu_validation.intervals import Interval, difference

if TYPE_CHECKING:
    from gpu_validation.spec import RunSpec

Mark = Callable[[str], AbstractContextManager[Any]]
"""Marks a range of the present thread by name."""

RUN: Final = "staleproof run of rank "
WAIT: Final = "staleproof waits"
SEND: Final = "staleproof sends"

_UNDER_WAY: Final = ("gloo:send", "gloo:recv")
"""Events that last from when a transfer is asked for until it is through."""

_CARRIERS: Final = ("c10d::", "gloo:", "nccl:", "record_param_comms")
"""How operators begin that carry messages and compute nothing."""

_NOT_COMPUTING: Final = ("memcpy", "memset")
_NOTHING: Final = nullcontext()


@dataclass(frozen=True)
class Seen:
    """An event of a profile.

    - `start`, `end`: nanoseconds.
    - `thread`: that of its start; of the host only.
    - `on_device`: whether it ran on a GPU.
    - `user`: whether it is a range that was marked, not an operator or a kernel.
    """

    name: str
    start: int
    end: int
    thread: int = 0
    on_device: bool = False
    user: bool = False


def marker(on: bool) -> Mark:
    """What marks ranges: `torch.profiler.record_function`, or nothing at next to no cost."""
    if not on:
        return lambda _: _NOTHING
    from torch.profiler import record_function

    return record_function


@contextmanager
def around_ranks(spec: RunSpec) -> Iterator[list[RankProfile]]:
    """Profile ranks that are threads of this process; the list is filled at the end."""
    with _profiled(spec, spec.transport == "threads") as found:
        yield found


@contextmanager
def of_rank(spec: RunSpec, rank: int) -> Iterator[list[RankProfile]]:
    """Mark the run of a rank, and profile it if it is a process; the list is filled at the end."""
    own = _profiled(spec, spec.transport != "threads")
    with own as found, marker(spec.profile)(f"{RUN}{rank}"):
        yield found
        if spec.profile and spec.device == "cuda":
            import torch

            # What the rank has handed to the device belongs to its run.
            torch.cuda.current_stream().synchronize()


@contextmanager
def _profiled(spec: RunSpec, here: bool) -> Iterator[list[RankProfile]]:
    found: list[RankProfile] = []
    wanted = here and spec.profile and blind(spec.transport, spec.device, spec.share_gpus) is None
    profile = _profiler(spec.device, spec.transport == "threads") if wanted else None
    if profile is None:
        yield found
        return
    with profile:
        yield found
    found.extend(profiles(_events(profile), spec.device))


def _profiler(device: str, all_threads: bool) -> Any | None:
    """A profiler; None if this PyTorch cannot profile threads that others have started."""
    # PyTorch's profiler would tell everybody when it starts and stops.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    from torch.profiler import ProfilerActivity, profile

    options: dict[str, Any] = {}
    if all_threads:
        from torch._C._profiler import _ExperimentalConfig

        try:
            options["experimental_config"] = _ExperimentalConfig(profile_all_threads=True)
        except TypeError:
            return None
    activities = [ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    return profile(activities=activities, **options)


def _events(profile: Any) -> list[Seen]:
    """The events of a profile that is over, in whole nanoseconds."""
    return [
        Seen(
            event.name(),
            event.start_ns(),
            event.start_ns() + event.duration_ns(),
            event.start_thread_id(),
            event.device_type().name == "CUDA",
            event.is_user_annotation(),
        )
        for event in profile.profiler.kineto_results.events()
    ]


def profiles(events: Sequence[Seen], device: str) -> list[RankProfile]:
    """Sort the events of a profile by rank and by what they are.

    - `device`: on ``cuda`` there is one rank, and every kernel is its own.
    """
    runs = [event for event in events if event.name.startswith(RUN) and not event.on_device]
    sort = _kernels if device == "cuda" else _operators
    return [
        rank_profile(int(run.name.removeprefix(RUN)), (run.start, run.end), *sort(events, run))
        for run in sorted(runs, key=lambda run: int(run.name.removeprefix(RUN)))
    ]


def _operators(events: Sequence[Seen], run: Seen) -> tuple[Sequence[Interval], Sequence[Interval]]:
    """Communication and computation of a rank on a CPU."""
    own = [event for event in events if event.thread == run.thread and not event.on_device]
    marked = [_times(event) for event in own if event.user and event.name in (WAIT, SEND)]
    under_way = [_times(event) for event in own if event.name in _UNDER_WAY]
    operators = [
        _times(event) for event in own if not event.user and not event.name.startswith(_CARRIERS)
    ]
    # Operators inside a marked range copy what is sent.
    return [*marked, *under_way], difference(operators, marked)


def _kernels(events: Sequence[Seen], run: Seen) -> tuple[Sequence[Interval], Sequence[Interval]]:
    """Communication and computation of a rank that has a GPU of its own."""
    there = [(e.name.lower(), _times(e)) for e in events if e.on_device and not e.user]
    return [times for name, times in there if "nccl" in name], [
        times for name, times in there if "nccl" not in name and not name.startswith(_NOT_COMPUTING)
    ]


def _times(event: Seen) -> Interval:
    return event.start, event.end
