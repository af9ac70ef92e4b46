"""SAPipe with weight prediction, Theorems 4 and 5: verdicts, witnesses, replays by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from tests import published
from theory.claims import Claim
from theory.judging.decide import proves
from theory.papers.sapipe import PAPER, thm_4, thm_5
from theory.papers.sapipe.error_terms import ERR_0, ERR_WP_2
from theory.papers.sapipe.lemmas import repaired_thm_5, sharp_thm_5, wp_1_moment
from theory.papers.sapipe.symbols import V1, V2, L, T, eta, kappa, n, rho
from theory.papers.sapipe.witnesses import wp_1_stall
from theory.papers.sapipe.witnesses.wp_replays import Instance


def stalled_by_hand(
    updates: int, third: Fraction = Fraction(-1), width: Fraction = Fraction(2)
) -> list[Fraction]:
    """Option 1 on F_1 = F_2 = h, F_3 = third · h with η = 1/3, written out once more."""
    signs, model = (Fraction(1), Fraction(1), third), Fraction(1)
    predicted = [model] * 3
    models = [model]
    for _ in range(updates):
        near = [max(-width, min(width, x)) for x in predicted]
        slopes = [sign * x for sign, x in zip(signs, near, strict=True)]
        predicted = [model - slope / 3 for slope in slopes]
        model -= sum(slopes, Fraction(0)) / 9
        models.append(model)
    return models


def test_the_model_stands_still_after_one_update() -> None:
    models = stalled_by_hand(20)
    assert models[1:] == [Fraction(8, 9)] * 20
    assert wp_1_stall.STALLED.models(20) == models
    assert wp_1_stall.stands_still()


def test_a_heavier_third_worker_by_hand() -> None:
    witness = published.row(thm_4.CLAIM.id).judgement.counterexample
    assert witness is not None
    shown = witness["leaning"]
    third, width = Fraction(-31, 30), Fraction(4, 3)
    models = stalled_by_hand(shown["T"] - 1, third, width)
    assert wp_1_stall.LEANING.models(shown["T"] - 1) == models
    mean = (2 + third) / 3
    average = sum(((mean * x) ** 2 for x in models), Fraction(0)) / shown["T"]
    assert Fraction(shown["measured"]) == average
    ratio = (2 + third**2) / (3 * mean) ** 2 / 3
    smooth, start = (third / 3) ** 2, 2 * (mean / 2) * 3 / shown["T"]
    assert Fraction(shown["bound"]) == start + smooth * (ratio - 1) * (third * width) ** 2


def test_the_closed_form_of_its_average_is_the_run() -> None:
    for updates in (1, 2, 3, 12, 30):
        slopes = [x / 3 for x in stalled_by_hand(updates - 1)]
        average = sum((slope**2 for slope in slopes), Fraction(0)) / updates
        assert wp_1_stall.STALLED.average(updates) == average
        assert sympy.Rational(str(average)) == wp_1_stall.average().subs(T, updates)


def test_it_is_above_the_bound_from_twelve_iterations_on_and_not_before() -> None:
    printed = thm_4.CLAIM.printed
    assert wp_1_stall.STALLED.violation(printed, 11) is None
    assert proves(*wp_1_stall.above_for_all_later(printed, 12))
    assert not proves(*wp_1_stall.above_for_all_later(printed, 11))


def test_the_bound_for_equal_workers_is_negative_from_eleven_iterations_on() -> None:
    bound = wp_1_stall.ALIKE.bound(thm_4.CLAIM.printed)
    assert bound.subs(T, 10) > 0
    assert bound.subs(T, 11) == sympy.Rational(-1, 176)


def test_constants_of_an_instance() -> None:
    one = Instance((Fraction(3), Fraction(-1)), Fraction(2), Fraction(1, 5), option=1)
    found = one.constants()
    assert (found[n], found[rho], found[L], found[V1], found[V2]) == (
        Fraction(2),
        Fraction(5, 2),
        Fraction(3),
        Fraction(0),
        Fraction(36),
    )
    assert one.value(Fraction(5)) == 8
    assert one.slope(Fraction(-7)) == -2
    assert one.models(1) == [1, Fraction(4, 5)]


def second_option_by_hand(eta_: Fraction, updates: int) -> list[Fraction]:
    """Option 2 on x²/2 without noise and with g_0 = 0, written out once more."""
    model, last, predicted = Fraction(1), Fraction(0), Fraction(1)
    models = [model]
    for _ in range(updates):
        slope = predicted
        predicted = model - eta_ * last
        model, last = model - eta_ * slope, slope
        models.append(model)
    return models


def test_option_2_is_run_as_in_algorithm_3() -> None:
    step = Fraction(1, 2)
    one = Instance((Fraction(1),), Fraction(10), step, option=2)
    assert one.models(8) == second_option_by_hand(step, 8)
    assert one.models(2) == [1, Fraction(1, 2), 0]  # both gradients at x_0


def test_the_error_terms_compare_as_they_should() -> None:
    assert wp_1_moment.THEOREM.terms["error"] == kappa * ERR_0
    at = {L: 1, eta: sympy.Rational(1, 10), V1: 1, V2: 1, n: 4}
    assert sharp_thm_5.ERR.subs(at) < ERR_WP_2.subs(at) < repaired_thm_5.ERR.subs(at)


def test_where_the_error_term_of_theorem_5_is_no_number() -> None:
    assert thm_5.infinite_between(thm_5.CLAIM.printed)
    assert not thm_5.infinite_between({"error": ERR_0})
    assert proves(thm_5.negative_outside(thm_5.CLAIM.printed))


@pytest.mark.parametrize("claim", [thm_4.CLAIM, thm_5.CLAIM], ids=lambda claim: claim.id)
def test_rows_rest_on_rows_that_exist(claim: Claim) -> None:
    assert set(claim.depends) <= {one.id for one in PAPER.claims}
