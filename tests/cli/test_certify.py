"""`staleproof certify`: what it prints and writes, and `verify` before and after."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.certified import FILE, data_of, written
from theory.errors import TheoryError

Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]
FALSE = FILE.replace("(1 + d) * u**2", "d * u**2")


def test_a_file_is_certified_and_then_proved(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path)
    before = run("verify", path)
    assert before.returncode == 1
    assert "UNKNOWN" in before.stdout
    done = run("certify", path)
    assert (done.returncode, done.stderr.splitlines()) == (
        0,
        ["mine.split: young", "mine.split: idle step", "mine.split: statement"],
    )
    assert done.stdout.splitlines()[-1] == f"3 of 3 certificates in {data_of(path)}"
    assert run("verify", path).returncode == 0
    again = run("certify", tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert [line.split(",")[0] for line in again.stdout.splitlines()[:3]] == [
        "mine.split: young: kept",
        "mine.split: idle step: kept",
        "mine.split: statement: kept",
    ]


def test_what_is_false_is_not_found(tmp_path: Path, result: Callable[..., Any]) -> None:
    code, found = result("certify", written(tmp_path, FALSE))
    outcomes = {one["step"]: one for one in found["certificates"]}
    assert code == 1
    (failed,) = found["failed"]
    assert (found["found"], failed["claim"], failed["step"]) == (2, "mine.split", "statement")
    assert outcomes["statement"]["outcome"] == "not found"
    assert " = " in outcomes["statement"]["why"]
    assert outcomes["statement"]["certificate"] is None
    assert outcomes["young"]["certificate"]["squares"]


def test_an_edit_is_seen_and_mended(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path)
    assert run("certify", path).returncode == 0
    stale = data_of(path).read_bytes()
    written(tmp_path, FILE.replace("(1 + d) * u**2", "(2 + d) * u**2"))
    done = run("verify", path, "--json")
    assert done.returncode == 1
    says = json.dumps(json.loads(done.stdout)["claims"][0])
    assert f"is for another formula or other facts; run: staleproof certify {path}" in says
    assert run("certify", path).returncode == 0
    assert run("verify", path).returncode == 0
    assert data_of(path).read_bytes() != stale


def test_a_claim_of_ours_without_found(run: Run) -> None:
    done = run("certify", "kernel.young")
    assert (done.returncode, done.stdout) == (0, "there is no Found here: nothing to search for\n")


def test_unknown_facts_are_named(tmp_path: Path, run: Run) -> None:
    done = run("certify", written(tmp_path, FILE.replace('Found("young",', 'Found("jung",')))
    assert done.returncode == 1
    assert "no fact is called 'jung' here" in done.stdout


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (TheoryError("so it is", "mine.bad", "mend it"), "mine.bad: so it is; mend it"),
        (IndexError("3"), "the search stopped with IndexError: 3; please report it"),
    ],
)
def test_an_error_in_one_claim_leaves_the_others(
    error: Exception,
    why: str,
    tmp_path: Path,
    result: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(theorem: Any) -> Any:
        if theorem.id == "mine.bad":
            raise error
        return theorem

    monkeypatch.setattr("theory.proving.certify.offered", refused)
    both = "\nfrom dataclasses import replace\nCLAIMS = [replace(CLAIM, id='mine.bad'), CLAIM]\n"
    path = written(tmp_path, f"{FILE}{both}del CLAIM\n")
    code, found = result("certify", path)
    assert (code, found["found"]) == (1, 3)
    assert found["failed"] == [{"claim": "mine.bad", "step": "statement", "why": why}]


@pytest.mark.parametrize("name", ["missing.py", "rpd.no-such-claim"])
def test_bad_names(problem: Problem, name: str) -> None:
    assert problem("certify", name)["fix"]


def test_a_folder_without_found(problem: Problem, tmp_path: Path) -> None:
    assert "defines CLAIM" in problem("certify", tmp_path)["what"]


def test_a_file_that_cannot_be_written(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path)
    data_of(path).mkdir()
    done = run("certify", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be written" in done.stderr.splitlines()[-1]


STOCHASTIC = """
from theory.notation import count, function, index, mean, positive, real, theorem, total
from theory.notation import vectors

