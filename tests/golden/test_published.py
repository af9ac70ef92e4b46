"""All claims, verified once from the command line; reports/published is what that reaches."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reports import validate_ledger, write_report
from reports.changes import Changes, compare_rows, rows_of
from staleproof.titles import with_titles

PUBLISHED = Path(__file__).parents[2] / "reports" / "published"
COMMAND = "staleproof verify --controls all --report reports/published"
REMEDY = f"run `{COMMAND}` and look at what changed"
TEXTS = sorted(path.name for path in PUBLISHED.iterdir() if path.suffix in (".md", ".tex", ".json"))
ROW = {
    "id",
    "anchor",
    "paper",
    "where",
    "origin",
    "goal",
    "goal_latex",
    "hypotheses",
    "symbols",
    "quantifiers",
    "supplied",
    "closure",
    "rests_on",
    "checked_by",
    "arguments",
    "trusted",
    "statement",
    "latex",
    "depends",
    "verdict",
    "cases",
    "assumes",
    "printed_proof",
    "steps",
    "findings",
    "counterexample",
    "evidence",
    "controls",
    "seconds",
}
PAPERS = {"rpd", "localsgd", "sapipe", "nesterov", "amdp", "blog", "schedules", "kernel"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the report of the one run is written."""
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def verified(report: Path) -> subprocess.CompletedProcess[str]:
    """All claims, verified once."""
    return subprocess.run(
        [sys.executable, "-m", "staleproof", "verify", "--json", "--report", str(report)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=900,
        check=False,
    )


@pytest.fixture(scope="module")
def ledger(verified: subprocess.CompletedProcess[str]) -> Any:
    """The ledger of all claims."""
    return json.loads(verified.stdout)


def test_all_claims(verified: subprocess.CompletedProcess[str], ledger: Any) -> None:
    assert verified.returncode == 0
    assert ledger["schema"] == "staleproof-ledger/2"
    assert {row["paper"] for row in ledger["claims"]} == PAPERS
    assert all(set(row) >= ROW for row in ledger["claims"])
    assert sum(ledger["summary"].values()) == len(ledger["claims"])


def test_a_row_without_a_second_checker_says_what_nobody_else_saw(ledger: Any) -> None:
    open_ones = [row for row in ledger["claims"] if not row["checked_by"]]
    said = {row["id"]: row["evidence"][-1]["says"] for row in open_ones}
    words = ("nobody else", "not all is accepted", "questions: Rocq proves")
    assert [name for name, one in said.items() if not any(word in one for word in words)] == []


def test_no_mutant_survives(ledger: Any) -> None:
    survivors = {row["id"]: row["controls"]["survivors"] for row in ledger["claims"]}
    assert not {name: found for name, found in survivors.items() if found}


def test_no_mutant_goes_missing(ledger: Any) -> None:
    """Else a claim that has lost its controls would have no survivors either."""
    known = {row["id"]: row["controls"]["known"] for row in published()["claims"]}
    assert {row["id"]: row["controls"]["known"] for row in ledger["claims"]} == known
    assert all(row["controls"]["tried"] for row in ledger["claims"] if row["controls"]["known"])


def test_progress_goes_to_stderr(verified: subprocess.CompletedProcess[str], ledger: Any) -> None:
    total = len(ledger["claims"])
    lines = [line.split(" ") for line in verified.stderr.splitlines()]
    begun = [line for line in lines if line[0].startswith("[")]
    assert [number for number, _ in begun] == [f"[{k + 1}/{total}]" for k in range(total)]
    assert sorted(name for _, name in begun) == sorted(row["id"] for row in ledger["claims"])


@pytest.fixture(scope="module")
def current(ledger: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the one run, with the controls that were all tried when it was published."""
    tried = {row["id"]: row["controls"] for row in published()["claims"]}
    rows = [row | {"controls": tried.get(row["id"], row["controls"])} for row in ledger["claims"]]
    folder = tmp_path_factory.mktemp("current")
    shutil.copytree(PUBLISHED / "experiments", folder / "experiments")
    write_report(validate_ledger(with_titles({**ledger, "claims": rows})), folder)
    return folder


def published() -> Any:
    """The published ledger."""
    return json.loads((PUBLISHED / "ledger.json").read_bytes())


@pytest.mark.parametrize("name", TEXTS)
def test_published_report_is_current(current: Path, name: str) -> None:
    assert (PUBLISHED / name).read_bytes() == (current / name).read_bytes(), REMEDY


def test_no_row_changes_in_silence(report: Path, ledger: Any) -> None:
    changed = compare_rows(rows_of(PUBLISHED / "ledger.json"), rows_of(report / "ledger.json"))
    assert changed == Changes((), (), ()), REMEDY
    assert len(ledger["claims"]) > 300


def test_every_mutant_was_tried_for_the_published_ledger() -> None:
    controls = {row["id"]: row["controls"] for row in published()["claims"]}
    assert all(one["tried"] == one["killed"] == one["known"] for one in controls.values())


def test_every_hypothesis_is_used_or_said_to_be_superfluous() -> None:
    """By the steps of the proof; that the hypotheses have a model is no use of them."""
    for row in published()["claims"]:
        if row["verdict"] == "PROVED" and row["rests_on"] == ["kernel"]:
            proof = [step for step in row["steps"] if step["says"] != "the hypotheses have a model"]
            used = {name for step in proof for name in step["premises"]}
            unused = {one["name"] for one in row["hypotheses"]} - used
            kinds = {finding["kind"] for finding in row["findings"]}
            assert not unused or "superfluous-condition" in kinds, (row["id"], unused)


def test_every_published_certificate_is_rechecked() -> None:
    checker = PUBLISHED.parent / "recheck.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(checker), "--json", str(PUBLISHED / "ledger.json")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("verified")
def test_published_report_has_all_texts(report: Path) -> None:
    written = {path.name for path in report.iterdir() if path.suffix in (".md", ".tex", ".json")}
    assert written == set(TEXTS)
    assert {"report.md", "rpd.tex", "rpd-erratum.tex", "schedules.md"} <= written


def test_published_pictures_belong_to_the_report() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PUBLISHED.glob("*.md"))
    pictures = sorted((PUBLISHED / "figures").glob("*.svg"))
    assert len(pictures) >= 4
    assert all(f"figures/{picture.name}" in text for picture in pictures)
