"""Schedule files on disk: real ones, unreadable ones, and files that are no text."""

from pathlib import Path

import pytest

from schedules.errors import FormatError
from schedules.formats import pytorch_csv
from schedules.formats.pytorch_csv import read_csv, write_csv

DATA = Path(__file__).parents[1] / "data" / "schedules"
FILES = sorted(DATA.glob("*.csv"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_are_read_whole(path: Path) -> None:
    schedule = read_csv(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    written = [cell for line in lines for cell in line.replace(";", ",").split(",") if cell]
    assert schedule.ranks == len(lines)
    assert len(schedule) == len(written)
    assert schedule.source is not None
    assert schedule.source.file == str(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_round_trip(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    without_idle = [",".join(filter(None, line.split(","))) for line in lines]
    assert write_csv(read_csv(path)).splitlines() == without_idle


def test_missing_file_and_directory(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.csv", "No such file"), (tmp_path, "directory")):
        with pytest.raises(FormatError, match=reason) as caught:
            read_csv(path)
        assert caught.value.where == str(path)


@pytest.mark.parametrize("path", ["a\0b.csv", "\ud800.csv", ""])
def test_impossible_path(path: str) -> None:
    with pytest.raises(FormatError, match="must be readable"):
        read_csv(path)


@pytest.mark.parametrize(
    ("data", "place", "what"),
    [
        (b"0F0,0B0\n\xff\xfe", "line 2", "the byte 0xff"),
        ("0F0".encode("utf-16"), "line 1", "the byte 0xff"),
        ("0F0".encode("utf-16-le"), "row 1", "a NUL character"),
        (b"\x89PNG\r\n\x1a\n\0\0", "line 1", "the byte 0x89"),
        (b"", "", "no row at all"),
    ],
)
def test_binary_file(tmp_path: Path, data: bytes, place: str, what: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=what) as caught:
        read_csv(path)
    assert caught.value.where == f"{path}:{place}".rstrip(":")


def test_size_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("0F0,0B0", encoding="utf-8")
    monkeypatch.setattr(pytorch_csv, "MAX_BYTES", 7)
    assert read_csv(path).ranks == 1
    monkeypatch.setattr(pytorch_csv, "MAX_BYTES", 6)
    with pytest.raises(FormatError, match="at most 6 bytes"):
        read_csv(path)


def test_endless_file_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("no /dev/zero on this system")
    monkeypatch.setattr(pytorch_csv, "MAX_BYTES", 1000)
    with pytest.raises(FormatError, match="at most 1000 bytes"):
        read_csv("/dev/zero")
