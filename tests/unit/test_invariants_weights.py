"""Stash, versions, staleness, delay, skew, flush and update-once, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedules import Schedule, WeightPolicy, build, versions
from schedules.formats.pytorch_csv import parse_csv
from schedules.invariants import Report, check, parse_requirements
from schedules.validation.violation import CAP, Arrow, Violation
from tests.rows import rows


def required(schedule: Schedule, text: str) -> Report:
    return check(schedule, parse_requirements(text))


def only(schedule: Schedule, text: str) -> Violation:
    [violation] = required(schedule, text).violations
    return violation


def mistakes(schedule: Schedule, text: str) -> list[tuple[str, object]]:
    """Place and action of every violation."""
    return [
        (found.place.removeprefix("a.json:"), found.witness.get("action"))
        for found in required(schedule, text).violations
    ]


# Explicit updates


def test_copy_with_updates_is_updated_there_and_nowhere_else() -> None:
    found = versions(rows("0F0 0B0 0F1 0B1 0U 0F2 0B2 0U", "stash"))
    assert found.at_forward.tolist() == [[0, 0, 1]]
    assert found.at_update.tolist() == [[0, 0, 1]]


def test_copy_without_updates_follows_the_policy() -> None:
    found = versions(rows("0F0 0F1 0B0 0B1 0U\n1F0 1B0 1F1 1B1", "stash"))
    assert found.at_forward.tolist() == [[0, 0], [0, 1]]


def test_update_of_one_copy_says_nothing_of_another() -> None:
    placement = {"ranks": [[0], [0]], "copies": [[0], [1]]}
    found = versions(
        rows("0F0 0B0 0U 0F1@1 0B1@1 0F2 0B2 0U 0F3@1 0B3@1", "flush", placement=placement)
    )
    assert found.at_forward.tolist() == [[0, 0, 1, 0]]


def test_flush_keeps_no_older_version() -> None:
    found = versions(rows("0F0 0F1 0B0 0U 0B1 0U", "flush"))
    assert found.read.tolist() == [[0, 0]]
    assert found.used.tolist() == [[0, 1]]
    assert versions(rows("0F0 0F1 0B0 0U 0B1 0U", "stash")).used.tolist() == [[0, 0]]


# Stash


def test_stale_backward() -> None:
    schedule = rows("0F0 0F1 0B0 0B1 0U\n1F0 1F1 1B0 1U 1B1 1U", "latest")
    violation = only(schedule, "stash")
    assert violation.message == (
        "a.json:ranks[1][4]: a backward uses the version that its forward read, but 1B1 uses "
        "version 1 and 1F1 (a.json:ranks[1][1]) read version 0, which the update at 1U "
        "(a.json:ranks[1][3]) replaced; keep version 0 (policy stash), or move the update behind "
        "1B1"
    )
    assert violation.place == "a.json:ranks[1][4]"
    assert violation.witness == {
        "action": "1B1",
        "used": 1,
        "forward": "1F1",
        "forward_place": "a.json:ranks[1][1]",
        "read": 0,
        "update": "1U",
        "update_place": "a.json:ranks[1][3]",
    }
    assert violation.marks.actions == (9, 6, 8)
    assert violation.marks.arrows == (
        Arrow(6, 9, "read version 0"),
        Arrow(8, 9, "replaces version 0"),
    )


def test_update_that_moved_into_a_step_is_a_stale_backward() -> None:
    """Under flush nothing is stashed."""
    schedule = rows("0F0 0F1 0B0 0U 0B1")
    assert mistakes(schedule, "stash") == [("ranks[0][4]", "0B1")]
    assert required(rows("0F0 0F1 0B0 0B1 0U"), "stash").ok


@pytest.mark.parametrize(("policy", "ok"), [("stash", True), ("latest", False), ("predict", True)])
def test_stash_by_policy(policy: str, ok: bool) -> None:
    schedule = rows("0F0 0F1 0B0 0B1", policy)  # type: ignore[arg-type]
    assert required(schedule, "stash").ok is ok


# Versions


def test_too_many_versions() -> None:
    schedule = rows("0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3", "stash")
    assert required(schedule, "versions<=3").ok
    violation = only(schedule, "versions<=2")
    # After 0B1 there are version 2, version 1 for 0B3, and version 0 for 0B2.
    assert violation.place == "a.json:ranks[0][5]"
    assert violation.witness == {
        "stage": 0,
        "copy": 0,
        "kept": 3,
        "most": 3,
        "bound": 2,
        "update": "0B1",
        "oldest": 0,
        "needed_by": "0B2",
        "needed_by_place": "a.json:ranks[0][6]",
    }
    assert violation.marks.arrows == (Arrow(5, 6, "still needs version 0"),)
    assert only(schedule, "versions<=1").place == "a.json:ranks[0][3]"


def test_only_backwards_to_come_need_a_version() -> None:
    """Version 0 is done with when the bound is exceeded; so is that of another copy."""
    violation = only(rows("0F0 0B0 0F1 0F2 0F3 0B1 0B2 0B3", "stash"), "versions<=1")
    assert violation.witness["oldest"] == 1
    assert violation.witness["needed_by"] == "0B3"
    placement = {"ranks": [[0], [0]], "copies": [[0], [1]]}
    text = "0F4@1 0F0 0B0 0F1 0F2 0F3 0B1 0B2 0B3 0B4@1"
    violation = only(rows(text, "stash", placement=placement), "versions<=1")
    assert (violation.witness["oldest"], violation.witness["needed_by"]) == (1, "0B3")
    assert "copy 0 of stage 0 needs 2" in violation.message


def test_double_buffer_whose_window_is_shorter_than_what_is_in_flight() -> None:
    policy = WeightPolicy("double-buffer", 1)
    orders = [list(build("pipedream", 3, 12).rank(rank)) for rank in range(3)]
    schedule = Schedule.from_orders("2bw", orders, 12, policy)
    found = required(schedule, "stash").violations
    assert {violation.invariant for violation in found} == {"policy"}
    # Three microbatches are in flight at stage 0: window 2 reads version 1, not made before 0F2.
    assert "stage 0 has had 0 updates at microbatch 2 of window 2" in found[0].message
    wide = replace(schedule, policy=WeightPolicy("double-buffer", 2))
    assert required(wide, "stash, versions<=2").ok
    assert required(replace(schedule, policy=WeightPolicy("vertical-sync")), "versions<=3").ok


# Staleness


def test_stale_gradient() -> None:
    schedule = rows("0F0 0F1 0F2 0B0 0B1 0B2", "stash")
    assert mistakes(schedule, "staleness<=0") == [("ranks[0][4]", "0B1"), ("ranks[0][5]", "0B2")]
    violation = only(schedule, "staleness<=1")
    assert violation.message == (
        "a.json:ranks[0][5]: the local staleness of a gradient is at most 1, but that of 0B2 is "
        "2: so many updates of its stage come between 0F2 (a.json:ranks[0][2]) and its own, from "
        "the one at 0B0 (a.json:ranks[0][3]) on; allow staleness<=2, or do fewer backwards in "
        "between"
    )
    assert violation.marks.actions == (5, 2, 3)
    assert required(schedule, "staleness<=2").ok


def test_a_gradient_that_no_update_follows_counts_up_to_where_it_stands() -> None:
    """Windows of two: of the third gradient nothing is made, and one update came before it."""
    schedule = replace(rows("0F0 0F1 0F2 0B0 0B1 0B2", "stash"), policy=WeightPolicy("stash", 2))
    violation = only(schedule, "staleness<=0")
    assert "that of 0B2 is 1" in violation.message
    assert "and itself, which no update follows, from" in violation.message


def test_staleness_counts_up_to_the_weight_gradient() -> None:
    schedule = rows("0F0 0F1 0I0 0I1 0W0 0W1", "stash")
    assert mistakes(schedule, "staleness<=0") == [("ranks[0][5]", "0W1")]


def test_start_up_counts() -> None:
    """The whole run: pipedream's staleness is p − 1 − s only once it is steady."""
    assert required(build("pipedream", 4, 20), "staleness<=3").ok
    assert not required(build("pipedream", 4, 20), "staleness<=2").ok


