"""RPD paper, Fig. 2(b): more stages in the same time, by PipeDream, random delays and LocalSGD."""

from functools import lru_cache
from typing import Final

import numpy as np

from schedules import build, timeline
from schedules.actions import Kind
from staleproof.experiments.cells import Cell, Finished, Result
from staleproof.experiments.problems import Array, Integers, random_logistic, together
from staleproof.experiments.protocol import Experiment, Figure, Number, Outcome, graded
from staleproof.experiments.replay import local_sgd, microbatches_in, order_of, random_order, replay
from staleproof.experiments.summary import arithmetic, band, tuned

SLOTS: Final = 3180
"""Of the authors' figure; the text at hand has lost the number."""
SAMPLES, SIZE, WEIGHT, LOCAL_STEPS = 50, 512, 1e-4, 5
NOISE: Final = 0.5
"""Standard deviation of what is added to every coordinate of a gradient, by the authors' code."""
PIPELINE: Final = 2.0 ** np.arange(-12, -2)
RATES: Final = {"pipedream": PIPELINE, "random": PIPELINE, "localsgd": 2.0 ** np.arange(-8, 3)}
METHODS: Final = tuple(RATES)
FIRST: Final = np.array([0])
NAMES: Final = {"pipedream": "PipeDream", "random": "random delays", "localsgd": "LocalSGD, H = 5"}
AUTHORS: Final = {
    2: ((-6, 1.078025e-2), (-7, 1.515086e-2), (-6, 1.312029e-2)),
    4: ((-6, 9.591105e-3), (-6, 1.487669e-2), (-4, 7.198827e-3)),
    8: ((-6, 1.312390e-2), (-6, 7.977902e-3), (-3, 5.784089e-3)),
    16: ((-6, 7.562785e-3), (-6, 1.564319e-2), (-2, 3.435244e-3)),
    32: ((-7, 1.609685e-2), (-6, 1.178882e-2), (-2, 1.552319e-3)),
    64: ((-6, 1.195706e-2), (-7, 1.246333e-2), (-2, 1.335457e-3)),
    128: ((-6, 9.509659e-3), (-6, 1.031093e-2), (-1, 1.391002e-3)),
}
"""By p and method: the rate's power of two that the authors took, and the last objective of seed 0,
in the notebook that drew their figure (github.com/vectozavr/randomized-pipedream)."""
JOBS: Final = {2: (1589, 1445), 4: (1587, 1381), 8: (1583, 1352), 16: (1575, 1335),
               32: (1559, 1311), 64: (1527, 1281), 128: (1463, 1281)}  # fmt: skip
"""By p: their microbatches, of both pipeline methods and of LocalSGD."""


def cells(quick: bool) -> list[Cell]:
    """All methods, data of five seeds, p up to 128 (quick: two seeds, up to 16)."""
    ps = (2, 4, 8, 16) if quick else (2, 4, 8, 16, 32, 64, 128)
    return [{"p": p, "method": m, "seeds": 2 if quick else 5} for p in ps for m in METHODS]


def compute(cell: Cell) -> Result:
    """The objective at the end, by seed and rate; and how many microbatches there was time for."""
    p, method, seeds = cell["p"], cell["method"], range(cell["seeds"])
    problem = together([random_logistic(SAMPLES, SIZE, WEIGHT, seed) for seed in seeds])
    jobs, rates = _jobs("pipedream", p), RATES[method]
    most = p * p - (p + 1) // 2
    order = (
        order_of(build("pipedream", p, jobs), SAMPLES) if method == "pipedream"
        else random_order(p, p * jobs, jobs, SAMPLES, most, seeds)
    )  # fmt: skip
    stages = np.broadcast_to(order.stages, (len(seeds), p * jobs))
    noise = np.stack([_noise(seed, method, p, stages[seed]) for seed in seeds])
    with np.errstate(all="ignore"):
        if method == "localsgd":
            jobs = _jobs(method, p)
            last = local_sgd(problem, p, LOCAL_STEPS, jobs, rates, noise)
        else:
            _, last = replay(problem, order, rates, FIRST, noise)
        final = problem.value(last).tolist()
    return {"final": final, "least": [_least(seed) for seed in seeds], "jobs": jobs}


def _noise(seed: int, method: str, p: int, stages: Integers) -> Array:
    """By rate, and then by update, or by job for LocalSGD.

    It comes from one generator, as in the authors' sweeps: PipeDream's runs by ascending rate, then
    those with random delays, then LocalSGD's. So seed 0 gives their numbers.
    """
    rng = np.random.default_rng(seed)
    found = _scaled(rng, len(PIPELINE), _jobs("pipedream", p) * SIZE)
    if method != "pipedream":
        found = np.stack([_last_blocks(rng, p, stages) for _ in PIPELINE])
    if method == "localsgd":
        jobs = _jobs(method, p)
        return _by_job(_scaled(rng, len(RATES[method]), jobs * SIZE), p, jobs)
    return found.reshape(len(found), len(stages), -1)


def _scaled(rng: np.random.Generator, *shape: int) -> Array:
    return NOISE * rng.standard_normal(shape)


