"""`staleproof bounds`."""

import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from theory.bounds import METHODS, SYMBOLS

Run = Callable[..., subprocess.CompletedProcess[str]]
Result = Callable[..., tuple[int, Any]]
Problem = Callable[..., dict[str, str]]

GIVEN = {"p": "8", "K": "1000000", "L": "1", "G": "1", "Delta": "1", "sigma": "0.1", "H": "4"}


def sets(**changes: str | None) -> list[str]:
    values = {**GIVEN, **changes}
    return [
        word for name, value in values.items() if value for word in ("--set", f"{name}={value}")
    ]


def test_without_a_method_all_are_listed_with_their_parameters(run: Run, result: Result) -> None:
    text = run("bounds").stdout
    assert all(name in text for name in (*METHODS, *SYMBOLS))
    _, found = result("bounds")
    assert [one["method"] for one in found["methods"]] == list(METHODS)


def test_values_are_exact(result: Result) -> None:
    code, found = result("bounds", "pd", "localsgd", *sets(gamma="1e-3"))
    assert code == 0
    assert found["parameters"]["sigma"] == "1/10"
    by_name = {(entry["method"], entry["form"]): entry for entry in found["bounds"]}
    assert by_name["pd", "printed"]["value"] == {"exact": "456/15625", "float": 0.029184}
    assert by_name["pd", "printed"]["claim"] == "rpd.thm-4.1"
    assert by_name["pd", "sharpened"]["terms"]["staleness"]["exact"] == "711/1000000"
    assert by_name["localsgd", "printed"]["dominant"] == "optimization"
    for entry in found["bounds"]:
        total = sum(Fraction(term["exact"]) for term in entry["terms"].values())
        assert Fraction(entry["value"]["exact"]) == total
    assert any("Table 1" in note for note in by_name["localsgd", "printed"]["notes"])


@pytest.mark.slow
def test_delay_of_pd_is_chosen_and_said(result: Result) -> None:
    values = {}
    for delay in ("whole-run", "steady"):
        _, found = result("bounds", "pd", "--delay", delay, *sets(gamma="1e-3", sigma=None, H=None))
        values[delay] = Fraction(found["bounds"][0]["terms"]["staleness"]["exact"])
        assert any(delay.split("-")[0] in note for note in found["bounds"][0]["notes"])
    # tau is 72 and 60 for p = 8.
    assert values["whole-run"] / values["steady"] == Fraction(72, 60) ** 2


def test_tuned_stands_beside_the_paper(result: Result) -> None:
    code, found = result("bounds", "localsgd", "--tune", "stepsize", *sets())
    assert code == 0
    assert found["bounds"] == []
    printed = found["tuned"][0]
    low, high = (Fraction(end) for end in printed["stepsize"]["between"])
    assert low <= Fraction(printed["stepsize"]["float"]) * (1 + Fraction(1, 10**15))
    assert 0 < high - low < Fraction(1, 10**30)
    assert printed["paper"]["stepsize"]["exact"] == "2*sqrt(2)/125"
    assert printed["ratio"] == pytest.approx(6.97358, rel=1e-5)


def test_best_period(result: Result) -> None:
    code, found = result("bounds", "localsgd", "--tune", "H")
    assert (code, found["period"]["H"]) == (0, 1)
    assert "number of updates" in found["period"]["why"]


def test_crossover_in_p_for_tuned_bounds(result: Result) -> None:
    arguments = ("--form", "printed", "--tune", "stepsize", "--crossover", "p", *sets(p=None))
    code, found = result("bounds", "pd", "localsgd", *arguments)
    assert code == 0
    (entry,) = found["crossovers"]
    assert [stretch["better"] for stretch in entry["stretches"]] == ["localsgd", "pd", "localsgd"]
    assert [point["exact"] for point in entry["points"]] == ["4", "41"]
    assert entry["stretches"][-1]["to"]["exact"] == "1000"


def test_crossover_has_its_closed_form(run: Run) -> None:
    text = run("bounds", "pd", "localsgd", "--crossover", "K", *sets(gamma="1e-3")).stdout
    assert "  K from 64 to 8839255: pd\n  K from 8839256: localsgd\n" in text
    assert "equal where K = 32*Delta*p**2*(p - 1)/" in text
    assert "isolated exactly" in text


def test_a_form_that_does_not_hold_is_left_out_and_said(run: Run, problem: Problem) -> None:
    given = sets(gamma="1e-3", beta="4", tau="3", sigma=None, H=None)
    text = run("bounds", "nag-rpd", *given).stdout
    assert "nag-rpd, pathwise: left out, the bound needs beta**2 <= 2*beta + tau" in text
    assert text.startswith("nag-rpd, printed: mean squared gradient norm <= ")
    error = problem("bounds", "nag-rpd", "--form", "sharpened", *given)
    assert "beta <= 1" in error["what"]


