"""What every benchmark shares: the machine's description, repeated timing, tables."""

from __future__ import annotations

import argparse
import platform
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from gpu_validation.environment import cores, processor


@dataclass(frozen=True)
class Sample:
    """Seconds of several runs of the same work."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median run."""
        return statistics.median(self.seconds)

    def cells(self) -> tuple[str, ...]:
        """Number of runs, median, fastest and slowest, for a table."""
        times = (self.median, min(self.seconds), max(self.seconds))
        return (str(len(self.seconds)), *(f"{seconds * 1000:.1f}" for seconds in times))


CELLS = ("runs", "median ms", "fastest", "slowest")
"""Columns that `Sample.cells` fills."""


def timed(work: Callable[[], object], runs: int) -> Sample:
    """Run once to warm up, then `runs` times."""
    work()
    seconds = []
    for _ in range(runs):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return Sample(tuple(seconds))


def machine() -> str:
    """Processor, cores that may be used, and Python, in one line."""
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{processor() or 'unknown processor'}, {cores()} cores, {system}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay a Markdown table out."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"

    return "\n".join([line(columns), line(["-" * width for width in widths]), *map(line, rows)])


def main(description: str, sections: Callable[[], Sequence[str]]) -> None:
    """Print what a benchmark measured; write it as well where ``-o FILE`` says so."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-o", metavar="FILE", type=Path, help="also write the tables here")
    output = parser.parse_args().o
    text = "\n\n".join([machine(), *sections()]) + "\n"
    print(text, end="")
    if output is not None:
        output.write_text(text, encoding="utf-8")
