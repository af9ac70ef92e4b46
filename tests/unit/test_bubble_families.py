"""Zero-bubble, bidirectional and blog families: orders worked out by hand, domains, controls."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from schedules import Action, Group, Kind, Schedule, timeline
from schedules.errors import ParameterError
from schedules.families import blog_1f1b, blog_gpipe, blog_naive, chimera, dualpipe, zb_h1, zb_h2
from schedules.validate import validate
from tests.written_out import dualpipe_steps, lagged_order, timetable

FAMILIES = (zb_h1, zb_h2, chimera, dualpipe, blog_naive, blog_gpipe, blog_1f1b)
every_family = pytest.mark.parametrize("module", FAMILIES, ids=lambda module: module.FAMILY.name)


def text(schedule: Schedule, rank: int) -> str:
    return " ".join(str(action) for action in schedule.rank(rank))


@every_family
def test_family_is_data(module: ModuleType) -> None:
    family = module.FAMILY
    assert module.__name__.rsplit(".", 1)[1] == family.name.replace("-", "_")
    assert family.build is module.build
    assert family.policy.name == "flush"
    assert (family.affine, family.parameters) == (False, ())
    assert family.source
    assert family.summary


# Orders


def test_zb_h1_delays_weight_gradients_until_p_microbatches_are_held() -> None:
    schedule = zb_h1.build(4, 8)
    assert text(schedule, 0).startswith("0F0 0F1 0F2 0F3 0I0 0W0 0F4 0I1 0W1")
    assert text(schedule, 3).startswith("3F0 3I0 3F1 3I1 3F2 3I2 3F3 3I3 3W0 3F4 3I4 3W1")
    assert text(schedule, 0).endswith("0I5 0W5 0I6 0W6 0I7 0W7")
    assert text(schedule, 3).endswith("3F7 3I7 3W4 3W5 3W6 3W7")


def test_zb_h2_warms_up_with_two_p_minus_one() -> None:
    schedule = zb_h2.build(4, 8)
    assert text(schedule, 0).startswith("0F0 0F1 0F2 0F3 0F4 0F5 0F6 0I0 0W0 0F7 0I1 0W1 0I2")
    assert text(schedule, 1).startswith("1F0 1F1 1F2 1F3 1F4 1I0 1F5 1I1 1F6 1I2 1W0")
    assert text(schedule, 3).startswith("3F0 3I0 3F1 3I1 3F2 3I2")


def test_chimera_joins_units_in_each_others_gaps() -> None:
    schedule = chimera.build(4, 8)
    assert text(schedule, 0) == ("0F0 0F1 3F2 3B2 3F3 3B3 0B0 0F4 0B1 0F5 3F6 3B6 3F7 3B7 0B4 0B5")
    assert timeline(schedule).length == 18


def test_chimera_of_two_stages() -> None:
    assert timeline(chimera.build(2, 2)).rows() == ["0F0 1F1 1B1 0B0", "0F1 1F0 1B0 0B1"]


@pytest.mark.parametrize("module", [chimera, dualpipe])
def test_every_rank_holds_two_stages_and_every_stage_two_copies(module: ModuleType) -> None:
    placement = module.build(6, 12).placement
    assert placement.ranks == ((0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0))
    assert placement.copies == ((0,) * 6, (1,) * 6)


def test_dualpipe_step_counts() -> None:
    """p = 8, M = 20: the size of the published figure."""
    for near_stage, counts in enumerate(
        [(6, 2, 3, 3, 3, 2, 3, 1), (4, 4, 2, 4, 2, 4, 2, 2), (2, 6, 1, 5, 1, 6, 1, 3)]
    ):
        near, both, far, main, drain, last, weights, tail = counts
        program = dualpipe_steps(near_stage, 8, 20)
        sizes = [near + both, 3 * far, 2 * main, 2 * drain, last, 2 * weights, tail]
        assert len(program) == sum(sizes)
        kinds = ["&".join(kind.name for kind, _ in step) for step in program]
        expected = ["F"] * (near + both) + ["I", "W", "F"] * far + ["F&B"] * (2 * main)
        expected += ["B", "F&B"] * drain + ["B"] * (last // 2) + ["I"] * (last // 2)
        expected += ["W", "I"] * weights + ["W"] * tail
        assert kinds == expected


def test_dualpipe_middle_ranks_do_their_first_pair_apart() -> None:
    schedule = dualpipe.build(4, 8)
    assert text(schedule, 1) == (
        "1F0 2F4 1F1 2F5 1F2 2B4 2F6 1B0 1F3 2B5 2F7 1B1 2B6 1B2 2I7 1I3 2W7 1W3"
    )
    overlapped = [group.first for group in schedule.groups if group.rank == 1]
    assert overlapped == [6, 8, 10]
    assert all(group.count == 2 and group.kind == "overlap" for group in schedule.groups)


def test_dualpipe_ends_of_the_pipeline_mirror_each_other() -> None:
    schedule = dualpipe.build(4, 8)
    assert text(schedule, 0) == (
        "0F0 0F1 0F2 3F4 3I4 3W4 3F5 0F3 3B5 3F6 0B0 3B6 3F7 0B1 3B7 0I2 0W2 0I3 0W3"
    )
    mirrored = [
        Action(action.kind, action.stage, (action.microbatch + 4) % 8, 1 - action.pipeline)
        for action in schedule.rank(0)
    ]
    assert list(schedule.rank(3)) == mirrored


def test_blog_naive() -> None:
    schedule = blog_naive.build(3, 1)
    assert text(schedule, 0) == "0F0 0SEND_F0 0RECV_B0 0B0"
    assert text(schedule, 1) == "1RECV_F0 1F0 1SEND_F0 1RECV_B0 1B0 1SEND_B0"
    assert text(schedule, 2) == "2RECV_F0 2F0 2B0 2SEND_B0"
    assert schedule.groups == ()


def test_blog_gpipe_runs_backwards_in_reverse() -> None:
    schedule = blog_gpipe.build(3, 2)
    assert text(schedule, 1) == (
        "1RECV_F0 1F0 1SEND_F0 1RECV_F1 1F1 1SEND_F1 1RECV_B1 1B1 1SEND_B1 1RECV_B0 1B0 1SEND_B0"
    )
    assert schedule.groups == ()


def posted(schedule: Schedule, rank: int) -> list[str]:
    """A rank's program, with batches in brackets."""
    words = text(schedule, rank).split()
    for group in schedule.groups:
        if group.rank == rank:
            words[group.first] = "[" + words[group.first]
            words[group.first + group.count - 1] += "]"
    return words


