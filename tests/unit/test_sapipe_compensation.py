"""Theorems 3 and 6 of SAPipe: their rows, the lines of their proofs and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Final

import pytest
import sympy

from theory.judging.decide import decided, proves
from theory.kernel import Theorem, prove
from theory.papers.sapipe import dc_step, dc_update, thm_3, thm_3_samples, thm_6
from theory.papers.sapipe.error_terms import ERR_DC, ERR_WP_3
from theory.papers.sapipe.lemmas import (
    dc_any_samples,
    dc_bias,
    dc_first_update,
    dc_fourths,
    dc_mixed_steps,
    dc_squares,
    repaired_thm_6,
    sharp_thm_3,
    sharp_thm_3_full,
    wp_3_lines,
    wp_3_moment,
)
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, eta, kappa, lambda_, n
from theory.papers.sapipe.witnesses import dc_witnesses, wp_3_flaws
from theory.verdicts import Verdict

LINES: Final = (*wp_3_lines.HOLDING, wp_3_lines.ALONE, thm_6.EXACT, sharp_thm_3.ANY)
MIXED: Final = tuple(
    module.THEOREM for module in (dc_first_update, dc_mixed_steps, dc_any_samples, thm_3_samples)
)
ERRORS: Final = ("remainder", "uncompensated", "outer product", "compensated noise")


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "theorem", [dc_bias.BETTER, *LINES, *MIXED], ids=lambda theorem: theorem.id
)
def test_every_line_is_shown_and_every_hypothesis_used(theorem: Theorem) -> None:
    proof = prove(theorem)
    assert {line.verdict for line in proof.lines} == {Verdict.PROVED}
    assert [one.name for one in theorem.hypotheses if one.name not in proof.used] == []


@pytest.mark.parametrize("layers", [False, True], ids=["all of Δx", "its stale part"])
def test_a_mixture_is_what_the_hypotheses_say(layers: bool) -> None:
    """Exactly, over every choice of stale elements: means, squares and the compensation."""
    share, weight = Fraction(2, 5), Fraction(1, 3)
    slope, ago, noise, moved, fresh = (
        [Fraction(a, 7) for a in row]
        for row in ((3, -2, 1), (5, 1, -4), (-2, 6, 1), (1, 3, -5), (2, -1, 3))
    )
    stale = [a + b for a, b in zip(ago, noise, strict=True)]
    slopes = squares = outer = Fraction(0)
    for mask in product((0, 1), repeat=3):
        chance = prod((share if one else 1 - share for one in mask), start=Fraction(1))
        seen = [a * b for a, b in zip(moved, mask, strict=True)] if layers else moved
        o = [one * c * _dot(stale, seen) for one, c in zip(mask, stale, strict=True)]
        for sign in (1, -1):
            g = [
                (1 - one) * (p + sign * xi) + one * c + weight * add
                for one, p, xi, c, add in zip(mask, slope, fresh, stale, o, strict=True)
            ]
            on_stale = [one * c + weight * add for one, c, add in zip(mask, stale, o, strict=True)]
            fresh_now = [p + sign * xi for p, xi in zip(slope, fresh, strict=True)]
            slopes += chance / 2 * (_dot(g, slope) - _dot(on_stale, slope))
            squares += chance / 2 * (_dot(g, g) - _dot(on_stale, on_stale))
            squares -= chance / 2 * (1 - share) * _dot(fresh_now, fresh_now)
        outer += chance * _dot(o, o)
    assert slopes == (1 - share) * _dot(slope, slope)
    assert squares == 0
    assert 0 < outer <= share * _dot(stale, stale) ** 2 * _dot(moved, moved)


def _dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


@pytest.mark.slow
def test_less_than_the_printed_constants_does_not_pay_for_samples_used_twice() -> None:
    """The proof needs Assumption 4 for short gradients, and most of the constant 32."""
    terms = dc_any_samples.THEOREM.terms
    for name in ("uncompensated", "outer product"):
        less = replace(dc_any_samples.THEOREM, terms={**terms, name: terms[name] / 2})
        assert prove(less).verdict is Verdict.UNKNOWN
    for name in ("short", "curvature", "kept", "first gradient"):
        kept = tuple(h for h in dc_any_samples.THEOREM.hypotheses if h.name != name)
        assert len(kept) == len(dc_any_samples.THEOREM.hypotheses) - 1
        bare = replace(dc_any_samples.THEOREM, hypotheses=kept)
        assert prove(bare).verdict is Verdict.UNKNOWN


def test_theorem_3_has_the_printed_error_term() -> None:
    assert sympy.expand(sum(thm_3.THEOREM.terms[name] for name in ERRORS) - kappa * ERR_DC) == 0


def test_the_sharp_constants_are_4_times_smaller_and_the_first_16_times() -> None:
    """Only 4 times where elements may depend on each other."""
    printed = thm_3.THEOREM.terms
    sharp = ((sharp_thm_3.THEOREM, 16), (sharp_thm_3_full.THEOREM, 16), (sharp_thm_3.ANY, 4))
    for theorem, first in sharp:
        ratios = [sympy.cancel(printed[name] / theorem.terms[name]) for name in ERRORS]
        assert ratios == [first, 4, 4, 4]
        for name in ("optimization", "variance"):
            assert theorem.terms[name] == printed[name]


@pytest.mark.parametrize(
    "theorem", [dc_update.THEOREM, dc_squares.THEOREM, dc_fourths.THEOREM, sharp_thm_3.THEOREM]
)
def test_rows_for_a_mixture_say_what_they_take_for_granted(theorem: Theorem) -> None:
    for condition in ("samples of their own for stale elements", "sees all of Δx"):
        assert condition in theorem.statement


def test_what_a_compensation_of_the_first_layers_misses_by_hand() -> None:
    found = dc_witnesses.first_layers()
    assert found is not None
    a, b, (slope, curvature) = Fraction(4, 5), Fraction(3, 5), found["h', h''"]
    hessian = [curvature * a * a, curvature * a * b]
    row = [hessian[0] - (slope * a) ** 2, hessian[1]]
    assert found["missed, squared"] == row[0] ** 2 + row[1] ** 2 > found["Delta, squared"]
    whole = [hessian[0] - (slope * a) ** 2, hessian[1] - slope * a * slope * b]
    seen = found["missed by a compensation that sees all of Δx, squared"]
    assert seen == whole[0] ** 2 + whole[1] ** 2 <= found["Delta, squared"]
    assert dc_witnesses.first_layers(Fraction(1, 10)) is None


def test_a_step_is_at_most_half_of_what_is_printed() -> None:
    sharp = dc_step.sharp()
    assert prove(sharp).verdict is Verdict.PROVED
    assert sympy.cancel(dc_step.THEOREM.terms["length"] / sharp.terms["length"]) == 2


def test_the_longest_steps_follow_the_recursion_to_the_geometric_sum() -> None:
    found = dc_witnesses.lengths()
    steps = found["a_t of a_t = η√V₂ + ηλV₂ a_{t−1}"]
    assert all(later == 1 + found["lambda"] * now for now, later in pairwise(steps))
    assert found["geometric sum"] - steps[-1] < Fraction(1, 1000)
    assert found["printed"] == 2 * found["geometric sum"]


def test_assumption_4_for_f_alone_is_not_enough() -> None:
    """f'' − E g² at tanh x = 4/5: 9/25 − 16/25 − 81/100."""
    found = dc_witnesses.objective()
    assert found is not None
    assert found["|E[f'' − g²]|"] == Fraction(16, 25) + Fraction(81, 100) - Fraction(9, 25)
    assert found["Delta of F"] < found["|E[f'' − g²]|"] <= found["Delta + V1/n"]


def test_the_first_iteration_decreases_nothing() -> None:
    found = dc_witnesses.first_iteration()
    assert found is not None
    assert found["F(x_1) − F(x_0)"] > found["most that F(x_1) − F(x_0) may be"]
    assert dc_witnesses.first_iteration(Fraction(1)) is None, "a long step has a large error term"


def test_the_dropped_prediction_errors_by_hand() -> None:
    """Two workers with x²/2, η = 1/2, λ = 0: x_1 = x_0/2, x_2 = x_0/8, x_3 = 3x_0/32."""
    slope, x, before, gradient = Fraction(1, 2), Fraction(1, 8), Fraction(0), Fraction(1, 8)
    models, gradients = [], []
    for _ in range(4):
        guess = x - slope * (before / 2 + gradient / 2)
        x, before, gradient = x - slope * gradient, gradient, guess
        models.append(x)
        gradients.append(before)
    found = wp_3_flaws.stale_points()
    assert found is not None
    assert found["x"] == models
    assert found["g_{2,t}"] == gradients
    missed = (gradients[3] - gradients[2]) / 2 - (models[2] - models[1]) / 2
    assert found["first part"] == 2 * slope**2 * missed**2
    assert found["its bound"] == 4 * slope**2 * Fraction(1, 16) * (models[2] - models[1]) ** 4


def test_the_lost_factor_by_hand() -> None:
    found = wp_3_flaws.lost_factor()
    assert found is not None
    left = (Fraction(1, 4) + (Fraction(1, 2) - Fraction(1, 2) * Fraction(1, 16)) ** 2) / 2
    assert found["mean of the squares"] == left
    assert found["what the line allows"] < left <= found["with Young's factor 2"]


def test_the_error_of_the_moment_row_vanishes_for_one_worker_and_the_printed_one_does_not() -> None:
    assert wp_3_moment.ERR.subs(n, 1) == 0
    at = {n: 1, V1: 0, M: 0, L: 1, V2: 1, Delta: 1, lambda_: 1, eta: 1}
    assert ERR_WP_3.subs(at) == 2


def test_the_repaired_error_has_the_terms_of_the_printed_one() -> None:
    """Without λ and for a small Lη: 4V₁/n, 6 and 12 instead of 8V₁/n, 4 and 2."""
    inner = sympy.expand(
        sympy.limit(sympy.cancel(repaired_thm_6.ERR / (L * eta) ** 2).subs(lambda_, 0), L, 0)
    )
    assert sympy.expand(inner - 4 * V1 / n - 6 * eta**4 * M**2 * V2**2) == 0
    curved = sympy.cancel(repaired_thm_6.ERR.subs({V1: 0, M: 0, lambda_: 0}))
    assert sympy.cancel(curved - 12 * L**4 * eta**4 * V2 / (1 - 6 * L**2 * eta**2)) == 0


@pytest.mark.usefixtures("without_small_runs")
@pytest.mark.slow
def test_edited_constants_change_what_is_said() -> None:
    terms = thm_3.CLAIM.printed
    halved = {**terms, "remainder": terms["remainder"] / 2}
    judged = decided(thm_3.CLAIM.account(halved))
    assert judged.verdict is Verdict.UNKNOWN
    assert [case.verdict.name for case in judged.cases] == ["UNKNOWN"] * 6
    edited = {**thm_6.CLAIM.printed, "variance": L * eta * V1}
    assert not proves(*thm_6.exact(edited))


def test_the_sharp_row_is_not_the_printed_one_under_another_name() -> None:
    swapped = replace(sharp_thm_3.THEOREM, terms=thm_3.THEOREM.terms)
    assert prove(swapped).verdict is Verdict.UNKNOWN
