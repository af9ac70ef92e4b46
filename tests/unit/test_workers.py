"""`theory.judging.workers`: claims judged side by side are judged as they are one by one."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.claim_files import file, judged, reaching, returned
from theory.account import Account, Compared, Decision
from theory.errors import ClaimFileError, CycleError, ProverError, TheoryError, WorkerError
from theory.judging.verify import ledger, select, verify
from theory.judging.workers import processes, read_elsewhere
from theory.verdicts import Verdict

PROVED = Account(Decision((Compared("1 = 1", __name__, True),)))
PROVES = returned("PROVED")
AGAINST = '(__import__("theory").ledger.Evidence("against", "a replay", {}),)'
SAYS_WHERE = f"""\
import os
from theory.ledger import Evidence
where = Evidence("neither", str(os.getpid()), {{"folder": os.getcwd()}})
{returned("PROVED", "evidence=(where,)")}"""


def written(folder: Path, *claims: str) -> str:
    path = folder / "mine.py"
    path.write_text(file(*claims), encoding="utf-8")
    return str(path)


def heavy(name: str, body: str, cost: float = 2) -> str:
    """A claim that is said to take long, so that processes are worth it."""
    return judged(name, body, f"cost={cost}")


@pytest.mark.slow
def test_verdicts_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    names = ["kernel.young", "localsgd.schedule"]
    claims = [
        heavy("mine.refuted", returned("REFUTED")),
        heavy("mine.against", returned("PROVED", f"evidence={AGAINST}"), 3),
        reaching("mine.deep", "PROVED", f"deeper=lambda formulas: {AGAINST}"),
        heavy("mine.unknown", 'raise __import__("theory").errors.UnsupportedFormError("", "", "")'),
    ]
    selected = select([*names, written(tmp_path, *claims)])
    found = {}
    for jobs in (1, 2, 3):
        begun: list[tuple[str, int, int]] = []
        rows = verify(selected, lambda *progress, to=begun: to.append(progress), jobs, deep=True)
        found[jobs] = [{**row, "seconds": 0} for row in ledger(rows)["claims"]]
        assert [row["id"] for row in found[jobs]] == [one.id for one in selected]
        assert sorted(name for name, _, _ in begun) == sorted(one.id for one in selected)
        assert [number for _, number, _ in begun] == list(range(len(selected)))
        assert {total for _, _, total in begun} == {len(selected)}
    assert found[1] == found[2] == found[3]
    verdicts = {row["id"]: row["verdict"] for row in found[2]}
    assert verdicts["mine.against"] == verdicts["mine.deep"] == "UNKNOWN"


@pytest.mark.parametrize(("jobs", "here"), [(1, True), (2, False)])
def test_processes_are_really_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, here: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, *(heavy(f"m.{k}", SAYS_WHERE) for k in "ab"))
    rows = verify(select(["mine.py"]), jobs=jobs)
    evidence = [row.judgement.evidence[0] for row in rows]
    assert all((entry.says == str(os.getpid())) is here for entry in evidence)
    assert {entry.data["folder"] for entry in evidence} == {os.getcwd()}


def test_the_process_that_is_copied_runs_nothing_of_a_user(tmp_path: Path) -> None:
    (tmp_path / "sympy.py").write_text("raise SystemExit('a neighbour took its place')")
    path = written(tmp_path, judged("mine.a", SAYS_WHERE))
    code = (
        "import sys\nsys.path.remove('')\nfrom theory.judging.starting import get_ready\n"
        "get_ready()\nfrom theory.judging.verify import select, verify\n"
        "from theory.judging.workers import read_elsewhere\n"
        f"(row,) = verify(select([{path!r}], read_elsewhere))\nprint(row.verdict.name)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert ended.stdout == "PROVED\n"
    assert "neighbour" not in ended.stderr


def test_longest_claims_begin_first(tmp_path: Path) -> None:
    costs = {"mine.a": 1, "mine.b": 5, "mine.c": 2, "mine.d": 5}
    path = written(tmp_path, *(heavy(name, PROVES, cost) for name, cost in costs.items()))
    begun: list[str] = []
    rows = verify(select([path]), lambda name, number, total: begun.append(name), jobs=2)
    assert begun == ["mine.b", "mine.d", "mine.c", "mine.a"]
    assert [row.id for row in rows] == list(costs)


def test_what_is_shared_is_judged_in_one_process(tmp_path: Path) -> None:
    shares = ["a", "b", "", "a", "b", "a"]
    claims = [
        judged(f"mine.{k}", SAYS_WHERE, f"shares={name!r}, cost=2") for k, name in enumerate(shares)
    ]
    begun: list[str] = []
    path = written(tmp_path, *claims)
    rows = verify(select([path]), lambda name, number, total: begun.append(name), jobs=3)
    where = [row.judgement.evidence[0].says for row in rows]
    assert where[0] == where[3] == where[5]
    assert where[1] == where[4] != where[0]
    assert begun[:3] == ["mine.0", "mine.1", "mine.2"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_first_error_wins_whatever_ends_first(tmp_path: Path, jobs: int) -> None:
    slow = "import time; time.sleep(0.5); raise ValueError('the first')"
    path = written(
        tmp_path,
        heavy("mine.fine", PROVES, 1),
        heavy("mine.slow", slow),
        heavy("mine.quick", "raise KeyError('the second')", 9),
    )
    with pytest.raises(ProverError) as caught:
        verify(select([path]), jobs=jobs)
    assert str(caught.value) == (
        f"mine.slow ({path}:9): the prover stopped with ValueError: the first; "
        "correct the claim file"
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_claim_that_cannot_be_judged_keeps_no_other_from_it(tmp_path: Path, jobs: int) -> None:
    claims = [heavy("mine.0", "raise ValueError", 9), heavy("mine.1", PROVES)]
    claims += [heavy("mine.2", "return 1 / 0"), judged("mine.3", PROVES, "depends=('mine.0',)")]
    unjudged: list[TheoryError] = []
    rows = verify(select([written(tmp_path, *claims)]), jobs=jobs, unjudged=unjudged)
    assert [(row.id, row.verdict.name) for row in rows] == [
        ("mine.1", "PROVED"),
        ("mine.3", "UNKNOWN"),
    ]
    assert "rests on mine.0, which is not judged" in rows[1].judgement.evidence[-1].says
    assert [error.where.partition(" ")[0] for error in unjudged] == ["mine.0", "mine.2"]


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9"),
        ("os._exit(7)", "ended with exit code 7"),
    ],
)
def test_process_that_dies_is_an_error_and_no_hang(tmp_path: Path, end: str, expected: str) -> None:
    waits = "import time; time.sleep(60)"
    path = written(
        tmp_path, heavy("mine.waits", waits), heavy("mine.dies", f"import os, signal; {end}")
    )
    with pytest.raises(WorkerError) as caught:
        verify(select([path]), jobs=2)
    assert caught.value.where == "mine.dies"
    assert expected in caught.value.what


def test_only_what_is_found_again_elsewhere_is_judged_elsewhere(tmp_path: Path) -> None:
    path = written(tmp_path, *(heavy(f"mine.{k}", "return 1 / 0", 9) for k in range(4)))
    claims = select([path])
    assert processes(claims, jobs=8) == 4
    assert processes(claims, jobs=3) == 3
    assert processes(claims[:1], jobs=8) == 0
    assert processes(claims, jobs=1) == 0
    assert processes([replace(one, cost=0.1) for one in claims], jobs=8) == 0
    other = [replace(one, account=lambda formulas: PROVED, source=None) for one in claims]
    assert processes(other, jobs=8) == 0
    assert [row.verdict for row in verify(other, jobs=8)] == [Verdict.PROVED] * 4


def test_files_read_elsewhere_are_judged_elsewhere(tmp_path: Path) -> None:
    path = written(tmp_path, judged("mine.a", SAYS_WHERE, "cost=0"))
    there = select([path], read_elsewhere)
    assert [claim.id for claim in there] == ["mine.a"]
    assert (processes(there, jobs=1), processes(there, jobs=8)) == (1, 1)
    (row,) = verify(there, jobs=1)
    assert row.judgement.evidence[0].says != str(os.getpid())
    with pytest.raises(ProverError, match="its file was read by another process"):
        there[0].account({})
    here = [replace(one, id="other.b") for one in select([path])]
    with pytest.raises(WorkerError, match=r"only this process knows other\.b"):
        verify([*there, *here])


@pytest.mark.parametrize("text", ["import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"])
def test_file_that_ends_the_process_that_reads_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WorkerError) as caught:
        read_elsewhere([str(path)])
    assert caught.value.where == str(path)
    assert "the process that ran it" in caught.value.what


def test_process_that_leaves_a_child_behind_is_missed(tmp_path: Path) -> None:
    body = """\
