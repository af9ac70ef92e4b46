"""What the ledger says of the lines of seed 003 that do not hold, and that its witnesses do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import sympy

from tests import published
from theory.judging.decide import decided, verdict_of
from theory.judging.verify import judge
from theory.papers.nesterov import eq_31, eq_33, prop_1, symbols, thm_1
from theory.papers.nesterov.lemmas import stepsize_limit
from theory.papers.nesterov.runs.local_analysis import largest_share
from theory.papers.nesterov.symbols import beta, t, tau
from theory.papers.nesterov.witnesses.vanishing import leading
from theory.verdicts import Verdict

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN


def witness(name: str) -> Mapping[str, Any]:
    found = published.row(name).judgement.counterexample
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


def test_the_run_beside_the_theorem_is_one_of_the_method() -> None:
    shown = witness("nesterov.thm-1")
    assert (shown["tau"], shown["w_1"], shown["T_0"]) == (2, "1/2", 400)
    w = by_hand(2, Fraction(1), Fraction(1, 2), 420, clipped)
    passed = shown["t(f(w_t) − f*)/a passes"]
    for level, at in passed.items():
        gaps = [s * height(x) for s, x in enumerate(w, 1)]
        assert next(s for s, gap in enumerate(gaps, 1) if gap >= int(level)) == at
    assert energy(w) >= Fraction(shown["least E_t in the run from T_0 on is at least"])
    assert shown["for every τ ≥ 2"] == "a = β/(τ − 1), T_0 = 400(τ − 1), and every w_1 ≥ 401"


@pytest.mark.parametrize("start", [Fraction(1, 4), Fraction(1, 2), Fraction(-7), Fraction(401)])
@pytest.mark.parametrize("first", [0, -1])
def test_neither_reading_of_the_first_momentum_helps(start: Fraction, first: int) -> None:
    assert energy(by_hand(2, Fraction(1), start, 400, clipped, first)) > Fraction(1, 2)


def energy(w: list[Fraction]) -> Fraction:
    """E_400 of a run with c = 1."""
    move = w[399] - w[398]
    return w[399] ** 2 - Fraction(5, 4) * w[399] * move + 200 * move**2


@pytest.mark.sampled(4)
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
    assert verdict_of(thm_1.beyond_first_delays(edited)) is verdict


@pytest.mark.slow
def test_a_shorter_stepsize_is_refuted_for_longer_delays_only() -> None:
    found = decided(thm_1.CLAIM.account({"rate": 1 / t, "stepsize": 1 / (2 * beta)}))
    cases = {case.when: case.verdict for case in found.cases}
    assert cases == {"tau = 0": UNKNOWN, "1 <= tau < 3": UNKNOWN, "tau >= 3": REFUTED}
    assert found.counterexample is not None
    assert (found.counterexample["tau"], found.counterexample["a"]) == (3, "1 β")


def test_without_delay_only_slower_rates_follow() -> None:
    for rate, verdict in ((1 / t, PROVED), (1 / sympy.sqrt(t), PROVED), (t**-2, UNKNOWN)):
        known = thm_1.without_delay({"rate": rate, "stepsize": 1 / beta})
        assert verdict_of(known) is verdict


@pytest.mark.slow
def test_short_stepsizes_have_the_general_witness_alone() -> None:
    """A run in fractions up to T_0 would never end."""
    found = decided(thm_1.CLAIM.account({"rate": 1 / t, "stepsize": 1 / (10**9 * beta)}))
    assert (found.verdict, found.evidence) == (REFUTED, ())
    shown = found.counterexample
    assert shown is not None
    assert "tau" not in shown
    assert shown["for every τ ≥ 1000000001"].startswith("a = 1000000000 β/(τ − 1)")
    assert "η = 1/(1000000000*β)" in found.findings[0].says


@pytest.mark.slow
def test_texts_follow_the_stepsize() -> None:
    for stepsize in (1 / (4 * beta), 1 / (4 * tau * beta)):
        found = decided(thm_1.CLAIM.account({"rate": 1 / t, "stepsize": stepsize}))
        unknown = [case.says for case in found.cases if case.verdict is UNKNOWN]
        assert unknown
        assert all(says.startswith("not decided here") for says in unknown)
        assert not found.evidence
    printed = published.row("nesterov.thm-1").judgement
    assert printed.cases[1].says.startswith("open; f(y_t) − f* = O(1/√t) is proved")
    assert "does not converge" in printed.findings[0].says


ODD = [
    sympy.Mod(t, 2) / t,
    sympy.exp(t * sympy.sin(t)),
    sympy.sin(t) ** 2 / t,
    sympy.Abs(sympy.sin(t)) / t,
    t**2 / t ** sympy.frac(t * (t + 1) / 2),
    (2 + (-1) ** t) / t,
    sympy.Piecewise((1 / t, t < 9), (sympy.Integer(1), True)),
    sympy.Max(1 / t, sympy.Rational(1, 100)),
    sympy.Sum(1 / t, (sympy.Symbol("k"), 1, t)),
    sympy.floor(1 / t),
    sympy.log(1 - t) / t,
    t - sympy.sqrt(t**2 + 1),
    sympy.Float(0.5) / t,
    sympy.nan,
    sympy.oo,
    sympy.I / t,
    (2 * t + 1) ** 200,
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", ODD, ids=str)
def test_what_is_not_read_is_not_judged(form: sympy.Expr) -> None:
    judged = (
        decided(thm_1.CLAIM.account({"rate": form, "stepsize": 1 / beta})),
        decided(eq_31.CLAIM.account({"step": form})),
        decided(eq_33.CLAIM.account({"sum": form})),
    )
    for found in judged:
        assert found.verdict is UNKNOWN
        assert {case.verdict for case in found.cases} == {UNKNOWN}


@pytest.mark.parametrize(
    "stepsize",
    [sympy.nan, sympy.zoo, sympy.I / beta, sympy.Float(0.5) / beta, sympy.floor(1 / beta)],
    ids=str,
)
def test_odd_stepsizes_are_not_judged(stepsize: sympy.Expr) -> None:
    found = decided(thm_1.CLAIM.account({"rate": 1 / t, "stepsize": stepsize}))
    assert {found.verdict, *(case.verdict for case in found.cases)} == {UNKNOWN}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "factor", "powers"),
    [
        (3 / t + sympy.log(t) / t, 1, (-1, 1, 0)),
        (sympy.sqrt(4 * t**2 - t), 2, (1, 0, 0)),
        (sympy.log(sympy.log(t**3)), 1, (0, 0, 1)),
        (-sympy.log(5 / t) / 2, sympy.Rational(1, 2), (0, 1, 0)),
        (1 / sympy.log(t + 1) - 2, -2, (0, 0, 0)),
    ],
)
def test_what_formulas_are_about_for_large_t(
    form: sympy.Expr, factor: sympy.Expr, powers: tuple[int, int, int]
) -> None:
    found = leading(form)
    assert found is not None
    assert (found.factor, found.powers) == (factor, powers)
    at = {t: sympy.Integer(10) ** 4000}
    about = (
        factor * t ** powers[0] * sympy.log(t) ** powers[1] * sympy.log(sympy.log(t)) ** powers[2]
    )
    assert abs(sympy.N((form / about).subs(at)) - 1) < 0.2


def test_the_run_whose_steps_do_not_shrink() -> None:
    shown = witness("nesterov.eq-31")
    w = by_hand(2, Fraction(1), Fraction(1, 2), 300, clipped)
    for level, at in shown["t ‖w_{t+1} − w_t‖ passes"].items():
        moves = [s * abs(b - a) for s, (a, b) in enumerate(pairwise(w), 1)]
        assert next(s for s, one in enumerate(moves, 1) if one >= int(level)) == at


def test_steps_tend_to_their_length_after_any_warm_up() -> None:
    shown = witness("nesterov.eq-31")[f"after warm-ups with v_s, v_{eq_31.UNTIL}"]
    v = Fraction(5)
    for s in range(11, 41):
        v = Fraction(s - 2, s) * v - Fraction(2, s) * Fraction(3, 2)
    assert shown["s = 10, v_s = 5"] == str(v)


def test_without_delay_and_with_a_minimiser_steps_shrink() -> None:
    """On Huber's function from afar and near: t²(w_{t+1} − w_t)² ≤ 24/5 w_1²."""
    assert published.row("nesterov.no-delay-steps").verdict is PROVED
    for start in (Fraction(1, 3), Fraction(3), Fraction(40)):
        w = by_hand(0, Fraction(1), start, 120, clipped)
        squares = [(s * (b - a)) ** 2 for s, (a, b) in enumerate(pairwise(w), 1)]
        assert max(squares[1:]) <= Fraction(24, 5) * start**2