def test_blog_1f1b_batches_a_send_with_a_receive() -> None:
    schedule = blog_1f1b.build(3, 3)
    assert " ".join(posted(schedule, 0)) == (
        "0F0 0SEND_F0 0F1 [0SEND_F1 0RECV_B0] 0B0 0F2 [0SEND_F2 0RECV_B1] 0B1 0RECV_B2 0B2"
    )
    assert " ".join(posted(schedule, 1)) == (
        "1RECV_F0 1F0 [1SEND_F0 1RECV_B0] 1B0 [1SEND_B0 1RECV_F1] 1F1 [1SEND_F1 1RECV_B1] 1B1 "
        "[1SEND_B1 1RECV_F2] 1F2 [1SEND_F2 1RECV_B2] 1B2 1SEND_B2"
    )
    assert " ".join(posted(schedule, 2)) == (
        "2RECV_F0 2F0 2B0 [2SEND_B0 2RECV_F1] 2F1 2B1 [2SEND_B1 2RECV_F2] 2F2 2B2 2SEND_B2"
    )


def test_blog_1f1b_with_fewer_microbatches_than_its_warm_up() -> None:
    """No steady round: the send that the warm-up kept goes with the first gradient's receive."""
    assert " ".join(posted(blog_1f1b.build(5, 2), 1)) == (
        "1RECV_F0 1F0 1SEND_F0 1RECV_F1 1F1 [1SEND_F1 1RECV_B0] 1B0 1SEND_B0 1RECV_B1 1B1 1SEND_B1"
    )


def test_blog_1f1b_is_the_naive_order_on_two_stages() -> None:
    assert timeline(blog_1f1b.build(2, 3)).rows() == [
        "F0 . . B0 F1 . . B1 F2 . . B2",
        ". F0 B0 . . F1 B1 . . F2 B2 .",
    ]


# Domains


