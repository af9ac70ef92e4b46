"""The challenges: what theorems bound, and on which instances it is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Final

from theory.falsifier import grids, rpd
from theory.falsifier.grids import Accept
from theory.falsifier.local import (
    LocalSetting,
    descending,
    local_setting_of,
    local_simpler,
    local_totals,
    replayed_totals,
    tuned_local,
)
from theory.falsifier.model import Challenge, Instance
from theory.falsifier.nesterov import NESTEROV
from theory.falsifier.numbers import Number
from theory.falsifier.rates import RATES
from theory.falsifier.replica_moments import Totals
from theory.falsifier.rpd import Reader, bounded_below, last_step, satisfying_pl, setting_of
from theory.falsifier.sapipe_grids import SAPIPE
from theory.falsifier.shrinking import simpler
from theory.falsifier.zoo import (
    BENT,
    BOUNDED,
    GENERAL,
    LINES,
    LOCAL,
    LOCAL_LINES,
    QUADRATICS,
    SMOOTH,
    Maker,
)

NONE: Final = (Fraction(0),)
BETAS: Final = (Fraction(1, 2), Fraction(1), Fraction(3))
ALL: Final = (*QUADRATICS, *BENT, *BOUNDED, *GENERAL, *SMOOTH)
WITH_PL: Final = (*QUADRATICS, *BENT)
WITH_LINES: Final = (*LINES, *ALL)


def _any(one: Instance) -> Instance:
    return one


def _block_method(
    name: str,
    says: str,
    read: Reader,
    makers: Sequence[Maker],
    accept: Accept = _any,
    betas: Sequence[Fraction] = NONE,
) -> Challenge:
    """A challenge about RPD, or about NAG-RPD where some β > 0."""

    @lru_cache(maxsize=2)
    def found(deep: bool) -> tuple[Instance, ...]:
        settings = chain(
            grids.settings(makers, deep, betas),
            grids.lone_settings(makers[:3], betas),
            grids.pipedream_settings(makers if deep else makers[:3], betas[:1]),
            () if any(betas) else grids.long_settings(deep),
        )
        return tuple(grids.admissible(settings, accept))

    def smaller(one: Instance) -> Iterator[Instance]:
        yield from grids.admissible(simpler(setting_of(one)), accept)

    return Challenge(
        name,
        says,
        lambda deep: iter(found(deep)),
        rpd.measured(read),
        rpd.replayed(read),
        smaller,
        RATES.get(name, ()),
    )


def _local_method(
    name: str,
    says: str,
    read: Callable[[Totals], Number],
    settings: Callable[[bool], Iterator[LocalSetting]],
    accept: Accept = _any,
) -> Challenge:
    """A challenge about LocalSGD."""

    @lru_cache(maxsize=2)
    def found(deep: bool) -> tuple[Instance, ...]:
        return tuple(grids.admissible_local(settings(deep), accept))

    def smaller(one: Instance) -> Iterator[Instance]:
        yield from grids.admissible_local(local_simpler(local_setting_of(one)), accept)

    return Challenge(
        name,
        says,
        lambda deep: iter(found(deep)),
        lambda one: read(local_totals(local_setting_of(one))),
        lambda one: read(replayed_totals(local_setting_of(one))),
        smaller,
        RATES.get(name, ()),
    )


def _descents(deep: bool) -> Iterator[LocalSetting]:
    return chain(grids.local_settings(LOCAL, deep), grids.long_local_settings(deep))


def _drifts(deep: bool) -> Iterator[LocalSetting]:
    return grids.local_settings((*LOCAL_LINES, *LOCAL), deep)


def _tuned(deep: bool) -> Iterator[LocalSetting]:
    return chain(grids.local_settings(LOCAL, deep), grids.tuned_local_settings())


_AVERAGE: Final = "(1/K) Σ E‖∇f(x^k)‖² over the first K iterates"
_DRIFT: Final = "the largest E‖x^k − x̂^k‖² of the first K updates"
_PATHWISE: Final = "over all samplings, the largest {} of the first K updates"
_LOCAL_AVERAGE: Final = "(1/T) Σ E‖∇f(x̄^t)‖² over T local steps of LocalSGD"

CHALLENGES: Final[dict[str, Challenge]] = {
    challenge.name: challenge
    for challenge in (
        _block_method(
            "rpd-average-gradient", f"{_AVERAGE} of RPD", rpd.average_gradient, ALL, bounded_below
        ),
        _block_method(
            "rpd-average-gradient-tuned",
            f"{_AVERAGE} of RPD with γ = min{{1/L, √(2Δ/(LG²K))}}",
            rpd.average_gradient,
            ALL,
            rpd.tuned,
        ),
        _block_method("rpd-drift", f"{_DRIFT} of RPD", rpd.drift, WITH_LINES),
        _block_method(
            "rpd-drift-pathwise",
            f"{_PATHWISE.format('‖x^k − x̂^k‖')} of RPD",
            rpd.drift_pathwise,
            WITH_LINES,
        ),
        _block_method(
            "rpd-drift-pathwise-squared",
            f"{_PATHWISE.format('‖x^k − x̂^k‖²')} of RPD",
            rpd.squared_drift_pathwise,
            WITH_LINES,
        ),
        _block_method("rpd-pl-gap", "E f(x^K) − f* of RPD", rpd.gap, WITH_PL, satisfying_pl),
        _block_method(
            "rpd-pl-step",
            "E f(x^K) − f* of RPD, where Δ stands for E f(x^{K−1}) − f*",
            rpd.gap,
            WITH_PL,
            last_step,
        ),
        _block_method(
            "nag-average-gradient",
            f"{_AVERAGE} of NAG-RPD",
            rpd.average_gradient,
            ALL,
            bounded_below,
            BETAS,
        ),
        _block_method(
            "nag-drift",
            f"{_DRIFT} of NAG-RPD".replace("x̂", "x̃"),
            rpd.drift,
            WITH_LINES,
            betas=BETAS,
        ),
        _block_method(
            "nag-drift-pathwise",
            f"{_PATHWISE.format('‖x^k − x̃^k‖')} of NAG-RPD",
            rpd.drift_pathwise,
            WITH_LINES,
            betas=BETAS,
        ),
        _block_method(
            "nag-drift-pathwise-squared",
            f"{_PATHWISE.format('‖x^k − x̃^k‖²')} of NAG-RPD",
            rpd.squared_drift_pathwise,
            WITH_LINES,
            betas=BETAS,
        ),
        _local_method(
            "localsgd-average-gradient",
            _LOCAL_AVERAGE,
            lambda found: found.gradient,
            _descents,
            descending,
        ),
        _local_method(
            "localsgd-average-gradient-tuned",
            f"{_LOCAL_AVERAGE} with γ = min{{1/L, √N/(L√T)}}",
            lambda found: found.gradient,
            _tuned,
            tuned_local,
        ),
        _local_method(
            "localsgd-drift",
            "the largest E (1/N) Σ ‖x_n^t − x̄^t‖² of T local steps of LocalSGD",
            lambda found: found.drift,
            _drifts,
        ),
        *NESTEROV,
        *SAPIPE,
    )
}
"""All challenges by name."""
