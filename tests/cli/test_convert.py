"""`staleproof convert`."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedules import Kind, build
from schedules.formats import FORMATS, read_document
from staleproof.cli import main
from staleproof.commands.convert import FORMAT_NAMES

DATA = Path(__file__).resolve().parents[1] / "data" / "schedules"
CSV = DATA / "torch2.13_DualPipeV_p2_m4.compute.csv"
MEGATRON = DATA / "megatron0.16.1_p4_m8_v2.json"
DEEPSPEED = DATA / "deepspeed0.19.8_train_p2_m4.json"
Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]


def convert(*arguments: object) -> None:
    """In this process: starting an interpreter would take most of the time."""
    assert main(["convert", *map(str, arguments)]) == 0


def test_help_names_the_formats() -> None:
    assert tuple(FORMATS) == FORMAT_NAMES


def test_a_file_and_what_is_said_about_it(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run("convert", CSV, out, "--policy", "flush")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{out}: json, 37 actions, from csv\n"
    assert len(read_document(out).schedule) == 37


def test_a_policy_that_is_assumed_is_said(run: Run, tmp_path: Path) -> None:
    """The new file states it: nobody could tell from that alone that the old one did not."""
    csv, out = DATA / "torch2.13_GPipe_p4_m8.comms.csv", tmp_path / "out.json"
    done = run("convert", csv, out)
    assert done.stderr == (
        f"{csv} states no weight policy: {out} says flush, which is assumed (--policy NAME for "
        "another)\n"
    )
    assert run("convert", csv, out, "--policy", "stash").stderr == ""
    assert run("convert", out, tmp_path / "again.json").stderr == ""
    assert run("convert", "gpipe", out, "-p", 2).stderr == ""
    assert "assumed" not in run("convert", csv, tmp_path / "out.csv").stderr


def test_json_is_one_object(result: Result, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    code, found = result("convert", DEEPSPEED, out)
    assert code == 0
    assert found == {
        "from": "deepspeed",
        "to": "json",
        "actions": len(read_document(DEEPSPEED).schedule),
        "out": str(out),
        "left_out": ["buffers", "steps", "instructions without an action"],
    }


def test_what_is_left_out_is_said(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.trace.json"
    done = run("convert", "gpipe", out, "-p", "2", "-m", "3")
    assert done.stdout == f"{out}: chrome, 12 actions, from family\n"
    assert "left out: number of microbatches, weight policy" in done.stderr
    assert len(json.loads(out.read_text())["traceEvents"]) > 12


def test_a_family_with_its_parameters(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    convert("pipedream", out, "-p", 3, "-m", 5, "--set", "noam=2", "--policy", "latest")
    schedule, expected = read_document(out).schedule, build("pipedream", 3, 5, noam=2)
    assert [str(a) for a in schedule.rank(2)] == [str(a) for a in expected.rank(2)]
    assert schedule.policy.name == "latest"
    assert schedule.parameters == {"noam": 2}


@pytest.mark.parametrize(
    ("start", "way"),
    [
        (CSV, ["b.json", "c.csv"]),
        (CSV, ["b.jsonl", "c.json", "d.csv"]),
        (MEGATRON, ["b.json", "c.megatron.json"]),
        (MEGATRON, ["b.csv", "c.megatron.json"]),
        (MEGATRON, ["b.jsonl", "c.megatron.json"]),
        (DEEPSPEED, ["b.deepspeed.json"]),
    ],
)
def test_there_and_back(tmp_path: Path, start: Path, way: list[str]) -> None:
    first = tmp_path / f"first{''.join(Path(way[-1]).suffixes)}"
    convert(start, first)
    source = first
    for name in way:
        convert(source, tmp_path / name)
        source = tmp_path / name
    assert source.read_bytes() == first.read_bytes()


def test_microbatches_and_policy_for_files(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    convert(CSV, out, "-m", 6, "--policy", "stash")
    schedule = read_document(out).schedule
    assert (schedule.microbatches, schedule.policy.name) == (6, "stash")


def test_formats_by_name_win_over_what_a_file_looks_like(tmp_path: Path, problem: Problem) -> None:
    out = tmp_path / "out.json"
    convert(CSV, out, "--to", "csv")
    assert out.read_text().startswith("0F0,")
    convert(out, tmp_path / "again", "--from", "csv", "--to", "json")
    assert json.loads((tmp_path / "again").read_text())["microbatches"] == 4
    assert "line 1:column 2" in problem("convert", out, tmp_path / "b.csv")["where"]


def test_the_old_file_stays_where_something_is_wrong(tmp_path: Path, problem: Problem) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    problem("convert", bad, out)
    problem("convert", DEEPSPEED, out)  # CSV has no cell for an update
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "out.csv"]


def test_a_file_may_be_replaced_by_itself_through_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a.json", tmp_path / "link.json"
    convert("gpipe", path, "-p", 2)
    link.symlink_to(path)
    convert(link, link, "--policy", "stash")
    assert link.is_symlink()
    assert read_document(path).schedule.policy.name == "stash"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_new_file_has_ordinary_permissions(tmp_path: Path) -> None:
    convert("gpipe", tmp_path / "a.json", "-p", 2)
    (tmp_path / "plain").write_text("")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.json", "plain")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize(
    ("arguments", "where", "says"),
    [
        (["gpipe", "a.json"], "-p", "number of ranks"),
        (["gpipo", "a.json", "-p", "2"], "family", "gpipo"),
        (["missing.json", "a.csv"], "missing.json", "No such file"),
        (["gpipe", "a.xyz", "-p", "2"], "OUT", "told by the end of its name"),
        (["gpipe", "a", "--to", "jsn", "-p", "2"], "--to", "not 'jsn'"),
        ([str(CSV), "a.json", "--from", "cvs"], "--from", "not 'cvs'"),
        ([str(CSV), "a.json", "--from", "chrome"], str(CSV), "only written"),
        ([str(CSV), "a.json", "-p", "2"], "-p", "IN is a file"),
        ([str(CSV), "a.json", "--set", "noam=2"], "--set", "IN is a file"),
        ([str(MEGATRON), "a.json", "-m", "9"], f"{MEGATRON}:microbatches", "9 asked for"),
        ([str(CSV), "a.json", "--policy", "stach"], "--policy", "not 'stach'"),
        ([str(CSV), "a.deepspeed.json"], str(CSV), "which buffer"),
        (["gpipe", "/dev/null", "--to", "csv", "-p", "2"], "/dev/null", "must be a file"),
        (["gpipe", str(DATA), "--to", "csv", "-p", "2"], str(DATA), "must be a file"),
        (["gpipe", f"{CSV}/a.csv", "-p", "2"], str(CSV), "cannot be written"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], where: str, says: str) -> None:
    error = problem("convert", *arguments)
    assert error["where"] == where
    assert says in error["what"]


def test_a_schedule_that_cannot_run_has_no_trace(tmp_path: Path, problem: Problem) -> None:
    path = tmp_path / "a.csv"
    path.write_text("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n")
    assert "wait for each other" in problem("convert", path, tmp_path / "a.jsonl")["what"]
    convert(path, tmp_path / "a.json")


def test_lowering_gives_pytorchs_messages(tmp_path: Path) -> None:
    """PyTorch's file holds parameter collectives too, which shift where receives stand."""
    out = tmp_path / "out.csv"
    convert("1f1b", out, "-p", 4, "-m", 8, "--lower", "as-soon-as-possible")
    ours = read_document(out).schedule
    torch = read_document(DATA / "torch2.13_1F1B_p4_m8.comms.csv").schedule
    collectives = (Kind.UNSHARD, Kind.RESHARD, Kind.REDUCE)
    for rank in range(4):
        theirs = [action for action in torch.rank(rank) if action.kind not in collectives]
        assert sorted(ours.rank(rank)) == sorted(theirs)


def test_unknown_lowering(problem: Problem, tmp_path: Path) -> None:
    error = problem("convert", "1f1b", tmp_path / "out.csv", "-p", 2, "--lower", "just-in-tim")
    assert error["where"] == "--lower"
    assert "just-in-time" in error["fix"]
    assert not list(tmp_path.iterdir())
