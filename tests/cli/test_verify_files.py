"""`staleproof verify FILE`: claims of one's own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.claim_files import file, judged, reaching, returned

Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]
CHEAP = "rpd.lemma-c1-window"


@pytest.fixture
def mine(tmp_path: Path) -> Callable[..., Path]:
    def mine(*claims: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(file(*claims), encoding="utf-8")
        return path

    return mine


def test_proved_file(shell: Run, mine: Callable[..., Path]) -> None:
    done = shell("verify", mine(reaching("mine.one", "PROVED")))
    assert (done.returncode, done.stderr) == (0, "[1/1] mine.one\n")
    assert done.stdout.splitlines()[-1] == "1 claim: 1 PROVED"


@pytest.mark.parametrize("verdict", ["CONDITIONAL", "CHECKED", "UNKNOWN", "REFUTED"])
def test_less_than_proved_falls_short(run: Run, mine: Callable[..., Path], verdict: str) -> None:
    path = mine(reaching("mine.one", "PROVED"), reaching("mine.two", verdict))
    done = run("verify", path, "--json")
    assert done.returncode == 1
    short = f"staleproof: mine.two: the verdict is {verdict}, PROVED is required"
    assert done.stderr.splitlines()[2:] == [short]
    assert [row["verdict"] for row in json.loads(done.stdout)["claims"]] == ["PROVED", verdict]


@pytest.mark.parametrize(
    ("required", "code"),
    [
        (["CHECKED"], 0),
        (["CONDITIONAL"], 1),
        (["CHECKED:mine.one"], 0),
        (["CHECKED:mine"], 0),
        (["CHECKED:mine.two"], 1),
        (["CHECKED:mine.one,mine.two"], 0),
        (["REFUTED", "PROVED:mine.two"], 0),
        (["REFUTED", "PROVED:mine.one"], 1),
    ],
)
def test_required_instead(
    run: Run, mine: Callable[..., Path], required: list[str], code: int
) -> None:
    path = mine(reaching("mine.one", "CHECKED"), reaching("mine.two", "PROVED"))
    options = [word for entry in required for word in ("--require", entry)]
    assert run("verify", path, *options).returncode == code


def test_what_is_expected_of_a_file_is_not_required(run: Run, mine: Callable[..., Path]) -> None:
    path = str(mine(reaching("mine.one", "REFUTED"), reaching("mine.two", "PROVED")))
    assert run("verify", path, "--expect", "REFUTED:mine.one").returncode == 0
    assert run("verify", path, "--expect", "REFUTED:mine.two").returncode == 1


@pytest.mark.slow
def test_nothing_is_required_of_claims_of_ours_beside_a_file(
    run: Run, mine: Callable[..., Path]
) -> None:
    done = run("verify", "sapipe.assumption-3", mine(reaching("mine.one", "PROVED")), "--json")
    assert done.returncode == 0
    found = {row["id"]: row["verdict"] for row in json.loads(done.stdout)["claims"]}
    assert found == {"sapipe.assumption-3": "REFUTED", "mine.one": "PROVED"}


def test_what_a_file_prints_is_no_result(shell: Run, mine: Callable[..., Path]) -> None:
    body = f'print("from account")\n{returned("PROVED")}'
    path = mine('print("from file")\n', judged("mine.one", body))
    done = shell("verify", path, "--json")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["claims"]) == 1
    assert {"from file", "from account"} <= set(done.stderr.splitlines())


NOISE = """\
import os, sys
os.write(1, b"by number\\n")
os.system("echo by a child")
sys.__stdout__.write("by the old name\\n")
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_that_a_file_writes_reaches_the_result(
    shell: Run, mine: Callable[..., Path], jobs: int
) -> None:
    body = f"{NOISE}{returned('PROVED')}"
    path = mine(NOISE, *(judged(f"mine.{name}", body, "cost=9") for name in "ab"))
    done = shell("verify", path, "--json", "-j", jobs)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["claims"]) == 2
    for line in ("by number", "by a child"):
        assert done.stderr.splitlines().count(line) == 1 + jobs + 2


