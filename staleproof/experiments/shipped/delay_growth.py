"""RPD paper, Fig. 6: how the global delays of PipeDream grow with the number of stages."""

from typing import Final

import numpy as np

from schedules import build, timeline
from schedules.delays import delays
from staleproof.experiments.cells import Cell, Finished, Result
from staleproof.experiments.protocol import Experiment, Figure, Line, Number, Outcome, graded

AUTHORS: Final = {
    2: (1.5, 3, 3),
    4: (7.55, 14, 16),
    5: (12.04, 22, 26),
    8: (31.65, 60, 72),
    16: (None, 248, None),
}
"""By p what the authors' public code gives of 10p microbatches: mean and largest delay of the
second half of the updates, largest of the whole run."""


def cells(quick: bool) -> list[Cell]:
    """Numbers of stages: 2 to 64 (quick: to 16)."""
    every = (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 45, 64)
    return [{"p": p} for p in every if p <= 16 or not quick]


def compute(cell: Cell) -> Result:
    """Statistics of the second half of the updates, as the paper takes them; and of the whole."""
    p = cell["p"]
    found = delays(timeline(build("pipedream", p, 10 * p)))
    matrix = found.matrix[np.argsort(found.index, kind="stable")]
    half = matrix[len(matrix) // 2 :]
    tenth = float(np.percentile(half, 10))
    return {"mean": float(half.mean()), "tenth": tenth, "most": int(half.max()),
            "whole": int(matrix.max())}  # fmt: skip


def conclude(finished: Finished) -> Outcome:
    """Whether the largest delay is p² − p/2 (even p), and the mean within its wind-down of p²/2."""
    ps = [cell["p"] for cell, _ in finished]
    of = {cell["p"]: result for cell, result in finished}
    exact = all(of[p]["most"] == p * p - (p + 1) // 2 for p in ps)
    mean = [of[p]["mean"] / (p * p / 2 - 1 / 2) for p in ps]
    good = exact and all(abs(ratio - 1) < 0.02 for ratio in mean)
    numbers = [
        Number(f"p = {p}, {what}", paper, of[p][key])
        for p in ps
        for what, key, paper in zip(
            ("mean, second half", "largest, second half", "largest, whole run"),
            ("mean", "most", "whole"),
            AUTHORS.get(p, (None, None, None)),
            strict=True,
        )
    ]
    lines = (
        Line("mean", ps, [of[p]["mean"] for p in ps], [of[p]["tenth"] for p in ps],
             [of[p]["most"] for p in ps]),
        Line("largest, whole run", ps, [of[p]["whole"] for p in ps]),
        Line("p² − ⌈p/2⌉", ps, [p * p - (p + 1) // 2 for p in ps], dashed=True),
        Line("(p² − 1)/2", ps, [(p * p - 1) / 2 for p in ps], dashed=True),
    )  # fmt: skip
    change = any(of[p]["whole"] > of[p]["most"] for p in ps)
    says = (
        f"largest steady delay p² − ⌈p/2⌉ for all p: {exact}; mean over (p² − 1)/2 from "
        f"{min(mean):.3f} to {max(mean):.3f}; start-up and wind-down are "
        f"{'later than the steady state' if change else 'no later'}"
    )
    figure = Figure("stages p", "delay in updates", lines, log_x=True)
    return Outcome(graded(not change, good), says, tuple(numbers), figure)


EXPERIMENT: Final = Experiment(
    name="delay-growth",
    source="RPD paper, Fig. 6",
    question="Do PipeDream's global delays grow as p², and is the steady state all there is?",
    protocol="PipeDream's order for 10p microbatches, exact delays of all updates; mean, tenth "
    "percentile and largest of the second half, as in the paper, and the largest of the run.",
    refuted_by="a largest steady delay other than p² − ⌈p/2⌉, or a mean 2 % off (p² − 1)/2. Delays "
    "that are larger at an end of the run: with a change",
    cells=cells,
    compute=compute,
    conclude=conclude,
    predictions=("rpd.prop-4.1", "rpd.lemma-c1-mean", "rpd.cor-c1", "rpd.delay-whole-run"),
)
