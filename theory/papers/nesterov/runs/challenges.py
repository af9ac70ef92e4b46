"""What is measured on Nesterov's method with a fixed delay, and on which instances.

The functions are convex and nothing is random: of a finite sum only the mean counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from typing import Any, Final

from theory.falsifier.challenges import Accept, challenge
from theory.falsifier.compare import number
from theory.falsifier.convexity import convex, nearest_minimizer, steepest
from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.model import Challenge, Instance, fractions
from theory.falsifier.numbers import Number, Root
from theory.falsifier.problem import Problem, square
from theory.falsifier.scalars import Piecewise, bent, huber, linear, quadratic
from theory.falsifier.shrinking import plainer, simpler_problems
from theory.falsifier.zoo import (
    BENT,
    BOUNDED,
    LINES,
    QUADRATICS,
    SMOOTH,
    Maker,
    alike,
    two_by_block,
)
from theory.papers.nesterov.runs.delayed import Delayed, Path, replay, run

FIXED: Final = "fixed"
"""The delay rule of every instance."""
SHORTEST: Final = 4
"""Iterations of the shortest run; the others are twice, four times … as long."""


@dataclass(frozen=True)
class NesterovSetting:
    """What is chosen of an instance; all else is computed."""

    problem: Problem
    t: int
    method: Delayed


@lru_cache(maxsize=1024)
def _path(problem: Problem, method: Delayed, T: int) -> Path:
    return run(problem, method, T)


def path(setting: NesterovSetting) -> Path:
    """A run to t or beyond, made once for many t."""
    T = SHORTEST
    while setting.t > T:
        T *= 2
    return _path(setting.problem, setting.method, T)


def nesterov_instance(setting: NesterovSetting) -> Instance:
    """A setting with its exactly computed constants.

    R is the distance of w_1 to the nearest minimizer, if there is one; G the supremum of ‖∇f‖ over
    all points, if it is finite; Ω the sum Ω_1 + … + Ω_t of the run.

    Raises
    ------
    RejectedInstanceError
        A hypothesis does not hold.
    """
    problem, t, method = setting.problem, setting.t, setting.method
    _require(convex(problem), "f separable and convex", "a slope that falls, or a coupling")
    _require(0 < method.beta >= problem.smoothness, "f β-smooth", f"L = {problem.smoothness}")
    _require(
        method.eta > 0 and method.tau >= 0 and t >= 1,
        "η > 0, τ ≥ 0 and t ≥ 1",
        f"η = {method.eta}, τ = {method.tau}, t = {t}",
    )
    values: dict[str, Number] = {
        "t": Fraction(t),
        "tau": Fraction(method.tau),
        "eta": method.eta,
        "beta": method.beta,
        "Omega": number(sum(path(setting).excess[:t])),
    }
    nearest = nearest_minimizer(problem)
    if nearest is not None:
        values["R"] = Root(square(a - b for a, b in zip(problem.start, nearest, strict=True)))
    slope = steepest(problem)
    if slope is not None:
        values["G"] = Root(slope)
    return Instance(problem, tuple(values.items()), FIXED)


def nesterov_setting_of(one: Instance) -> NesterovSetting:
    """The setting that an instance was built from."""
    t, tau, eta, beta = fractions(one, "t", "tau", "eta", "beta")
    return NesterovSetting(one.problem, int(t), Delayed(eta, int(tau), beta))


def with_minimizer(one: Instance) -> Instance:
    """The instance, if f has a minimizer.

    Raises
    ------
    RejectedInstanceError
        It has none, or none that is known.
    """
    _require("R" in one.numbers, "that f has a minimizer", "none, or it is not known exactly")
    return one


def at_full_step(one: Instance) -> Instance:
    """The instance, if moreover η = 1/β.

    Raises
    ------
    RejectedInstanceError
        It is not.
    """
    method = nesterov_setting_of(with_minimizer(one)).method
    _require(method.eta * method.beta == 1, "η = 1/β", f"ηβ = {method.eta * method.beta}")
    return one


def with_bounded_gradients(one: Instance) -> Instance:
    """The instance, if its gradients are bounded.

    Raises
    ------
    RejectedInstanceError
        They are not.
    """
    _require("G" in one.numbers, "bounded gradients", "their supremum is infinite")
    return one


def _require(holds: bool, hypothesis: str, found: str) -> None:
    if not holds:
        raise RejectedInstanceError(
            f"the theorem assumes {hypothesis}: {found}", "falsifier", "take another instance"
        )


Reader = Callable[[NesterovSetting, Path], Number]


def gap_at_read_point(setting: NesterovSetting, found: Path) -> Number:
    """f(y_t) − f*."""
    return _gap(setting.problem, found.read[setting.t - 1])


def gap_at_iterate(setting: NesterovSetting, found: Path) -> Number:
    """f(w_t) − f*."""
    return _gap(setting.problem, found.points[setting.t - 1])


def gap_at_next_iterate(setting: NesterovSetting, found: Path) -> Number:
    """f(w_{t+1}) − f*."""
    return _gap(setting.problem, found.points[setting.t])


def squared_step(setting: NesterovSetting, found: Path) -> Number:
    """‖w_{t+1} − w_t‖²."""
    before, after = found.points[setting.t - 1 : setting.t + 1]
    return number(square(b - a for a, b in zip(before, after, strict=True)))


def _gap(problem: Problem, point: Any) -> Number:
    assert problem.minimum is not None
    return number(problem.value(point), problem.minimum)


FLAT_BOTTOM: Final = Piecewise(
    (Fraction(-1), Fraction(1)), (Fraction(0), Fraction(0)), Fraction(1), Fraction(1)
)
"""With many minimizers, from −1 to 1."""

CONVEX: Final[tuple[tuple[Maker, int], ...]] = (
    (LINES[0], 1),
    (QUADRATICS[0], 1),
    (BOUNDED[0], 1),
    (alike("Huber inside its parabola", [huber(1, 1)], Fraction(1, 2)), 1),
    (BENT[0], 1),
    (alike("shallow parabola", [quadratic(Fraction(1, 16))], 1), 1),
    (alike("steep outside", [bent(1, 3, 1)], 3), 3),
    (BOUNDED[3], 1),
    (alike("flat bottom", [FLAT_BOTTOM], 3), 1),
    (two_by_block, 1),
    (lambda p: QUADRATICS[6](p + 1), 1),
    (alike("two lines", [linear(1), linear(3)], 0), 2),
    (SMOOTH[0], 1),
    (SMOOTH[2], 1),
)
"""Functions with a smoothness constant; the two smooth ones are run in intervals."""

TIMES: Final = (1, 2, 3, 4, 6, 9, 14, 20, 32)
LONG_TIMES: Final = (48, 64, 96)
AIMED: Final = {False: (7, 40, 200), True: (2, 7, 40, 200, 500)}
"""Iterations that something is aimed at, by whether the search is deep."""


def nesterov_settings(deep: bool) -> Iterator[NesterovSetting]:
    """Every function with many delays, stepsizes and lengths; a quick search takes a sample."""
    turn = 0
    for (make, beta), tau in product(CONVEX, (0, 1, 2, 3, 5, 8) if deep else (0, 1, 2, 3, 5)):
        problem = make(1)
        times = TIMES[:6] if not problem.rational else (*TIMES, *LONG_TIMES) if deep else TIMES
        for share in _shares(tau, deep):
            method = Delayed(share / beta, tau, Fraction(beta))
            turn += 1
            for t in times if deep else times[turn % 2 :: 2]:
                yield NesterovSetting(problem, t, method)


def aimed_settings(deep: bool) -> Iterator[NesterovSetting]:
    """Huber's function from afar, with the slope at which f(w_t) − f* is greatest for this t.

    While all points lie on its line, w_t = R − (t−1)ηg and f(w_t) − f* = gw_t − g²/(2β), whatever
    the delay; the best g gives R²/(4η(t−1) + 2/β).
    """
    for tau, t in product((0, 1, 2, 3, 5), AIMED[deep]):
        for eta in _shares(tau, deep):
            slope = 1 / (2 * eta * (t - 1) + 1)
            problem = alike("Huber from afar", [huber(1, slope)], 1)(1)
            yield NesterovSetting(problem, t, Delayed(eta, tau, Fraction(1)))


def _shares(tau: int, deep: bool) -> list[Fraction]:
    """Stepsizes as multiples of 1/β: the paper's, the largest proved one, and some beside them."""
    proved = Fraction(1, 4 * max(tau, 1))
    more = {proved / 2, Fraction(2), Fraction(1, 2 * max(tau, 1))} if deep else {Fraction(1, 2)}
    return sorted({Fraction(1), proved} | more)


