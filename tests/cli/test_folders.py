"""A user's folder does what the folder of a paper does: `verify`, `report`, `certify`, `bounds`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.certified import FILE
from theory.bounds.of_folder import of_claims
from theory.judging.loading import load

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

SYMBOLS = """\
import sympy
a, d, eta = sympy.symbols("a delta eta", positive=True)
T = sympy.Symbol("T", integer=True, positive=True)
"""
SPLIT = """\
from symbols import a
from theory.kernel import Combine, Theorem, vectors

u, v = vectors("u v")
CLAIM = Theorem(
    id="mine.split",
    where="my paper, Lemma 3",
    statement="A square splits.",
    latex="",
    symbols=(a,),
    vectors=(u, v),
    lhs=(u + v)**2,
    terms={"first": (1 + a) * u**2, "second": (1 + 1 / a) * v**2},
    conclude=Combine(squares=((1 / a, a * u - v),)),
)
"""
ERROR = """\
from lemmas.split import CLAIM as SPLIT, u, v
from symbols import a, d
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, le

CLAIM = Theorem(
    id="mine.error",
    where="my paper, Theorem 4",
    statement="A square with an error.",
    latex="",
    symbols=(a, d),
    vectors=(u, v),
    hypotheses=(Hypothesis("small", "v is small", le(v**2, d**2)),),
    steps=(Step("split", SPLIT.goal, Cite("mine.split"), where="first line"),),
    lhs=(u + v)**2,
    terms={"step": (1 + a) * u**2, "error": (1 + 1 / a) * d**2},
    conclude=Combine({"split": 1, "small": 1 + 1 / a}),
    cites=(SPLIT,),
)
"""
RATE = """\
import sympy
from symbols import T, d, eta
from theory.kernel import Combine, Hypothesis, Theorem, le