# Delay


def test_delayed_gradient() -> None:
    schedule = build("pipedream", 2, 3)
    violations = required(schedule, "delay<=2").violations
    assert [violation.witness["action"] for violation in violations] == ["0B1", "0B2"]
    assert violations[0].witness == {
        "action": "0B1",
        "delay": 3,
        "most": 3,
        "bound": 2,
        "linearization": "ascending",
        "index": 3,
        "block": 0,
        "forward": "0F1",
        "forward_place": "pipedream:rank 0:position 1",
        "recorded": 0,
    }
    assert required(schedule, "delay<=3").ok


def test_delay_is_counted_as_named() -> None:
    schedule = build("pipedream", 4, 20)
    requirement = parse_requirements("delay<=16")
    results = {
        name: check(schedule, requirement, linearization=name).ok
        for name in ("ascending", "descending")
    }
    assert results == {"ascending": True, "descending": False}


def test_delay_of_nothing_is_undecided() -> None:
    report = required(rows("0F0 0B0", "stash", interval=2), "delay<=0")
    assert report.undecided == (("delay", "no gradient is applied, so that there are no delays"),)


# Skew


def test_skewed_microbatch() -> None:
    schedule = build("pipedream", 2, 4)
    assert required(schedule, "skew<=1").ok
    violations = required(schedule, "skew<=0").violations
    assert [violation.witness["microbatch"] for violation in violations] == [1, 2, 3]
    assert violations[0].message == (
        "pipedream:rank 0:position 1: the versions that a microbatch reads at its stages differ by "
        "at most 0, but 0F1 reads version 0 and 1F1 (pipedream:rank 1:position 2) version 1; "
        "update all stages between the same microbatches, or use the policy vertical-sync"
    )
    sync = required(schedule, "vertical-sync").violations
    assert [found.marks for found in sync] == [found.marks for found in violations]
    assert "reads the same version at all stages" in sync[0].message


