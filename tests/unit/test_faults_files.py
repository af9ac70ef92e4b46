"""Pictures of faults as files: whole, always the same, named after what they show."""

import importlib.util
import re
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reports.errors import OutputError
from reports.faults import write_fault, write_faults
from reports.faults.files import fault_name
from schedules import build
from schedules.validation.violation import Marks, Violation

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"
SCHEDULE = build("gpipe", 2, 2)


def fault(*actions: int, invariant: str = "causal", place: str = "a.csv:row 1:cell 2") -> Violation:
    return Violation(invariant, "a <rule> & a fix", place, {}, Marks(actions))


def test_a_picture_says_what_it_shows(tmp_path: Path) -> None:
    path = write_fault(SCHEDULE, fault(1), tmp_path / "fault.svg")
    assert path == tmp_path / "fault.svg"
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    assert root.get("role") == "img"
    labels = root.get("aria-labelledby", "").split()
    told = {element.get("id"): element.text for element in root.iter() if element.get("id")}
    assert told[labels[0]] == "causal: gpipe"
    assert told[labels[1]] == "a <rule> & a fix. marked: rank 0 0F1 (rank 0:position 1)"


def test_the_same_fault_has_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_fault(SCHEDULE, fault(1), tmp_path / f"{name}.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_other_formats(tmp_path: Path) -> None:
    for suffix, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = write_fault(SCHEDULE, fault(1), tmp_path / f"fault.{suffix}")
        assert path is not None
        assert path.read_bytes().startswith(start)


def test_no_file_without_marks(tmp_path: Path) -> None:
    assert write_fault(SCHEDULE, fault(), tmp_path / "fault.svg") is None
    assert write_faults(SCHEDULE, [fault()], tmp_path / "pictures") == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"must end in \.svg, \.png, \.pdf, found 'txt'"):
        write_fault(SCHEDULE, fault(1), tmp_path / "fault.txt")


def test_faults_are_numbered_as_listed(tmp_path: Path) -> None:
    found = [fault(1), fault(), fault(2, invariant="staleness<=3", place="gpipe:rank 0:position 2")]
    paths = write_faults(SCHEDULE, found, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [
        "01-causal-a.csv-row-1-cell-2.svg",
        "03-staleness-3-gpipe-rank-0-position-2.svg",
    ]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_pictures_are_capped(tmp_path: Path) -> None:
    paths = write_faults(SCHEDULE, [fault(1)] * 5, tmp_path, most=2)
    assert [path.name[:2] for path in paths] == ["01", "02"]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("../../etc/passwd", "07-causal-passwd"),
        ("C:\\temp\\a b.csv:row 1", "07-causal-a-b.csv-row-1"),
        ("naïve\n\x00..", "07-causal-na-ve"),
        ("x" * 500, "07-causal-" + "x" * 73),
        ("", "07-causal"),
    ],
)
def test_names_are_safe(place: str, name: str) -> None:
    assert fault_name(fault(1, place=place), 7) == name


def test_the_picture_of_the_documentation_is_current() -> None:
    spec = importlib.util.spec_from_file_location("regenerate", DOCS / "pictures/regenerate.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    stored, drawn = script.DEADLOCK.read_text(encoding="utf-8"), script.deadlock().decode()
    titles = re.compile(r"<(?:title|desc).*")
    remedy = "run `python docs/pictures/regenerate.py`"
    assert titles.findall(stored) == titles.findall(drawn), remedy
    if f"matplotlib=={version('matplotlib')}\n" in (DOCS.parent / "constraints.txt").read_text():
        assert stored == drawn, remedy