@pytest.mark.parametrize(
    ("module", "p", "M", "found"),
    [
        (zb_h1, 4, 3, "M = 3"),
        (zb_h2, 4, 6, "M = 6"),
        (chimera, 3, 6, "p = 3"),
        (chimera, 1, 1, "p = 1"),
        (chimera, 4, 6, "M = 6"),
        (dualpipe, 5, 20, "p = 5"),
        (dualpipe, 4, 6, "M = 6"),
        (dualpipe, 4, 9, "M = 9"),
        (blog_naive, 1, 1, "p = 1"),
        (blog_naive, 2, 2, "M = 2"),
        (blog_gpipe, 1, 4, "p = 1"),
        (blog_gpipe, 2, 1, "M = 1"),
        (blog_1f1b, 1, 4, "p = 1"),
        (blog_1f1b, 2, 1, "M = 1"),
    ],
)
def test_outside_the_domain(module: ModuleType, p: int, M: int, found: str) -> None:
    with pytest.raises(ParameterError) as caught:
        module.build(p, M)
    assert found in caught.value.what
    assert caught.value.where == f"family {module.FAMILY.name}"
    assert caught.value.fix.startswith("take ")


@pytest.mark.parametrize(
    ("module", "p", "M", "fix"),
    [
        (zb_h1, 4, 3, "M ≥ 4"),
        (zb_h2, 4, 6, "M ≥ 7"),
        (chimera, 5, 6, "p = 6 or p = 4"),
        (chimera, 4, 6, "M = 8"),
        (dualpipe, 4, 3, "M = 8"),
        (dualpipe, 4, 9, "M = 10"),
    ],
)
def test_the_remedy_works(module: ModuleType, p: int, M: int, fix: str) -> None:
    with pytest.raises(ParameterError) as caught:
        module.build(p, M)
    assert fix in caught.value.fix
    name, value = fix.replace("≥", "=").split(" or ")[0].split(" = ")
    sizes = {"p": p, "M": M, name: int(value)}
    sizes["M"] += -sizes["M"] % sizes["p"] if name == "p" else 0
    assert validate(module.build(sizes["p"], sizes["M"])) == []


# Controls: an edited schedule must not keep the laws


def test_two_pipelines_of_chimera_need_their_offset() -> None:
    """With the second pipeline one slot early, the merge has conflicts."""
    slots = [slot - action.pipeline for slot, action in enumerate(timetable(1, 4, 4)) if action]
    assert len(set(slots)) < len(slots)


OTHER_LAGS = [
    (stage, 6 - 2 * stage + shift, weight_lag)
    for stage in range(4)
    for shift, weight_lag in ((-1, 6), (1, 6), (0, 5), (0, 7))
    if 0 <= 6 - 2 * stage + shift <= weight_lag
]


@pytest.mark.parametrize(("stage", "input_lag", "weight_lag"), OTHER_LAGS)
def test_other_lags_are_not_zb_h2(stage: int, input_lag: int, weight_lag: int) -> None:
    """One stage with another lag loses the parallelogram, or the 2p − 1 in flight."""
    p, M = 4, 12
    good = zb_h2.build(p, M)
    orders = [list(good.rank(rank)) for rank in range(p)]
    orders[stage] = lagged_order(stage, M, input_lag, weight_lag)
    bad = Schedule.from_orders("bad", orders, M, good.policy)
    line = timeline(bad)
    begins = [int(line.start[bad.offsets[rank] : bad.offsets[rank + 1]].min()) for rank in range(p)]
    ends = [int(line.end[bad.offsets[rank] : bad.offsets[rank + 1]].max()) for rank in range(p)]
    parallelogram = [end - begin for begin, end in zip(begins, ends, strict=True)] == [3 * M] * p
    held = next(at for at, a in enumerate(orders[stage]) if a.kind is Kind.W)
    in_flight = sum(action.kind is Kind.F for action in orders[stage][:held])
    assert not (parallelogram and in_flight == 2 * p - 1)


@pytest.mark.parametrize("module", [zb_h1, zb_h2, chimera, dualpipe, blog_gpipe, blog_1f1b])
def test_a_forward_behind_its_backward_is_caught(module: ModuleType) -> None:
    good = module.build(4, 8)
    for rank in range(good.ranks):
        orders = [list(good.rank(other)) for other in range(good.ranks)]
        order = orders[rank]
        backward = next(action for action in order if action.kind in (Kind.B, Kind.I))
        forward = replace(backward, kind=Kind.F)
        order.remove(forward)
        order.insert(order.index(backward) + 1, forward)
        bad = Schedule.from_orders("bad", orders, 8, good.policy, placement=good.placement)
        assert {found.invariant for found in validate(bad)} == {"causal"}


def test_groups_stand_where_their_actions_do() -> None:
    schedule = blog_1f1b.build(4, 6)
    taken: set[tuple[int, int]] = set()
    for group in schedule.groups:
        places = {(group.rank, group.first + k) for k in range(group.count)}
        assert not places & taken
        taken |= places
    assert all(isinstance(group, Group) and group.kind == "batch" for group in schedule.groups)
