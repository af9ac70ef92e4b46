"""`nonnegative` and `undefined`: signs on a domain, and whether an expression means anything there.

Two engines, tried in this order: a polynomial in nonnegative symbols without a negative coefficient
is nonnegative; else z3 decides real arithmetic within its budget. Integers are treated as reals,
which covers them; so a counterexample of z3's need not be one, and nothing is refuted here.

No sign is looked at before it is shown that no denominator vanishes and that every root is one of
a nonnegative number: what holds wherever it is defined may say nothing, or a falsehood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import sympy
import z3
from sympy.core.function import AppliedUndef

from theory.errors import UnsupportedFormError
from theory.kernel.coefficients import any_index, no_negative_coefficient, plus_only
from theory.kernel.elementary import Exp, Log
from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.vectors import Gram, Scalar, Vector, squared
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, decide, have_model
from theory.verdicts import Verdict

RLIMIT: Final = 2_000_000
"""z3's budget for one sign, in its resource units."""

LONGEST: Final = 10_000
"""Bits of a number."""

WHOLE: Final = 10**6
"""The largest number with an exponent of symbols that is split into primes."""

Facts = tuple[Relation, ...]
Sign = Literal[">=", ">", "!="]


def nonnegative(
    expression: Scalar, facts: Sequence[Relation] = (), strict: bool = False
) -> Outcome:
    """Prove an expression at least 0, or above 0 where `strict`, given facts and domains.

    The domain is that of the symbols' own assumptions. The verdict is PROVED or UNKNOWN; it is
    UNKNOWN too where the expression or a fact is not shown to be defined.

    Examples
    --------
    >>> x, y = sympy.Symbol("x", positive=True), sympy.Symbol("y", real=True)
    >>> nonnegative(x**2 + 3 * x).note
    'no negative coefficient'
    >>> nonnegative((x - 1) ** 2 + y**2).verdict.name, nonnegative(x - 1).verdict.name
    ('PROVED', 'UNKNOWN')
    >>> nonnegative(1 / y**2).note
    'y != 0 is not shown'
    """
    sign: Sign = ">" if strict else ">="
    problem = undefined(expression, facts)
    if problem:
        says = f"{_text(expression)} {sign} 0"
        return Outcome("sign", says, Verdict.UNKNOWN, {}, problem, 0)
    return _decided(expression, sign, tuple(facts))


def undefined(one: Scalar | Vector | Relation, facts: Sequence[Relation] = ()) -> str:
    """Why something need not be an exact real number everywhere on the domain, or ``""``.

    A denominator must be shown to differ from 0, the base of a root to be at least 0, a sum to run
    over integers from its first to its last, symbols and functions to be real. The facts count as
    soon as they are shown to be defined themselves.

    Examples
    --------
    >>> x, y = sympy.Symbol("x", positive=True), sympy.Symbol("y", nonnegative=True)
    >>> undefined(1 / (x + y)), undefined(1 / y)
    ('', 'y != 0 is not shown')
    >>> undefined(sympy.sqrt(y - x)), undefined(sympy.I)
    ('-x + y >= 0 is not shown', 'I is no exact real expression')
    >>> undefined(1 / y, [Relation(x, "<=", y)])
    ''
    """
    known = tuple(facts)
    return _unsettled(known) or _missing(one, known)


@remembered
def _unsettled(facts: Facts) -> str:
    """Why a fact is not defined; what is shown to be defined may be used for the others."""
    known: Facts = ()
    waiting = facts
    while waiting:
        problems = {fact: _missing(fact, known) for fact in waiting}
        ready = tuple(fact for fact in waiting if not problems[fact])
        if not ready:
            return problems[waiting[0]]
        known += ready
        waiting = tuple(fact for fact in waiting if problems[fact])
    return ""