@pytest.mark.parametrize("place", ["file", "account"])
def test_file_that_ends_its_process_is_no_pass(
    run: Run, mine: Callable[..., Path], place: str
) -> None:
    ends = "import os; os._exit(0)"
    one = reaching("mine.one", "PROVED")
    path = mine(f"{ends}\n", one) if place == "file" else mine(judged("mine.one", ends))
    done = run("verify", path, "--json")
    assert done.returncode == 2
    assert "ended with exit code 0" in json.loads(done.stdout)["error"]["what"]


def test_same_file_by_two_names_is_one(run: Run, mine: Callable[..., Path], tmp_path: Path) -> None:
    path = mine(reaching("mine.one", "PROVED"))
    (tmp_path / "link.py").symlink_to(path)
    done = run("verify", path, f"{tmp_path}/./mine.py", tmp_path / "link.py")
    assert (done.returncode, done.stderr) == (0, "[1/1] mine.one\n")


def test_remarks_on_where_a_verdict_comes_from(run: Run, mine: Callable[..., Path]) -> None:
    path = mine(
        reaching("rpd.cor-c1", "PROVED"),
        reaching("mine.own", "REFUTED", "holds=None"),
        reaching("mine.controlled", "PROVED"),
        reaching("mine.dummy", "PROVED", 'core={"a": 2}, holds=lambda formulas: []'),
    )
    done = run("verify", path, "--require", "REFUTED", "--json")
    remarks = {
        row["id"]: [entry["says"] for entry in row["evidence"]]
        for row in json.loads(done.stdout)["claims"]
    }
    controlled = "judged by the file's own prover"
    own = f"{controlled}, without controls"
    nothing = "the file's own prover has refused nothing; give core= and holds=, to try mutants"
    place = "takes the place of the catalogue's claim of this id"
    assert remarks == {
        "rpd.cor-c1": [place, controlled],
        "mine.own": [own],
        "mine.controlled": [controlled],
        "mine.dummy": [own, f"not decided: {nothing}"],
    }
    table = run("verify", path, "--require", "REFUTED").stdout
    assert (table.count("judged"), table.count("takes")) == (4, 1)
    words = "rpd.cor-c1, mine.own, mine.controlled, mine.dummy: the file's own words"
    assert words in table


FORGED = """
import sympy
from functools import partial
from theory.judging.as_claim import account
from theory.judging.prover import Account, Claim, Decision
from theory.kernel import Sign, Theorem
from theory.kernel.lemmas import YOUNG
from theory.ledger import Step
from theory.verdicts import Verdict

a = sympy.Symbol("a", positive=True)
zero = {"zero": sympy.S.Zero}
FALSE = Theorem("mine.false", "ours", "a <= 0", "", (a,), lhs=a, terms=zero, conclude=Sign())
said = Step("ours", "a <= 0", "certificate", Verdict.PROVED)
other = lambda formulas: Account(Decision((YOUNG,)), steps=(said,))
forms = {"other": (other, zero), "partial": (partial(account, YOUNG), YOUNG.terms)}
CLAIMS = [
    Claim(f"mine.{name}", "ours", "a <= 0", "", by, printed=forms, theorem=FALSE)
    for name, (by, forms) in forms.items()
]
"""


def test_the_kernel_decides_the_theorem_of_a_claim_and_no_other(run: Run, tmp_path: Path) -> None:
    """A claim that names one theorem and hands in another is its own prover's."""
    path = tmp_path / "forged.py"
    path.write_text(FORGED, encoding="utf-8")
    done = run("verify", path, "--json")
    assert done.returncode == 1
    for row in json.loads(done.stdout)["claims"]:
        assert row["verdict"] == "UNKNOWN"
        assert "the file's own prover" in row["evidence"][0]["says"]
        assert all(
            step["verdict"] == "UNKNOWN" for step in row["steps"] if step["says"] == "a <= 0"
        )


def test_deep_adds_evidence(run: Run, mine: Callable[..., Path]) -> None:
    evidence = '__import__("theory").ledger.Evidence("against", "seen late", {})'
    path = mine(reaching("mine.one", "PROVED", f"deeper=lambda formulas: ({evidence},)"))
    assert run("verify", path).returncode == 0
    done = run("verify", path, "--deep", "--json")
    assert done.returncode == 1
    (row,) = json.loads(done.stdout)["claims"]
    assert row["verdict"] == "UNKNOWN"
    assert "seen late" in [entry["says"] for entry in row["evidence"]]