def nesterov_simpler(setting: NesterovSetting) -> Iterator[NesterovSetting]:
    """A simpler function, fewer iterations, a smaller delay, a plainer stepsize."""
    for problem in simpler_problems(setting.problem):
        yield replace(setting, problem=problem)
    for t in sorted({1, 2, setting.t // 2, setting.t - 1}):
        if 1 <= t < setting.t:
            yield replace(setting, t=t)
    for tau in range(setting.method.tau):
        yield replace(setting, method=replace(setting.method, tau=tau))
    for eta in plainer(setting.method.eta):
        if eta > 0:
            yield replace(setting, method=replace(setting.method, eta=eta))


def _challenge(name: str, says: str, read: Reader, accept: Accept) -> Challenge:
    def measure(one: Instance) -> Number:
        setting = nesterov_setting_of(one)
        return read(setting, path(setting))

    def again(one: Instance) -> Number:
        setting = nesterov_setting_of(one)
        return read(setting, replay(setting.problem, setting.method, setting.t))

    return challenge(
        name,
        f"{says} of Nesterov's method with delay τ",
        lambda deep: chain(nesterov_settings(deep), aimed_settings(deep)),
        nesterov_instance,
        measure,
        again,
        lambda one: nesterov_simpler(nesterov_setting_of(one)),
        accept,
    )


CHALLENGES: Final[dict[str, Challenge]] = {
    one.name: one
    for one in (
        _challenge("nesterov-point-gap", "f(y_t) − f*", gap_at_read_point, with_minimizer),
        _challenge("nesterov-iterate-gap", "f(w_t) − f*", gap_at_iterate, with_minimizer),
        _challenge("nesterov-descent", "f(w_{t+1}) − f*", gap_at_next_iterate, at_full_step),
        _challenge(
            "nesterov-step-squared", "‖w_{t+1} − w_t‖²", squared_step, with_bounded_gradients
        ),
    )
}
"""By name."""
