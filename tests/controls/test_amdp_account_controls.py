"""What AMDP rows hand to the judge must be replayed, complete and compared; else nothing passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from tests.amdp_rows import judged
from theory.account import Refutation
from theory.claims import Claim
from theory.judging.decide import decided, established, proves, stands
from theory.papers import amdp
from theory.papers.amdp import accumulation, active_ratio, eta2, mismatch, one_step, saturation
from theory.papers.amdp.arguments import ROWS
from theory.papers.amdp.lemmas import rotation
from theory.papers.amdp.origins import ORIGINS
from theory.papers.amdp.runs import replays
from theory.papers.amdp.runs.steady_play import Steady
from theory.papers.amdp.runs.windows import Mismatches
from theory.papers.amdp.symbols import d
from theory.papers.amdp.witnesses import chimera_windows, window_plays
from theory.verdicts import Verdict

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN
ONE = sympy.Integer(1)


def test_every_row_is_named_by_origins_and_by_arguments() -> None:
    assert set(ORIGINS) == set(ROWS) == {claim.id for claim in amdp.PAPER.claims}


REFUTATIONS = (
    (window_plays.uneven, "mismatches", window_plays),
    (window_plays.short, "mismatches", window_plays),
    (chimera_windows.one_window_fails, "first_beyond", chimera_windows),
    (chimera_windows.two_windows, "first_beyond", chimera_windows),
)


@pytest.mark.parametrize(
    ("made", "runs", "module"), REFUTATIONS, ids=lambda one: getattr(one, "__name__", one)
)
def test_a_witness_that_is_not_found_again_refutes_nothing(
    made: Callable[[sympy.Expr], object],
    runs: str,
    module: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refutation = made(ONE)
    assert isinstance(refutation, Refutation)
    assert stands(refutation)
    monkeypatch.setattr(module, runs, lambda *_: None)
    assert not stands(refutation)


def test_a_larger_stated_mismatch_is_not_refuted() -> None:
    for made in (window_plays.uneven, chimera_windows.one_window_fails):
        assert made(sympy.Integer(2)) is None


def test_a_replay_within_the_bound_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    refutation = window_plays.short(ONE)
    assert refutation is not None
    monkeypatch.setattr(window_plays, "mismatches", lambda *_: Mismatches(most=1))
    assert not stands(refutation)


@pytest.mark.slow
def test_a_minibatch_of_another_mismatch_when_replayed_refutes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    account = mismatch.CLAIM.account
    assert account is not None
    known = account(mismatch.CLAIM.printed)
    assert [case.verdict for case in decided(known).cases[3:]] == [REFUTED, PROVED, REFUTED]
    monkeypatch.setattr(replays, "by_order", lambda *_: dict.fromkeys(range(20), 1))
    assert [case.verdict for case in decided(known).cases[3:]] == [UNKNOWN, PROVED, UNKNOWN]


@pytest.mark.slow
def test_runs_that_differ_from_the_laws_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "difference", lambda: {"law": "any"})
    for claim in (mismatch.CLAIM, active_ratio.CLAIM):
        assert judged(claim).verdict is UNKNOWN


@pytest.mark.slow
@pytest.mark.parametrize("less", [1, 5])
def test_a_window_shorter_than_what_overtakes_is_not_enough(
    less: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert proves(chimera_windows.counted())
    shorter = {**chimera_windows.WINDOWS, 8: chimera_windows.WINDOWS[8] - less}
    monkeypatch.setattr(chimera_windows, "WINDOWS", shorter)
    assert not proves(chimera_windows.counted())
    assert not chimera_windows.walks().holds
    assert judged(accumulation.CLAIM).cases[10].verdict is UNKNOWN


def test_plays_that_disagree_leave_accumulation_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_plays, "last_place", lambda _: 99)
    found = judged(accumulation.CLAIM)
    assert found.verdict is UNKNOWN
    assert not found.findings


@pytest.mark.sampled(3)
@pytest.mark.parametrize("says", list(rotation.identities(rotation.FORMS)))
def test_every_identity_of_the_rotation_is_needed(
    says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = rotation.identities(rotation.FORMS)
    monkeypatch.setattr(rotation, "identities", lambda _: {**known, says: (*known[says], ONE)})
    assert judged(saturation.CLAIM).cases[0].verdict is UNKNOWN
    assert judged(saturation.CLAIM).verdict is UNKNOWN


def test_a_play_that_is_not_short_when_replayed_refutes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    account = saturation.CLAIM.account
    assert account is not None
    known = account(saturation.CLAIM.printed)
    assert decided(known).cases[7].verdict is REFUTED
    for found in (Steady(0, 1, Fraction(1)), None):
        monkeypatch.setattr(
            "theory.papers.amdp.witnesses.saturation_shares.steady", lambda *_, f=found: f
        )
        assert decided(known).cases[7].verdict is UNKNOWN


def test_a_run_that_is_lost_violates_no_bound_however_small() -> None:
    refutation = window_plays.short(-ONE)
    assert refutation is not None
    assert stands(refutation)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window_plays, "mismatches", lambda *_: None)
        assert not stands(refutation)


def test_another_ratio_of_two_is_not_proved() -> None:
    assert active_ratio._stated(2 / d).holds
    assert not active_ratio._stated(3 / d).holds
    found = judged(active_ratio.CLAIM, {"ratio": 3 / d})
    assert found.verdict is REFUTED


def test_a_ratio_is_of_two_minibatches_in_two_stages_at_least() -> None:
    wrong = judged(active_ratio.CLAIM, {"ratio": sympy.Integer(1)})
    assert wrong.verdict is REFUTED
    assert wrong.counterexample is not None
    assert wrong.counterexample["d"] == 3


def test_what_the_rule_does_with_three_and_unequal_durations_is_open() -> None:
    """No law is proved of it: the case must not pass, and the row does not speak of it."""
    [case] = [one for one in judged(active_ratio.CLAIM).cases if "deciding in the run" in one.when]
    assert case.verdict is UNKNOWN
    assert "n = 2" in active_ratio.CLAIM.statement


def test_no_bound_is_refuted_without_the_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    original = eta2.passes_every_bound()
    unproved = replace(original, verdict=UNKNOWN)
    monkeypatch.setattr(eta2, "passes_every_bound", lambda: unproved)
    found = judged(eta2.CLAIM)
    assert found.cases[1].verdict is UNKNOWN
    assert not found.findings


def test_more_pipelines_need_as_many_minibatches_as_are_replayed() -> None:
    """The family's runs are of n = 2: of n = 3 they refute nothing."""
    edited = {"admission": sympy.Integer(3), "mismatch": ONE}
    assert judged(one_step.CLAIM, edited).cases[2].verdict is UNKNOWN
    assert judged(one_step.CLAIM).cases[2].verdict is REFUTED


@pytest.mark.parametrize(
    "claim",
    [mismatch.CLAIM, one_step.CLAIM, active_ratio.CLAIM, accumulation.CLAIM],
    ids=lambda claim: claim.id,
)
def test_the_core_holds_and_is_asked_for_one_ground_at_a_time(claim: Claim) -> None:
    assert claim.holds is not None
    grounds = claim.holds(claim.core)
    assert not isinstance(grounds, (tuple, Verdict))
    assert established(grounds) is PROVED
