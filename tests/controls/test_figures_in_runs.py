"""Negative controls: stated figures are false where a run says so, and only there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schedules.families import build, get_family
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder
from theory.laws.figure_forms import read_forms
from theory.laws.figure_runs import beside_runs, most_stale
from theory.laws.figures import figures_law, prove
from theory.laws.timetables import run_of
from theory.smt.solver import Outcome
from theory.verdicts import Verdict


@pytest.mark.parametrize(
    ("texts", "verdict", "says"),
    [
        ({}, Verdict.UNKNOWN, "makespan: not proved: step 'filled' does not hold"),
        (
            {"makespan": "3*M + 2*p - 1"},
            Verdict.REFUTED,
            "at p = 1, M = 1 a run has 3, stated is 4",
        ),
        (
            {"work": "2*M"},
            Verdict.REFUTED,
            "work: false: at p = 1, M = 1, r = 0 a run has 3, stated is 2",
        ),
        ({"staleness": "3"}, Verdict.REFUTED, "M = 1, s = 0 a run has 0, stated is 3"),
        ({"peak": "p"}, Verdict.REFUTED, "at p = 2, M = 1, r = 0 a run has 1, stated is 2"),
        ({"makespan": "3*M/2"}, Verdict.UNKNOWN, "found 3/2"),
        ({"where": "M < p"}, Verdict.UNKNOWN, "from one on, found M < p"),
    ],
)
def test_a_figure_is_false_where_a_run_says_so(
    texts: dict[str, str], verdict: Verdict, says: str
) -> None:
    """1F1B with W right behind I takes longer than any rank works: its figures stay open."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (3 * at.x + at.rank, 0),
        backward=lambda at: (3 * (at.x + at.p - 1 - at.rank) + at.rank + 1, 0),
        weight=lambda at: (3 * (at.x + at.p - 1 - at.rank) + at.rank + 2, 0),
    )
    family = Family("own", "ours", "W behind I", WeightPolicy("flush"), rule=order)
    figures = Figures("3*M + 2*p - 2", "3*M", "Min(M, p - r)")
    found = prove(family, replace(figures, **texts))
    assert (found.verdict, says in found.open) == (verdict, True), found.open
    assert found.to_json()["makespan"] is None


def test_every_false_figure_has_an_outcome_of_its_own() -> None:
    family = get_family("zb-h1")
    false = Figures("3*M", "M", "M + 9", staleness="M")
    refuted = [one.name for one in prove(family, false).proof if one.verdict is Verdict.REFUTED]
    assert sorted(refuted) == ["makespan", "peak activations", "staleness", "work"]


def test_gradients_that_no_update_applies_are_not_stale() -> None:
    assert most_stale(build("pipedream-2bw", 2, 4, window=2)) == [1, 1]
    assert most_stale(build("pipedream-2bw", 2, 5, window=2)) == []


def test_control_a_run_outweighs_a_proof() -> None:
    name, says = "makespan", "a timetable ends there"
    proved = Outcome(name, says, Verdict.PROVED, {}, "z3 unsat")
    order = get_family("zb-h1").rule
    assert isinstance(order, StampedOrder)
    run = run_of(get_family("zb-h1"), order, {"p": 2, "M": 3})
    assert run is not None
    right, wrong = (read_forms(Figures(text, "3*M", "p")) for text in ("3*M + p - 1", "3*M"))
    assert beside_runs(proved, [run], right) is proved
    assert beside_runs(proved, [run], wrong).verdict is Verdict.UNKNOWN


def test_control_a_run_refutes_nothing_of_other_parameters(tmp_path: Path) -> None:
    """A makespan that is right with two chunks alone is false with one, and open with two."""
    path = tmp_path / "mine.py"
    path.write_text(TWO_CHUNKS, encoding="utf-8")
    found = figures_law(str(path))
    assert (found.verdict, found.open) == (
        Verdict.REFUTED,
        "makespan: false: at chunks = 1, p = 1, M = 1 a run has 2, stated is 4",
    )
    chosen = figures_law(str(path), {"chunks": 2})
    assert chosen.verdict is Verdict.UNKNOWN
    assert "as stated false: at chunks = 1" in chosen.open
    assert figures_law(str(path), {"chunks": 1}).verdict is Verdict.REFUTED


TWO_CHUNKS = """
from schedules.families.family import Family, Parameter
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import LOOP, StampedOrder

def when(at):
    return at.lane * at.most(at.M, at.p) + at.x + at.rank

def last(at):
    return at.values["chunks"] * at.most(at.M, at.p) + at.M + at.p

FAMILY = Family(
    name="mine", source="ours", summary="looped BFS", policy=WeightPolicy("flush"),
    rule=StampedOrder(
        LOOP,
        forward=lambda at: (when(at),),
        backward=lambda at: (2 * last(at) - when(at),),
        defaults={"chunks": 1},
    ),
    parameters=(Parameter("chunks", "stages a rank"),),
    stages=lambda ranks, values: ranks * values["chunks"],
    figures=Figures("4*M + 2*p - 2", "2*chunks*M", "chunks*M", where="M >= p"),
)
"""
