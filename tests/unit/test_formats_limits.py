"""Large and hostile files: what they cost, and that what is written is read again."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from schedules import Schedule, build
from schedules.dependencies import edges
from schedules.errors import FormatError
from schedules.formats import FORMATS, Document, columns, read_document, strict_json, table
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.formats.schedule_json import parse_json
from schedules.invariants import check

DATA = Path(__file__).parents[1] / "data" / "schedules"
FILES = sorted(DATA.glob("*_p2_m4.*.csv"))

LONG = {
    "one cell": lambda n: "0F" + "9" * n,
    "cells that are none": lambda n: "0X0," * (n // 4),
    "commas": lambda n: "," * n,
    "spaces": lambda n: " " * n + "\n0F0,0B0",
    "brackets": lambda n: "(" * n,
    "quotes": lambda n: '"' * n,
    "blank lines": lambda n: "0F0\n" + "\n" * n + "1F0",
    "overlap without an end": lambda n: "(0F0;" * (n // 5),
    "spaces in a cell": lambda n: "0F0" + " " * n + "0B0",
    "signs": lambda n: "-" * n + "1F0",
}


def columns_of(schedule: Schedule) -> list[list[int]]:
    source = schedule.source
    assert source is not None
    named = (schedule.kind, schedule.stage, schedule.microbatch, schedule.offsets)
    return [column.tolist() for column in (*named, source.rows, source.cells)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("piece", [1, 7, 40])
def test_rows_are_read_alike_in_pieces_of_any_size(
    path: Path, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = path.read_text(encoding="utf-8").replace("0F1,", " 0F1 ,,")
    whole = parse_csv(text, "a.csv")
    monkeypatch.setattr(table, "PIECE", piece)
    apart = parse_csv(text, "a.csv")
    assert columns_of(apart) == columns_of(whole)
    assert apart.groups == whole.groups


@pytest.mark.parametrize("shape", LONG)
def test_long_texts_take_a_small_multiple_of_their_bytes(shape: str) -> None:
    text = LONG[shape](2_000_000)
    tracemalloc.start()
    with suppress(FormatError):
        parse_csv(text, "a.csv")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3 * len(text) + 3_000_000


@pytest.mark.slow
def test_reading_is_linear_in_the_file() -> None:
    """Of the arrays and the text; Python's own objects come and go by the piece."""
    used: list[float] = []
    for M in (20_000, 80_000):
        text = write_csv(build("gpipe", 2, M))
        tracemalloc.start()
        parse_csv(text, "a.csv")
        used.append(tracemalloc.get_traced_memory()[1] / (4 * M))
        tracemalloc.stop()
    assert used[1] < used[0] < 150


def test_many_ranks_without_a_barrier_wait_for_nobody() -> None:
    schedule = parse_csv("0F0,0B0\n" + ",\n" * 100_000, "a.csv")
    assert schedule.ranks == 100_001
    assert len(edges(schedule).source) == 1
    assert check(schedule).ok


def test_every_format_has_the_same_limit_of_actions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = read_document(DATA / "deepspeed0.19.8_train_p2_m4.json")
    plain = Document(build("gpipe", 2, 9))
    for name, entry in FORMATS.items():
        if entry.read is None:
            continue
        chosen = document if name == "deepspeed" else plain
        path = tmp_path / f"{name}{entry.suffixes[0]}"
        path.write_text(entry.text(chosen, str(path)), encoding="utf-8")
        count = len(chosen.schedule)
        monkeypatch.setattr(columns, "MAX_ACTIONS", count)
        assert len(read_document(path, name).schedule) == count
        monkeypatch.setattr(columns, "MAX_ACTIONS", count - 1)
        with pytest.raises(FormatError, match=f"at most {count - 1} actions"):
            read_document(path, name)
        with pytest.raises(FormatError, match=f"at most {count - 1} actions"):
            entry.text(chosen, str(path))
        monkeypatch.undo()


def test_empty_cells_are_no_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MAX_ACTIONS", 2)
    assert len(parse_csv("0F0,,,,, 0B0 ,,\n", "a.csv")) == 2
    with pytest.raises(FormatError, match="at most 2 actions"):
        parse_csv("0F0,,0F1,0B0,\n", "a.csv")


def test_nothing_is_written_that_is_too_large_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read_document(DATA / "deepspeed0.19.8_train_p2_m4.json")
    monkeypatch.setattr(strict_json, "MAX_CONTAINERS", 50)
    with pytest.raises(FormatError, match="at most 50 lists"):
        FORMATS["deepspeed"].text(document, "out.json")
    small = FORMATS["csv"].__class__(
        **{**{key: getattr(FORMATS["csv"], key) for key in KEYS}, "most_bytes": 10}
    )
    with pytest.raises(FormatError, match="at most 10 bytes"):
        small.text(Document(build("gpipe", 2, 2)), "out.csv")


KEYS = ("name", "summary", "suffixes", "mark", "read", "write", "keeps")


def test_long_numbers_are_refused_where_they_stand() -> None:
    for digits, refused in ((19, False), (20, True), (5000, True)):
        text = '{"schema": "staleproof-schedule/1", "microbatches": %s}' % ("9" * digits)
        with pytest.raises(FormatError) as caught:
            strict_json.parse(text, "a.json").fields("schema", "microbatches")[
                "microbatches"
            ].integer(0, 10)
        assert ("a number of" in str(caught.value)) == refused


def test_numbers_in_texts_do_not_matter() -> None:
    node = strict_json.parse('{"a": "%s", "b": 3}' % ("9" * 40), "a.json")
    assert node.fields("a", "b")["b"].integer(0, 10) == 3


def test_empty_columns() -> None:
    assert parse_csv(",", "a.csv").stages == 0
    assert np.array_equal(parse_json(EMPTY, "a.json").offsets, [0])


EMPTY = (
    '{"schema": "staleproof-schedule/1", "microbatches": 0, "policy": {"name": "flush"}, '
    '"placement": {"ranks": [[]], "copies": [[]]}, "ranks": []}'
)