def _last_blocks(rng: np.random.Generator, p: int, stages: Integers) -> Array:
    """The noise that updates use: a backward draws for its stage and those behind it as well."""
    found = []
    for part in np.array_split(stages, len(stages) // 10_000 + 1):
        ends = np.cumsum(p - part) * (SIZE // p)
        drawn = _scaled(rng, int(ends[-1]))
        found.append(drawn[ends[:, None] + np.arange(-(SIZE // p), 0)].ravel())
    return np.concatenate(found)


def _by_job(drawn: Array, p: int, jobs: int) -> Array:
    """Noise in the order of backwards, slot by slot and stage by stage, as (runs, jobs, size)."""
    schedule = build("localsgd", p, jobs, local_steps=LOCAL_STEPS)
    backward = np.flatnonzero(schedule.kind == Kind.B)
    order = np.lexsort((schedule.stage[backward], timeline(schedule).end[backward]))
    at = backward[order]
    found = np.empty((len(drawn), jobs, p, SIZE // p))
    found[:, schedule.microbatch[at], schedule.stage[at]] = drawn.reshape(len(drawn), jobs * p, -1)
    return found.reshape(len(drawn), jobs, SIZE)


def _jobs(family: str, p: int) -> int:
    settings = {"local_steps": LOCAL_STEPS} if family == "localsgd" else {}
    return microbatches_in(SLOTS, family, p, **settings)


@lru_cache(maxsize=8)
def _least(seed: int) -> float:
    """The least objective, by L-BFGS-B with the exact gradient."""
    from scipy.optimize import minimize

    problem = random_logistic(SAMPLES, SIZE, WEIGHT, seed)
    a, y = problem.a.swapaxes(1, 2), problem.y[..., None]

    def at(w: Array) -> tuple[float, Array]:
        point = w[None, :, None]
        slope = problem.gradient(point, a, problem.slopes(point, a, y))
        return float(problem.value(point)[0, 0]), slope[0, :, 0]

    fine = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 5000}
    found = minimize(at, np.zeros(SIZE), jac=True, method="L-BFGS-B", options=fine)
    return float(found.fun)


def conclude(finished: Finished) -> Outcome:
    """Gaps of the best-tuned rates: who deteriorates with p, and who is ahead at the largest."""
    runs = {(cell["p"], cell["method"]): result for cell, result in finished}
    ps = sorted({p for p, _ in runs})
    gaps = {at: np.array(run["final"]) - np.array(run["least"])[:, None]
            for at, run in runs.items()}  # fmt: skip
    at_best = {at: kept[:, tuned(kept)] for at, kept in gaps.items()}
    best = {at: float(arithmetic(kept)) for at, kept in at_best.items()}
    worse = {m: best[ps[-1], m] / best[ps[0], m] for m in METHODS}
    ahead = best[ps[-1], "pipedream"] / best[ps[-1], "localsgd"]
    stale = worse["pipedream"] > 1 and worse["random"] > 1
    verdict = graded(worse["localsgd"] < worse["pipedream"], stale and ahead > 1)
    numbers = [
        Number(f"p = {p}, {NAMES[m]}, rate 2^{power}, seed 0: last objective", last,
               np.array(runs[p, m]["final"])[0, RATES[m] == 2.0**power].item())
        for p in ps for m, (power, last) in zip(METHODS, AUTHORS[p], strict=True)
    ]  # fmt: skip
    numbers += [Number(f"p = {p}, {NAMES[m]}: microbatches in {SLOTS} slots", many,
                       runs[p, m]["jobs"])
                for p in ps for m, many in zip(METHODS[::2], JOBS[p], strict=True)]  # fmt: skip
    numbers += [Number(f"p = {p}, {NAMES[m]}: best gap", None, best[p, m])
                for p in ps for m in METHODS]  # fmt: skip
    lines = tuple(
        band(NAMES[m], ps, np.stack([at_best[p, m] for p in ps], axis=1)) for m in METHODS
    )
    says = (
        f"from p = {ps[0]} to {ps[-1]} the best gap becomes {worse['pipedream']:.3g} times as "
        f"large for PipeDream, {worse['random']:.3g} for random delays, {worse['localsgd']:.3g} "
        f"for LocalSGD, which ends {ahead:.3g} times lower than PipeDream"
    )
    return Outcome(verdict, says, tuple(numbers), Figure("stages p", "gap", lines, log_x=True))


EXPERIMENT: Final = Experiment(
    name="fixed-time-scaling",
    source="RPD paper, Fig. 2(b)",
    question="In the same simulated time, do stale methods lose with more stages? Does LocalSGD?",
    protocol="Logistic regression, 50 samples one by one in turn, d = 512, λ = 10^-4, normal noise "
    "of deviation 0.5 on every coordinate of a gradient; 3180 slots: the fewest microbatches "
    "whose schedule takes them. Random delays as many block updates as PipeDream, delays up to p² "
    "− ⌈p/2⌉; LocalSGD n = p, H = 5. Rates 2^-12 … 2^-3, LocalSGD 2^-8 … 4, the best mean gap "
    "over five data seeds. Slots, noise and rates are those of the authors' notebook, whose "
    "numbers are beside those of seed 0, at the rates that they took.",
    refuted_by="PipeDream or random delays end no worse at the largest p than at the smallest, or "
    "LocalSGD ends no lower than PipeDream at the largest. LocalSGD loses by p as PipeDream "
    "does: with a change",
    cells=cells,
    compute=compute,
    conclude=conclude,
    predictions=("rpd.thm-4.1", "rpd.prop-4.1", "localsgd.eq-6", "localsgd.matched-budget"),
)