def test_the_excesses_of_the_run_that_does_not_converge() -> None:
    """Their mean is 43/10 at t = 1100; Ω_t = t/2·Δ̄² − 2ḡΔ̄."""
    w = by_hand(2, Fraction(1), Fraction(1, 2), 1102, clipped)
    ahead = dict.fromkeys(range(-3, 2), w[0])
    for s in range(2, 1101):
        ahead[s] = w[s - 1] + Fraction(s - 2, s) * (w[s - 1] - w[s - 2])
    total = Fraction(0)
    for s in range(2, 1101):
        behind = ahead[s] - ahead[s - 2]
        total += Fraction(s, 2) * behind**2 - 2 * clipped(ahead[s - 2]) * behind
    shown = Fraction(witness("nesterov.eq-33")["mean excess at the end"])
    assert shown <= total / 1100 < shown + Fraction(1, 100)


def test_the_limit_is_that_of_the_local_analysis() -> None:
    limit = stepsize_limit.CLAIM.printed["limit"] * beta
    for delay in (2, 3, 7):
        share = largest_share(delay)
        assert share is not None
        assert limit.subs(tau, delay) == sympy.Rational(share.numerator, share.denominator)
    assert published.row("nesterov.stepsize-limit").verdict is PROVED


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


@pytest.mark.parametrize("share", [Fraction(1), Fraction(5, 4), Fraction(7, 4), Fraction(2)])
def test_runs_turn_back_for_stepsizes_up_to_twice_the_printed_one(share: Fraction) -> None:
    """From v_2 = −a on; no v_t is 0, and each turn comes before twice the last one."""
    w = by_hand(1, share, Fraction(1), 200, lambda x: x)
    v = [b - a for a, b in pairwise(w)]
    assert v[:2] == [-share, -share]
    assert all(v)
    turns = [s for s, (a, b) in enumerate(pairwise(v), 2) if a * b < 0]
    assert len(turns) >= 8
    assert all(then < 2 * now + 2 for now, then in pairwise(turns))


