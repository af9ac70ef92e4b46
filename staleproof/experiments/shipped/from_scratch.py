"""Pipeline parallelism from scratch: naive, GPipe and 1F1B, measured here and predicted."""

from dataclasses import replace
from typing import Any, Final

from gpu_validation.checks import observed
from gpu_validation.environment import cores
from gpu_validation.models import ModelSpec
from gpu_validation.run import run
from gpu_validation.seed_table import PUBLISHED, Published, mean_peak, profiled, specification
from gpu_validation.timing import timing
from schedules import timeline
from staleproof.experiments.cells import Cell, Finished, Result
from staleproof.experiments.protocol import Experiment, Figure, Line, Number, Outcome, graded

ROWS: Final = {row.schedule: row for row in PUBLISHED if row.implementation == "scratch"}
MICROBATCHES: Final = 8
MODEL: Final = ModelSpec("transformer", width=64, depth=2, batch=2, length=32)
"""Of a microbatch; naive takes all samples of a step at once."""


def cells(quick: bool) -> list[Cell]:
    """One, so that runs do not disturb each other: 2 and 4 ranks, and how often."""
    return [{"ranks": [2] if quick else [2, 4], "repeats": 1 if quick else 5}]


def compute(cell: Cell) -> Result:
    """Idle share, memory and shares of every schedule, by ranks."""
    return {f"{p} {name}": _measured(row, p, cell["repeats"])
            for p in cell["ranks"] for name, row in ROWS.items()}  # fmt: skip


def _measured(row: Published, ranks: int, repeats: int) -> dict[str, Any]:
    """What a clock that is shared with other processes says least of: the least disturbed run."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else None
    spec = specification(row, ranks, MICROBATCHES, MODEL, gpus)
    found = [run(spec) for _ in range(repeats)]
    timings = [one for one in (timing(r.trace, observed(r.trace)) for r in found) if one]
    quickest = min(timings, key=lambda one: one.pace.makespan)
    beside = gpus is not None or (cores() or 0) >= ranks
    shares = profiled(replace(spec, record=True), cores())
    return {
        "device": spec.device, "transport": spec.transport,
        "predicted": float(timeline(spec.schedule, quickest.durations).idle_fraction),
        "unit": float(timeline(spec.schedule).idle_fraction),
        "idle": float(quickest.pace.bubble) if beside else None,
        "memory": mean_peak(found[0]),
        "share": None if shares.share is None else float(shares.share),
    }  # fmt: skip


def conclude(finished: Finished) -> Outcome:
    """Whether bubbles and memory shrink as the post says, and as the ledger predicts."""
    ((_, found),) = finished
    ranks = sorted({int(key.split()[0]) for key in found})
    numbers, memory, bubbles = [], [], []
    for p in ranks:
        naive, gpipe, one = (found[f"{p} {name}"] for name in ("naive", "gpipe", "1f1b"))
        half = one["memory"] / gpipe["memory"]
        memory.append(half < 1 and one["memory"] < naive["memory"])
        bubbles.append((naive["unit"] > gpipe["unit"], gpipe["unit"] > one["unit"]))
        if p == ranks[-1]:
            numbers.append(Number(f"p = {p}: memory of 1F1B over GPipe's", 0.5, half))
            numbers.append(Number(f"p = {p}: memory of 1F1B over naive's", 596 / 1250,
                                  one["memory"] / naive["memory"]))  # fmt: skip
        for name in ROWS:
            mine = found[f"{p} {name}"]
            where = f"p = {p}, {name}"
            printed = ROWS[name].communication_share
            numbers.append(Number(f"{where}: bubble, unit times", None, mine["unit"]))
            numbers.append(Number(f"{where}: bubble, measured times", None, mine["predicted"]))
            if mine["idle"] is not None:
                numbers.append(Number(f"{where}: idle, measured", None, mine["idle"]))
            if mine["share"] is not None:
                numbers.append(Number(f"{where}: share of communication (paper: of kernel time)",
                                      printed, mine["share"]))  # fmt: skip
    every = all(second for _, second in bubbles)
    verdict = graded(every, all(memory) and all(first for first, _ in bubbles))
    shorter = "" if every else "not "
    where = found[f"{ranks[0]} naive"]
    says = (
        f"1F1B keeps {numbers[0].ours:.2f} of GPipe's memory; by unit times the bubble shrinks "
        f"from naive to GPipe, and {shorter}from GPipe to 1F1B; "
        f"{where['device']}, {where['transport']}"
    )
    lines = tuple(
        Line(f"{name}, {what}", ranks, [found[f"{p} {name}"][key] or 0.0 for p in ranks],
             dashed=key == "unit")
        for name in ROWS for key, what in (("unit", "unit times"), ("predicted", "measured times"))
    )  # fmt: skip
    figure = Figure("ranks", "bubble", lines, log_y=False)
    return Outcome(verdict, says, tuple(numbers), figure)


EXPERIMENT: Final = Experiment(
    name="from-scratch",
    source="Pipeline Parallelism in PyTorch, summary",
    question="Do bubble and memory shrink from naive to GPipe to 1F1B, as published?",
    protocol="A Transformer (width 64, 2 blocks a stage), 8 microbatches of 2 samples, naive with "
    "all 16 at once, AdamW, over gloo with a process a rank (CUDA where there is a GPU). Memory: "
    "weights, stash, activations, optimizer, mean over ranks. Bubble by the timeline, with unit "
    "times and with the medians of the quickest of five runs; idle time and share of "
    "communication only where every rank has a core or GPU.",
    refuted_by="1F1B keeps no less than GPipe and naive, or the bubble of GPipe is no smaller than "
    "that of naive: not reproduced. The bubble of 1F1B no smaller than GPipe's, as `blog.bubble` "
    "says: with a change",
    cells=cells,
    compute=compute,
    conclude=conclude,
    predictions=("blog.bubble", "blog.inflight-1f1b", "blog.warmup"),
)