(L, sigma), k, K, low = positive("L sigma"), index("k"), count("K"), real("f_low")
f, (x, g) = function("f"), vectors("x g")
E = mean("E", g)
T = theorem("mine.descent")
T.smooth(f, L)
T.lower_bound(f, low)
T.unbiased(E, g, f.grad(x))
T.bounded_variance(E, g, f.grad(x), sigma)
T.iterate(x, x - g / L, k)
F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x)**2)
LINE
CLAIM = T.shows(total(S(k), k, K) / K <= 2 * L * (F(0) - low) / K + sigma**2)
"""


def test_a_line_about_one_iteration_is_read_off_the_statement_and_proposed(
    tmp_path: Path, result: Callable[..., Any]
) -> None:
    bare = STOCHASTIC.replace("LINE\n", "")
    assert result("certify", written(tmp_path, bare))[1]["failed"] == []
    squared = bare.replace("/ K <=", "/ K <= F(0) ** 2 +")
    assert squared != bare
    why = result("certify", written(tmp_path, squared))[1]["failed"][0]["why"]
    assert "no line says what one iteration gains" in why
    twin = written(tmp_path, bare.replace("+ sigma**2)", "+ sigma**2 / 4)"))
    why = result("certify", twin)[1]["failed"][0]["why"]
    assert "T.have(S(k) <= 2*L*(F(k) - F(k + 1)) + sigma**2/4) would do, if it is true" in why
    line = "T.have(F(k + 1) <= F(k) - S(k) / (2 * L) + sigma**2 / (2 * L))"
    assert result("certify", written(tmp_path, STOCHASTIC.replace("LINE", line)))[1]["failed"] == []


ONE_LINE_ALONE = """
from theory.notation import count, function, index, positive, theorem, total, vectors

(L, c, gamma), k, K = positive("L c gamma"), index("k"), count("K")
f, (x, star) = function("f"), vectors("x x*")
T = theorem("mine.alone")
T.smooth(f, L)
T.minimum(f, star)
T.iterate(x, x - gamma * f.grad(x), k)
A, S = T.sequence("A", f(x) - f(star)), T.sequence("S", f.grad(x) @ x)
CLAIM = T.shows(STATEMENT)
"""


@pytest.mark.parametrize(
    "statement",
    ["total(-A(k), k, K) <= -S(K)", "total(A(k), k, K) / K <= c"],
    ids=["one that is known without it", "one that names the next iteration nowhere"],
)
def test_a_line_that_would_not_help_is_not_proposed(
    statement: str, tmp_path: Path, result: Callable[..., Any]
) -> None:
    found = result("certify", written(tmp_path, ONE_LINE_ALONE.replace("STATEMENT", statement)))
    why = found[1]["failed"][0]["why"]
    assert "no line says what one iteration gains" in why
    assert "would do" not in why
    assert "report it" not in why


GRONWALL = """
from sympy import Min
from theory.notation import function, index, nonnegative, norm, positive, real, theorem, vector

(L, c, d), b, low, (k, n) = positive("L c d"), nonnegative("b"), real("f_low"), index("k n")
f, x = function("f"), vector("x")
T = theorem("mine.gronwall")
A = T.sequence("A")
T.assume(c <= 1)
rec = T.assume(A(k + 1) <= (1 - c) * A(k) + b)
T.induction(A(n) <= (1 - c) ** n * A(0) + BOUND, rec)
CLAIM = T.shows(A(n) <= (1 - c) ** n * A(0) + BOUND)
"""


def test_an_induction_that_does_not_carry_is_refused(
    tmp_path: Path, result: Callable[..., Any], run: Run
) -> None:
    path = written(tmp_path, GRONWALL.replace("BOUND", "b / c"))
    assert result("certify", path)[0] == 0
    assert run("verify", path).returncode == 0
    path = written(tmp_path, GRONWALL.replace("BOUND", "b / (2 * c)"))
    code, found = result("certify", path)
    assert (code, [one["outcome"] for one in found["certificates"]]) == (
        1,
        ["refused", "not found"],
    )
    assert "A(n) <= " in found["failed"][0]["why"]
    assert "does not carry" in found["failed"][0]["why"]
    done = run("certify", path)
    assert done.stdout.splitlines()[-1] == "0 of 1 certificate; verify will refuse 1 line"


LOCAL = """
from theory.notation import average, index, mean, nonnegative, positive, theorem, vectors

eta, (sigma, G), k = positive("eta"), nonnegative("sigma G"), index("k")
x, y, g, u = vectors("x y_i g_i u_i")
E = mean("E", g, over="sample")
avg = average("avg", y, g, u, over="worker")
T = theorem("mine.local-step")
T.unbiased(E, g, u)
T.bounded_variance(E, g, u, sigma)
T.assume(avg(u**2) <= G**2)
T.constant(x)
T.iterate(y, y - eta * g, k)
R = T.sequence("R", avg((y - x) ** 2))
CLAIM = T.shows(R(k + 1) <= 2 * R(k) + 2 * eta**2 * G**2 + eta**2 * sigma**2)
"""


def test_what_verify_will_refuse_is_not_called_found(
    tmp_path: Path, result: Callable[..., Any]
) -> None:
    assert result("certify", written(tmp_path, LOCAL))[0] == 0
    code, found = result("certify", written(tmp_path, LOCAL.replace(', over="sample"', "")))
    assert (code, found["found"]) == (1, 0)
    assert "is random to both avg and E: say by `over`" in found["failed"][-1]["why"]


def test_what_stays_certified_is_still_proved_where_other_lines_are_not(
    tmp_path: Path, run: Run
) -> None:
    """A line that rests on what is offered is not said to lack it."""
    more = "T.have(A(k + 1) <= A(k) + b + c)"
    text = GRONWALL.replace("T.induction(A(n) <= (1 - c) ** n * A(0) + BOUND, rec)", more)
    path = written(tmp_path, text.replace("BOUND", "b / c"))
    run("certify", path)
    (row,) = json.loads(run("verify", path, "--json").stdout)["claims"]
    assert "not shown" not in json.dumps(row["steps"])


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("Min(c * x**2, d) <= 2 * d - 1", "such as s <= c*<x, x> and s <= d"),
        ("(Min(1, c / norm(x)) * x) ** 2 <= d * c", "T.clipped(s, g, c) says all"),
    ],
)
def test_what_is_not_known_by_itself_is_named(
    statement: str, why: str, tmp_path: Path, result: Callable[..., Any]
) -> None:
    head, _, _ = GRONWALL.partition("A = T")
    text = f"{head}T.smooth(f, L)\nT.lower_bound(f, low)\nCLAIM = T.shows({statement})\n"
    assert why in result("certify", written(tmp_path, text))[1]["failed"][0]["why"]


STORM = """
from theory.notation import function, mean, nonnegative, positive, theorem, vectors

