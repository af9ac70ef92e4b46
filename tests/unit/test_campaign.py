"""The campaign: what it runs on which machine, and that nothing it found out is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_validation import campaign as module
from gpu_validation import cli, request, seed_table
from gpu_validation.campaign import Job, campaign, jobs, main
from gpu_validation.files import ERROR
from gpu_validation.models import ModelSpec
from reports.measured_page import load, page

MACHINES: dict[str, list[str]] = {"none": [], "one": ["NVIDIA H100"], "four": ["NVIDIA H100"] * 4}

GOOD = Job("good", "gpu_validation", ("pipedream", "-p", "2", "-m", "4", "--width", "4", "--json"))
REFUSED = Job("refused", "gpu_validation", ("pipedream", "-p", "2", "--device", "cuda", "--json"))
BROKEN = Job("broken", "gpu_validation.no_such_program", ())
ENDLESS = Job("endless", "timeit", ("-n", "1", "import time; time.sleep(60)"))


def told(_: str) -> None:
    """Nobody listens."""


@pytest.mark.slow
def test_results_and_failures_are_kept_and_not_made_again(tmp_path: Path) -> None:
    todo = [GOOD, REFUSED, BROKEN]
    assert campaign(todo, tmp_path, 10, told) == []
    found = load(tmp_path)
    assert found["good.json"]["agree"] is True
    assert "found none" in found["refused.json"]["error"]["what"]
    assert {found[f"{name}.json"]["schema"] for name in ("refused", "broken")} == {ERROR}
    assert "no_such_program" in found["broken.json"]["error"]["what"]
    text = page(found)
    assert "| [good.json](good.json) | pipedream |" in text
    assert "- `broken.json`: python -m gpu_validation.no_such_program: " in text
    # Called again it has nothing to do; without one of the files, that one.
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert campaign(todo, tmp_path, 0, told) == []
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    (tmp_path / "broken.json").unlink()
    assert campaign(todo, tmp_path, 0, told) == ["broken"]


def test_what_the_budget_cuts_is_left_and_what_hangs_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert campaign([ENDLESS, BROKEN], tmp_path, 0.01, told) == ["endless", "broken"]
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(module, "JOB_SECONDS", 0.5)
    assert campaign([ENDLESS], tmp_path, 10, told) == []
    assert "did not end within 0.5 s" in json.loads((tmp_path / "endless.json").read_text())[
        "error"
    ]["what"]  # fmt: skip


def test_the_command_says_what_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "gpus_here", list)
    command = ["-o", str(tmp_path / "new"), "--budget", "0"]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert "0 of 23 results are there" in said
    assert "23 left for want of time, call again: cpu-threads-1f1b-p4, " in said
    for job in jobs():
        (tmp_path / "new" / f"{job.name}.json").touch()
    assert main(command) == 0


@pytest.mark.parametrize("machine", MACHINES)
def test_every_job_is_a_command_that_makes_sense(machine: str) -> None:
    todo = jobs(MACHINES[machine])
    names = [job.name for job in todo]
    assert len(set(names)) == len(names)
    for job in todo:
        if job.module == "gpu_validation":
            parser = cli.Parser()
            cli.configure(parser)
            given = parser.parse_args(list(job.arguments))
            request.refuse_what_would_be_ignored(given)
            spec = request.spec_of(given, request.schedule_of(given))
            assert spec.transport in job.name
            assert (spec.device == "cpu") == job.name.startswith("cpu-")
    between = {name.split("-")[2] for name in names if name.startswith("nvidia-")}
    assert ({"nccl", "torch"} <= between) == (machine != "none")
    shared = [job for job in todo if "--share-gpus" in job.arguments]
    assert bool(shared) == (machine == "one")


@pytest.mark.parametrize(
    ("gpus", "transports"), [(None, "gloo"), (1, "threads"), (3, "threads"), (4, "nccl")]
)
def test_the_published_table_runs_where_it_can(gpus: int | None, transports: str) -> None:
    for row in seed_table.PUBLISHED:
        spec = seed_table.specification(row, 4, 8, ModelSpec(), gpus)
        assert spec.device == ("cpu" if gpus is None else "cuda")
        assert spec.transport == ("torch" if row.implementation == "pytorch" else transports)


def test_one_gpu_shows_no_shares() -> None:
    spec = seed_table.specification(seed_table.PUBLISHED[1], 4, 8, ModelSpec(), 1)
    assert "no communication that a profile" in seed_table.profiled(spec, 64).why_not["share"]
