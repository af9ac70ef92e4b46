"""Exponentials, logarithms, powers: what is false of them is not proved, and a true twin is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy

from theory.errors import NotExactError, TheoryError, VacuousError
from theory.kernel import (
    Cite,
    Combine,
    Elementary,
    Expect,
    Hypothesis,
    Operator,
    Relation,
    Sign,
    Step,
    Theorem,
    dot,
    eq,
    le,
    prove,
    square,
    vector,
)
from theory.kernel.elementary import Exp, Log
from theory.verdicts import Verdict

x, y, s = sympy.symbols("x y s", real=True)
p, q, z = sympy.symbols("p q z", positive=True)
r = sympy.Symbol("r", nonnegative=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
m = sympy.Symbol("m", integer=True)
ONE = sympy.S.One


def verdict(said: Relation, rule: Any, *hypotheses: Relation) -> Verdict:
    """What comes of a statement by one rule."""
    sides = [side for each in (said, *hypotheses) for side in (each.lhs, each.rhs)]
    free = {one for side in sides for one in side.free_symbols}
    given = tuple(Hypothesis(f"h{i}", "", one) for i, one in enumerate(hypotheses))
    made = Theorem(
        id="mine.elementary",
        where="ours",
        statement="",
        latex="",
        symbols=tuple(sorted(free, key=str)),
        hypotheses=given,
        lhs=said.lhs,
        terms={"right": said.rhs},
        kind=said.kind,
        conclude=rule,
    )
    return prove(made).verdict


def by(entry: str, *at: Any, under: tuple[str, ...] = ()) -> Elementary:
    return Elementary(entry, at, under)


TRUE: dict[str, Any] = {
    "1 + x <= e^x": (le(1 + x, Exp(x)), by("exp_tangent", 0, x)),
    "e^x e^-x = 1": (eq(1, Exp(x) * Exp(-x)), by("exp_sum", x, -x)),
    "e^(n x) = (e^x)^n": (eq(Exp(n * x), Exp(x) ** n), by("exp_power", x, n)),
    "e^(m x), m < 0 too": (eq(Exp(m * x), Exp(x) ** m), by("exp_power", x, m)),
    "e^ln p = p": (eq(Exp(Log(p)), p), by("exp_of_log", p)),
    "ln e^x = x": (eq(Log(Exp(x)), x), by("log_of_exp", x)),
    "ln p <= p - 1": (le(Log(p), p - 1), by("log_tangent", 1, p)),
    "ln(p q)": (eq(Log(p * q), Log(p) + Log(q)), by("log_product", p, q)),
    "e^x <= e^(x + r)": (le(Exp(x), Exp(x + r)), by("exp_grows", x, x + r)),
    "ln p <= ln(p + r)": (le(Log(p), Log(p + r)), by("log_grows", p, p + r)),
    "0 <= r^n": (le(0, r**n), by("power_sign", r, n)),
    "r^n <= (r + p)^n": (le(r**n, (r + p) ** n), by("power_grows", r, r + p, n)),
    "(1 - p)^n <= e^-pn": (
        *(le((1 - p) ** n, Exp(-p * n)), by("decay", p, n, under=("h0",))),
        le(p, 1),
    ),
    "1 + n x <= (1 + x)^n": (
        *(le(1 + n * x, (1 + x) ** n), by("bernoulli", x, n, under=("h0",))),
        le(-1, x),
    ),
    "(1 + n p)(1 - p)^n <= 1": (
        *(le((1 + n * p) * (1 - p) ** n, 1), by("bernoulli_inverse", p, n, under=("h0",))),
        le(p, 1),
    ),
    "z e^-x <= 1": (
        *(le(z * Exp(-x), 1), by("halving", x, z, under=("h0",))),
        le(Log(z), x),
    ),
}

FALSE: dict[str, Any] = {
    "turned round": (le(Exp(x), 1 + x), by("exp_tangent", 0, x)),
    "turned round, ln": (le(p - 1, Log(p)), by("log_tangent", 1, p)),
    "the other e^x": (le(1 + x, Exp(y)), by("exp_tangent", 0, x)),
    "an equation": (eq(1 + x, Exp(x)), by("exp_tangent", 0, x)),
    "e^(x + y) = e^x + e^y": (eq(Exp(x + y), Exp(x) + Exp(y)), by("exp_sum", x, y)),
    "ln(p + q)": (eq(Log(p + q), Log(p) + Log(q)), by("log_product", p, q)),
    "n is a half": (
        eq(Exp(x / 2), Exp(x) ** sympy.Rational(1, 2)),
        by("exp_power", x, sympy.Rational(1, 2)),
    ),
    "ln of what may be 0": (le(Log(r), r - 1), by("log_tangent", 1, r)),
    "ln of 0": (le(Log(sympy.S.Zero), 5), by("log_tangent", 1, 0)),
    "ln of -1": (le(Log(-ONE), -2), by("log_tangent", 1, -1)),
    "ln of what may be negative": (eq(Log(x**2), 2 * Log(x)), by("log_product", x, x)),
    "ln x = ln(-x)": (eq(Log(x * -1), Log(x) + Log(-ONE)), by("log_product", x, -1)),
    "e^ln x, x < 0": (eq(Exp(Log(x)), x), by("exp_of_log", x)),
    "e^x grows, y smaller": (le(Exp(x), Exp(x - r)), by("exp_grows", x, x - r)),
    "e^x <= e^y for any": (le(Exp(x), Exp(y)), by("exp_grows", x, y)),
    "ln grows from 0": (le(Log(r), Log(r + 1)), by("log_grows", r, r + 1)),
    "an odd power of what is negative": (le(0, x**n), by("power_sign", x, n)),
    "an even power hides the sign": (
        le(x ** (2 * n), (x + p) ** (2 * n)),
        by("power_grows", x, x + p, 2 * n),
    ),
    "decay, a > 1 and n even": (le((1 - p) ** 2, Exp(-2 * p)), by("decay", p, 2)),
    "decay, a unbounded": (le((1 - p) ** n, Exp(-p * n)), by("decay", p, n)),
    "decay, n real": (
        *(le((1 - p) ** r, Exp(-p * r)), by("decay", p, r, under=("h0",))),
        le(p, 1),
    ),
    "decay, n may be negative": (
        *(le((1 - p) ** m, Exp(-p * m)), by("decay", p, m, under=("h0",))),
        le(p, sympy.Rational(1, 2)),
    ),
    "decay, another rate": (
        *(le((1 - p) ** n, Exp(-2 * p * n)), by("decay", p, n, under=("h0",))),
        le(p, 1),
    ),
    "bernoulli, x < -1": (
        *(le(1 + n * x, (1 + x) ** n), by("bernoulli", x, n, under=("h0",))),
        le(-2, x),
    ),
    "bernoulli, x = -4 and n = 3": (le(-11, sympy.Integer(-27)), by("bernoulli", -4, 3)),
    "bernoulli, turned round": (
        *(le((1 + x) ** n, 1 + n * x), by("bernoulli", x, n, under=("h0",))),
        le(-1, x),
    ),
    "bernoulli, n may be negative": (
        *(le(1 + m * p, (1 + p) ** m), by("bernoulli", p, m - 1)),
        le(0, m),
    ),
    "bernoulli, n between 0 and 1": (le(1 + r * p, (1 + p) ** r), by("bernoulli", p, r)),
    "inverse, a > 1": (
        le((1 + n * p) * (1 - p) ** n, 1),
        by("bernoulli_inverse", p, n),
    ),
    "e^-x without x >= ln z": (le(z * Exp(-x), 1), by("halving", x, z)),
    "e^-x, the sign of ln": (
        *(le(z * Exp(-x), 1), by("halving", x, z, under=("h0",))),
        le(-Log(z), x),
    ),
    "e^-x, z may be negative": (le(x * Exp(-y), 1), by("halving", y, x)),
    "an entry that is none": (le(1 + x, Exp(x)), by("convexity", 0, x)),
    "too few expressions": (le(1 + x, Exp(x)), by("exp_tangent", x)),
    "too many": (le(1 + x, Exp(x)), by("exp_tangent", 0, x, x)),
    "a fact that is not there": (le(0, r**n), by("power_sign", r, n, under=("h7",))),
    "an attribute of the module": (le(1 + x, Exp(x)), by("__class__", 0, x)),
    "by algebra alone": (le(1 + x, Exp(x)), Combine()),
    "by z3 alone": (le(1 + x, Exp(x)), Sign()),
    "e^x >= 1 by its sign": (le(1, Exp(x)), Sign()),
    "ln is no nonnegative thing": (le(0, Log(p)), Sign()),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_one_is_proved(name: str) -> None:
    assert verdict(*TRUE[name]) is Verdict.PROVED


@pytest.mark.parametrize("name", FALSE)
def test_a_false_one_is_not(name: str) -> None:
    assert verdict(*FALSE[name]) is Verdict.UNKNOWN


def test_positive_is_all_that_signs_know() -> None:
    assert verdict(le(0, Exp(x) * (y - 1) ** 2), Sign()) is Verdict.PROVED


class Liar(Exp):
    """Says that it is 0."""

    @classmethod
    def eval(cls, at: Any) -> Any:
        return None


F = sympy.Function("F", nonnegative=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)


@pytest.mark.parametrize(
    "strange",
    [
        sympy.exp(x),
        sympy.log(p),
        Liar(x),
        Exp(square(vector("u"))),
        Exp(F(n)),
        Exp(sympy.Sum(F(k), (k, 0, n))),
        Exp(Operator("E", ("s",)).of(s)),
        Log(1 + F(0)),
        Exp(sympy.sin(x)),
    ],
    ids=str,
)
def test_they_are_taken_of_symbols_and_numbers(strange: Any) -> None:
    with pytest.raises(TheoryError):
        verdict(le(strange, 1 + strange), Sign())
    assert verdict(le(Exp(x), 1 + Exp(x)), Sign()) is Verdict.PROVED


def test_of_nothing_complex() -> None:
    with pytest.raises(NotExactError):
        le(0, Exp(sympy.I * x))
    with pytest.raises(NotExactError):
        le(0, Exp(sympy.pi))
    with pytest.raises(TheoryError, match="domain"):
        verdict(le(0, Exp(sympy.Symbol("c"))), Sign())
    assert verdict(le(0, Exp(sympy.sqrt(x))), Sign()) is Verdict.UNKNOWN
    assert verdict(le(0, Exp(1 / x)), Sign()) is Verdict.UNKNOWN
    assert verdict(le(0, Exp(sympy.sqrt(r) / p)), Sign()) is Verdict.PROVED


@pytest.mark.parametrize(
    ("said", "twin"),
    [
        (le(Exp(p), 1), le(Exp(-p), 1)),
        (le(Exp(x), x), le(Exp(x), 1 + x**2 + x)),
        (le(p, Log(p)), le(Log(p), p)),
        (eq(Log(p), p), eq(Log(p), p - 1)),
        (le(Exp(x) + Exp(y), Exp(x) * (1 + y - x)), le(Exp(x), Exp(x) * (1 + y - x))),
    ],
    ids=str,
)
def test_what_they_cannot_be_is_no_hypothesis(said: Relation, twin: Relation) -> None:
    with pytest.raises(VacuousError):
        verdict(le(1, 0), Combine(), said)
    assert verdict(le(1, 1), Combine(), twin) is Verdict.PROVED


LEMMA = Theorem(
    id="mine.log",
    where="ours",
    statement="",
    latex="",
    symbols=(p,),
    lhs=Log(p),
    terms={"right": p - 1},
    conclude=by("log_tangent", 1, p),
)


def cited(value: Any, symbol: Any) -> Verdict:
    made = replace(
        LEMMA,
        id="mine.cites",
        symbols=(symbol,),
        lhs=Log(value),
        terms={"right": value - 1},
        cites=(LEMMA,),
        conclude=Cite("mine.log", scalars={p: value}),
    )
    return prove(made).verdict


def test_a_lemma_is_cited_inside_its_domain() -> None:
    assert cited(1 + r, r) is Verdict.PROVED
    assert cited(r, r) is Verdict.UNKNOWN
    assert cited(x, x) is Verdict.UNKNOWN


def test_a_mean_of_what_is_random_stays_a_mean() -> None:
    """E e^s is no e^s: what is random inside is seen."""
    mean = Operator("E", ("s",))
    fact = Step("tangent", le(1 + s, Exp(s)), by("exp_tangent", 0, s))

    def made(left: Any, right: Any) -> Verdict:
        return prove(
            Theorem(
                id="mine.mean",
                where="ours",
                statement="",
                latex="",
                symbols=(),
                scalars=(s,),
                steps=(fact,),
                lhs=left,
                terms={"right": right},
                conclude=Expect("tangent", mean),
            )
        ).verdict

    assert made(1 + mean.of(s), mean.of(Exp(s))) is Verdict.PROVED
    assert made(1 + s, Exp(s)) is Verdict.UNKNOWN
    assert made(1 + mean.of(s), Exp(s)) is Verdict.UNKNOWN


def test_a_bound_of_a_mean_is_none_of_the_outcome() -> None:
    """E s ≤ 1 does not make 1 − s nonnegative."""
    mean = Operator("E", ("s",))
    bounds = {"in the mean": (le(mean.of(s), 1), Verdict.UNKNOWN)}
    bounds["always"] = le(s, 1), Verdict.PROVED
    for bound, wanted in bounds.values():
        made = Theorem(
            id="mine.outcome",
            where="ours",
            statement="",
            latex="",
            symbols=(n,),
            scalars=(s,),
            hypotheses=(Hypothesis("bound", "", bound),),
            lhs=(1 - s) ** n,
            terms={"right": Exp(-s * n)},
            conclude=by("decay", s, n, under=("bound",)),
        )
        assert prove(made).verdict is wanted


def test_vectors_stay_outside() -> None:
    u = vector("u")
    with pytest.raises(TheoryError):
        verdict(le(1 + dot(u, u), Exp(dot(u, u))), by("exp_tangent", 0, dot(u, u)))
