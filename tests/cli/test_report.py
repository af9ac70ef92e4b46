"""`staleproof report`."""

import copy
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import theory.judging.verify
from staleproof.cli import main
from theory.claims import Claim
from theory.ledger import Row

Run = Callable[..., subprocess.CompletedProcess[str]]

PUBLISHED = Path(__file__).parents[2] / "reports" / "published" / "ledger.json"


def bad(run: Run, *arguments: object) -> str:
    done = run("report", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("staleproof: ")
    return done.stderr


def test_report_of_a_saved_ledger(run: Run, ledger: Any, tmp_path: Path) -> None:
    done = run("report", PUBLISHED, "-o", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    files = [Path(line) for line in done.stdout.splitlines()]
    assert {"report.md", "report.tex", "ledger.json"} <= {path.name for path in files}
    assert all(path.is_file() for path in files)
    texts = [path.read_text(encoding="utf-8") for path in files if path.suffix == ".md"]
    assert all(any(row["id"] in text for text in texts) for row in ledger["claims"])


def test_without_a_ledger_all_claims_are_verified(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def verify(claims: Sequence[Claim], **_: object) -> list[Row]:
        assert claims == list(theory.judging.verify.CLAIMS.values())
        return []

    monkeypatch.setattr(theory.judging.verify, "verify", verify)
    assert main(["report", "-o", str(tmp_path / "report")]) == 0
    assert str(tmp_path / "report" / "report.md") in capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_row_that_is_deleted_is_gone(run: Run, ledger: Any, tmp_path: Path) -> None:
    shorter = copy.deepcopy(ledger)
    # A row that no other row names: lemmas stay in the proofs that cite them.
    everything = json.dumps(ledger["claims"])
    own = {row["id"]: json.dumps(row).count(row["id"]) for row in ledger["claims"]}
    alone = [row for row in ledger["claims"] if everything.count(row["id"]) == own[row["id"]]]
    shorter["claims"].remove(alone[0])
    gone = alone[0]["id"]
    path = tmp_path / "shorter.json"
    path.write_text(json.dumps(shorter), encoding="utf-8")
    assert run("report", path, "-o", tmp_path / "report").returncode == 0
    for path in (tmp_path / "report").iterdir():
        assert path.is_dir() or gone not in path.read_text(encoding="utf-8")


def test_one_page_and_nothing_else(run: Run, tmp_path: Path) -> None:
    done = run("report", PUBLISHED, "--html", tmp_path / "page.html")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'page.html'}\n")
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_place_is_needed_and_pdf_needs_its_program(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "add -o DIR or --html FILE" in bad(run, PUBLISHED)
    assert "add -o DIR" in bad(run, PUBLISHED, "--html", tmp_path / "a.html", "--pdf")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "latexmk" in bad(run, PUBLISHED, "-o", tmp_path / "report", "--pdf")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\x00", b'{"claims": [{}]}', b"NaN"])
def test_what_is_no_ledger(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.json"
    path.write_bytes(content)
    assert str(path) in bad(run, path, "-o", tmp_path / "report")
    assert os.listdir(tmp_path) == ["ledger.json"]


def test_missing_ledger(run: Run, tmp_path: Path) -> None:
    assert "missing.json" in bad(run, "missing.json", "-o", tmp_path / "report")
    assert not os.listdir(tmp_path)


def test_destination_that_is_a_file(run: Run, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    for destination in (taken, taken / "below"):
        assert str(taken) in bad(run, PUBLISHED, "-o", destination)
    assert taken.read_text(encoding="utf-8") == "mine"
    assert os.listdir(tmp_path) == ["taken"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_destination_that_may_not_be_written(run: Run, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert "may not be written" in bad(run, PUBLISHED, "-o", closed / "report")
    assert not os.listdir(closed)
