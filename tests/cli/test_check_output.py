"""`staleproof check`: forms of the result, comparisons, pictures and queries."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema
import z3

from schedules.formats import FORMATS, Document
from schedules.formats.pytorch_csv import parse_csv

SCHEMA = xmlschema.XMLSchema(Path(__file__).resolve().parents[1] / "data" / "junit.xsd")
DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
GOOD = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"
CROSSED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n"
)
SWAPPED = (
    "0F0,0F1,0SEND_F1,0SEND_F0,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"
)
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, content in (("good", GOOD), ("crossed", CROSSED), ("swapped", SWAPPED)):
        found[name] = tmp_path / f"{name}.csv"
        found[name].write_text(content, encoding="utf-8")
    return found


def test_json_in_both_spellings(run: Run, files: dict[str, Path]) -> None:
    short = run("check", files["good"], "--json")
    for long in (["--format", "json"], ["--format=json"], ["--json", "--format", "json"]):
        assert run("check", files["good"], *long).stdout == short.stdout
    for long in (["--format", "json"], ["--format=json"]):
        wrong = run("check", "missing.csv", *long)
        assert (wrong.returncode, wrong.stderr) == (2, "")
        assert set(json.loads(wrong.stdout)) == {"schema", "version", "error"}


def test_two_forms_at_once(run: Run, files: dict[str, Path]) -> None:
    done = run("check", files["good"], "--json", "--format", "junit")
    assert (done.returncode, json.loads(done.stdout)["error"]["fix"]) == (2, "drop one")


def test_junit(run: Run, files: dict[str, Path]) -> None:
    paths = [files["good"], files["crossed"], DATA / "torch2.13_1F1B_p4_m8.compute.csv"]
    done = run("check", *paths, "pipedream", "-p", 3, "--format", "junit", "--require", "stash")
    assert (done.returncode, done.stderr) == (1, "")
    SCHEMA.validate(done.stdout)
    root = ET.fromstring(done.stdout)
    assert [suite.get("name") for suite in root] == [*map(str, paths), "pipedream"]
    assert [suite.get("failures") for suite in root] == ["0", "1", "0", "0"]
    failure = root[1].find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "deadlock-free"
    assert failure.text is not None
    assert "step by step:" in failure.text
    assert ">1SEND_B0<" in failure.text


def test_github(run: Run, files: dict[str, Path]) -> None:
    done = run("check", files["crossed"], files["good"], "--format", "github")
    assert (done.returncode, done.stderr) == (1, "")
    commands = [line for line in done.stdout.splitlines() if line.startswith("::")]
    [error, warning] = commands
    assert error.startswith(f"::error file={files['crossed']},line=")
    assert ",title=deadlock-free::" in error
    assert "%0Astep by step" not in error
    assert "%0Arank 0 runs 0F0" in error
    assert warning.startswith(f"::warning file={files['crossed']},title=finding::small tests pass")
    assert f"ok: {files['good']}: 8 actions" in done.stdout


@pytest.mark.parametrize(("name", "line"), [("csv", 2), ("trace", 5), ("json", None)])
def test_lines_of_files(run: Run, tmp_path: Path, name: str, line: int | None) -> None:
    """A row is a line of CSV files and traces; in our JSON it is a rank."""
    path = tmp_path / "step"
    source = tmp_path / "source.csv"
    source.write_text("0F0,0B0\n1F0,1F0,1B0\n", encoding="utf-8")
    run("convert", source, path, "--to", name)
    done = run("check", path, "--format", "github")
    [error] = [line for line in done.stdout.splitlines() if line.startswith("::error ")][:1]
    assert error.startswith(f"::error file={path}" + (f",line={line}," if line else ",title="))


def test_pictures(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "out" / "pictures"
    done = run("check", files["crossed"], "--picture", folder)
    assert done.returncode == 1
    [picture] = folder.iterdir()
    assert f"  picture: {picture}\n" in done.stdout
    text = picture.read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    ET.fromstring(text)
    assert "1SEND_B0" in text
    assert run("check", files["good"], "--picture", tmp_path / "none").returncode == 0
    assert not (tmp_path / "none").exists()


def test_pictures_of_several_targets(
    result: Result, files: dict[str, Path], tmp_path: Path
) -> None:
    other = tmp_path / "other" / "crossed.csv"
    other.parent.mkdir()
    shutil.copy(files["crossed"], other)
    folder = tmp_path / "pictures"
    found = result("check", files["crossed"], other, files["swapped"], "--picture", folder)[1]
    pictures = [entry["pictures"] for entry in found["results"]]
    assert [os.path.dirname(path) for paths in pictures for path in paths[:1]] == [
        str(folder / "crossed"), str(folder / "crossed-2"), str(folder / "swapped")
    ]  # fmt: skip
    assert all(os.path.isfile(path) for paths in pictures for path in paths)


@pytest.mark.parametrize("buffer", [0, 1])
def test_query_says_the_same_as_the_check(
    result: Result, files: dict[str, Path], tmp_path: Path, buffer: int
) -> None:
    arguments = ["--smt", tmp_path / "smt", "--buffer", buffer]
    code, found = result("check", files["crossed"], *arguments)
    assert found["smt"] == str(tmp_path / "smt" / "crossed.smt2")
    solver = z3.Solver()
    solver.from_file(found["smt"])
    assert (solver.check() == z3.sat) == (code == 0)


def test_query_follows_the_channels_that_were_recorded(result: Result, tmp_path: Path) -> None:
    """Sent and received in opposite order: no hang over one channel, one over two."""
    path = tmp_path / "run.jsonl"
    events = FORMATS["trace"].write(Document(parse_csv(SWAPPED, "swapped.csv"))).splitlines()
    found = {}
    for name, channel in (("one", "all"), ("two", "{microbatch}")):
        lines = [json.loads(line) for line in events]
        for event in lines[1:]:
            if event["op"] in ("SEND_F", "RECV_F"):
                event["channel"] = channel.format_map(event)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        entry = result("check", path, "--smt", tmp_path / name)[1]
        found[name] = {violation["invariant"] for violation in entry["violations"]}
        solver = z3.Solver()
        solver.from_file(entry["smt"])
        assert (solver.check() == z3.unsat) == ("deadlock-free" in found[name])
    assert found == {"one": {"match"}, "two": {"deadlock-free"}}


@pytest.mark.parametrize("option", ["--picture", "--smt"])
def test_folder_that_cannot_be_written(
    problem: Problem, files: dict[str, Path], option: str
) -> None:
    error = problem("check", files["crossed"], option, files["good"] / "inside")
    assert error["where"] == str(files["good"])
    assert "must be a directory" in error["what"]


def test_check_starts_without_what_it_does_not_need() -> None:
    code = (
        "import sys; from staleproof.cli import main; main(['check', 'gpipe', '-p', '2']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert not {"z3", "matplotlib", "jinja2", "rich", "torch", "sympy"} & loaded


def test_version_imports_neither_checks_nor_settings() -> None:
    code = (
        "import sys; import staleproof; before = set(sys.modules); "
        "assert 'numpy' not in before; from staleproof.cli import main; main(['--version']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    unwanted = {"staleproof.settings", "staleproof.checking.run", "schedules.invariants"}
    assert not {*unwanted, "tomllib", "xml.etree.ElementTree"} & set(done.stderr.split())


def test_picture_stays_in_its_folder(result: Result, tmp_path: Path) -> None:
    path, other = tmp_path / "here" / "...csv", tmp_path / "here" / "b.csv"
    path.parent.mkdir()
    for each in (path, other):
        each.write_text(SWAPPED, encoding="utf-8")
    out = tmp_path / "out" / "pictures"
    found = result("check", path, other, "--picture", out, "--smt", tmp_path / "out" / "smt")[1]
    pictures = [picture for entry in found["results"] for picture in entry["pictures"]]
    assert {os.path.dirname(os.path.realpath(picture)) for picture in pictures} == {
        str(out / "schedule"), str(out / "b")
    }  # fmt: skip
    assert sorted(os.listdir(tmp_path / "out")) == ["pictures", "smt"]
    assert sorted(os.listdir(tmp_path / "out" / "smt")) == ["b.smt2", "schedule.smt2"]


def test_what_could_be_checked_is_drawn_beside_what_could_not(
    run: Run, files: dict[str, Path], tmp_path: Path
) -> None:
    out = [tmp_path / "pictures", tmp_path / "smt"]
    done = run("check", files["crossed"], "no.csv", "--picture", out[0], "--smt", out[1])
    assert done.returncode == 2
    assert [[path.name for path in folder.iterdir()] for folder in out] == [
        ["crossed"],
        ["crossed.smt2"],
    ]
