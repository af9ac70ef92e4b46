"""What the ledger says of the lines of seed 003 that do not hold, and that its witnesses do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import sympy

from theory.ledger import Row
from theory.mutants import mutants
from theory.nesterov import eq_31, eq_33, prop_1, stepsize_limit, symbols, thm_1
from theory.nesterov.local_analysis import largest_share
from theory.nesterov.symbols import beta, t, tau
from theory.verdicts import Verdict
from theory.verify import CLAIMS, judge

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN
ROWS = ("nesterov.prop-1", "nesterov.eq-31", "nesterov.eq-33", "nesterov.thm-1")


@cache
def row(name: str) -> Row:
    return judge(CLAIMS[name])


def witness(name: str) -> Mapping[str, Any]:
    found = row(name).judgement.counterexample
    assert found is not None
    return found


def clipped(x: Fraction) -> Fraction:
    return max(Fraction(-1), min(Fraction(1), x))


def height(x: Fraction) -> Fraction:
    """Huber's function."""
    return x * x / 2 if abs(x) <= 1 else abs(x) - Fraction(1, 2)


def by_hand(
    tau: int, eta: Fraction, start: Fraction, until: int, slope: Any, first: int = 0
) -> list[Fraction]:
    """w_1, …, w_until by (14) as it is printed, with γ_1 = first."""

    def gamma(s: int) -> Fraction:
        return Fraction(first) if s == 1 else Fraction(s - 2, s)

    w = dict.fromkeys(range(-tau - 1, 2), start)
    d = dict.fromkeys(range(-tau - 1, 2), Fraction(0))
    for s in range(1, until):
        w[s + 1] = w[s] + d[s] - eta * (1 - gamma(s)) * slope(w[s - tau] + d[s - tau])
        d[s + 1] = gamma(s + 1) * (w[s + 1] - w[s])
    return [w[s] for s in range(1, until + 1)]


@pytest.mark.parametrize("name", ROWS)
def test_refuted_with_a_witness_and_a_proved_repair(name: str) -> None:
    found = row(name)
    assert (found.verdict, found.judgement.printed_proof) == (REFUTED, "invalid")
    (false,) = [one for one in found.judgement.findings if one.kind == "false"]
    assert false.witness == found.judgement.counterexample
    assert false.repaired is not None
    assert false.repaired.verdict is PROVED


@pytest.mark.parametrize("name", [*ROWS, "nesterov.stepsize-limit"])
def test_our_own_steps_are_all_proved(name: str) -> None:
    ours = [step for step in row(name).judgement.steps if step.where == "ours"]
    assert ours
    assert {step.verdict for step in ours} == {PROVED}


@pytest.mark.parametrize("name", ["nesterov.eq-33", "nesterov.stepsize-limit"])
def test_all_mutants_are_killed(name: str) -> None:
    controls = row(name).controls
    assert controls.tried == controls.killed >= 10


def test_the_theorem_by_delay() -> None:
    cases = {case.when: case.verdict for case in row("nesterov.thm-1").judgement.cases}
    assert cases == {"tau = 0": PROVED, "tau = 1": UNKNOWN, "tau >= 2": REFUTED}


def test_the_run_beside_the_theorem_is_one_of_the_method() -> None:
    shown = witness("nesterov.thm-1")
    assert (shown["tau"], shown["w_1"], shown["T_0"]) == (2, "1/2", 400)
    w = by_hand(2, Fraction(1), Fraction(1, 2), 420, clipped)
    passed = shown["t(f(w_t) − f*)/a passes"]
    for level, at in passed.items():
        gaps = [s * height(x) for s, x in enumerate(w, 1)]
        assert next(s for s, gap in enumerate(gaps, 1) if gap >= int(level)) == at
    assert energy(w) > Fraction(shown["least E_t in the run from T_0 on is above"])


@pytest.mark.parametrize("start", [Fraction(1, 4), Fraction(1, 2), Fraction(-7), Fraction(401)])
@pytest.mark.parametrize("first", [0, -1])
def test_neither_reading_of_the_first_momentum_helps(start: Fraction, first: int) -> None:
    assert energy(by_hand(2, Fraction(1), start, 400, clipped, first)) > Fraction(1, 2)


def energy(w: list[Fraction]) -> Fraction:
    """E_400 of a run with c = 1."""
    move = w[399] - w[398]
    return w[399] ** 2 - Fraction(5, 4) * w[399] * move + 200 * move**2


@pytest.mark.parametrize(
    ("rate", "stepsize", "verdict"),
    [
        (1 / t, 1 / beta, REFUTED),
        (1 / t**2, 1 / beta, REFUTED),
        (1 / sympy.sqrt(t), 1 / beta, REFUTED),
        (1 / sympy.log(t + 1), 1 / beta, REFUTED),
        (t**0, 1 / beta, UNKNOWN),
        (t, 1 / beta, UNKNOWN),
        (-1 / t, 1 / beta, UNKNOWN),
        (1 / (t * beta), 1 / beta, UNKNOWN),
        (1 / t, -1 / beta, UNKNOWN),
        (1 / t, beta, UNKNOWN),
        (1 / t, sympy.Integer(0), UNKNOWN),
        (1 / t, 1 / (4 * tau * beta), UNKNOWN),
        (1 / t, 2 / beta, REFUTED),
    ],
)
def test_edited_theorems(rate: sympy.Expr, stepsize: sympy.Expr, verdict: Verdict) -> None:
    edited = {"rate": rate, "stepsize": stepsize}
    assert thm_1.beyond_first_delays(edited) is verdict


