"""Files of layers: what is read, and what is refused, where and why."""

from fractions import Fraction
from pathlib import Path

import pytest

from schedules.errors import FormatError, ScheduleError
from schedules.partial_staleness import parse_layers, read_layers

HEAD = "layer,backward,forward,communication\n"


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("12", 12),
        (" 007 ", 7),
        ("0.05", Fraction(1, 20)),
        ("2.50", Fraction(5, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("1.5E2", 150),
        ("2/3", Fraction(2, 3)),
        ("6/2", 3),
    ],
)
def test_durations_are_read_exactly(cell: str, value: object) -> None:
    layer = parse_layers(f"{HEAD}a,{cell},1,1\n").layers[0]
    assert layer.backward == value
    assert type(layer.backward) is type(value)


@pytest.mark.parametrize(
    "cell",
    [
        *("0", "0.0", "0/3", "3/0", "-1", "nan", "NaN", "inf", "Infinity", "", " ", "1,5", "0x10"),
        *("1e999", "½", "٣", "1_000", "9" * 19, "1..2", ".5", "5.", "+3", "1 2", "=1+1"),
    ],
)
def test_what_is_no_duration_is_refused_with_its_place(cell: str) -> None:
    quoted = f'"{cell}"'
    with pytest.raises(FormatError) as caught:
        parse_layers(f"{HEAD}a,1,1,1\nb,1,{quoted},1\n", "net.csv")
    assert caught.value.where == "net.csv:row 3:forward"
    assert "duration" in caught.value.what
    assert "\n" not in str(caught.value)


def test_columns_in_any_order_with_a_unit() -> None:
    text = "Communication (ms), forward (ms) ,layer,backward (ms)\n1,2,a,3\n"
    model = parse_layers(text)
    assert (model.v, model.u, model.b, model.unit) == ((1,), (2,), (3,), "ms")
    assert parse_layers(f"{HEAD}a,1,1,1\n").unit == ""


def test_blank_lines_quotes_and_a_byte_order_mark_are_taken() -> None:
    model = parse_layers(f'\ufeff{HEAD}\n"a, b",1,1,1\r\n\n , ,,\nc,1,1,1')
    assert [layer.name for layer in model.layers] == ["a, b", "c"]


def test_graphs() -> None:
    text = (
        "layer,backward,forward,communication,after\n"
        "in,1,1,1,\nleft,1,1,1,in\nright,1,1,1, in ;\nout,1,1,1,right; left\n"
    )
    assert parse_layers(text).after == ((), (0,), (0,), (1, 2))


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("", "net.csv", "found nothing"),
        ("\n\n", "net.csv", "found nothing"),
        (HEAD, "net.csv", "at least one layer"),
        ("layer,backward,forward\na,1,1\n", "net.csv:row 1", "found no communication"),
        ("a,1,1,1\n", "net.csv:row 1", "found 'a'"),
        ("layer,bakward,forward,communication\n", "net.csv:row 1", "did you mean 'backward'"),
        ("layer,layer,backward,forward,communication\n", "net.csv:row 1", "twice"),
        ("layer,backward (ms),forward (s),communication (ms)\n", "net.csv:row 1", "one unit"),
        ("layer,backward (ms),forward (ms),communication\n", "net.csv:row 1", "none for commun"),
        ('"layer\n",backward,forward,communication\n', "net.csv:row 2", "found 'layer"),
        ("layer," + "b (" + " " * 90_000 + ",forward,communication\n", "net.csv:row 1", "found"),
        (f"{HEAD}a,1,1\n", "net.csv:row 2", "has 4 cells, as the first has, found 3"),
        (f"{HEAD}a,1,1,1,1\n", "net.csv:row 2", "found 5"),
        (f"{HEAD}a,1,1,1\na,1,1,1\n", "net.csv:row 3:layer", "'a' here and in row 2"),
        (f"{HEAD},1,1,1\n", "net.csv:row 2:layer", "has a name"),
        (f"{HEAD}a\x07,1,1,1\n", "net.csv:row 2:layer", "can be printed"),
        (f'{HEAD}"a,1,1,1\n', "net.csv:row 2", "CSV"),
        (f"{HEAD[:-1]},after\na,1,1,1,\nb,1,1,1,A\n", "net.csv:row 3:after", "found 'A'"),
        (f"{HEAD[:-1]},after\nab,1,1,1,\nb,1,1,1,abc\n", "net.csv:row 3:after", "mean 'ab'"),
        (f"{HEAD[:-1]},after\na,1,1,1,b\nb,1,1,1,a\n", "net.csv", "cycle"),
        (f"{HEAD[:-1]},after\na,1,1,1,\nb,1,1,1,\n", "net.csv", "one layer that needs no other"),
        (f"{HEAD}a,1e-99,1,1\n", "net.csv", "10^60"),
    ],
)
def test_what_is_no_file_of_layers(text: str, where: str, words: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        parse_layers(text, "net.csv")
    assert caught.value.where == where
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "net.csv"
    path.write_text(f"{HEAD}a,1,1,1\n", encoding="utf-8")
    assert read_layers(path).source == str(path)
    path.write_bytes(HEAD.encode() + b"caf\xe9,1,1,1\n")
    with pytest.raises(FormatError, match=r"net\.csv:line 2: .*0xe9"):
        read_layers(path)
    path.write_bytes(b"\x00\x01\x02")
    with pytest.raises(FormatError):
        read_layers(path)
    for wrong in (tmp_path, tmp_path / "none.csv", "a\x00b"):
        with pytest.raises(FormatError, match="must be readable"):
            read_layers(wrong)
