"""Negative controls for PipeDream as RPD: other relations, other delays, no stash."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from schedules import build, timeline
from schedules.delays import delays
from schedules.linearization import LINEARIZATIONS, Linearization, get_linearization
from theory.judging.judge import judge
from theory.papers.rpd import pd_as_rpd
from theory.papers.rpd.lemmas.embedding import (
    delay_statement,
    equivalent_statements,
    h,
    history_statements,
    index_statement,
    induction_statements,
    k,
    slot_statements,
)
from theory.papers.rpd.witnesses.fed_runs import fed
from theory.papers.rpd.witnesses.replays import first_difference, pipedream, problem, rpd
from theory.smt.solver import Statement, decide
from theory.verdicts import Verdict


@pytest.mark.parametrize("delay", [k - h + 1, k - h - 1, k, h, 2 * (k - h), sympy.Integer(0)])
def test_other_delays_are_refuted_by_proof_and_by_runs(delay: sympy.Expr) -> None:
    assert decide(delay_statement(delay)).verdict is Verdict.REFUTED
    row = judge(replace(pd_as_rpd.CLAIM, printed={"delay": delay}, holds=None))
    assert row.verdict is Verdict.REFUTED
    assert row.judgement.counterexample
    assert row.judgement.printed_proof == "invalid"


def test_indices_of_slot_start_are_not_positions() -> None:
    for name in LINEARIZATIONS:
        found = decide(index_statement(get_linearization(name))).verdict
        assert found is (Verdict.REFUTED if name == "slot-start" else Verdict.PROVED)


def test_a_proof_that_a_run_contradicts_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd_as_rpd, "mismatch", lambda linearization, delay: {"p": 2})
    assert judge(replace(pd_as_rpd.CLAIM, holds=None)).verdict is Verdict.UNKNOWN


def statements(linearization: Linearization) -> dict[str, Statement]:
    found = (*history_statements(linearization), index_statement(linearization))
    return {statement.name: statement for statement in found}


class CountsItself(Linearization):
    """As `ascending`, but events also count what their own stage does in their slot."""

    def counted(self, update_stage: object, stage: object, *, by_forward: bool) -> object:
        return update_stage <= stage  # type: ignore[operator]


class CountsAbove(Linearization):
    """Events count the updates of later stages, while the history is ascending."""

    def counted(self, update_stage: object, stage: object, *, by_forward: bool) -> object:
        return update_stage > stage  # type: ignore[operator]


def test_a_linearization_that_counts_its_own_slot_is_refuted() -> None:
    broken = CountsItself("broken", True, True, True, "")
    assert decide(statements(broken)["own block"]).verdict is Verdict.REFUTED


def test_a_linearization_that_counts_no_prefix_is_refuted() -> None:
    broken = CountsAbove("broken", True, True, True, "")
    found = {name: decide(statement).verdict for name, statement in statements(broken).items()}
    assert found["prefix"] is Verdict.REFUTED
    assert found["index"] is Verdict.REFUTED


STEPS = [
    *slot_statements(),
    *history_statements(get_linearization("ascending")),
    *equivalent_statements(),
    *induction_statements(),
    delay_statement(k - h),
]


@pytest.mark.parametrize(
    ("statement", "left_out"),
    [
        pytest.param(statement, number, id=f"{statement.name}-{number}")
        for statement in STEPS
        for number in range(len(statement.hypotheses))
    ],
)
def test_every_hypothesis_is_used(statement: Statement, left_out: int) -> None:
    kept = tuple(x for number, x in enumerate(statement.hypotheses) if number != left_out)
    found = decide(replace(statement, hypotheses=kept)).verdict
    assert found is Verdict.REFUTED


@pytest.mark.parametrize("p", [3, 5])
def test_without_a_stash_the_runs_differ(p: int) -> None:
    line = timeline(build("pipedream", p, 3 * p))
    given = problem("curved", p, 3 * p)
    rows = fed(delays(line), k - h)
    assert first_difference(pipedream(line, given), rpd(rows, given)) is None
    unstashed = pipedream(line, given, stashes=False)
    assert first_difference(unstashed, rpd(rows, given)) is not None
