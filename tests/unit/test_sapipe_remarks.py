"""Assumptions 3 and 4 and Remarks 3 to 6 of SAPipe: verdicts, cases, and witnesses by hand."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
import sympy

from tests import published
from theory.judging.catalogue import CLAIMS
from theory.judging.decide import established
from theory.kernel import prove
from theory.papers.sapipe import remark_3
from theory.papers.sapipe.lemmas import (
    assumption_4_gradient,
    best_lambda,
    diversity,
    regions,
    repaired_thm_4,
    sharp_thm_3_full,
    sharp_thm_5,
)
from theory.papers.sapipe.lemmas.dc_errors import SHARP_DC
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, eta, kappa, lambda_, n, rho
from theory.papers.sapipe.witnesses.log_cosh import Line, LogCosh, Workers
from theory.papers.sapipe.witnesses.steep import STEEP
from theory.verdicts import Verdict

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN
CONDITIONAL = Verdict.CONDITIONAL


def witness(name: str) -> Mapping[str, Any]:
    found = published.row(f"sapipe.{name}").judgement.counterexample
    assert found is not None
    return found


def weights(said: str) -> list[Fraction]:
    """Of ``w_i ln cosh x, w = (5, -3)``."""
    return [Fraction(w) for w in ast.literal_eval(said[said.index("(") : said.index(")") + 1])]


@pytest.mark.parametrize("which", ["equal workers", "unequal workers"])
def test_the_spread_of_workers_by_hand(which: str) -> None:
    shown = witness("assumption-3")[which]
    w = weights(shown["F_i"])
    u, count = Fraction(shown["tanh x"]), len(w)
    mean = sum(w, Fraction(0)) * u / count
    squares = sum(((one * u) ** 2 for one in w), Fraction(0))
    ratio = squares / (count * mean) ** 2
    spread = sum(((one * u - mean) ** 2 for one in w), Fraction(0)) / count
    assert (Fraction(shown["rho"]), shown["n"]) == (ratio, count)
    assert Fraction(shown["mean of |F_i' − F'|²"]) == spread
    assert Fraction(shown["stated bound"]) == (ratio / count - 1) * mean**2 < spread
    assert spread == (count * ratio - 1) * mean**2


def test_no_ratio_bounds_workers_that_differ_at_a_critical_point() -> None:
    shown = published.row("sapipe.assumption-3").judgement.findings[1].witness
    assert shown is not None
    assert Fraction(shown["sum of |F_i'|²"]) == 2 * Fraction(1, 2) ** 2
    assert Fraction(shown["|sum of F_i'|²"]) == 0


def at_exponential(form: sympy.Expr, x: sympy.Symbol, power: Fraction) -> sympy.Rational:
    """A function of x where e^x is this number."""
    value = sympy.Rational(power.numerator, power.denominator)
    return sympy.nsimplify(sympy.simplify(form.rewrite(sympy.exp).subs(x, sympy.log(value))))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_log_cosh_by_differentiation(scale: Fraction) -> None:
    x = sympy.Symbol("x", real=True)
    one = LogCosh(scale)
    f = sympy.Rational(scale.numerator, scale.denominator) * sympy.log(sympy.cosh(x))
    for power in (Fraction(1), Fraction(2), Fraction(1, 3), Fraction(50)):
        u = (power**2 - 1) / (power**2 + 1)
        slope, curvature, third = (
            Fraction(str(at_exponential(f.diff(x, order), x, power))) for order in (1, 2, 3)
        )
        assert (slope, curvature) == (one.gradient(u), one.curvature(u))
        assert abs(slope**2 - curvature) <= one.apart()
        assert slope**2 < one.largest_gradient
        assert curvature <= one.smoothness
        assert abs(third) <= 2 * one.remainder


def test_the_hessian_error_of_a_scaled_loss_by_hand() -> None:
    """At its minimiser, and far away, where f′² − f″ is c²u² − c(1 − u²)."""
    for said, sides in witness("assumption-4").items():
        c = Fraction(said.rpartition("= ")[2])
        line = said.startswith("f = x")
        u = Fraction(999, 1000)
        most = c**2 if line else max(c, c**2 * u**2 - c * (1 - u**2))
        assert Fraction(sides["stated for cf"]) < most <= Fraction(sides["for cf"])


def test_a_weight_makes_everything_scale() -> None:
    c = Fraction(7, 3)
    for kind in (LogCosh, Line):
        assert kind(c).apart(1 / c) == c * kind(Fraction(1)).apart()
    assert LogCosh(c).apart() != c * LogCosh(Fraction(1)).apart()


def test_the_square_of_the_proof_is_the_one_that_is_differentiated() -> None:
    k, q = sympy.symbols("k q", real=True)
    m = sympy.Symbol("m", nonnegative=True)
    assert assumption_4_gradient.damped_slope() == k**2 - q - m**2


def err_dc(values: Mapping[str, Fraction]) -> Fraction:
    """As printed."""
    at = values.__getitem__
    rate, big, taylor, off, weight, second = map(at, ("eta", "L", "M", "Delta", "lam", "V2"))
    return (
        128 * rate**4 * taylor**2 * second**2
        + 32 * rate**2 * (1 - weight) ** 2 * big**2 * second
        + 32 * rate**2 * weight**2 * off**2 * second
        + 16 * rate**3 * weight**2 * big * second**3
    )


def test_the_small_objective_by_hand() -> None:
    shown = published.row("sapipe.remark-3").judgement.findings[0].witness
    assert shown is not None
    names = ("L", "Delta", "V2", "eta")
    values = {name: Fraction(shown[name]) for name in names} | {"M": Fraction(0)}
    vanilla = values["L"] ** 2 * values["eta"] ** 2 * values["V2"]
    ratios = [err_dc({**values, "lam": Fraction(i, 200)}) / vanilla for i in range(201)]
    assert Fraction(shown["least Err_DC/Err_0 over λ"]) <= min(ratios)
    assert min(ratios) < Fraction(shown["least Err_DC/Err_0 over λ"]) + Fraction(1, 10**6)
    assert min(ratios) > Fraction(32, 5)


def test_the_worst_ratio_is_attained_at_four_fifths() -> None:
    at = {"lam": Fraction(4, 5), "L": Fraction(2), "Delta": Fraction(1), "M": Fraction(0)}
    small = Fraction(1, 10**9)
    found = err_dc({**at, "eta": small, "V2": Fraction(1)}) / (4 * small**2)
    assert Fraction(32, 5) < found < Fraction(32, 5) + Fraction(1, 10**6)
    assert remark_3.CORE["ratio"] == sympy.Rational(32, 5)


def test_an_objective_with_a_loose_constant_satisfies_remark_3() -> None:
    """ln cosh x/1000 with L = 1, λ = 1, η = 1/10: every constant by hand."""
    c, rate = Fraction(1, 1000), Fraction(1, 10)
    values = {"L": Fraction(1), "Delta": c, "M": c / 2, "V2": c**2, "eta": rate}
    ratio = err_dc({**values, "lam": Fraction(1)}) / (rate**2 * c**2)
    assert remark_3.satisfied(remark_3.PRINTED) == ratio
    assert Fraction(32, 10**6) < ratio < Fraction(33, 10**6)
    numbers = {L: 1, Delta: sympy.Rational(1, 1000), M: sympy.Rational(1, 2000)}
    numbers |= {V2: sympy.Rational(1, 10**6), eta: sympy.Rational(1, 10), lambda_: 1}
    assert regions.WINS["DC"].holds_at(numbers)
    assert regions.CONSISTENT.subs(numbers) == sympy.false, "L is not the least one"


def test_the_steep_objective_by_differentiation() -> None:
    x = sympy.Symbol("x", real=True)
    f = -sympy.log(sympy.cos(x))
    for slope in (Fraction(0), Fraction(1, 2), STEEP.bend):
        at = {x: sympy.atan(sympy.Rational(slope))}
        one, two, three = (sympy.nsimplify(f.diff(x, k).subs(at)) for k in (1, 2, 3))
        assert (one, two) == (sympy.Rational(slope), sympy.Rational(STEEP.curvature(slope)))
        assert two - one**2 == 1
        assert abs(three) <= 2 * STEEP.remainder


def test_the_end_of_the_steep_objective_keeps_its_constants() -> None:
    """From f' = v on the curvature is (1 + v²) − rate·s until it is 0."""
    last = STEEP.smoothness / STEEP.rate
    for part in range(21):
        s = last * part / 20
        slope = STEEP.bend + STEEP.smoothness * s - STEEP.rate * s**2 / 2
        curvature = STEEP.smoothness - STEEP.rate * s
        assert abs(slope**2 - curvature) <= STEEP.apart == 1
        assert 0 <= curvature <= STEEP.smoothness <= 2 * STEEP.apart
        assert slope <= STEEP.steepest < 1
    assert slope == STEEP.steepest