import os, time
if os.fork() == 0:
    time.sleep(25)
    os._exit(0)
os.kill(os.getpid(), 9)"""
    path = written(tmp_path, heavy("mine.dies", body), heavy("mine.b", body))
    start = time.monotonic()
    with pytest.raises(WorkerError, match="was ended by signal 9"):
        verify(select([path]), jobs=2)
    assert time.monotonic() - start < 15


def test_copy_of_a_process_has_nothing_to_say(tmp_path: Path) -> None:
    forks = f"import os\nos.fork()\n{PROVES}"
    slow = f"import time\ntime.sleep(0.3)\n{returned('UNKNOWN')}"
    claims = [heavy("mine.a", forks), *(heavy(f"mine.{k}", slow) for k in "bcd")]
    rows = verify(select([written(tmp_path, *claims)], read_elsewhere), jobs=1)
    assert [(row.id, row.verdict.name) for row in rows] == [
        ("mine.a", "PROVED"),
        *((f"mine.{k}", "UNKNOWN") for k in "bcd"),
    ]


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        ("raise GeneratorExit", ProverError, "the prover stopped with GeneratorExit"),
        ("raise KeyboardInterrupt", ProverError, "the prover stopped with KeyboardInterrupt"),
        ("raise type('E', (BaseException,), {})('x')", ProverError, "the prover stopped with E: x"),
        (
            returned("PROVED", "assumes=(lambda: 0,)"),
            TheoryError,
            "assumes of an account is a tuple of str",
        ),
        (
            returned("PROVED", "assumes=(Text('x'),)"),
            WorkerError,
            "sent back is no plain data",
        ),
        ("raise Mine('what', 'where', 'fix')", ClaimFileError, "what"),
    ],
)
def test_whatever_a_prover_does_is_one_error(
    tmp_path: Path, body: str, kind: type[TheoryError], expected: str
) -> None:
    path = tmp_path / "mine.py"
    own = (
        "from theory.errors import TheoryError\n"
        "class Text(str): pass\nclass Mine(TheoryError): pass\n"
    )
    path.write_text(own + file(judged("mine.a", body)), encoding="utf-8")
    with pytest.raises(kind) as caught:
        verify(select([str(path)], read_elsewhere))
    assert type(caught.value) is kind
    assert expected in caught.value.what
    assert "mine" in caught.value.where


@pytest.mark.parametrize("change", [lambda path: path.unlink(), lambda path: path.write_text("#")])
def test_file_that_changes_before_it_is_judged(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(file(judged("mine.a", PROVES)), encoding="utf-8")
    there = select([str(path)], read_elsewhere)
    change(path)
    with pytest.raises(ClaimFileError) as caught:
        verify(there)
    assert caught.value.where == str(path)


def test_claim_that_is_edited_is_not_taken_for_the_one_that_was_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(file(judged("mine.a", "1 / 0")), encoding="utf-8")
    there = select([str(path)], read_elsewhere)
    path.write_text(file(judged("mine.a", PROVES)), encoding="utf-8")
    with pytest.raises(ClaimFileError, match="the file has changed since it was read"):
        verify(there)


def test_errors_travel_between_processes() -> None:
    for kind in (TheoryError, ProverError, CycleError):
        sent = pickle.loads(pickle.dumps(kind("what", "where", "fix")))
        assert (type(sent), sent.what, sent.where, sent.fix) == (kind, "what", "where", "fix")
