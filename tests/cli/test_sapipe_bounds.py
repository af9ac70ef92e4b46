"""`staleproof bounds sapipe`."""

import io
import json
import os
import re
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from staleproof.cli import main
from theory.bounds import named

Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]

GIVEN = {
    "L": "1",
    "V1": "0.1",
    "V2": "1",
    "rho": "1/4",
    "n": "8",
    "M": "1",
    "Delta": "1",
    "lambda": "0.8",
    "R0": "1",
    "T": "1e6",
}


PROGRESS = re.compile(r"\[\d+/\d+\] sapipe\.[a-z0-9-]+")
"""The claim that is being judged, on stderr."""


def sets(**changes: str | None) -> list[str]:
    values = GIVEN | {name.strip("_"): value for name, value in changes.items()}
    return [
        word for name, value in values.items() if value for word in ("--set", f"{name}={value}")
    ]


def words(*arguments: object) -> str:
    """What the command prints, in this process: verdicts are reached once for all tests."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    assert code == 0
    assert all(PROGRESS.fullmatch(line) for line in err.getvalue().splitlines())
    return out.getvalue()


def answer(*arguments: object) -> Any:
    return json.loads(words(*arguments, "--json"))


@pytest.mark.slow
def test_the_program_itself_answers(run: Run) -> None:
    done = run(
        "bounds", "sapipe-wp-2", *sets(eta="0.01", M=None, rho=None, Delta=None, lambda_=None)
    )
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "[1/3] sapipe.thm-5"
    assert "smallest of those that are proved: sapipe-wp-2 (sapipe.sharp-thm-5)" in done.stdout


@pytest.mark.slow
def test_all_five_side_by_side_with_the_smallest() -> None:
    found = answer("bounds", "sapipe", *sets(eta="0.01"))
    printed = {e["method"]: e for e in found["bounds"] if e["form"] == "printed"}
    assert tuple(printed) == named("sapipe")
    assert printed["sapipe-vanilla"]["value"]["exact"] == "17/40000"
    assert printed["sapipe-dc"]["named"]["Err_DC"]["exact"] == "1709/781250"
    assert printed["sapipe-wp-2"]["terms"]["variance"]["exact"] == "1/8000"
    for entry in (entry for entry in found["bounds"] if not entry["refused"]):
        total = sum(Fraction(term["exact"]) for term in entry["terms"].values())
        assert Fraction(entry["value"]["exact"]) == total
    comparison = found["comparison"]
    rows = {row["claim"]: row for row in comparison["rows"]}
    # Err_WP-1 is negative here, and Theorem 5 is false but not here.
    assert Fraction(rows["sapipe.thm-4"]["error"]["exact"]) < 0
    assert (rows["sapipe.thm-4"]["verdict"], rows["sapipe.thm-4"]["given_by"]) == ("REFUTED", None)
    assert rows["sapipe.thm-5"]["verdict"] == "REFUTED"
    assert rows["sapipe.thm-5"]["given_by"] == "sapipe.sharp-thm-5"
    smallest = comparison["smallest"]
    assert [row["claim"] for row in smallest["printed"]] == ["sapipe.thm-4"]
    assert [row["claim"] for row in smallest["proved"]] == ["sapipe.sharp-thm-5"]
    assert all(row["verdict"] == "PROVED" for row in smallest["proved"])
    assert all(row["verdict"] == "PROVED" for row in rows.values() if row["form"] != "printed")


VANILLA = {"rho": None, "M": None, "Delta": None, "lambda_": None}


@pytest.mark.slow
def test_samples_of_their_own_do_not_vouch_for_algorithm_1() -> None:
    given = sets(eta="0.9", kappa="1/4", **VANILLA)
    comparison = answer("bounds", "sapipe-vanilla", *given)["comparison"]
    rows = {row["claim"]: row for row in comparison["rows"]}
    assert (rows["sapipe.thm-2"]["verdict"], rows["sapipe.thm-2"]["given_by"]) == ("REFUTED", None)
    own = rows["sapipe.thm-2-own-samples"]
    assert (own["verdict"], own["reading"]) == (
        "PROVED",
        "stale elements with samples of their own",
    )
    assert own["value"] == rows["sapipe.thm-2"]["value"]
    [smallest] = comparison["smallest"]["proved"]
    assert (smallest["claim"], smallest["reading"]) == ("sapipe.same-samples-rational", "")
    text = words("bounds", "sapipe-vanilla", *given)
    assert "sapipe.thm-2-same-samples" not in text.split("bound   ")[1]  # out of its domain
    assert "PROVED for stale elements with samples of their own" in text
    assert "PROVED for the same layers always stale, with samples of their own" in text


@pytest.mark.parametrize(
    ("kappa", "eta", "by"),
    [
        ("1", "0.9", "sapipe.pipe-sgd"),
        ("1/4", "0.1", "sapipe.same-samples-rational"),
    ],
)
def test_what_vouches_for_theorem_2(kappa: str, eta: str, by: str) -> None:
    given = sets(eta=eta, kappa=kappa, **VANILLA)
    comparison = answer("bounds", "sapipe-vanilla", *given)["comparison"]
    [row] = (row for row in comparison["rows"] if row["claim"] == "sapipe.thm-2")
    assert (row["verdict"], row["given_by"]) == ("REFUTED", by)


@pytest.mark.slow
def test_conditions_are_equivalences_and_say_what_holds() -> None:
    found = answer("bounds", "sapipe", *sets(eta="0.01"))
    conditions = {(e["error"], e["form"]): e for e in found["comparison"]["conditions"]}
    assert all(entry["verdict"] == "PROVED" for entry in conditions.values())
    assert conditions["Err_WP-2", "printed"]["where"] == "4*L**2*eta**2 <= -2*V1/V2 + 1"
    errors = {
        (name, entry["form"]): Fraction(value["exact"])
        for entry in found["bounds"]
        if not entry["refused"]
        for name, value in entry["named"].items()
    }
    for name in ("Err_DC", "Err_WP-1", "Err_WP-2", "Err_WP-3"):
        smaller = errors[name, "printed"] <= errors["Err_0", "printed"]
        assert conditions[name, "printed"]["holds"] == smaller


@pytest.mark.slow
def test_words_name_the_smallest_and_what_not_to_trust() -> None:
    text = words("bounds", "sapipe", *sets(eta="0.01"))
    assert re.search(r"sapipe\.thm-4 +REFUTED: not to be trusted here", text)
    assert "REFUTED, but no smaller here than sapipe.sharp-thm-5" in text
    assert "smallest as printed: sapipe-wp-1 (sapipe.thm-4), 0.000257813; sapipe.thm-4 is" in text
    assert "of those that are proved: sapipe-wp-2 (sapipe.sharp-thm-5), 0.000327521" in text
    assert "Err_WP-2, printed, is at most Err_0 exactly where 4*L**2*eta**2 <= -2*V1/V2 + 1" in text
    assert "(PROVED): it is here" in text
    assert "need not be the best" in text
    assert "kappa = 1: less counts only if" in text


@pytest.mark.slow
def test_what_lacks_a_value_is_left_out() -> None:
    arguments = ("bounds", "sapipe", *sets(eta="0.01", M=None, rho=None))
    found = answer(*arguments)
    refused = {e["claim"]: e["refused"] for e in found["bounds"] if e["refused"]}
    assert refused["sapipe.thm-3"] == refused["sapipe.thm-6"] == "M has no value"
    assert refused["sapipe.repaired-thm-4"] == "rho has no value"
    assert "sapipe.wp-1-moment" not in refused
    assert not any(e.get("value") for e in found["bounds"] if e["refused"])
    assert "sapipe-dc, printed: left out, M has no value" in words(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "claims", "condition"),
    [
        ({"eta": "0.8"}, ["sapipe.thm-5", "sapipe.sharp-thm-5"], "2*L**2*eta**2 < 1"),
        ({"eta": "0.01", "V2": "50"}, ["sapipe.thm-3"], "V2*eta*lambda <= 1 - sqrt(2)/2"),
        ({"eta": "0.01", "rho": "0.12"}, ["sapipe.thm-4", "sapipe.repaired-thm-4"], "1 <= n*rho"),
        ({"eta": "0.01", "lambda_": "1.1"}, ["sapipe.thm-3", "sapipe.thm-6"], "lambda <= 1"),
    ],
)
def test_a_compensation_outside_its_domain_is_left_out(
    changes: dict[str, str], claims: list[str], condition: str
) -> None:
    found = answer("bounds", "sapipe", *sets(**changes))
    refused = {e["claim"]: e["refused"] for e in found["bounds"] if e["refused"]}
    for claim in claims:
        assert f"the bound needs {condition} (" in refused[claim]
    assert not set(claims) & {row["claim"] for row in found["comparison"]["rows"]}


@pytest.mark.slow
def test_a_smoothness_that_assumption_4_forbids_is_said() -> None:
    text = words("bounds", "sapipe-dc", *sets(eta="0.01", rho=None, Delta="0.4"))
    assert text.count("(not met: L <= 2*Delta: by sapipe.assumption-4-gradient") == 1


@pytest.mark.slow
def test_tuned_stepsizes_are_compared() -> None:
    found = answer("bounds", "sapipe", "--tune", "stepsize", *sets())
    rows = {row["claim"]: row for row in found["comparison"]["rows"]}
    assert all(row["error"] is None for row in rows.values())
    tuned = {e["claim"]: e["value"] for e in found["tuned"] if not e["refused"]}
    assert {claim: row["value"] for claim, row in rows.items()} == tuned
    assert rows["sapipe.thm-5"]["given_by"] is None


@pytest.mark.slow
def test_one_range_is_tabulated_and_drawn(tmp_path: Path) -> None:
    target = tmp_path / "curves.svg"
    arguments = ("--over", "eta=1e-3..1", "--plot", target, *sets())
    found = answer("bounds", "sapipe", "--form", "printed", *arguments)
    assert found["map"] is None
    curves = {curve["method"]: curve["values"] for curve in found["series"]["curves"]}
    assert tuple(curves) == named("sapipe")
    # Beyond 1/sqrt(2) Theorem 5 says nothing.
    assert curves["sapipe-wp-2"][-1] is None
    assert curves["sapipe-vanilla"][-1] == pytest.approx(1 + 2e-6 + 0.1 / 8)
    assert target.read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_two_ranges_are_a_map_of_who_is_smallest(tmp_path: Path) -> None:
    target = tmp_path / "map.svg"
    ranges = ("--over", "eta=1e-2..1", "--over", "n=1..6", *sets(n=None, rho="1"))
    found = answer("bounds", "sapipe", *ranges, "--plot", target)
    assert (found["series"], found["comparison"], found["bounds"]) == (None, None, [])
    area = found["map"]
    assert area["symbols"] == ["eta", "n"]
    assert area["at"][1] == [1, 2, 3, 4, 5, 6]
    assert [len(row) for row in area["proved"]["smallest"]] == [len(area["at"][0])] * 6
    assert all(cell for row in area["proved"]["given"] for cell in row)
    # One worker has nothing to predict, and of equal bounds the first one counts.
    (first, *_, last), *_, row = area["proved"]["smallest"]
    assert (first["claim"], last["claim"]) == ("sapipe.repaired-thm-4", "sapipe.wp-3-moment")
    assert (row[0]["claim"], row[-1]["claim"]) == ("sapipe.sharp-thm-5", "sapipe.pipe-sgd")
    regions = {region["claim"]: region for region in area["proved"]["regions"]}
    assert regions["sapipe.repaired-thm-5"]["above"]["claim"] == "sapipe.pipe-sgd"
    borders = {edge["claim"]: edge["where"] for edge in regions["sapipe.sharp-thm-5"]["borders"]}
    assert borders["sapipe.pipe-sgd"] == "20*eta**2*n + 1 <= 5*n"
    assert regions["sapipe.thm-2-own-samples"]["fails"] == "kappa < 1"
    assert "sapipe.prefix-repaired" not in regions
    # Printed errors that no proof gives: those of WP-1 are negative for n > 1.
    assert not any(cell for row in area["printed"]["given"][1:] for cell in row)
    assert target.read_bytes().startswith(b"<?xml")
    text = words("bounds", "sapipe", *ranges)
    assert "the smallest bound over eta and n, as printed, at 288 points" in text
    assert "never below sapipe-vanilla" in text
    assert " points; it holds where " in text


def test_a_picture_is_written_as_a_whole_or_not_at_all(problem: Problem, tmp_path: Path) -> None:
    target = tmp_path / "map.svg"
    target.write_text("before")
    ranges = ("--over", "eta=1e-2..1", "--over", "V1=1e-2..1")
    problem("bounds", "sapipe", *ranges, *sets(V1=None, T="0"), "--plot", target)
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["map.svg"]


@pytest.mark.slow
def test_crossovers_of_alternatives() -> None:
    arguments = ("--form", "printed", "--crossover", "eta", *sets())
    found = answer("bounds", "sapipe", *arguments)
    by_pair = {tuple(e["methods"]): e for e in found["crossovers"]}
    assert len(by_pair) == 10
    entry = by_pair["sapipe-vanilla", "sapipe-wp-2"]
    # 4 eta^2 = 1 - 2/10
    assert [point["exact"] for point in entry["points"]] == ["sqrt(5)/5"]
    assert [s["better"] for s in entry["stretches"]] == ["sapipe-wp-2", "sapipe-vanilla"]
    assert by_pair["sapipe-vanilla", "sapipe-dc"]["refused"] is None
    found = answer(
        "bounds", "sapipe", "--form", "printed", "--crossover", "M", *sets(M=None, eta="0.01")
    )
    by_pair = {tuple(e["methods"]): e for e in found["crossovers"]}
    assert "neither" in by_pair["sapipe-vanilla", "sapipe-wp-1"]["refused"]
    assert by_pair["sapipe-vanilla", "sapipe-wp-3"]["points"]
