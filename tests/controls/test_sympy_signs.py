"""What sympy 1.14 says wrongly of signs and whole numbers, and what was proved by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from tests.certified import certified, claim_of, written
from theory.judging.judge import judge
from theory.kernel import cautious_sympy
from theory.verdicts import Verdict

m, n = sympy.symbols("m n", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
a = sympy.Symbol("a", positive=True)
g = sympy.Symbol("g", negative=True)
half = sympy.Rational(1, 2)

s = sympy.Symbol("s", positive=True)
WRONG: Final = {
    "(S(3)/2)**s - 2": "is_nonzero",
    "Abs((S(3)/2)**s - 2)": "is_positive",
    "(k + sqrt(2))**2 - 2": "is_nonzero",
    "6/(2*k + 3) - 2": "is_nonzero",
    "Abs((-s)**(k/2) - 1)": "is_positive",
    "1/(m*n) - 1/2": "is_positive",
    "1/(m + n) - 1/3": "is_positive",
    "1/2 - 1/(m*n)": "is_negative",
    "2**n/6": "is_integer",
    "3*6**n*m/10": "is_integer",
}
"""By formula, what sympy alone says of it, and what is false of some m and n."""


@pytest.mark.parametrize("form", WRONG)
def test_what_is_not_so_is_not_said(form: str) -> None:
    one = sympy.sympify(form, {"m": m, "n": n, "k": k, "s": s})
    assert getattr(one, WRONG[form]) is None


def test_sympy_alone_says_it_still() -> None:
    """Once it says none of it, `theory.kernel.cautious_sympy` can go."""
    asked = "; ".join(f"print(({form}).{said})" for form, said in WRONG.items())
    code = f"""
import sympy
from sympy import Abs, S, sqrt
m, n = sympy.symbols('m n', integer=True, positive=True)
k, s = sympy.Symbol('k', integer=True, nonnegative=True), sympy.Symbol('s', positive=True)
{asked}
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(said.stdout.split()) == {"True"}
    assert cautious_sympy.__doc__


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (n - 1, "is_nonnegative"),
        (m * n - 1, "is_nonnegative"),
        (k + 1, "is_positive"),
        (n * (n + 1), "is_integer"),
        (2**k * n, "is_integer"),
        (1 / (k + 1), "is_positive"),
        (a + half, "is_positive"),
    ],
    ids=str,
)
def test_what_is_so_is_said_as_before(form: sympy.Expr, said: str) -> None:
    assert getattr(form, said)


def test_what_stops_sympy_does_not_stop_here() -> None:
    small = sympy.Min(1, sympy.Symbol("u", nonnegative=True), half**-n)
    assert small.has(sympy.Min)


SYMBOLS: Final[dict[Any, st.SearchStrategy[Any]]] = {
    m: st.integers(1, 7),
    n: st.integers(1, 7),
    k: st.integers(0, 6),
    a: st.fractions(Fraction(1, 9), 9),
    g: st.fractions(-9, Fraction(-1, 9)),
}
SAID: Final[dict[str, Callable[[Fraction], bool]]] = {
    "positive": lambda value: value > 0,
    "negative": lambda value: value < 0,
    "nonnegative": lambda value: value >= 0,
    "nonpositive": lambda value: value <= 0,
    "zero": lambda value: value == 0,
    "integer": lambda value: value.denominator == 1,
}


@st.composite
def monomials(draw: st.DrawFn) -> sympy.Expr:
    factor = sympy.Rational(draw(st.integers(-3, 3).filter(bool)), draw(st.integers(1, 3)))
    powers = [symbol ** draw(st.sampled_from([-2, -1, 0, 1, 2])) for symbol in (m, n, k + 1, a, g)]
    base = draw(st.sampled_from([1, 2, 3, 6, half]))
    return factor * sympy.Mul(*powers) * base ** draw(st.sampled_from([n, k]))


@given(
    st.lists(monomials(), min_size=1, max_size=3),
    st.fractions(-3, 3, max_denominator=4),
    st.fixed_dictionaries(SYMBOLS),
)
def test_what_is_said_holds_at_every_point(
    terms: list[sympy.Expr], more: Fraction, at: dict[Any, Any]
) -> None:
    form = sympy.Add(*terms, sympy.Rational(more.numerator, more.denominator))
    value = form.subs({one: sympy.Rational(Fraction(v).numerator, Fraction(v).denominator)
                       for one, v in at.items()})  # fmt: skip
    exact = Fraction(int(value.p), int(value.q))
    for word, holds in SAID.items():
        assert getattr(form, f"is_{word}") in (None, holds(exact)), (form, word, exact)


HEAD: Final = """\
import sympy
from theory.kernel import Combine
from theory.notation import *

(m, n, p), (k, K) = count("m n p"), (index("k"), count("K"))
x, t = vector("x"), nonnegative("t")
z = 1 / (m * n) - Rational(1, 2)
T = theorem("mine.signs")
"""
FALSE: Final = {
    "power": "CLAIM = T.shows(0 <= z**p)",  # -1/4 at m = n = 2, p = 1
    "root": "CLAIM = T.shows(sqrt(z**2) <= z)",
    "sequence": """
T.iterate(x, x / 2, k)
D = T.sequence("D", z * x**2)
CLAIM = T.shows(0 <= total(D(k), k, K))
""",
    "first ratio": """
A = T.sequence("A", nonnegative=True)
T.assume(A(k + 1) <= (k - z) * A(k))
CLAIM = T.shows(A(n) <= 0)
""",
    "never 0": """
a, s = real("a"), positive("s")
size = abs(Rational(3, 2) ** s - 2)
near = T.assume(a * size <= 0)
CLAIM = T.shows(a <= 0, by=Combine({near: 1 / size}))
""",
    "no integer": "CLAIM = T.shows(k + sympy.Integer(0) ** abs(6 / (2 * k + 3) - 2) <= k)",
    "nothing to a power": """
s = positive("s")
CLAIM = T.shows(sympy.Integer(0) ** ((Rational(3, 2) ** s - 2) ** 2) + s <= s)
""",
    "bernoulli": "CLAIM = T.shows(1 + 2**n * t / 6 <= (1 + t) ** (2**n / 6))",  # n = 1, t = 7
}


@pytest.mark.parametrize("name", FALSE)
def test_false_by_a_sign_that_sympy_guessed(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + FALSE[name], "signs.py")
    certified(path)
    assert judge(claim_of(path)).verdict is not Verdict.PROVED
