"""The validator: which violations, in which words; `causal` has a file of its own."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline
from schedules.errors import SizeError
from schedules.formats.pytorch_csv import parse_csv, read_csv, write_csv
from schedules.validate import Violation, facts, has_messages, validate
from schedules.validation.violation import CAP, Marks

DATA = Path(__file__).parents[1] / "data" / "schedules"
FILES = sorted(DATA.glob("*.csv"))
BUG = "torch2.13_1F1B_p4_m4_last-rank-bug.compute.csv"
FLUSH = WeightPolicy("flush")
GOOD = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1"


def found(text: str, microbatches: int | None = None) -> list[tuple[str, str]]:
    violations = validate(parse_csv(text, "a.csv", microbatches))
    return [(each.invariant, each.place.removeprefix("a.csv:")) for each in violations]


def only(text: str, microbatches: int | None = None) -> Violation:
    [violation] = validate(parse_csv(text, "a.csv", microbatches))
    return violation


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_decided_right(path: Path) -> None:
    assert bool(validate(read_csv(path))) is (path.name == BUG)


def test_last_rank_bug() -> None:
    path = DATA / BUG
    out_of_range, missing = validate(read_csv(path))
    assert out_of_range == Violation(
        "complete",
        f"{path}:row 4:cell 7: stages are 0 … 3 and microbatches 0 … 3, found 3F4; renumber it, "
        "or state the number of microbatches if it is not 4",
        f"{path}:row 4:cell 7",
        {"action": "3F4", "stages": 4, "microbatches": 4},
        Marks((30,)),
    )
    assert missing == Violation(
        "complete",
        f"{path}:row 4:cell 2: stage 3, microbatch 0 has no F and 1 B, but each stage and "
        "microbatch has one F and either one B or one I and one W; add 3F0 before its backward",
        f"{path}:row 4:cell 2",
        {
            "mistake": "missing F",
            "stage": 3,
            "microbatch": 0,
            "actions": 1,
            "found": [{"action": "3B0", "place": f"{path}:row 4:cell 2"}],
        },
        Marks((25,)),
    )


@pytest.mark.parametrize("family", ["pipedream", "localsgd", "gpipe", "naive"])
@pytest.mark.parametrize(("stages", "microbatches"), [(1, 1), (2, 5), (4, 9)])
def test_families_are_valid(family: str, stages: int, microbatches: int) -> None:
    schedule = build(family, stages, microbatches)
    assert validate(schedule) == []
    assert facts(schedule)["length"] == timeline(schedule).length


@pytest.mark.parametrize(
    ("text", "mistake", "place"),
    [
        ("0F0,0F1,0B0\n1F0,1B0,1F1,1B1", "missing backward", "row 1:cell 2"),
        ("0F0,0F1,0B0,0B1\n1F0,1B0,1B1", "missing F", "row 2:cell 3"),
        ("0F0,0F1,0B0,0B1\n1F0,1B0", "missing altogether", "row 2"),
        ("0F0,0F1,0I0,0B1\n1F0,1B0,1F1,1B1", "I without W", "row 1:cell 3"),
        ("0F0,0F1,0W0,0B1\n1F0,1B0,1F1,1B1", "W without I", "row 1:cell 3"),
        ("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1I1,1B1", "B beside I or W", "row 2:cell 5"),
        ("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1,1W1", "B beside I or W", "row 2:cell 4"),
        ("0F0,0F1,0F1,0B0,0B1\n1F0,1B0,1F1,1B1", "duplicate F", "row 1:cell 3"),
        ("0F0,0F1,0B0,0B1,0B0\n1F0,1B0,1F1,1B1", "duplicate B", "row 1:cell 5"),
        ("0F0,0F1,0I0,0I0,0W0,0B1\n1F0,1B0,1F1,1B1", "duplicate I", "row 1:cell 4"),
        ("0F0,0F1,0I0,0W0,0W0,0B1\n1F0,1B0,1F1,1B1", "duplicate W", "row 1:cell 5"),
    ],
)
def test_incomplete_pair(text: str, mistake: str, place: str) -> None:
    violation = only(text, 2)
    assert violation.invariant == "complete"
    assert violation.witness["mistake"] == mistake
    assert violation.place == f"a.csv:{place}"
    assert violation.message.startswith(f"a.csv:{place}: stage ")


def test_split_and_full_backwards_may_be_mixed() -> None:
    assert found("0F0,0F1,0I0,0W0,0B1\n1F0,1B0,1F1,1I1,1W1") == []


def test_several_mistakes_of_one_pair() -> None:
    mistakes = [
        violation.witness["mistake"]
        for violation in validate(parse_csv("0B0,0B0,0I0,0F1,0B1", "a.csv"))
    ]
    assert mistakes == ["missing F", "B beside I or W", "duplicate B"]


@pytest.mark.parametrize("cell", ["1F2", "1SEND_B7"])
def test_out_of_range(cell: str) -> None:
    violations = validate(parse_csv(f"{GOOD},{cell}", "a.csv"))
    [violation] = [each for each in violations if each.invariant == "complete"]
    assert violation.place == "a.csv:row 2:cell 5"
    assert f"microbatches 0 … 1, found {cell}" in violation.message


def test_stage_out_of_range_of_a_given_placement() -> None:
    schedule = replace(parse_csv(GOOD, "a.csv"), placement=Placement.from_ranks((0,)))
    places = [violation.place for violation in validate(schedule)]
    assert places == [f"a.csv:row 2:cell {cell}" for cell in (1, 2, 3, 4)]


def test_what_names_no_microbatch_is_in_range() -> None:
    assert found("0UNSHARD,0F0,0B0,0REDUCE_GRAD,0RESHARD") == []


def test_absent_stage_and_microbatch_are_summed_up() -> None:
    gap = only("0F0,0B0\n2F0,2B0")
    assert gap.witness == {"stage": 1}
    assert "stage 1 has no computation at all" in gap.message
    more = only(GOOD, 3)
    assert more.witness == {"microbatch": 2, "microbatches": 3}
    assert "microbatch 2 has no computation at any stage" in more.message


@pytest.mark.parametrize("text", [",", ",\n,", "0UNSHARD,0RESHARD"])
def test_empty_schedule(text: str) -> None:
    violation = only(text)
    assert violation.invariant == "complete"
    assert "at least one stage, one microbatch and one action" in violation.message


def test_long_lists_are_cut() -> None:
    violations = validate(parse_csv(GOOD, "a.csv", 500))
    assert len(violations) == CAP + 1
    assert violations[-1].message == (
        "a.csv: … and 448 more (448 × microbatch without any computation); correct the first ones"
    )
    assert violations[-1].witness == {
        "more": 448,
        "mistakes": {"microbatch without any computation": 448},
    }


def test_sparse_schedule_is_refused() -> None:
    with pytest.raises(SizeError, match="2000000 pairs and 8 actions"):
        validate(replace(parse_csv(GOOD, "a.csv"), microbatches=10**6))


def test_stage_on_two_ranks() -> None:
    violation = only("0F0,0F1,0B0\n1F0,1B0,1F1,1B1,0B1")
    assert violation.invariant == "exclusive"
    assert violation.place == "a.csv:row 2:cell 5"
    assert violation.witness == {
        "pipeline": 0,
        "stage": 0,
        "ranks": 2,
        "found": [
            {"rank": 0, "actions": 3, "first": "a.csv:row 1:cell 1"},
            {"rank": 1, "actions": 1, "first": "a.csv:row 2:cell 5"},
        ],
    }


def test_stage_on_many_ranks_is_one_short_violation() -> None:
    rows = ["0F0,0B0", *(f"0UNSHARD,{stage}F0,{stage}B0" for stage in range(1, 100))]
    violations = validate(parse_csv("\n".join(rows), "a.csv"))
    [violation] = [each for each in violations if each.invariant == "exclusive"]
    assert "and more on 92 other ranks" in violation.message
    assert violation.witness["ranks"] == 100


def test_stage_not_where_the_placement_says() -> None:
    schedule = replace(parse_csv(GOOD, "a.csv"), placement=Placement.from_ranks((1, 1)))
    [violation] = validate(schedule)
    assert violation.invariant == "exclusive"
    assert "rank 1 for stage 0, but it has 4 actions on rank 0" in violation.message


def two_pipelines(placement: Placement, second: int = 1) -> Schedule:
    orders = [
        [Action(Kind.F, 0, 0), Action(Kind.B, 0, 0)],
        [Action(Kind.F, 0, 1, second), Action(Kind.B, 0, 1, second)],
    ]
    return Schedule.from_orders("made", orders, 2, WeightPolicy("stash"), placement=placement)


def test_two_pipelines_with_a_copy_each() -> None:
    assert validate(two_pipelines(Placement(ranks=((0,), (1,)), copies=((0,), (1,))))) == []


def test_weight_copy_on_two_ranks() -> None:
    [violation] = validate(two_pipelines(Placement(ranks=((0,), (1,)), copies=((0,), (0,)))))
    assert violation.invariant == "exclusive"
    assert violation.witness == {"stage": 0, "copy": 0, "ranks": [0, 1]}


def test_pipeline_without_a_placement() -> None:
    placement = Placement(ranks=((0,), (1,)), copies=((0,), (1,)))
    places = [violation.place for violation in validate(two_pipelines(placement, second=2))]
    assert places == ["made:rank 1:position 0", "made:rank 1:position 1"]


def test_policy_that_asks_for_a_version_that_does_not_exist() -> None:
    text = "0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1"
    assert validate(parse_csv(text, "a.csv", policy=WeightPolicy("vertical-sync"))) == []
    late = "0F0,0B0,0F1,0B1\n1F0,1I0,1F1,1W0,1B1"
    [violation] = validate(parse_csv(late, "a.csv", policy=WeightPolicy("vertical-sync")))
    assert violation.invariant == "policy"
    assert violation.witness == {"policy": "vertical-sync", "interval": 1}
    assert validate(parse_csv(late, "a.csv", policy=WeightPolicy("stash"))) == []


def test_order_of_violations_does_not_depend_on_the_run() -> None:
    text = "0B0,0F0,0F0,3F1\n1F0,0B1,1F1,1B1"
    assert validate(parse_csv(text, "a.csv")) == validate(parse_csv(text, "a.csv"))
    invariants = [invariant for invariant, _ in found(text)]
    assert invariants == sorted(invariants, key=["complete", "causal", "exclusive"].index)


def test_has_messages() -> None:
    assert has_messages(parse_csv(GOOD, "a.csv")) is None
    assert has_messages(read_csv(DATA / "torch2.13_1F1B_p2_m4.comms.csv")) == 2


def test_a_hundred_thousand_actions() -> None:
    schedule = parse_csv(write_csv(build("gpipe", 16, 3200)), "a.csv")
    assert len(schedule) == 102_400
    assert validate(schedule) == []
    exchanged = replace(schedule, kind=np.where(schedule.kind == Kind.F, Kind.B, Kind.F))
    assert len(validate(exchanged)) == CAP + 1
