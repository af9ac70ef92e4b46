"""All claims, verified once from the command line; reports/published is what that reaches."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PUBLISHED = Path(__file__).parents[2] / "reports" / "published"
REMEDY = "run `staleproof verify --report reports/published` and look at what changed"
TEXTS = ("report.md", "report.tex", "ledger.json")
ROW = {
    "id",
    "paper",
    "where",
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
    assert ledger["schema"] == "staleproof-ledger/1"
    assert {row["paper"] for row in ledger["claims"]} == PAPERS
    assert all(set(row) >= ROW for row in ledger["claims"])
    assert sum(ledger["summary"].values()) == len(ledger["claims"])


def test_no_mutant_survives(ledger: Any) -> None:
    survivors = {row["id"]: row["controls"]["survivors"] for row in ledger["claims"]}
    assert not {name: found for name, found in survivors.items() if found}


def test_progress_goes_to_stderr(verified: subprocess.CompletedProcess[str], ledger: Any) -> None:
    total = len(ledger["claims"])
    lines = [line.split(" ") for line in verified.stderr.splitlines()]
    begun = [line for line in lines if line[0].startswith("[")]
    assert [number for number, _ in begun] == [f"[{k + 1}/{total}]" for k in range(total)]
    assert sorted(name for _, name in begun) == sorted(row["id"] for row in ledger["claims"])


@pytest.mark.usefixtures("verified")
@pytest.mark.parametrize("name", TEXTS)
def test_published_report_is_current(report: Path, name: str) -> None:
    assert (PUBLISHED / name).read_bytes() == (report / name).read_bytes(), REMEDY


@pytest.mark.usefixtures("verified")
def test_published_report_has_all_texts(report: Path) -> None:
    written = {path.name for path in report.iterdir() if path.suffix in (".md", ".tex", ".json")}
    assert written == set(TEXTS)


def test_published_pictures_belong_to_the_report() -> None:
    text = (PUBLISHED / "report.md").read_text(encoding="utf-8")
    pictures = sorted((PUBLISHED / "figures").glob("*.svg"))
    assert len(pictures) >= 4
    assert all(f"figures/{picture.name}" in text for picture in pictures)
