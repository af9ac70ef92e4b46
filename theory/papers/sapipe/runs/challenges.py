"""Which instances of SAPipe are tried, and the challenges made of them.

A quick search takes a rotating sample of the combinations, the same one every time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import gcd

from theory.falsifier.challenges import Accept, as_it_is, challenge
from theory.falsifier.model import Challenge
from theory.falsifier.scalars import Exact, bent, huber, linear, quadratic, wave
from theory.papers.sapipe.runs.fleets import Fleet, fleet
from theory.papers.sapipe.runs.parts import Part, bell, rounded
from theory.papers.sapipe.runs.pipelines import Pipeline
from theory.papers.sapipe.runs.settings import (
    PipelineSetting,
    average_gradient,
    pipeline_course,
    pipeline_instance,
    pipeline_setting_of,
    pipeline_simpler,
    replayed_gradient,
    twice_differentiable,
    with_diversity,
    with_small_weight,
)

Workers = Callable[[int], Fleet]
"""Makes the problem of n workers."""


def alike(name: str, parts: Sequence[Sequence[Part]], start: Sequence[Exact]) -> Workers:
    """All workers draw among the same components."""
    shares = [list(parts)]
    return lambda n: fleet(name, shares * (n if len(parts) > 1 else 1), start)


def unlike(name: str, share: Callable[[int], Sequence[Part]], start: Exact) -> Workers:
    """Worker i draws among the components `share(i)`, functions of one variable."""
    return lambda n: fleet(name, [[[part] for part in share(i)] for i in range(n)], [start])


def signed(n: int) -> Fleet:
    """Parabolas of curvature 1, but the last worker's is −1 (from n = 3 on)."""
    bends = [1] * (n - 1) + [-1 if n > 2 else 1]
    return fleet("one hill among parabolas", [[[quadratic(a)]] for a in bends], [1])


def signed_rounded(n: int) -> Fleet:
    """The same with bounded gradients, small enough that Δ = L."""
    bends = [1] * (n - 1) + [-1 if n > 2 else 1]
    shares = [[[rounded(HALF, HALF, a)]] for a in bends]
    return fleet("one rounded hill among rounded parabolas", shares, [HALF / 4])


HALF = Fraction(1, 2)
NONE = (Fraction(0),)
SIZES = (1, 2, 3)
STEPS = tuple(Fraction(a, b) for a, b in ((1, 1), (1, 2), (3, 4), (5, 8), (2, 3), (1, 3), (1, 8)))
"""Learning rates as multiples of 1/L."""
LENGTHS = {False: (1, 2, 7, 24), True: (1, 2, 3, 5, 7, 12, 24, 60, 120)}
"""T of runs that nothing is random in."""
SHORT = {False: (1, 2, 7), True: (1, 2, 3, 4, 5, 7, 9)}
"""The same where a compensation makes numbers three times as long in every iteration."""

QUIET: tuple[Workers, ...] = (
    alike("parabola", [[quadratic(1)]], [1]),
    alike("steep parabola", [[quadratic(2)]], [1]),
    alike("uneven parabola", [[quadratic(1), quadratic(HALF)]], [1, -1]),
    alike("Huber", [[huber(1, 1)]], [3]),
    alike("bent", [[bent(1, HALF, 1)]], [2]),
    alike("wave", [[wave(1, 4, 2)]], [Fraction(5, 2)]),
    signed,
    unlike("unequal parabolas", lambda i: [quadratic(Fraction(1, i + 1))], 1),
    unlike("parabolas apart", lambda i: [quadratic(1, centre=i)], 2),
    unlike("Huber functions apart", lambda i: [huber(1, 1, centre=2 * (i % 2))], -1),
)
"""Without noise; parabolas first."""

NOISY: tuple[Workers, ...] = (
    alike("noisy parabola", [[quadratic(1, tilt=b)] for b in (-1, 1)], [0]),
    alike("noisy parabola off its centre", [[quadratic(1, tilt=b)] for b in (-1, 1)], [1]),
    alike("unequal curvatures", [[quadratic(2)], [quadratic(HALF)]], [1]),
    alike("a valley and a hill", [[quadratic(2)], [quadratic(-1)]], [1]),
    alike("noisy wave", [[wave(1, 4, 1)], [quadratic(1)]], [1]),
    unlike("noisy and apart", lambda i: [quadratic(1, centre=i % 2, tilt=b) for b in (-1, 1)], 1),
)

ROUNDED: tuple[Workers, ...] = (
    alike("rounded parabola", [[rounded(1, 1)]], [1]),
    alike("rounded parabola, small", [[rounded(HALF, HALF)]], [Fraction(1, 16)]),
    alike("rounded from afar", [[rounded(HALF, HALF)]], [2]),
    alike("rounded, steep", [[rounded(Fraction(1, 4), Fraction(1, 4), 4)]], [Fraction(1, 16)]),
    alike("rounded, gentle", [[rounded(16, 32, Fraction(1, 64))]], [16]),
    alike("rounded in two", [[rounded(1, 1), rounded(HALF, 1)]], [1, -HALF]),
    signed_rounded,
    unlike("rounded apart", lambda i: [rounded(2, 2, centre=i % 2)], 1),
)
"""Twice differentiable with bounded gradients, without noise."""

