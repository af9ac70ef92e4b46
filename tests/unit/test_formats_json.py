"""Our JSON schedule, strict JSON, and the published schemas."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from schedules import Action, Group, Kind, Placement, Schedule, WeightPolicy, build
from schedules.errors import FormatError, ParameterError, UnknownNameError
from schedules.formats import (
    FORMATS,
    Document,
    columns,
    format_of_name,
    get_format,
    published_schema,
    read_document,
    sniff,
)
from schedules.formats.piped import MAX_BYTES
from schedules.formats.schedule_json import ACTION_PATTERN, parse_json, read_json, write_json
from schedules.formats.strict_json import MAX_CONTAINERS, parse
from schedules.formats.trace_reader import parse_trace
from schedules.policies import PolicyName
from tests.json_schema import conforms

DATA = Path(__file__).parents[1] / "data" / "schedules"
TEXT = write_json(build("gpipe", 2, 2))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1', "line 1:column 8: the file is JSON, but here: Expecting ',' delimiter"),
        ('{"a": 1}\n}', "line 2:column 1: the file is JSON, but here: Extra data"),
        ("", "line 1:column 1: the file is JSON, but here: Expecting value"),
        ("[" * 100_000, "found hundreds"),
        ('{"a":' * 100_000, "found hundreds"),
        ("[" * (MAX_CONTAINERS + 1), f"at most {MAX_CONTAINERS} lists and objects"),
        ('{"' + ":" * (MAX_CONTAINERS + 1), "and as many keys, found more"),
    ],
)
def test_what_is_no_json(text: str, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)):
        parse(text, "a.json")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("1e400", "the number inf"),
        ("2.0", "the number 2.0"),
        ("9" * 5000, "a number of 5000 digits"),
        ("-" + "9" * 19, "-9999999999999999999"),
        ("true", "true"),
        ("null", "null"),
        ('"4"', "the text '4'"),
        ("[4]", "a list of 1"),
        ('{"M": 4}', "an object of 1"),
        ('{"M": 4, "M": 5}', "an object that has the key 'M' twice"),
    ],
)
def test_what_is_no_number(value: str, found: str) -> None:
    text = TEXT.replace('"microbatches": 2', f'"microbatches": {value}')
    with pytest.raises(FormatError) as caught:
        parse_json(text, "a.json")
    assert caught.value.where == "a.json:microbatches"
    assert caught.value.what == f"a whole number from 0 to 1000000 stands here, found {found}"


def test_a_key_given_twice_is_refused_at_the_top_too() -> None:
    text = TEXT.replace('"microbatches": 2', '"microbatches": 2, "microbatches": 3')
    with pytest.raises(FormatError, match="the key 'microbatches' twice; drop one of them"):
        parse_json(text, "a.json")


def test_another_version_is_named_before_its_keys() -> None:
    """It may lack a key that this one has, and adding that would help nobody."""
    text = '{"schema": "staleproof-schedule/2", "orders": []}'
    with pytest.raises(FormatError, match="this version reads 'staleproof-schedule/1', found"):
        parse_json(text, "a.json")
    with pytest.raises(FormatError, match="this version reads 'staleproof-trace/1', found"):
        parse_trace('{"schema": "staleproof-trace/2", "clock": "ns"}\n', "a.jsonl")


MISTAKES: list[tuple[Callable[[Any], object], str, str]] = [
    (lambda v: v.update(schema="staleproof-schedule/2"), "schema", "'staleproof-schedule/1'"),
    (lambda v: v.update(microbatch=1), "", "did you mean 'microbatches'?"),
    (lambda v: v.pop("policy"), "", "'policy'"),
    (lambda v: v["policy"].update(name="stach"), "policy.name", "one of stash, latest"),
    (lambda v: v["policy"].update(horizon=1), "policy", "only 'predict'"),
    (lambda v: v["policy"].update(interval=0), "policy.interval", "from 1"),
    (lambda v: v["ranks"][1].__setitem__(2, "1F0junk"), "ranks[1][2]", "'1F0junk'"),
    (lambda v: v["ranks"][1].__setitem__(2, "1F"), "ranks[1][2]", "'1F'"),
    (lambda v: v["ranks"][1].__setitem__(2, "1f0"), "ranks[1][2]", "'1f0'"),
    (lambda v: v["ranks"][1].__setitem__(2, "1F0@"), "ranks[1][2]", "'1F0@'"),
    (lambda v: v["ranks"][1].__setitem__(2, "1F1000000"), "ranks[1][2]", "below 1000000"),
    (lambda v: v["ranks"][1].__setitem__(2, "1F٣"), "ranks[1][2]", "1F"),
    (lambda v: v["ranks"][1].__setitem__(2, 7), "ranks[1][2]", "found 7"),
    (lambda v: v["ranks"][1].__setitem__(2, "2F0"), "ranks[1][2]", "2F0 of pipeline 0"),
    (lambda v: v["ranks"][1].__setitem__(2, "1F0@1"), "ranks[1][2]", "pipeline 1"),
    (lambda v: v["placement"].update(copies=[[0]]), "placement", "rows of 2 and of 1"),
    (lambda v: v["placement"].update(ranks=[], copies=[]), "placement", "found rows of nothing"),
    (lambda v: v["placement"].update(owners=[0]), "placement.owners", "has an owner, found 1"),
    (lambda v: v["placement"].update(owners=[0, 1]), "placement.owners", "copies [0], found 1"),
    (lambda v: v["placement"]["ranks"][0].__setitem__(0, -1), "placement.ranks[0][0]", "0 to"),
    (lambda v: v.update(name="\ud800"), "name", "whole characters stands here, found the text"),
    (lambda v: v["parameters"].update(noam=1.5), "parameters.noam", "the number 1.5"),
    (lambda v: v.update(groups=[{"rank": 0, "first": 3, "count": 2, "kind": "batch"}]),
     "groups", "2 actions from position 3 of rank 0"),
    (lambda v: v.update(groups=[{"rank": 2, "first": 0, "count": 1, "kind": "batch"}]),
     "groups", "rank 2"),
    (lambda v: v.update(groups=[{"rank": 0, "first": 0, "count": 1, "kind": "pair"}]),
     "groups", "'pair'"),
    (lambda v: v.update(groups=[{"rank": 0, "first": i, "count": 2, "kind": "batch"}
                                for i in (0, 1)]),
     "groups", "two groups at position 1"),
    (lambda v: v.update(microbatches=10**6, placement={"ranks": [[0] * 9], "copies": [[0] * 9]}),
     "", "9 stages × 1000000 microbatches"),
]  # fmt: skip


@pytest.mark.parametrize(("break_it", "place", "says"), MISTAKES)
def test_mistakes(break_it: Callable[[Any], object], place: str, says: str) -> None:
    value = json.loads(TEXT)
    break_it(value)
    with pytest.raises(FormatError) as caught:
        parse_json(json.dumps(value), "a.json")
    assert caught.value.where == (f"a.json:{place}" if place else "a.json")
    assert says in str(caught.value)


def test_what_may_be_left_out() -> None:
    value = json.loads(TEXT)
    for key in ("name", "parameters", "groups"):
        del value[key]
    del value["policy"]["interval"]
    schedule = parse_json(json.dumps(value), "a.json")
    assert (schedule.name, schedule.policy, schedule.groups) == (
        "a.json",
        WeightPolicy("flush"),
        (),
    )


def test_policy_replaces_and_microbatches_must_agree() -> None:
    assert parse_json(TEXT, "a.json", 2, WeightPolicy("stash")).policy.name == "stash"
    with pytest.raises(ParameterError, match="states its number of microbatches, 2; found 3"):
        parse_json(TEXT, "a.json", 3)


def one(action: Action, **settings: Any) -> Schedule:
    placement = settings.pop("placement", Placement.one_stage_a_rank(1))
    policy = WeightPolicy("flush")
    return Schedule.from_orders("a", [[action]], 1, policy, placement=placement, **settings)


@pytest.mark.parametrize(
    "schedule",
    [
        one(Action(Kind.F, -1, 0)),
        one(Action(Kind.F, 0)),
        one(Action(Kind.U, 0, -2)),
        one(Action(Kind.F, 0, 10**6)),
        one(Action(Kind.F, 0, 0, 1)),
        one(Action(Kind.F, 1, 0)),
        one(Action(Kind.F, 0, 0), placement=Placement((), ())),
        one(Action(Kind.F, 0, 0), placement=Placement(((0,),), ((0, 0),))),
        one(Action(Kind.F, 0, 0), parameters={"noam": 2**53}),
        one(Action(Kind.F, 0, 0), groups=[Group(0, 0, 2, "batch")]),
    ],
)
def test_writer_refuses_what_no_reader_takes(schedule: Schedule) -> None:
    with pytest.raises(FormatError):
        write_json(schedule)


def test_name_of_a_file_is_not_kept() -> None:
    read = parse_json(TEXT, "a.json")
    assert parse_json(write_json(read), "b.json").name == "gpipe"
    csv = read_document(DATA / "torch2.13_1F1B_p2_m4.compute.csv").schedule
    assert parse_json(write_json(csv), "b.json").name == "b.json"


def test_too_many_actions_are_refused_before_they_take_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "MAX_ACTIONS", 7)
    with pytest.raises(FormatError, match=r"a.json:ranks\[1\]: a file has at most 7 actions"):
        parse_json(TEXT, "a.json")


def test_too_large_a_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(FormatError, match=f"at most {MAX_BYTES} bytes"):
        read_json(path)


@pytest.mark.parametrize("identifier", ["staleproof-schedule/1", "staleproof-trace/1"])
def test_published_schema_is_whole(identifier: str) -> None:
    schema = published_schema(identifier)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    conforms({}, schema)  # no keyword is unknown to the checker
    text = json.dumps(schema)
    for name in re.findall(r'"#/\$defs/(\w+)"', text):
        assert name in schema["$defs"]
    assert schema["$defs"]["policy"]["properties"]["name"]["enum"] == list(get_args(PolicyName))


def test_schemas_name_what_the_readers_take() -> None:
    schedule = published_schema("staleproof-schedule/1")
    assert schedule["properties"]["ranks"]["items"]["items"]["pattern"] == ACTION_PATTERN
    event = published_schema("staleproof-trace/1")["$defs"]["event"]["properties"]
    assert set(event["op"]["enum"]) == {kind.name for kind in Kind}
    assert [*event][:-1] == (
        "rank op stage microbatch pipeline peer channel batch version start end".split()
    )


def test_no_other_schema() -> None:
    with pytest.raises(UnknownNameError, match="staleproof-trace/1"):
        published_schema("staleproof-trace/2")


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a", TEXT, "json"),
        ("a.csv", TEXT, "json"),
        ("a.json", "0F0,0B0\n", "json"),
        ("a.txt", "0F0,0B0\n", "csv"),
        ("a.jsonl", "", "trace"),
        ("a.txt", '\ufeff\n{"schema": "staleproof-trace/1"}', "trace"),
        ("a.txt", '{"micro_batches": 4}', "deepspeed"),
        ("a.txt", '{"order": {}}', "megatron"),
        ("a.json", '{"traceEvents": []}', "chrome"),
        ("a.json", '{"name": "\\"order\\": ", "schema": "staleproof-schedule/1"}', "json"),
        ("a.json", "{}", "json"),
    ],
)
def test_sniffing(tmp_path: Path, name: str, content: str, format: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert sniff(path).name == format


def test_sniffing_real_files() -> None:
    for path in DATA.iterdir():
        first = path.name.partition("0")[0]
        if path.suffix != ".md":
            assert sniff(path).name == ("csv" if path.suffix == ".csv" else first)
            assert len(read_document(path).schedule)


def test_sniffing_needs_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match="none of json, trace, csv"):
        sniff(path)
    with pytest.raises(FormatError, match="No such file"):
        sniff(tmp_path / "b")


def test_formats_by_name() -> None:
    assert format_of_name("run/a.trace.json") is FORMATS["chrome"]
    assert format_of_name("csv") is None
    with pytest.raises(UnknownNameError, match="did you mean 'json'"):
        get_format("jsn")


def test_written_only_and_buffers_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.trace.json"
    document = Document(build("gpipe", 2, 2))
    path.write_text(FORMATS["chrome"].write(document), encoding="utf-8")
    with pytest.raises(FormatError, match="only written"):
        read_document(path)
    with pytest.raises(FormatError, match="which buffer"):
        FORMATS["deepspeed"].write(document)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_what_a_format_keeps_has_a_name(name: str) -> None:
    schedule = read_document(DATA / "torch2.13_DualPipeV_p2_m4.compute.csv").schedule
    some = Document(schedule).holds + read_document(DATA / "deepspeed0.19.8_train_p2_m4.json").holds
    some += Document(build("chimera", 2, 4)).holds
    known = {*some, "name", "parameters", "times", "versions, peers and channels"}
    assert FORMATS[name].keeps <= known