r = sympy.Symbol("r", positive=True)
HALF = Hypothesis("half", "what one step gives", le(r, d / (eta * T) + eta * d / 2))
CLAIM = Theorem(
    id="mine.rate",
    where="my paper, Theorem 5",
    statement="A rate.",
    latex="",
    symbols=(T, d, eta, r),
    hypotheses=(HALF, Hypothesis("short", "short steps", le(eta, 1))),
    lhs=r,
    terms={"start": d / (eta * T), "noise": eta * d},
    conclude=Combine({"half": 1}, plus=(eta * d / 2,)),
)
"""
FILES = {
    "symbols.py": SYMBOLS,
    "lemmas/split.py": SPLIT,
    "a_theorem.py": ERROR,
    "rate.py": RATE,
    "drawing.py": "raise SystemExit('no file of claims, so nobody runs it')\n",
}
PACKAGE = {
    "__init__.py": "from mine import a_theorem, rate\nfrom mine.lemmas import split\n"
    "CLAIMS = [rate.CLAIM, split.CLAIM, a_theorem.CLAIM]\n",
    "symbols.py": SYMBOLS,
    "lemmas/__init__.py": "",
    "lemmas/split.py": SPLIT.replace("from symbols", "from ..symbols"),
    "a_theorem.py": ERROR.replace("from lemmas", "from .lemmas").replace(
        "from symbols", "from .symbols"
    ),
    "rate.py": RATE.replace("from symbols", "from mine.symbols"),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("files", "ids"),
    [
        (FILES, ["mine.split", "mine.error", "mine.rate"]),
        (PACKAGE, ["mine.rate", "mine.split", "mine.error"]),
    ],
)
def test_a_folder_is_proved_in_the_order_of_what_it_needs(
    shell: Run, tmp_path: Path, files: dict[str, str], ids: list[str]
) -> None:
    folder = written(tmp_path / "mine", files)
    done = shell("verify", folder, "--json")  # many tests have a package called mine
    ledger = json.loads(done.stdout)
    assert done.returncode == 0, ledger
    assert [(row["id"], row["verdict"]) for row in ledger["claims"]] == [
        (name, "PROVED") for name in ids
    ]
    by_id = {row["id"]: row for row in ledger["claims"]}
    assert by_id["mine.error"]["depends"] == ["mine.split"]
    assert not list(folder.rglob("__pycache__"))


def test_a_false_claim_of_a_folder_fails(run: Run, tmp_path: Path) -> None:
    false = SPLIT.replace("(1 + 1 / a) * v**2}", "v**2 / a}")
    done = run("verify", written(tmp_path, {**FILES, "lemmas/split.py": false}))
    assert done.returncode == 1
    assert "mine.split: the verdict is REFUTED, PROVED is required" in done.stderr
    assert "mine.error: the verdict is" in done.stderr


def test_two_folders_may_call_their_files_alike(result: Result, tmp_path: Path) -> None:
    other = {
        "symbols.py": SYMBOLS.replace("a, d", "b, d").replace('"a ', '"b '),
        "lemma.py": SPLIT.replace("import a", "import b as a").replace("mine.", "other."),
    }
    one, two = written(tmp_path / "one", FILES), written(tmp_path / "two", other)
    code, ledger = result("verify", one, two, "-j", "1")
    goals = {row["id"]: row["goal"] for row in ledger["claims"]}
    assert code == 0
    assert "1/a" in goals["mine.split"]
    assert "1/b" in goals["other.split"]


def test_a_report_of_a_folder(run: Run, tmp_path: Path) -> None:
    done = run("report", written(tmp_path / "mine", FILES), "-o", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "report").iterdir()} >= {"report.md", "ledger.json"}
    files = {path.name: path for path in (tmp_path / "report").iterdir()}
    assert "A square with an error." in files["mine.md"].read_text()


def test_a_folder_is_called_what_its_readme_says(run: Run, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {**FILES, "README.md": "# Squares & errors (ICML 2031)\n"})
    assert run("report", folder, "-o", tmp_path / "report").returncode == 0
    text = (tmp_path / "report" / "mine.md").read_text()
    assert text.startswith("# Squares & errors\n")
    assert "ICML 2031" in text
    papers = json.loads((tmp_path / "report" / "ledger.json").read_text())["papers"]
    assert papers["mine"]["folder"] == "mine"
    assert r"\LARGE Squares \& errors\par" in (tmp_path / "report" / "mine.tex").read_text()


def test_a_folder_is_certified(run: Run, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {"found.py": FILE, "notes.py": "import no_such_thing\n"})
    assert run("verify", folder).returncode == 1
    assert run("certify", folder).returncode == 0
    assert json.loads((folder / "found.certificates.json").read_text())["certificates"]
    assert run("verify", folder).returncode == 0


GIVEN = ("--set", "T=100", "--set", "delta=2")


def test_bounds_of_a_folder_are_what_its_theorems_state(result: Result, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", FILES)
    code, found = result("bounds", folder, *GIVEN, "--set", "eta=1/10")
    assert code == 0
    ((entry),) = found["bounds"]
    assert (entry["method"], entry["value"]["exact"]) == ("mine.rate", "2/5")
    assert {name: term["exact"] for name, term in entry["terms"].items()} == {
        "start": "1/5",
        "noise": "1/5",
    }
    _, tuned = result("bounds", folder, "mine.rate", *GIVEN, "--tune", "stepsize")
    assert tuned["tuned"][0]["stepsize"]["exact"] == "1/10"
    _, along = result("bounds", folder, "--set", "delta=2", "--set", "eta=1/10", "--over", "T=1..3")
    assert along["series"]["curves"][0]["values"] == pytest.approx([20.2, 10.2, 20 / 3 + 0.2])


def test_bounds_of_a_folder_are_listed(run: Run, tmp_path: Path) -> None:
    done = run("bounds", written(tmp_path / "mine", FILES))
    assert (done.returncode, done.stdout) == (0, "mine.rate: r; T, delta, eta\n")


def test_a_sequence_begins_at_a_number(result: Result, tmp_path: Path) -> None:
    sequence = """\
from theory.notation import count, index, positive, theorem, vector

rho, k, K, x = positive("rho"), index("k"), count("K"), vector("x")
T = theorem("mine.start")
T.iterate(x, x / 2, k)
D = T.sequence("D", x**2)
CLAIM = T.shows(D(K) <= rho * D(0) / K)
"""
    folder = written(tmp_path / "mine", {"start.py": sequence})
    _, found = result("bounds", folder, "--set", "K=4", "--set", "rho=1/2", "--set", "D_0=8")
    assert [entry["value"]["exact"] for entry in found["bounds"]] == ["1"]


def test_a_folder_names_its_bounds(result: Result, tmp_path: Path) -> None:
    named = """\