ROUNDED_NOISY: tuple[Workers, ...] = (
    alike("noisy rounded", [[rounded(1, 1, tilt=b)] for b in (-1, 1)], [0]),
    alike(
        "noisy rounded, small", [[rounded(HALF, HALF, 1, b * HALF / 4)] for b in (-1, 1)], [HALF]
    ),
    alike("unequal curvatures", [[rounded(1, 1, 2)], [rounded(1, 1, HALF)]], [1]),
)
CURVED: tuple[Workers, ...] = (
    alike("x²/(1+x²)", [[bell()]], [HALF]),
    alike("x²/(1+x²) from beyond its bend", [[bell(HALF)]], [1]),
    unlike("x²/(1+x²), unequal", lambda i: [bell(Fraction(1, i + 1))], 1),
)
"""Numbers grow fast: few iterations."""


LAYERED: tuple[Workers, ...] = (
    alike("parabola and a line", [[quadratic(1), linear(0)]], [1, 0]),
    alike("parabola and three lines", [[quadratic(1), *[linear(0)] * 3]], [1, 0, 0, 0]),
    alike("two parabolas", [[quadratic(1), quadratic(HALF)]], [1, 1]),
    alike(
        "noisy parabola and a line", [[quadratic(1, tilt=b), linear(0)] for b in (-1, 1)], [1, 0]
    ),
)
"""The first layer has one element; lines are constant."""

SHARES = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
"""κ strictly between 0 and 1."""
WEIGHTS = (Fraction(0), HALF, Fraction(4, 5), Fraction(1), Fraction(2))
"""λ."""


@dataclass(frozen=True)
class _Plan:
    """Functions, sizes and lengths that are combined, and how many choices of the rest are kept."""

    makers: Sequence[Workers]
    sizes: Sequence[int]
    lengths: Sequence[int]
    kappas: Sequence[Fraction] = (Fraction(1),)
    kept: int = 2

    def settings(
        self, kind: str, own: Sequence[bool], weights: Sequence[Fraction], layers: bool = False
    ) -> Iterator[PipelineSetting]:
        """Every function, number of workers and length with some of the other choices, in turn."""
        rests = (False,) if kind.startswith("wp") else (False, True)
        choices = list(product(STEPS, weights, self.kappas, rests, own))
        turn = 0
        stride = next(step for step in (7, 11, 13) if gcd(step, len(choices)) == 1)
        for make, n, T in product(self.makers, self.sizes, self.lengths):
            problem = make(n)
            for _ in range(min(self.kept, len(choices))):
                step, weight, kappa, rest, alone = choices[turn % len(choices)]
                turn += stride
                eta = step / problem.smoothness
                yield PipelineSetting(
                    problem, Pipeline(kind, n, T, eta, kappa, weight, alone, rest, layers)
                )


def long_settings(kind: str, deep: bool) -> Iterator[PipelineSetting]:
    """Long runs on a noisy parabola by linear forms, with more workers."""
    lengths, sizes = ((12, 64), (1, 8, 64)) if deep else ((12, 32), (1, 4, 16))
    kappas = (Fraction(1), Fraction(0)) if kind == "vanilla" else (Fraction(1),)
    plan = _Plan(NOISY[:2], sizes, lengths, kappas, 4 if deep else 2)
    for setting in plan.settings(kind, (True,), NONE):
        yield replace(setting, engine="moments")


def vanilla_settings(deep: bool, own: bool = True) -> Iterator[PipelineSetting]:
    """PipeSGD, distributed SGD, and elements redrawn."""
    more = 3 if deep else 1
    lone = (
        _Plan(QUIET, SIZES[:2], LENGTHS[deep], kept=2 * more),
        _Plan(NOISY, (1, 2), (2, 3), (Fraction(1), Fraction(0)), 2 * more),
        _Plan(NOISY[:2], (3,), (3,), (Fraction(1), Fraction(0)), 2 * more),
    )
    between = (
        _Plan(QUIET, SIZES[:2], (2, 3, 6), SHARES, 2 * more),
        _Plan(NOISY, (2,), (2,), SHARES, 3 * more),
        _Plan(NOISY, (1,), (3,), SHARES, 3 * more),
        _Plan(NOISY[:2], (1,), (4,), SHARES, 3 * more),
    )
    for plan in (*lone, *between) if own else between:
        yield from plan.settings("vanilla", (own,), NONE)
    if own:
        yield from long_settings("vanilla", deep)


