"""What the parts of Chimera's placement say with another placement, tie rule, window or phase."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import sympy

from tests.amdp_rows import judged
from theory.judging.mutants import passes
from theory.papers.amdp import PAPER, accumulation, arguments, saturation
from theory.papers.amdp.lemmas import overtaking, queue_order, rotation
from theory.papers.amdp.lemmas.rotation import FORMS, F, s
from theory.papers.amdp.placements import CHIMERA, SAYS, STRAIGHT
from theory.papers.amdp.runs.fifo import TIES, TURNS
from theory.papers.amdp.runs.witness_runs import first_beyond
from theory.papers.amdp.symbols import d
from theory.papers.amdp.witnesses import chimera_windows, rotation_chimera
from theory.papers.amdp.witnesses.chimera_windows import RUNS, SLOW
from theory.smt.solver import decide
from theory.verdicts import Verdict

ONE = sympy.Integer(1)


def test_the_order_of_the_queue_is_proved_of_its_placement_only() -> None:
    """Pairs of pipelines that start further on are not on the same rank at the same visit."""
    verdicts = {
        placement: {one.name: decide(one).verdict for one in queue_order.statements(ONE, placement)}
        for placement in (STRAIGHT, CHIMERA)
    }
    assert set(verdicts[STRAIGHT].values()) == {Verdict.PROVED}
    refuted = [name for name, found in verdicts[CHIMERA].items() if found is Verdict.REFUTED]
    assert refuted == ["visits"]


@pytest.mark.slow
def test_the_row_of_accumulation_needs_that_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    original = queue_order.proof
    monkeypatch.setattr(queue_order, "proof", lambda most: original(most, CHIMERA))
    found = judged(accumulation.CLAIM)
    assert found.verdict is Verdict.UNKNOWN
    assert found.cases[3].verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("which", range(len(RUNS)))
def test_runs_need_their_placement_tie_rule_and_window(which: int) -> None:
    play, tie = RUNS[which]
    assert first_beyond(play, tie, play.stages, 1) is not None
    assert first_beyond(play, tie, play.stages, 2) is None
    assert first_beyond(replace(play, placement=STRAIGHT), tie, play.stages, 1) is None
    for other in TIES[::2]:
        assert first_beyond(play, other, play.stages, 1) is None
    assert first_beyond(play, tie, play.stages + 2, 1) is None


def test_the_run_with_slow_actions_needs_each_of_them_its_placement_and_its_window() -> None:
    window = 2 * SLOW.stages
    assert first_beyond(SLOW, TIES[0], window, 1) is not None
    assert first_beyond(replace(SLOW, placement=STRAIGHT), TIES[0], window, 1) is None
    assert first_beyond(replace(SLOW, reading=TURNS), TIES[0], window, 1) is None
    for other in (window - 1, window + 1):
        assert first_beyond(SLOW, TIES[0], other, 1) is None
    for tie in TIES[1:]:
        assert first_beyond(SLOW, tie, window, 1) is None
    for left in range(len(SLOW.slow)):
        fewer = replace(SLOW, slow=(*SLOW.slow[:left], *SLOW.slow[left + 1 :]))
        assert first_beyond(fewer, TIES[0], window, 1) is None


def test_runs_that_are_not_found_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chimera_windows, "_beyond", lambda *_: None)
    chimera = [case for case in judged(accumulation.CLAIM).cases if "Chimera" in case.when]
    assert [case.verdict for case in chimera[:3]] == [Verdict.UNKNOWN] * 3


def test_what_overtakes_in_another_placement_is_less_than_the_run_shows() -> None:
    """The walk of straight pipelines, and one that never passes x, miss the 17 of `SLOW`."""
    assert overtaking.most_between(8, STRAIGHT) < 17 <= overtaking.most_between(8, CHIMERA)
    assert chimera_windows.WINDOWS[8] == overtaking.most_between(8, CHIMERA)


def test_every_mismatch_of_one_step_needs_windows_of_what_overtakes() -> None:
    """For d = 8 more than 2d, or the run with slow actions would contradict it."""
    assert all(window > 2 * stages for stages, window in chimera_windows.WINDOWS.items())


@pytest.mark.parametrize("apart", [0, 1, 3, 4])
def test_other_phases_meet(apart: int) -> None:
    assert rotation_chimera.proof(FORMS, apart).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "wrong", [{"forward": 2 * s * F}, {"backward": FORMS["backward"] + F}, {"round": d * F}]
)
def test_another_round_fills_no_ranks_of_chimeras_placement(wrong: dict[str, sympy.Expr]) -> None:
    assert rotation_chimera.proof({**FORMS, **wrong}).verdict is not Verdict.PROVED


def test_the_phases_are_those_of_one_placement() -> None:
    assert rotation_chimera.is_filled(8, CHIMERA)
    assert not rotation_chimera.is_filled(8, STRAIGHT)


@pytest.mark.slow
def test_saturation_needs_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an order that fills the ranks where F = B it is no longer CONDITIONAL."""
    monkeypatch.setattr(rotation, "fills_if_equal", lambda _: False)
    assert judged(saturation.CLAIM).verdict is Verdict.UNKNOWN
    assert saturation.CLAIM.holds is not None
    assert passes(partial(saturation.CLAIM.holds, FORMS)) is Verdict.UNKNOWN


def test_every_case_of_several_pipelines_names_its_placement() -> None:
    named = (*SAYS.values(), "every placement", "one pipeline", "d = 2, ", "the same with")
    for claim in (accumulation.CLAIM, saturation.CLAIM):
        for case in judged(claim).cases:
            assert any(words in case.when for words in named), case.when


def test_every_row_says_which_arguments_it_uses() -> None:
    assert set(arguments.ROWS) == {claim.id for claim in PAPER.claims}
    used = {name for names in arguments.ROWS.values() for name in names}
    assert used == set(arguments.ARGUMENTS)
    assert all(len(text) > 200 for text in arguments.ARGUMENTS.values())


def test_arguments_name_statements_that_are_checked() -> None:
    for one in queue_order.statements(ONE):
        if one.name not in ("following", "first generation"):
            assert f'"{one.name}"' in arguments.ARGUMENTS["queue"]
