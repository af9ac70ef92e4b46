"""Sizes files, and what is computed where nothing runs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedules import Action, Kind, Schedule, WeightPolicy, build, timeline
from schedules.analysis import (
    StageSizes,
    byte_peaks,
    critical_path,
    parse_sizes,
    peaks,
    read_sizes,
    traffic,
    utilisation,
)
from schedules.errors import FormatError, InvalidScheduleError, ParameterError

WHOLE = "[default]\nweights = 100\nactivations = 8\n"


def test_defaults_and_tables() -> None:
    sizes = parse_sizes(WHOLE + "[stage.1]\nactivations = 3\noptimizer = 9", "a.toml")
    assert sizes.of(3) == [
        StageSizes(100, 8, 8, 8, 0),
        StageSizes(100, 3, 3, 3, 9),
        StageSizes(100, 8, 8, 8, 0),
    ]


def test_output_of_the_default_holds_for_tables() -> None:
    sizes = parse_sizes(WHOLE + "output = 2\n[stage.0]\nactivations = 3", "a.toml")
    assert [stage.output for stage in sizes.of(2)] == [2, 2]


def test_a_default_may_be_partial_if_no_stage_needs_it() -> None:
    text = "[default]\noptimizer = 5\n[stage.0]\nweights = 1\nactivations = 2"
    sizes = parse_sizes(text, "a.toml")
    assert sizes.of(1) == [StageSizes(1, 2, 2, 2, 5)]
    with pytest.raises(FormatError, match="stage 1 of 2 has none"):
        sizes.of(2)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "a.toml", "found neither"),
        ("[default", "a.toml", "is TOML"),
        ("x = 1", "a.toml:x", "default, stage, not 'x'"),
        ("[defualt]", "a.toml:defualt", "'defualt'"),
        ("default = 3", "a.toml", "default is a table"),
        ("stage = 3", "a.toml", "stage is a table"),
        ("[[stage]]\nweights = 1", "a.toml", "stage is a table, found a list"),
        ("[default]\nweights = 1", "a.toml:default", "needs activations"),
        ("[stage.0]\nweights = 1", "a.toml:stage.0", "needs activations"),
        ("[stage.-1]\nweights = 1", "a.toml:stage", "number from 0"),
        ("[stage.01]\nweights = 1", "a.toml:stage", "number from 0"),
        ("[stage.one]\nweights = 1", "a.toml:stage", "number from 0"),
        ("[stage]\n0 = 7", "a.toml", "stage.0 is a table"),
        ("[default]\nweights = -1", "a.toml:default.weights", "found the number -1|found -1"),
        ("[default]\nweights = 1.5", "a.toml:default.weights", "1.5"),
        ("[default]\nweights = nan", "a.toml:default.weights", "nan"),
        ("[default]\nweights = true", "a.toml:default.weights", "true"),
        ("[default]\nweights = 1979-05-27", "a.toml:default.weights", "date"),
        ("[default]\nweights = '1'", "a.toml:default.weights", "'1'"),
        ("[default]\nweights = 1000000000000", "a.toml:default.weights", "400000000000"),
        ("[default]\nweights = 1\nweights = 2", "a.toml", "is TOML"),
        ("a = " + "[" * 100_000, "a.toml", "is TOML"),
    ],
)
def test_every_mistake_has_its_place(text: str, where: str, what: str) -> None:
    with pytest.raises(FormatError, match=what) as caught:
        parse_sizes(text, "a.toml")
    assert caught.value.where == where


def test_the_nearest_key_is_named() -> None:
    with pytest.raises(FormatError) as caught:
        parse_sizes("[stage.2]\nactivation = 1", "a.toml")
    assert caught.value.where == "a.toml:stage.2.activation"
    assert caught.value.fix == "did you mean 'activations'?"


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"\x00\x01", b"\x89PNG\r\n", b" " * 5_000_000]
)
def test_files_that_are_no_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read_sizes(path)
    for absent in (tmp_path, tmp_path / "absent.toml"):
        with pytest.raises(FormatError):
            read_sizes(absent)


@given(st.text(st.sampled_from("[]default.stgwihsacvo=0123-\"'\n _{}"), max_size=60))
def test_any_text_is_sizes_or_a_format_error(text: str) -> None:
    for mutant in (text, WHOLE + text, text + WHOLE):
        with suppress(FormatError):
            parse_sizes(mutant, "a.toml").of(2)


def test_bytes_by_hand() -> None:
    """PipeDream at p = 2: stage 0 keeps two versions and two microbatches."""
    sizes = parse_sizes(WHOLE + "optimizer = 1000", "a.toml")
    found = byte_peaks(timeline(build("pipedream", 2, 8)), sizes)
    assert found.weights == (200, 100)
    assert found.activations == (16, 8)
    assert found.optimizer == (1000, 1000)
    assert found.total == (1216, 1108)


def test_nothing_to_run() -> None:
    empty = Schedule.from_orders("empty", [[], []], 0, WeightPolicy("flush"))
    line = timeline(empty)
    assert utilisation(line) == [0, 0]
    assert critical_path(line) == []
    assert traffic(empty, parse_sizes(WHOLE, "a.toml")) == []
    assert peaks(line).activations_by_rank == (0, 0)
    assert byte_peaks(line, parse_sizes(WHOLE, "a.toml")).total == (0, 0)


def test_a_stage_that_changes_ranks_sends_no_message() -> None:
    """A malformed schedule: its backward runs elsewhere, and nothing says how it gets there."""
    whole = build("gpipe", 1, 1)
    orders = [[whole.action(0)], [whole.action(1)]]
    assert traffic(Schedule.from_orders("moved", orders, 1, WeightPolicy("flush"))) == []


def test_critical_path_does_not_cross_from_rank_to_rank_by_chance() -> None:
    """3F0 ends when 1F0 starts and stands before it in the arrays, on another rank."""
    orders = [[Action(Kind.F, stage, 0)] for stage in (0, 3, 1)]
    line = timeline(Schedule.from_orders("by chance", orders, 1, WeightPolicy("flush")))
    assert [str(action) for action in critical_path(line)] == ["0F0", "1F0"]


def test_peaks_of_an_incomplete_schedule() -> None:
    whole = build("gpipe", 1, 1)
    half = Schedule.from_orders("half", [[whole.action(0)]], 1, WeightPolicy("flush"))
    with pytest.raises(InvalidScheduleError):
        peaks(timeline(half))


@pytest.mark.parametrize(
    "durations",
    [
        {(Kind.F, 2): 1},
        {(Kind.F, -1): 1},
        {(Kind.F, True): 1},
        {(Kind.F, 0, 0): 1},
        {"F": 1},
        {0: 1},
        {(Kind.F, 0): -1},
        {(Kind.F, 0): 1.0},
        {(Kind.F, 0): True},
        {(Kind.RECV_F, 0): 1},
    ],
)
def test_bad_durations(durations: dict[Kind, int]) -> None:
    with pytest.raises(ParameterError):
        timeline(build("gpipe", 2, 2), durations)


@pytest.mark.slow
def test_a_million_actions() -> None:
    line = timeline(build("1f1b", 32, 16_384))
    assert max(peaks(line).activations_by_rank) == 32
    assert sum(channel.messages for channel in traffic(line.schedule)) == 2 * 31 * 16_384
    assert critical_path(line)[0] == line.schedule.action(0)