def layered_settings(deep: bool) -> Iterator[PipelineSetting]:
    """The first layer stale throughout: a share κ of the elements, with all of the curvature."""
    for make, kappa in zip(LAYERED, (HALF, Fraction(1, 4), HALF, HALF), strict=True):
        lengths = (2, 3, 4) if "noisy" in make(1).name else LENGTHS[deep]
        plan = _Plan((make,), SIZES[:2], lengths, (kappa,), 4)
        yield from plan.settings("vanilla", (True, False), NONE, layers=True)


def compensated_settings(deep: bool) -> Iterator[PipelineSetting]:
    """SAPipe-DC."""
    more = 3 if deep else 1
    for plan in (
        _Plan(ROUNDED, SIZES[:2], SHORT[deep], kept=2 * more),
        _Plan(ROUNDED[1:5], (1,), (6, 12), kept=4 * more),
        _Plan(ROUNDED, (1,), (3, 4), SHARES, 2 * more),
        _Plan(ROUNDED_NOISY, (1, 2), (2, 3), (Fraction(1), HALF, Fraction(0)), 3 * more),
        _Plan(CURVED, (1, 2), (2, 3), (Fraction(1), HALF), 2 * more),
    ):
        yield from plan.settings("dc", (True, False), WEIGHTS)


def predicted_settings(kind: str, deep: bool) -> Iterator[PipelineSetting]:
    """SAPipe-WP, options 1 and 2."""
    more = 3 if deep else 1
    for plan in (
        _Plan(QUIET, SIZES[1:], LENGTHS[deep], kept=more),
        _Plan(QUIET[:2], (1, 2, 8), LENGTHS[deep][2:], kept=6),
        _Plan((signed,), (3,), LENGTHS[deep][2:], kept=6),
        _Plan(NOISY, (1, 2), (2, 3), kept=2 * more),
        _Plan(NOISY[:2], (3,), (2,), kept=2 * more),
        _Plan(NOISY[:2], (1, 2), (2,), (HALF, Fraction(0)), 2 * more),
    ):
        yield from plan.settings(kind, (True,), NONE)
    yield from long_settings(kind, deep)


def fully_predicted_settings(deep: bool) -> Iterator[PipelineSetting]:
    """SAPipe-WP, option 3."""
    more = 3 if deep else 1
    for plan in (
        _Plan(ROUNDED, SIZES, (1, 2, 3, 4), kept=2 * more),
        _Plan(ROUNDED[1:5], (1, 3, 8), (6, 8), kept=4 * more),
        _Plan(ROUNDED_NOISY, (1, 2), (2, 3), kept=3 * more),
        _Plan(ROUNDED_NOISY[:2], (1, 2), (2,), (HALF, Fraction(0)), 2 * more),
        _Plan(CURVED, (1, 2), (2, 3), kept=2 * more),
    ):
        yield from plan.settings("wp-3", (True,), WEIGHTS)
    longer = _Plan(ROUNDED[1:2], (2, 3, 8), (7, 12), kept=6)
    yield from longer.settings("wp-3", (True,), NONE)  # λ = 0: numbers stay short


def _challenge(
    name: str,
    says: str,
    kind: str,
    settings: Callable[[bool], Iterator[PipelineSetting]],
    accept: Accept = as_it_is,
) -> Challenge:
    """A challenge about one kind of method."""
    return challenge(
        name,
        f"(1/T) Σ E‖∇F(x_{{t−1}})‖² over T iterations of {says}",
        settings,
        pipeline_instance,
        lambda one: average_gradient(pipeline_course(pipeline_setting_of(one, kind))),
        lambda one: replayed_gradient(pipeline_setting_of(one, kind)),
        lambda one: pipeline_simpler(pipeline_setting_of(one, kind)),
        accept,
    )


_ALL = (
    _challenge(
        "sapipe-vanilla",
        "vanilla SAPipe, elements redrawn, samples of their own",
        "vanilla",
        vanilla_settings,
    ),
    _challenge(
        "sapipe-vanilla-reused",
        "vanilla SAPipe, elements redrawn, samples used twice",
        "vanilla",
        partial(vanilla_settings, own=False),
    ),
    _challenge(
        "sapipe-prefix", "vanilla SAPipe whose first layers are stale", "vanilla", layered_settings
    ),
    _challenge("sapipe-dc", "SAPipe-DC", "dc", compensated_settings, with_small_weight),
    _challenge(
        "sapipe-wp-1",
        "SAPipe-WP, option 1",
        "wp-1",
        partial(predicted_settings, "wp-1"),
        with_diversity,
    ),
    _challenge("sapipe-wp-2", "SAPipe-WP, option 2", "wp-2", partial(predicted_settings, "wp-2")),
    _challenge(
        "sapipe-wp-3", "SAPipe-WP, option 3", "wp-3", fully_predicted_settings, twice_differentiable
    ),
)

CHALLENGES = {one.name: one for one in _ALL}
"""By name."""
