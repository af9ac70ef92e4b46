"""``staleproof verify --cross`` and ``--smt``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import z3

from staleproof.cli import main
from tests.claim_files import CONTROLLED

CLAIM = "localsgd.schedule"
FALSE = """
import z3
from theory.account import Account, Compared, Decision
from theory.claims import Claim
from theory.smt.solver import Statement, decide

x = z3.Int("x")

def account(formulas):
    outcome = decide(Statement("one", "x > 1 implies x > 0", (x > 1,), x > 0))
    return Account(Decision((outcome,)))

CLAIMS = [
    Claim("mine.lemma", "here", "A lemma.", "", account),
    Claim("mine.theorem", "here", "A theorem.", "", account, depends=("mine.lemma",)),
]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(FALSE, encoding="utf-8")
    return str(path)


@pytest.fixture
def needs_cvc5() -> None:
    pytest.importorskip("cvc5")


@pytest.mark.usefixtures("needs_cvc5")
def test_cross_confirms_every_query(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", CLAIM, "--cross", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["claims"]
    assert row["verdict"] == "PROVED"
    (data,) = (one["data"] for one in row["evidence"] if "confirmed" in one["data"])
    assert data["confirmed"] == data["queries"] > 0
    assert data["solver"].startswith("cvc5 ")


@pytest.mark.usefixtures("needs_cvc5")
def test_a_disagreement_exits_with_1_and_a_line(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("theory.judging.opinions._answer", lambda text, rlimit: ("sat", ""))
    assert main(["verify", file, "--cross", "--json", "--require", "REFUTED", "-j", "1"]) == 1
    shown = capsys.readouterr()
    rows = json.loads(shown.out)["claims"]
    assert [row["verdict"] for row in rows] == ["UNKNOWN", "UNKNOWN"]
    lines = [line for line in shown.err.splitlines() if "cvc5 says" in line]
    assert lines == [
        f"staleproof: mine.{name}: z3 says unsat, cvc5 says sat: one: x > 1 implies x > 0"
        for name in ("lemma", "theorem")
    ]


@pytest.mark.usefixtures("needs_cvc5")
def test_a_lemma_that_solvers_disagree_on_takes_its_theorem_along(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    silent = FALSE.replace(
        'Claim("mine.theorem", "here", "A theorem.", "", account,',
        'Claim("mine.theorem", "here", "A theorem.", "", '
        "lambda formulas: Account(Decision((Compared('1 = 1', __name__, True),))), "
        f"{CONTROLLED},",
    )
    assert silent != FALSE
    path.write_text(silent, encoding="utf-8")
    monkeypatch.setattr("theory.judging.opinions._answer", lambda text, rlimit: ("sat", ""))
    assert main(["verify", str(path), "--cross", "--json", "--require", "REFUTED"]) == 1
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)["claims"]}
    assert rows["mine.theorem"]["verdict"] == "UNKNOWN"
    assert "mine.lemma, which is UNKNOWN" in rows["mine.theorem"]["evidence"][-1]["says"]


def test_smt_writes_what_z3_answers_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "queries"
    assert main(["verify", CLAIM, "--smt", str(folder)]) == 0
    written = sorted(folder.iterdir())
    assert [path.name for path in written[:2]] == ["0001.smt2", "0002.smt2"]
    assert str(written[0]) in capsys.readouterr().out
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert f"; claim: {CLAIM}\n" in text
        solver = z3.Solver()
        solver.from_string(text)
        assert f"; z3 answers: {solver.check()}\n" in text


def test_smt_needs_no_second_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.smt.cvc5.find_spec", lambda name: None)
    assert main(["verify", CLAIM, "--smt", str(tmp_path), "--json"]) == 0
    assert any(tmp_path.iterdir())


def test_without_cvc5_one_line_and_no_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("theory.smt.cvc5.find_spec", lambda name: None)
    assert main(["verify", CLAIM, "--cross", "--json"]) == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"]["fix"] == "run: pip install 'staleproof[cross]'"
    assert f"] {CLAIM}" not in shown.err, "it says so before anything is judged"


@pytest.mark.usefixtures("needs_cvc5")
@pytest.mark.slow
def test_processes_bring_their_queries_along(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for jobs in ("1", "2"):
        assert main(["verify", "rpd.prop-4.1", CLAIM, "--cross", "--json", "-j", jobs]) == 0
        rows = json.loads(capsys.readouterr().out)["claims"]
        found.append([(row["id"], row["verdict"], row["evidence"]) for row in rows])
    assert found[0] == found[1]


def test_a_folder_that_cannot_be_written_is_refused_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert main(["verify", CLAIM, "--smt", str(tmp_path / "taken")]) == 2
    assert f"] {CLAIM}" not in capsys.readouterr().err
