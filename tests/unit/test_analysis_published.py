"""Published figures of families come out of what is computed for their runs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from schedules import FAMILIES, Kind, build, timeline
from schedules.analysis import peaks, traffic, utilisation
from schedules.analysis.critical_path import critical_indices
from schedules.errors import ScheduleError
from schedules.families import chimera, dualpipe, zb_h1, zb_h2
from tests.property.test_bubble_families import held

B, I, W = Kind.B, Kind.I, Kind.W  # noqa: E741 - the field's own letters

SIZES = [(p, M) for p in range(1, 7) for M in (p, p + 1, 2 * p, 3 * p + 1)]


@pytest.mark.parametrize(("p", "M"), SIZES)
def test_gpipe_and_one_f_one_b(p: int, M: int) -> None:
    for name, activations in (
        ("gpipe", (M,) * p),
        ("1f1b", tuple(min(p - s, M) for s in range(p))),
    ):
        for backward in (1, 2, 3):
            line = timeline(build(name, p, M), {B: backward})
            assert line.idle_fraction == Fraction(p - 1, M + p - 1)
            assert utilisation(line) == [Fraction(M, M + p - 1)] * p
            assert peaks(line).activations_by_stage == activations
            assert peaks(line).versions_by_rank == (1,) * p
            assert sum(c.messages for c in traffic(line.schedule)) == 2 * M * (p - 1)


@pytest.mark.parametrize("p", [2, 4, 6])
def test_zero_bubble_and_bidirectional(p: int) -> None:
    M = 4 * p
    found = peaks(timeline(zb_h1.build(p, M)))
    assert found.activations_by_rank == (p,) * p
    assert peaks(timeline(zb_h2.build(p, M))).activations_by_rank == (2 * p - 1,) * p
    both = peaks(timeline(chimera.build(p, M)))
    assert both.activations_by_rank == tuple(p // 2 + 1 + min(r, p - 1 - r) for r in range(p))
    assert both.versions_by_rank == (2,) * p
    pairs = dualpipe.build(p, M)
    assert peaks(timeline(pairs)).activations_by_rank == tuple(held(pairs, (B, W)))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(family: str) -> None:
    try:
        schedule = build(family, 4, 8)
    except ScheduleError:
        return  # not in the family's domain
    line = timeline(schedule)
    found = peaks(line)
    assert found.activations_by_rank == tuple(held(schedule, (B, W)))
    assert sum(int((line.end - line.start)[i]) for i in critical_indices(line)) == line.length
    assert bool(sum(found.pending_by_rank)) == bool(np.isin(schedule.kind, (I, W)).any())