def test_report_of_a_file(run: Run, mine: Callable[..., Path], tmp_path: Path) -> None:
    path = mine(reaching("mine.one", "PROVED", "depends=('kernel.young',)"))
    assert run("verify", path, "--report", tmp_path / "report").returncode == 0
    assert "mine.one" in (tmp_path / "report" / "mine.md").read_text(encoding="utf-8")


def test_one_broken_claim_leaves_the_others(run: Run, mine: Callable[..., Path]) -> None:
    path = mine(judged("mine.one", "1 / 0"), reaching("mine.two", "PROVED"))
    done = run("verify", path, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, [row["id"] for row in found["claims"]]) == (2, ["mine.two"])
    assert found["error"]["what"].startswith("the prover stopped with ZeroDivisionError")
    done = run("verify", path)
    assert (done.returncode, "mine.two" in done.stdout) == (2, True)
    assert "staleproof: mine.one (" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([], "CLAIMS has no claim in it"),
        (["x = (\n"], "mine.py:5: no valid Python"),
        (["1 / 0\n"], "mine.py:5: stopped with ZeroDivisionError: division by zero"),
        ([reaching("one", "PROVED")], "an id is paper.name"),
        ([reaching("mine.one", "PROVED")] * 2, "two claims are called 'mine.one'"),
        ([reaching("mine.one", "PROVED", "depends=('mine.one',)")], "mine.one → mine.one"),
        ([reaching("mine.one", "PROVED", "depends=('rpd.cor-c2',)")], "'rpd.cor-c1'"),
        (
            [judged("mine.one", "{}['a']")],
            "mine.py:6): the prover stopped with KeyError: 'a'; correct the claim file",
        ),
        ([judged("mine.one", "import sys; sys.exit(0)")], "stopped with SystemExit: 0"),
        ([judged("mine.one", "return None")], "account returns a theory.account.Account"),
        (
            [judged("mine.one", returned("PROVED", "findings=(Finding(3, '', '', {1: 1}),)"))],
            "(mine.one).findings[0].kind",
        ),
        (
            [judged("mine.one", returned("PROVED", "steps=(3,)"))],
            "steps of an account is a tuple of Line or Step, found 3",
        ),
        (
            [judged("mine.one", returned("PROVED", "assumes=(3,)"))],
            "assumes of an account is a tuple of str, found 3",
        ),
        (
            [judged("mine.one", "return Account(Decision((Compared('a', 'nonsense.f', True),)))")],
            "named by its module, found 'nonsense.f'",
        ),
        (
            [reaching("mine.one", "PROVED", "origin='wild'")],
            "origin is one of printed, reconstructed, implied, ours, found 'wild'",
        ),
        (
            [judged("mine.one", returned("REFUTED").replace('{"p": 2}', '{"p": float("nan")}'))],
            "(mine.one).counterexample",
        ),
    ],
)
def test_bad_file(run: Run, mine: Callable[..., Path], claims: list[str], expected: str) -> None:
    path = mine(*claims)
    done = run("verify", path)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("[")]
    assert (done.returncode, done.stdout, len(lines)) == (2, "", 1)
    assert lines[0].startswith("staleproof: ")
    assert expected in lines[0]
    done = run("verify", path, "--json")
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert list(found) == ["schema", "version", "error"]
    assert set(found["error"]) == {"what", "where", "fix"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["missing.py"], "there is no such file"),
        (["/dev/null"], "ends in .py"),
        (["mine.one"], "no paper or claim is called 'mine.one'"),
        (["rpd.cor-c1", "missing.py"], "there is no such file"),
    ],
)
def test_missing_file(problem: Problem, names: list[str], expected: str) -> None:
    assert expected in problem("verify", *names)["what"]


def test_required_of_a_claim_that_is_nowhere(problem: Problem, mine: Callable[..., Path]) -> None:
    path = mine(reaching("mine.one", "PROVED"))
    error = problem("verify", path, "--require", "PROVED:mine.on")
    assert (error["where"], error["fix"]) == ("--require", "did you mean 'mine.one'?")
    error = problem("verify", path, "--require", f"PROVED:{CHEAP}")
    assert "not selected" in error["what"]


