"""What the rows of saturation, accumulation and η² say if one of their parts is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from schedules.actions import Kind
from schedules.families import amdp
from tests.amdp_rows import judged
from theory.judging.decide import established, stands
from theory.kernel import prove
from theory.papers.amdp import eta2, saturation
from theory.papers.amdp.convergence import eta
from theory.papers.amdp.lemmas import eta2_mixed, queue_order, rotation
from theory.papers.amdp.lemmas.rotation import FORMS, B, F, s
from theory.papers.amdp.lemmas.window_laws import CORE, is_least, statements
from theory.papers.amdp.runs.fifo import QUEUE, READINGS, TIES, TURNS, Job, Play
from theory.papers.amdp.runs.steady_play import Every, every_play
from theory.papers.amdp.runs.windows import mismatches
from theory.papers.amdp.symbols import d, n
from theory.papers.amdp.witnesses import mixed_chain, window_plays
from theory.smt.instances import admits
from theory.smt.solver import decide
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
    assert established(rotation.grounds({**FORMS, **wrong})) is UNKNOWN


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


@pytest.mark.slow
def test_equal_durations_are_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """With F = B some play fills the ranks: the row has no counterexample then."""
    monkeypatch.setattr(saturation, "WITNESS", (4, 1, 1))
    found = judged(saturation.CLAIM)
    assert found.verdict is UNKNOWN
    assert found.counterexample is None


def test_a_search_that_is_cut_off_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.papers.amdp.runs.steady_play.MOST_STATES", 10)
    assert every_play(Play(4, 1, 2)) is None
    assert judged(saturation.CLAIM).verdict is UNKNOWN


def test_a_play_that_fills_the_ranks_under_no_named_rule_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(saturation, "every_play", lambda _: Every(1, fills=True, idles=True))
    assert judged(saturation.CLAIM).verdict is UNKNOWN


def test_a_larger_mismatch_than_stated_is_shown() -> None:
    domain = window_plays.Domain((4,), ((1, 1),), TIES[1:2], (1,))
    stated = {"first": d, "mismatch": 0}
    found = window_plays.exhausted(domain, stated)
    assert not found.ground.holds
    assert found.against is not None
    assert stands(found.against)
    assert (found.against.witness["window"], found.against.witness["most"]) == (4, 1)


def test_the_order_has_to_be_attained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound whose power no instance has is one that may be improved."""
    monkeypatch.setattr(eta2, "excess", lambda: eta**3)
    found = judged(eta2.CLAIM)
    assert found.verdict is UNKNOWN


def test_a_play_without_a_period_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.papers.amdp.witnesses.saturation_shares.active", lambda *_: None)
    found = judged(saturation.CLAIM)
    assert found.verdict is UNKNOWN
    assert all(case.verdict is not Verdict.CHECKED for case in found.cases)


def test_a_chain_that_gives_gradients_passes_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_chain, "mixed", lambda forward, backward, steepness: forward)
    assert eta2.passes_every_bound().verdict is UNKNOWN
    assert eta2.replayed() is None