def _missing(one: Scalar | Vector | Relation, facts: Facts) -> str:
    if isinstance(one, Relation):
        return _hole(one.lhs, facts) or _hole(one.rhs, facts)
    if isinstance(one, Vector):
        return _first(_hole(sympy.sympify(factor), facts) for _, factor in one.terms)
    return _hole(sympy.sympify(one), facts)


@remembered
def _hole(node: Scalar, facts: Facts) -> str:
    """The first thing inside an expression that is not shown to be defined."""
    if not isinstance(node, sympy.Expr):
        return f"{node} is no exact real expression"
    if node.is_Rational or (facts and not _hole(node, ())):  # most need no facts: asked once
        return ""
    if node.is_Symbol or isinstance(node, (AppliedUndef, Gram)):
        return "" if node.is_real else f"{node} is not declared real"
    if isinstance(node, (sympy.Add, sympy.Mul, sympy.Max, sympy.Min, sympy.Abs)):
        return _first(_hole(part, facts) for part in node.args)
    if isinstance(node, Mean):
        return _hole(node.args[2], ())  # the facts may be about one outcome of many
    if isinstance(node, (Exp, Log)):
        problem = _hole(node.args[0], facts)
        if problem or isinstance(node, Exp) or _has_sign(node.args[0], ">", facts):
            return problem
        return f"{node.args[0]} > 0 is not shown"
    if isinstance(node, sympy.Sum):
        return _hole_in_sum(node, facts)
    if isinstance(node, sympy.Pow):
        if node.exp.has(sympy.Sum):
            return f"{node} has a sum for its exponent"
        problem = _hole(node.base, facts) or _hole(node.exp, facts)
        sign = _required(node.exp)
        if problem or sign is None or _has_sign(node.base, sign, facts):
            return problem
        return f"{node.base} {sign} 0 is not shown"
    return f"{node} is no exact real expression"


def _has_sign(base: Scalar, sign: Sign, facts: Facts) -> bool:
    """Whether the facts give a sign; those about nothing else do so whatever there is beside."""
    near = tuple(fact for fact in facts if fact.gap.free_symbols <= base.free_symbols)
    return any(
        _decided(base, sign, some).verdict is Verdict.PROVED
        for some in dict.fromkeys((near, facts))
    )


def _first(problems: Iterable[str]) -> str:
    return next((problem for problem in problems if problem), "")


def _required(exponent: Scalar) -> Sign | None:
    """What the base must be for a power to be a real number; None if any real will do."""
    if exponent.is_integer:
        return None if exponent.is_nonnegative else "!="
    return ">=" if exponent.is_positive else ">"


def _hole_in_sum(total: Any, facts: Facts) -> str:
    """A sum runs over integers, at least as many as none, and is defined at each of them.

    A sum from first down to last − 1 would be minus the sum of what lies between.
    """
    fresh: dict[Scalar, Scalar] = {}
    for index, *ends in total.limits[::-1]:
        if not all(end.is_integer for end in ends):
            return f"{total} does not run over integers"
        first, last = (end.subs(fresh) for end in ends)
        problem = _hole(first, facts) or _hole(last, facts)
        if problem:
            return problem
        if _decided(last - first + 1, ">=", facts).verdict is not Verdict.PROVED:
            return f"{last - first + 1} >= 0 is not shown, for a sum from {first} to {last}"
        fresh[index] = any_index(total, index, first)
        facts += (Relation(first, "<=", fresh[index]), Relation(fresh[index], "<=", last))
    return _hole(total.function.subs(fresh), facts)


