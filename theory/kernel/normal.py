"""`is_zero`: whether an expression vanishes identically, exactly.

Sums are expanded by linearity, powers with symbolic exponents and square roots become generators,
and what is left is split by the inner products in it: what stands by each is a rational function,
whose numerator is expanded. An expression that is not brought to zero is not said to differ from
zero: the answer is then only "not shown".
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import sympy
from sympy import QQ
from sympy.polys.rings import PolyRing

from theory.kernel.atoms import atoms
from theory.kernel.means import Mean
from theory.kernel.residues import Residues
from theory.kernel.vectors import Gram, Scalar

Roots = dict[Scalar, tuple[Scalar, int]]
"""A generator that is a root: what of, and of which degree."""


@lru_cache(maxsize=2**14)
def is_zero(expression: Scalar) -> bool:
    """Whether an expression is shown to vanish wherever it is defined.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> is_zero((x + y) ** 2 - x**2 - 2 * x * y - y**2), is_zero(x - y)
    (True, False)
    >>> is_zero(sympy.sqrt(x / y) * y - sympy.sqrt(x * y))
    True
    >>> k, K = sympy.symbols("k K", integer=True)
    >>> s = sympy.Function("s")
    >>> is_zero(sympy.Sum(2 * s(k) + 1, (k, 1, K)) - 2 * sympy.Sum(s(k), (k, 1, K)) - K)
    True
    """
    summed = linear_sums(sympy.sympify(expression))
    if Residues().of(summed):  # quick, and settles most cases
        return False
    form, roots, products = _generators(summed)
    within = any(products & base.free_symbols for base, _ in roots.values())  # ‖v‖ = √⟨v, v⟩
    parts = [form] if within else _split_by(products, form)
    return all(_reduced(sympy.fraction(sympy.together(one))[0], roots) == 0 for one in parts)


def linear_sums(expression: Scalar) -> Scalar:
    """Expand sums: one sum a term, without factors that do not depend on its index."""
    while True:
        sums = atoms(expression, sympy.Sum)
        fresh = {one: _split(one) for one in sums}
        changed = {one: form for one, form in fresh.items() if form != one}
        if not changed:
            return expression
        expression = expression.xreplace(changed)


def _split(one: Any) -> Scalar:
    """A sum over one or more indices by linearity; a constant is counted."""
    *outer, (index, first, last) = [tuple(limit) for limit in one.limits[::-1]]
    terms = []
    for term in sympy.Add.make_args(sympy.expand(one.function)):
        term = sympy.factor_terms(term)  # 1/(2k + 2) is half of 1/(k + 1)
        free, bound = term.as_independent(index, as_Add=False)
        count = last - first + 1 if bound == 1 else sympy.Sum(bound, (index, first, last))
        terms.append(free * count)
    inner = sympy.Add(*terms)
    return sympy.Sum(inner, *outer[::-1]) if outer else inner


def _generators(expression: Scalar) -> tuple[Scalar, Roots, frozenset[Scalar]]:
    """Rational function over generators; which are roots, and which inner products or means.

    Functions, sums and symbolic powers become generators; a power b**(q·K) becomes one of b**K.
    """
    form = sympy.expand(expression, power_base=True, power_exp=True, mul=False, multinomial=False)
    roots: Roots = {}
    names: dict[Scalar, Scalar] = {}

    def visit(node: Scalar) -> Scalar:
        if node.is_Number or node.is_Symbol:
            return node
        if node.is_Add or node.is_Mul:
            return node.func(*(visit(part) for part in node.args))
        if node.is_Pow:
            base, exponent = visit(node.base), node.exp
            if exponent.is_Integer:
                return base**exponent
            if exponent.is_Rational:
                return root(base, int(exponent.q)) ** int(exponent.p)
            return generator(sympy.Pow(base, exponent, evaluate=False))
        return generator(node)

    def generator(node: Scalar) -> Scalar:
        return names.setdefault(node, sympy.Dummy("g"))

    def root(base: Scalar, degree: int) -> Scalar:
        found = generator(sympy.Pow(base, sympy.Rational(1, degree), evaluate=False))
        roots[found] = (base, degree)
        return found

    rational = visit(form)
    return rational, roots, frozenset(g for node, g in names.items() if node.func in (Gram, Mean))


def _split_by(products: frozenset[Scalar], form: Scalar) -> list[Scalar]:
    """What stands by each of these and by none; the whole form, where it is not linear in them."""
    parts: dict[Scalar, list[Scalar]] = {}
    waiting = [(sympy.S.One, form)]
    while waiting:
        factor, rest = waiting.pop()
        factors = sympy.Mul.make_args(rest)
        inside = [one for one in factors if products & one.free_symbols]
        by = inside[0] if inside else sympy.S.One
        if len(inside) > 1 or not (by.is_Add or by in products or by == 1):
            return [form]
        apart = sympy.Mul(factor, *(one for one in factors if one not in inside))
        if by.is_Add:
            waiting += [(apart, term) for term in by.args]
        else:
            parts.setdefault(by, []).append(apart)
    return [sympy.Add(*terms) for terms in parts.values()]


def _reduced(numerator: Scalar, roots: Roots) -> Any:
    """Expand, with every root to a power below its degree."""
    if not roots:  # much faster than `expand`, and as exact
        return PolyRing(tuple(numerator.free_symbols), QQ).from_expr(numerator)
    form = sympy.expand(numerator)
    while True:
        high = {
            (generator, power.exp)
            for generator, power in product(roots, atoms(form, sympy.Pow))
            if power.base == generator and power.exp >= roots[generator][1]
        }
        if not high:
            return form
        generator, exponent = min(high, key=str)
        base, degree = roots[generator]
        whole, rest = divmod(int(exponent), degree)
        form = form.xreplace({generator**exponent: base**whole * generator**rest})
        numerator, _ = sympy.fraction(sympy.together(form))
        form = sympy.expand(numerator)
