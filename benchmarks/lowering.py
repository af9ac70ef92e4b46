"""Lowering and simulating schedules with communication: against PyTorch, and over growing M.

Run with ``python -m benchmarks.lowering``; the comparison needs torch. PyTorch's functions are
private, so that a release may move them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from resource import RUSAGE_SELF, getrusage
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Final

from benchmarks.measure import CELLS, main, table, timed
from schedules import Schedule, build, timeline
from schedules.formats.pytorch_csv import parse_csv
from schedules.lowering import lower
from schedules.validate import validate

STAGES_A_RANK: Final = 2
RANKS, MICROBATCHES = 64, 256
GROWING: Final = (488, 977, 1953, 3906)
GROWING_RANKS: Final = 128
RUNS, TORCH_RUNS = 5, 3

Order = dict[int, list[Any]]
RankOf = Callable[[int], int]


def torch_order(module: Any, name: str) -> tuple[Order, RankOf]:
    """A PyTorch schedule class's compute order without idle cells, and its ranks of stages.

    It needs no process group for that, and no more of its stages than what is stated here.
    """
    known = {"num_stages": RANKS * STAGES_A_RANK, "group_size": RANKS, "group_rank": 0}
    stages = [
        SimpleNamespace(**known, stage_index=index, has_backward=True, group=None, submod=None)
        for index in range(STAGES_A_RANK)
    ]
    found = getattr(module, name)(stages, MICROBATCHES, loss_fn=lambda *_: None)
    order = {
        rank: [action for action in found.pipeline_order[rank] if action is not None]
        for rank in range(RANKS)
    }
    return order, found.stage_index_to_group_rank.__getitem__


def as_schedule(name: str, order: Order) -> Schedule:
    """PyTorch's actions as a schedule of ours."""
    rows = (",".join(str(action) for action in order[rank]) for rank in sorted(order))
    return parse_csv("\n".join(rows), name, MICROBATCHES)


def against_torch() -> str:
    """Compare lowering and simulation with PyTorch's, on the same order and in the same run."""
    try:
        module = import_module("torch.distributed.pipelining.schedules")
    except ImportError as error:
        return f"not compared with PyTorch: {error}"
    return "\n\n".join(
        [
            _interleaved(module, "ScheduleInterleaved1F1B"),
            _overlapped(module, "ScheduleDualPipeV"),
        ]
    )


def _interleaved(module: Any, name: str) -> str:
    compute, rank_of = torch_order(module, name)
    schedule = as_schedule(name, compute)
    lowered = lower(schedule)

    def torch_lowering() -> Order:
        order: Order = module._add_send_recv(
            {rank: list(row) for rank, row in compute.items()}, rank_of, schedule.stages
        )
        return order

    sent = torch_lowering()
    _require_equal(lowered, as_schedule(name, sent))
    work = (
        ("`lower`, its checks included", lambda: lower(schedule), RUNS),
        ("PyTorch's `_add_send_recv`", torch_lowering, TORCH_RUNS),
        ("`timeline`", lambda: timeline(lowered, message_time=1), RUNS),
        (
            "PyTorch's `_simulate_comms_compute`",
            lambda: module._simulate_comms_compute(sent, rank_of, schedule.stages),
            TORCH_RUNS,
        ),
    )
    samples = [timed(run, runs) for _, run, runs in work]
    rows = [(what, *sample.cells()) for (what, _, _), sample in zip(work, samples, strict=True)]
    return (
        f"{name}, p = {RANKS}, M = {MICROBATCHES}: {len(schedule)} computations, {len(lowered)} "
        f"actions with messages, the same in both; PyTorch takes "
        f"{samples[1].median / samples[0].median:.1f} times as long to lower and "
        f"{samples[3].median / samples[2].median:.1f} times as long to simulate\n\n"
        f"{table(('', *CELLS), rows)}"
    )


def _overlapped(module: Any, name: str) -> str:
    compute, rank_of = torch_order(module, name)
    schedule = as_schedule(name, compute)
    lowered = lower(schedule)
    sent = module._add_send_recv(compute, rank_of, schedule.stages)
    _require_equal(lowered, as_schedule(name, sent))
    try:
        module._simulate_comms_compute(sent, rank_of, schedule.stages)
        outcome = "runs"
    except (KeyError, ValueError) as error:
        outcome = f"raises `{type(error).__name__}: {str(error)[:60]}`"
    work = (("`lower`", lambda: lower(schedule)), ("`timeline`", lambda: timeline(lowered)))
    rows = [(what, *timed(run, RUNS).cells()) for what, run in work]
    return (
        f"{name}, p = {RANKS}, M = {MICROBATCHES}: {len(schedule)} computations, {len(lowered)} "
        f"actions with messages, the same in both; `_simulate_comms_compute` {outcome}\n\n"
        f"{table(('', *CELLS), rows)}"
    )


def _require_equal(one: Schedule, other: Schedule) -> None:
    for name in ("kind", "stage", "microbatch", "offsets"):
        if getattr(one, name).tolist() != getattr(other, name).tolist():
            raise AssertionError("the two lowerings disagree")


def growth() -> str:
    """Seconds of each step and peak memory of the process, one fresh process a size."""
    rows = []
    for microbatches in GROWING:
        code = f"from benchmarks.lowering import steps; steps({microbatches})"
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout)
        actions = found["computations"]
        cells = [f"{seconds:.2f} s, {seconds / actions * 1e6:.2f}" for seconds in found["seconds"]]
        rows.append((str(actions), str(found["actions"]), *cells, f"{found['peak']:.0f}"))
    columns = ("computations", "with messages", "build", "validate", "lower", "timeline")
    return (
        f"gpipe, p = {GROWING_RANKS}, growing M; every step: time, and microseconds a computation; "
        f"one run each\n\n{table((*columns, 'peak MiB'), rows)}"
    )


def steps(microbatches: int) -> None:
    """Do every step once and print what it took as JSON."""
    times = [perf_counter()]

    def lap() -> None:
        times.append(perf_counter())

    schedule = build("gpipe", GROWING_RANKS, microbatches)
    lap()
    if validate(schedule):
        raise AssertionError("the family is not valid")
    lap()
    lowered = lower(schedule)
    lap()
    timeline(lowered, message_time=1)
    lap()
    seconds = [after - before for before, after in pairwise(times)]
    kilobytes = getrusage(RUSAGE_SELF).ru_maxrss
    found = {
        "computations": len(schedule),
        "actions": len(lowered),
        "seconds": seconds,
        "peak": kilobytes / 1024,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    # Growth first: a new process starts from its parent's peak, and torch is large.
    main("Times lowering and simulation.", lambda: [growth(), against_torch()])
