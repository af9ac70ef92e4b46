"""Start times of every F and B as closed forms in (s, m, p, M), guessed from small runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from schedules.actions import Kind
from schedules.closed_forms.affine import Piecewise
from schedules.closed_forms.fit import fit
from schedules.dependencies import tables
from schedules.families.family import Family, from_rule
from schedules.schedule import IntArray, Schedule
from schedules.timeline import timeline

SAMPLED_STAGES: Final = range(2, 8)
"""Pipelines that the guess is made from; any p works as a test of it."""

_BASES: Final = (
    ("m", "s", "p"),
    ("m", "s", "p", "M"),
    ("pm", "m", "s", "p"),
    ("pm", "m", "s", "p", "M"),
)


@dataclass(frozen=True)
class StartTimes:
    """Slots in which F(s, m) and B(s, m) run under unit durations."""

    forward: Piecewise
    backward: Piecewise


@dataclass(frozen=True)
class Samples:
    """Start times of small runs, one row a (p, M, s, m).

    Attributes
    ----------
    columns : dict of str to ndarray
        ``s``, ``m``, ``p``, ``M`` and the product ``pm``.
    forward, backward : ndarray of int
    """

    columns: dict[str, IntArray]
    forward: IntArray
    backward: IntArray


def build_from_rule(
    family: Family, stages: int, microbatches: int, admission: Callable[[int], int] | None
) -> Schedule:
    """Generate a family's schedule from its rule and an admission bound alone."""
    if family.rule is None:
        return family.build(stages, microbatches)
    return from_rule(replace(family, admission=admission), stages, microbatches)


def sample(
    family: Family,
    admission: Callable[[int], int] | None,
    runs: Sequence[int] = (),
    more: Iterable[tuple[int, int]] = (),
) -> Samples:
    """Run a family on a few small sizes and tabulate start times.

    Greedy families are sampled slot by slot as their rule plays; that this equals the
    as-soon-as-possible timeline of the order they produce is itself one of their laws.

    Parameters
    ----------
    family : Family
    admission : callable or None
    more : iterable of (p, M), optional
        Sizes to run besides.
    runs : sequence of int, optional
        M by p; else M is 1, p − 1, p, p + 1, 2p − 1, 2p + 1 and 4p.
    """
    parts = [
        _tabulate(build_from_rule(family, p, microbatches, admission))
        for p in SAMPLED_STAGES
        for microbatches in (
            [p * times for times in runs] or (1, p - 1, p, p + 1, 2 * p - 1, 2 * p + 1, 4 * p)
        )
    ]
    parts += [_tabulate(build_from_rule(family, p, M, admission)) for p, M in more]
    table: IntArray = np.concatenate(parts, axis=1)
    stage, m, p_column, big_m, forward, backward = table
    columns = {"s": stage, "m": m, "p": p_column, "M": big_m, "pm": p_column * m}
    return Samples(columns, forward, backward)


def _tabulate(schedule: Schedule) -> IntArray:
    """Columns s, m, p, M, start of F, start of B of one run."""
    line, index = timeline(schedule), tables(schedule)
    stage, m = np.indices(index.forward.shape)
    sizes = (np.full_like(stage, schedule.stages), np.full_like(stage, schedule.microbatches))
    starts = (line.start[index.forward], line.start[index.backward])
    return np.stack([column.ravel() for column in (stage, m, *sizes, *starts)])


def guess_start_times(samples: Samples) -> StartTimes | Kind:
    """Fit closed forms; the kind that has none where the search fails.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> guess_start_times(sample(get_family("gpipe"), None)).forward.described()
    [{'when': 'True', 'expr': 'm + s'}]
    """
    forward = fit(samples.columns, samples.forward, _BASES)
    if forward is None:
        return Kind.F
    backward = fit(samples.columns, samples.backward, _BASES)
    return Kind.B if backward is None else StartTimes(forward, backward)