@remembered
def _decided(expression: Scalar, sign: Sign, facts: Facts) -> Outcome:
    """The sign of an expression that is defined, under facts that are."""
    says = f"{_text(expression)} {sign} 0"
    if no_negative_coefficient(expression, strict=sign != ">="):
        return Outcome("sign", says, Verdict.PROVED, {}, "no negative coefficient", 0)
    if sign == ">=" and squared(expression):
        return Outcome("sign", says, Verdict.PROVED, {}, "a squared norm", 0)
    factors = sympy.Mul.make_args(expression)
    if len(factors) > 1 and all(_has_sign(one, sign, facts) for one in factors):
        return Outcome("sign", says, Verdict.PROVED, {}, "factor by factor", 0)
    if sign != "!=" and any(_is_above(expression, one, sign == ">") for one in facts):
        return Outcome("sign", says, Verdict.PROVED, {}, "no less than a fact says", 0)
    translator = Translator()
    try:
        value = translator.term(expression)
        given = [translator.fact(fact) for fact in facts]
    except UnsupportedFormError as error:
        return Outcome("sign", says, Verdict.UNKNOWN, {}, error.what, 0)
    goal = {">=": value >= 0, ">": value > 0, "!=": value != 0}[sign]
    hypotheses = (*given, *translator.domain())
    outcome = decide(Statement("sign", says, hypotheses, goal), RLIMIT)
    if outcome.verdict is Verdict.REFUTED:
        note = "not nonnegative on the whole domain as z3 reads it"
        return Outcome("sign", says, Verdict.UNKNOWN, {}, note, outcome.queries)
    return outcome


def _is_above(expression: Scalar, fact: Relation, strict: bool) -> bool:
    """Whether an expression is at least the gap of a fact, up to positive numbers, at a glance.

    Of what cannot be, such as η ≤ −1, nothing is concluded.
    """
    above = expression.primitive()[1] - fact.gap.primitive()[1]
    if not plus_only(above, strict):
        return False
    translator = Translator()
    try:
        said = translator.fact(fact)
    except UnsupportedFormError:
        return False
    asks = f"{fact} can be"
    return have_model((said, *translator.domain()), asks, RLIMIT) == "sat"


@lru_cache(maxsize=2**14)
def _text(form: Scalar) -> str:
    """What an expression reads."""
    return str(sympy.sstr(form))


def _number(node: Scalar) -> Any:
    """A rational number; z3 takes it as text, and Python writes no number of more digits."""
    if max(abs(int(node.p)), int(node.q)).bit_length() > LONGEST:
        raise UnsupportedFormError(
            f"numbers have at most {LONGEST} bits, found one that has more",
            "sign",
            "write it with a symbol, and bound that",
        )
    return z3.RatVal(int(node.p), int(node.q))