a, L, sigma = *positive("a L"), nonnegative("sigma")
f, (x, y, d, h, hp) = function("f"), vectors("x y d h h⁻")
E = mean("E", h, hp)
T = theorem("mine.storm", "ours", f)
T.assume(a <= 1)
T.unbiased(E, h, f.grad(y))
T.unbiased(E, hp, f.grad(x))
T.assume(E((h - f.grad(y)) ** 2) <= sigma**2)
T.assume(E((h - hp) ** 2) <= L**2 * (y - x) ** 2)
least = 2 * a**2 * sigma**2 + 2 * (1 - a) ** 2 * L**2 * (y - x) ** 2
left = E((h + (1 - a) * (d - hp) - f.grad(y)) ** 2)
CLAIM = T.shows(left <= (1 - a) ** 2 * (d - f.grad(x)) ** 2 + least)
"""

TRACKED = """
from theory.notation import average, equal, theorem, vectors

g, w, mean_g, mean_w = vectors("g_i w_i ḡ w̄")
avg = average("avg", g, w, over="worker")
T = theorem("mine.tracked")
T.unbiased(avg, g, mean_g)
T.unbiased(avg, w, mean_w)
T.assume(equal(mean_w, mean_g))
CLAIM = T.shows(equal(avg((w - g) @ mean_g), 0))
"""


def test_what_is_found_is_proved_at_once(tmp_path: Path, run: Run) -> None:
    """A square whose mean is used is keyed as its data file spells it, (a − 1)/2 as a/2 − 1/2.

    It is found in 1 − a, which may be 0 here.
    """
    path = written(tmp_path, STORM)
    assert run("certify", path).returncode == 0
    assert run("verify", path, "--attack", "0").returncode == 0
    smaller = STORM.replace("least = 2 * a**2 * sigma**2", "least = a**2 * sigma**2")
    assert run("certify", written(tmp_path, smaller)).returncode == 1


def test_certify_ends_as_verify_does(tmp_path: Path, run: Run) -> None:
    """What the certificate uses ties w̄ to what is random, which `verify` refuses."""
    path = written(tmp_path, TRACKED)
    done = [run(command, path) for command in ("certify", "verify")]
    assert [one.returncode for one in done] == [2, 2]
    assert done[0].stderr.splitlines()[-1] == done[1].stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "claim", "hint"),
    [
        (
            "T.strongly_convex(f, c)\nT.minimum(f, u)",
            "(x - f.grad(x) / L - u) ** 2 <= 0 * L",
            "T.assume(c < L) says more of f",
        ),
        (
            "T.iterate(x, x - c * f.grad(x), k)",
            "total(S(k), k, K) <= D(0)",
            "T.have(S(k) <= D(k) - D(k + 1)) would do, if it is true, and is not found",
        ),
        (
            "T.iterate(x, x - c * f.grad(x), k)",
            "total((x - u) ** 2 / 3, k, K) <= D(0) + S(0)",
            "gets a name by T.sequence)",
        ),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, result: Callable[..., Any], line: str, claim: str, hint: str
) -> None:
    text = f"""
from theory.notation import count, function, index, positive, theorem, total, vectors

L, c = positive("L c")
k, K = index("k"), count("K")
f, (x, u) = function("f"), vectors("x u")
T = theorem("mine.hint")
T.smooth(f, L)
{line}
D, S = T.sequence("D", (x - u) ** 2), T.sequence("S", f.grad(x) ** 2)
CLAIM = T.shows({claim})
"""
    assert hint in result("certify", written(tmp_path, text))[1]["failed"][-1]["why"]


def test_what_is_kept_stays_as_it_was_written(tmp_path: Path, result: Callable[..., Any]) -> None:
    path = written(tmp_path, GRONWALL.replace("BOUND", "b / c"))
    assert result("certify", path)[0] == 0
    kept = Path(path).with_suffix(".certificates.json")
    otherwise = kept.read_text().replace('": "1"', '": "2/2"')
    kept.write_text(otherwise)
    assert result("certify", path)[0] == 0
    assert kept.read_text() == otherwise
    assert "2/2" in otherwise