def test_process_that_dies_is_one_line(shell: Run, mine: Callable[..., Path]) -> None:
    path = mine(
        judged("mine.dies", "import os; os._exit(9)", "cost=9"),
        judged("mine.waits", "import time; time.sleep(99)", "cost=9"),
    )
    done = shell("verify", path, "-j", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "staleproof: mine.dies: the process that ran it ended with exit code 9; "
        "give it more memory, and let no claim end its process"
    )


@pytest.mark.slow
def test_ledgers_are_equal_but_for_the_seconds(run: Run, mine: Callable[..., Path]) -> None:
    path = mine(
        reaching("mine.refuted", "REFUTED", "cost=3"), reaching("mine.open", "UNKNOWN", "cost=4")
    )
    found = []
    for jobs in (1, 2):
        done = run("verify", path, "localsgd.schedule", "-j", jobs, "--json")
        assert done.returncode == 1
        ledger = json.loads(done.stdout)
        for row in ledger["claims"]:
            del row["seconds"]
        found.append((ledger, [line for line in done.stderr.splitlines() if line[0] != "["]))
    assert found[0] == found[1]


def test_ctrl_c_while_a_process_starts(mine: Callable[..., Path]) -> None:
    path = mine(*(judged(f"mine.{k}", "import time; time.sleep(99)", "cost=9") for k in range(3)))
    process = subprocess.Popen(
        [sys.executable, "-m", "staleproof", "verify", path, "-j", "3"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "[1/3] mine.0\n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "staleproof: interrupted"
    assert "Traceback" not in err


FALSE = """
from theory.notation import exp, positive, theorem

a = positive("a")
T = theorem("mine.tangent")
T.assume(a <= 1)
CLAIM = T.shows(1 - a <= exp(-2 * a))
"""


def test_an_attack_has_a_budget(run: Run, problem: Problem, tmp_path: Path) -> None:
    path = tmp_path / "false.py"
    path.write_text(FALSE, encoding="utf-8")
    assert run("verify", path, "--expect", "REFUTED:mine.tangent").returncode == 0
    assert run("verify", path, "--attack", "0", "--expect", "UNKNOWN:mine.tangent").returncode == 0
    assert "--attack" in problem("verify", path, "--attack", "-1")["where"]


TELLING = """
from theory.account import Account, Decision
from theory.claims import Claim
from theory.falsifier.effort import current

def account(printed):
    current().told("tries small runs")
    return Account(Decision())

CLAIM = Claim("mine.one", "here", "Something.", "x", account, {})
"""


def test_how_far_an_attack_is_comes_from_the_process_that_makes_it(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "telling.py"
    path.write_text(TELLING, encoding="utf-8")
    done = run("verify", path, "--expect", "UNKNOWN:mine.one")
    assert done.returncode == 0
    assert "[1/1] mine.one: tries small runs" in done.stderr.splitlines()
    assert "tries" not in run("verify", path, "--quiet", "--require", "UNKNOWN").stderr


TWO = """
from theory.kernel import Combine
from theory.notation import equal, le, positive, theorem

a, T = positive("a"), theorem("mine.plain")
FIRST = T.shows(le(a, 2 * a), by=Combine(plus=(a,)))
T.id = "mine.supposed"
T.assume(equal(a, 5), "five")
CLAIMS = [FIRST, T.shows(a <= 5, by=Combine({"five": 1}))]
"""


def test_each_claim_of_a_file_comes_with_what_it_supposes(run: Run, tmp_path: Path) -> None:
    """Of a ≤ 5 · PROVED a reader has to know that a = 5."""
    path = tmp_path / "two.py"
    path.write_text(TWO, encoding="utf-8")
    done = run("verify", path)
    told = done.stdout.splitlines()
    begins = told.index("mine.supposed:")
    assert told[begins + 1].startswith("  if a == 5")
    assert told[begins + 2] == "  for every a: positive"
    assert "mine.plain:" not in told
    assert told[-1] == "2 claims: 2 PROVED"
