"""What is shown of a formula is worth what its text is worth."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy
from hypothesis import given
from hypothesis import strategies as st

from reports.formulas import as_latex, as_mathml, as_text, read
from reports.formulas.tree import Call, Norm, Number, Power, Product, Symbol, Total
from tests.printed import formula

SCALARS = {"a": Fraction(3, 2), "b": Fraction(5), "c": Fraction(7, 3)}
VECTORS = {"x": (2, 3, 5), "y": (7, -11, 13), "z": (-17, 19, 23)}
FACTORS = st.sampled_from(["1", "2", "3", "a", "b", "2*a", "a*b", "b*c"])


def _dot(left: Any, right: Any) -> Fraction:
    return sum((Fraction(u) * v for u, v in zip(left, right, strict=True)), Fraction())


def _value(node: Any) -> Any:
    """The tree as a number, or as a vector inside a length."""
    match node:
        case Number(text):
            return Fraction(text)
        case Symbol(name):
            return SCALARS.get(name) or VECTORS[name]
        case Call("dot", (left, right)):
            return _dot(_value(left), _value(right))
        case Norm(inside):
            return _dot(_value(inside), _value(inside))
        case Power(base, exponent):
            return _value(base) ** int(_value(exponent))
        case Product(above, below):
            found: Any = Fraction(1)
            for factor in map(_value, above):
                found = _scaled(found, factor)
            for factor in map(_value, below):
                found = _scaled(found, 1 / factor)
            return found
        case Total(terms):
            parts = [_scaled(Fraction(-1 if minus else 1), _value(term)) for minus, term in terms]
            if isinstance(parts[0], tuple):
                return tuple(map(sum, zip(*parts, strict=True)))
            return sum(parts)
    raise AssertionError(node)


def _scaled(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, tuple):
            return tuple(other * entry for entry in one)
    return left * right


@st.composite
def squares(draw: st.DrawFn) -> str:
    """A multiple of ‖u x + v y + w z‖², multiplied out, in any order, with something beside it."""
    lead = draw(FACTORS)
    names = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True))
    factors = {name: (draw(st.sampled_from("+-")), draw(FACTORS)) for name in names}
    terms = []
    for index, left in enumerate(names):
        for right in names[index:]:
            sign = "+" if factors[left][0] == factors[right][0] else "-"
            twice = "" if left == right else "2*"
            terms.append(
                f"{sign} {twice}{lead}*{factors[left][1]}*{factors[right][1]}*dot({left}, {right})"
            )
    if draw(st.booleans()):
        terms.append("+ dot(x, y)" if draw(st.booleans()) else "- 3*a")
    return " ".join(draw(st.permutations(terms)))


@given(squares())
def test_gathered_squares_keep_their_value(text: str) -> None:
    """The value of the tree is that of the text."""
    assert _value(read(text)) == eval(text, {"dot": _dot, **SCALARS, **VECTORS})


@st.composite
def conditions(draw: st.DrawFn, depth: int) -> str:
    """A relation of small formulas, or some of them joined, each in brackets as sympy has them."""
    if depth and draw(st.booleans()):
        sign = draw(st.sampled_from("&|"))
        parts = draw(st.lists(conditions(depth - 1), min_size=2, max_size=3))
        return f" {sign} ".join(f"({part})" for part in parts)
    if depth and draw(st.booleans()):
        return f"~({draw(conditions(depth - 1))})"
    sign = draw(st.sampled_from(["<", "<=", ">", ">="]))
    return f"{draw(sums(0))} {sign} {draw(sums(0))}"


@st.composite
def sums(draw: st.DrawFn, depth: int) -> str:
    """Sums of products, quotients, roundings and cases in each other, as sympy writes them."""
    if not depth:
        return draw(st.sampled_from(["1", "3", "p", "i", "2*p", "p - 2", "3 - i"]))
    inner = sums(depth - 1)
    match draw(st.sampled_from(["sum", "product", "quotient", "rounded", "most", "cases", "call"])):
        case "sum":
            return f"({draw(inner)}) {draw(st.sampled_from('+-'))} ({draw(inner)})"
        case "product":
            return f"({draw(inner)})*({draw(inner)})"
        case "quotient":
            return f"({draw(inner)})/{draw(st.sampled_from(['2', '3']))}"
        case "rounded":
            return f"{draw(st.sampled_from(['floor', 'ceiling']))}({draw(inner)})"
        case "most":
            return f"{draw(st.sampled_from(['Max', 'Min']))}({draw(inner)}, {draw(inner)})"
        case "call":
            return f"c({draw(inner)})"
        case _:
            when = draw(conditions(2))
            return f"Piecewise(({draw(inner)}, {when}), ({draw(inner)}, True))"


@given(sums(3), st.integers(-3, 7), st.integers(-3, 7))
def test_a_line_for_people_keeps_the_value_of_its_formula(text: str, p: int, i: int) -> None:
    """Cases, sums and roundings in each other: brackets stand where a reader needs them."""
    names = {"p": p, "i": i, "c": lambda n: 5 - 2 * n}
    numbers = {"p": sympy.Integer(p), "i": sympy.Integer(i)}
    assert formula(as_text(text))(names) == sympy.sympify(text, locals={**names, **numbers})


def test_what_is_no_square_stays_as_it_is() -> None:
    """One wrong coefficient, and nothing is put together."""
    assert as_text("dot(x, x) - 2*dot(x, y) + dot(y, y)") == "‖x − y‖²"
    assert as_text("dot(x, x) - 3*dot(x, y) + dot(y, y)") == "‖x‖² + ‖y‖² − 3⟨x, y⟩"
    assert as_text("dot(x, x) - 2*dot(x, y) - dot(y, y)") == "‖x‖² − 2⟨x, y⟩ − ‖y‖²"


def test_what_is_no_formula_is_said_to_be_none() -> None:
    """Each is shown as it stands."""
    for text in ("a +", "f(x", "a $ b", "", "\\input{x}", "(" * 99 + "a" + ")" * 99):
        assert as_latex(text) is None
        assert as_mathml(text) is None
        assert as_text(text) == text
