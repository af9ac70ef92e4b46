"""PyTorch's older notation, DeepSpeed's other schedules, and numbers that begin again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schedules import Kind, Schedule
from schedules.errors import FormatError
from schedules.formats.deepspeed import parse_deepspeed, write_deepspeed
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.formats.registry import Document
from schedules.invariants import Report, check, parse_requirements
from schedules.validation.complete import complete
from tests.deepspeed_orders import inference, zero_bubble
from tests.rows import rows

ONLY = "forward-only"


def checked(document: Any, require: str = "") -> Report:
    found = parse_deepspeed(json.dumps(document), "a.json")
    subject = Document(found.schedule, instructions=found)
    return check(subject, parse_requirements(require) if require else ())


def order(schedule: Schedule, rank: int) -> list[str]:
    return [str(action) for action in schedule.rank(rank)]


# PyTorch 2.5 and before


def test_bw_is_the_full_backward_and_b_beside_it_the_input_gradient() -> None:
    schedule = parse_csv("0F0,0BW0,0F1,0B1,0W1", "old.csv")
    assert order(schedule, 0) == ["0F0", "0B0", "0F1", "0I1", "0W1"]
    assert complete(schedule) == []
    assert write_csv(schedule) == "0F0,0B0,0F1,0I1,0W1\n"


def test_both_notations_at_once_are_refused() -> None:
    with pytest.raises(FormatError, match="found both, BW and I"):
        parse_csv("0F0,0BW0,0F1,0I1,0W1", "old.csv")


def test_b_beside_w_is_named() -> None:
    [violation] = complete(parse_csv("0F0,0B0,0W0", "old.csv"))
    assert "in PyTorch 2.5 and before, B beside W is the input gradient: write 0I0" in (
        violation.message
    )


# Megatron-DeepSpeed's ZB-H1


@pytest.mark.parametrize(("p", "M"), [(1, 2), (2, 4), (3, 5), (4, 8)])
def test_zero_bubble_of_megatron_deepspeed_holds(p: int, M: int) -> None:
    report = checked(zero_bubble(p, M))
    assert report.ok, report.violations[:1]
    schedule = report.schedule
    assert (schedule.kind == Kind.W).sum() == (schedule.kind == Kind.I).sum() == (p - 1) * M
    text = json.dumps(zero_bubble(p, M))
    assert json.loads(write_deepspeed(parse_deepspeed(text, "a"))) == {
        "source": "staleproof",
        **json.loads(text),
    }


def test_weight_passes_take_the_oldest_backward() -> None:
    steps = checked(zero_bubble(3, 4)).schedule
    weights = [text for text in order(steps, 2) if "W" in text]
    assert weights == ["2W0", "2W1", "2W2", "2W3"]


def test_a_weight_pass_too_many_or_too_few_is_caught() -> None:
    many, few = zero_bubble(2, 3), zero_bubble(2, 3)
    many["ranks"][1]["steps"].append([["WeightPass", {}]])
    with pytest.raises(FormatError, match="found none that still lacks it"):
        checked(many)
    few["ranks"][1]["steps"] = [
        step for step in few["ranks"][1]["steps"] if step != [["WeightPass", {}]]
    ]
    assert {violation.invariant for violation in checked(few).violations} == {"complete"}


def test_a_buffer_too_few_is_caught_with_split_backwards() -> None:
    text = json.dumps(zero_bubble(3, 5)).replace('"buffer_id": 2', '"buffer_id": 1')
    assert {v.invariant for v in checked(json.loads(text)).violations} == {"buffer-safe"}


# Forwards alone


@pytest.mark.parametrize(("p", "M"), [(1, 1), (2, 4), (3, 5), (4, 8)])
def test_inference_is_checked_when_it_is_asked_for(p: int, M: int) -> None:
    report = checked(inference(p, M), ONLY)
    assert report.ok, (report.violations[:1], report.undecided)
    assert set(report.decided) >= {ONLY, "causal", "match", "deadlock-free", "buffer-safe"}
    assert not {"complete", "policy"} & set(report.decided)


def test_a_schedule_without_any_backward_does_not_pass_unasked() -> None:
    report = checked(inference(2, 4))
    [violation] = [each for each in report.violations if each.invariant == "complete"]
    assert "--require forward-only" in violation.message


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("0F0,0F1\n1F0", "missing F"),
        ("0F0,0F1,0F1\n1F0,1F1", "duplicate F"),
        ("0F0,0F1\n1F0,1F1,1B1", "backward"),
        ("0F0,0F1,0W1\n1F0,1F1", "backward"),
    ],
)
def test_forwards_alone_are_each_there_once(text: str, mistake: str) -> None:
    report = check(parse_csv(text, "a.csv"), parse_requirements(ONLY))
    assert [violation.witness["mistake"] for violation in report.violations] == [mistake]


def test_what_is_about_updates_is_undecided_of_forwards_alone() -> None:
    report = check(parse_csv("0F0,0F1", "a.csv"), parse_requirements(f"{ONLY},stash,complete"))
    assert [name for name, _ in report.undecided] == ["complete", "stash"]
    assert not report.ok


# Microbatches that begin again in each pipeline


def test_numbers_that_begin_again_are_explained() -> None:
    placement = {"ranks": [[0], [0]], "copies": [[0], [0]]}
    again = rows("0F0 0B0 0F1 0B1 0F0@1 0B0@1 0F1@1 0B1@1", placement=placement)
    [violation] = complete(again)
    assert "each of the 2 pipelines begins again" in violation.message
    assert "add 2 to the microbatches of pipeline 1" in violation.message
    right = rows("0F0 0B0 0F1 0B1 0F2@1 0B2@1 0F3@1 0B3@1", placement=placement, microbatches=4)
    assert complete(right) == []
