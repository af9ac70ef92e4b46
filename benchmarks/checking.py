"""Checking schedules with communication: against PyTorch's simulator, and over growing M.

Run with ``python -m benchmarks.checking``; the comparison needs torch. PyTorch's functions are
private, so that a release may move them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter
from typing import Final

from benchmarks.lowering import MICROBATCHES, RANKS, as_schedule, torch_order
from benchmarks.measure import CELLS, main, table, timed
from schedules import Schedule, build
from schedules.formats.pytorch_csv import read_csv, write_csv
from schedules.invariants import check
from schedules.lowering import lower
from schedules.messages.capacity import deadlock_facts
from schedules.messages.channels import channels
from schedules.messages.model import QueueKey, QueueModel
from schedules.validation.deadlock_free import deadlock_free
from schedules.validation.match import match

GROWING: Final = (330, 660, 1320, 2640)
GROWING_RANKS: Final = 64
RUNS, TORCH_RUNS = 5, 3


def messages_of(schedule: Schedule) -> dict[QueueKey, int | None]:
    """Everything that is decided about messages: matching, deadlock, the least buffers."""
    plan = channels(schedule)
    hangs = deadlock_free(schedule, plan, QueueModel())
    match(schedule, plan)
    known = None if hangs else QueueModel()
    return deadlock_facts(schedule, plan, known)


def against_torch() -> str:
    """The decisions about messages, and PyTorch's simulation of the same order."""
    try:
        module = import_module("torch.distributed.pipelining.schedules")
    except ImportError as error:
        return f"not compared with PyTorch: {error}"
    compute, rank_of = torch_order(module, "ScheduleInterleaved1F1B")
    plain = as_schedule("ScheduleInterleaved1F1B", compute)
    sent = module._add_send_recv(compute, rank_of, plain.stages)
    schedule, late = as_schedule("lowered", sent), lower(plain, "just-in-time")
    work = (
        ("match, deadlock, least buffers", lambda: messages_of(schedule), RUNS),
        (
            "PyTorch's `_simulate_comms_compute`",
            lambda: module._simulate_comms_compute(sent, rank_of, plain.stages),
            TORCH_RUNS,
        ),
        ("the same of an order that hangs", lambda: messages_of(late), RUNS),
    )
    samples = [timed(run, runs) for _, run, runs in work]
    rows = [(what, *sample.cells()) for (what, _, _), sample in zip(work, samples, strict=True)]
    return (
        f"ScheduleInterleaved1F1B, p = {RANKS}, M = {MICROBATCHES}: {len(schedule)} actions with "
        f"messages; PyTorch takes {samples[1].median / samples[0].median:.1f} times as long to "
        f"simulate one model\n\n{table(('', *CELLS), rows)}"
    )


def growth() -> str:
    """Seconds of each step and peak memory of the process, one fresh process a size."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "schedule.csv")
        for microbatches in GROWING:
            _in_a_process_of_its_own(f"write({path!r}, {microbatches})")
            found = json.loads(_in_a_process_of_its_own(f"steps({path!r})"))
            count = found["actions"]
            cells = [f"{spent:.2f} s, {spent / count * 1e6:.2f}" for spent in found["seconds"]]
            rows.append((str(count), *cells, f"{found['peak']:.0f}"))
    columns = ("actions", "read", "messages", "the whole check", "peak MiB")
    return (
        f"1f1b, p = {GROWING_RANKS}, receives as soon as possible, growing M; every step: time, "
        f"and microseconds an action; one run each\n\n{table(columns, rows)}"
    )


def _in_a_process_of_its_own(call: str) -> str:
    code = f"from benchmarks import checking; checking.{call}"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout


def write(path: str, microbatches: int) -> None:
    """Write a schedule with messages to a file."""
    lowered = lower(build("1f1b", GROWING_RANKS, microbatches))
    Path(path).write_text(write_csv(lowered), encoding="utf-8")


def steps(path: str) -> None:
    """Do every step once and print what it took as JSON."""
    times = [perf_counter()]
    schedule = read_csv(path)
    times.append(perf_counter())
    messages_of(schedule)
    times.append(perf_counter())
    if not check(schedule).ok:
        raise AssertionError("the family does not pass")
    times.append(perf_counter())
    found = {
        "actions": len(schedule),
        "seconds": [after - before for before, after in pairwise(times)],
        "peak": getrusage(RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    # Growth first: a new process starts from its parent's peak, and torch is large.
    main("Times the check of schedules with messages.", lambda: [growth(), against_torch()])
