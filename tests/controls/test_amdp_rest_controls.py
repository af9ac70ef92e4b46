"""What the rows of saturation, accumulation and η² say if one of their parts is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedules.actions import Kind
from schedules.families import amdp
from theory.amdp import accumulation, eta2, eta2_mixed, mixed_chain, rotation, saturation
from theory.amdp.convergence import eta
from theory.amdp.fifo import READINGS, TIES, TURNS, Job, Play, Uneven
from theory.amdp.rotation import FORMS, B, F, s
from theory.amdp.steady_play import Every, every_play
from theory.amdp.symbols import d, n
from theory.amdp.window_laws import CORE, is_least, statements
from theory.amdp.windows import mismatches
from theory.kernel import prove
from theory.kernel.controls import without
from theory.solver import decide
from theory.verdicts import Verdict

UNKNOWN = Verdict.UNKNOWN


@pytest.mark.parametrize(
    "wrong",
    [
        {"forward": s * B},
        {"forward": s * F + 1},
        {"backward": d * F + s * B},
        {"backward": (d - 1) * F + (d - 1 - s) * B},
        {"round": d * (F + B) + F},
        {"apart": 11 * F},
        {"apart": 12 * B},
    ],
)
def test_another_round_is_not_proved(wrong: dict[str, object]) -> None:
    assert rotation.proof({**FORMS, **wrong}).verdict is UNKNOWN


@pytest.mark.parametrize(
    "wrong",
    [{"forward": 2 * s * F}, {"backward": d * F + (d - s) * B}, {"round": d * F + B}],
)
def test_another_round_fills_nothing(wrong: dict[str, object]) -> None:
    assert not rotation.fills_if_equal({**FORMS, **wrong})


def test_too_small_a_distance_leaves_room() -> None:
    """The two upward minibatches of d = 6 have 10F between them, so they are further apart."""
    verdicts = {
        room: [decide(one).verdict for one in rotation.statements(room)] for room in (10, 11, 12)
    }
    assert verdicts[12] == verdicts[11] == [Verdict.PROVED] * len(verdicts[12])
    assert verdicts[10][-1] is Verdict.REFUTED


def test_equal_durations_are_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """With F = B some play fills the ranks: the row has no counterexample then."""
    monkeypatch.setattr(saturation, "WITNESS", (4, 1, 1))
    found = saturation.CLAIM.judge(saturation.CLAIM.printed)
    assert found.verdict is UNKNOWN
    assert found.counterexample is None


def test_a_search_that_is_cut_off_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.amdp.steady_play.MOST_STATES", 10)
    assert every_play(Play(4, 1, 2)) is None
    assert saturation.CLAIM.judge(saturation.CLAIM.printed).verdict is UNKNOWN


def test_a_play_that_fills_the_ranks_under_no_named_rule_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(saturation, "every_play", lambda _: Every(1, fills=True, idles=True))
    assert saturation.CLAIM.judge(saturation.CLAIM.printed).verdict is UNKNOWN


def test_a_larger_mismatch_than_stated_is_shown() -> None:
    domain = accumulation.Domain((4,), ((1, 1),), TIES[1:2], (1,))
    stated = {"first": d, "mismatch": 0}
    verdict, witness = accumulation.exhausted(domain, stated)
    assert verdict is Verdict.REFUTED
    assert witness is not None
    assert (witness["window"], witness["most"]) == (4, 1)


def test_the_order_has_to_be_attained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound whose power no instance has is one that may be improved."""
    monkeypatch.setattr(eta2, "excess", lambda: eta**3)
    found = eta2.CLAIM.judge(eta2.CLAIM.printed)
    assert found.verdict is UNKNOWN


def test_a_play_without_a_period_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saturation, "active", lambda *_: None)
    found = saturation.CLAIM.judge(saturation.CLAIM.printed)
    assert found.verdict is UNKNOWN
    assert all(case.verdict is not Verdict.CHECKED for case in found.cases)


def test_a_chain_that_gives_gradients_passes_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_chain, "mixed", lambda forward, backward, steepness: forward)
    assert eta2.passes_every_bound() is UNKNOWN
    assert eta2.replayed() is None


def test_a_chain_on_a_stash_passes_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the weights of the forward the mixed product is a gradient."""
    original = amdp.build

    def stashing(*args: int, **values: int) -> object:
        return original(*args, **{**values, "stash": 1})

    monkeypatch.setattr(amdp, "build", stashing)
    assert eta2.replayed() is None


@pytest.mark.parametrize("name", [h.name for h in eta2_mixed.THEOREM.hypotheses])
def test_every_hypothesis_of_the_mixed_bound_is_needed(name: str) -> None:
    assert without(eta2_mixed.THEOREM, name) is UNKNOWN


def test_a_smaller_mismatch_term_is_not_proved() -> None:
    theorem = eta2_mixed.THEOREM
    for factor in (0, 2):
        terms = {**theorem.terms, "mismatch": factor * theorem.terms["mismatch"]}
        assert prove(replace(theorem, terms=terms)).verdict is UNKNOWN


@pytest.mark.parametrize("left", range(len(accumulation.UNEVEN.slow)))
def test_every_slow_backward_of_the_uneven_play_matters(left: int) -> None:
    slow = accumulation.UNEVEN.slow
    fewer = replace(accumulation.UNEVEN, slow=(*slow[:left], *slow[left + 1 :]))
    found = mismatches(fewer, TIES[0], 4, accumulation.UNEVEN_STEPS)
    assert found is not None
    assert found.most == 1


def test_slow_actions_take_longer() -> None:
    job = Job(0, 1, Kind.F, 0)
    play = Uneven(4, 1, 2, TURNS, ((job, 5),))
    assert [play.takes(one) for one in (job, job._replace(number=1))] == [5, 1]
    assert play.takes(job._replace(kind=Kind.B)) == 2


def test_one_less_than_affected_or_than_the_window_is_refuted() -> None:
    fewer = [decide(one) for one in statements({**CORE, "affected": d - 2})]
    assert fewer[0].verdict is Verdict.REFUTED
    shorter = [decide(one) for one in statements({**CORE, "window": n - 2})]
    assert shorter[-1].verdict is Verdict.REFUTED
    assert not is_least(n)


def test_short_windows_see_more_updates_in_every_reading() -> None:
    for reading in READINGS:
        found = mismatches(Play(4, 1, 1, reading), TIES[1], 1)
        assert found is not None
        assert found.most == 3