def test_a_stepsize_at_which_a_step_is_zero() -> None:
    w = by_hand(1, Fraction(3, 2), Fraction(1), 6, lambda x: x)
    assert w[2] == w[3] != w[4]


def test_the_run_that_turns_is_one_on_a_function_with_bounded_slopes_too() -> None:
    """As far as it is run: Huber's function with its edge at 2."""
    found = by_hand(1, Fraction(1), Fraction(1), 200, lambda x: max(-2, min(2, x)))
    assert found == by_hand(1, Fraction(1), Fraction(1), 200, lambda x: x)


@pytest.mark.parametrize(("limit", "verdict"), [(1, REFUTED), (0, REFUTED), (2, REFUTED)])
def test_other_limits_of_the_cosine(limit: int, verdict: Verdict) -> None:
    found = decided(prop_1.CLAIM.account({"limit": sympy.Integer(limit)}))
    assert [found.verdict, *(case.verdict for case in found.cases)] == [*[verdict] * 3, UNKNOWN]


@pytest.mark.parametrize("limit", [sympy.Integer(-1), sympy.Integer(-2), t, beta])
def test_a_limit_that_turns_do_not_refute(limit: sympy.Expr) -> None:
    found = decided(prop_1.CLAIM.account({"limit": limit}))
    assert {found.verdict, *(case.verdict for case in found.cases)} == {UNKNOWN}


def test_the_steps_of_the_witness_on_a_line() -> None:
    shown = witness("nesterov.eq-31")
    for delay in (0, 1, 4):
        w = by_hand(delay, Fraction(1, 2), Fraction(0), 30, lambda _: Fraction(3))
        assert {str(b - a) for a, b in pairwise(w)} == {shown["w_{t+1} − w_t"]}


@pytest.mark.parametrize(
    ("claim", "name", "edited", "verdict"),
    [
        (eq_31.CLAIM, "step", 1 / t**2, REFUTED),
        (eq_31.CLAIM, "step", sympy.log(t) / t, REFUTED),
        (eq_31.CLAIM, "step", 1 / sympy.sqrt(t), UNKNOWN),
        (eq_31.CLAIM, "step", 1 / sympy.log(t), UNKNOWN),
        (eq_31.CLAIM, "step", t**0, UNKNOWN),
        (eq_31.CLAIM, "step", -1 / t, UNKNOWN),
        (eq_33.CLAIM, "sum", sympy.sqrt(t), REFUTED),
        (eq_33.CLAIM, "sum", t / sympy.log(t), REFUTED),
        (eq_33.CLAIM, "sum", t, UNKNOWN),
        (eq_33.CLAIM, "sum", t * sympy.log(t), UNKNOWN),
        (eq_33.CLAIM, "sum", t**2, UNKNOWN),
        (eq_33.CLAIM, "sum", t**3, UNKNOWN),
        (eq_33.CLAIM, "sum", -sympy.log(t), UNKNOWN),
    ],
)
def test_edited_lines(claim: Any, name: str, edited: sympy.Expr, verdict: Verdict) -> None:
    found = judge(replace(claim, printed={name: edited}, holds=None, weakened={}))
    assert found.verdict is verdict
    assert (found.judgement.counterexample is not None) == (verdict is REFUTED)


@pytest.mark.parametrize(
    ("edited", "verdict"), [(t, REFUTED), (t * sympy.log(t), REFUTED), (t**2, UNKNOWN)]
)
def test_on_a_line_sums_grow_as_the_square(edited: sympy.Expr, verdict: Verdict) -> None:
    cases = {
        case.when: case.verdict for case in decided(eq_33.CLAIM.account({"sum": edited})).cases
    }
    assert cases["tau >= 1, no minimiser"] is verdict
    assert cases["tau >= 2"] is UNKNOWN


def test_a_sum_of_constant_order_would_have_given_the_rate() -> None:
    kinds = [one.kind for one in published.row("nesterov.eq-33").judgement.findings]
    assert kinds == ["false", "invalid-step"]
    bounded = decided(eq_33.CLAIM.account({"sum": t**0}))
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