def test_a_shorter_stepsize_is_refuted_for_longer_delays_only() -> None:
    found = thm_1.CLAIM.judge({"rate": 1 / t, "stepsize": 1 / (2 * beta)})
    cases = {case.when: case.verdict for case in found.cases}
    assert cases == {"tau = 0": UNKNOWN, "1 <= tau < 3": UNKNOWN, "tau >= 3": REFUTED}
    assert found.counterexample is not None
    assert (found.counterexample["tau"], found.counterexample["a"]) == (3, "1 β")


def test_without_delay_only_slower_rates_follow() -> None:
    for rate, verdict in ((1 / t, PROVED), (1 / sympy.sqrt(t), PROVED), (t**-2, UNKNOWN)):
        assert thm_1.without_delay({"rate": rate, "stepsize": 1 / beta}) is verdict


def test_the_limit_is_that_of_the_local_analysis() -> None:
    limit = stepsize_limit.CLAIM.printed["limit"] * beta
    for delay in (2, 3, 7):
        share = largest_share(delay)
        assert share is not None
        assert limit.subs(tau, delay) == sympy.Rational(share.numerator, share.denominator)
    assert row("nesterov.stepsize-limit").verdict is PROVED


@pytest.mark.parametrize("text", sorted(mutants(stepsize_limit.CLAIM.printed["limit"])))
def test_another_limit_is_not_proved(text: str) -> None:
    edited = {"limit": mutants(stepsize_limit.CLAIM.printed["limit"])[text]}
    assert stepsize_limit.CLAIM.judge(edited).verdict is UNKNOWN


def test_the_cosines_of_the_witness() -> None:
    w = by_hand(1, Fraction(1), Fraction(1), 400, lambda x: x)
    turns = []
    for s in range(4, 401):
        delay = w[s - 1] - w[s - 2]
        ahead = Fraction(s - 3, s - 1) * (w[s - 2] - w[s - 3])
        if delay * ahead <= 0:
            turns.append(s)
    assert witness("nesterov.prop-1")["such t up to 400"] == turns
    assert len(turns) == 17


@pytest.mark.parametrize(("limit", "verdict"), [(1, REFUTED), (0, REFUTED), (2, REFUTED)])
def test_other_limits_of_the_cosine(limit: int, verdict: Verdict) -> None:
    assert prop_1.CLAIM.judge({"limit": sympy.Integer(limit)}).verdict is verdict


@pytest.mark.parametrize("limit", [sympy.Integer(-1), sympy.Integer(-2), t, beta])
def test_a_limit_that_turns_do_not_refute(limit: sympy.Expr) -> None:
    assert prop_1.CLAIM.judge({"limit": limit}).verdict is UNKNOWN


def test_the_steps_of_the_witness_on_a_line() -> None:
    shown = witness("nesterov.eq-31")
    for delay in (0, 1, 4):
        w = by_hand(delay, Fraction(1, 2), Fraction(0), 30, lambda _: Fraction(3))
        assert {str(b - a) for a, b in pairwise(w)} == {shown["w_{t+1} − w_t"]}


@pytest.mark.parametrize(
    ("claim", "name", "edited", "verdict"),
    [
        (eq_31.CLAIM, "step", 1 / t**2, REFUTED),
        (eq_31.CLAIM, "step", 1 / sympy.log(t), REFUTED),
        (eq_31.CLAIM, "step", t**0, UNKNOWN),
        (eq_31.CLAIM, "step", -1 / t, UNKNOWN),
        (eq_33.CLAIM, "sum", t, REFUTED),
        (eq_33.CLAIM, "sum", t * sympy.log(t), REFUTED),
        (eq_33.CLAIM, "sum", t**2, UNKNOWN),
        (eq_33.CLAIM, "sum", t**3, UNKNOWN),
        (eq_33.CLAIM, "sum", -sympy.log(t), UNKNOWN),
    ],
)
def test_edited_lines(claim: Any, name: str, edited: sympy.Expr, verdict: Verdict) -> None:
    found = judge(replace(claim, printed={name: edited}, holds=None, weakened={}))
    assert found.verdict is verdict
    assert (found.judgement.counterexample is not None) == (verdict is REFUTED)


def test_a_sum_of_constant_order_would_have_given_the_rate() -> None:
    kinds = [one.kind for one in row("nesterov.eq-33").judgement.findings]
    assert kinds == ["invalid-step", "false"]
    bounded = eq_33.CLAIM.judge({"sum": t**0})
    assert [one.kind for one in bounded.findings] == ["false"]


def test_excesses_on_a_line_from_their_definition() -> None:
    """Ω_t = tβ/2·Δ̄² + t(γ_t − 1)ḡΔ̄, with Δ̄_t = w_t + d_t − y_t."""
    delay, G, smooth = 2, Fraction(3), Fraction(2)
    w = [Fraction(0), *by_hand(delay, 1 / smooth, Fraction(0), 30, lambda _: G)]
    for s in range(delay + 2, 30):
        ahead = [w[r] + Fraction(r - 2, r) * (w[r] - w[r - 1]) for r in (s, s - delay)]
        behind = ahead[0] - ahead[1]
        excess = s * smooth / 2 * behind**2 - 2 * G * behind
        form = eq_33.on_a_line().subs({tau: delay, t: s, symbols.G: 3, beta: 2})
        assert excess == Fraction(int(form.p), int(form.q))