from rate import CLAIM
from theory.bounds import Bound
BOUNDS = [
    Bound("plain", "printed", "Theorem 5", "r", "mine.rate", (CLAIM.terms,)),
    Bound("half", "sharpened", "its proof", "r", "mine.rate", (
        {**CLAIM.terms, "noise": CLAIM.terms["noise"] / 2},
    )),
]
"""
    folder = written(tmp_path / "mine", {**FILES, "bounds.py": named})
    _, found = result("bounds", folder, *GIVEN, "--set", "eta=1/10")
    values = {entry["method"]: entry["value"]["exact"] for entry in found["bounds"]}
    assert values == {"plain": "2/5", "half": "3/10"}


def test_what_the_numbers_of_a_folder_must_satisfy(problem: Problem, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", FILES)
    assert "needs eta <= 1" in problem("bounds", folder, *GIVEN, "--set", "eta=2")["what"]
    assert "mine.rate needs a value for T" in problem("bounds", folder, "--set", "eta=1")["what"]
    assert problem("bounds", folder, folder.parent)["where"] == "METHOD"
    assert problem("bounds", folder, "mine.rat")["fix"] == "did you mean 'mine.rate'?"


def test_a_stepsize_on_the_left_is_held_to_its_condition(tmp_path: Path) -> None:
    """γ²D(K) ≤ … is proved for γD(0) ≤ 1 and γ ≤ 2 only; D is what is bounded, and not γ."""
    stated = """\
from theory.notation import count, index, positive, theorem, vector

gamma, k, K, x = positive("gamma"), index("k"), count("K"), vector("x")
T = theorem("mine.left")
T.iterate(x, x / 2, k)
D = T.sequence("D", x**2)
T.assume(gamma <= 2)
T.assume(gamma * D(0) <= 1)
CLAIM = T.shows(gamma**2 * D(K) <= D(0))
"""
    (bound,) = of_claims(load(str(written(tmp_path / "mine", {"left.py": stated}))))
    assert [str(one) for one in bound.conditions] == [
        "gamma <= 2",
        "D_0*gamma <= 1",
    ]


CHALLENGED = """\
from fractions import Fraction
import sympy
from theory.falsifier import Instance
from theory.falsifier.challenges import challenge
from theory.falsifier.zoo import QUADRATICS
from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Theorem

a, r = sympy.symbols("a r", positive=True)
THEOREM = Theorem(
    id="mine.square",
    where="my paper",
    statement="r, which is the square of a, is at most 2a.",
    latex="",
    symbols=(a, r),
    lhs=r,
    terms={"twice": 2 * a},
    conclude=Combine(),
)


def made(size):
    return Instance(QUADRATICS[0](1), (("a", Fraction(size)),), "none")


def square(one):
    return one.numbers["a"] ** 2


SQUARES = challenge("squares", "a²", lambda deep: (1, 3), made, square, square, lambda one: ())
CLAIM = as_claim(THEOREM, SQUARES)
"""


@pytest.mark.slow
@pytest.mark.slow  # which imports all papers, as it asks whether one of them has it
def test_a_folder_brings_its_own_challenge(result: Result, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {"square.py": CHALLENGED})
    code, ledger = result("verify", folder)
    (row,) = ledger["claims"]
    assert (code, row["verdict"]) == (1, "REFUTED")
    assert (row["counterexample"]["measured"], row["counterexample"]["bound"]) == ("9", "6")
    assert any("the file's own prover" in entry["says"] for entry in row["evidence"])
    assert [one["module"] for one in row["trusted"]] == ["square"]


RECORD = """\
from fractions import Fraction
from mine import rate
from theory.judging.as_claim import as_claim
from theory.record import Paper
from theory.tightness.evidence import Attained, Extremal

