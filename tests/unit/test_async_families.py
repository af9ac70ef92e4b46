"""Asynchronous families: orders by hand, published figures, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from schedules import Kind, WeightPolicy, build, timeline, versions
from schedules.analysis import peaks, utilisation
from schedules.errors import ParameterError, SizeError
from schedules.families import asynchronous
from schedules.invariants import check, parse_requirements
from staleproof.commands.delays import _lines as delay_lines
from staleproof.commands.delays import measured

STATIC = ("pipedream-runtime", "pipedream-2bw", "pipemare", "xpipe", "asyncpp")
"""Families with PipeDream's static order."""

static = pytest.mark.parametrize("family", STATIC)


def orders(family: str, p: int, M: int, **parameters: int) -> list[str]:
    schedule = build(family, p, M, **parameters)
    return [" ".join(map(str, schedule.rank(rank))) for rank in range(schedule.ranks)]


def holds(family: str, p: int, M: int, requirement: str, **parameters: int) -> bool:
    """What `staleproof check FAMILY --require …` says."""
    return check(build(family, p, M, **parameters), parse_requirements(requirement)).ok


# PipeDream's static order


@static
def test_order_by_hand(family: str) -> None:
    assert orders(family, 3, 4) == [
        "0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3",
        "1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3",
        "2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3",
    ]


@static
def test_every_rank_waits_p_minus_one_microbatches_whatever_the_durations(family: str) -> None:
    for times in ({Kind.F: 1, Kind.B: 1}, {Kind.F: 1, Kind.B: 2}, {Kind.F: 5, Kind.B: 2}):
        line = timeline(build(family, 4, 12), times)
        assert line.length == 15 * sum(times.values())
        assert utilisation(line) == [Fraction(12, 15)] * 4


@static
def test_activations(family: str) -> None:
    assert peaks(timeline(build(family, 4, 12))).activations_by_stage == (4, 3, 2, 1)


@pytest.mark.parametrize(
    ("family", "versions_by_stage"),
    [
        ("pipedream-runtime", (4, 3, 2, 1)),
        ("asyncpp", (4, 3, 2, 1)),
        ("xpipe", (4, 3, 2, 1)),
        ("pipedream-2bw", (2, 2, 2, 2)),
        ("pipemare", (1, 1, 1, 1)),
    ],
)
def test_weight_versions(family: str, versions_by_stage: tuple[int, ...]) -> None:
    assert peaks(timeline(build(family, 4, 16))).versions_by_stage == versions_by_stage


@pytest.mark.parametrize(
    ("family", "parameters", "policy", "recorded"),
    [
        ("pipedream-runtime", {}, WeightPolicy("stash"), {}),
        ("pipedream-2bw", {}, WeightPolicy("double-buffer", 4), {"window": 4}),
        ("pipedream-2bw", {"window": 7}, WeightPolicy("double-buffer", 7), {"window": 7}),
        ("pipemare", {}, WeightPolicy("latest"), {"update_interval": 1}),
        ("pipemare", {"update_interval": 2}, WeightPolicy("latest", 2), {"update_interval": 2}),
        ("asyncpp", {"update_interval": 3}, WeightPolicy("stash", 3), {"update_interval": 3}),
        ("xpipe", {}, WeightPolicy("predict", 1, 3), {"update_interval": 1, "horizon": 3}),
        (
            "xpipe",
            {"update_interval": 2},
            WeightPolicy("predict", 2, 2),
            {"update_interval": 2, "horizon": 2},
        ),
        ("xpipe", {"horizon": 0}, WeightPolicy("predict"), {"update_interval": 1, "horizon": 0}),
    ],
)
def test_policies_and_recorded_parameters(
    family: str, parameters: dict[str, int], policy: WeightPolicy, recorded: dict[str, int]
) -> None:
    schedule = build(family, 4, 8, **parameters)
    assert schedule.policy == policy
    assert schedule.parameters == recorded


def test_2bw_versions_by_hand() -> None:
    """Window 3: window 1 reads version 0 as window 0 did, window 2 version 1, at every stage."""
    found = versions(build("pipedream-2bw", 3, 9))
    for stage in range(3):
        assert found.read[stage].tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1]
        assert found.local_staleness[stage].tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]
    assert found.at_update[0].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (found.used == found.read).all()


def test_pipemare_uses_another_version_than_it_read() -> None:
    found = versions(build("pipemare", 3, 5))
    assert found.read.tolist() == [[0, 0, 0, 1, 2], [0, 0, 1, 2, 3], [0, 1, 2, 3, 4]]
    assert found.used.tolist() == [[0, 1, 2, 3, 4]] * 3


def test_asyncpp_equation_5_is_the_smaller_of_two_delays() -> None:
    """K = 2, p = 4: (5) says 1 1 0 0 by stage; microbatches at even places have 1 more."""
    steady = versions(build("asyncpp", 4, 12, update_interval=2)).local_staleness[:, 4:]
    assert steady.tolist() == [[2, 1] * 4, [1, 1] * 4, [1, 0] * 4, [0, 0] * 4]


# Requirements, as `staleproof check` decides them


@pytest.mark.parametrize(
    ("family", "requirement", "expected"),
    [
        ("pipedream-runtime", "stash, update-once, staleness<=3, in-flight<=4", True),
        ("pipedream-runtime", "staleness<=2", False),
        ("pipedream-runtime", "versions<=2", False),
        ("pipedream-runtime", "vertical-sync", False),
        ("pipedream-2bw", "stash, update-once, versions<=2, vertical-sync, staleness<=1", True),
        ("pipedream-2bw", "versions<=1", False),
        ("pipemare", "update-once, versions<=1, staleness<=3", True),
        ("pipemare", "stash", False),
        ("xpipe", "stash, update-once", True),
        ("asyncpp", "stash, update-once", True),
        ("amdp", "update-once, versions<=1, staleness<=1, in-flight<=2", True),
        ("amdp", "stash", False),
    ],
)
def test_requirements(family: str, requirement: str, expected: bool) -> None:
    assert holds(family, 4, 16, requirement) is expected


