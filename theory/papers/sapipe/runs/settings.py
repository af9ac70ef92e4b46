"""What is measured on SAPipe, and the constants of its assumptions on each instance.

L, ρ, M and Δ hold at all points, for every stochastic gradient (ρ: for the workers' objectives). V₁
and V₂ are taken as Assumption 2 has them, over the stochastic gradients of the run: the least that
hold for every sampling and every gradient that it computes, used or not.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from theory.falsifier.errors import DisagreementError, require
from theory.falsifier.model import Instance, fractions
from theory.falsifier.numbers import Number
from theory.falsifier.shrinking import plainer, plainer_starts
from theory.papers.sapipe.runs.fleets import Fleet, diversity, hessian_error, taylor_remainder
from theory.papers.sapipe.runs.moments import follow_forms, superposed
from theory.papers.sapipe.runs.pipelines import KINDS, Course, Pipeline, follow_pipeline
from theory.papers.sapipe.runs.replays import replay_pipeline

READINGS = {
    f"{elements}, {samples}, {first}": (own, rest, layers)
    for elements, layers in (("elements redrawn", False), ("first layers", True))
    for samples, own in (("own samples", True), ("samples used twice", False))
    for first, rest in (("first iteration passes", False), ("at rest", True))
}
"""How stale elements, samples and the first iteration are read, in words."""


@dataclass(frozen=True)
class PipelineSetting:
    """What is chosen of an instance; all else is computed."""

    problem: Fleet
    method: Pipeline
    engine: str = "tree"


@lru_cache(maxsize=4096)
def pipeline_course(setting: PipelineSetting) -> Course:
    """The run of a setting, made once."""
    follow = follow_forms if setting.engine == "moments" else follow_pipeline
    return follow(setting.problem, setting.method)


def pipeline_instance(setting: PipelineSetting) -> Instance:
    """A setting with its exactly computed constants.

    ρ, M and Δ are there where they are finite and known.

    Raises
    ------
    RejectedInstanceError
        A hypothesis does not hold.
    """
    problem, method = setting.problem, setting.method
    n, L = method.n, problem.smoothness
    require(method.kind in KINDS, "a method of the paper", method.kind)
    whole = len(problem.components) == 1 or len(problem.components) % n == 0
    require(n >= 1 and method.T >= 1 and whole, "n equal shares and T ≥ 1", f"n = {n}")
    require(0 < method.eta * L <= 1, "0 < η ≤ 1/L", f"ηL = {method.eta * L}")
    require(0 <= method.kappa <= 1, "0 ≤ κ ≤ 1", f"κ = {method.kappa}")
    elements = method.kappa * len(problem.start)
    require(not method.layers or elements.denominator == 1, "whole elements", f"κd = {elements}")
    require(method.weight >= 0, "λ ≥ 0", f"λ = {method.weight}")
    least = problem.minimum
    require(least is not None, "Assumption 6", "F has no minimum, or it is not known")
    assert least is not None
    found = pipeline_course(setting)
    require(found.moment > 0, "V₂ > 0", "all gradients of the run are 0")
    values: dict[str, Number] = {
        "n": Fraction(n),
        "T": Fraction(method.T),
        "eta": method.eta,
        "kappa": method.kappa,
        "lambda": method.weight,
        "L": L,
        "V1": found.variance,
        "V2": found.moment,
        "R0": problem.value(problem.start) - least,
    }
    known = {
        "rho": diversity(problem, n),
        "M": taylor_remainder(problem),
        "Delta": hessian_error(problem),
    }
    values |= {name: value for name, value in known.items() if value is not None}
    return Instance(problem, tuple(values.items()), reading_of(method), setting.engine)


def reading_of(method: Pipeline) -> str:
    """The reading of a method, in words."""
    held = (method.own, method.rest, method.layers)
    return next(words for words, reading in READINGS.items() if reading == held)


def pipeline_setting_of(one: Instance, kind: str) -> PipelineSetting:
    """The setting that an instance was built from."""
    assert isinstance(one.problem, Fleet)
    n, T, eta, kappa, weight = fractions(one, "n", "T", "eta", "kappa", "lambda")
    own, rest, layers = READINGS[one.delays]
    method = Pipeline(kind, int(n), int(T), eta, kappa, weight, own, rest, layers)
    return PipelineSetting(one.problem, method, one.engine)


def with_diversity(one: Instance) -> Instance:
    """The instance, if there is a ρ as in Assumption 3.

    Raises
    ------
    RejectedInstanceError
        There is none, or none that is known.
    """
    require("rho" in one.numbers, "Assumption 3", "ρ is infinite, or not known exactly")
    return one


def twice_differentiable(one: Instance) -> Instance:
    """The instance, if there are M and Δ as in Assumption 4, at all points.

    Raises
    ------
    RejectedInstanceError
        There are none.
    """
    both = {"M", "Delta"} <= set(one.numbers)
    require(both, "Assumption 4", "M or Δ is infinite, or not known")
    return one


def with_small_weight(one: Instance) -> Instance:
    """The instance, if moreover ληV₂ ≤ 1 − 1/√2.

    Raises
    ------
    RejectedInstanceError
        It is larger.
    """
    weight, eta, moment = fractions(twice_differentiable(one), "lambda", "eta", "V2")
    q = weight * eta * moment
    require(q <= 1 and 2 * (1 - q) ** 2 >= 1, "ληV₂ ≤ 1 − 1/√2", f"ληV₂ = {q}")
    return one


def average_gradient(found: Course) -> Fraction:
    """(1/T) Σ_{t=1}^T E‖∇F(x_{t−1})‖²."""
    return sum(found.gradients, Fraction(0)) / len(found.gradients)


def replayed_gradient(setting: PipelineSetting) -> Fraction:
    """The same by the second method, V₁ and V₂ included.

    Raises
    ------
    DisagreementError
        It finds another V₁ or V₂.
    """
    first = pipeline_course(setting)
    follow = superposed if setting.engine == "moments" else replay_pipeline
    again = follow(setting.problem, setting.method)
    if (first.variance, first.moment) != (again.variance, again.moment):
        raise DisagreementError(
            f"two methods find V₁ = {first.variance} and {again.variance}, "
            f"V₂ = {first.moment} and {again.moment}",
            f"{setting}",
            "one of the two implementations is wrong; no verdict follows",
        )
    return average_gradient(again)


def pipeline_simpler(setting: PipelineSetting) -> Iterator[PipelineSetting]:
    """Fewer workers and iterations, plainer numbers."""
    problem, method = setting.problem, setting.method
    for n in sorted({method.n // 2, method.n - 1}):
        if 1 <= n < method.n:
            rest = tuple(parts for share in problem.owned(method.n)[:n] for parts in share)
            parts = problem.components if len(problem.components) == 1 else rest
            kept = replace(problem, components=parts)
            yield replace(setting, problem=kept, method=replace(method, n=n))
    for T in sorted({1, 2, method.T // 2, method.T - 1}):
        if 1 <= T < method.T:
            yield replace(setting, method=replace(method, T=T))
    for eta in plainer(method.eta):
        if eta > 0:
            yield replace(setting, method=replace(method, eta=eta))
    for weight in plainer(method.weight):
        yield replace(setting, method=replace(method, weight=weight))
    for kappa in (Fraction(0), Fraction(1)):
        if 0 < method.kappa < 1 and not method.layers:
            yield replace(setting, method=replace(method, kappa=kappa))
    for plain in plainer_starts(problem):
        yield replace(setting, problem=plain)
