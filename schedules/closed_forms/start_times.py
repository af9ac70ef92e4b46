"""Start times of every F and B as closed forms in (s, m, p, M), guessed from small runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from schedules.actions import Kind
from schedules.closed_forms.affine import LET_IN, ONE, ROUNDS, Affine, Period, Piecewise, Quotient
from schedules.closed_forms.fit import fit
from schedules.dependencies import tables
from schedules.errors import InvalidScheduleError, ScheduleError
from schedules.families.family import Family, from_rule
from schedules.rules import GreedyRule, run_greedy
from schedules.schedule import IntArray, Schedule
from schedules.timeline import timeline

LEAST_STAGES: Final = 2
"""Closed forms are stated for p ≥ 2, or more where no form fits so small a pipeline."""

SAMPLED_STAGES: Final = range(LEAST_STAGES, 8)
"""Pipelines that the guess is made from; any p works as a test of it."""

_BASES: Final = (
    ("m", "s", "p"),
    ("m", "s", "p", "M"),
    ("pm", "m", "s", "p"),
    ("pm", "m", "s", "p", "M"),
)


_PERIODIC_BASES: Final = (("q", "r", "s", "p"), (ROUNDS, "q", "r", "s", "p"))
_ENDING_BASES: Final = (*_PERIODIC_BASES, (ROUNDS, "q", "r", "s", "p", "M"))

_LATEST: Final = 4
"""The largest p from which on a period is looked for."""


@dataclass(frozen=True)
class StartTimes:
    """Slots in which F(s, m) and B(s, m) run under unit durations.

    Attributes
    ----------
    forward, backward : Piecewise
    period : Affine or Quotient
        Microbatches P after which they repeat, in ``p``; beyond 1, forms are in ``q`` and ``r``
        with m = q·P + r, 0 ≤ r < P.
    least : int
        The least p that they are stated for.
    many : Quotient or None
        What N is where forms name it and it is no period: it is p at least.
    """

    forward: Piecewise
    backward: Piecewise
    period: Period = ONE
    least: int = LEAST_STAGES
    many: Quotient | None = None

    def place(self, m: Any, p: Any) -> dict[str, Any]:
        """The symbols ``q``, ``r`` and ``pq`` of microbatches, numbers or arrays, and N."""
        if self.many is not None:
            return {LET_IN: self.many.at({"p": p})}
        q, r = divmod(m, self.period.at({"p": p}))
        return {"q": q, "r": r, ROUNDS: q * p}

    @property
    def let_in(self) -> Quotient | None:
        """N, if forms have it as a symbol."""
        return self.period if isinstance(self.period, Quotient) else self.many


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
    *,
    slots: bool = False,
) -> Samples:
    """Run a family on a few small sizes and tabulate start times.

    Start times are those of the order's timeline; `slots` asks for the slots in which a greedy
    rule plays, which come earlier where an action may feed another in its own slot.

    Parameters
    ----------
    family : Family
    admission : callable or None
    runs : sequence of int, optional
        M by p; else M is 1, p − 1, p, p + 1, 2p − 1, 2p + 1 and 4p.
    more : iterable of (p, M), optional
        Sizes to run besides.
    slots : bool
    """

    def tabulated(p: int, microbatches: int) -> IntArray:
        if slots:
            return _slots(family, p, microbatches, admission)
        return _tabulate(build_from_rule(family, p, microbatches, admission))

    parts = [
        tabulated(p, microbatches)
        for p in range(_least(family, admission), SAMPLED_STAGES.stop)
        for microbatches in (
            [p * times for times in runs] or (1, p - 1, p, p + 1, 2 * p - 1, 2 * p + 1, 4 * p)
        )
    ]
    parts += [tabulated(p, M) for p, M in more]
    table: IntArray = np.concatenate(parts, axis=1)
    stage, m, p_column, big_m, forward, backward = table
    columns = {"s": stage, "m": m, "p": p_column, "M": big_m, "pm": p_column * m}
    return Samples(columns, forward, backward)


def _least(family: Family, admission: Callable[[int], int] | None) -> int:
    """The least p for which it generates a schedule, or the last one that is tried."""
    for p in range(LEAST_STAGES, _LATEST):
        with suppress(ScheduleError):
            build_from_rule(family, p, p, admission)
            return p
    return _LATEST


def _tabulate(schedule: Schedule) -> IntArray:
    """Columns s, m, p, M, start of F, start of B of one run."""
    if schedule.placement.ranks != (tuple(range(schedule.ranks)),):
        raise InvalidScheduleError(
            "start times are fitted of one pipeline with one stage a rank", "placement", "see below"
        )
    line, index = timeline(schedule), tables(schedule)
    stage, m = np.indices(index.forward.shape)
    sizes = (np.full_like(stage, schedule.stages), np.full_like(stage, schedule.microbatches))
    starts = (line.start[index.forward], line.start[index.backward])
    return np.stack([column.ravel() for column in (stage, m, *sizes, *starts)])


def _slots(family: Family, p: int, M: int, admission: Callable[[int], int] | None) -> IntArray:
    """The same of the slots in which a greedy rule plays."""
    assert isinstance(family.rule, GreedyRule)
    limit = None if admission is None else admission(p)
    found = run_greedy(family.rule, p, M, limit, in_flight=family.in_flight)
    slots = (np.array(found.forward), np.array(found.backward))
    stage, m = np.indices(slots[0].shape)
    sizes = (np.full_like(stage, p), np.full_like(stage, M))
    return np.stack([column.ravel() for column in (stage, m, *sizes, *slots)])


def guess_start_times(samples: Samples, periods: Iterable[int] = ()) -> StartTimes | Kind:
    """Fit closed forms, periodic ones where others fail; a kind that has none where they do too.

    Parameters
    ----------
    samples : Samples
    periods : iterable of int
        After how many microbatches start times may repeat from the first on, at every p.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> guess_start_times(sample(get_family("gpipe"), None)).forward.described()
    [{'when': 'True', 'expr': 'm + s'}]
    """
    forward = fit(samples.columns, samples.forward, _BASES)
    backward = forward and fit(samples.columns, samples.backward, _BASES)
    if forward is not None and backward is not None:
        return StartTimes(forward, backward, least=int(samples.columns["p"].min()))
    return _periodic(samples, periods) or (Kind.F if forward is None else Kind.B)


def fits(guess: StartTimes, samples: Samples) -> bool:
    """Whether start times are those of all runs with so many stages, and there are such."""
    here = samples.columns["p"] >= guess.least
    at = {name: column[here] for name, column in samples.columns.items()}
    if guess.period != ONE or guess.many is not None:
        at |= guess.place(at["m"], at["p"])
    pairs = ((guess.forward, samples.forward), (guess.backward, samples.backward))
    return bool(here.any()) and all((f.at(at, np.where) == x[here]).all() for f, x in pairs)


def guess_slots(
    family: Family,
    admission: Callable[[int], int] | None,
    starts: Samples,
    more: Iterable[tuple[int, int]] = (),
) -> StartTimes | Kind | None:
    """The slots in which a greedy rule plays, if they are not its order's start times."""
    if not isinstance(family.rule, GreedyRule):
        return None
    played = sample(family, admission, more=more, slots=True)
    same = (played.forward == starts.forward) & (played.backward == starts.backward)
    return None if same.all() else guess_start_times(played)


