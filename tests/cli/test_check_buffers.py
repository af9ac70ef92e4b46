"""What is decided of every file with buffers: too few, too many, labels elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedules.formats.deepspeed import parse_deepspeed
from schedules.formats.registry import Document
from schedules.invariants import Report, check
from schedules.invariants.check import BY_LABELS
from schedules.invariants.visits import buffers_used
from tests.deepspeed_orders import stated, training

DATA = Path(__file__).parents[1] / "data" / "schedules"


def checked(document: object) -> Report:
    found = parse_deepspeed(json.dumps(document), "a.json")
    return check(Document(found.schedule, instructions=found))


def changed(p: int, M: int, step: int) -> Callable[[int], int]:
    return lambda stage: max(1, stated(p, M)(stage) + step)


@pytest.mark.parametrize(("p", "M"), [(2, 4), (4, 8)])
def test_the_generator_makes_the_sample(p: int, M: int) -> None:
    sample = json.loads((DATA / f"deepspeed0.19.8_train_p{p}_m{M}.json").read_text("utf-8"))
    assert training(p, M)["ranks"] == sample["ranks"]


@pytest.mark.parametrize(("p", "M"), [(1, 1), (2, 4), (3, 5), (4, 8), (5, 2)])
def test_deepspeeds_own_numbers_are_enough(p: int, M: int) -> None:
    report = checked(training(p, M))
    assert report.ok
    assert "buffer-safe" in report.decided
    assert report.facts["pipe_buffers"] == [stated(p, M)(stage) for stage in range(p)]
    assert report.facts["buffers_used"] == [min(p - stage, M) for stage in range(p)]


@pytest.mark.parametrize(("p", "M"), [(2, 4), (3, 5), (4, 8)])
def test_too_few_buffers_are_called_so(p: int, M: int) -> None:
    report = checked(training(p, M, changed(p, M, -1)))
    assert {violation.invariant for violation in report.violations} == {"buffer-safe"}
    assert {name for name, _ in report.undecided} == set(BY_LABELS)
    assert "or more of them" in report.violations[0].message
    assert "move" not in report.violations[0].message


def of_labels(change: Callable[[list[list[object]]], object]) -> Report:
    document = training(2, 4)
    for step in document["ranks"][1]["steps"]:
        change(step)
    return checked(document)


def test_labels_in_the_wrong_buffer_or_nowhere_do_not_pass() -> None:
    def swap(step: list[list[object]]) -> None:
        for order in step:
            if order[0] == "LoadMicroBatch":
                order[1] = {"buffer_id": 1 - order[1]["buffer_id"]}  # type: ignore[index]

    def drop(step: list[list[object]]) -> None:
        step[:] = [order for order in step if order[0] != "LoadMicroBatch"]

    for change in (swap, drop):
        report = of_labels(change)
        assert {violation.invariant for violation in report.violations} == {"buffer-safe"}
        assert "labels" in report.violations[0].message


def test_one_buffer_less_than_are_used_is_never_safe() -> None:
    """`buffers_used` is the least: with one less something is overwritten."""
    for p, M in ((3, 5), (4, 8)):
        used = buffers_used(parse_deepspeed(json.dumps(training(p, M)), "a.json"))
        for stage in range(p):
            fewer = [*used]
            fewer[stage] -= 1
            assert checked(training(p, M, used.__getitem__)).ok
            if fewer[stage]:
                assert not checked(training(p, M, fewer.__getitem__)).ok


def test_a_buffer_too_many_is_a_finding_also_of_a_difference(
    tmp_path: Path, result: Callable[..., Any]
) -> None:
    files = []
    for step in (0, 1):
        path = tmp_path / f"{step}.json"
        path.write_text(json.dumps(training(4, 8, changed(4, 8, step))), encoding="utf-8")
        files.append(str(path))
    (ok, enough), (also, many) = (result("check", path) for path in files)
    assert (ok, also) == (0, 0)
    assert enough["findings"] == []
    assert len(many["findings"]) == 4
    assert many["findings"][0].startswith("more buffers than are used: rank 0 has 5")
    _, difference = result("check", "--diff", *files)
    changes = [each for each in difference["changes"] if each["quantity"] == "pipe_buffers"]
    assert [each["new"] - each["old"] for each in changes] == [1, 1, 1, 1]


def without(name: str, number: int, rank: int) -> dict[str, Any]:
    """DeepSpeed's order for two stages without one instruction of a rank."""
    document = training(2, 4)
    named = [
        (step, order)
        for step in document["ranks"][rank]["steps"]
        for order in step
        if order[0] == name
    ]
    step, order = named[number]
    step.remove(order)
    return document


@pytest.mark.parametrize(
    ("name", "rank"), [("SendGrad", 1), ("SendActivation", 0), ("BackwardPass", 0)]
)
def test_where_an_instruction_is_missing_the_remedy_is_not_another_buffer(
    name: str, rank: int
) -> None:
    report = checked(without(name, 1, rank))
    assert {violation.invariant for violation in report.violations} == {"buffer-safe"}
    assert f"add the missing {name}, of which rank {rank} has 3 for 4" in " ".join(
        violation.message for violation in report.violations
    )


def test_a_backward_finds_its_gradient_in_its_buffer() -> None:
    assert checked(training(2, 4)).ok
    other = training(2, 4)
    received = [
        order for step in other["ranks"][0]["steps"] for order in step if order[0] == "RecvGrad"
    ]
    received[1][1]["buffer_id"] = 0
    for document in (without("RecvGrad", 1, 0), other):
        first = checked(document).violations[0]
        assert first.invariant == "buffer-safe"
        assert "no RecvGrad has come for what BackwardPass of buffer 1 works on" in first.message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("OptimizerStep", "update-once would not hold"),
        ("ReduceGrads", "update-once would not hold"),
        ("ReduceTiedGrads", "call ReduceTiedGrads together, or hang: rank 0 has 1, rank 1 has 0"),
    ],
)
def test_what_one_rank_leaves_out_at_the_end_is_a_finding(name: str, said: str) -> None:
    assert "amiss" not in checked(training(2, 4)).facts
    report = checked(without(name, 0, 1))
    assert report.ok
    assert said in str(report.facts["amiss"])
