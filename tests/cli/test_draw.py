"""`staleproof draw`."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports.drawing import run_messages
from schedules import timeline
from schedules.families import build
from schedules.formats import read_document
from schedules.formats.schedule_json import write_json
from staleproof.cli import main

DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


def draw(*arguments: object) -> None:
    """In this process: starting an interpreter would take most of the time."""
    assert main(["draw", *map(str, arguments)]) == 0


def test_text_and_json(run: Run, result: Result, tmp_path: Path) -> None:
    out = tmp_path / "zbv.svg"
    done = run("draw", "zbv", "-p", 2, "-m", 4, "-o", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{out}: timeline of zbv\n"
    first = out.read_bytes()
    code, found = result("draw", "zbv", "-p", 2, "-m", 4, "-o", out)
    assert code == 0
    assert found == {
        "out": str(out),
        "format": "svg",
        "what": "timeline",
        "source": "zbv",
        "ranks": 2,
        "stages": 4,
        "microbatches": 4,
        "actions": 48,
        "length": 25,
        "idle_fraction": "1/25",
    }
    assert out.read_bytes() == first
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("0F0,0F0,0B0\n1F0,1B0", ["complete"]),
        (
            "0RECV_B0,0F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0",
            ["deadlock-free"],
        ),
        ("0F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", ["match", "deadlock-free"]),
    ],
)
def test_a_schedule_that_is_not_right_is_drawn_and_marked(
    run: Run, result: Result, tmp_path: Path, text: str, broken: list[str]
) -> None:
    """A picture helps to find the fault, and does not look like that of a sound schedule."""
    file, out = tmp_path / "a.csv", tmp_path / "a.svg"
    file.write_text(text)
    done = run("draw", file, "-o", out)
    assert done.returncode == 0
    assert done.stdout == f"{out}: timeline of a.csv (not right: {', '.join(broken)})\n"
    said = done.stderr.splitlines()
    assert [line.partition(" does not hold: ")[0] for line in said] == [
        f"warning: {name}" for name in broken
    ]
    assert result("draw", file, "-o", out)[1]["broken"] == broken
    file.write_text("0F0,0B0\n1F0,1B0")
    sound = tmp_path / "sound.svg"
    assert "broken" not in result("draw", file, "-o", sound)[1]
    assert ("not right" in out.read_text(), "not right" in sound.read_text()) == (True, False)
    assert run("draw", file, "-o", out).stderr == ""


@pytest.mark.parametrize("what", ["timeline", "versions", "delays", "staleness"])
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_every_picture_in_every_format(tmp_path: Path, what: str, suffix: str) -> None:
    out = tmp_path / f"new/folder/a.{suffix}"
    draw("pipedream", "-p", 4, "-o", out, "--what", what, "--set", "noam=4")
    assert out.read_bytes()[:5] == {"svg": b"<?xml", "png": b"\x89PNG\r"}[suffix]


def test_linearizations_differ(tmp_path: Path) -> None:
    pictures = []
    for name in ("ascending", "slot-start"):
        out = tmp_path / f"{name}.svg"
        draw("pipedream", "-p", 3, "-o", out, "--what", "delays", "--linearization", name)
        pictures.append(out.read_bytes())
    assert len(set(pictures)) == 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*p4_m8*")))
def test_real_files(tmp_path: Path, name: str) -> None:
    out = tmp_path / "a.svg"
    draw(DATA / name, "-o", out)
    assert out.exists()


def test_a_recorded_trace_keeps_its_times(tmp_path: Path) -> None:
    trace, computed, recorded = (tmp_path / name for name in ("a.jsonl", "a.svg", "b.svg"))
    assert main(["convert", "gpipe", str(trace), "-p", "2", "-m", "2"]) == 0
    draw("gpipe", "-p", 2, "-m", 2, "-o", computed)
    draw(trace, "-o", recorded)
    assert recorded.stat().st_size > 10_000
    assert recorded.read_bytes() != computed.read_bytes()  # the note says that times are recorded


def test_a_name_moves_no_cursor(run: Run, tmp_path: Path) -> None:
    """What a file calls itself is shown, escaped: on the terminal and in the picture."""
    named = json.loads(write_json(build("gpipe", 1, 2))) | {"name": "a\x1b[31m\nb\u202e"}
    file, out = tmp_path / "a.json", tmp_path / "a.svg"
    file.write_text(json.dumps(named), encoding="utf-8")
    done = run("draw", file, "-o", out)
    assert done.stdout == f"{out}: timeline of a\\x1b[31m\\nb\\u202e\n"
    assert not {"\x1b", "\u202e"} & {*out.read_text(encoding="utf-8")}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.svg", tmp_path / "link.svg"
    link.symlink_to(real)
    draw("gpipe", "-p", 2, "-m", 2, "-o", link)
    assert link.is_symlink()
    assert real.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["gpipe", "-o", "a.svg"], "number of ranks"),
        (["gpip", "-p", 2, "-o", "a.svg"], "did you mean 'gpipe'?"),
        (["gpipe", "-p", 2], "-o"),
        (["gpipe", "-p", 2, "-o", "a.jpeg"], "must end in .svg, .png, .pdf, found 'jpeg'"),
        (["gpipe", "-p", 2, "-o", "a"], "found no suffix"),
        (["gpipe", "-p", 2, "-o", ""], "found no suffix"),
        (["gpipe", "-p", 2, "-o", "a.svg", "--what", "delay"], "did you mean 'delays'?"),
        (["gpipe", "-p", 2, "-o", "a.svg", "--linearization", "ascending"], "delays"),
        (
            ["gpipe", "-p", 2, "-o", "a.svg", "--what", "delays", "--linearization", "up"],
            "linearization",
        ),
        (["pipedream", "-p", 4, "-m", 8, "-o", "a.svg", "--what", "delays"], "take M ≥ 9"),
        (["localsgd", "-p", 2, "-o", "a.svg", "--what", "delays"], "as rounds end in a barrier"),
        (["gpipe", "-p", 2, "-m", 10**9, "-o", "a.svg"], "at most 100000 actions"),
        (["gpipe", "-p", 10**9, "-o", "a.svg", "--what", "delays"], "GiB"),
        (["chimera", "-p", 3, "-o", "a.svg"], "even"),
        (["missing.csv", "-o", "a.svg"], "missing.csv"),
        ([DATA / "torch2.13_GPipe_p2_m4.compute.csv", "-p", 2, "-o", "a.svg"], "drop it"),
    ],
)
def test_bad_input(
    problem: Problem,
    arguments: list[object],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    error = problem("draw", *arguments)
    assert expected in f"{error['where']}: {error['what']}; {error['fix']}"
    assert not list(tmp_path.iterdir())


def test_destinations_that_cannot_be_written(problem: Problem, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder.svg").mkdir()
    for out in ("file/a.svg", "folder.svg", "folder.svg/"):
        problem("draw", "gpipe", "-p", 2, "-o", f"{tmp_path}/{out}")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.svg"]
    assert (tmp_path / "file").read_text() == "kept"


def test_a_failed_picture_leaves_the_old_one(problem: Problem, tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    out.write_text("old")
    problem("draw", "localsgd", "-p", 2, "-o", out, "--what", "delays")
    assert out.read_text() == "old"


def test_a_file_that_cannot_run_is_refused(problem: Problem, tmp_path: Path) -> None:
    stuck = tmp_path / "stuck.csv"
    stuck.write_text("0B0,0F0\n1F0,1B0\n")
    error = problem("draw", stuck, "-o", tmp_path / "a.svg")
    assert "wait for each other" in error["what"]


def test_help_names_what_is_there(run: Run) -> None:
    help_text = run("draw", "--help").stdout
    assert all(word in help_text for word in ("timeline", "delays", "staleness", "ascending"))


def test_a_long_run_is_drawn_in_short_unless_all_is_wanted(tmp_path: Path) -> None:
    sizes = {}
    for name, options in (("short", ()), ("whole", ("--all",))):
        draw("1f1b", "-p", 4, "-m", 64, "-o", tmp_path / f"{name}.svg", *options)
        sizes[name] = (tmp_path / f"{name}.svg").stat().st_size
    assert sizes["short"] < sizes["whole"] / 2


@pytest.mark.parametrize(
    ("name", "arrows"), [("torch2.13_1F1B_p4_m8", 48), ("torch2.13_ZBVZeroBubble_p4_m8", 0)]
)
def test_messages_are_arrows_where_all_have_room(name: str, arrows: int, tmp_path: Path) -> None:
    """2(p - 1)M messages, each from its sender to its receiver; or the note counts them."""
    line = timeline(read_document(str(DATA / f"{name}.comms.csv")).schedule)
    messages = run_messages(line)
    assert len(messages) == arrows
    assert all(abs(one.sender - one.receiver) == 1 and one.start <= one.end for one in messages)
    draw(DATA / f"{name}.comms.csv", "-o", tmp_path / "a.svg")
    picture = (tmp_path / "a.svg").read_text()
    assert picture.count('id="patch_') >= arrows
