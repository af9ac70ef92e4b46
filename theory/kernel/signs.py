"""`nonnegative`: whether an expression is at least 0 on a domain, proved or not.

Two engines, tried in this order: a polynomial in nonnegative symbols without a negative coefficient
is nonnegative; else z3 decides real arithmetic within its budget. Integers are treated as reals,
which covers them; so a counterexample of z3's need not be one, and nothing is refuted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import sympy
import z3

from theory.errors import UnsupportedFormError
from theory.kernel.relations import Relation
from theory.kernel.vectors import Gram, Scalar
from theory.solver import Outcome, Statement, decide
from theory.verdicts import Verdict

RLIMIT: Final = 2_000_000
"""z3's budget for one sign, in its resource units."""


def nonnegative(
    expression: Scalar, facts: Sequence[Relation] = (), strict: bool = False
) -> Outcome:
    """Prove an expression at least 0, or above 0 where `strict`, given facts and domains.

    The domain is that of the symbols' own assumptions. The verdict is PROVED or UNKNOWN.

    Examples
    --------
    >>> x, y = sympy.Symbol("x", positive=True), sympy.Symbol("y", real=True)
    >>> nonnegative(x**2 + 3 * x).note
    'no negative coefficient'
    >>> nonnegative((x - 1) ** 2 + y**2).verdict.name, nonnegative(x - 1).verdict.name
    ('PROVED', 'UNKNOWN')
    """
    says = f"{sympy.sstr(expression)} {'>' if strict else '>='} 0"
    if _by_coefficients(expression, strict):
        return Outcome("sign", says, Verdict.PROVED, {}, "no negative coefficient", 0)
    translator = Translator()
    try:
        value = translator.term(expression)
        given = [translator.fact(fact) for fact in facts]
    except UnsupportedFormError as error:
        return Outcome("sign", says, Verdict.UNKNOWN, {}, error.what, 0)
    goal = value > 0 if strict else value >= 0
    hypotheses = (*given, *translator.domain())
    outcome = decide(Statement("sign", says, hypotheses, goal), RLIMIT)
    if outcome.verdict is Verdict.REFUTED:
        note = "not nonnegative on the whole domain as z3 reads it"
        return Outcome("sign", says, Verdict.UNKNOWN, {}, note, outcome.queries)
    return outcome


def _by_coefficients(expression: Scalar, strict: bool) -> bool:
    """Numerator and denominator are sums of products of nonnegative things, plus signs only."""
    for part in sympy.fraction(sympy.together(sympy.expand(expression))):
        terms = sympy.Add.make_args(sympy.expand(part))
        if not all(_product(term) for term in terms):
            return False
        if strict and not any(_product(term, strict=True) for term in terms):
            return False
    return True


def _product(term: Scalar, strict: bool = False) -> bool:
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if not strict and isinstance(base, sympy.Sum) and _by_coefficients(base.function, False):
            continue
        even = exponent.is_Integer and exponent % 2 == 0 and base.is_real
        if strict and base.is_positive:
            continue
        if not strict and (base.is_nonnegative or even):
            continue
        return False
    return True


class Translator:
    """Sympy expressions as z3 reals; every atom that is no symbol becomes a real of its own.

    Parameters
    ----------
    numbers_for_vectors : bool
        Vectors are numbers, and inner products their products.
    """

    def __init__(self, numbers_for_vectors: bool = False) -> None:
        self._numbers = numbers_for_vectors
        self._reals: dict[Scalar, Any] = {}
        self._facts: list[Any] = []

    def term(self, node: Scalar) -> Any:
        """Translate; a denominator is asserted to differ from 0.

        Raises
        ------
        UnsupportedFormError
            A number that is not rational, or a power that is no root.
        """
        if node.is_Rational:
            return z3.RatVal(int(node.p), int(node.q))
        if node.is_Add:
            return z3.Sum([self.term(part) for part in node.args])
        if node.is_Mul:
            return z3.Product([self.term(part) for part in node.args])
        if node.is_Pow and node.exp.is_Integer:
            return self._power(self.term(node.base), int(node.exp))
        if node.is_Pow and node.exp.is_Rational:
            return self._power(self._root(node.base, int(node.exp.q)), int(node.exp.p))
        if self._numbers and isinstance(node, Gram):
            return z3.Product([z3.Real(f"vector {name}") for name in node.names])
        if node.is_Symbol or node.is_Function or isinstance(node, (sympy.Sum, sympy.Pow)):
            return self._real(node)
        raise UnsupportedFormError(
            f"signs are decided of polynomials and roots, found {node}",
            "sign",
            "write it with symbols, rational numbers, sums, products and powers",
        )

    def fact(self, relation: Relation) -> Any:
        """Translate a relation."""
        gap = self.term(relation.gap)
        return gap == 0 if relation.kind == "==" else gap >= 0

    def domain(self) -> tuple[Any, ...]:
        """What is known of the atoms so far: their assumptions, and what roots are."""
        return (*self._facts, *(fact for atom in self._reals for fact in self._known(atom)))

    def _known(self, atom: Scalar) -> Iterable[Any]:
        real = self._reals[atom]
        least = 1 if atom.is_integer else 0
        if atom.is_positive:
            yield real >= 1 if least else real > 0
        elif atom.is_nonnegative:
            yield real >= 0

    def _real(self, atom: Scalar) -> Any:
        if atom.is_real is False:
            raise UnsupportedFormError(f"{atom} is not real", "sign", "declare it real")
        return self._reals.setdefault(atom, z3.Real(f"x{len(self._reals)}_{atom}"))

    def _power(self, base: Any, exponent: int) -> Any:
        if exponent >= 0:
            return z3.Product([base] * exponent) if exponent else z3.RatVal(1, 1)
        self._facts.append(base != 0)
        return 1 / z3.Product([base] * -exponent)

    def _root(self, base: Scalar, degree: int) -> Any:
        inside = self.term(base)
        root = z3.Real(f"root{degree}_{base}")
        self._facts += [root >= 0, z3.Product([root] * degree) == inside]
        return root
