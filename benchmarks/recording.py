"""What recording a run costs, and what keeping versions costs; ratios within one process.

Run with ``python -m benchmarks.recording``; it needs torch.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from time import perf_counter
from typing import Final

import torch

from benchmarks.measure import CELLS, Sample, main, table, timed
from gpu_validation.event_log import EventLog
from gpu_validation.models import ModelSpec, build_stage
from gpu_validation.optimizers import OptimizerSpec, OptimizerState, update
from gpu_validation.run import RunSpec, run
from gpu_validation.transports import open_group
from gpu_validation.weights import Identities, Tag
from schedules import Action, Kind, build

MODEL: Final = ModelSpec("mlp", width=1024, depth=10, batch=32)
"""About 10 million weights a stage."""

RANKS, MICROBATCHES, PAIRS = 2, 4, 15
EVENTS: Final = 2_000
RUNS: Final = 9


def recording() -> str:
    """Time the same run with and without a log, in turns."""
    spec = RunSpec(build("pipedream", RANKS, MICROBATCHES), model=MODEL, hashing="off")
    times: dict[bool, list[float]] = {True: [], False: []}
    with open_group(spec.transport, spec.device, RANKS) as group:
        run(spec, group=group)
        for pair in range(PAIRS):
            # Which of the two comes first changes, so that a drift of the machine hits both.
            for record in (True, False) if pair % 2 else (False, True):
                result = run(replace(spec, record=record), group=group)
                times[record].append(result.cpu_seconds / MICROBATCHES)
        events = len(run(spec, group=group).trace.schedule)
    ratios = [on / off - 1 for on, off in zip(times[True], times[False], strict=True)]
    each, step = _an_event(), statistics.median(times[False])
    per_step = events / RANKS / MICROBATCHES
    rows = [
        ("a step, recorded", *Sample(tuple(times[True])).cells()),
        ("a step, not recorded", *Sample(tuple(times[False])).cells()),
    ]
    fastest = min(times[True]) / min(times[False]) - 1
    return (
        f"pipedream, p = {RANKS}, M = {MICROBATCHES}, on threads; "
        f"{_weights() / 1e6:.1f} million weights a stage, {MODEL.batch} samples a microbatch. "
        f"A step is one microbatch, forward, backward and update, in processor time. "
        f"Recorded against not recorded, {PAIRS} pairs: {_percent(statistics.median(ratios))} "
        f"(median; from {_percent(min(ratios))} to {_percent(max(ratios))}), fastest against "
        f"fastest {_percent(fastest)}. By themselves, the {per_step:.1f} events of a rank and step "
        f"take {each * 1e6:.1f} µs each, finding the version of their weights included: "
        f"{100 * each * per_step / step:.3f} % of a step\n\n{table(('', *CELLS), rows)}"
    )


def _percent(ratio: float) -> str:
    return f"{100 * ratio:+.2f} %"


def _an_event() -> float:
    """Seconds that it takes to find the version of the weights used, and to note one event."""
    known = Identities()
    weights = dict(build_stage(MODEL, 1, RANKS).named_parameters())
    known.register(weights, Tag(0))

    def work() -> None:
        recorder, action = EventLog(0), Action(Kind.F, 0, 0)
        for number in range(EVENTS):
            tag = known.tag_of(weights)
            extra = {"lamport_start": number, "lamport_end": number + 1, "current": number}
            recorder.add(Kind.F, action, number, {**extra}, version=tag.version)

    # The fastest run is the one that other programs disturbed least.
    return min(timed(work, RUNS).seconds) / EVENTS


def _weights() -> int:
    return sum(tensor.numel() for tensor in build_stage(MODEL, 1, RANKS).parameters())


def versions() -> str:
    """Compare an update that leaves the old version alone with one in place and with a clone."""
    torch.set_num_threads(1)
    spec = OptimizerSpec("sgd", lr=1e-4)
    weights = {
        name: tensor.detach() for name, tensor in build_stage(MODEL, 1, RANKS).named_parameters()
    }
    gradients = {name: torch.randn_like(tensor) for name, tensor in weights.items()}
    own = {name: tensor.clone() for name, tensor in weights.items()}

    def in_place() -> None:
        for name, tensor in own.items():
            tensor.add_(gradients[name], alpha=-spec.lr)

    works = (
        ("update, out of place", lambda: update(spec, weights, gradients, OptimizerState())),
        ("update, in place", in_place),
        ("clone of the weights", lambda: [tensor.clone() for tensor in weights.values()]),
    )
    seconds: dict[str, list[float]] = {name: [] for name, _ in works}
    for turn in range(RUNS + 1):
        for name, work in works:
            begun = perf_counter()
            work()
            if turn:
                seconds[name].append(perf_counter() - begun)
    samples = {name: Sample(tuple(times)) for name, times in seconds.items()}
    ours, theirs, clone = (samples[name].median for name, _ in works)
    rows = [(name, *sample.cells()) for name, sample in samples.items()]
    return (
        "SGD on the weights of one stage, one thread. A stashed version is the old tensors "
        "themselves; what it costs is that the update writes new ones: "
        f"{(ours - theirs) / clone:.2f} clones more than an update in place, without any stash\n\n"
        f"{table(('', *CELLS), rows)}"
    )


if __name__ == "__main__":
    main("Times recording and keeping versions.", lambda: [recording(), versions()])