def test_policy_vertical_sync_has_no_skew() -> None:
    orders = [list(build("pipedream", 3, 9).rank(rank)) for rank in range(3)]
    schedule = Schedule.from_orders("pinned", orders, 9, WeightPolicy("vertical-sync"))
    assert required(schedule, "vertical-sync,skew<=0").ok


# Flush


@pytest.mark.parametrize("family", ["gpipe", "1f1b", "naive", "zb-h1", "interleaved-1f1b"])
def test_synchronous_families_flush(family: str) -> None:
    schedule = build(family, 2, 4)
    assert required(schedule, "flush,update-once").ok


def test_pipedream_does_not() -> None:
    report = required(build("pipedream", 2, 4), "flush")
    assert report.violations[0].witness["update"] == "0B0"
    assert {violation.invariant for violation in report.violations} == {"flush"}


def test_one_update_for_each_step_of_several() -> None:
    text = "0F0 0F1 0B0 0B1 0U 0F2 0F3 0B2 0B3 0U\n1F0 1B0 1F1 1B1 1U 1F2 1B2 1F3 1B3 1U"
    assert required(rows(text), "flush,update-once,stash").ok


def test_update_inside_a_step() -> None:
    text = "0F0 0F1 0B0 0B1 0U\n1F0 1B0 1F1 1U 1B1"
    violation = only(rows(text), "flush")
    assert violation.message == (
        "a.json:ranks[1][4]: no version changes inside a step, but the update at 1U "
        "(a.json:ranks[1][3]) replaces version 0, which 1F1 (a.json:ranks[1][2]) reads, before "
        "the gradient of 1B1 is applied; move the update behind 1B1, or use the policy flush"
    )
    assert violation.marks.actions == (9, 7, 8)


def test_update_between_backward_and_weight_gradient() -> None:
    """The backward still fits; the weight gradient is applied to the next version."""
    assert mistakes(rows("0F0 0I0 0U 0W0 0U"), "flush") == [("ranks[0][3]", "0W0")]


