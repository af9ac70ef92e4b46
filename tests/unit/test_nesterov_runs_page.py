"""The page about the delayed method says what its stored numbers say, and no other ones."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from theory.papers.nesterov import PAPER
from theory.papers.nesterov.runs.local_analysis import exponent

ROOT = Path(__file__).parents[2]
REMEDY = "run `python -m benchmarks.delayed_nesterov --page`"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("benchmarks.delayed_nesterov")


@pytest.fixture
def numbers(script: Any) -> Any:
    return json.loads(script.NUMBERS.read_text(encoding="utf-8"))


def test_the_page_and_its_picture_are_current(script: Any, numbers: Any) -> None:
    assert script.PAGE.read_text(encoding="utf-8") == script.page(numbers), REMEDY
    stored, drawn = script.PICTURE.read_text(encoding="utf-8"), script.drawn(numbers).decode()
    titles = re.compile(r"<(?:title|desc).*")
    assert titles.findall(stored) == titles.findall(drawn), REMEDY
    if f"matplotlib=={version('matplotlib')}\n" in (ROOT / "constraints.txt").read_text():
        assert stored == drawn, REMEDY


def test_other_numbers_make_another_page(script: Any, numbers: Any) -> None:
    before = script.page(numbers)
    numbers["huber"][3]["last"] += 1
    numbers["edges"][0]["rate"] = None
    after = script.page(numbers)
    assert len(after.splitlines()) == len(before.splitlines())
    changed = zip(before.splitlines(), after.splitlines(), strict=True)
    assert sum(one != other for one, other in changed) >= 2


def test_what_was_measured_is_what_was_derived(numbers: Any) -> None:
    for row in numbers["parabolas"]:
        share, curvature = Fraction(row["eta·beta"]), Fraction(row["curvature/beta"])
        assert Fraction(row["parabola"]) == exponent(row["tau"], share, curvature)
        assert abs(row["exponent"] - float(Fraction(row["parabola"]))) < 0.03, row
    for row in numbers["huber"][2:]:
        assert row["last"] == pytest.approx(row["resting level"], rel=2e-3)
    for row in numbers["edges"]:
        proved, necessary = Fraction(row["proved"]), Fraction(row["necessary"])
        assert float(proved) < row["rate"] < float(necessary) * 1.02
        assert row["rests"] == pytest.approx(float(Fraction(row["averaging"])), rel=0.01)
    assert all(row["exponent"] < -0.99 for row in numbers["small steps"])


def test_short_runs_are_measured_the_same_way(script: Any, numbers: Any) -> None:
    short = script.measured(10)
    assert short.keys() | {"worst cases"} == numbers.keys()
    assert [row["tau"] for row in short["edges"]] == [row["tau"] for row in numbers["edges"]]
    assert len(short["parabolas"]) == len(numbers["parabolas"])


def test_the_rows_that_the_page_names_are_there(script: Any) -> None:
    named = set(re.findall(r"`(nesterov\.[\w-]+)`", script.PAGE.read_text(encoding="utf-8")))
    assert len(named) >= 5
    assert named <= {claim.id for claim in PAPER.claims}
