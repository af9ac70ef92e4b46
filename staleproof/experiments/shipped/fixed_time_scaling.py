"""RPD paper, Fig. 2(b): more stages in the same time, by PipeDream, random delays and LocalSGD."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from staleproof.experiments.problems import Logistic, random_logistic
from staleproof.experiments.protocol import (
    Cell,
    Experiment,
    Figure,
    Finished,
    Line,
    Number,
    Outcome,
    Result,
    Verdict,
)
from staleproof.experiments.replay import (
    local_sgd,
    microbatches_in,
    pipedream_order,
    random_order,
    replay,
)

SLOTS: Final = 4884
"""Six times the 814 slots of PipeDream with p = 8 and 400 microbatches."""
SAMPLES, SIZE, WEIGHT, LOCAL_STEPS = 50, 512, 1e-4, 5
RATES: Final = 2.0 ** np.arange(-14, 1, 2)
METHODS: Final = ("pipedream", "random", "localsgd")
NAMES: Final = {"pipedream": "PipeDream", "random": "random delays", "localsgd": "LocalSGD, H = 5"}
AUTHORS: Final = {
    (2, "pipedream"): 2441, (8, "pipedream"): 2435, (16, "pipedream"): 2427,
    (2, "localsgd"): 2220, (8, "localsgd"): 2078, (16, "localsgd"): 2052,
}  # fmt: skip
"""Microbatches, or jobs, that the authors' code gives each method in this time."""
FINALS: Final = {4: 0.00959110536694115, 8: 0.013123895658544174, 16: 0.00756278456637481,
                 32: 0.016096846803755217}  # fmt: skip
"""PipeDream's last objective by the authors' code, seed 0, with their gradient noise."""


def cells(quick: bool) -> list[Cell]:
    """All methods, data of five seeds, p up to 128 (quick: two seeds, up to 16)."""
    ps = (2, 4, 8, 16) if quick else (2, 4, 8, 16, 32, 64, 128)
    seeds = range(2 if quick else 5)
    return [{"p": p, "method": m, "seed": s} for p in ps for m in METHODS for s in seeds]


def compute(cell: Cell) -> Result:
    """The objective at the end, for every rate; and how many microbatches there was time for."""
    p, method = cell["p"], cell["method"]
    problem = random_logistic(SAMPLES, SIZE, WEIGHT, cell["seed"])
    jobs = _jobs("localsgd" if method == "localsgd" else "pipedream", p)
    with np.errstate(all="ignore"):
        if method == "localsgd":
            last = local_sgd(problem, p, LOCAL_STEPS, jobs, SAMPLES, RATES)
        else:
            order = pipedream_order(p, jobs, SAMPLES)
            if method == "random":
                steady = p * p - (p + 1) // 2
                order = random_order(p, len(order.stages), SAMPLES, steady, cell["seed"])
            _, last = replay(problem, order, RATES, np.array([0]))
        return {"final": problem.value(last).tolist(), "least": _least(cell["seed"]), "jobs": jobs}


def _jobs(family: str, p: int) -> int:
    settings = {"local_steps": LOCAL_STEPS} if family == "localsgd" else {}
    return microbatches_in(SLOTS, family, p, **settings)


@lru_cache(maxsize=8)
def _least(seed: int) -> float:
    """The least objective, by L-BFGS-B with the exact gradient."""
    from scipy.optimize import minimize

    problem: Logistic = random_logistic(SAMPLES, SIZE, WEIGHT, seed)

    def slope(w: np.ndarray) -> np.ndarray:
        parts = [problem.gradient(w[None], problem.slopes(w[None], n), n, slice(None))[0]
                 for n in range(SAMPLES)]  # fmt: skip
        found: np.ndarray = np.mean(parts, axis=0)
        return found

    def value(w: np.ndarray) -> float:
        return float(problem.value(w[None])[0])

    fine = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 5000}
    found = minimize(value, np.zeros(SIZE), jac=slope, method="L-BFGS-B", options=fine)
    return float(found.fun)