def test_gradients_of_an_unfinished_window_are_never_applied() -> None:
    assert holds("asyncpp", 3, 12, "update-once", update_interval=4)
    assert not holds("asyncpp", 3, 13, "update-once", update_interval=4)


def test_amdp_with_a_stash() -> None:
    assert holds("amdp", 4, 16, "stash, versions<=2", stash=1)
    assert not holds("amdp", 4, 16, "versions<=1", stash=1)


# What is refused


@pytest.mark.parametrize(
    ("family", "p", "M", "parameters", "what", "fix"),
    [
        ("asyncpp", 3, 4, {"update_interval": 5}, "update_interval = 5 .* found 4", "≤ 4"),
        ("pipemare", 3, 4, {"update_interval": 9}, "update_interval = 9 .* found 4", "≤ 4"),
        ("xpipe", 3, 4, {"update_interval": 5}, "update_interval = 5 .* found 4", "≤ 4"),
        ("pipedream-2bw", 4, 9, {"window": 3}, "window = 3 and p = 4", "window ≥ 4"),
        ("pipedream-2bw", 4, 3, {}, "window = 4 .* found 3", "window ≤ 3"),
        ("pipedream-2bw", 2, 8, {"window": 9}, "window = 9 .* found 8", "window ≤ 8"),
        ("amdp", 4, 8, {"admission": 5}, "admission = 5 and p = 4", "admission ≤ 4"),
        ("amdp", 5, 8, {}, "even p .* found p = 5", "p = 6"),
        ("amdp", 1, 8, {}, "even p .* found p = 1", "p = 2"),
        ("amdp", 8, 3, {}, "pipelines = 4 and M = 3", "M ≥ 4"),
        ("amdp", 4, 8, {"admission": 3, "window": 2}, "window = 2 and 1 · admission = 3", "≥ 3"),
        ("amdp", 8, 32, {"window": 3}, "window = 3 and 2 · admission = 4", "window ≥ 4"),
        ("amdp", 6, 30, {"window": 3}, "window = 3 and 2 · admission = 4", "window ≥ 4"),
        ("amdp", 3, 8, {"pipelines": 1, "window": 2, "admission": 3}, "window = 2 and 1 ·", "≥ 3"),
        ("amdp", 4, 8, {"window": 5}, "window = 5 .* found 4", "window ≤ 4"),
        ("amdp", 4, 7, {"window": 4}, "window = 4 .* found 3", "window ≤ 3"),
        ("amdp", 4, 8, {"stage_cap": 2}, "stage_cap is 0 or 1, found 2", "0 or 1"),
        ("amdp", 4, 8, {"stash": 7}, "stash is 0 or 1, found 7", "0 or 1"),
    ],
)
def test_what_does_not_fit_together(
    family: str, p: int, M: int, parameters: dict[str, int], what: str, fix: str
) -> None:
    with pytest.raises(ParameterError, match=what) as caught:
        build(family, p, M, **parameters)
    assert caught.value.where == f"family {family}"
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("family", "name", "least"),
    [
        ("asyncpp", "update_interval", 1),
        ("pipemare", "update_interval", 1),
        ("xpipe", "update_interval", 1),
        ("xpipe", "horizon", 0),
        ("pipedream-2bw", "window", 1),
        ("amdp", "admission", 1),
        ("amdp", "pipelines", 1),
        ("amdp", "window", 1),
        ("amdp", "stage_cap", 0),
        ("amdp", "stash", 0),
    ],
)
@pytest.mark.parametrize("value", [-1, True, 1.5, "2"])
def test_parameters_outside_the_domain(family: str, name: str, least: int, value: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} is an integer of at least {least}, found"):
        build(family, 4, 8, **{name: value})


@pytest.mark.parametrize("family", [*STATIC, "amdp"])
def test_sizes_that_do_not_fit(family: str) -> None:
    with pytest.raises(SizeError, match="2·S·M = 200000000 actions"):
        build(family, 1_000, 100_000)


def test_smallest_window_and_interval_that_fit() -> None:
    assert build("asyncpp", 3, 4, update_interval=4).policy.interval == 4
    assert build("pipedream-2bw", 4, 4).policy.interval == 4
    assert build("amdp", 4, 8, window=4).policy.interval == 4
    asynchronous.require_updates("example", "window", 4, 4)


# `staleproof delays`


@pytest.mark.parametrize("family", [*STATIC, "amdp"])
@pytest.mark.parametrize(("p", "M"), [(2, 2), (4, 4), (4, 16)])
def test_delays_of_every_family(family: str, p: int, M: int) -> None:
    schedule = build(family, p, M)
    found = measured(timeline(schedule), "ascending")
    assert found["whole_run_max"] >= found["equivalent_whole_run_max"] >= 0
    assert found["steady"] is not None or found["steady_why"]
    assert list(delay_lines(schedule, found, "22 slots"))


def test_delays_without_an_update() -> None:
    """A window that is never filled: no gradient is applied, so that there is no delay."""
    never = replace(build("pipedream", 3, 8), policy=WeightPolicy("stash", interval=9))
    found = measured(timeline(never), "ascending")
    assert found["whole_run_max"] is None
    assert found["whole_run_argmax"] is None
    assert found["equivalent_whole_run_max"] is None
    assert found["steady_why"] == "stage 0 applies no gradient of microbatch 3"
    lines = list(delay_lines(never, found, "22 slots"))
    assert lines.count("whole run: no delays, as no gradient is applied") == 2
