"""Rows about the lines (18) to (30) of the Nesterov paper: verdicts, findings and witnesses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as Q
from importlib import import_module

import pytest
import sympy

from tests import published
from theory.claims import Claim
from theory.errors import UndeclaredSymbolError
from theory.judging.decide import decided
from theory.kernel import dot, prove, square, vector
from theory.ledger import Judgement
from theory.papers.nesterov import eq_18, eq_19, eq_26, eq_30_step, nadam, thm_1_no_delay
from theory.papers.nesterov.lemmas import horizon_rate, sharp_no_delay
from theory.papers.nesterov.symbols import R, beta, t, theta
from theory.papers.nesterov.witnesses.replays import at_numbers
from theory.verdicts import Verdict


def claim(module: str) -> Claim:
    found = import_module(f"theory.papers.nesterov.{module}").CLAIM
    assert isinstance(found, Claim)
    return found


def judged(module: str) -> Judgement:
    return decided(claim(module).account(claim(module).printed))


def kinds(found: Judgement) -> list[str]:
    return [finding.kind for finding in found.findings]


def huber(w: Q) -> Q:
    return w * w / 2 if abs(w) <= 1 else abs(w) - Q(1, 2)


def test_division_is_fine_where_no_momentum_is_zero() -> None:
    assert prove(eq_18.ANY).verdict is Verdict.UNKNOWN
    assert prove(eq_18.NOT_ZERO).verdict is Verdict.PROVED


def test_26_with_a_negative_momentum_by_hand() -> None:
    momentum, w = Q(-1), Q(1)
    step = -(1 - momentum) * w
    after = w + step
    assert after**2 / 2 == Q(1, 2)
    line_a = -(1 + momentum) / (2 * (1 - momentum)) * step**2 - step * w / (1 - momentum)
    line_c = -((step + w) ** 2 - w**2) / (2 * (1 - momentum))
    assert (line_a, line_c) == (Q(1), Q(0))
    witness = published.row("nesterov.eq-26").judgement.findings[-1].witness
    assert witness is not None
    assert (witness["left side"], witness["line A"], witness["line C"]) == ("1/2", "1", "0")


def test_26_at_a_momentum_that_is_not_negative_holds_on_the_parabola() -> None:
    for share in (Q(1), Q(1, 2), Q(1, 7)):
        values = {**eq_26.AT_FIRST, theta: share}
        lhs, rhs = eq_26.on_parabola(eq_26.THEOREM.goal, values)
        assert lhs <= rhs


def test_second_line_of_30_is_refuted_at_the_first_iteration_by_hand() -> None:
    found = published.row("nesterov.eq-30-step").judgement
    witness = found.counterexample
    assert witness is not None
    w_1 = Q(witness["w_1"])
    w_2 = w_1 - 1  # the slope is 1 beyond 1
    assert Q(witness["w_2"]) == w_2
    assert huber(w_2) == Q(witness["left side"]) == Q(3, 2)
    assert (w_1**2 / 2 - w_2**2 / 2) / 2 == Q(witness["right side"]) == Q(5, 4)


def test_second_line_of_30_is_false_with_the_other_first_momentum_too() -> None:
    witness = published.row("nesterov.eq-30-step").judgement.counterexample
    assert witness is not None
    other = witness["with gamma_1 of (29)"]
    w_1 = Q(other["w_1"])
    w_2 = w_1 - 2 * w_1  # (1 − γ_1) = 2, on the parabola
    assert huber(w_2) == Q(other["left side"]) == Q(1, 2)
    assert (w_1**2 - w_2**2) / 4 == Q(other["right side"]) == 0


def test_second_line_of_30_with_all_of_u_is_not_refuted() -> None:
    whole = {"excess": eq_30_step.EXCESS, "before": eq_30_step.NOW, "after": -eq_30_step.THEN}
    assert decided(eq_30_step.CLAIM.account(whole)).verdict is Verdict.UNKNOWN


def test_a_run_that_disagrees_is_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eq_30_step, "_agrees", lambda side: False)
    found = judged("eq_30_step")
    assert found.verdict is Verdict.UNKNOWN
    assert found.counterexample is None
    assert judged("eq_30").printed_proof != "invalid"


def test_sharper_constant_is_smaller_and_nearly_attained() -> None:
    at = {beta: 1, R: 1}
    ours, theirs = (
        sympy.Add(*one.CLAIM.printed.values()).subs(at) for one in (sharp_no_delay, thm_1_no_delay)
    )
    assert sympy.simplify(ours / theirs) == sympy.Rational(3, 5)
    for i in (1, 4, 30):
        assert sharp_no_delay.attained(i) == Q(1, 4 * i + 2)
        assert sympy.Rational(1, 4 * i + 2) < ours.subs(t, i)


def test_first_drop_is_attained_by_hand() -> None:
    slope = Q(1, 5)
    w_2 = 1 - slope
    value = slope * w_2 - slope**2 / 2
    assert value + w_2**2 / 4 == Q(3, 10)


def test_a_quarter_of_the_bound_is_refuted() -> None:
    found = decided(thm_1_no_delay.CLAIM.account({"start": beta * R**2 / (8 * t)}))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None


def test_the_product_of_19_may_contain_zeros() -> None:
    """γ_1 = γ_2 = 0 in the paper: the hypotheses have a model with any γ."""
    assert prove(eq_19.THEOREM).lines[-1].verdict is Verdict.PROVED
    assert all(not one.says.count("≠") for one in eq_19.THEOREM.hypotheses)


def test_a_replay_needs_a_number_for_every_name() -> None:
    with pytest.raises(UndeclaredSymbolError, match="'u'"):
        at_numbers(square(vector("u")), {}, {})
    with pytest.raises(UndeclaredSymbolError, match="'beta'"):
        at_numbers(beta + 1, {}, {})


def test_a_replay_multiplies_different_vectors() -> None:
    u, v = vector("u"), vector("v")
    assert at_numbers(dot(u, 2 * v), {"u": Q(2), "v": Q(1, 3)}, {}) == Q(4, 3)


def test_equality_violates_nothing() -> None:
    assert (
        decided(eq_30_step.CLAIM.account({"same": sympy.Rational(3, 2)})).verdict is Verdict.UNKNOWN
    )
    assert (
        decided(eq_30_step.CLAIM.account({"less": sympy.Rational(4, 3)})).verdict is Verdict.REFUTED
    )


def test_the_run_of_the_method_has_its_own_first_momentum() -> None:
    assert eq_30_step._agrees(eq_30_step.FirstIteration(Q(0), Q(3)))
    assert not eq_30_step._agrees(eq_30_step.FirstIteration(Q(-1), Q(3)))


def test_26_is_found_wrong_at_negative_momenta_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eq_26, "AT_FIRST", {**eq_26.AT_FIRST, theta: Q(1, 2)})
    assert "missing-condition" not in kinds(judged("eq_26"))


@pytest.mark.slow
def test_no_less_than_the_worst_case_without_delay_is_proved() -> None:
    assert prove(horizon_rate.CLAIM).verdict is Verdict.PROVED
    less = replace(horizon_rate.CLAIM, terms={"distance": beta * R**2 / (4 * horizon_rate.N + 3)})
    assert prove(less).verdict is Verdict.UNKNOWN


def test_the_momentum_of_the_row_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    optimizer, product = torch.optim.NAdam([weight], betas=(0.99, 0.999)), 1.0
    for step in range(1, 40):
        weight.grad = torch.ones_like(weight)
        optimizer.step()
        at = {nadam.beta: 0.99, nadam.x: 0.96 ** (0.004 * step)}
        product *= float(nadam._PRINTED["momentum"].subs(at))
        assert float(optimizer.state[weight]["mu_product"]) == pytest.approx(product, rel=1e-5)
