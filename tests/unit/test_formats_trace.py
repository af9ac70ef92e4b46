"""Event traces and what Chrome and Perfetto show of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from schedules import Group, Kind, Schedule, Timeline, WeightPolicy, build, timeline, versions
from schedules.errors import FormatError, ParameterError
from schedules.formats import columns
from schedules.formats.chrome import write_chrome
from schedules.formats.pytorch_csv import parse_csv
from schedules.formats.trace import NONE, trace_of, write_trace
from schedules.formats.trace_reader import MAX_LINE, parse_trace, read_trace

HEADER = '{"schema": "staleproof-trace/1", "unit": "ns"}'
COMMS = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0"


def event(**fields: Any) -> str:
    return json.dumps(
        {"rank": 0, "op": "F", "stage": 0, "microbatch": 0, "start": 0, "end": 1} | fields
    )


def test_written_keys_are_those_of_the_format() -> None:
    schedule = build("pipedream", 2, 2)
    header, first, *_ = write_trace(trace_of(timeline(schedule), versions(schedule))).splitlines()
    assert json.loads(header)["schema"] == "staleproof-trace/1"
    assert list(json.loads(first)) == (
        "rank op stage microbatch pipeline peer channel batch version start end".split()
    )


def test_messages_know_their_peer() -> None:
    trace = trace_of(timeline(parse_csv(COMMS, "a.csv")))
    assert trace.peer.tolist() == [NONE, 1, 1, NONE, 0, NONE, NONE, 0]
    assert trace.channel.tolist() == [NONE, 0, 0, NONE, 0, NONE, NONE, 0]
    assert (trace.version == NONE).all()


def test_versions_are_what_f_read_and_b_used() -> None:
    schedule = build("pipedream", 3, 6)
    known = versions(schedule)
    trace = trace_of(timeline(schedule), known)
    for index in range(len(schedule)):
        action = schedule.action(index)
        table = known.read if action.kind is Kind.F else known.used
        assert trace.version[index] == table[action.stage, action.microbatch]


def test_what_a_runtime_writes_is_enough() -> None:
    lines = [
        HEADER,
        event(rank=1, stage=1, start=5, end=9),
        event(),
        event(op="B", start=9, end=12),
    ]
    trace = parse_trace("\n".join(lines), "run.jsonl", policy=WeightPolicy("stash"))
    schedule = trace.schedule
    assert [[str(a) for a in schedule.rank(rank)] for rank in range(2)] == [["0F0", "0B0"], ["1F0"]]
    assert trace.timeline.start.tolist() == [0, 9, 5]
    assert (schedule.name, schedule.microbatches, schedule.policy.name) == ("run.jsonl", 1, "stash")
    assert schedule.placement.ranks == ((0, 1),)
    assert schedule.place(2) == "run.jsonl:row 2:cell 1"
    assert trace.unit == "ns"


def test_pipelines_have_weights_of_their_own_unless_said() -> None:
    text = "\n".join([HEADER, event(), event(pipeline=1, microbatch=1, rank=1)])
    assert parse_trace(text, "a.jsonl").schedule.placement.copies == ((0,), (1,))


def test_groups_are_events_started_together() -> None:
    lines = [
        HEADER,
        event(op="SEND_F", batch=7, peer=1),
        event(op="RECV_B", batch=7, peer=1),
        event(op="F", batch=2),
        event(op="B", batch=2),
        event(op="W"),
    ]
    groups = parse_trace("\n".join(lines), "a.jsonl").schedule.groups
    assert groups == (Group(0, 2, 2, "overlap"), Group(0, 0, 2, "batch"))


@pytest.mark.parametrize(
    ("lines", "place", "says"),
    [
        ([], "a.jsonl", "found no line at all"),
        ([event()], "a.jsonl:line 1", "has the key 'schema'"),
        ([HEADER.replace("/1", "/2")], "a.jsonl:line 1:schema", "'staleproof-trace/1'"),
        ([HEADER.replace("ns", "ms")], "a.jsonl:line 1:unit", "slot, ns"),
        ([HEADER[:-1] + ', "ranks": 1}', event(rank=1)], "a.jsonl:line 1:ranks", "from 2"),
        ([HEADER, event(op="FF")], "a.jsonl:line 2:op", "found the text 'FF'"),
        ([HEADER, event(rank=-1)], "a.jsonl:line 2:rank", "found -1"),
        ([HEADER, event(), event(stage="0")], "a.jsonl:line 3:stage", "found the text '0'"),
        ([HEADER, event(start=0.5)], "a.jsonl:line 2:start", "found the number 0.5"),
        ([HEADER, event(end=float("inf"))], "a.jsonl:line 2:end", "found Infinity"),
        ([HEADER, event(start=2)], "a.jsonl:line 2", "start 2 and end 1"),
        ([HEADER, event(microbatch=None)], "a.jsonl:line 2", "F without one"),
        ([HEADER, event(micro_batch=1)], "a.jsonl:line 2", "did you mean 'microbatch'?"),
        ([HEADER, event(channel=1)], "a.jsonl:line 2:channel", "found 1"),
        ([HEADER, event(extra={"t": 0.5})], "a.jsonl:line 2:extra.t", "as text"),
        ([HEADER, "[]"], "a.jsonl:line 2", "found a list of 0"),
        ([HEADER, "", event()], "a.jsonl:line 2", "blank line"),
        ([HEADER, event(), event()[:30], ""], "a.jsonl:line 3:column 31", "the file is JSON"),
        ([HEADER, event(), event()[:30]], "a.jsonl:line 3:column 31", "the last line is torn"),
        ([HEADER, HEADER.replace("ns", "slot")], "a.jsonl:line 2", "found another"),
        ([HEADER, event(batch=1), event(), event(batch=1)], "a.jsonl:line 4", "batch 1 of rank 0"),
        ([HEADER, event(stage=999_999, pipeline=999_999)], "a.jsonl", "1000000 pipelines"),
        ([HEADER, " " * MAX_LINE + "[]"], "a.jsonl:line 2", f"at most {MAX_LINE} bytes"),
    ],
)
def test_mistakes(tmp_path: Path, lines: list[str], place: str, says: str) -> None:
    text = "\n".join(lines)
    with pytest.raises(FormatError) as caught:
        parse_trace(text, "a.jsonl")
    assert caught.value.where == place
    assert says in str(caught.value)
    path = tmp_path / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as from_file:
        read_trace(path)
    assert from_file.value.what == caught.value.what
    assert from_file.value.where.removeprefix(f"{tmp_path}/") == place


def test_too_many_events_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MAX_ACTIONS", 1)
    with pytest.raises(FormatError, match=r"a\.jsonl:line 3: a file has at most 1 actions"):
        parse_trace("\n".join([HEADER, event(), event()]), "a.jsonl")


def test_file_that_is_no_utf8_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(HEADER.encode() + b'\n{"rank": "\xff"}\n')
    with pytest.raises(FormatError) as caught:
        read_trace(path)
    assert caught.value.where == f"{path}:line 2"
    with pytest.raises(FormatError, match="must be readable"):
        read_trace(tmp_path)


def test_line_ends_and_a_mark_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes("\ufeff".encode() + (HEADER + "\r\n" + event() + "\r\n\r\n").encode())
    assert len(read_trace(path).schedule) == 1


def test_header_and_arguments() -> None:
    header = HEADER[:-1] + ', "microbatches": 4, "policy": {"name": "stash"}}'
    text = "\n".join([header, event()])
    assert parse_trace(text, "a.jsonl", 4).schedule.policy.name == "stash"
    with pytest.raises(ParameterError, match="states its number of microbatches, 4"):
        parse_trace(text, "a.jsonl", 5)
    assert parse_trace("\n".join([HEADER, event()]), "a.jsonl", 5).schedule.microbatches == 5


def test_writer_refuses_what_no_reader_takes() -> None:
    schedule = build("gpipe", 1, 2)
    played = timeline(schedule)
    early = Timeline(schedule, played.start - 1, played.end)
    mixed = Schedule.from_orders(
        "a", [list(schedule.rank(0))], 2, schedule.policy, groups=[Group(0, 0, 2, "batch")]
    )
    halves = Timeline(schedule, played.start / 2, played.end / 2)  # type: ignore[arg-type]
    for wrong in (early, timeline(mixed), halves):
        with pytest.raises(FormatError):
            write_trace(trace_of(wrong))


def chrome(text: str, **settings: int) -> list[dict[str, Any]]:
    value = json.loads(write_chrome(parse_trace(text, "a.jsonl"), **settings))
    events: list[dict[str, Any]] = value["traceEvents"]
    return events


def test_chrome_shows_every_action_once_on_the_track_of_its_rank() -> None:
    schedule = parse_csv(COMMS, "a.csv")
    played = timeline(schedule, {Kind.F: 2, Kind.B: 3})
    events = json.loads(write_chrome(trace_of(played, versions(schedule)), 10))["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert tracks == {0: "rank 0", 1: "rank 0 messages", 2: "rank 1", 3: "rank 1 messages"}
    shown = [e for e in events if e["ph"] == "X"]
    assert [e["name"] for e in shown] == [
        "F 0 0 0", "SEND_F 0 0", "RECV_B 0 0", "B 0 0 0",
        "RECV_F 1 0", "F 1 0 0", "B 1 0 0", "SEND_B 1 0",
    ]  # fmt: skip
    assert [e["tid"] for e in shown] == [0, 1, 1, 0, 3, 2, 2, 3]
    assert [e["ts"] for e in shown] == (10 * played.start).tolist()
    assert [e["dur"] for e in shown] == (10 * (played.end - played.start)).tolist()
    assert shown[0]["args"] == {"stage": 0, "pipeline": 0, "microbatch": 0, "version": 0}
    assert shown[1]["args"]["peer"] == 1


def test_chrome_keeps_nanoseconds() -> None:
    text = "\n".join([HEADER, event(start=2500, end=4000, extra={"host": "a"}), event(op="U")])
    first, second = (e for e in chrome(text) if e["ph"] == "X")
    assert (first["ts"], first["dur"], first["args"]["host"]) == (2.5, 1.5, "a")
    assert second["name"] == "U 0 0"


def test_chrome_needs_a_length_of_a_slot() -> None:
    for wrong in (0, True):
        with pytest.raises(ParameterError):
            write_chrome(trace_of(timeline(build("gpipe", 1, 1))), wrong)
