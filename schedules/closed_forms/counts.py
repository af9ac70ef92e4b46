"""How many updates of stage u a forward or a backward at stage x counts, in closed form.

For microbatch m the count is m plus a floor: m + ⌊numerator / period⌋ where a stage updates
once a microbatch, ⌊numerator / period⌋ where it updates once a step. The numerator depends on
whether u lies below, at or above x, because a linearization counts updates of the event's own
slot by the order of stages. Guessed here, proved in `theory`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import numpy as np

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine, Piecewise
from schedules.closed_forms.fit import exact_affine, fit
from schedules.closed_forms.start_times import Samples, build_from_rule, sample
from schedules.delays import history
from schedules.families.family import Family
from schedules.linearization import Linearization
from schedules.timeline import timeline

STEADY_RUNS: Final = (10,)
"""M by p of the runs of which the middle is taken to be steady."""


FROM_P: Final = Affine((("p", 1),))


class Region(Enum):
    """Where the updating stage u lies relative to the counting stage x."""

    BELOW = (0, 1)
    AT = (0, 0)
    ABOVE = (1, 0)


@dataclass(frozen=True)
class Apart:
    """Numerators of forwards at the stages ``x`` with ``guard`` ≥ 0, in ``x`` and ``p``."""

    guard: Affine | None
    numerator: Mapping[Region, Affine]


@dataclass(frozen=True)
class CountForm:
    """Counts of updates in closed form.

    Attributes
    ----------
    period : int
        Divisor of the floors: slots from one microbatch to the next, 1 if there are no floors.
    per_microbatch : bool
        Whether stages update once a microbatch (else once a step).
    from_start : bool
        Whether the form holds for every microbatch, else for first ≤ m < M − p.
    numerator : mapping
        ``numerator[kind][region]``: affine in ``u``, ``x`` and ``p``; kind F or B.
    first : Affine
        In ``p``: the microbatch from which on the form holds.
    apart : tuple of Apart
        Stages whose forwards count otherwise; the first of them that applies is right.
    """

    period: int
    per_microbatch: bool
    from_start: bool
    numerator: Mapping[Kind, Mapping[Region, Affine]]
    first: Affine = FROM_P
    apart: tuple[Apart, ...] = ()

    def forwards(self) -> tuple[Apart, ...]:
        """How forwards count, as a decision list that ends without a guard."""
        return (*self.apart, Apart(None, self.numerator[Kind.F]))


def guess_counts(
    family: Family,
    linearization: Linearization,
    admission: Callable[[int], int] | None,
) -> CountForm | None:
    """Guess the counts of a family, or return None where its shape is not supported.

    Two shapes are known: start times that advance by a constant per microbatch (the floors
    follow from them), and counts that depend on the region alone (read off a small run).
    """
    constant = _constant_counts(family, linearization, admission)
    return constant or _periodic_counts(linearization, family, admission)


def _periodic_counts(
    linearization: Linearization, family: Family, admission: Callable[[int], int] | None
) -> CountForm | None:
    """Counts by inverting B: as many updates of u are early enough as its start times say.

    Where F and B advance by k slots from microbatch to microbatch, F(x, m) counts the updates n of
    u with B(u, n) < F(x, m), or ≤: these are n < m + ⌊(f(x) − b(u) + k − 1 + counted)/k⌋.
    """
    samples = sample(family, admission, STEADY_RUNS)
    p, M, m = (samples.columns[name] for name in ("p", "M", "m"))
    middle = (m >= M // 2) & (m < M - 2 * p)
    if not middle.any() or family.policy.name == "flush" or family.policy.interval != 1:
        return None
    inside = {name: column[middle] for name, column in samples.columns.items()}
    forward = fit(inside, samples.forward[middle], (("m", "s", "p"),))
    backward = exact_affine(samples.columns, samples.backward, middle, ("m", "s", "p"))
    if forward is None or backward is None:
        return None
    period = backward.coefficient("m")
    advance = Affine((("m", period),))
    update = backward.plus(advance, -1).renamed({"s": "u"})

    def numerators(kind: Kind, form: Affine) -> dict[Region, Affine]:
        event = form.plus(advance, -1).renamed({"s": "x"}).plus(update, -1)
        counted = {
            region: linearization.counted(*region.value, by_forward=kind is Kind.F)
            for region in Region
        }
        return {r: event.plus(Affine((), period - 1 + int(counted[r]))) for r in Region}

    apart = tuple(
        Apart(piece.guard and piece.guard.renamed({"s": "x"}), numerators(Kind.F, piece.value))
        for piece in forward.pieces
    )
    advances = {piece.value.coefficient("m") for piece in forward.pieces}
    moving = any(piece.guard and piece.guard.coefficient("m") for piece in forward.pieces)
    if period < 1 or advances != {period} or moving:
        return None
    forms = {Kind.F: apart[-1].numerator, Kind.B: numerators(Kind.B, backward)}
    found = CountForm(period, True, from_start=False, numerator=forms, apart=apart[:-1])
    first = _first(samples, forward, backward, found)
    return None if first is None else replace(found, first=first)


def _first(
    samples: Samples, forward: Piecewise, backward: Affine, found: CountForm
) -> Affine | None:
    """The least αp + β from which on start times are the steady ones and no count is negative."""
    columns, points = samples.columns, {}
    inside = columns["m"] < columns["M"] - columns["p"]
    late = (samples.backward != backward.at(columns)) & inside
    either = late | ((samples.forward != forward.at(columns, np.where)) & inside)
    for p in dict.fromkeys(columns["p"].tolist()):
        own = columns["p"] == p
        # What is counted has to be steady itself, where backwards begin otherwise.
        steady = 2 + int(columns["m"][late & own].max()) if (late & own).any() else 0
        needed = [
            steady - number // found.period
            for u in range(p)
            for x in range(p)
            for number in _numbers(found, u, x, p)
        ]
        wrong = columns["m"][either & own]
        points[p] = max(0, *needed, *(wrong + 1).tolist())
    sizes = sorted(points)
    slope = points[sizes[-1]] - points[sizes[-2]]
    constant = max(points[p] - slope * p for p in sizes)
    if constant + slope * sizes[-1] != points[sizes[-1]]:
        return None
    return Affine((("p", slope),) if slope else (), constant)


def _numbers(found: CountForm, u: int, x: int, p: int) -> Iterator[int]:
    """Numerators of the updates of u that F and B count at x."""
    region = Region.AT if u == x else Region.ABOVE if u > x else Region.BELOW
    at = {"u": u, "x": x, "p": p}
    own = next(one for one in found.forwards() if one.guard is None or one.guard.at(at) >= 0)
    yield own.numerator[region].at(at)
    yield found.numerator[Kind.B][region].at(at)


def _constant_counts(
    family: Family, linearization: Linearization, admission: Callable[[int], int] | None
) -> CountForm | None:
    """Counts of a small run, if relative to m they depend on the region alone."""
    stages, microbatches = 4, 7
    schedule = build_from_rule(family, stages, microbatches, admission)
    past = history(timeline(schedule), linearization)
    per_microbatch = family.policy.name != "flush"
    applied = np.arange(microbatches) if per_microbatch else np.zeros(microbatches, dtype=int)
    forms: dict[Kind, dict[Region, Affine]] = {}
    for kind, index in ((Kind.F, past.recorded), (Kind.B, past.position)):
        relative = index - stages * applied
        below = relative[0] if kind is Kind.B else relative[0] * 0
        step = np.diff(relative, axis=0)
        if (step != step.ravel()[0]).any() or (relative != relative[:, :1]).any():
            return None
        above = -int(step.ravel()[0])
        if int(below[0]) != above * (stages - 1) or (kind is Kind.F and relative.any()):
            return None
        values = {Region.BELOW: 0, Region.AT: 0, Region.ABOVE: above}
        forms[kind] = {region: Affine((), value) for region, value in values.items()}
    return CountForm(1, per_microbatch, from_start=True, numerator=forms)