def conclude(finished: Finished) -> Outcome:
    """Gaps of the best-tuned rates: who deteriorates with p, and who is ahead at the largest."""
    ps = sorted({cell["p"] for cell, _ in finished})
    gaps: dict[tuple[int, str], list[list[float]]] = {}
    jobs: dict[tuple[int, str], int] = {}
    for cell, result in finished:
        at = cell["p"], cell["method"]
        gaps.setdefault(at, []).append([one - result["least"] for one in result["final"]])
        jobs[at] = result["jobs"]
    best = {at: np.nanmin(np.nanmean(np.array(kept), axis=0)) for at, kept in gaps.items()}
    worse = {m: float(best[ps[-1], m] / best[ps[0], m]) for m in METHODS}
    ahead = float(best[ps[-1], "pipedream"] / best[ps[-1], "localsgd"])
    stale = worse["pipedream"] > 1 and worse["random"] > 1
    verdict: Verdict = "not reproduced"
    if stale and ahead > 1:
        verdict = (
            "reproduced" if worse["localsgd"] < worse["pipedream"] else "reproduced with a change"
        )
    numbers = [Number(f"p = {p}, {NAMES[m]}: microbatches in {SLOTS} slots", paper, jobs[p, m])
               for (p, m), paper in AUTHORS.items() if p in ps]  # fmt: skip
    own = {cell["p"]: float(np.nanmin(result["final"])) for cell, result in finished
           if (cell["method"], cell["seed"]) == ("pipedream", 0)}  # fmt: skip
    numbers += [Number(f"p = {p}, PipeDream: last objective (theirs with noise)", paper, own[p])
                for p, paper in FINALS.items() if p in own]  # fmt: skip
    numbers += [Number(f"p = {p}, {NAMES[m]}: best gap", None, float(best[p, m]))
                for p in ps for m in METHODS]  # fmt: skip
    lines = tuple(_line(ps, gaps, m) for m in METHODS)
    says = (
        f"from p = {ps[0]} to {ps[-1]} the best gap grows {worse['pipedream']:.3g} times for "
        f"PipeDream, {worse['random']:.3g} times for random delays, {worse['localsgd']:.3g} times "
        f"for LocalSGD, which ends {ahead:.3g} times lower than PipeDream"
    )
    return Outcome(verdict, says, tuple(numbers), Figure("stages p", "gap", lines, log_x=True))


def _line(ps: list[int], gaps: dict[tuple[int, str], list[list[float]]], method: str) -> Line:
    middle, low, high = [], [], []
    for p in ps:
        kept = np.array(gaps[p, method])
        rate = int(np.nanargmin(np.nanmean(kept, axis=0)))
        middle.append(float(kept[:, rate].mean()))
        low.append(float(kept[:, rate].min()))
        high.append(float(kept[:, rate].max()))
    return Line(NAMES[method], ps, middle, low, high)


EXPERIMENT: Final = Experiment(
    name="fixed-time-scaling",
    source="RPD paper, Fig. 2(b)",
    question="In the same simulated time, do stale methods lose with more stages? Does LocalSGD?",
    protocol=(
        "Logistic regression, 50 samples one by one in turn, d = 512, λ = 10^-4 (the text at hand "
        "has lost the paper's gradient noise and rates; none is added), 4884 slots: the fewest "
        "microbatches whose schedule takes them. Random delays as many block updates as PipeDream, "
        "delays up to p² − ⌈p/2⌉; LocalSGD n = p, H = 5. Rates 2^-14, 2^-12, … 1, the best mean "
        "gap over five data seeds."
    ),
    refuted_by=(
        "PipeDream or random delays end no worse at the largest p than at the smallest, or "
        "LocalSGD ends no lower than PipeDream at the largest"
    ),
    cells=cells,
    compute=compute,
    conclude=conclude,
    predictions=("rpd.thm-4.1", "rpd.prop-4.1", "localsgd.eq-6", "localsgd.matched-budget"),
)
