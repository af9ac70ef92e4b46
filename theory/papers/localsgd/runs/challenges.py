"""What the theorems about LocalSGD bound, and on which instances it is measured."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from theory.falsifier.challenges import Accept, as_it_is, challenge
from theory.falsifier.model import Challenge
from theory.falsifier.numbers import Number
from theory.falsifier.rates import Rate, evidence
from theory.falsifier.zoo import LOCAL, LOCAL_LINES
from theory.papers.localsgd.runs import grids, local
from theory.papers.localsgd.runs.rates import local_descent, local_drift, speed_up
from theory.papers.localsgd.runs.replica_moments import Totals


def _local_method(
    name: str,
    says: str,
    read: Callable[[Totals], Number],
    settings: Callable[[bool], Iterator[local.LocalSetting]],
    accept: Accept = as_it_is,
    runs: Sequence[Callable[[], Rate]] = (),
) -> Challenge:
    return challenge(
        name,
        says,
        settings,
        local.local_instance,
        lambda one: read(local.local_totals(local.local_setting_of(one))),
        lambda one: read(local.replayed_totals(local.local_setting_of(one))),
        lambda one: local.local_simpler(local.local_setting_of(one)),
        accept,
        evidence(*runs),
    )


def _descents(deep: bool) -> Iterator[local.LocalSetting]:
    return chain(grids.local_settings(LOCAL, deep), grids.long_local_settings(deep))


def _drifts(deep: bool) -> Iterator[local.LocalSetting]:
    return grids.local_settings((*LOCAL_LINES, *LOCAL), deep)


def _tuned(deep: bool) -> Iterator[local.LocalSetting]:
    return chain(grids.local_settings(LOCAL, deep), grids.tuned_local_settings())


_LOCAL_AVERAGE = "(1/T) Σ E‖∇f(x̄^t)‖² over T local steps of LocalSGD"

_ALL = (
    _local_method(
        "localsgd-average-gradient",
        _LOCAL_AVERAGE,
        lambda found: found.gradient,
        _descents,
        local.descending,
        (local_descent,),
    ),
    _local_method(
        "localsgd-average-gradient-tuned",
        f"{_LOCAL_AVERAGE} with γ = min{{1/L, √N/(L√T)}}",
        lambda found: found.gradient,
        _tuned,
        local.tuned_local,
        (local_descent, speed_up),
    ),
    _local_method(
        "localsgd-drift",
        "the largest E (1/N) Σ ‖x_n^t − x̄^t‖² of T local steps of LocalSGD",
        lambda found: found.drift,
        _drifts,
        runs=(local_drift,),
    ),
)

CHALLENGES = {one.name: one for one in _ALL}
"""By name."""
