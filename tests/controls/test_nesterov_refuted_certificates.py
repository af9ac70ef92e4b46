"""Certificates that show nothing must not pass, and lemmas that say more must not be proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from types import ModuleType

import pytest
import sympy
import z3
from sympy import Matrix, Rational, symbols

from theory.account import Compared
from theory.claims import Claim
from theory.errors import TheoryError
from theory.judging.decide import decided, proves
from theory.kernel import le, prove
from theory.papers.nesterov import eq_31, eq_33, prop_1
from theory.papers.nesterov.lemmas import later_steps, no_delay_steps
from theory.papers.nesterov.witnesses import energy, excesses, path_lemmas, turning
from theory.papers.nesterov.witnesses.energy import (
    NO_CONVERGENCE,
    NO_RATE,
    Certificate,
    error_bound,
    grows,
    k,
    lands,
    late_enough,
    sigma,
    t,
)
from theory.papers.nesterov.witnesses.growth import followed, keeps_away, replayed
from theory.papers.nesterov.witnesses.positivity import above_zero, positive_definite
from theory.smt.solver import Statement, decide
from theory.verdicts import Verdict

x, y = symbols("x y")


@dataclass(frozen=True)
class Fixed(Certificate):
    """A certificate for stepsize 1 whatever the delay, so that κ = τ − 1 may be 0 or −1."""

    @property
    def stepsize(self) -> sympy.Expr:
        return sympy.Integer(1)


FAILS = (Compared("a piece of the proof", "this test", False),)
"""What does not hold."""


def about(share: sympy.Expr, weight: sympy.Expr, horizon: sympy.Expr) -> Certificate:
    """The balanced cross term, and a multiplier and horizon with room to spare."""
    cross = 2 * share - Rational(3, 2)
    return Certificate(share, cross, weight, 40 / k, horizon * k)


@pytest.mark.parametrize(
    "matrix",
    [
        Matrix([[x]]),  # 0 at x = 0
        Matrix([[1 - x]]),
        Matrix([[1, 0], [1, 1]]),  # not symmetric
        Matrix([[1, 1], [1, 1]]),  # not definite
        Matrix([[-1, 0], [0, -1]]),
        Matrix([[1, 0, 2], [0, 1, 0], [2, 0, 1]]),
        Matrix([[1 / (1 - x)]]),
        Matrix([[1 / x]]),
        Matrix([[sympy.sqrt(1 + x)]]),
        Matrix([[1 + symbols("z")]]),
        Matrix([[sympy.Float("1e-17")]]),
        Matrix([[1.5 + x]]),
    ],
)
def test_what_is_not_seen_to_be_positive_definite(matrix: Matrix) -> None:
    assert not positive_definite(matrix, (x, y))


def test_what_is_positive_definite() -> None:
    assert positive_definite(Matrix([[2 + x, 1], [1, 1 + x * y]]), (x, y))
    assert positive_definite(Matrix([[1 / (1 + x)]]), (x, y))
    assert above_zero(sympy.Rational(1, 3), (x, y))
    assert not above_zero(sympy.Integer(0), (x, y))


@pytest.mark.parametrize(
    "changed",
    [
        {"cross": Rational(-1, 2)},
        {"cross": Rational(3, 2)},
        {"multiplier": 1 / k},
        {"multiplier": -8 / k},
        {"multiplier": 100 / k},
        {"horizon": 40 * k},
        {"horizon": sympy.Integer(400)},  # a longer delay needs more
        {"share": Rational(1, 2)},
        {"weight": Rational(-1)},  # the energy would grow as t
    ],
)
def test_a_changed_certificate_does_not_grow(changed: dict[str, sympy.Expr]) -> None:
    assert not grows(replace(NO_CONVERGENCE, **changed))
    assert not proves(*keeps_away(replace(NO_CONVERGENCE, **changed)))


@pytest.mark.parametrize("share", [Rational(1, 4), Rational(1, 5)])
def test_below_the_limit_no_weight_below_one_will_do(share: sympy.Expr) -> None:
    changed = replace(NO_RATE, share=share, cross=2 * share - Rational(3, 2))
    assert not grows(changed)


@pytest.mark.slow
def test_the_weight_has_to_leave_room() -> None:
    share = Rational(1, 4) + sigma / 2
    assert not grows(replace(NO_RATE, share=share, cross=2 * share - Rational(3, 2)))
    assert not grows(replace(NO_RATE, weight=1 - 2 * sigma))


def test_the_growth_is_that_of_the_local_analysis() -> None:
    """At κ = 1 the energy goes as √t: less is certified, as much and more is not."""
    horizon = sympy.Integer(10) ** 5
    assert grows(about(sympy.Integer(1), Rational(-2, 5), horizon))
    assert not grows(about(sympy.Integer(1), Rational(-1, 2), horizon))
    assert not grows(about(sympy.Integer(1), Rational(-3, 5), horizon))


@pytest.mark.parametrize(("tau", "weight"), [(0, Rational(7, 2)), (1, Rational(3, 2))])
def test_delays_0_and_1_are_not_certified(tau: int, weight: sympy.Expr) -> None:
    """There the energy falls as t^−weight, faster than any rate that a certificate may use."""
    share = sympy.Integer(tau - 1)
    one = Fixed(share, 2 * share - Rational(3, 2), weight, sympy.Integer(40), 10**6 * k**2)
    assert not grows(replace(one, weight=sympy.Integer(0)))
    assert not grows(replace(one, weight=sympy.Integer(1)))
    assert not grows(replace(one, weight=weight - Rational(1, 10)))
    beyond = replace(one, weight=weight + Rational(1, 10))
    assert grows(beyond)
    assert not late_enough(beyond)
    assert not proves(*keeps_away(beyond))


def test_the_weight_is_from_zero_to_below_one() -> None:
    assert late_enough(replace(NO_CONVERGENCE, weight=Rational(1, 2)))
    for weight in (1, 2, Rational(-1, 2)):
        assert not late_enough(replace(NO_CONVERGENCE, weight=sympy.sympify(weight)))


def test_a_horizon_has_to_be_late() -> None:
    assert not late_enough(replace(NO_CONVERGENCE, horizon=60 * k))
    assert not late_enough(replace(NO_CONVERGENCE, share=sympy.Integer(0)))
    assert not lands(replace(NO_CONVERGENCE, horizon=k / 10))
    assert not lands(replace(NO_CONVERGENCE, cross=sympy.Integer(100)))
    assert not grows(replace(NO_CONVERGENCE, horizon=400 * k - t))


def _changed(lemma: Statement, goal: object) -> Statement:
    return replace(lemma, goal=goal)


def _without(lemma: Statement, place: int) -> Statement:
    kept = (*lemma.hypotheses[:place], *lemma.hypotheses[place + 1 :])
    return replace(lemma, hypotheses=kept)


EVERY = [
    *path_lemmas.LEMMAS,
    *turning.LEMMAS,
    eq_31.STEADY,
    eq_31.SETTLES,
    eq_33.PRODUCT,
    eq_33.ALWAYS,
    excesses.SMALL,
]


@pytest.mark.parametrize("lemma", EVERY, ids=lambda lemma: lemma.name)
def test_lemmas_need_their_hypotheses(lemma: Statement) -> None:
    for place in range(len(lemma.hypotheses)):
        assert decide(_without(lemma, place)).verdict is not Verdict.PROVED


def test_sharper_lemmas_are_false() -> None:
    A_then = z3.Real("A_then")
    assert decide(_changed(path_lemmas.STEPS, A_then < 1)).verdict is Verdict.REFUTED
    changes = _changed(path_lemmas.CHANGES, z3.Real("t") * (A_then - z3.Real("A")) <= 3)
    assert decide(changes).verdict is Verdict.REFUTED
    assert decide(eq_31.INDUCTION).verdict is Verdict.REFUTED


@pytest.mark.parametrize("module", [path_lemmas, turning])
def test_one_lemma_that_fails_takes_the_verdict_away(
    module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from theory.papers.nesterov.witnesses import growth

    false = decide(Statement("false", "x > 0", (z3.Real("x") >= 0,), z3.Real("x") > 0))
    lemmas = (*path_lemmas.decided(), false)
    monkeypatch.setattr(growth, "decided", lambda: lemmas)
    monkeypatch.setattr(prop_1, "decided", lambda: lemmas)
    if module is turning:
        assert decided(prop_1.CLAIM.account(prop_1.CLAIM.printed)).verdict is Verdict.UNKNOWN
    else:
        assert not proves(*growth.keeps_away(NO_CONVERGENCE))


def test_the_domain_begins_at_delay_2_and_ends_at_one_half() -> None:
    assert not late_enough(replace(NO_CONVERGENCE, horizon=1000 * k - 940))  # 60 at k = 1
    assert late_enough(replace(NO_RATE, weight=sigma))
    assert not late_enough(replace(NO_RATE, weight=2 * sigma))  # 1 at σ = 1/2
    assert not late_enough(replace(NO_RATE, share=Rational(1, 3) - sigma))


def test_a_negative_multiplier_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energy, "_definite", lambda one, matrix: True)
    assert grows(NO_CONVERGENCE)
    assert not grows(replace(NO_CONVERGENCE, multiplier=-8 / k))


def test_landing_reaches_the_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energy, "NEAR", Rational(1, 2))
    assert not lands(NO_CONVERGENCE)


def test_the_bound_on_errors_is_that_of_the_lemma() -> None:
    """FLOOR·T₀·e²t ≤ LATE²(2κk)²E is e² ≤ bE/t."""
    lemma = energy.LATE**2 * (2 * NO_CONVERGENCE.share * k) ** 2
    expected = lemma / (energy.FLOOR * NO_CONVERGENCE.horizon)
    assert sympy.expand(error_bound(NO_CONVERGENCE) - expected) == 0
    assert error_bound(NO_CONVERGENCE).subs(k, 1) == Rational(242, 10000)


def test_a_run_that_does_not_what_is_proved_is_noticed() -> None:
    slow = replayed(2, Fraction(1), Fraction(1, 100), 401)
    with pytest.raises(TheoryError, match=r"nesterov\.thm-1"):
        followed(slow, NO_CONVERGENCE)
    true = replayed(2, Fraction(1), Fraction(1, 2), 405)
    assert followed(true, NO_CONVERGENCE) > 2
    stopped = (*true.points[:-2], Fraction(0), Fraction(0))
    with pytest.raises(TheoryError, match="disagree"):
        followed(replace(true, points=stopped), NO_CONVERGENCE)


@pytest.mark.parametrize(
    ("claim", "module", "piece", "instead"),
    [
        (prop_1.CLAIM, prop_1, "departs", lambda: False),
        (eq_31.CLAIM, eq_31, "not_small", lambda: FAILS),
        (eq_31.CLAIM, excesses, "_small_ones", lambda: decide(eq_31.INDUCTION)),
        (eq_31.CLAIM, excesses, "keeps_away", lambda one: FAILS),
        (eq_33.CLAIM, excesses, "keeps_away", lambda one: FAILS),
        (eq_33.CLAIM, excesses, "_small_ones", lambda: decide(eq_31.INDUCTION)),
    ],
)
def test_a_piece_that_fails_takes_the_refutation_away(
    claim: Claim,
    module: ModuleType,
    piece: str,
    instead: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, piece, instead)
    assert decided(claim.account(claim.printed)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("claim", "module", "piece", "instead", "cases"),
    [
        (
            eq_31.CLAIM,
            eq_31,
            "steady",
            lambda: decide(eq_31.INDUCTION),
            ["C from beta, G, tau only"],
        ),
        (eq_31.CLAIM, eq_31, "settles", lambda: decide(eq_31.INDUCTION), ["no minimiser"]),
        (
            eq_33.CLAIM,
            eq_31,
            "steady",
            lambda: decide(eq_31.INDUCTION),
            ["tau >= 1, C from beta, G, tau only", "tau >= 1, no minimiser"],
        ),
        (
            eq_33.CLAIM,
            eq_33,
            "_grows",
            lambda: False,
            ["tau >= 1, C from beta, G, tau only", "tau >= 1, no minimiser"],
        ),
    ],
)
def test_a_piece_about_lines_decides_its_cases_only(
    claim: Claim,
    module: ModuleType,
    piece: str,
    instead: Callable[[], object],
    cases: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {case.when: case.verdict for case in decided(claim.account(claim.printed)).cases}
    monkeypatch.setattr(module, piece, instead)
    after = {case.when: case.verdict for case in decided(claim.account(claim.printed)).cases}
    assert sorted(when for when, verdict in before.items() if verdict != after[when]) == cases
    assert {after[when] for when in cases} == {Verdict.UNKNOWN}


@pytest.mark.parametrize("change", ["no delay", "no delay, slope", "minimum", "distance at 2"])
def test_steps_without_delay_need_what_they_assume(change: str) -> None:
    theorem = later_steps.THEOREM
    kept = tuple(one for one in theorem.hypotheses if one.name != change)
    assert len(kept) < len(theorem.hypotheses)
    assert prove(theorem).verdict is Verdict.PROVED
    assert prove(replace(theorem, hypotheses=kept)).verdict is not Verdict.PROVED


def test_steps_without_delay_are_not_shown_to_be_shorter() -> None:
    for theorem in (later_steps.THEOREM, no_delay_steps.THEOREM):
        for factor in (Rational(99, 100), 1 / (later_steps.K + 2)):
            shorter = {name: factor * form for name, form in theorem.terms.items()}
            assert prove(replace(theorem, terms=shorter)).verdict is Verdict.UNKNOWN
    smaller = tuple(
        replace(step, relation=le(step.relation.lhs, step.relation.rhs / 2))
        if step.name == "z"
        else step
        for step in later_steps.THEOREM.steps
    )
    assert prove(replace(later_steps.THEOREM, steps=smaller)).verdict is Verdict.UNKNOWN


def test_without_an_excess_lemma_of_sqrt_t_nothing_follows() -> None:
    """‖Δ̄_t‖ ≤ ε alone does not make Ω_t small."""
    t, far, small = z3.Reals("t far small")
    weaker = tuple(
        far * far <= small * small if place == 4 else one
        for place, one in enumerate(excesses.SMALL.hypotheses)
    )
    assert decide(replace(excesses.SMALL, hypotheses=weaker)).verdict is Verdict.REFUTED
    assert str(excesses.SMALL.hypotheses[4]) == str(t * far * far <= small * small)
