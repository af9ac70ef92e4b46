"""Whatever the file: what it says, all of it, or a `FormatError` that says where it is wrong."""

import copy
import dataclasses
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import build, timeline, versions
from schedules.errors import FormatError, ScheduleError
from schedules.formats import FORMATS, Document, published_schema, read_document
from schedules.formats.deepspeed import parse_deepspeed, write_deepspeed
from schedules.formats.megatron import parse_megatron
from schedules.formats.schedule_json import parse_json
from schedules.formats.trace import trace_of, write_trace
from schedules.formats.trace_reader import parse_trace
from schedules.validate import facts, validate
from tests.json_schema import conforms

DATA = Path(__file__).parents[1] / "data" / "schedules"
SCHEDULE_SCHEMA = published_schema("staleproof-schedule/1")
TRACE_SCHEMA = published_schema("staleproof-trace/1")


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def traced(family: str) -> str:
    schedule = build(family, 2, 4)
    return write_trace(trace_of(timeline(schedule), versions(schedule)))


READERS: dict[str, Callable[[str, str], Document]] = {
    "json": lambda text, name: Document(parse_json(text, name)),
    "trace": lambda text, name: _trace(text, name),
    "deepspeed": lambda text, name: _deepspeed(text, name),
    "megatron": lambda text, name: Document(parse_megatron(text, name)),
}


def _trace(text: str, name: str) -> Document:
    trace = parse_trace(text, name)
    return Document(trace.schedule, trace=trace)


def _deepspeed(text: str, name: str) -> Document:
    found = parse_deepspeed(text, name)
    return Document(found.schedule, instructions=found)


REAL = [
    ("json", FORMATS["json"].write(Document(build("localsgd", 2, 4)))),
    ("json", FORMATS["json"].write(read_document(DATA / "torch2.13_DualPipeV_p2_m4.compute.csv"))),
    ("trace", traced("pipedream")),
    ("trace", traced("localsgd")),
    ("deepspeed", text_of("deepspeed0.19.8_train_p2_m4.json")),
    ("megatron", text_of("megatron0.16.1_p4_m8_v1.json")),
    ("megatron", text_of("megatron0.16.1_p4_m8_v2.json")),
]
DOCUMENTS = [(kind, json.loads(text)) for kind, text in REAL if kind != "trace"]

