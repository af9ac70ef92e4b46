"""A false theorem that terms taken out of a sum would prove, if inner sums captured its ends."""

from __future__ import annotations

import sympy

from theory.kernel import Cite, ClosedSum, Combine, Split, Step, Theorem, eq, prove
from theory.verdicts import Verdict

t, k, T = (sympy.Symbol(name, integer=True, nonnegative=True) for name in "tkT")
ONE = sympy.Sum(k, (k, 0, 1))
SQUARE = sympy.Sum(k**2, (k, 0, 1))


def closed(name: str, term: sympy.Expr, value: sympy.Expr) -> Theorem:
    return Theorem(
        id=name,
        where="ours",
        statement="",
        latex="",
        symbols=(T,),
        lhs=sympy.Sum(term, (k, 0, T - 1)),
        kind="==",
        terms={"closed": value},
        conclude=ClosedSum(k, T),
    )


SUM = closed("x.sum", k, T * (T - 1) / 2)
SQUARES = closed("x.squares", k**2, (T - 1) * T * (2 * T - 1) / 6)


def every_k_is_1() -> Theorem:
    """Σ_{t=k}^{k} (1 + Σ_k kt) is 1 + k, but with t = k put into the inner sum 1 + Σ_k k²."""
    inner = 1 + sympy.Sum(k * t, (k, 0, 1))
    whole, plain = sympy.Sum(inner, (t, k, k)), sympy.Sum(t, (t, k, k))
    wrong = inner.subs(t, k) + sympy.Sum(inner, (t, k + 1, k))
    two = {T: sympy.Integer(2)}
    return Theorem(
        id="x.one",
        where="ours",
        statement="every k is 1",
        latex="",
        symbols=(k,),
        lhs=k,
        kind="==",
        terms={"one": sympy.Integer(1)},
        cites=(SUM, SQUARES),
        steps=(
            Step("first term", eq(whole, wrong), Split(t, first=1)),
            Step("plain", eq(plain, k + sympy.Sum(t, (t, k + 1, k))), Split(t, first=1)),
            Step("sum", eq(ONE, 1), Cite("x.sum", two)),
            Step("squares", eq(SQUARE, 1), Cite("x.squares", two)),
        ),
        conclude=Combine({"first term": 1, "plain": -ONE, "sum": -k, "squares": 1}),
    )


def test_not_every_k_is_1() -> None:
    assert prove(every_k_is_1()).verdict is Verdict.UNKNOWN


def test_what_it_rests_on_is_right() -> None:
    """Only the split is false: at k = 3 the term is 1 + 3·1, and with the capture 1 + 1."""
    assert prove(SUM).verdict is prove(SQUARES).verdict is Verdict.PROVED
    assert (3 * ONE.doit(), SQUARE.doit()) == (3, 1)