def test_a_chain_on_a_stash_passes_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the weights of the forward the mixed product is a gradient."""
    original = amdp.build

    def stashing(*args: int, **values: int) -> object:
        return original(*args, **{**values, "stash": 1})

    monkeypatch.setattr(amdp, "build", stashing)
    assert eta2.replayed() is None


def test_a_smaller_mismatch_term_is_not_proved() -> None:
    theorem = eta2_mixed.THEOREM
    for factor in (0, 2):
        terms = {**theorem.terms, "mismatch": factor * theorem.terms["mismatch"]}
        assert prove(replace(theorem, terms=terms)).verdict is UNKNOWN


@pytest.mark.parametrize("left", range(len(window_plays.UNEVEN.slow)))
def test_every_slow_stage_of_the_uneven_play_matters(left: int) -> None:
    slow = window_plays.UNEVEN.slow
    fewer = replace(window_plays.UNEVEN, slow=(*slow[:left], *slow[left + 1 :]))
    found = mismatches(fewer, TIES[0], 6)
    assert found is not None
    assert found.most == 1


def test_slow_actions_take_longer() -> None:
    job = Job(0, 1, Kind.F, 0)
    play = Play(4, 1, 2, TURNS, (((Kind.F, 1), 5),))
    assert [play.takes(one) for one in (job, job._replace(stage=0))] == [5, 1]
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


LAWS = {one.name: one for one in statements(CORE)}
UNDER_WAY = LAWS["under way"]
NEEDED_UNDER_WAY = [
    ("under way", "readY <= "),
    ("under way", "uB > uF"),
    ("under way", "uB <= "),
    ("no later update", "restB < endX"),
    ("no later update", "endX <= "),
    ("product", "left >= 0"),
]


@pytest.mark.parametrize(("law", "fact"), NEEDED_UNDER_WAY)
def test_every_fact_about_who_is_under_way_is_needed(law: str, fact: str) -> None:
    """A mismatch of x; a backward that starts before it ends; y's forward no later than x's."""
    whole = LAWS[law]
    fewer = tuple(one for one in whole.hypotheses if fact not in str(one))
    assert len(fewer) == len(whole.hypotheses) - 1
    assert decide(whole).verdict is Verdict.PROVED
    assert decide(replace(whole, hypotheses=fewer)).verdict is Verdict.REFUTED


def test_a_minibatch_of_another_window_need_not_be_under_way() -> None:
    facts = tuple(one for one in UNDER_WAY.hypotheses if "endY" not in str(one))
    assert len(facts) == len(UNDER_WAY.hypotheses) - 2
    assert decide(replace(UNDER_WAY, hypotheses=facts)).verdict is Verdict.REFUTED


QUEUED = {one.name: one for one in queue_order.statements(sympy.Integer(1))}


NEEDED = {
    "visits": (1, 2),
    "arrivals": (0, 1, 2),
    "in order": (1, 2, 3, 4, 5),
    "places": (5,),
    "generations": (1, 2, 5, 6, 7, 8, 10, 11, 12),
    "one update": (3, 4, 6, 7, 9, 10),
    "others": (3, 4, 6, 7, 9, 11),
    "first generation": (1, 3, 4, 6, 7),
    "numbers": (1, 2, 5),
}


@pytest.mark.parametrize("name", list(NEEDED))
def test_facts_about_a_queue_are_needed(name: str) -> None:
    whole = QUEUED[name]
    assert decide(whole).verdict is Verdict.PROVED
    for left in NEEDED[name]:
        facts = (*whole.hypotheses[:left], *whole.hypotheses[left + 1 :])
        assert decide(replace(whole, hypotheses=facts)).verdict is Verdict.REFUTED


def test_upward_tokens_counted_from_0_are_not_on_the_same_ranks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = queue_order.visit
    monkeypatch.setattr(
        queue_order, "visit", lambda stages, _, kind, at: original(stages, 0, kind, at)
    )
    visits = next(queue_order.statements(sympy.Integer(1)))
    assert decide(visits).verdict is Verdict.REFUTED


def test_other_rounds_of_tokens_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Downward tokens first at every visit; upward ones a generation behind at visits below d."""
    original = queue_order.place
    changed = {
        "places": lambda _, upward, done, token: original(True, upward, done, token),
        "generations": lambda low, upward, done, token: original(
            low, upward, 2 * done if low and upward else done, token
        ),
    }
    for name, place in changed.items():
        monkeypatch.setattr(queue_order, "place", place)
        wrong = {one.name: one for one in queue_order.statements(sympy.Integer(1))}
        assert decide(wrong[name]).verdict is Verdict.REFUTED


def test_in_turns_the_law_of_the_queue_fails() -> None:
    """The same play with all that is ready in one queue has one update at most."""
    found = {
        reading: mismatches(replace(window_plays.UNEVEN, reading=reading), TIES[0], 6)
        for reading in READINGS
    }
    assert {reading: one and one.most for reading, one in found.items()} == {TURNS: 2, QUEUE: 1}


def test_step_2_leaves_no_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds that begin and end alike, but bend in between: only the third gap tells them apart."""
    bent = {**FORMS, "forward": FORMS["forward"] + s * (d - 1 - s) * F}
    hole = "the intervals of step 2 leave no hole"
    assert rotation.vanish(rotation.identities(FORMS)[hole])
    assert not rotation.vanish(rotation.identities(bent)[hole])


def test_a_forward_and_a_backward_of_opposite_directions_are_half_a_round_apart() -> None:
    """With backwards d slots later these would meet, and no others: only one of the gaps tells."""
    later_backwards = {**FORMS, "backward": FORMS["backward"] + F * d}
    assert rotation.fills_if_equal(FORMS)
    assert not rotation.fills_if_equal(later_backwards)


def test_the_counts_of_a_queue_reach_to_the_ends_that_the_argument_names() -> None:
    """From d(g − 1) + 1 to dg + d − 1, here with d = 2 and g = 1, and no further."""
    law = QUEUED["one update"]
    at = {"e": 1, "W": 2, "a": 0, "rest": 0, "F": 1, "B": 3}
    assert admits(law, at)
    assert not admits(law, {**at, "F": 0})
    assert not admits(law, {**at, "B": 4})
