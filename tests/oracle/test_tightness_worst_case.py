"""Semidefinite worst cases against values known in closed form, and between run and bound."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from theory.errors import TheoryError
from theory.papers.localsgd.tightness import TIGHTNESS as OF_LOCAL
from theory.papers.localsgd.tightness import (
    Local,
    _average,
    compare_local,
    local_bounds,
    worst_local,
)
from theory.papers.rpd.tightness import TIGHTNESS, Rpd, compare_rpd, worst_rpd
from theory.tightness import worst_case
from theory.tightness.evidence import Comparison, numeric_evidence

ONE = Fraction(1)
DESCENT = Rpd(p=1, K=2, tau=0, gamma=ONE, L=ONE, G2=Fraction(9), Delta=ONE)
LOCAL = Local(T=2, H=1, gamma=ONE, L=ONE, Gt2=Fraction(9), sigma2=Fraction(0), Delta=ONE)

needs_sdp = pytest.mark.skipif(not worst_case.available(), reason="the extra sdp is not installed")


@needs_sdp
@pytest.mark.parametrize(
    ("run", "value"),
    [
        (replace(DESCENT, K=1), 2.0),  # ‖∇f(x⁰)‖² ≤ 2LΔ
        (replace(DESCENT, K=1, Delta=Fraction(3), L=Fraction(2)), 9.0),  # G² is less than 2LΔ
        (replace(DESCENT, K=1, p=2, G2=Fraction(1, 4)), 0.5),  # every block at its bound: pG²
        (DESCENT, 1.0),  # Δ ≥ ‖g⁰‖²/2 + 3‖g¹‖²/4
        (replace(DESCENT, gamma=Fraction(1, 2)), 1.25),
        (replace(DESCENT, tau=1), 1.0),  # nothing older than x⁰ to read
    ],
)
def test_known_worst_cases_of_gradient_descent(run: Rpd, value: float) -> None:
    assert worst_rpd(run) == pytest.approx(value, abs=1e-4)


@needs_sdp
def test_without_noise_local_steps_are_gradient_descent() -> None:
    for T in (1, 2, 3):
        alone = worst_rpd(replace(DESCENT, K=T))
        assert worst_local(replace(LOCAL, T=T)) == pytest.approx(alone, abs=1e-4)


@needs_sdp
def test_more_freedom_is_never_better() -> None:
    less = Rpd(p=1, K=3, tau=1, gamma=ONE, L=ONE, G2=Fraction(1, 2), Delta=ONE)
    value = worst_rpd(less)
    assert worst_rpd(replace(less, noisy=True)) >= value - 1e-4
    assert worst_rpd(replace(less, G2=ONE)) >= value - 1e-4
    assert worst_rpd(replace(less, Delta=Fraction(2))) >= value - 1e-4


@needs_sdp
@pytest.mark.slow
def test_no_worst_case_is_above_its_bound_even_sharpened() -> None:
    for row in [*compare_rpd(), *compare_local()]:
        assert 0 < row.worst <= float(row.sharpened) * (1 + 1e-4)
        assert row.sharpened <= row.printed


@needs_sdp
@pytest.mark.slow
def test_evidence_says_that_it_is_numeric() -> None:
    evidence = OF_LOCAL["localsgd.eq-11"].evidence()
    assert evidence is not None
    assert evidence.points == "for"
    assert "no proof" in evidence.says


def test_a_worst_case_above_the_bound_speaks_against_it() -> None:
    row = Comparison({"p": "1"}, Fraction(4), Fraction(3), 4.01)
    assert numeric_evidence([row]).points == "against"
    assert numeric_evidence([replace(row, worst=3.99)]).points == "for"


def test_the_sharpened_drift_vanishes_without_local_steps() -> None:
    run = replace(LOCAL, H=1)
    printed, sharpened = local_bounds(run)
    assert printed - sharpened == 4 * run.gamma**2 * run.Gt2 * run.L**2


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worst_case, "find_spec", lambda name: None)
    with pytest.raises(TheoryError, match="staleproof\\[sdp\\]") as raised:
        worst_rpd(DESCENT)
    assert "\n" not in str(raised.value)
    assert TIGHTNESS["rpd.thm-4.1"].evidence() is None


@needs_sdp
def test_what_the_solver_cannot_settle_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worst_case, "TOLERANCE", -1.0)
    with pytest.raises(worst_case.UnsolvedError):
        worst_rpd(DESCENT)


@needs_sdp
def test_noise_has_mean_zero() -> None:
    program = worst_case.Program(ONE, ONE, blocks=2)
    place = worst_case.START
    both = program.vector((place, 1, 0)) + program.vector((place, -1, 0))
    rest = both - 2 * program.vector((place, 0, 0))
    assert set(rest.decomposition_dict.values()) <= {0.0}


def test_the_same_move_twice_counts_twice() -> None:
    move = (worst_case.START, 1, 0)
    other = (worst_case.START, -1, 0)
    once = worst_case.moved(worst_case.START, move)
    twice = worst_case.moved(once, move)
    assert twice == frozenset({(move, Fraction(2))})
    mixed = _average((twice, worst_case.moved(once, other)))
    assert mixed == frozenset({(move, Fraction(3, 2)), (other, Fraction(1, 2))})


@needs_sdp
def test_averaging_every_step_helps() -> None:
    run = replace(LOCAL, T=3, Gt2=ONE, sigma2=Fraction(1, 2))
    assert worst_local(run) < worst_local(replace(run, H=3)) - 5e-3
