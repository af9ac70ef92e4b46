"""What claims show beside their verdicts is compared with runs, and looks at the proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import pytest
import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from schedules.programs import Program, View
from theory.errors import TheoryError
from theory.judging.controls import without
from theory.judging.decide import decided, proves, verdict_of
from theory.kernel import Combine, Hypothesis, Theorem, prove
from theory.laws.static_orders import parts, proofs
from theory.laws.static_orders.symbols import M
from theory.laws.static_orders.symbols import p as blog_p
from theory.papers.blog import bubble, inflight_1f1b, warmup
from theory.papers.blog.lemmas import laws
from theory.papers.blog.lemmas.programs import GPIPE
from theory.papers.localsgd import eq_11, schedule, speedup
from theory.papers.localsgd.lemmas import rates
from theory.papers.rpd import (
    eq_15,
    lemma_b2,
    lemma_b2_expected,
    lemma_c1_window,
    lemma_i2,
    nag_thm,
    pd_as_rpd,
    stale_power,
    stale_power_of_the_bound,
    stash_invariant,
    stepsize,
    table_1,
    thm_4_1,
)
from theory.papers.rpd.lemmas import (
    block_drift,
    lemma_b2_by_blocks,
    missed_updates,
    pl_constant,
    sharp_lemma_i2,
    sharp_lemma_i2_any_beta,
)
from theory.papers.rpd.method import f, x
from theory.papers.rpd.symbols import G, gamma, mu, p
from theory.smt.solver import decide
from theory.verdicts import Verdict

PROVED, UNKNOWN = Verdict.PROVED, Verdict.UNKNOWN


def judged(module: ModuleType) -> Verdict:
    found: Verdict = decided(module.CLAIM.account(module.CLAIM.printed)).verdict
    return found


def test_a_wrong_model_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_power, "_model", lambda delay: {0: p_**3})
    with pytest.raises(TheoryError, match="a run and a formula disagree"):
        stale_power._compared_with_runs(missed_updates.replayed(16, 0))


def test_a_wrong_replay_of_the_schedule_is_noticed() -> None:
    with pytest.raises(TheoryError, match="PipeDream"):
        stale_power._compared_with_runs((1, 2, 3))


def test_the_paper_speaks_of_the_bound_and_not_of_the_error() -> None:
    found = decided(stale_power.CLAIM.account(stale_power.CLAIM.printed))
    assert (found.verdict, found.printed_proof) == (Verdict.REFUTED, "none")
    bound = stale_power_of_the_bound.CLAIM
    wrong = decided(bound.account({**bound.printed, "growth": p_**5}))
    assert (wrong.verdict, wrong.printed_proof) == (Verdict.REFUTED, "invalid")


def test_a_run_beyond_the_bound_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepsize, "gradients", lambda *_: {"measured": "3", "bound": "2"})
    with pytest.raises(TheoryError, match=r"rpd\.stepsize"):
        judged(stepsize)


def test_a_wrong_sharp_bound_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemma_b2_expected, "SHARP", lemma_b2_expected.SHARP / 2)
    with pytest.raises(TheoryError, match="lemma-b2-expected"):
        lemma_b2_expected._witness(lemma_b2.THEOREM.terms["drift"], sympy.Integer(2))


def test_a_wrong_least_moment_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(table_1.ATTAINED, terms={"second moment": p**2 * G**2})
    monkeypatch.setattr(table_1, "ATTAINED", wrong)
    with pytest.raises(TheoryError, match="Table 1"):
        table_1._described(4)


def test_one_update_is_compared_with_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict_of(eq_15.beyond(eq_15.THEOREM.terms)) is Verdict.REFUTED
    right = eq_15.one_update
    monkeypatch.setattr(eq_15, "one_update", lambda *at: 2 * right(*at))
    eq_15._replays.cache_clear()
    try:
        assert verdict_of(eq_15.beyond(eq_15.THEOREM.terms)) is UNKNOWN
    finally:
        eq_15._replays.cache_clear()


def test_no_iterate_needs_to_be_above_the_minimum() -> None:
    assert prove(eq_15.SMALL_STEPS).verdict is PROVED
    assert f.at(x) not in pl_constant.THEOREM.points
    by_name = {h.name: h for h in eq_15.SMALL_STEPS.hypotheses}
    assert f(x) not in by_name["above"].relation.lhs.free_symbols  # type: ignore[union-attr]


@pytest.mark.parametrize("theorem", [block_drift.THEOREM, sharp_lemma_i2.THEOREM])
def test_a_hypothesis_and_the_goal_have_constants_of_their_own(theorem: Theorem) -> None:
    """An update twice as long is no update of which the same bound holds."""
    name = "size" if theorem is block_drift.THEOREM else "one update"
    longer = [
        replace(h, relation=h.relation.replaced({G: 2 * G}))
        if isinstance(h, Hypothesis) and h.name == name
        else h
        for h in theorem.hypotheses
    ]
    assert prove(theorem).verdict is PROVED
    assert prove(replace(theorem, hypotheses=tuple(longer))).verdict is UNKNOWN


def test_the_claim_for_every_beta_has_a_file_of_its_own() -> None:
    assert sharp_lemma_i2.CLAIM.id == "rpd.sharp-lemma-i2"
    assert sharp_lemma_i2_any_beta.CLAIM.id == "rpd.sharp-lemma-i2-any-beta"
    assert judged(sharp_lemma_i2_any_beta) is PROVED


@pytest.mark.parametrize("module", [thm_4_1, eq_11])
def test_nothing_is_loose_without_a_proof(module: ModuleType) -> None:
    proof = prove(module.THEOREM)
    assert [finding.kind for finding in module._remarks(proof)].count("loose") >= 1
    unproved = prove(replace(module.THEOREM, steps=(), conclude=Combine()))
    assert unproved.verdict is UNKNOWN
    assert not module._remarks(unproved)


def test_the_sentence_of_lemma_b2_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lemma_b2_by_blocks.THEOREM.goal == lemma_b2.THEOREM.goal
    assert lemma_b2_by_blocks.THEOREM.id in lemma_b2.CLAIM.depends
    found = decided(lemma_b2.CLAIM.account(lemma_b2.CLAIM.printed))
    assert (found.printed_proof, found.steps[-1].verdict) == ("valid", PROVED)
    broken = replace(lemma_b2_by_blocks.THEOREM, terms={"drift": gamma**2 * G**2})
    monkeypatch.setattr(lemma_b2_by_blocks, "THEOREM", broken)
    found = decided(lemma_b2.CLAIM.account(lemma_b2.CLAIM.printed))
    assert (found.verdict, found.printed_proof) == (PROVED, "gap")


def test_the_constant_of_the_threshold_is_checked() -> None:
    assert rates.at_constant(rates.THRESHOLD)
    for limit in (2 * rates.LIMIT, rates.LIMIT**2, rates.THRESHOLD):
        assert not rates.at_constant(rates.THRESHOLD, limit)
    assert proves(*speedup._with_constant(rates.THRESHOLD))
    assert not proves(*speedup._with_constant(2 * rates.THRESHOLD))
    assert not proves(*speedup._with_constant(-rates.THRESHOLD))


def narrowed(fact: z3.ExprRef) -> Callable[..., tuple[z3.ExprRef, ...]]:
    return lambda *_: (fact,)


def test_a_narrower_domain_of_schedules_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lemma_c1_window, stash_invariant):
        monkeypatch.setattr(module, "domain", narrowed(z3.Int("p") >= 3))
        assert not proves(*module.CLAIM.holds(module.CLAIM.core))


def test_more_than_one_replica_is_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    right = schedule._job

    def several(name: str) -> tuple[object, tuple[object, ...]]:
        job, facts = right(name)
        return job, (*facts, z3.Int("n") >= 2)

    assert judged(schedule) is PROVED
    monkeypatch.setattr(schedule, "_job", several)
    assert judged(schedule) is UNKNOWN


def test_a_narrower_domain_of_programs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = proofs.domain

    def larger(program: Program, view: View) -> tuple[object, ...]:
        return (*right(program, view), view.p >= 3)

    assert laws.outcome(GPIPE, "places").verdict is PROVED
    monkeypatch.setattr(parts, "domain", larger)
    assert laws.outcome(GPIPE, "places").verdict is UNKNOWN


def test_the_end_is_one_formula() -> None:
    assert bubble.makespan(GPIPE) == 2 * M + 2 * blog_p - 2
    assert [decide(one).verdict for one in bubble.last(GPIPE)] == [PROVED, PROVED]


def test_sentences_have_no_python() -> None:
    texts = []
    for module in (lemma_i2, nag_thm, table_1, pd_as_rpd, warmup, inflight_1f1b):
        found = decided(module.CLAIM.account(module.CLAIM.printed))
        texts += [case.says for case in found.cases]
        texts += [finding.says for finding in found.findings]
        texts += [finding.repaired.statement for finding in found.findings if finding.repaired]
    assert texts
    for text in texts:
        assert not any(code in text for code in ("**", "sqrt", "{'", "Gtilde", "tau"))


def test_several_stepsizes_beyond_the_limit_are_run() -> None:
    assert {stages for stages, _, _ in eq_15.REPLAYED} == {1, 2, 3}
    assert all(ratio > 1 and isinstance(ratio, Fraction) for _, _, ratio in eq_15.REPLAYED)
    assert sympy.simplify(eq_15.one_update(mu, p / mu, G) - p**2 * G**2 / (2 * mu)) == 0
    assert without(pl_constant.THEOREM, "above") is UNKNOWN
