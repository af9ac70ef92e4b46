"""False statements that slipped through holes in the algebra: all must stay unproved."""

from __future__ import annotations

from typing import Final

import pytest
import sympy
from sympy import I, Rational, Sum, sqrt

from theory.errors import NotExactError, TheoryError, VacuousError
from theory.kernel import (
    ClosedSum,
    Combine,
    Hypothesis,
    Relation,
    Sign,
    Step,
    Theorem,
    Triangle,
    dot,
    eq,
    le,
    prove,
    square,
    vectors,
)
from theory.kernel.rules.norms import Root
from theory.kernel.theorem import Rule
from theory.verdicts import Verdict

a, b = sympy.symbols("a b", positive=True)
h, Delta = sympy.symbols("h Delta", nonnegative=True)
r = sympy.Symbol("r", real=True)
K = sympy.Symbol("K", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
i = sympy.Symbol("i", integer=True)
S = sympy.Function("S", nonnegative=True)
u, v, w = vectors("u v w")


def judged(
    goal: Relation,
    rule: Rule,
    given: dict[str, Relation] | None = None,
    steps: tuple[Step, ...] = (),
) -> Verdict:
    """What comes of a goal in one theorem that declares all symbols above."""
    theorem = Theorem(
        id="x.y",
        where="",
        statement="",
        latex="",
        symbols=(a, b, h, Delta, K),
        scalars=(r,),
        vectors=(u, v, w),
        lhs=goal.lhs,
        terms={"all": goal.rhs},
        kind=goal.kind,
        hypotheses=tuple(Hypothesis(name, name, one) for name, one in (given or {}).items()),
        steps=steps,
        conclude=rule,
    )
    return prove(theorem).verdict


DIVISIONS = {
    "0 or 1 is 1": (eq(h, 1), Combine({"fact": 1 / h}), eq(h**2, h)),
    "1 is at most 0": (le(1, 0), Combine({"fact": 1 / Delta}), le(Delta, 0)),
    "1 is 0": (eq(1, 0), Combine({"fact": 1 / square(v)}), eq(square(v), 0)),
    "a real number divides": (le(square(u) + 1, square(u)), Combine({"fact": 1 / r**2}), le(r, 0)),
    "a fact divides by 0": (le(0, 1), Combine({"fact": h}, plus=(h,)), le(0, 1 / h - 1)),
}


@pytest.mark.parametrize("name", DIVISIONS)
def test_nothing_is_divided_by_what_may_be_zero(name: str) -> None:
    goal, rule, fact = DIVISIONS[name]
    assert judged(goal, rule, {"fact": fact}) is Verdict.UNKNOWN


def test_a_coefficient_may_not_divide_by_what_may_be_zero() -> None:
    goal = le(0, square(u) / h)
    assert judged(goal, Combine(squares=((1 / h, u),))) is Verdict.UNKNOWN
    assert judged(goal, Sign()) is Verdict.UNKNOWN


def test_a_step_does_not_restrict_the_domain_by_what_it_divides_by() -> None:
    """From 0 <= 1/h**2 it would follow that h is not 0."""
    step = Step("sign", le(0, 1 / h**2), Sign())
    found = judged(eq(h, 1), Sign(("sign", "01")), {"01": eq(h**2, h)}, (step,))
    assert found is Verdict.UNKNOWN


def test_what_is_shown_not_to_vanish_may_divide() -> None:
    fact = {"fact": le(a * h, 1)}
    assert judged(le(h, 1 / a), Combine({"fact": 1 / a}), fact) is Verdict.PROVED
    under = {"fact": le(h * r, 1), "apart": le(a, h)}
    rule = Combine({"fact": 1 / h}, domain=("apart",))
    assert judged(le(r, 1 / h), rule, under) is Verdict.PROVED
    assert judged(le(r, 1 / h), Combine({"fact": 1 / h}), under) is Verdict.UNKNOWN


COMPLEX = {
    "root of a negative number": (le(0, r), (1, sqrt(r))),
    "cube of a negative number": (le(0, r**3), (1, r ** Rational(3, 2))),
    "odd root": (le(0, r ** Rational(2, 3)), (1, sympy.cbrt(r))),
    "coefficient": (le(0, -(r**2)), (-1, r)),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_only_real_numbers_are_squared(name: str) -> None:
    goal, pair = COMPLEX[name]
    assert judged(goal, Combine(squares=(pair,))) is Verdict.UNKNOWN


UNKNOWN_FUNCTIONS = {"i": (le(1, 0), I), "logarithm": (le(0, a), sympy.log(a))}


@pytest.mark.parametrize("name", UNKNOWN_FUNCTIONS)
def test_what_the_kernel_does_not_know_is_refused(name: str) -> None:
    goal, squared = UNKNOWN_FUNCTIONS[name]
    with pytest.raises(TheoryError, match="formulas are made of symbols"):
        judged(goal, Combine(squares=((1, squared),)))


@pytest.mark.parametrize("rule", [Sign(), Combine(plus=(sqrt(r),))])
def test_a_root_says_nothing_of_its_base(rule: Rule) -> None:
    step = Step("root", le(0, sqrt(r)), rule)
    assert judged(le(0, r), Combine({"root": sqrt(r)}), steps=(step,)) is Verdict.UNKNOWN
    assert judged(le(0, r), Sign(("root",)), steps=(step,)) is Verdict.UNKNOWN


def test_a_vector_with_a_root_of_a_negative_number_is_not_squared() -> None:
    assert judged(le(0, r * square(u)), Combine(squares=((1, u * sqrt(r)),))) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "rule",
    [
        Combine({"one": 1.0}),
        Combine({"one": sympy.Float(1)}),
        Combine({"one": 1}, plus=(sympy.oo,)),
        Combine({"one": 1}, squares=((1.0, 0),)),
        Combine({"one": 1}, squares=((1, sympy.Float("1e-30")),)),
    ],
    ids=str,
)
def test_certificates_are_exact(rule: Combine) -> None:
    goal = le(r + Rational(1, 10**20), 1)
    with pytest.raises(NotExactError, match="write a decimal as a fraction"):
        judged(goal, rule, {"one": le(r, 1)})


def test_a_triangle_has_sizes_that_are_not_negative() -> None:
    """‖u‖ ≤ r says nothing of 2r where r is negative."""
    fact = {"fact": le(square(u), r**2)}
    parts = (("fact", sympy.Integer(2), u, r),)
    assert judged(le(4 * square(u), 4 * r**2), Triangle(parts), fact) is Verdict.UNKNOWN


@pytest.mark.parametrize("size", [1.0 * a, I * a, sympy.log(a) ** 2])
def test_triangles_have_exact_sizes(size: sympy.Expr) -> None:
    """‖u‖ ≤ size, and twice that for twice the vector."""
    fact = {"fact": le(square(u), r**2)}
    parts = (("fact", sympy.Integer(2), u, size),)
    with pytest.raises(TheoryError, match="formulas are made of symbols"):
        judged(le(4 * square(u), 4 * r**2), Triangle(parts), fact)


RANGES: dict[str, tuple[Relation, Rule]] = {
    "reversed": (le(3, 0), Combine(plus=(Sum(1, (k, 0, -4)),))),
    "to a real number": (le(0, r), Combine(plus=(Sum(1, (k, 1, r)),))),
    "to what may be negative": (le(0, K - 2), Combine(plus=(Sum(1, (k, 0, K - 3)),))),
    "of negative numbers": (le(0, Sum(i, (i, -5, -1))), Sign()),
    "of negative numbers, certified": (
        le(0, Sum(i, (i, -5, -1))),
        Combine(plus=(Sum(i, (i, -5, -1)),)),
    ),
    "reversed, of a function": (le(0, Sum(S(k), (k, 0, -4))), Sign()),
    "inside a root": (le(0, sqrt(1 + Sum(S(k), (k, 0, -4)))), Sign()),
    "divided by": (le(0, 1 / Sum(S(k) + 1, (k, 0, K - 2))), Sign()),
    "of roots": (le(0, Sum(sqrt(k - 3), (k, 0, K))), Sign()),
}


@pytest.mark.parametrize("name", RANGES)
def test_sums_have_signs_over_what_they_run_over_only(name: str) -> None:
    goal, rule = RANGES[name]
    assert judged(goal, rule) is Verdict.UNKNOWN


def test_a_failed_certificate_says_what_is_left() -> None:
    theorem = Theorem(
        "x.y", "", "", "", symbols=(a,), lhs=a, terms={"all": 2 * a}, conclude=Combine()
    )
    (line, *_) = prove(theorem).lines
    assert line.rule == "the two sides of the certificate differ by a"


def test_hypotheses_that_contradict_the_cauchy_schwarz_inequality() -> None:
    given = {"u": le(square(u), 1), "v": le(square(v), 1), "uv": le(2, dot(u, v))}
    with pytest.raises(VacuousError):
        judged(le(square(u), square(u) - 2), Combine({"u": 1}), given)


def test_hypotheses_within_the_cauchy_schwarz_inequality() -> None:
    given = {"u": le(square(u), 1), "v": le(square(v), 1), "uv": le(1, dot(u, v))}
    assert judged(le(square(u), 1), Combine({"u": 1}), given) is Verdict.PROVED


@pytest.mark.parametrize(
    ("goal", "domain", "verdict"),
    [
        (le(sqrt(square(u)), h), ("length",), Verdict.PROVED),
        (le(sqrt(square(u)), -h), ("length",), Verdict.UNKNOWN),
        (le(sqrt(square(u)), 2 * h), ("length",), Verdict.UNKNOWN),
        (eq(sqrt(square(u)), h), ("length",), Verdict.UNKNOWN),
        (le(sqrt(square(u - v)), h), ("length",), Verdict.UNKNOWN),
    ],
    ids=str,
)
def test_roots_of_squares(goal: Relation, domain: tuple[str, ...], verdict: Verdict) -> None:
    step = Step("length", le(0, square(u)), Combine(squares=((1, u),)))
    found = judged(goal, Root("bound", domain), {"bound": le(square(u), h**2)}, (step,))
    assert found is verdict


def test_a_root_needs_a_base_that_is_shown_nonnegative() -> None:
    length = square(u - v) + square(u)
    step = Step("length", le(0, length), Combine(squares=((1, u - v), (1, u))))
    bound = {"bound": le(length, a**2)}
    goal = le(sqrt(length), a)
    assert judged(goal, Root("bound"), bound, (step,)) is Verdict.UNKNOWN
    assert judged(goal, Root("bound", ("length",)), bound, (step,)) is Verdict.PROVED


ODD: Final = {
    "even": sympy.Symbol("j", even=True, nonnegative=True),  # (−1)^j would be 1
    "never 0": sympy.Symbol("j", integer=True, positive=True),  # |j − 1| would be j − 1
    "negative": sympy.Symbol("j", integer=True, negative=True),
}


@pytest.mark.parametrize("name", ODD)
def test_a_sum_runs_over_all_that_its_index_is_declared_to_be(name: str) -> None:
    index = ODD[name]
    with pytest.raises(TheoryError, match="j runs from 0 on, and is declared to be another"):
        judged(eq(Sum(1, (index, 0, K - 1)), K), ClosedSum(index, K))
    if name == "never 0":
        assert judged(eq(Sum(1, (index, 1, K)), K), ClosedSum(index, K)) is Verdict.UNKNOWN


def test_a_closed_form_has_a_value_for_every_count() -> None:
    total = Sum(1, (k, 0, K - 1))
    assert judged(eq(total, K), ClosedSum(k, K)) is Verdict.PROVED
    assert judged(eq(total, (K**2 - 5 * K) / (K - 5)), ClosedSum(k, K)) is Verdict.UNKNOWN


def test_triangles_have_real_vectors() -> None:
    fact, parts = {"fact": le(r * square(u), a**2)}, (("fact", sympy.Integer(2), u * sqrt(r), a),)
    assert judged(le(4 * r * square(u), 4 * a**2), Triangle(parts), fact) is Verdict.UNKNOWN
    real = (("fact", sympy.Integer(2), u * sqrt(h), a),)
    goal, fact = le(4 * h * square(u), 4 * a**2), {"fact": le(h * square(u), a**2)}
    assert judged(goal, Triangle(real), fact) is Verdict.PROVED