class Translator:
    """Sympy expressions as z3 reals; every atom that is no symbol becomes a real of its own.

    Parameters
    ----------
    numbers_for_vectors : bool
        Vectors are numbers, and inner products their products.
    """

    def __init__(self, numbers_for_vectors: bool = False) -> None:
        self._numbers = numbers_for_vectors
        self._terms: dict[Scalar, Any] = {}
        self._reals: dict[Scalar, Any] = {}
        self._roots: dict[tuple[Scalar, int], Any] = {}
        self._facts: list[Any] = []

    def term(self, node: Scalar) -> Any:
        """Translate; a denominator is asserted to differ from 0, which is for others to show.

        Raises
        ------
        UnsupportedFormError
            A number that is not rational or too long, or a power that is no root.
        """
        if node not in self._terms:
            self._terms[node] = self._term(node)
        return self._terms[node]

    def _term(self, node: Scalar) -> Any:
        if node.is_Rational:
            return _number(node)
        if node.is_Add:
            return z3.Sum([self.term(part) for part in node.args])
        if node.is_Mul:
            return z3.Product([self.term(part) for part in node.args])
        if node.is_Pow and node.exp.is_Integer:
            return self._power(self.term(node.base), int(node.exp))
        if node.is_Pow and node.exp.is_Rational:
            return self._power(self._root(node.base, int(node.exp.q)), int(node.exp.p))
        if isinstance(node, sympy.Max):
            return self._largest(node)
        if isinstance(node, sympy.Pow):
            return self._parts(node)
        if self._numbers and isinstance(node, Gram):
            return z3.Product([z3.Real(f"vector {name}") for name in node.names])
        if node.is_Symbol or node.is_Function or isinstance(node, sympy.Sum):
            return self._real(node)
        raise UnsupportedFormError(
            f"signs are decided of polynomials and roots, found {node}",
            "sign",
            "write it with symbols, rational numbers, sums, products and powers",
        )

    def _parts(self, node: Scalar) -> Any:
        """A power with a symbol in its exponent, as sympy would multiply it out: 4^(2n + 1)."""
        if node.base.is_Rational and node.base > 0 and max(node.base.p, node.base.q) <= WHOLE:
            primes = sympy.factorrat(node.base)
            if primes != {node.base: 1}:
                return z3.Product([self.term(one ** (node.exp * n)) for one, n in primes.items()])
        parts = sympy.expand(node, power_base=True, power_exp=True)
        if not parts.is_Pow:
            return self.term(parts)
        number, rest = parts.exp.as_coeff_Mul()
        one, degree = parts.base**rest, int(number.q)
        if number == 1 or not (parts.base.is_positive or (rest.is_integer and degree == 1)):
            return self._real(parts)
        root = self.term(one) if degree == 1 else self._root(one, degree)
        return self._power(root, int(number.p))

    def fact(self, relation: Relation) -> Any:
        """Translate a relation."""
        gap = self.term(relation.gap)
        return gap == 0 if relation.kind == "==" else gap >= 0

    def domain(self, whole: bool = False) -> tuple[Any, ...]:
        """What is known of the atoms so far: their assumptions, and what roots are.

        That integers are whole is told where it is asked for.
        """
        integers = [real for atom, real in self._reals.items() if whole and atom.is_integer]
        known = (fact for atom in self._reals for fact in self._known(atom))
        return (*self._facts, *known, *map(z3.IsInt, integers))

    def read(self, values: Mapping[str, Any]) -> dict[Scalar, Any]:
        """Values of z3's constants, by what they stand for."""
        names = {atom: str(real) for atom, real in self._reals.items()}
        return {atom: values[name] for atom, name in names.items() if name in values}

    def _known(self, atom: Scalar) -> Iterable[Any]:
        real = self._reals[atom]
        least = 1 if atom.is_integer else 0
        if atom.has(sympy.Sum):
            if isinstance(atom, sympy.Sum) and no_negative_coefficient(atom):
                yield real >= 0
        elif atom.is_positive:
            yield real >= 1 if least else real > 0
        elif atom.is_nonnegative:
            yield real >= 0

    def _real(self, atom: Scalar) -> Any:
        if atom.is_real is False:
            raise UnsupportedFormError(f"{atom} is not real", "sign", "declare it real")
        return self._reals.setdefault(atom, z3.Real(f"x{len(self._reals)}_{_text(atom)}"))

    def _largest(self, node: Scalar) -> Any:
        """A maximum: at least each of its arguments, and one of them."""
        if node not in self._reals:
            parts = [self.term(part) for part in node.args]
            largest = self._real(node)
            self._facts += [largest >= part for part in parts]
            self._facts.append(z3.Or([largest == part for part in parts]))
        return self._reals[node]

    def _power(self, base: Any, exponent: int) -> Any:
        if exponent >= 0:
            return z3.Product([base] * exponent) if exponent else z3.RatVal(1, 1)
        self._facts.append(base != 0)
        return 1 / z3.Product([base] * -exponent)

    def _root(self, base: Scalar, degree: int) -> Any:
        known = self._roots.get((base, degree))
        if known is not None:
            return known
        inside = self.term(base)
        # Names are told apart by their numbers: different expressions may be printed alike.
        root = z3.Real(f"root{degree}_{len(self._roots)}_{_text(base)}")
        self._roots[base, degree] = root
        self._facts += [root >= 0, z3.Product([root] * degree) == inside]
        return root