def test_compensation_of_the_steep_objective_misses_less_than_nothing_done() -> None:
    """Step by step for λ = 1: Δ‖Δx‖ + M‖Δx‖² at the longest step is at most Lη√V₂."""
    shown = published.row("sapipe.remark-3").judgement.findings[1].witness
    assert shown is not None
    rate, second = Fraction(shown["eta"]), Fraction(shown["V2"])
    slope = STEEP.steepest
    assert second == slope**2
    longest = rate * slope / (1 - rate * second)
    missed = Fraction(shown["Delta"]) * longest + Fraction(shown["M at most"]) * longest**2
    assert missed <= Fraction(shown["least L"]) * rate * slope
    assert missed == Fraction(shown["Δ/(1 − ηV₂) + Mη√V₂/(1 − ηV₂)²"]) * rate * slope


def test_readings_are_named() -> None:
    assert "our reading" in CLAIMS["sapipe.assumption-4"].where
    assumed = set(assumption_4_gradient.ASSUMES)
    for name in ("remark-3", "remark-6"):
        assert assumed <= set(published.row(f"sapipe.{name}").judgement.assumes)


def test_the_reversed_condition_by_hand() -> None:
    shown = published.row("sapipe.remark-4").judgement.findings[0].witness
    assert shown is not None
    w = weights(shown["F_i"])
    ratio = sum(one**2 for one in w) / sum(w) ** 2
    assert Fraction(shown["rho"]) == ratio > 3 * len(w)
    assert Fraction(shown["V2"]) == max(one**2 for one in w)
    assert Fraction(shown["L"]) == max(map(abs, w))
    share, second = ratio / len(w), Fraction(shown["V2"])
    assert Fraction(shown["V1 at most"]) == (2 - share) / (3 - share) * second >= 0
    scale = (Fraction(shown["L"]) * Fraction(shown["eta"])) ** 2
    assert Fraction(shown["Err_WP-1"]) == scale * (share - 1) * second
    assert Fraction(shown["Err_0"]) == scale * second < Fraction(shown["Err_WP-1"])
    assert shown["ρ/n"] == "3"