def _periodic(samples: Samples, known: Iterable[int]) -> StartTimes | None:
    """Forms of the least p on, in which start times repeat after several microbatches."""
    columns = samples.columns
    first = int(columns["p"].min())
    for d in known:
        found = _in_periods(samples, Affine((), d), first, _ENDING_BASES, d)
        if found is not None:
            return found
    periods = {p: _period(samples, p) for p in range(first, SAMPLED_STAGES.stop)}
    for least in range(first, _LATEST + 1):
        for every in _periods(periods, least):
            bases = _BASES if every == ONE else _PERIODIC_BASES
            found = _in_periods(samples, every, least, bases)
            if found is not None:
                return found
    return None


def _in_periods(
    samples: Samples, every: Affine, least: int, bases: Sequence[Sequence[str]], period: int = 0
) -> StartTimes | None:
    """Forms with a period, from a p on."""
    here = samples.columns["p"] >= least
    inside = {name: column[here] for name, column in samples.columns.items()}
    known = StartTimes(Piecewise(()), Piecewise(()), every, least)
    inside |= known.place(inside["m"], inside["p"])
    backward = fit(inside, samples.backward[here], bases, period=period)
    forward = backward and fit(inside, samples.forward[here], bases, period=period)
    if forward is None or backward is None:
        return None
    return replace(known, forward=forward, backward=backward)


def _periods(found: Mapping[int, int | None], least: int) -> Iterator[Affine]:
    """Forms αp + β of which every p from `least` on has a multiple of its period."""
    for slope in range(3):
        for constant in range(-least * slope + 1, 5):
            values = ((every, slope * p + constant) for p, every in found.items() if p >= least)
            if all(every and value % every == 0 for every, value in values):
                yield Affine((("p", slope),) if slope else (), constant)


def _period(samples: Samples, p: int) -> int | None:
    """Microbatches after which start times repeat in the middle of the longest run."""
    columns, longest = samples.columns, 4 * p
    own = (columns["p"] == p) & (columns["M"] == longest)
    starts = (one[own].reshape(p, longest) for one in (samples.forward, samples.backward))
    middle = np.concatenate(list(starts))[:, longest // 4 : longest - longest // 8]
    for every in range(1, middle.shape[1] // 2):
        advance = middle[:, every:] - middle[:, :-every]
        if (advance == advance[0, 0]).all():
            return every
    return None
