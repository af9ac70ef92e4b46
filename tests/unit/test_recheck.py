"""The stand-alone re-checker: what it accepts and refuses, and what no input makes it do."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from reports.recheck import Algebra, BadInput, Parser, Refused, recheck
from tests.proof_ledgers import ledger_of
from theory.kernel.lemmas import CAUCHY_SCHWARZ, YOUNG

PROGRAM = Path(__file__).resolve().parents[2] / "reports" / "recheck.py"
DOMAINS = {"x": "nonnegative", "y": "nonnegative", "a": "positive", "K": "integer, nonnegative"}


def zero(text: str) -> bool:
    algebra = Algebra({("name", name): domain for name, domain in DOMAINS.items()})
    return algebra.zero(algebra.form(Parser(text).whole()))


@pytest.mark.parametrize(
    "text",
    [
        "(x + y)**2 - x**2 - 2*x*y - y**2",
        "1/(1 - g) - 1/(1 - g**2) - g/(1 - g**2)",
        "1/(1 + 1/(1 + g)) - (1 + g)/(2 + g)",
        "sqrt(x)**2 - x",
        "sqrt(x*y) - sqrt(x)*sqrt(y)",
        "sqrt(12) - 2*sqrt(3)",
        "sqrt(4000012) - 2*sqrt(1000003)",
        "sqrt(x + y)**3/(x + y) - (x + y)**(1/2)",
        "a**(2*K + 1) - a*a**K*a**K",
        "(1 - g)**(K + 1) - (1 - g)**K + g*(1 - g)**K",
        "-2**2 + 4",
        "2**3**2 - 512",
        "x/2/3 - x/6",
        'dot(u, "∇f(x)") - dot("∇f(x)", "u")',
        "mean(E, [g], a*dot(g, g) - 3) - a*mean(E, [g], dot(g, g)) + 3",
        "Sum(2*s(k) + a, (k, 1, K)) - 2*Sum(s(k), (k, 1, K)) - a*K",
        "Sum(i*k, (i, 0, k), (k, 0, K)) - Sum(k*Sum(i, (i, 0, k)), (k, 0, K))",
    ],
)
def test_identities(text: str) -> None:
    assert zero(text)


@pytest.mark.parametrize(
    "text",
    [
        "x - y",
        "sqrt(g**2) - g",
        "sqrt(2000006) - sqrt(2)",
        "sqrt(g*h) - sqrt(g)*sqrt(h) + 1",
        "g**K*h**K - (g*h)**(K + 1)",
        'x - "x "',
        'Sum - "dot"',
        "mean(E, [g], g) - mean(E, [g, h], g)",
        "mean(E, [g], g*h) - g*mean(E, [g], h)",
        "mean(E, [g], g)*mean(E, [g], g) - mean(E, [g], g**2)",
        "Sum(k*s(k), (k, 1, K)) - k*Sum(s(k), (k, 1, K))",
        "Sum(s(k), (k, 1, k)) - Sum(s(j), (j, 1, K))",
        "s(k) - s(k + 1)",
    ],
)
def test_what_is_no_identity(text: str) -> None:
    assert not zero(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x +",
        "x y",
        "(x",
        "x)",
        "1.5",
        "1e5",
        "x // y",
        "x <= y",
        "dot(u)",
        "dot(u, v + w)",
        "mean(E, g, g)",
        "Sum(x)+",
        '"x',
        "1/0",
        "1/(x - x)",
        "1/(1/(1 + x) + x/(1 + x) - 1)",
        "(x - x)**(-1/2)",
        "(x - x)**K",
        "sqrt(-2)",
        "x**" * 100 + "x",
        "(" * 5000 + "x" + ")" * 5000,
        "-" * 5000 + "x",
        "9**9**9**9",
        "(x + 1)**1000000000",
        "(x**99999999999)**99999999999**9999999",
        "(x + y + a + g + h)**99",
        "9" * 100_000,
        pytest.param("*".join(["(x + y)"] * 9000), marks=pytest.mark.slow),
        pytest.param("/".join(["(x + 1/(y + 1))"] * 9000), marks=pytest.mark.slow),
        None,
        7,
    ],
)
def test_what_is_refused(text: Any) -> None:
    with pytest.raises(Refused):
        zero(text)


def test_nested_quotients_stop() -> None:
    text = "x"
    for _ in range(50):
        text = f"1/(1 + {text} + y*{text})"[:300_000]
    with pytest.raises(Refused):
        zero(text)


def _with(theorem: Any, *path: str | int, to: Any) -> Any:
    ledger = copy.deepcopy(ledger_of([theorem]))
    holder: Any = ledger["claims"][0]
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return ledger


@pytest.mark.parametrize("what", ["schema", "claims"])
def test_keys_of_a_ledger(what: str) -> None:
    ledger = ledger_of([YOUNG])
    del ledger[what]
    with pytest.raises(BadInput):
        recheck(ledger)


@pytest.mark.parametrize("value", [None, 1, 1.5, True, "x", [], {}, [1], [[]], {"x": 1}, [{}]])
@pytest.mark.parametrize(
    "path",
    [
        ("id",),
        ("verdict",),
        ("symbols",),
        ("hypotheses",),
        ("goal",),
        ("steps",),
        ("steps", 0),
        ("steps", 0, "name"),
        ("steps", 0, "goal"),
        ("steps", 0, "premises"),
        ("steps", 0, "verdict"),
        ("steps", 0, "certificate"),
        ("steps", 0, "certificate", "rule"),
        ("steps", 0, "certificate", "facts"),
        ("steps", 0, "certificate", "squares"),
        ("steps", 0, "certificate", "squares", 0),
        ("steps", 0, "certificate", "squares", 0, 1),
        ("steps", 0, "certificate", "squares", 0, 1, 0),
        ("steps", 0, "certificate", "plus"),
        ("steps", 0, "certificate", "domain"),
        ("steps", 0, "certificate", "signs"),
        ("steps", 0, "certificate", "signs", 0),
    ],
)
def test_wrong_types_have_no_traceback(path: tuple[str | int, ...], value: Any) -> None:
    with suppress(BadInput):
        recheck(_with(CAUCHY_SCHWARZ, *path, to=value))


def test_a_step_that_uses_itself() -> None:
    ledger = _with(YOUNG, "steps", 0, "premises", to=["statement"])
    ledger["claims"][0]["steps"][0]["certificate"]["facts"] = {"statement": "1"}
    assert "earlier step" in recheck(ledger).failures[0]["says"]


def test_an_undefined_multiplier_is_refused() -> None:
    row: dict[str, Any] = {
        "id": "false",
        "verdict": "PROVED",
        "symbols": [{"name": "r", "domain": "real"}],
        "hypotheses": [{"name": "h", "formula": "r == 0"}],
        "goal": "2 == 1",
    }
    certificate: dict[str, Any] = {
        "rule": "Combine",
        "facts": {"h": "1/r"},
        "squares": [],
        "plus": [],
    }
    certificate |= {"domain": [], "signs": []}
    row["steps"] = [
        {
            "name": "statement",
            "goal": "2 == 1",
            "verdict": "PROVED",
            "premises": ["h"],
            "certificate": certificate,
        }
    ]
    ledger = {"schema": "staleproof-ledger/2", "claims": [row]}
    assert "undefined" in recheck(ledger).failures[0]["says"]
    certificate["signs"] = [
        {"expression": "r", "sign": "!=", "reason": "no negative coefficient", "under": []}
    ]
    assert "coefficients" in recheck(ledger).failures[0]["says"]


def _one_step(goal: str, says: dict[str, str], symbols: dict[str, str], **data: Any) -> Any:
    """Failures of a row with one step, by `Combine` with these data and these hypotheses."""
    certificate: dict[str, Any] = {"rule": "Combine", "facts": {}, "squares": [], "plus": []}
    certificate |= {"domain": [], "signs": []} | data
    step = {"name": "statement", "goal": goal, "verdict": "PROVED", "premises": list(says)}
    row: dict[str, Any] = {"id": "row", "verdict": "PROVED", "goal": goal}
    row["symbols"] = [{"name": name, "domain": domain} for name, domain in symbols.items()]
    row["hypotheses"] = [{"name": name, "formula": text} for name, text in says.items()]
    row["steps"] = [step | {"certificate": certificate}]
    return recheck({"schema": "staleproof-ledger/2", "claims": [row]})


def _sign(expression: str, sign: str, reason: str, under: list[str]) -> dict[str, Any]:
    return {"expression": expression, "sign": sign, "reason": reason, "under": under}


def test_signs_under_premises_are_tried_again() -> None:
    says, symbols = {"h": "L*g <= 1"}, {"L": "positive", "g": "positive"}
    signs = [_sign("2 - L*g", ">=", "z3", ["h"])]
    found = _one_step("0 <= 2 - L*g", says, symbols, plus=["2 - L*g"], domain=["h"], signs=signs)
    assert (found.failures, found.signs, found.trusted.total()) == ([], 1, 0)
    for plus, holds in (("L**2*g**2 - 2*L*g + 1", True), ("1/2 - L*g", False)):
        signs = [_sign(plus, ">=", "z3", ["h"])]
        found = _one_step(f"0 <= {plus}", says, symbols, plus=[plus], domain=["h"], signs=signs)
        assert (not found.failures, found.signs) == (holds, 0)
        assert found.trusted.total() == holds


def test_what_differs_from_0_under_premises() -> None:
    """x - 2 is not seen to differ from 0 where x is at least 1, and x - 1/2 is."""
    symbols = {"x": "real", "y": "real"}
    for shift, holds in (("2", False), ("1/2", True)):
        goal = f"y/(x - {shift}) == y/(x - {shift})"
        found = _one_step(goal, {"h": "1 <= x"}, symbols, domain=["h"])
        assert (not found.failures) is holds


def test_premises_say_nothing_of_an_index_inside_a_sum() -> None:
    symbols = {"k": "integer, nonnegative", "K": "integer, nonnegative"}
    goal = "Sum(1/k, (k, 0, K)) <= Sum(1/k, (k, 0, K))"
    assert _one_step(goal, {"h": "1 <= k"}, symbols, domain=["h"]).failures
    outside = "1/k <= 1/k"
    assert not _one_step(outside, {"h": "1 <= k"}, symbols, domain=["h"]).failures


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", str(PROGRAM), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )


def test_it_runs_with_nothing_installed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(ledger_of([CAUCHY_SCHWARZ])), encoding="utf-8")
    done = _run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "identities re-checked" in done.stdout
    done = _run(path, "--json")
    found = json.loads(done.stdout)
    assert (found["ok"], found["certificates"], found["identities"]) == (True, 1, 1)
    assert found["trusted_rules"] == {"Model": 1}
    assert _run(path, "--quiet").stdout == ""


def test_failures_are_named(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger = _with(YOUNG, "steps", 0, "certificate", "squares", 0, 0, to="1/a")
    path.write_text(json.dumps(ledger), encoding="utf-8")
    done = _run(path, "--quiet")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "kernel.young, statement: the two sides of the certificate differ"
    )
    failure = json.loads(_run(path, "--json").stdout)["failures"][0]
    assert (failure["claim"], failure["step"]) == ("kernel.young", "statement")
    assert failure["difference"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b"NaN",
        b'{"schema": "staleproof-ledger/1", "claims": []}',
        b'{"schema": "staleproof-ledger/2", "claims": [{"id": "a", "id": "b"}]}',
        b'{"schema": "staleproof-ledger/2", "claims": ' + b"[" * 100_000,
        b'{"schema": "staleproof-ledger/2", "claims": [1]}',
        b'{"schema": "staleproof-ledger/2", "claims": [' + b"9" * 10_000 + b"]}",
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.json"
    path.write_bytes(content)
    done = _run(path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    done = _run(path, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["what"]


def test_a_missing_file() -> None:
    assert _run("/no/such/ledger.json").returncode == 2
