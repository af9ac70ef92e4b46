"""Ours: how large the stale distance is beside what the RPD paper's Lemma B.2 allows for it."""

from typing import Final

import numpy as np

from schedules import build
from staleproof.experiments.cells import Cell, Finished, Result
from staleproof.experiments.problems import random_quadratic
from staleproof.experiments.protocol import Experiment, Figure, Line, Number, Outcome, graded
from staleproof.experiments.replay import order_of, random_order, stale_distance
from staleproof.experiments.summary import band

BATCHES, SIZE, SAMPLES, RATE = 20, 512, 2000, 2.0**-9
WHO: Final = ("pipedream", "random")


def cells(quick: bool) -> list[Cell]:
    """Numbers of stages, and five seeds of random order (quick: three)."""
    ps = (2, 4, 8) if quick else (2, 4, 8, 16, 32)
    return [{"p": p, "who": who, "seeds": (3 if quick else 5) if who == "random" else 1}
            for p in ps for who in WHO]  # fmt: skip


def compute(cell: Cell) -> Result:
    """‖x − x̂‖² by seed, and the bounds with the steepest block gradient of that run for G."""
    p, microbatches = cell["p"], 20 * cell["p"]
    own = order_of(build("pipedream", p, microbatches), BATCHES)
    steady = p * p - (p + 1) // 2
    order = own
    if cell["who"] == "random":
        updates, seeds = own.stages.shape[1], range(cell["seeds"])
        order = random_order(p, updates, microbatches, BATCHES, steady, seeds)
    mean, largest, steepest = stale_distance(random_quadratic(SAMPLES, SIZE, BATCHES), order, RATE)
    late = steady if cell["who"] == "random" else int(own.delays.max())
    printed = RATE**2 * late**2 * steepest
    sharp = RATE**2 * steepest * (late + late * (late - 1) / p)
    found = {"mean": mean, "largest": largest, "printed": printed, "sharp": sharp}
    return {key: by_seed.tolist() for key, by_seed in found.items()}


def conclude(finished: Finished) -> Outcome:
    """Every distance below the printed bound, and what is left of it for many stages."""
    runs = {(cell["p"], cell["who"]): {key: np.array(one) for key, one in result.items()}
            for cell, result in finished}  # fmt: skip
    ps = sorted({p for p, _ in runs})
    means = {(*at, key): float(run[key].mean())
             for at, run in runs.items() for key in ("mean", "printed", "sharp")}  # fmt: skip
    below = all((run["largest"] <= run["printed"]).all() for run in runs.values())
    sharper = all((runs[p, "random"]["mean"] <= runs[p, "random"]["sharp"]).all() for p in ps)
    slack = [means[p, "random", "printed"] / means[p, "random", "mean"] for p in ps]
    numbers = [
        Number(f"p = {p}, {who}: printed bound over the mean of ‖x − x̂‖²", None,
               means[p, who, "printed"] / means[p, who, "mean"])
        for p in ps for who in WHO
    ]  # fmt: skip
    lines = [band(who, ps, np.stack([runs[p, who]["mean"] for p in ps], axis=1)) for who in WHO]
    lines += [Line(f"γ²τ²G², {who}", ps, [means[p, who, "printed"] for p in ps], dashed=True)
              for who in WHO]  # fmt: skip
    lines.append(Line("sharp, random", ps, [means[p, "random", "sharp"] for p in ps], dashed=True))
    says = (
        f"‖x − x̂‖² ≤ γ²τ²G² in every update: {below}; in the mean below the sharper bound: "
        f"{sharper}; the printed bound is {slack[0]:.0f} times the mean at p = {ps[0]} and "
        f"{slack[-1]:.0f} times at p = {ps[-1]}"
    )
    figure = Figure("stages p", "‖x − x̂‖²", tuple(lines), log_x=True)
    return Outcome(graded(True, below and sharper), says, tuple(numbers), figure)


EXPERIMENT: Final = Experiment(
    name="stale-term-power",
    source="ours, on Lemma B.2 of the RPD paper",
    question="How does E‖x − x̂‖² grow with p, beside the printed bound and the sharper one?",
    protocol="Random quadratic as in rpd-vs-pd, step size 2^-9, 20p microbatches; PipeDream's own "
    "order, and random order with delays up to p² − ⌈p/2⌉ (five seeds). G is the steepest "
    "block gradient of the run; means are over the second half of the updates.",
    refuted_by="an update beyond γ²τ²G², or a mean beyond γ²G²(τ + τ(τ − 1)/p) in random order",
    cells=cells,
    compute=compute,
    conclude=conclude,
    predictions=("rpd.lemma-b2", "rpd.sharp-drift"),
)
