"""What the theorems about RPD and NAG-RPD bound, and on which instances it is measured."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from theory.falsifier.challenges import Accept, as_it_is, challenge
from theory.falsifier.model import Challenge, Instance
from theory.falsifier.rates import Rate, evidence
from theory.falsifier.shrinking import plainer, simpler_problems
from theory.falsifier.zoo import BENT, BOUNDED, GENERAL, LINES, QUADRATICS, SMOOTH, Maker
from theory.papers.rpd.runs import blocks, grids
from theory.papers.rpd.runs.blocks import (
    Reader,
    Setting,
    bounded_below,
    last_step,
    satisfying_pl,
    setting_of,
)
from theory.papers.rpd.runs.rates import descent, long_delays, neighbourhood, square_delays

NONE = (Fraction(0),)
BETAS = (Fraction(1, 2), Fraction(1), Fraction(3))
ALL = (*QUADRATICS, *BENT, *BOUNDED, *GENERAL, *SMOOTH)
WITH_PL = (*QUADRATICS, *BENT)
WITH_LINES = (*LINES, *ALL)


def _block_method(
    name: str,
    says: str,
    read: Reader,
    makers: Sequence[Maker],
    accept: Accept = as_it_is,
    betas: Sequence[Fraction] = NONE,
    runs: Sequence[Callable[[], Rate]] = (),
) -> Challenge:
    """A challenge about RPD, or about NAG-RPD where some β > 0."""

    def settings(deep: bool) -> Iterator[Setting]:
        return chain(
            grids.settings(makers, deep, betas),
            grids.lone_settings(makers[:3], betas),
            grids.pipedream_settings(makers if deep else makers[:3], betas[:1]),
            () if any(betas) else grids.long_settings(deep),
        )

    return challenge(
        name,
        says,
        settings,
        blocks.instance,
        blocks.measured(read),
        blocks.replayed(read),
        _simpler,
        accept,
        evidence(*runs),
    )


def _simpler(one: Instance) -> Iterator[Setting]:
    """Fewer blocks, components, updates; smaller delays; plainer numbers."""
    setting = setting_of(one)
    for problem in simpler_problems(setting.problem):
        yield replace(setting, problem=problem)
    for K in range(1, setting.K):
        yield replace(setting, K=K)
    for tau in range(setting.tau):
        yield replace(setting, tau=tau)
    for name in ("zero", "max"):
        if name != setting.delays and setting.delays != "zero":
            yield replace(setting, delays=name)
    for gamma in plainer(setting.gamma):
        if gamma > 0:
            yield replace(setting, gamma=gamma)
    for beta in plainer(setting.beta):
        yield replace(setting, beta=beta)


_AVERAGE = "(1/K) Σ E‖∇f(x^k)‖² over the first K iterates"
_DRIFT = "the largest E‖x^k − x̂^k‖² of the first K updates"
_PATHWISE = "over all samplings, the largest {} of the first K updates"

_ALL = (
    _block_method(
        "rpd-average-gradient",
        f"{_AVERAGE} of RPD",
        blocks.average_gradient,
        ALL,
        bounded_below,
        runs=(descent,),
    ),
    _block_method(
        "rpd-average-gradient-tuned",
        f"{_AVERAGE} of RPD with γ = min{{1/L, √(2Δ/(LG²K))}}",
        blocks.average_gradient,
        ALL,
        blocks.tuned,
        runs=(descent,),
    ),
    _block_method(
        "rpd-drift", f"{_DRIFT} of RPD", blocks.drift, WITH_LINES, runs=(square_delays, long_delays)
    ),
    _block_method(
        "rpd-drift-pathwise",
        f"{_PATHWISE.format('‖x^k − x̂^k‖')} of RPD",
        blocks.drift_pathwise,
        WITH_LINES,
    ),
    _block_method(
        "rpd-drift-pathwise-squared",
        f"{_PATHWISE.format('‖x^k − x̂^k‖²')} of RPD",
        blocks.squared_drift_pathwise,
        WITH_LINES,
    ),
    _block_method(
        "rpd-pl-gap",
        "E f(x^K) − f* of RPD",
        blocks.gap,
        WITH_PL,
        satisfying_pl,
        runs=(neighbourhood,),
    ),
    _block_method(
        "rpd-pl-step",
        "E f(x^K) − f* of RPD, where Δ stands for E f(x^{K−1}) − f*",
        blocks.gap,
        WITH_PL,
        last_step,
    ),
    _block_method(
        "nag-average-gradient",
        f"{_AVERAGE} of NAG-RPD",
        blocks.average_gradient,
        ALL,
        bounded_below,
        BETAS,
    ),
    _block_method(
        "nag-drift", f"{_DRIFT} of NAG-RPD".replace("x̂", "x̃"), blocks.drift, WITH_LINES, betas=BETAS
    ),
    _block_method(
        "nag-drift-pathwise",
        f"{_PATHWISE.format('‖x^k − x̃^k‖')} of NAG-RPD",
        blocks.drift_pathwise,
        WITH_LINES,
        betas=BETAS,
    ),
    _block_method(
        "nag-drift-pathwise-squared",
        f"{_PATHWISE.format('‖x^k − x̃^k‖²')} of NAG-RPD",
        blocks.squared_drift_pathwise,
        WITH_LINES,
        betas=BETAS,
    ),
)

CHALLENGES = {one.name: one for one in _ALL}
"""By name."""
