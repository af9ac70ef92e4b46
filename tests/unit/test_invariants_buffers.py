"""Buffer-safe: which overwritten buffers are found, and that DeepSpeed's are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schedules.errors import FormatError
from schedules.formats.deepspeed import parse_deepspeed
from schedules.formats.instructions import InstructionList
from schedules.invariants.run import Run
from schedules.invariants.slots import decide_buffer_safe
from schedules.validation.violation import Arrow, Violation

DATA = Path(__file__).parents[1] / "data" / "schedules"
SAMPLES = sorted(DATA.glob("deepspeed*.json"))
LETTERS = {
    "L": "LoadMicroBatch", "F": "ForwardPass", "B": "BackwardPass", "S": "SendActivation",
    "R": "RecvActivation", "s": "SendGrad", "r": "RecvGrad",
}  # fmt: skip


def instructions(*ranks: str, buffers: int = 2, microbatches: int = 4) -> InstructionList:
    """Ranks as text: ``L0 F0 | S0`` is LoadMicroBatch and ForwardPass, then a step that sends."""
    document = {
        "micro_batches": microbatches,
        "stages": len(ranks),
        "ranks": [
            {
                "stage_id": stage,
                "num_pipe_buffers": buffers,
                "steps": [
                    [[LETTERS[word[0]], {"buffer_id": int(word[1:])}] for word in step.split()]
                    for step in text.split("|")
                ],
            }
            for stage, text in enumerate(ranks)
        ],
    }
    return parse_deepspeed(json.dumps(document), "a.json")


def violations(found: InstructionList) -> list[Violation]:
    answer = decide_buffer_safe(Run(found.schedule, found), 0)
    assert isinstance(answer, list)
    assert all(violation.invariant == "buffer-safe" for violation in answer)
    return answer


FIRST = "L0 F0 S0 L1 F1 S1 r0 B0 r1 B1"
LAST = "R0 L0 F0 B0 s0 R1 L1 F1 B1 s1"


def of_first(text: str) -> list[Violation]:
    return violations(instructions(text, LAST))


def of_last(text: str) -> list[Violation]:
    return violations(instructions(FIRST, text))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_deepspeed_is_safe(path: Path) -> None:
    found = parse_deepspeed(path.read_text(encoding="utf-8"), path.name)
    assert len(SAMPLES) == 2
    assert violations(found) == []


def test_buffers_may_be_reused_when_done() -> None:
    assert of_first("L0 F0 S0 r0 B0 L0 F0 S0 r0 B0") == []
    assert of_last("R0 L0 F0 B0 s0 R0 L0 F0 B0 s0") == []
    assert violations(instructions("L0 F0 B0 L0 F0 B0")) == []


@pytest.mark.parametrize(
    ("text", "place", "needed"),
    [
        ("L0 F0 L0", "ranks[0]:instruction 3", ["output", "activation"]),
        ("L0 L0 F0", "ranks[0]:instruction 2", ["input"]),
        ("L0 F0 S0 L0 F0", "ranks[0]:instruction 4", ["activation"]),
        ("L0 F0 S0 r0 L0 F0", "ranks[0]:instruction 5", ["activation", "received gradient"]),
        ("L0 F0 r0 B0 L0 F0", "ranks[0]:instruction 5", ["output"]),
        ("L0 F0 F0", "ranks[0]:instruction 3", ["output", "activation"]),
        ("L0 F0 S0 F0", "ranks[0]:instruction 4", ["activation"]),
        ("L0 F0 S0 r0 r0 B0", "ranks[0]:instruction 5", ["received gradient"]),
    ],
)
def test_overwritten_at_the_first_stage(text: str, place: str, needed: list[str]) -> None:
    [violation] = of_first(text)
    assert violation.place == f"a.json:{place}"
    assert violation.witness["needed"] == needed
    assert violation.witness["buffer"] == 0


@pytest.mark.parametrize(
    ("text", "place", "needed"),
    [
        ("R0 L0 F0 R0", "ranks[1]:instruction 4", ["activation"]),
        ("R0 L0 F0 B0 R0", "ranks[1]:instruction 5", ["gradient"]),
        ("R0 R0", "ranks[1]:instruction 2", ["input"]),
        ("R0 L0 F0 B0 B0", "ranks[1]:instruction 5", ["gradient"]),
        ("R0 L0 R1 L0 F1 F0", "ranks[1]:instruction 4", ["labels"]),
    ],
)
def test_overwritten_at_the_last_stage(text: str, place: str, needed: list[str]) -> None:
    violation = of_last(text)[0]
    assert violation.place == f"a.json:{place}"
    assert violation.witness["needed"] == needed


@pytest.mark.parametrize("backwards", ["B0 B1", "B1 B0", "B1", ""])
def test_a_rank_keeps_one_received_gradient(backwards: str) -> None:
    [violation] = of_first(f"L0 F0 S0 L1 F1 S1 r0 r1 {backwards}")
    assert violation.place == "a.json:ranks[0]:instruction 8"
    assert violation.witness["received"] == "a.json:ranks[0]:instruction 7"
    assert (violation.witness["buffer"], violation.witness["microbatch"]) == (1, 0)
    assert [arrow.label for arrow in violation.marks.arrows] == ["overwrites the gradient of"]
    assert "RecvGrad of buffer 1 comes before a BackwardPass has used that of" in violation.message


def test_each_rank_keeps_a_gradient_of_its_own() -> None:
    middle = "R0 L0 F0 S0 R1 L1 F1 S1 r0 B0 s0 r1 B1 s1"
    assert violations(instructions(FIRST, middle, LAST)) == []
    wrong = violations(
        instructions(FIRST, middle.replace("r0 B0 s0 r1 B1", "r0 r1 B0 s0 B1"), LAST)
    )
    assert [found.witness["rank"] for found in wrong] == [1]
    assert violations(instructions("L0 F0 S0 r0", "R0 L0 F0 S0 r0 B0 s0", LAST)) == []


def test_a_backward_of_another_buffer_does_not_use_the_gradient() -> None:
    first, second = of_first("L0 F0 S0 L1 F1 S1 r0 B1 r1 B0")
    assert "no RecvGrad has come for what BackwardPass of buffer 1 works on" in first.message
    assert "BackwardPass has used that of RecvGrad of buffer 0" in second.message


@pytest.mark.parametrize("text", ["R0 F0", "R0 L1 F0 R1 F1", "R0 L0 F0 B0 s0 R0 F0"])
def test_forward_without_labels(text: str) -> None:
    violation = of_last(text)[0]
    assert "labels in the buffer of its input" in violation.message
    assert violation.witness["instruction"] == "ForwardPass"


def test_buffer_without_labels_has_none_of_another_one() -> None:
    [violation] = of_last("R0 L0 F0 B0 s0 R1 F1 B1 s1")
    assert "no LoadMicroBatch" in violation.message


def test_labels_of_another_microbatch() -> None:
    first, second = of_last("R0 R1 L1 L0 F0 B0 s0 F1 B1 s1")
    assert first.place == "a.json:ranks[1]:instruction 5"
    assert (first.witness["microbatch"], first.witness["labels"]) == (0, 1)
    assert first.witness["brought"] == "a.json:ranks[1]:instruction 4"
    assert (second.witness["microbatch"], second.witness["labels"]) == (1, 0)
    assert "the labels there are those of microbatch 1" in first.message
    assert of_last("R0 R1 L0 L1 F0 B0 s0 F1 B1 s1") == []
    assert of_last("R0 R1 L0 L1 F1 B1 s1 F0 B0 s0") == []


def test_labels_may_come_before_their_input() -> None:
    assert of_last("L0 R0 F0 B0 s0 L1 R1 F1 B1 s1") == []


def test_only_the_last_stage_has_labels() -> None:
    middle = "R0 L0 F0 S0 r0 B0 s0 L1 L1 R0 F0 S0 r0 B0 s0"
    assert violations(instructions(FIRST, middle, LAST)) == []


def test_what_is_said() -> None:
    [violation] = of_first("L0 F0 | S0 L1 F1 | r0 L0 F0")
    assert violation.message == (
        "a.json:ranks[0]:instruction 7: a buffer is overwritten only when its content has been "
        "used, but LoadMicroBatch of buffer 0 overwrites microbatch 0, brought by LoadMicroBatch "
        "of buffer 0 (a.json:ranks[0]:instruction 1), of which are needed the activation (until "
        "BackwardPass) and the received gradient (until BackwardPass); add the missing "
        "BackwardPass, of which rank 0 has 0 for 3, before it"
    )
    assert violation.witness == {
        "rank": 0,
        "buffer": 0,
        "instruction": "LoadMicroBatch",
        "step": 2,
        "microbatch": 0,
        "brought": "a.json:ranks[0]:instruction 1",
        "needed": ["activation", "received gradient"],
        "until": ["BackwardPass", "BackwardPass"],
    }


def test_microbatches_are_counted_by_rank() -> None:
    [violation] = of_last("R0 L0 F0 B0 s0 R1 L1 F1 B1 R1")
    assert violation.witness["microbatch"] == 1
    assert violation.witness["brought"] == "a.json:ranks[1]:instruction 6"


def test_marks_are_the_writer_and_what_it_overwrites() -> None:
    found = instructions(FIRST, "R0 L0 F0 R0 L0 F0")
    violation = violations(found)[0]
    writer, victim = violation.marks.actions
    assert [str(found.schedule.action(index)) for index in (writer, victim)] == ["1RECV_F1", "1F0"]
    assert violation.marks.arrows == (Arrow(writer, victim, "overwrites buffer 0"),)
    assert [
        str(instructions("L0 F0 L0", LAST).schedule.action(index))
        for index in of_first("L0 F0 L0")[0].marks.actions
    ] == ["0F0"]


# Changes to DeepSpeed's own lists


def remapped(path: Path, stage: int, buffers: int) -> str:
    """The sample with fewer buffers at a stage, ids folded into what is left."""
    document = json.loads(path.read_text(encoding="utf-8"))
    rank = document["ranks"][stage]
    rank["num_pipe_buffers"] = buffers
    for _, arguments in (instruction for step in rank["steps"] for instruction in step):
        if "buffer_id" in arguments:
            arguments["buffer_id"] %= buffers
    return json.dumps(document)


SHRUNK = [
    (path, stage, buffers)
    for path in SAMPLES
    for stage, rank in enumerate(json.loads(path.read_text(encoding="utf-8"))["ranks"])
    for buffers in range(1, rank["num_pipe_buffers"])
]


@pytest.mark.parametrize(
    ("path", "stage", "buffers"), SHRUNK, ids=lambda value: getattr(value, "name", str(value))
)
def test_fewer_buffers(path: Path, stage: int, buffers: int) -> None:
    found = parse_deepspeed(remapped(path, stage, buffers), path.name)
    stages = len(found.pipe_buffers)
    # The last stage, and no other, has one microbatch at a time.
    expected = stage == stages - 1
    assert (violations(found) == []) is expected
    assert {violation.witness["rank"] for violation in violations(found)} <= {stage}


def test_ids_beyond_the_number_of_buffers_are_refused() -> None:
    document = json.loads(SAMPLES[0].read_text(encoding="utf-8"))
    document["ranks"][0]["num_pipe_buffers"] = 1
    with pytest.raises(FormatError):
        parse_deepspeed(json.dumps(document), "a.json")
