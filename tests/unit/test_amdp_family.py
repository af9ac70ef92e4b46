"""AMDP: orders by hand, directions, caps, ties."""

from __future__ import annotations

import pytest

from schedules import Kind, Placement, build, timeline, versions
from schedules.analysis import byte_peaks, parse_sizes, peaks
from schedules.errors import ParameterError
from schedules.families import amdp, sharing
from schedules.families.pipedream import RULE
from schedules.formats.registry import Document, get_format
from schedules.invariants import check, parse_requirements
from schedules.schedule import Schedule


def test_one_pipeline_by_hand() -> None:
    """Two minibatches at a time: the next two start when these come back."""
    assert timeline(build("amdp", 3, 4, pipelines=1)).rows() == [
        "F0 F1 . . . B0 F2 B1 F3 . . B2 . B3",
        ". F0 F1 . B0 . B1 F2 . F3 B2 . B3 .",
        ". . F0 B0 F1 B1 . . F2 B2 F3 B3 . .",
    ]


def test_two_pipelines_by_hand() -> None:
    """Stage 0 of the second is on the last rank; 1F1 is ready before 0B0, so it goes first."""
    schedule = build("amdp", 2, 3, pipelines=2)
    assert timeline(schedule).rows() == [
        "0F0 0F2 1F1 0B0 1B1 0B2",
        "0F1 1F0 1B0 1F2 1B2 0B1",
    ]
    assert schedule.placement == Placement(ranks=((0, 1), (1, 0)), copies=((0, 0), (1, 1)))


def test_directions_alternate_and_share_weights() -> None:
    placement = build("amdp", 8, 8).placement
    down, up = tuple(range(8)), tuple(range(8))[::-1]
    assert placement.ranks == (down, up, down, up)
    assert [row[0] for row in placement.copies] == [0, 1, 0, 1]


def test_defaults_of_amdp() -> None:
    assert build("amdp", 6, 6).parameters == {
        "admission": 2, "pipelines": 3, "stage_cap": 0, "window": 1, "stash": 0, "zero": 0
    }  # fmt: skip
    assert build("amdp", 1, 3, pipelines=1).parameters["admission"] == 1


def test_cap_of_stage_s() -> None:
    assert amdp.caps(5, 20, 3, 1) == [3, 3, 3, 2, 1]
    assert amdp.caps(5, 20, 3, 0) == [3, 20, 20, 20, 20]
    kept = peaks(timeline(build("amdp", 4, 12, admission=3, pipelines=1))).activations_by_stage
    assert kept == (3, 3, 3, 1)
    capped = build("amdp", 4, 12, admission=3, pipelines=1, stage_cap=1)
    assert peaks(timeline(capped)).activations_by_stage == (3, 3, 2, 1)


@pytest.mark.parametrize(
    ("tie", "expected"),
    [
        (sharing.backward_first, "1F0 1B0 1F2 1B2"),
        (lambda action: action.kind is Kind.B, "1F0 1F2 1B0 1B2"),
    ],
)
def test_ties_are_resolved_as_told(tie: sharing.Tie, expected: str) -> None:
    """In slot 2, 1B0 of pipeline 0 and 1F2 of pipeline 2 have been ready on rank 1 since then."""
    order = sharing.run_sharing(RULE, amdp.directions(2, 3), 3, [2, 2], tie=tie)[1]
    assert " ".join(str(action) for action in order if action.pipeline != 1) == expected


def test_durations_change_who_comes_first() -> None:
    placement = amdp.directions(4, 2)
    slow = sharing.run_sharing(RULE, placement, 8, [2] * 4, {Kind.F: 1, Kind.B: 3})
    assert slow != sharing.run_sharing(RULE, placement, 8, [2] * 4)


def test_a_window_may_leave_two_steps_without_the_cap() -> None:
    most = [
        versions(build("amdp", 7, 224, admission=7, pipelines=4, window=14, stage_cap=cap)).mismatch
        for cap in (0, 1)
    ]
    assert [int(found.max()) for found in most] == [2, 1]


SIZES = parse_sizes(
    "[default]\nweights = 100\nactivations = 8\noptimizer = 300\ngradients = 20", "sizes.toml"
)


@pytest.mark.parametrize("window", [1, 4, 8])
@pytest.mark.parametrize("stash", [0, 1])
def test_one_owner_halves_the_optimizer_state(window: int, stash: int) -> None:
    each, one = (build("amdp", 4, 32, window=window, stash=stash, zero=zero) for zero in (0, 1))
    before, after = byte_peaks(timeline(each), SIZES), byte_peaks(timeline(one), SIZES)
    assert before.optimizer == (640,) * 4
    assert after.optimizer == (340,) * 4  # that of stage s on rank s; gradients on both
    assert (before.activations, before.weights) == (after.activations, after.weights)
    assert tuple(a - b for a, b in zip(before.total, after.total, strict=True)) == (300,) * 4


def test_messages_to_the_owner_change_neither_times_nor_versions() -> None:
    each, one = (build("amdp", 6, 36, window=6, zero=zero) for zero in (0, 1))
    assert timeline(each).length == timeline(one).length
    assert (versions(each).mismatch == versions(one).mismatch).all()
    assert check(one, parse_requirements("update-once")).ok


def test_every_window_has_a_reduction_and_an_update() -> None:
    schedule = build("amdp", 4, 32, window=4, zero=1)
    for rank in range(4):
        order = list(schedule.rank(rank))
        at = [n for n, action in enumerate(order) if action.kind is Kind.U]
        assert len(at) == 2 * 16 // 4
        for n in at:
            pair = [(order[n - k].kind, order[n - k].stage) for k in (2, 1)]
            assert pair == [(Kind.B, order[n].stage), (Kind.REDUCE, order[n].stage)]


def test_a_lost_reduction_is_noticed() -> None:
    schedule = build("amdp", 4, 32, window=4, zero=1)
    orders = [list(schedule.rank(rank)) for rank in range(4)]
    del orders[1][next(n for n, a in enumerate(orders[1]) if a.kind is Kind.REDUCE)]
    broken = Schedule.from_orders(
        "broken", orders, 32, schedule.policy, placement=schedule.placement
    )
    assert not check(broken, parse_requirements("update-once")).ok


@pytest.mark.parametrize(("owners", "place"), [((7, 7), "stage 0"), ((0,), "placement")])
def test_an_owner_is_a_copy_of_its_stage(owners: tuple[int, ...], place: str) -> None:
    with pytest.raises(ParameterError, match=place):
        Placement(ranks=((0, 1), (1, 0)), copies=((0, 0), (1, 1)), owners=owners)


@pytest.mark.parametrize(("name", "kept"), [("json", True), ("trace", True), ("chrome", False)])
def test_formats_say_whether_they_keep_owners(name: str, kept: bool) -> None:
    document = Document(build("amdp", 4, 16, zero=1))
    assert "weight copies and owners" in document.holds
    assert ("weight copies and owners" in get_format(name).keeps) == kept


def test_one_copy_needs_no_owner() -> None:
    with pytest.raises(ParameterError, match="it takes two directions"):
        build("amdp", 4, 16, pipelines=1, zero=1)


def test_a_window_may_leave_two_steps_with_the_cap() -> None:
    parameters = {"admission": 7, "pipelines": 8, "window": 28, "stage_cap": 1}
    assert int(versions(build("amdp", 10, 196, **parameters)).mismatch.max()) == 2
