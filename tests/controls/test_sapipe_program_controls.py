"""Edited constraints, lines and witnesses of SAPipe's program and algorithms must be noticed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import sympy
import z3

from schedules.partial_staleness import Model, sequential
from theory.claims import Claim, Formulas
from theory.judging.decide import decided, established
from theory.judging.mutants import mutants, passes
from theory.ledger import Judgement
from theory.papers.sapipe import alg_4, alg_5, program, thm_1
from theory.papers.sapipe.lemmas import layer_induction as induction
from theory.papers.sapipe.lemmas import no_stall
from theory.papers.sapipe.lemmas.conditions import (
    CHANNEL,
    IN_TIME,
    PROGRAM,
    RIGHT,
    SECOND,
    b,
    j,
    k,
    m,
    total,
)
from theory.papers.sapipe.lemmas.conditions import u as forwards
from theory.papers.sapipe.lemmas.conditions import v as sent
from theory.papers.sapipe.lemmas.layer_induction import (
    always_fails,
    never_below,
    prefix,
    same,
    statements,
)
from theory.papers.sapipe.witnesses.algorithm_lines import (
    PRINTED_4,
    PRINTED_5,
    REPAIRED_4,
    REPAIRED_5,
    c,
    r,
    t,
    v,
)
from theory.smt.solver import Statement, decide
from theory.verdicts import Verdict

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN
Patch = pytest.MonkeyPatch

TOO_WEAK: dict[str, Formulas] = {
    "the paper's": {**RIGHT, "in time": SECOND},
    "gradient j for free": {**RIGHT, "in time": IN_TIME + total(sent, j, j)},
    "one backward more": {**RIGHT, "in time": IN_TIME + total(b, j, j)},
    "one forward more": {**RIGHT, "in time": IN_TIME + total(forwards, k + 1, k + 1)},
    "no condition on the channel": {**RIGHT, "channel": CHANNEL + total(sent, 1, m)},
}
TOO_STRONG: dict[str, Formulas] = {
    "no forwards": {**RIGHT, "in time": IN_TIME - total(forwards, 1, k)},
    "stale gradients first": {**RIGHT, "in time": IN_TIME - total(sent, 1, k)},
    "backwards only": {**RIGHT, "channel": CHANNEL - total(forwards, 1, m)},
}


def judged(claim: Claim, formulas: Formulas) -> Judgement:
    return decided(claim.account(formulas))


# The right conditions


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*TOO_WEAK, *TOO_STRONG])
def test_wrong_conditions_are_refuted(name: str) -> None:
    formulas = {**TOO_WEAK, **TOO_STRONG}[name]
    assert established(no_stall.holds(formulas)) is not PROVED
    found = judged(no_stall.CLAIM, formulas)
    assert found.verdict is REFUTED
    witness = found.counterexample
    assert witness is not None
    assert witness["conditions hold"] is (name in TOO_WEAK)
    assert (witness["stall"] > 0) is (name in TOO_WEAK)
    assert found.evidence[0].points == "against"


def test_a_simulation_that_differs_is_no_proof(monkeypatch: Patch) -> None:
    """If it never found a stall, the conditions would not be what the pipeline does."""
    never = SimpleNamespace(never_stalls=True)
    monkeypatch.setattr(no_stall, "never_stalls", lambda model, stale: True)
    monkeypatch.setattr(no_stall, "simulate", lambda model, stale: never)
    found = judged(no_stall.CLAIM, RIGHT)
    assert found.verdict is UNKNOWN, "a proof and a witness"
    assert found.counterexample is not None
    assert found.counterexample["conditions hold"] is False


LIES: dict[str, Callable[[Any, Any], Any]] = {
    "a channel that takes two at a time": lambda before, layer: induction._larger(
        before, induction._R - induction._at("b", j - 1, layer)
    ),
    "a channel that waits for nothing": lambda before, layer: (
        before + induction._duration("v", layer)
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_another_channel_has_other_conditions(monkeypatch: Patch, name: str) -> None:
    monkeypatch.setattr(induction, "_sent", LIES[name])
    assert established(map(decide, statements(RIGHT))) is not PROVED


def test_hypotheses_of_the_induction_are_needed() -> None:
    """Each of these steps, without any single one of its hypotheses but those on durations."""
    found = {one.name: one for one in statements(RIGHT)}
    for name in ("sufficient, stale", "sufficient, fresh", "growing", "late", "necessary"):
        one = found[name]
        needed = [
            decide(Statement(name, "", _without(one.hypotheses, index), one.goal)).verdict
            for index in range(len(one.hypotheses))
        ]
        assert needed.count(REFUTED) >= {"late": 1, "growing": 1, "necessary": 1}.get(name, 3), name


def test_the_backlog_that_is_left_is_looked_at() -> None:
    """Where no stale layer waits, a larger backlog may still be left: a hypothesis forbids it."""
    one = next(one for one in statements(RIGHT) if one.name == "sufficient, stale")
    in_time = induction._BEFORE <= induction._R
    verdicts = [
        decide(Statement("", "", (*_without(one.hypotheses, index), in_time), one.goal)).verdict
        for index in range(len(one.hypotheses))
    ]
    assert REFUTED in verdicts


def _without(hypotheses: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    return hypotheses[:index] + hypotheses[index + 1 :]


def test_small_statements_can_fail() -> None:
    verdicts = {
        "same": decide(same("", SECOND, IN_TIME)),
        "never below": decide(never_below("", SECOND)),
        "always fails": decide(always_fails("", total(sent, 1, 1))),
    }
    assert {name: found.verdict for name, found in verdicts.items()} == dict.fromkeys(
        verdicts, REFUTED
    )
    assert z3.is_rational_value(prefix("b", sympy.Integer(0)))


# The program


def test_a_right_program_would_not_be_refuted() -> None:
    """With the constraint for every j in place of j = m there is no witness."""
    found = judged(program.CLAIM, {**PROGRAM, "second": IN_TIME})
    assert found.verdict is UNKNOWN
    assert found.counterexample is None
    assert not found.findings


@pytest.mark.parametrize("name", PROGRAM)
def test_other_constraints_are_not_called_necessary(name: str) -> None:
    for text, mutant in mutants(PROGRAM[name]).items():
        formulas = {**PROGRAM, name: mutant}
        assert program.CLAIM.holds is not None
        assert passes(partial(program.CLAIM.holds, formulas)) is not PROVED, text


def test_cases_of_other_constraints() -> None:
    """Forwards of all layers: too weak already where all layers but one are stale."""
    found = judged(program.CLAIM, {**PROGRAM, "second": SECOND + total(forwards, k + 1, m)})
    assert found.verdict is REFUTED
    assert [case.verdict for case in found.cases[1:]] == [UNKNOWN, UNKNOWN]


# Theorem 1


@pytest.mark.parametrize(
    ("name", "form", "refuted"),
    [
        ("stale", thm_1.cv - thm_1.cu, False),
        ("stale", thm_1.cv + thm_1.v - thm_1.cu - thm_1.u, False),
        ("stale", thm_1.cu - thm_1.cv - thm_1.v, True),
        ("forwards", thm_1.cu_i - thm_1.cu_k - thm_1.u_i, False),
        ("channel", thm_1.cv_k - thm_1.cv_i, False),
    ],
)
def test_edited_lines_of_theorem_1(name: str, form: sympy.Expr, refuted: bool) -> None:
    formulas = {**thm_1.PRINTED, name: form}
    assert thm_1.CLAIM.holds is not None
    assert passes(partial(thm_1.CLAIM.holds, formulas)) is not PROVED
    found = judged(thm_1.CLAIM, formulas)
    assert found.verdict is (REFUTED if refuted else UNKNOWN)
    assert found.printed_proof == "gap"
    assert bool(found.counterexample) is refuted


def test_shifted_staleness_passes_the_certificate_but_not_the_simulation() -> None:
    """What is one later than staleness has the same differences; it is not staleness."""
    formulas = {**thm_1.PRINTED, "stale": thm_1.PRINTED["stale"] + 1}
    assert thm_1._exact(formulas).holds
    assert thm_1.CLAIM.holds is not None
    assert passes(partial(thm_1.CLAIM.holds, formulas)) is UNKNOWN


# The algorithms

LINES_4: dict[str, Formulas] = {
    "ready too early": {**REPAIRED_4, "ready": t},
    "starts unready": {**REPAIRED_4, "start": t, "channel": t + v},
    "starts late": {**REPAIRED_4, "start": sympy.Max(t, r) + 1, "channel": sympy.Max(t, r) + 1 + v},
    "channel taken for free": {**REPAIRED_4, "channel": sympy.Max(t, r)},
}
LINES_5: dict[str, Formulas] = {
    "tested at the end": {**REPAIRED_5, "test": PRINTED_5["test"]},
    "sent when it starts": {**REPAIRED_5, "gradient": c},
    "forwards take no time": {**REPAIRED_5, "clock": t},
}


@pytest.mark.parametrize("name", LINES_4)
def test_edited_lines_of_algorithm_4(name: str) -> None:
    found = judged(alg_4.CLAIM, LINES_4[name])
    assert found.verdict is REFUTED
    assert alg_4.CLAIM.holds is not None
    assert passes(partial(alg_4.CLAIM.holds, LINES_4[name])) is not PROVED


@pytest.mark.parametrize("name", LINES_5)
def test_edited_lines_of_algorithm_5(name: str) -> None:
    assert alg_5.CLAIM.holds is not None
    assert passes(partial(alg_5.CLAIM.holds, LINES_5[name])) is not PROVED
    found = judged(alg_5.CLAIM, LINES_5[name])
    assert found.verdict is REFUTED
    # Forwards that take no time make more layers stale than have to be: nothing stalls by that.
    assert found.counterexample is not None
    assert bool(found.counterexample["stall of every iteration"]) is (name in list(LINES_5)[:2])


@pytest.mark.parametrize(("claim", "lines"), [(alg_4.CLAIM, REPAIRED_4), (alg_5.CLAIM, REPAIRED_5)])
def test_repaired_algorithms_are_proved(claim: Claim, lines: Formulas) -> None:
    found = judged(claim, lines)
    assert found.verdict is PROVED
    assert found.counterexample is None
    assert not found.findings


def test_lines_that_are_not_the_algorithm_prove_nothing(monkeypatch: Patch) -> None:
    monkeypatch.setattr(alg_4, "PRINTED_4", {**PRINTED_4, "start": t + v})
    found = judged(alg_4.CLAIM, PRINTED_4)
    assert found.steps[-1].verdict is UNKNOWN
    assert found.cases[1].verdict is UNKNOWN


def test_an_answer_that_stalls_is_no_repair(monkeypatch: Patch) -> None:
    slow = sequential([1, 1], [1, 1], [1, 1])

    def chains(*_: int) -> tuple[Model, ...]:
        return (slow,)

    monkeypatch.setattr(alg_5, "chains", chains)
    monkeypatch.setattr(alg_5, "fewest_stale", lambda model: 0)
    assert not alg_5._right_answer().holds
    assert judged(alg_5.CLAIM, REPAIRED_5).cases[1].verdict is UNKNOWN