def test_step_that_ends_earlier_at_one_stage() -> None:
    text = "0F0 0F1 0B0 0B1 0U\n1F0 1B0 1U 1F1 1B1 1U"
    violation = only(rows(text), "flush")
    assert violation.message == (
        "a.json:ranks[0][1]: a microbatch belongs to the same step at all stages, but 0F1 runs "
        "after 0 updates of its stage and 1F1 (a.json:ranks[1][3]) after 1; update all stages "
        "between the same microbatches"
    )


def test_naive_with_an_update_for_each_microbatch_is_synchronous() -> None:
    schedule = build("naive", 3, 4)
    orders = [list(schedule.rank(rank)) for rank in range(3)]
    assert required(Schedule.from_orders("sgd", orders, 4, WeightPolicy("stash")), "flush").ok


# Update-once


@pytest.mark.parametrize(
    ("text", "policy", "interval", "words"),
    [
        ("0F0 0B0 0F1 0B1 0F2 0B2", "stash", 2, ["none follows 0B2", "window of 2"]),
        ("0F0 0B0 0F1 0B1 0F2 0B2", "stash", 4, ["none follows 0B0 and 2 more behind it"]),
        ("0F0 0F1 0B0 0U 0B1", "flush", 1, ["none follows 0B1", "add an action U"]),
        ("0U 0F0 0B0 0U", "flush", 1, ["ranks[0][0]", "0U has none since"]),
        ("0F0 0B0 0U 0U", "flush", 1, ["ranks[0][3]", "0U has none since"]),
        (
            "0F0 0B0 0F1 0B1 0U",
            "stash",
            1,
            ["ranks[0][4]", "window of 1 gradients (policy stash), but 0U applies 2"],
        ),
        ("0F0 0B0 0U 0F1 0B1 0U", "stash", 2, None),
        (
            "0F0 0B0 0F1 0B1 0U\n1F0 1B0 1F1 1B1",
            "flush",
            1,
            ["stage 1 have none", "add 1U behind 1B1"],
        ),
        (
            "0F0 0F1 0B0 0B1 0U\n1F0 1B0 1U 1F1 1B1 1U",
            "flush",
            1,
            [
                "microbatch 1 are applied by 0U (a.json:ranks[0][4]), update 0",
                "1U (a.json:ranks[1][5])",
            ],
        ),
    ],
)
def test_update_once(text: str, policy: str, interval: int, words: list[str] | None) -> None:
    schedule = rows(text, policy, interval)  # type: ignore[arg-type]
    violations = required(schedule, "update-once").violations
    if words is None:
        assert [found.witness["gradients"] for found in violations] == [1, 1]
        return
    [violation] = [found for found in violations if found.invariant == "update-once"]
    for part in words:
        assert part in violation.message
    assert violation.marks.actions


@pytest.mark.parametrize(
    ("text", "policy", "interval"),
    [
        ("0F0 0B0 0F1 0B1", "stash", 2),
        ("0F0 0B0 0F1 0B1 0U", "stash", 2),
        ("0F0 0B0 0U 0F1 0B1 0U", "stash", 1),
        ("0F0 0I0 0F1 0I1 0W0 0U 0W1 0U", "stash", 1),
        ("0F0 0B0 0F1 0B1 0U", "flush", 1),
        ("0F0 0B0 0F1 0B1", "flush", 1),
    ],
)
def test_every_gradient_once(text: str, policy: str, interval: int) -> None:
    assert required(rows(text, policy, interval), "update-once").ok  # type: ignore[arg-type]


