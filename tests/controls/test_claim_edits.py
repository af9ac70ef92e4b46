"""Verdicts follow the formulas and the families: edit either, and look at what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from schedules.closed_forms.floor_sums import p_
from schedules.families import FAMILIES, localsgd, pipedream
from schedules.policies import WeightPolicy
from theory.judging.mutants import mutants
from theory.judging.verify import CLAIMS, judge
from theory.laws.delays.matrix import i_
from theory.papers.localsgd import schedule as localsgd_schedule
from theory.papers.rpd import stash_invariant
from theory.papers.rpd.local_staleness import s_
from theory.papers.schedules.matrix.rows import CLAIMS as MATRIX
from theory.verdicts import Verdict

JUDGED = 6
"""So many mutants of a formula are judged in full; controls judge the core of all of them."""

FORMULAS = [
    (claim.id, name)
    for claim in CLAIMS.values()
    if claim not in MATRIX  # see test_matrix_bounds.py
    for name in claim.printed
]

TRUE_FORMS = {
    "rpd.prop-4.1": ("worst", sympy.floor(p_**2 - p_ / 2)),
    "rpd.lemma-c1-mean": ("mean", (p_**2 - 1) / 2 + sympy.Mod(p_, 2)),
    "rpd.lemma-c1-odd": ("entry", CLAIMS["rpd.lemma-c1-odd"].core["entry"]),
    "rpd.lemma-c1-entry": (
        "entry",
        CLAIMS["rpd.lemma-c1-entry"].core["entry"] + sympy.Max(0, i_ - p_),
    ),
    "rpd.cor-c1": ("mean", sympy.floor(p_**2 / 2)),
    "rpd.delay-whole-run": ("bound", sympy.floor(5 * p_**2 / 4) - p_),
}


@pytest.mark.sampled(151)
@pytest.mark.usefixtures("without_small_runs")
@pytest.mark.parametrize(("claim", "name"), FORMULAS)
def test_edited_formula_is_not_proved_and_a_refutation_has_a_witness(claim: str, name: str) -> None:
    original = CLAIMS[claim]
    every = list(mutants(original.printed[name]).values())
    edits = every[:: -(-len(every) // JUDGED)]
    assert edits
    for edited in edits:
        row = judge(replace(original, printed={**original.printed, name: edited}, holds=None))
        if claim == "rpd.lemma-c1-window" and name != "window":
            assert row.judgement.printed_proof == "invalid"
        elif claim == "rpd.delay-whole-run":
            # Larger bounds than the printed one may well be true; smaller ones are not.
            assert row.verdict in (Verdict.REFUTED, Verdict.PROVED)
        else:
            assert row.verdict < Verdict.CONDITIONAL, edited
        if row.verdict is Verdict.REFUTED:
            assert row.judgement.counterexample


@pytest.mark.sampled(4)
@pytest.mark.parametrize("claim", TRUE_FORMS)
def test_true_formula_in_another_shape_is_never_refuted(claim: str) -> None:
    name, form = TRUE_FORMS[claim]
    row = judge(replace(CLAIMS[claim], printed={name: form}, holds=None))
    assert row.verdict in (Verdict.PROVED, Verdict.UNKNOWN)


def test_unreadable_formula_is_undecided() -> None:
    form = sympy.Min(p_ - 1, 2 * p_ - 2 - 2 * s_)
    row = judge(replace(CLAIMS["rpd.local-staleness"], printed={"staleness": form}, holds=None))
    assert row.verdict is Verdict.UNKNOWN
    assert "polynomial" in row.judgement.evidence[-1].says


def test_family_that_drops_its_stash(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = replace(pipedream.FAMILY, policy=WeightPolicy("latest"))
    monkeypatch.setattr(stash_invariant, "FAMILY", dropped)
    monkeypatch.setitem(FAMILIES, "pipedream", dropped)
    row = judge(CLAIMS["rpd.stash-invariant"])
    assert row.verdict is Verdict.REFUTED
    found = row.judgement.counterexample
    assert found is not None
    assert found["read"] != found["used"]


def edited_conditions(**changes: object) -> tuple[localsgd.Condition, ...]:
    step, barrier = localsgd.CONDITIONS
    return step, replace(barrier, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"stage": lambda s: s}, Verdict.PROVED),
        ({"waits_for": lambda job: job.index - 1}, Verdict.PROVED),
        ({"applies": lambda job: job.first < 0}, Verdict.REFUTED),
        ({"waits_for": lambda job: job.first - 2}, Verdict.UNKNOWN),
    ],
    ids=["at its own stage", "serial", "dropped", "one too early, a deadlock"],
)
def test_barrier_follows_the_family(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], verdict: Verdict
) -> None:
    conditions = edited_conditions(**changes)
    monkeypatch.setattr(localsgd, "CONDITIONS", conditions)
    monkeypatch.setattr(localsgd_schedule, "CONDITIONS", conditions)
    row = judge(CLAIMS["localsgd.schedule"])
    assert row.verdict is verdict
    if verdict is Verdict.REFUTED:
        assert row.judgement.counterexample