TIGHT = Attained(lambda: Extremal("one run", Fraction(1), Fraction(2)))
PAPER = Paper((as_claim(rate.CLAIM),), tightness={"mine.rate": TIGHT})
"""


def test_the_record_of_a_folder_is_read(shell: Run, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {**PACKAGE, "__init__.py": RECORD})
    done = shell("verify", folder, "--deep", "--json")
    code, ledger = done.returncode, json.loads(done.stdout)
    (row,) = ledger["claims"]
    assert (code, row["id"], row["verdict"]) == (0, "mine.rate", "PROVED")
    assert any("attains 1/2 of the bound" in entry["says"] for entry in row["evidence"])


FALSE = """\
from theory.notation import le, positive, theorem
a, b = positive("a b")
ONE = theorem("mine.false").shows(le(a, b))
"""
WAYS = [
    "if True:\n    CLAIM = ONE",
    "try:\n    CLAIM = ONE\nfinally:\n    pass",
    "for CLAIM in [ONE]:\n    pass",
    "from contextlib import nullcontext\nwith nullcontext(ONE) as CLAIM:\n    pass",
    "(CLAIM) = ONE",
    "x, CLAIM = 0, ONE",
    "x, *CLAIMS = 0, ONE",
    "x = 0; CLAIM = ONE",
    "(CLAIM := ONE)",
    "if True:\n    CLAIM: object = ONE",
    "def run():\n    global CLAIM\n    CLAIM = ONE\nrun()",
    "match ONE:\n    case CLAIM:\n        pass",
    "globals()['CLAIM'] = ONE",
    "globals().update(CLAIM=ONE)",
    "import sys\nsys.modules[__name__].CLAIM = ONE",
    "from other import CLAIM",
    "from other import ONE as CLAIM",
    "from other import *",
    "PAPER = 'arXiv'\nCLAIM = ONE",
]


@pytest.mark.parametrize("way", WAYS)
def test_no_claim_of_a_folder_is_passed_over(tmp_path: Path, way: str) -> None:
    written(tmp_path, {"other.py": f"{FALSE}setattr(__import__(__name__), 'CLAI' + 'M', ONE)\n"})
    folder = written(tmp_path / "mine", {"symbols.py": SYMBOLS, "split.py": SPLIT})
    (tmp_path / "mine" / "there").symlink_to(written(tmp_path / "far", {"b.py": FALSE + way}))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        assert {claim.id for claim in load(str(folder))} == {"mine.split", "mine.false"}


def test_what_only_reads_a_claim_is_not_run(tmp_path: Path) -> None:
    reads = "from split import CLAIM as SPLIT\nraise ValueError(SPLIT)\n"
    folder = written(tmp_path, {"symbols.py": SYMBOLS, "split.py": SPLIT, "show.py": reads})
    (tmp_path / "again").symlink_to(tmp_path)
    assert [claim.id for claim in load(str(folder))] == ["mine.split"]


BAD: dict[str, tuple[dict[str, str], str]] = {
    "nothing": ({"helper.py": "x = 1\n"}, "no Python file in this folder defines CLAIM"),
    "twice": ({**FILES, "b.py": SPLIT}, "two claims are called 'mine.split'"),
    "what is no Python beside a claim": ({**FILES, "b.py": "if 1:\n  CLAIM = (\n"}, "b.py:2"),
    "syntax": ({"a.py": "CLAIM = (\n"}, "a.py:1: no valid Python"),
    "in a helper": ({**FILES, "symbols.py": "a = 1 / 0\n"}, "symbols.py:1"),
    "no claim": ({"a.py": "CLAIM = 7\n"}, "CLAIM is a theory.claims.Claim"),
    "no neighbour": ({"a.py": "import nowhere\nCLAIM = 7\n"}, "No module named 'nowhere'"),
    "a record": ({"__init__.py": "PAPER = 3\n"}, "PAPER"),
}


@pytest.mark.parametrize("command", ["verify", "certify", "bounds"])
@pytest.mark.parametrize(("files", "expected"), BAD.values(), ids=BAD)
def test_bad_folders(
    problem: Problem, tmp_path: Path, files: dict[str, str], expected: str, command: str
) -> None:
    error = problem(command, written(tmp_path / "mine", files))
    assert expected in f"{error['where']}: {error['what']}; {error['fix']}"


def test_a_folder_without_bounds(problem: Problem, tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", {"symbols.py": SYMBOLS, "split.py": SPLIT})
    assert "by constants alone" in problem("bounds", folder)["what"]
    written(folder, {"bounds.py": "BOUNDS = 3\n"})
    assert problem("bounds", folder)["fix"]