def test_an_update_that_names_another_microbatch_is_said() -> None:
    """The author means a queue, in which gradients wait for two microbatches; `U` has none."""
    queue = "0F0 0B0 0F1 0B1 0F2 0B2 0U0 0F3 0B3 0U1 0F4 0B4 0U2"
    assert check(rows(queue, "stash")).facts["amiss"] == [
        "a.json:ranks[0][6]: an update applies all gradients of its weights since the one before, "
        "so 0U0 applies those of microbatches 0, 1, 2, whatever microbatch it names; name the last "
        "of them (0U2), or none: gradients that wait in a queue cannot be written (and of 2 more "
        "the label is another)"
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0F0 0B0 0F1 0B1 0U1 0F2 0B2 0U2", None),
        ("0F0 0F1 0B1 0B0 0U1 0F2 0B2 0U2", None),  # the largest that it applies
        ("0F0 0F1 0B1 0B0 0U0 0F2 0B2 0U2", None),  # the last that it applies
        ("0F0 0F1 0B0 0B1 0U0 0F2 0B2 0U2", "0U0 applies those of microbatches 0, 1"),
        ("0F0 0U0 0B0 0F1 0B1 0F2 0B2 0U2", "0U0 applies none"),
        ("0F0 0I0 0U0 0W0 0F1 0B1 0F2 0B2 0U2", "0U0 applies none"),
        ("0F0 0B0 0F1 0B1 0F2 0B2 0F3 0B3 0F4 0B4 0U3", "microbatches 0, 1, …, 4 (5)"),
    ],
)
def test_the_label_of_an_update(text: str, says: str | None) -> None:
    """The microbatch of the last gradient, or the largest; anything else is said."""
    found = check(rows(text, "latest")).facts.get("amiss")
    assert (found is None) if says is None else says in found[0]  # type: ignore[index]


def test_update_before_the_backward_that_it_is_for() -> None:
    found = required(rows("0F0 0U 0B0 0F1 0B1 0U", "stash"), "update-once").violations
    assert [violation.place for violation in found] == [
        "a.json:ranks[0][1]",
        "a.json:ranks[0][5]",
    ]
    assert found[1].witness["gradients"] == 2


def test_gradient_that_is_never_applied_is_one_violation() -> None:
    violation = only(rows("0F0 0F1 0B0 0B1 0U\n1F0 1B0 1F1 1U 1B1"), "update-once")
    assert violation.witness["action"] == "1B1"


def test_microbatches_of_one_wrong_update_are_one_violation() -> None:
    zero = "0F0 0F1 0F2 0F3 0B0 0B1 0U 0B2 0B3 0U"
    one = "1F0 1B0 1F1 1B1 1F2 1B2 1F3 1B3 1U"
    violation = only(rows(f"{zero}\n{one}"), "update-once")
    assert violation.witness["microbatches"] == 2
    assert violation.witness["microbatch"] == 2


# Long lists


def test_many_violations_are_cut() -> None:
    report = required(build("pipedream", 2, 400), "staleness<=0")
    assert len(report.violations) == CAP + 1
    assert "more (" in report.violations[-1].message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0UNSHARD,0F0,0B0,0RESHARD", None),
        ("0UNSHARD,0F0,0RESHARD,0UNSHARD,0B0,0RESHARD", None),
        ("0UNSHARD,1UNSHARD,0F0,1F0,1B0,1RESHARD,0B0,0RESHARD", None),
        ("0F0,0B0,0RESHARD", None),  # Nothing gathers it: it is no shard.
        ("0UNSHARD,0UNSHARD,0F0,0B0,0RESHARD", "cell 2) gathers what is gathered"),
        ("0UNSHARD,0F0,0UNSHARD,0B0,0RESHARD", "cell 3) gathers what is gathered"),
        ("0RESHARD,0UNSHARD,0F0,0B0,0RESHARD", "cell 1) releases what is not gathered"),
        ("0UNSHARD,0F0,0B0,0RESHARD,0RESHARD", "cell 5) releases what is not gathered"),
        ("0UNSHARD,0RESHARD,0UNSHARD,0F0,0B0,0RESHARD", "cell 2) releases what nothing was"),
        ("0UNSHARD,0F0,0B0,0RESHARD,0UNSHARD", "cell 5) gathers what nothing is computed on"),
        ("0UNSHARD,0F0,0B0", "0B0 (a.csv:row 1:cell 3) is the last of its stage, which stays"),
    ],
)
def test_what_pytorch_refuses_to_gather_or_release_is_said(text: str, says: str | None) -> None:
    """Its runtime raises there if the stage is sharded (FSDP), and does nothing else if not."""
    report = check(parse_csv(text, "a.csv"))
    found = report.facts.get("amiss")
    assert report.ok
    assert (found is None) if says is None else says in found[0]  # type: ignore[index]