WORDS = st.sampled_from(
    "0F0 1B3 0F0@1 0U 9F9 ForwardPass BackwardPass RecvActivation OptimizerStep flush stash "
    "predict overlap schema ranks order buffer_id 0 1 F B SEND_F".split()
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.sampled_from([10**6, 999_999, 2**53, 2**63, 10**18])
    | st.floats()
    | st.text(max_size=5)
    | WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
SCRAPS = st.text(max_size=3) | st.sampled_from(
    [
        *('"', "{", "}", "[", "]", ",", ":", "null", "0F0", "\n", "\x00", "\ud800", "٣"),
        *("NaN", "-Infinity", "1e999", "9" * 5000, "[" * 2000, '"rank": 1', '"steps": []'),
    ]
)


def read(kind: str, text: str) -> Document | None:
    """What a text holds, or None if it says where it is wrong; all else fails the test."""
    try:
        return READERS[kind](text, "a.file")
    except FormatError as error:
        explains(error, "a.file")
        return None


def explains(error: FormatError, file: str) -> None:
    """An error of one line has a place in the file, what is wrong there and what would be right."""
    assert error.where.startswith(file)
    assert error.what
    assert error.fix
    assert "\n" not in str(error)


def usable(document: Document) -> None:
    """Whatever was read can be validated, and written as JSON."""
    schedule = document.schedule
    assert all(schedule.place(index).startswith("a.file") for index in range(len(schedule)))
    try:
        violations = validate(schedule)
        json.dumps([dataclasses.asdict(violation) for violation in violations])
        if not violations:
            facts(schedule)
    except ScheduleError:
        pass  # a validator may refuse a size
    FORMATS["json"].write(document)


def said(kind: str, value: Any) -> int:
    """How many actions a document holds."""
    if kind == "json":
        return sum(len(order) for order in value["ranks"])
    if kind == "megatron":
        return sum(len(order) for order in value["order"].values())
    return sum(len(step) for rank in value["ranks"] for step in rank["steps"])


def nothing_dropped(kind: str, document: Document, value: Any) -> None:
    if document.instructions is not None:
        assert len(document.instructions.code) == said(kind, value)
        again = json.loads(write_deepspeed(document.instructions))
        assert again["ranks"] == value["ranks"]
        assert again["micro_batches"] == value["micro_batches"]
    else:
        assert len(document.schedule) == said(kind, value)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a document with each of its keys."""
    found: list[tuple[Any, Any]] = []
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        found.append((value, key))
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


@given(
    st.sampled_from(DOCUMENTS),
    VALUES,
    st.sampled_from("replace delete copy swap".split()),
    st.data(),
)
def test_one_value_of_a_real_document_changed(
    real: tuple[str, Any], new: object, how: str, data: st.DataObject
) -> None:
    kind, value = real[0], copy.deepcopy(real[1])
    container, key = data.draw(st.sampled_from(places(value)))
    if how == "delete":
        del container[key]
    elif how == "copy" and isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    elif how == "swap" and isinstance(container, list):
        container[key], container[0] = container[0], container[key]
    else:
        container[key] = new
    check(kind, value)


@given(st.sampled_from(["json", "deepspeed", "megatron"]), VALUES)
def test_any_document(kind: str, value: object) -> None:
    check(kind, value)


def check(kind: str, value: Any) -> None:
    document = read(kind, json.dumps(value))
    if kind == "json":
        agrees(conforms(value, SCHEDULE_SCHEMA), document is not None, value)
    if document is not None:
        nothing_dropped(kind, document, value)
        usable(document)


BEYOND_THE_SCHEMA = (
    "the placement has",
    "ranks and copies have a row",
    "a group lies within",
    "an action is in at most one group",
    "only 'predict' looks ahead",
    "pairs has at least one action",
    "(pipeline, stage) pairs",
    "an event ends at its start or later",
    "events of a rank that were started together",
    "a whole number from",  # ranks in the header below one that occurs
    "a header that comes again",
    "digits",
    "this object has the key",  # an event before the header
    "the keys of this object are schema",
)


def agrees(by_schema: bool, by_reader: bool, value: Any) -> None:
    """The schema refuses only what the reader refuses, and the rest is listed."""
    assert by_schema or not by_reader
    if by_schema and not by_reader:
        with pytest.raises(FormatError) as caught:
            parse_json(json.dumps(value), "a.file")
        assert any(rule in caught.value.what for rule in BEYOND_THE_SCHEMA)


TRACES = [text.splitlines() for kind, text in REAL if kind == "trace"]


@given(st.sampled_from(TRACES), VALUES, st.data())
def test_one_value_of_a_trace_changed(lines: list[str], new: object, data: st.DataObject) -> None:
    events = [json.loads(line) for line in lines]
    at = data.draw(st.integers(0, len(events) - 1))
    key = data.draw(st.sampled_from([*events[at], "extra", "hash", "schema"]))
    if key in events[at] and data.draw(st.booleans()):
        del events[at][key]
    else:
        events[at][key] = new
    text = "\n".join(map(json.dumps, events))
    document = read("trace", text)
    by_schema = all(conforms(event, TRACE_SCHEMA) for event in events)
    if document is not None:
        assert by_schema
        assert len(document.schedule) == sum("schema" not in event for event in events)
        usable(document)
    elif by_schema:
        with pytest.raises(FormatError) as caught:
            parse_trace(text, "a.file")
        assert any(rule in caught.value.what for rule in BEYOND_THE_SCHEMA)


@given(
    st.sampled_from(REAL),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), SCRAPS), max_size=3),
)
def test_real_texts_damaged(real: tuple[str, str], edits: list[tuple[float, int, str]]) -> None:
    kind, text = real
    for where, cut, scrap in edits:
        at = int(where * len(text))
        text = text[:at] + scrap + text[at + cut :]
    document = read(kind, text)
    if document is not None:
        usable(document)


@given(st.sampled_from(REAL), st.floats(0, 1, exclude_max=True))
def test_a_torn_file_is_refused_or_whole_lines(real: tuple[str, str], where: float) -> None:
    kind, text = real
    torn = text[: int(where * len(text.rstrip()))]
    document = read(kind, torn)
    if kind != "trace":
        assert document is None
    elif document is not None:
        assert torn.endswith(("}", "\n"))
        assert len(document.schedule) == len(torn.splitlines()) - 1


@given(st.sampled_from(sorted(READERS)), st.text() | SCRAPS)
def test_any_text(kind: str, text: str) -> None:
    assert read(kind, text) is None or text.strip()


@settings(max_examples=60)
@given(
    st.binary(max_size=200) | st.sampled_from([text.encode("utf-16") for _, text in REAL]),
    st.sampled_from(["a.csv", "a.json", "a.jsonl", "a.deepspeed.json", "a.megatron.json", "a"]),
)
def test_any_bytes_in_any_file(data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            read_document(path)
        except FormatError as error:
            explains(error, str(path))
