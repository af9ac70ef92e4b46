"""Rows of vanilla SAPipe: Lemma 1, Theorem 2, prefixes of layers, Remarks 1, 2 and 7."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
import sympy

from tests import published
from theory.judging.decide import decided, established, proves
from theory.judging.mutants import passes
from theory.kernel import prove
from theory.papers.sapipe import (
    cor_1,
    lemma_1,
    remark_1,
    remark_7,
    stale_bias,
    thm_2,
    thm_2_samples,
)
from theory.papers.sapipe.lemmas import (
    prefix,
    reused_noise,
    same_samples,
    thm_2_mixture,
    thm_2_one_iteration,
)
from theory.papers.sapipe.symbols import V1, V2, L, T, eta, kappa
from theory.papers.sapipe.witnesses import reuse_line
from theory.papers.sapipe.witnesses.clipped_coins import Run, examine
from theory.papers.sapipe.witnesses.coin_moments import run
from theory.verdicts import Verdict

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN
CONDITIONAL = Verdict.CONDITIONAL


def test_lemma_1_has_every_displayed_line() -> None:
    places = [line.where for line in prove(lemma_1.THEOREM).lines]
    lines = [place.removeprefix(f"{lemma_1.WHERE}, ") for place in places if "Lemma 1," in place]
    assert lines == [
        "line 1",
        "line 2",
        "expectation on both sides",
        "①",
        "②, line 2",
        "②, line 3",
        "combined, line 1",
        "combined, line 2",
        "combined, line 3",
    ]
    assert published.row(lemma_1.CLAIM.id).judgement.printed_proof == "valid"


@pytest.mark.parametrize("number", [0, 1])
def test_the_witnesses_of_theorem_2_exceed_the_bound_from_rest_and_after_a_pass(
    number: int,
) -> None:
    witness = published.row(thm_2.CLAIM.id).judgement.findings[number].witness
    assert witness is not None
    eta = (Fraction(1), Fraction(4, 5))[number]
    assert (Fraction(witness["eta"]), Fraction(witness["kappa"])) == (eta, Fraction(1, 4))
    bound = Fraction(witness["bound/d"])
    assert bound == eta**2 / 4 * Fraction(witness["V2/d = ρ²/d"]) + eta
    assert Fraction(witness["average/d, at least"]) > bound
    passing = Fraction(witness["bound/d if the first iteration passes"])
    assert passing == eta**2 / 4 * Fraction(witness["V2/d if the first iteration passes"]) + eta
    assert Fraction(witness["average/d, at least, if the first iteration passes"]) > passing


@pytest.mark.slow
def test_looser_terms_are_no_longer_refuted() -> None:
    printed = dict(thm_2.CLAIM.printed)
    doubled = {**printed, "variance": 2 * printed["variance"]}
    judged = decided(thm_2.CLAIM.account(doubled))
    assert judged.verdict is UNKNOWN
    assert judged.counterexample is None
    assert judged.findings[0].kind == "invalid-step"


def test_terms_that_a_case_lacks_are_not_ignored() -> None:
    """κ − 1 for κ is nothing at κ = 1 and negative at κ = 0; V₁ − V₂ is negative for T = 1."""
    printed = dict(thm_2.CLAIM.printed)
    less = {**printed, "staleness": (kappa - 1) * L**2 * eta**2 * V2}
    sgd_case, pipe_case, *_ = decided(thm_2.CLAIM.account(less)).cases
    assert (sgd_case.verdict, pipe_case.verdict) == (UNKNOWN, UNKNOWN)
    first = {"optimization": printed["optimization"], "variance": V1 - V2}
    assert not proves(*thm_2.as_printed(thm_2_one_iteration.THEOREM, first, {T: 1}))
    assert proves(*thm_2.as_printed(thm_2_one_iteration.THEOREM, printed, {T: 1}))


def test_a_mixture_is_no_gradient_at_one_point() -> None:
    found = thm_2_mixture.mixtures()
    assert found[True, True] == 1
    # the first element stale, the second fresh: (1, −9/20)
    assert found[True, False] == 1 + Fraction(9, 20) ** 2
    assert found[False, False] == Fraction(11, 20) ** 2 + Fraction(9, 20) ** 2
    for module in (stale_bias, thm_2_samples):
        row = published.row(module.CLAIM.id)
        assert row.judgement.printed_proof == "invalid"
        assert [line.says for line in row.judgement.steps if line.verdict is REFUTED] == [
            thm_2_mixture.SAYS
        ]


def test_the_mixture_stays_within_its_constants() -> None:
    """V₂ = 1 and L = 1 on a grid that has both ends of both slopes."""
    grid = [Fraction(k, 2) for k in (-120, -101, -100, -99, -50, -4, -3, -1, 0, 1, 40)]
    points = [(a, b) for a in grid for b in grid]
    assert max(thm_2_mixture.square(thm_2_mixture.gradient(x)) for x in points) == 1
    for x, y in product(points[::3], points[::5]):
        apart = [a - b for a, b in zip(x, y, strict=True)]
        slopes = zip(thm_2_mixture.gradient(x), thm_2_mixture.gradient(y), strict=True)
        assert thm_2_mixture.square([a - b for a, b in slopes]) <= thm_2_mixture.square(apart)


def test_the_sample_that_is_used_twice_breaks_the_printed_line() -> None:
    found = reuse_line.replay(Fraction(1, 2), Fraction(1, 4))
    # by hand: η²/2·[½((1 − η)² + 1) + ½(2 + 1)] against η²/2·[2 − η/2], η = 1/4
    assert found["E F(x_2)"] == Fraction(1, 32) * Fraction(73, 32)
    assert found["printed bound of it"] == Fraction(1, 32) * Fraction(15, 8)
    assert found["E<∇F(x_1), z_1>"] == -Fraction(1, 2) * Fraction(1, 4)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1)])
def test_at_both_ends_no_sample_is_used_twice(share: Fraction) -> None:
    found = reuse_line.replay(share, Fraction(1, 4))
    assert found["E F(x_2)"] <= found["printed bound of it"]


def test_first_moments_of_the_coins_by_hand() -> None:
    share = Fraction(1, 4)
    squares = [now[2, 0, 0] for now in run(share, 3)]
    stale = share * (4 * (1 - share) + 2 * share)
    assert squares == [0, 1, (1 - share) + stale]
    passing = [now[2, 0, 0] for now in run(share, 2, passes=True)]
    assert passing == [0, 1 - share]
    # η = 1/2: y_1 = −z/2; then fresh y_2 = y_1/2 − z'/2, and stale y_1 − z_1/2 after z_0 or z_1
    half = [now[2, 0, 0] for now in run(share, 3, eta=Fraction(1, 2))]
    stale = (1 - share) * 1 + share * Fraction(1, 2)
    fresh = Fraction(1, 16) + Fraction(1, 4)
    assert half == [0, Fraction(1, 4), (1 - share) * fresh + share * stale]


def test_the_chance_of_clipping_by_hand() -> None:
    """T = 3, κ = 1/4: E q is 1, 2 and 21/8, so V₂ is 2.68; q_1 is 0 or 4, of variance 4."""
    found = examine(Run(Fraction(1, 4), 3, 1000))
    assert found.second == Fraction(268, 100)
    exact = Fraction(4, 1000) / Fraction(68, 100) ** 2
    assert exact <= found.clipped < exact + Fraction(1, 10**4)


def test_few_coordinates_or_few_updates_show_nothing() -> None:
    assert examine(Run(Fraction(1, 4), 30, 10**3)).average < 1
    short = examine(Run(Fraction(1, 4), 5, 10**9))
    assert short.average < short.second / 4 + 1


def test_a_prefix_of_layers_keeps_its_bias() -> None:
    row = published.row(prefix.CLAIM.id)
    assert row.verdict is REFUTED
    witness = row.judgement.counterexample
    assert witness is not None
    assert [Fraction(x) for x in witness["x_1 over the first updates"]] == [1, 0, -1, -1, 0, 1, 1]
    assert Fraction(witness["average"]) == Fraction(5, 7)
    assert Fraction(witness["bound"]) == Fraction(1, 7) + Fraction(1, 2)
    [finding] = row.judgement.findings
    assert finding.repaired is not None
    assert finding.repaired.verdict is PROVED


@pytest.mark.parametrize("parameters", [2, 3, 10])
def test_whatever_the_share_is_the_run_returns_after_six_updates(parameters: int) -> None:
    assert prefix.replay(parameters, 600) == Fraction(2, 3)


def test_with_the_share_1_the_prefix_is_within_the_bound() -> None:
    whole = {**prefix.CLAIM.printed, "staleness": L**2 * eta**2 * V2}
    assert decided(prefix.CLAIM.account(whole)).verdict is UNKNOWN


def test_an_error_without_its_cause_is_no_remark_1() -> None:
    printed = remark_1.CLAIM.printed
    assert remark_1.CLAIM.holds is not None
    stale = printed["staleness"] / kappa
    edited = {**printed, "staleness": stale}
    assert passes(partial(remark_1.CLAIM.holds, edited)) is UNKNOWN
    found = remark_1.parts(edited)
    assert established(found["each error vanishes only with its cause"]) is UNKNOWN


def test_the_bound_of_same_samples_is_that_of_theorem_2_up_to_its_factors() -> None:
    sharp, printed = same_samples.THEOREM.terms, thm_2_samples.THEOREM.terms
    factor = sympy.simplify(sharp["variance"] / printed["variance"])
    at = {kappa: sympy.Rational(3, 4), reused_noise.r: sympy.Rational(1, 2)}
    assert factor.subs({**at, L: 1, eta: sympy.Rational(1, 4)}) == 1
    assert sharp["staleness"] == printed["staleness"]


def test_a_method_whose_error_is_larger_does_not_fit() -> None:
    method = cor_1.METHODS[0]
    assert method.fits().verdict is PROVED
    assert replace(method, error=method.error / 2).fits().verdict is UNKNOWN
    assert replace(method, weight=method.weight / 2).fits().verdict is UNKNOWN
    passing = next(one for one in cor_1.METHODS if one.first != 0)
    assert passing.fits().verdict is PROVED
    assert replace(passing, first=passing.first / 2).fits().verdict is UNKNOWN


@pytest.mark.parametrize("rate_of_t", [1 / T, 1 / T ** sympy.Rational(1, 3), sympy.S.One])
def test_the_corollary_has_one_rate(rate_of_t: sympy.Expr) -> None:
    assert not cor_1.orders({**cor_1.PRINTED, "rate": rate_of_t}).holds
    assert established(remark_7.vanishes({"rate": rate_of_t})) is UNKNOWN


@pytest.mark.parametrize("length", [1, 4, 7])
def test_a_fixed_stepsize_keeps_its_noise(length: int) -> None:
    assert remark_7.fixed_step(length) == 1
