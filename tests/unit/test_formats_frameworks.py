"""DeepSpeed's instruction lists and Megatron's orders: the real files, and mistakes in them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedules import Kind, Placement, Schedule, WeightPolicy, build
from schedules.actions import COMPUTE
from schedules.errors import FormatError, ParameterError
from schedules.formats.deepspeed import parse_deepspeed, read_deepspeed, write_deepspeed
from schedules.formats.instructions import INSTRUCTIONS, NO_ACTION, NO_BUFFER
from schedules.formats.megatron import parse_megatron, read_megatron, write_megatron
from schedules.formats.pytorch_csv import read_csv
from schedules.validate import validate

DATA = Path(__file__).parents[1] / "data" / "schedules"
DEEPSPEED = sorted(DATA.glob("deepspeed*.json"))
MEGATRON = sorted(DATA.glob("megatron*.json"))


def computations(schedule: Schedule) -> list[list[str]]:
    return [
        [str(action) for action in schedule.rank(rank) if action.kind in COMPUTE]
        for rank in range(schedule.ranks)
    ]


def document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("megatron", "pytorch"),
    [
        ("megatron0.16.1_p4_m8_v1.json", "torch2.13_1F1B_p4_m8.compute.csv"),
        ("megatron0.16.1_p4_m8_v2.json", "torch2.13_Interleaved1F1B_p4_m8.compute.csv"),
    ],
)
def test_megatron_orders_equal_those_of_pytorch(megatron: str, pytorch: str) -> None:
    one, other = read_megatron(DATA / megatron), read_csv(DATA / pytorch)
    for column in ("kind", "stage", "microbatch", "offsets"):
        assert np.array_equal(getattr(one, column), getattr(other, column))
    assert one.placement == other.placement
    assert one.microbatches == other.microbatches


@pytest.mark.parametrize("path", MEGATRON, ids=lambda path: path.name)
def test_megatron_file_survives(path: Path) -> None:
    schedule = read_megatron(path)
    assert validate(schedule) == []
    again, original = json.loads(write_megatron(schedule)), document(path)
    assert again.pop("source")
    assert original.pop("source")
    assert again == original


@pytest.mark.parametrize(
    ("deepspeed", "p", "M"),
    [
        ("deepspeed0.19.8_train_p2_m4.json", 2, 4),
        ("deepspeed0.19.8_train_p4_m8.json", 4, 8),
    ],
)
def test_deepspeed_computes_in_the_order_of_1f1b(deepspeed: str, p: int, M: int) -> None:
    found = read_deepspeed(DATA / deepspeed).schedule
    assert validate(found) == []
    assert computations(found) == computations(
        read_csv(DATA / f"torch2.13_1F1B_p{p}_m{M}.compute.csv")
    )


@pytest.mark.parametrize("path", DEEPSPEED, ids=lambda path: path.name)
def test_deepspeed_file_survives_with_everything_in_it(path: Path) -> None:
    found = read_deepspeed(path)
    again, original = json.loads(write_deepspeed(found)), document(path)
    assert again.pop("source")
    assert original.pop("source")
    assert again == original


@pytest.mark.parametrize("path", DEEPSPEED, ids=lambda path: path.name)
def test_every_instruction_is_an_action_or_kept_beside_them(path: Path) -> None:
    found = read_deepspeed(path)
    names = [name for rank in document(path)["ranks"] for step in rank["steps"] for name, _ in step]
    assert [INSTRUCTIONS[code] for code in found.code] == names
    kept = {INSTRUCTIONS[code] for code in found.code[found.action == NO_ACTION]}
    assert kept == {"LoadMicroBatch", "ReduceTiedGrads"}
    actions = found.action[found.action != NO_ACTION]
    assert actions.tolist() == list(range(len(found.schedule)))
    assert [str(found.schedule.action(i)) for i in actions[-2:]] == [
        f"{found.schedule.stages - 1}REDUCE",
        f"{found.schedule.stages - 1}U",
    ]


def test_a_buffer_belongs_to_one_microbatch_from_its_forward_to_its_backward() -> None:
    found = read_deepspeed(DATA / "deepspeed0.19.8_train_p4_m8.json")
    schedule, buffers = found.schedule, found.buffers
    assert found.pipe_buffers == (4, 3, 2, 2)
    for stage, count in enumerate(found.pipe_buffers):
        for kind in (Kind.F, Kind.B):
            chosen = (schedule.stage == stage) & (schedule.kind == kind)
            assert (buffers[chosen] == schedule.microbatch[chosen] % count).all()
    whole_stage = np.isin(schedule.kind, (Kind.REDUCE, Kind.U))
    assert ((buffers == NO_BUFFER) == whole_stage).all()


def test_a_buffer_reused_too_early_shows_as_a_wrong_schedule() -> None:
    value = document(DATA / "deepspeed0.19.8_train_p4_m8.json")
    for step in value["ranks"][1]["steps"]:
        for _, arguments in step:
            if arguments:
                arguments["buffer_id"] %= 2
    schedule = parse_deepspeed(json.dumps(value), "a.json").schedule
    messages = [violation.message for violation in validate(schedule)]
    assert any("stage 1" in message for message in messages)


DEEPSPEED_MISTAKES: list[tuple[Callable[[Any], object], str, str]] = [
    (lambda v: v["ranks"][0]["steps"][1][0].__setitem__(0, "SendActivations"),
     "ranks[0].steps[1][0][0]", "did you mean 'SendActivation'?"),
    (lambda v: v["ranks"][1]["steps"][1].pop(0), "ranks[1].steps[1][1]", "RecvActivation"),
    (lambda v: v["ranks"][0]["steps"][0][0][1].update(buffer_id=2),
     "ranks[0].steps[0][0][1].buffer_id", "0 to 1"),
    (lambda v: v["ranks"][0]["steps"][0][0][1].clear(), "ranks[0].steps[0][0][1]", "buffer_id"),
    (lambda v: v["ranks"][0]["steps"][-1][-1][1].update(buffer_id=1),
     "ranks[0].steps[9][4][1]", "drop it"),
    (lambda v: v["ranks"].pop(), "stages", "that of the ranks, 1"),
    (lambda v: v["ranks"].reverse(), "ranks[0].stage_id", "sort the ranks"),
    (lambda v: v.update(micro_batches=0), "micro_batches", "1 to 1000000"),
    (lambda v: v.update(micro_batchs=v.pop("micro_batches")), "", "'micro_batches'"),
    (lambda v: v["ranks"][0].update(num_pipe_buffers=True), "ranks[0].num_pipe_buffers", "true"),
    (lambda v: v["ranks"][0]["steps"][0][0].append(0), "ranks[0].steps[0][0]", "ForwardPass"),
]  # fmt: skip


@pytest.mark.parametrize(("break_it", "place", "says"), DEEPSPEED_MISTAKES)
def test_deepspeed_mistakes(break_it: Callable[[Any], object], place: str, says: str) -> None:
    value = document(DATA / "deepspeed0.19.8_train_p2_m4.json")
    break_it(value)
    with pytest.raises(FormatError) as caught:
        parse_deepspeed(json.dumps(value), "a.json")
    assert caught.value.where == (f"a.json:{place}" if place else "a.json")
    assert says in str(caught.value)


MEGATRON_MISTAKES: list[tuple[Callable[[Any], object], str, str]] = [
    (lambda v: v["order"]["0"].__setitem__(3, "0F3junk"), "order.'0'[3]", "'0F3junk'"),
    (lambda v: v["order"]["0"].__setitem__(3, "0FOO"), "order.'0'[3]", "'0FOO'"),
    (lambda v: v["order"]["1"].__setitem__(0, "2F0"), "order.'1'[0]", "rank 1 of 4"),
    (lambda v: v["order"]["1"].__setitem__(0, "9F0"), "order.'1'[0]", "below 8"),
    (lambda v: v["order"].pop("2"), "order", "none of rank 2"),
    (lambda v: v["order"].update({"4": []}), "order.'4'", "0 to 3"),
    (lambda v: v["order"].update({"00": []}), "order.'00'", "0 to 3"),
    (lambda v: v["schedule_table"].pop(), "schedule_table", "15 entries"),
    (lambda v: v["schedule_table"][0].append(1), "schedule_table[0]", "[0, 1]"),
    (lambda v: v["schedule_table"][0].__setitem__(1, 2), "schedule_table[0][1]", "0 to 1"),
    (lambda v: v["schedule_table"].reverse(), "order['0'][0]", "number 1 is 4F7, found 0F0"),
    (lambda v: v["order"]["3"].remove("7F7"), "schedule_table", "number 16 is 7F7, found none"),
    (lambda v: v["order"]["3"].append("7F7"), "order['3'][32]", "no further forward, found 7F7"),
    (lambda v: v.update(chunks=100), "chunks", "fewer actions"),
    (lambda v: v.update(chunks=1.5), "chunks", "found the number 1.5"),
    (lambda v: v.update(ranks="4"), "ranks", "found the text '4'"),
]  # fmt: skip


@pytest.mark.parametrize(("break_it", "place", "says"), MEGATRON_MISTAKES)
def test_megatron_mistakes(break_it: Callable[[Any], object], place: str, says: str) -> None:
    value = document(DATA / "megatron0.16.1_p4_m8_v2.json")
    break_it(value)
    with pytest.raises(FormatError) as caught:
        parse_megatron(json.dumps(value), "a.json")
    assert caught.value.where == f"a.json:{place}"
    assert says in str(caught.value)


def test_a_wrong_order_without_a_table_is_read_and_found_wrong() -> None:
    value = document(DATA / "megatron0.16.1_p4_m8_v1.json")
    del value["schedule_table"]
    value["order"]["3"].remove("3B7")
    assert validate(parse_megatron(json.dumps(value), "a.json"))


@pytest.mark.parametrize("read", [read_megatron, read_deepspeed])
def test_microbatches_asked_for_are_those_of_the_file(read: Callable[..., object]) -> None:
    path = MEGATRON[0] if read is read_megatron else DEEPSPEED[1]
    read(path, 8)
    with pytest.raises(ParameterError, match="states its number of microbatches, 8; found 7"):
        read(path, 7)


def test_policy_is_an_argument() -> None:
    assert read_megatron(MEGATRON[0]).policy.name == "flush"
    assert read_megatron(MEGATRON[0], policy=WeightPolicy("stash")).policy.name == "stash"
    assert (
        read_deepspeed(DEEPSPEED[0], policy=WeightPolicy("stash")).schedule.policy.name == "stash"
    )


def test_megatron_writer_refuses_what_it_cannot_say() -> None:
    split = read_csv(DATA / "torch2.13_ZBVZeroBubble_p2_m4.compute.csv")
    with pytest.raises(FormatError, match="holds F and B"):
        write_megatron(split)
    with pytest.raises(FormatError, match="one pipeline"):
        write_megatron(build("localsgd", 2, 1, replicas=2))
    on_the_wrong_rank = Schedule.from_orders(
        "a", [list(build("gpipe", 2, 1).rank(0)), []], 1, WeightPolicy("flush"),
        placement=Placement.from_ranks((1, 0)),
    )  # fmt: skip
    with pytest.raises(FormatError, match="s mod p"):
        write_megatron(on_the_wrong_rank)


def test_megatron_table_is_left_out_where_ranks_differ() -> None:
    one = build("gpipe", 2, 2)
    orders = [list(one.rank(0)), [*list(one.rank(1))[1::-1], *list(one.rank(1))[2:]]]
    other = Schedule.from_orders("a", orders, 2, WeightPolicy("flush"))
    assert "schedule_table" in json.loads(write_megatron(one))
    assert "schedule_table" not in json.loads(write_megatron(other))