def test_a_note_stands_once_for_all_forms_of_a_method(run: Run) -> None:
    text = run("bounds", "pd", "localsgd", *sets(gamma="2")).stdout.splitlines()
    for words in ("a proxy, since", "as the paper has it", "no proof needs it", "averaged model"):
        assert sum(words in line for line in text) == (2 if words == "no proof needs it" else 1)
    assert "a proxy, since" in "".join(text[text.index(_title(text, "pd, sharpened")) :])


def _title(text: list[str], start: str) -> str:
    return next(line for line in text if line.startswith(start))


@pytest.mark.slow
def test_picture_of_a_range(run: Run, result: Result, tmp_path: Path) -> None:
    target = tmp_path / "bounds.svg"
    arguments = ("bounds", "pd", "rpd-pl", "--over", "p=2..6", *sets(p=None, gamma="1e-3"))
    code, found = result(*arguments, "--set", "mu=0.1", "--set", "tau=5", "--set", "sigma=1")[0:2]
    assert code == 2, "rpd-pl and pd have no sigma"
    keep = sets(p=None, gamma="1e-3", sigma=None, H=None, tau="5", mu="0.1")
    code, found = result("bounds", "pd", "rpd-pl", "--over", "p=2..6", "--plot", target, *keep)
    assert code == 0
    assert found["series"]["at"] == [2.0, 3.0, 4.0, 5.0, 6.0]
    assert len(found["series"]["curves"]) == 4
    assert target.read_bytes().startswith(b"<?xml")
    table = run("bounds", "pd", "rpd-pl", "--over", "p=2..6", *keep).stdout.splitlines()
    assert len(table) == 6


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["lokalsgd"], "did you mean 'localsgd'?"),
        (["rpd", "rpd"], "named twice"),
        (["rpd", "--set", "delta=1"], "did you mean 'Delta'?"),
        (["rpd", "--set", "H=1"], "not 'H'"),
        (["rpd", *sets(sigma=None, H=None, gamma="1")], "needs a value for tau"),
        (["pd", *sets(sigma=None, H=None)], "add --set gamma=VALUE, or --tune stepsize"),
        (["localsgd", *sets(gamma="1e-3", G=None)], "needs a value for Gtilde"),
        (["rpd", "--set", "p"], "NAME=VALUE"),
        (["rpd", "--set", "p=x"], "a number is needed, found 'x'"),
        (["rpd", "--set", "L=nan"], "a number is needed, found 'nan'"),
        (["rpd", "--set", "L=inf"], "a number is needed, found 'inf'"),
        (["rpd", "--set", "L=1/0"], "a number is needed, found '1/0'"),
        (["rpd", "--set", "L=1e99"], "between 1e-30 and 1e30"),
        (["rpd", "--set", "L=1e999999999"], "a number is needed"),
        (["rpd", "--set", "L=1", "--set", "L=2"], "given twice"),
        (["pd", *sets(sigma=None, H=None, gamma="-1")], "gamma is a number above 0, found -1"),
        (["pd", *sets(sigma=None, H=None, gamma="1", p="1/2")], "p is a whole number above 0"),
        (["localsgd", "--form", "sharpened", *sets(gamma="2")], "gamma <= 1/L"),
        (["localsgd", *sets(gamma="1e-3", K="1000001")], "N*p divides K"),
        (["rpd", "--tune", "step"], "did you mean 'stepsize'?"),
        (["rpd", "--tune", "H"], "what is tuned is one of stepsize, K, p, tau"),
        (["rpd", "--delay", "steady"], "pd is not asked for"),
        (["pd", "--delay", "stedy"], "did you mean 'steady'?"),
        (["rpd", "--form", "pathwise"], "only printed, sharpened"),
        (["rpd", "--crossover", "K"], "two methods"),
        (["rpd", "pd", "--crossover", "Kay"], "not 'Kay'"),
        (["rpd", "rpd-pl", "--crossover", "K", *sets(H=None, sigma=None)], "needs a value for"),
        (["rpd", "--plot", "x.svg"], "--over NAME=LOW..HIGH"),
        (["pd", "--over", "p=2", *sets(p=None)], "NAME=LOW..HIGH"),
        (["pd", "--over", "p=5..2", *sets(p=None, sigma=None, H=None)], "the smaller first"),
        (["pd", "--over", "p=2..3", *sets(sigma=None, H=None)], "has a value already"),
        (["pd", "--over", "p=2..3", "--plot", "x.gif", *sets(p=None, sigma=None, H=None)], ".svg"),
    ],
)
def test_bad_input(problem: Problem, arguments: list[str], expected: str) -> None:
    error = problem("bounds", *arguments)
    assert expected in f"{error['where']} {error['what']}; {error['fix']}"