def test_the_noisy_objective_by_hand() -> None:
    shown = published.row("sapipe.remark-5").judgement.findings[0].witness
    assert shown is not None
    slopes = [Fraction(sign * 4) for sign in (-1, 1)]
    assert Fraction(shown["V1"]) == sum(s**2 for s in slopes) / 2
    assert Fraction(shown["V2"]) == max((1 + s) ** 2 for s in slopes)
    least = 2 * Fraction(shown["V1"]) / Fraction(shown["V2"])
    assert Fraction(shown["limit of Err_WP-2/Err_0"]) == least > 1


def test_a_better_lambda_by_hand() -> None:
    [false, *_] = published.row("sapipe.remark-6").judgement.findings
    assert false.witness is not None
    for when, shown in false.witness.items():
        big, off = Fraction(shown["L"]), Fraction(shown["Delta"])
        assert (big < off) == (when == "L < Delta")

        def loss(weight: Fraction, big: Fraction = big, off: Fraction = off) -> Fraction:
            return (1 - weight) ** 2 * big**2 + weight**2 * off**2

        ends = {"L < Delta": Fraction(0), "L >= Delta": Fraction(1)}
        assert Fraction(shown["preferred λ"]) == ends[when]
        assert Fraction(shown["(1 − λ)²L² + λ²Δ²"]) == loss(ends[when])
        assert Fraction(shown["there"]) == loss(Fraction(shown["better λ"])) < loss(ends[when])
        scale = Fraction(shown["f"].split()[0])
        assert (big, off) == (scale, max(scale, scale**2))


def test_theorems_for_others_to_cite() -> None:
    for theorem in (diversity.THEOREM, best_lambda.THEOREM):
        assert prove(theorem).verdict is PROVED
    assert sympy.expand(best_lambda.loss(best_lambda.BEST) - best_lambda.LEAST).simplify() == 0


@pytest.mark.parametrize("repaired", [False, True])
def test_regions_are_exact(repaired: bool) -> None:
    found = regions.REPAIRED_WINS if repaired else regions.WINS
    assert set(found) == ({"WP-1", "WP-2"} if repaired else {"DC", "WP-1", "WP-2", "WP-3"})
    for region in found.values():
        assert established(regions.equivalence(region)) is PROVED
        assert region.condition.rel_op == "<="


def test_a_region_asks_for_its_domain_and_for_numbers() -> None:
    numbers = {L: 1, V1: 0, V2: 1, eta: sympy.Rational(1, 2)}
    region = regions.WINS["WP-2"]
    assert region.holds_at(numbers)
    assert not region.holds_at({**numbers, eta: 2})
    assert not region.holds_at({V1: 0, V2: 1})


def test_workers_of_one_and_of_many() -> None:
    alone = Workers((Fraction(3),))
    assert alone.rho == 1
    assert alone.spread == 0
    many = Workers(tuple(Fraction(k) for k in range(1, 6)))
    exact = diversity.THEOREM.terms["diversity"].subs({n: 5, rho: sympy.Rational(many.rho)})
    factor = exact.as_coeff_Mul()[0]
    assert sympy.Rational(many.spread) == factor * sympy.Rational(many.mean**2)


def test_repaired_errors_are_those_of_the_repaired_theorems() -> None:
    one = {kappa: 1}
    pairs = [
        (regions.ERR_WP_1_REPAIRED, repaired_thm_4.THEOREM.terms["error"]),
        (regions.ERR_WP_2_SHARPER, sharp_thm_5.THEOREM.terms["error"]),
        (
            SHARP_DC,
            sum(
                term
                for name, term in sharp_thm_3_full.THEOREM.terms.items()
                if name not in ("optimization", "variance")
            ),
        ),
    ]
    for ours, theirs in pairs:
        assert sympy.simplify(ours - theirs.subs(one)) == 0
