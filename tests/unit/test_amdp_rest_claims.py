"""Rows of saturation, accumulation and η²: verdicts, witnesses, what edits and controls say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import pytest
import sympy

from tests import published
from theory.claims import Claim
from theory.judging.judge import judge
from theory.judging.mutants import mutants
from theory.papers.amdp import accumulation, eta2, saturation
from theory.papers.amdp.runs.fifo import QUEUE, TIES, TURNS, Play
from theory.papers.amdp.runs.steady_play import Every, Steady, every_play, steady
from theory.papers.amdp.runs.windows import Mismatches, mismatches
from theory.papers.amdp.symbols import d
from theory.papers.amdp.witnesses import mixed_chain
from theory.verdicts import Verdict

CHECKED, PROVED, REFUTED = Verdict.CHECKED, Verdict.PROVED, Verdict.REFUTED


def test_eta2_holds_with_a_stash_or_lipschitz_stages_and_not_without() -> None:
    row = published.row(eta2.CLAIM.id)
    assert row.verdict is Verdict.CONDITIONAL
    assert [case.verdict for case in row.judgement.cases] == [PROVED, REFUTED, PROVED]
    [finding] = row.judgement.findings
    assert finding.witness is not None
    weights = [Fraction(weight) for weight in finding.witness["weights"]]
    assert weights == [1, Fraction(7, 8), Fraction(-17, 4)]
    assert sum(weight**2 for weight in weights) / 3 == Fraction(423, 64)
    assert Fraction(finding.witness["average"]) > Fraction(finding.witness["C"])
    assert finding.repaired is not None
    assert finding.repaired.verdict is PROVED


@pytest.mark.parametrize("bound", [0, 1, 10**9])
def test_every_bound_is_passed_at_every_stepsize(bound: int) -> None:
    for stepsize in (Fraction(1, 2), Fraction(1, 1000)):
        steep = mixed_chain.steep_enough(4, stepsize, Fraction(bound))
        assert mixed_chain.average(4, stepsize, steep) > bound


def test_pipelines_can_saturate_if_forwards_take_as_long_as_backwards() -> None:
    """Refuted else whatever ties do, with stage s on rank s or d − 1 − s."""
    row = published.row(saturation.CLAIM.id)
    assert row.verdict is Verdict.CONDITIONAL
    verdicts = [case.verdict for case in row.judgement.cases]
    served = [CHECKED, CHECKED, REFUTED, REFUTED, CHECKED, REFUTED]
    assert verdicts[:4] == [REFUTED, PROVED, PROVED, Verdict.UNKNOWN]
    assert verdicts[-6:] == served
    witness = row.judgement.findings[0].witness
    assert witness is not None
    assert (witness["d"], witness["F"], witness["B"]) == (4, 1, 2)
    shares = witness["active by tie rule"]
    assert {Fraction(share) for ties in shares.values() for share in ties.values()} == {
        Fraction(6, 7),
        Fraction(3, 4),
    }
    [finding] = row.judgement.findings
    assert finding.repaired is not None
    assert finding.repaired.verdict is CHECKED


def test_plays_have_the_periods_worked_out_by_hand() -> None:
    """One pipeline of two stages: each rank does F and B in turn from the second minibatch on."""
    assert steady(Play(2, 1, 1), TIES[0]) == Steady(4, 2, Fraction(1))
    assert steady(Play(4, 1, 1), TIES[1]) == Steady(10, 10, Fraction(4, 5))


def test_what_all_plays_can_come_to() -> None:
    assert every_play(Play(2, 1, 1, TURNS)) == Every(6, fills=True, idles=False)
    assert every_play(Play(4, 1, 1, QUEUE)) == Every(190, fills=True, idles=True)
    for pair in ((1, 2), (2, 1), (2, 3)):
        for reading in (TURNS, QUEUE):
            every = every_play(Play(4, *pair, reading))
            assert every is not None
            assert not every.fills


def test_ranks_that_are_busy_but_for_one_are_not_filled() -> None:
    """Two minibatches on three ranks: two of them can always work, never all."""
    assert every_play(Play(3, 1, 1)) == Every(12, fills=False, idles=True)
    found = steady(Play(3, 1, 1), TIES[0])
    assert found is not None
    assert found.active == Fraction(2, 3)


def test_forwards_backwards_and_numbers_are_three_orders() -> None:
    assert mismatches(Play(6, 1, 2), TIES[0], 6) == Mismatches(1, 5, 5, 6, 5, 6)


def test_accumulation_is_conditional_on_the_window_and_on_durations() -> None:
    row = published.row(accumulation.CLAIM.id)
    assert row.verdict is Verdict.CONDITIONAL
    verdicts = [case.verdict for case in row.judgement.cases]
    straight = [PROVED, PROVED, PROVED, PROVED, CHECKED, REFUTED, REFUTED]
    as_in_chimera = [REFUTED, REFUTED, Verdict.UNKNOWN, PROVED, REFUTED, CHECKED]
    assert verdicts == [*straight, *as_in_chimera]
    kinds = [finding.kind for finding in row.judgement.findings]
    assert kinds == ["loose", *["missing-condition"] * 4]
    uneven, short = (finding.witness for finding in row.judgement.findings[1:3])
    windows = [finding.witness for finding in row.judgement.findings[3:]]
    assert [one and (one["d"], one["window"], one["mismatch"]) for one in windows] == [
        (8, 8, 2),
        (8, 16, 2),
    ]
    assert uneven is not None
    assert short is not None
    assert (uneven["d"], uneven["window"], uneven["mismatch"]) == (6, 6, 2)
    assert uneven["but"] == {"F at stage 4": 5, "F at stage 5": 5}
    assert uneven["queue"] == TURNS
    repairs = [finding.repaired for finding in row.judgement.findings]
    assert [repair and repair.verdict for repair in repairs] == [PROVED] * 5
    assert (short["d"], short["window"], short["mismatch"]) == (4, 1, 3)


def test_windows_of_one_pipeline() -> None:
    """n = 2: only the minibatch right behind the one that closes the window sees the update."""
    found = mismatches(Play(2, 1, 2), TIES[0], 5)
    assert found == Mismatches(1, 1, 1, 1, 1, 1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("module", [eta2, saturation, accumulation])
def test_no_edit_of_the_printed_formula_passes(module: ModuleType) -> None:
    claim: Claim = module.CLAIM
    for name, form in claim.printed.items():
        for mutant in mutants(form).values():
            edited = {**claim.printed, name: mutant}
            row = judge(replace(claim, printed=edited, holds=None))
            assert row.verdict in (REFUTED, Verdict.UNKNOWN)


@pytest.mark.slow
def test_the_accumulation_row_reads_its_printed_number() -> None:
    claim = accumulation.CLAIM
    row = judge(replace(claim, printed={**claim.printed, "first": d / 2}, holds=None))
    assert row.verdict is Verdict.UNKNOWN
    assert [case.verdict for case in row.judgement.cases[3:5]] == [Verdict.UNKNOWN, REFUTED]


def test_the_accumulation_row_reads_its_printed_mismatch() -> None:
    claim = accumulation.CLAIM
    row = judge(replace(claim, printed={**claim.printed, "mismatch": sympy.S.Zero}, holds=None))
    assert [case.verdict for case in row.judgement.cases[3:5]] == [Verdict.UNKNOWN, REFUTED]


def test_the_eta2_row_reads_its_printed_exponent() -> None:
    row = judge(replace(eta2.CLAIM, printed={"exponent": sympy.Integer(3)}, holds=None))
    assert row.verdict is Verdict.UNKNOWN


@pytest.mark.slow
def test_the_larger_domain_of_windows_is_exhausted() -> None:
    claim = accumulation.CLAIM
    assert claim.deeper is not None
    [evidence] = claim.deeper(claim.printed)
    assert evidence.points == "for"
