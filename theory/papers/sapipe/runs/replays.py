"""The second method: the same runs by the rules of `schedules.methods`, which experiments use."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from schedules import methods
from theory.papers.sapipe.runs.fleets import Fleet, gradients
from theory.papers.sapipe.runs.pipelines import Course, Pipeline, masks


def replay_pipeline(problem: Fleet, method: Pipeline) -> Course:
    """Follow all samplings of a run, with V₁ and V₂ taken over every point that it asks for.

    Examples
    --------
    >>> from theory.papers.sapipe.runs.fleets import fleet
    >>> from theory.papers.sapipe.runs.pipelines import follow_pipeline
    >>> from theory.falsifier.scalars import quadratic
    >>> noisy = [[quadratic(1, tilt=b)] for b in (-1, 1)]
    >>> two = fleet("noisy, and a steeper one", [noisy, [[quadratic(2)]] * 2], [1])
    >>> method = Pipeline("vanilla", 2, 3, Fraction(1, 2), Fraction(1, 3), own=False)
    >>> replay_pipeline(two, method) == follow_pipeline(two, method)
    True
    """
    replaying = _Replay(problem, method)
    law, found = replaying.start(), []
    for _ in range(method.T):
        found.append(sum((replaying.squared(one) * p for one, p in law.items()), Fraction(0)))
        law = replaying.step(law)
    return Course(tuple(found), *replaying.suprema())


class _Replay:
    """The rule, what it has been given, and where it asked for it."""

    def __init__(self, problem: Fleet, method: Pipeline) -> None:
        self.problem, self.method = problem, method
        self.shares = problem.owned(method.n)
        self.samples = [range(len(share)) for share in self.shares]
        self.asked: set[tuple[int, tuple[Fraction, ...]]] = set()
        self.rules = [
            (shared_rule(method, mask), p) for mask, p in masks(method, len(problem.start))
        ]

    def start(self) -> dict[methods.State, Fraction]:
        model = np.array(self.problem.start, dtype=object)
        rule, _ = self.rules[0]
        law: dict[methods.State, Fraction] = {}
        if not self.method.rest or isinstance(rule, methods.DistributedSGD):
            law[rule.start(model)] = Fraction(1)
        else:
            drawn = list(product(*self.samples))
            for draws in drawn:
                held = [self.gradient(model, i, z) for i, z in enumerate(draws)]
                one = rule.start(model, held)
                law[one] = law.get(one, Fraction(0)) + Fraction(1, len(drawn))
        if self.method.predicts and not isinstance(rule, methods.DistributedSGD):
            law = methods.outcomes(rule, law, self.gradient, self.samples)  # round 0
        return law

    def step(self, law: dict[methods.State, Fraction]) -> dict[methods.State, Fraction]:
        after: dict[methods.State, Fraction] = {}
        for rule, chance in self.rules:
            found = methods.outcomes(rule, law, self.gradient, self.samples, own=self.method.own)
            for one, p in found.items():
                after[one] = after.get(one, Fraction(0)) + chance * p
        return after

    def gradient(self, x: methods.Vector, worker: int, draw: int) -> methods.Vector:
        point = tuple(x.tolist())
        self.asked.add((worker, point))
        parts = self.shares[worker][draw]
        slopes = [part.derivative(at) for part, at in zip(parts, point, strict=True)]
        return np.array(slopes, dtype=object)

    def squared(self, one: methods.State) -> Any:
        slope = self.problem.gradient(tuple(one.model.tolist()))
        return sum(entry * entry for entry in slope)

    def suprema(self) -> tuple[Fraction, Fraction]:
        """V₁ and V₂: E‖g − E g‖² = E‖g‖² − ‖E g‖² at the worst point, and the greatest ‖g‖²."""
        variance = moment = Fraction(0)
        for worker, point in self.asked:
            found = gradients(self.shares[worker], point)
            squares = [sum((a * a for a in g), Fraction(0)) for g in found]
            sums = [sum(column, Fraction(0)) for column in zip(*found, strict=True)]
            middle = sum((a * a for a in sums), Fraction(0)) / len(found) ** 2
            variance = max(variance, sum(squares, Fraction(0)) / len(found) - middle)
            moment = max(moment, *squares)
        return variance, moment


def shared_rule(method: Pipeline, mask: tuple[bool, ...]) -> methods.Method:
    """The update rule of a method, for one choice of stale elements."""
    n, eta = method.n, method.eta
    if method.kappa == 0:
        return methods.DistributedSGD(n, eta)
    if method.kind == "vanilla":
        stale = methods.PipeSGD(n, eta)
    elif method.kind == "dc":
        stale = methods.SAPipeDC(n, eta, method.weight)
    else:
        option = int(method.kind[-1])
        predicted = methods.SAPipeWP(n, eta, option, method.weight if option == 3 else 0)
        return predicted if method.kappa == 1 else methods.SAPipe(predicted, mask, "proofs")
    return stale if method.kappa == 1 else methods.SAPipe(stale, mask, "proofs")
