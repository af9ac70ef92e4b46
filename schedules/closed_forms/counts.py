"""How many updates of stage u a forward or a backward at stage x counts, in closed form.

For microbatch m the count is m plus a floor: m + ⌊numerator / period⌋ where a stage updates
once a microbatch, ⌊numerator / period⌋ where it updates once a step. The numerator depends on
whether u lies below, at or above x, because a linearization counts updates of the event's own
slot by the order of stages. Guessed here, proved in `theory`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine
from schedules.closed_forms.fit import exact_affine
from schedules.closed_forms.start_times import Samples, StartTimes, build_from_rule
from schedules.delays import history
from schedules.families.family import Family
from schedules.linearization import Linearization
from schedules.timeline import timeline


class Region(Enum):
    """Where the updating stage u lies relative to the counting stage x."""

    BELOW = (0, 1)
    AT = (0, 0)
    ABOVE = (1, 0)


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
        Whether the form holds for every microbatch (else for m ≥ p).
    numerator : mapping
        ``numerator[kind][region]``: affine in ``u``, ``x`` and ``p``; kind F or B.
    """

    period: int
    per_microbatch: bool
    from_start: bool
    numerator: Mapping[Kind, Mapping[Region, Affine]]


def guess_counts(
    family: Family,
    linearization: Linearization,
    samples: Samples,
    guess: StartTimes,
    admission: Callable[[int], int] | None,
) -> CountForm | None:
    """Guess the counts of a family, or return None where its shape is not supported.

    Two shapes are known: start times that advance by a constant per microbatch (the floors
    follow from them), and counts that depend on the region alone (read off a small run).
    """
    constant = _constant_counts(family, linearization, admission)
    return constant or _periodic_counts(linearization, samples, guess)


def _periodic_counts(
    linearization: Linearization, samples: Samples, guess: StartTimes
) -> CountForm | None:
    steady = samples.columns["m"] >= samples.columns["p"]
    forward = exact_affine(samples.columns, samples.forward, steady, ("m", "s", "p"))
    if forward is None or len(guess.backward.pieces) > 1:
        return None
    backward = guess.backward.pieces[0].value
    period = backward.coefficient("m")
    known = {"m", "s", "p"}
    if (
        period < 1
        or forward.coefficient("m") != period
        or not {name for name, _ in backward.terms} <= known
    ):
        return None
    advance = Affine((("m", period),))
    update = backward.plus(advance, -1).renamed({"s": "u"})
    events = {Kind.F: forward.plus(advance, -1), Kind.B: backward.plus(advance, -1)}

    def numerator(kind: Kind, region: Region) -> Affine:
        counted = linearization.counted(*region.value, by_forward=kind is Kind.F)
        rounding = Affine((), period - 1 + int(counted))
        return events[kind].renamed({"s": "x"}).plus(update, -1).plus(rounding)

    forms = {kind: {region: numerator(kind, region) for region in Region} for kind in events}
    return CountForm(period, per_microbatch=True, from_start=False, numerator=forms)


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
