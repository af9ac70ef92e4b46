"""Every formula that `staleproof derive` prints has the value of its text in the JSON."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sympy

from schedules import LINEARIZATIONS
from tests.printed import Values, formula, listed

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]

RULE = '''"""A rule of our own."""

import operator

from schedules.actions import Kind
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule

F, B = Kind.F, Kind.B
FAMILY = Family(
    name="own",
    source="ours",
    summary="PipeDream's rule under another bound",
    policy=WeightPolicy("stash", interval={interval}),
    rule=GreedyRule(finished=operator.lt, prefer_first=B, prefer_after={{B: F, F: B}}),
    {bound},
)
'''
OWN = {
    "p + 3 in all": ("admission=lambda p: p + 3", 1),
    "2p - 3 in all": ("admission=lambda p: 2 * p - 3", 1),
    "p - s + 2 a stage": ("in_flight=lambda s, p: p - s + 2", 1),
    "p - s a stage, an update of three": ("in_flight=lambda s, p: p - s", 3),
    "four in all, p - s a stage": ("in_flight=lambda s, p: min(4, p - s)", 1),
    "half of p in all": ("admission=lambda p: p // 2 + 1", 1),
    "p - s + 1 a stage, an update of two": ("in_flight=lambda s, p: p - s + 1", 2),
}
SHIPPED = ["pipedream", "gpipe", "1f1b", "pipedream-runtime", "asyncpp"]
LABELS = {
    "max over (i, j)": "max",
    "min over (i, j)": "min",
    "mean over (i, j)": "mean",
    "largest in the whole run": "whole_run_max",
    "  reached from M on, M": "whole_run_least_m",
    "makespan of M microbatches": "makespan",
    "bubble": "bubble",
}
HEADS = {
    "slot of F(s, m)": ("start_times", "F"),
    "slot of B(s, m)": ("start_times", "B"),
    "local staleness of stage i": ("local_staleness",),
    "  its largest value in whole runs, reached where M is large enough": (
        "local_staleness_whole_run",
    ),
    "most activations in flight at stage i, or M if that is less": ("in_flight",),
}
SYMBOLS = {name: sympy.Symbol(name, integer=True) for name in "p M s m i j q r t".split()}


def _points(least: int) -> Iterator[dict[str, int]]:
    """Sizes, stages, microbatches and places in a round; what a formula has no name for is idle."""
    for p in range(least, least + 5):
        for a, b, m in product((0, p // 2, p - 1), (0, 1, p - 1), (0, 2 * p + 1)):
            yield {"p": p, "M": 4 * p + 1, "i": a, "s": a, "j": b, "m": m, "q": m // 3, "r": m % 2}


def _stored(form: Any) -> Callable[[dict[str, int]], Fraction]:
    """A text of the JSON, or the case of several that holds."""
    cases = [{"when": "True", "expr": form}] if isinstance(form, str) else form
    parsed = partial(sympy.sympify, locals=SYMBOLS)  # of "True" it makes a bool of Python
    read = [[sympy.sympify(parsed(case[key])) for key in ("when", "expr")] for case in cases]

    def value(at: dict[str, int]) -> Fraction:
        numbers = {SYMBOLS[name]: number for name, number in at.items()}
        found = next(expr for when, expr in read if when.subs(numbers) == sympy.true)
        number = sympy.Rational(found.subs(numbers))
        return Fraction(int(number.p), int(number.q))

    return value


def _below(lines: list[str], head: str) -> list[str]:
    """The indented lines under a heading, up to the next thing that is said."""
    start = lines.index(head) + 1
    stop = start
    while stop < len(lines) and lines[stop].startswith("  ") and lines[stop] not in HEADS:
        stop += 1
    return lines[start:stop]


def _named(lines: list[str]) -> Callable[[dict[str, int]], dict[str, Any]]:
    """c and G and what else is named, as printed: no more than that is believed of them."""
    line = next((one for one in lines if one.startswith("with c(k) = ")), None)
    if line is None:
        return lambda at: {}
    where = next((one for one in lines if one.startswith("where ")), "").removeprefix("where ")
    parts = [one.split(" = ") for one in re.split(r", (?=\S+ = )", where) if one]
    others = {name: formula(form) for name, form in parts}
    c, G = map(formula, line.removeprefix("with c(k) = ").split(" and G(k) = "))

    def named(at: dict[str, int]) -> dict[str, Any]:
        def of(form: Callable[[Values], Any], k: Any) -> Any:
            known = {**at, "k": k, "c": lambda k: of(c, k)}
            for name, other in others.items():
                known[name] = other(known)
            return form(known)

        found: dict[str, Any] = {"c": lambda k: of(c, k), "G": lambda k: of(G, k)}
        return found | ({"N": others["N"](at)} if "N" in others else {})

    return named


def _delay(lines: list[str]) -> Callable[[Values], Any]:
    """D[i][j] as it is printed, or A(i) − R(j)."""
    head = next(one for one in _below(lines, "steady delay D[i][j]"))
    if not re.match(r"  A\(i(, r)?\) −", head):
        return listed(_below(lines, "steady delay D[i][j]"))
    r = ", r" if "r" in head else ""
    index = listed(_below(lines, f"  A(i{r}) − R(j{r}), with A(i{r})"))
    recorded = listed(_below(lines, f"and R(j{r})"))
    return lambda values: index(values) - recorded(values)


def _compare(text: str, found: dict[str, Any]) -> set[str]:
    """Which forms were read from the text; each has the value that the JSON has."""
    lines = text.splitlines()
    least = int(re.match(r"p >= (\d+)", found["domain"]).group(1))  # type: ignore[union-attr]
    named = _named(lines)
    pairs: dict[str, tuple[Callable[[Values], Any], Any]] = {}
    for line in lines:
        label, _, printed = line.partition(": ")
        label = label.replace("(i, j, r)", "(i, j)")
        if label in LABELS:
            pairs[LABELS[label]] = formula(printed), found[LABELS[label]]
    for head, path in HEADS.items():
        if head in lines:
            form: Any = found
            for key in path:
                form = form[key]
            pairs[head] = listed(_below(lines, head)), form
    pairs["delay"] = _delay(lines), found["delay"]
    for name, (read, stored) in pairs.items():
        expected = _stored(stored)
        for at in _points(least):
            assert read({**at, **named(at)}) == expected(at), (name, at)
    return set(pairs)


def _file(tmp_path: Path, name: str) -> Path:
    bound, interval = OWN[name]
    path = tmp_path / "own.py"
    path.write_text(RULE.format(bound=bound, interval=interval))
    return path


def _read_back(run: Run, result: Result, *arguments: object) -> set[str]:
    done = run("derive", *arguments)
    code, found = result("derive", *arguments)
    assert (done.returncode, code) == (0, 0)
    read = _compare(done.stdout, found)
    assert {"delay", "max", "min", "mean", "makespan", "bubble"} <= read
    return read


@pytest.mark.parametrize(
    ("name", "linearization"),
    [
        ("p + 3 in all", "ascending"),
        ("2p - 3 in all", "ascending"),
        ("p - s + 2 a stage", "descending"),
        ("p - s a stage, an update of three", "ascending"),
    ],
)
def test_cases_inside_a_sum_keep_their_signs(
    run: Run, result: Result, tmp_path: Path, name: str, linearization: str
) -> None:
    """A difference of cases was printed without brackets, and read as another number."""
    _read_back(run, result, _file(tmp_path, name), "--linearization", linearization)


def test_a_number_worked_out_by_hand(run: Run, tmp_path: Path) -> None:
    """With p + 3 let in, the largest steady delay at p = 5 is 37; -57 was read."""
    lines = run("derive", _file(tmp_path, "p + 3 in all")).stdout.splitlines()
    form = next(one for one in lines if one.startswith("max over (i, j"))
    assert formula(form.partition(": ")[2])({"p": 5, **_named(lines)({"p": 5})}) == 37


@pytest.mark.slow
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("name", OWN)
def test_rules_of_ones_own_under_every_linearization(
    run: Run, result: Result, tmp_path: Path, name: str, linearization: str
) -> None:
    _read_back(run, result, _file(tmp_path, name), "--linearization", linearization)


@pytest.mark.slow
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_families_under_every_linearization(
    run: Run, result: Result, name: str, linearization: str
) -> None:
    _read_back(run, result, name, "--linearization", linearization)
