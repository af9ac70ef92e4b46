"""Delay extraction: against a plain Python loop, over growing M, and its peak memory.

Run with ``python -m benchmarks.delay_extraction``.
"""

from __future__ import annotations

import tracemalloc
from typing import Final

import numpy as np

from benchmarks.measure import CELLS, main, table, timed
from schedules import Kind, Timeline, build, delays, timeline

STAGES: Final = 128
MICROBATCHES: Final = 512
GROWING: Final = (256, 512, 1024, 2048)
RUNS, LOOP_RUNS = 9, 3

Event = tuple[bool, int, int]
"""Whether it is a backward, its stage, its microbatch."""


def events(line: Timeline) -> list[Event]:
    """All forwards and backwards of a run, slot by slot, stages ascending."""
    schedule = line.schedule
    order = np.lexsort((schedule.stage, line.start)).tolist()
    kinds, stages, microbatches = (
        column.tolist() for column in (schedule.kind, schedule.stage, schedule.microbatch)
    )
    return [(kinds[index] == Kind.B, stages[index], microbatches[index]) for index in order]


def delays_by_loop(order: list[Event], stages: int, microbatches: int) -> list[list[int]]:
    """The delay matrix by the definition: one pass, one subtraction an entry."""
    recorded = [[0] * stages for _ in range(microbatches)]
    rows: list[list[int]] = []
    for is_backward, stage, microbatch in order:
        length = len(rows)
        if is_backward:
            rows.append([length - before for before in recorded[microbatch]])
        else:
            recorded[microbatch][stage] = length
    return rows


def ratio() -> str:
    """Compare with the loop, in the same run and on the same schedule."""
    line = timeline(build("pipedream", STAGES, MICROBATCHES))
    order = events(line)
    if not np.array_equal(
        delays(line).matrix, np.array(delays_by_loop(order, STAGES, MICROBATCHES))
    ):
        raise AssertionError("the loop and the library disagree")
    fast = timed(lambda: delays(line), RUNS)
    slow = timed(lambda: delays_by_loop(order, STAGES, MICROBATCHES), LOOP_RUNS)
    entries = STAGES * STAGES * MICROBATCHES
    rows = [("`schedules.delays`", *fast.cells()), ("plain Python loop", *slow.cells())]
    return (
        f"pipedream, p = {STAGES}, M = {MICROBATCHES}: {entries} entries, equal in both; the loop "
        f"takes {slow.median / fast.median:.1f} times as long\n\n{table(('', *CELLS), rows)}"
    )


def growth() -> str:
    """Time and peak memory for growing M."""
    rows = []
    for microbatches in GROWING:
        line = timeline(build("pipedream", STAGES, microbatches))
        sample = timed(lambda line=line: delays(line), RUNS)  # type: ignore[misc]
        entries = STAGES * STAGES * microbatches
        rows.append(
            (
                str(microbatches),
                str(entries),
                *sample.cells(),
                f"{sample.median / entries * 1e9:.2f}",
                *peak(line),
            )
        )
    columns = ("M", "entries", *CELLS, "ns/entry", "result MiB", "peak MiB", "peak/result")
    return f"growing M at p = {STAGES}\n\n{table(columns, rows)}"


def peak(line: Timeline) -> tuple[str, str, str]:
    """Bytes of the result, peak of what is allocated for it (numpy included), their ratio."""
    tracemalloc.start()
    result = delays(line).matrix.nbytes
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"{result / 2**20:.1f}", f"{most / 2**20:.1f}", f"{most / result:.2f}"


if __name__ == "__main__":
    main("Times the extraction of delays.", lambda: [ratio(), growth()])
