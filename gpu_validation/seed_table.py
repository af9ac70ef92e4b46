"""The published table of pipeline schedules in PyTorch, and what this machine can say about it.

Source: "Pipeline Parallelism in PyTorch", profiled on GPUs with DistilBERT: naive, GPipe and 1F1B,
written by hand and with ``torch.distributed.pipelining``. Its memory is the allocator's peak,
averaged over ranks; its shares are of kernel time.

Run here: the same three schedules with the same samples a step, naive as one uncut batch. What
needs a profile of one GPU a rank, or stages that really run at the same time, is `NOT_MEASURED`:
times of stages that share a device are never presented as those of a pipeline.

``python -m gpu_validation.seed_table -p 4 -m 8`` prints the table as JSON.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpu_validation.environment import environment
from gpu_validation.files import json_text
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.options import whole
from gpu_validation.run import RunResult, run
from gpu_validation.spec import RunSpec
from gpu_validation.timing import NOT_MEASURED
from schedules.errors import ScheduleError
from schedules.families import build

SCHEMA: Final = "staleproof-seed-table/1"


@dataclass(frozen=True)
class Published:
    """A row of the source; None where it gives no number.

    Attributes
    ----------
    implementation : str
        ``scratch`` or ``pytorch``.
    schedule : str
    memory_megabytes : int or None
        Peak, averaged over ranks.
    communication_share, compute_utilisation, overlap : float or None
    """

    implementation: str
    schedule: str
    memory_megabytes: int | None = None
    communication_share: float | None = None
    compute_utilisation: float | None = None
    overlap: float | None = None


PUBLISHED: Final = (
    Published("scratch", "naive", 1250, communication_share=0.68),
    Published("scratch", "gpipe"),
    Published("scratch", "1f1b", 596),
    Published("pytorch", "gpipe", 1990, compute_utilisation=0.59, overlap=0.15),
    Published("pytorch", "1f1b", 900, compute_utilisation=0.59),
)

PUBLISHED_RATIOS: Final = {"scratch": 0.5, "pytorch": 0.45}
"""Memory of 1F1B over that of GPipe: "roughly half", and 900 MB over 1.99 GB."""

_SHARES: Final = "shares of kernel time need a GPU a rank and its profile"

_NOTES: Final = {
    "scratch": _SHARES,
    "pytorch": f"{_SHARES}; memory is that of the stages, PyTorch's own buffers are not counted",
}

_TRANSPORTS: Final = {"scratch": "threads", "pytorch": "torch"}


def specification(row: Published, ranks: int, microbatches: int, model: ModelSpec) -> RunSpec:
    """What to run for a row; naive takes the samples of a step as one microbatch.

    Examples
    --------
    >>> found = specification(PUBLISHED[0], 4, 8, ModelSpec(batch=2))
    >>> found.schedule.microbatches, found.model.batch
    (1, 16)
    """
    cut = 1 if row.schedule == "naive" else microbatches
    batch = model.batch * microbatches // cut
    return RunSpec(
        build(row.schedule, ranks, cut),
        transport=_TRANSPORTS[row.implementation],
        model=ModelSpec(model.name, model.width, model.depth, batch, model.length, model.seed),
        optimizer=OptimizerSpec("adamw"),
        hashing="off",
    )


def table(ranks: int, microbatches: int, model: ModelSpec) -> dict[str, Any]:
    """Run what can be run, and set it beside the published numbers."""
    memory: dict[tuple[str, str], float] = {}
    why: dict[tuple[str, str], str] = {}
    for row in PUBLISHED:
        key = (row.implementation, row.schedule)
        try:
            memory[key] = mean_peak(run(specification(row, ranks, microbatches, model)))
        except ScheduleError as error:
            why[key] = str(error)
    return {
        "schema": SCHEMA,
        "ranks": ranks,
        "microbatches": microbatches,
        "model": {"name": model.name, "width": model.width, "depth": model.depth},
        "rows": rows(memory, why),
        "environment": environment("cpu"),
    }


def mean_peak(result: RunResult) -> float:
    """Peak bytes of a rank: weights, stash, activations and optimizer, averaged over ranks."""
    peaks = [m.weights + m.stash + m.activations + m.optimizer for m in result.memory.values()]
    if not any(peaks):
        raise ScheduleError("this transport does not measure memory", "memory", "take another")
    return sum(peaks) / result.spec.schedule.ranks


def rows(
    memory: Mapping[tuple[str, str], float], why: Mapping[tuple[str, str], str]
) -> list[dict[str, Any]]:
    """Published and measured side by side.

    Examples
    --------
    >>> found = rows({("scratch", "gpipe"): 200.0, ("scratch", "1f1b"): 90.0}, {})
    >>> found[2]["measured"]["memory_over_gpipe"], found[2]["published"]["memory_over_gpipe"]
    (0.45, 0.5)
    >>> found[0]["measured"]["memory_bytes"], found[0]["measured"]["overlap"]
    ('not measured', 'not measured')
    """
    return [
        {
            "implementation": row.implementation,
            "schedule": row.schedule,
            "published": {
                "memory_megabytes": row.memory_megabytes,
                "memory_over_gpipe": PUBLISHED_RATIOS[row.implementation]
                if row.schedule == "1f1b"
                else None,
                "communication_share": row.communication_share,
                "compute_utilisation": row.compute_utilisation,
                "overlap": row.overlap,
            },
            "measured": {
                "memory_bytes": round(memory[key]) if key in memory else NOT_MEASURED,
                "memory_over_gpipe": _ratio(memory, key),
                "communication_share": NOT_MEASURED,
                "compute_utilisation": NOT_MEASURED,
                "overlap": NOT_MEASURED,
            },
            "why": why.get(key, _NOTES[row.implementation]),
        }
        for row in PUBLISHED
        for key in [(row.implementation, row.schedule)]
    ]


def _ratio(memory: Mapping[tuple[str, str], float], key: tuple[str, str]) -> float | str:
    base = memory.get((key[0], "gpipe"))
    return round(memory[key] / base, 3) if key in memory and base else NOT_MEASURED


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m gpu_validation.seed_table")
    parser.add_argument("-p", metavar="RANKS", type=whole("-p", 2), default=4)
    parser.add_argument("-m", metavar="MICROBATCHES", type=whole("-m", 2), default=8)
    parser.add_argument("--width", metavar="N", type=whole("--width"), default=64)
    chosen = parser.parse_args(arguments)
    model = ModelSpec("transformer", width=chosen.width, depth=2, batch=2, length=32)
    print(json_text(table(chosen.p, chosen.m, model)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
