"""Families: their registry, their parameters' domains and the smallest runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from schedules import FAMILIES, ScheduleError, build, get_family, timeline
from schedules.errors import ParameterError, SizeError, UnknownNameError
from schedules.families.family import MAX_ACTIONS, require_room

every_family = pytest.mark.parametrize("family", FAMILIES)

MODULES = {"1f1b": "one_f_one_b"}
"""Files of families whose names are no identifiers."""

ordinary = pytest.mark.parametrize("family", ["pipedream", "localsgd", "gpipe", "naive"])
"""Families with a stage a rank, an unsplit backward and any number of stages and microbatches."""


@every_family
def test_family_is_the_file_of_its_name(family: str) -> None:
    name = MODULES.get(family, family.replace("-", "_"))
    module = import_module(f"schedules.families.{name}")
    assert FAMILIES[family] is module.FAMILY
    assert get_family(family).name == family
    assert FAMILIES[family].source
    assert FAMILIES[family].summary


@ordinary
@pytest.mark.parametrize(("p", "M"), [(1, 1), (1, 4), (4, 1), (3, 7)])
def test_every_microbatch_passes_every_stage_twice(family: str, p: int, M: int) -> None:
    schedule = build(family, p, M)
    assert (schedule.ranks, schedule.stages, schedule.microbatches) == (p, p, M)
    line = timeline(schedule)
    assert line.busy == 2 * p * M
    assert line.length >= 2 * (p + M - 1)


@ordinary
def test_one_stage_one_microbatch(family: str) -> None:
    assert timeline(build(family, 1, 1)).rows() == ["F0 B0"]
    assert timeline(build(family, 1, 1)).idle == 0


@ordinary
@pytest.mark.parametrize("value", [0, -1, True, 2.5, "3", None, 2.0, np.float64(2)])
@pytest.mark.parametrize("which", ["p", "M"])
def test_sizes_outside_the_domain(family: str, which: str, value: Any) -> None:
    p, M = (value, 2) if which == "p" else (2, value)
    for make in (build, lambda name, *sizes: get_family(name).build(*sizes)):
        with pytest.raises(ParameterError, match="integer of at least 1") as caught:
            make(family, p, M)
        assert f"found {value!r}" in caught.value.what
        assert caught.value.what.startswith(f"{which} (")
        assert caught.value.where == f"family {family}"


@pytest.mark.parametrize(
    ("family", "name"),
    [("pipedream", "noam"), ("localsgd", "replicas"), ("localsgd", "local_steps")],
)
@pytest.mark.parametrize("value", [0, -3, False, 1.5, "2"])
def test_parameters_outside_the_domain(family: str, name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} is an integer of at least 1, found"):
        build(family, 2, 3, **{name: value})


def test_numpy_integers_are_integers() -> None:
    schedule = build("pipedream", np.int64(2), np.int32(3), noam=np.int64(1))  # type: ignore[arg-type]
    assert schedule.parameters == {"noam": 1}
    assert type(schedule.parameters["noam"]) is int


def test_defaults_are_recorded() -> None:
    assert build("pipedream", 5, 2).parameters == {"noam": 5}
    assert build("localsgd", 3, 2).parameters == {"replicas": 3, "local_steps": 2}


@pytest.mark.parametrize(
    ("name", "fix"),
    [("pipdream", "did you mean 'pipedream'?"), ("zzz", "see `staleproof families`")],
)
def test_unknown_family(name: str, fix: str) -> None:
    with pytest.raises(UnknownNameError, match="no schedule family is called") as caught:
        build(name, 2, 2)
    assert caught.value.fix == fix
    assert all(known in caught.value.what for known in FAMILIES)


@pytest.mark.parametrize(
    ("family", "name", "fix"),
    [
        ("pipedream", "noma", "did you mean 'noam'?"),
        ("localsgd", "replica", "did you mean 'replicas'?"),
        ("gpipe", "noam", "drop it"),
    ],
)
def test_unknown_parameter(family: str, name: str, fix: str) -> None:
    with pytest.raises(UnknownNameError, match=f"has no parameter '{name}'") as caught:
        build(family, 2, 2, **{name: 1})
    assert caught.value.where == f"--set {name}=1"
    assert caught.value.fix == fix


@ordinary
def test_sizes_that_do_not_fit(family: str) -> None:
    with pytest.raises(SizeError) as caught:
        build(family, 100_000, 1_000)
    assert "S = 100000 stages and M = 1000 microbatches" in caught.value.what
    assert "2·S·M = 200000000 actions" in caught.value.what
    assert "74.5 GiB" in caught.value.what


@every_family
def test_stages_are_known_before_anything_is_built(family: str) -> None:
    known = get_family(family)
    names = {entry.name for entry in known.parameters}
    for given in ({}, {"chunks": 3}, {"layers": 3}):
        if set(given) <= names:
            M = 1 if family == "blog-naive" else 8
            assert build(family, 4, M, **given).stages == known.stages(4, given)


@every_family
@pytest.mark.parametrize("p", [2, 4])
def test_multiples_are_accepted(family: str, p: int) -> None:
    if family == "blog-naive":  # its M is 1
        return
    unit = get_family(family).unit(p)
    for M in range(4 * p, 8 * p):
        if M % unit == 0:
            assert build(family, p, M).microbatches == M


def test_multiples_are_no_larger_than_needed() -> None:
    units = {family: get_family(family).unit(4) for family in ("pipedream", "dualpipe", "sapipe")}
    assert units == {"pipedream": 1, "dualpipe": 2, "sapipe": 4}


@pytest.mark.parametrize("family", ["chimera", "dualpipe", "interleaved-1f1b", "sapipe"])
def test_not_every_number_is_accepted(family: str) -> None:
    with pytest.raises(ParameterError):
        build(family, 4, 4 * 4 + 1)


def test_room_for_split_backwards() -> None:
    require_room("zbv", 1, MAX_ACTIONS // 2)
    with pytest.raises(SizeError, match="make 3·S·M = 30000000 actions"):
        require_room("zbv", 1, MAX_ACTIONS // 2, per_pair=3)


@every_family
def test_first_size_is_the_number_of_ranks(family: str) -> None:
    microbatches = 1 if family == "blog-naive" else 8
    assert build(family, 4, microbatches).ranks == 4


@every_family
@pytest.mark.parametrize("p", [0, -1, True, 2.5, "3"])
def test_errors_have_one_base_and_three_parts(family: str, p: Any) -> None:
    with pytest.raises(ScheduleError) as caught:
        build(family, p, 4)
    error = caught.value
    assert isinstance(error, ParameterError)
    assert f"found {p!r}" in error.what
    assert str(error) == f"{error.where}: {error.what}; {error.fix}"


def test_localsgd_example_by_hand() -> None:
    """Two replicas, one local step: a round is two jobs and ends in a barrier."""
    schedule = build("localsgd", 2, 5, replicas=2, local_steps=1)
    assert timeline(schedule).rows() == [
        "F0 F1 . B0 . B1 F2 F3 . B2 . B3 F4 . . B4",
        ". F0 B0 F1 B1 . . F2 B2 F3 B3 . . F4 B4 .",
    ]
    assert [str(action) for action in schedule.rank(1)] == (
        "1F0 1B0 1F1 1B1 1REDUCE1 1F2 1B2 1F3 1B3 1REDUCE3 1F4 1B4".split()
    )


def test_replicas_have_weights_of_their_own() -> None:
    placement = build("localsgd", 2, 3, replicas=3, local_steps=1).placement
    assert placement.ranks == ((0, 1),) * 3
    assert placement.copies == ((0, 0), (1, 1), (2, 2))
