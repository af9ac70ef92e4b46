"""A rule of one's own that updates after several gradients: its law against its runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import sympy

from schedules.closed_forms.affine import Affine
from schedules.closed_forms.start_times import StartTimes, build_from_rule
from schedules.delays import delays
from schedules.families import get_family
from schedules.families.family import Family
from schedules.linearization import LINEARIZATIONS
from schedules.policies import WeightPolicy
from schedules.timeline import timeline
from schedules.versions import versions
from theory.derive import derive_rule
from theory.laws.delays import window_closed, windows
from theory.verdicts import Verdict

BOUNDS: dict[str, Callable[[int], int]] = {
    "p": lambda p: p,
    "2p - 1": lambda p: 2 * p - 1,
    "2p": lambda p: 2 * p,
}
FIRST = {"p": (1, 0), "2p - 1": (2, -2), "2p": (2, -2)}


CEILING = [{"ceiling": lambda k: math.ceil(k - 1e-9)}]  # of quotients of small numbers


def rule(K: int, bound: str) -> Family:
    greedy = get_family("pipedream")
    policy = WeightPolicy("stash", interval=K)
    return replace(greedy, name=f"every {K}, {bound}", policy=policy, admission=BOUNDS[bound])


@pytest.mark.sampled(7)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("K", [2, 3, 5])
def test_the_law_is_that_of_every_run(K: int, bound: str, linearization: str) -> None:
    family = rule(K, bound)
    law = derive_rule(family, linearization, family.admission)
    assert law.verdict is Verdict.PROVED
    printed = law.to_json()
    names = sympy.symbols("p i j r", integer=True)
    delay, local = (
        sympy.lambdify(names, sympy.sympify(printed[key][0]["expr"]), CEILING)
        for key in ("delay", "local_staleness")
    )
    for p in range(2, 8):
        M = 5 * p + 5 * K
        schedule = build_from_rule(family, p, M, family.admission)
        found, stale = delays(timeline(schedule), linearization), versions(schedule).local_staleness
        later = -(-(p - (linearization != "descending")) // (2 * K))
        slope, more = FIRST[bound]
        first = slope * p + more
        steady = (found.microbatch >= first) & (found.microbatch // K + later <= M // K)
        assert steady.any()
        for i, m, row in zip(
            found.stage[steady], found.microbatch[steady], found.matrix[steady], strict=True
        ):
            at = p, int(i)
            assert row.tolist() == [delay(*at, j, int(m) % K) for j in range(p)]
            assert stale[i, m] == local(*at, 0, int(m) % K)
        size = {"p": p, "M": M}
        if printed["whole_run_max"] is not None:
            whole = sympy.sympify(printed["whole_run_max"], locals=size)
            assert found.matrix.max() == whole
        most = printed["local_staleness_whole_run"]
        if most is not None:
            bounds = [local(p, i, 0, 0) for i in range(p)]
            assert stale.max(axis=1).tolist() == bounds


def test_no_law_where_the_last_stage_keeps_another_distance() -> None:
    """NOAM = p + 1: its forwards start three slots later than the others' line says."""
    family = replace(rule(2, "p"), admission=lambda p: p + 1)
    found = derive_rule(family, "ascending", family.admission)
    assert found.verdict is Verdict.UNKNOWN
    assert "a constant number of slots apart" in found.to_json()["open"]


@pytest.mark.parametrize("part", ["slots", "forward", "backward", "first"])
def test_no_other_pace_is_proved(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, family = window_closed.paces, rule(3, "2p")

    def moved(times: StartTimes) -> Iterator[windows.Pace]:
        for pace in right(times):
            value = getattr(pace, part)
            less = value - 1 if part == "slots" else value.plus(Affine((), 1), -1)
            if part != "first" or value == Affine((("p", 2),), -2):
                yield replace(pace, **{part: less})

    monkeypatch.setattr(window_closed, "paces", moved)
    assert derive_rule(family, "ascending", family.admission).verdict is Verdict.UNKNOWN
