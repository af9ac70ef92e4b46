"""Gaps as linear forms: coefficients are rational functions of some atoms, the rest are unknowns.

An atom is whatever a formula of the kernel is made of: a symbol, an inner product, a mean, a call
of a sequence, a sum, a root, a power with a symbolic exponent. Atoms that multiply others go into
the *field*; what is left of a formula is a linear form in monomials of the other atoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import prod
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef
from sympy.polys.fields import FracField

from theory.kernel.atoms import atoms
from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.means import Mean
from theory.kernel.normal import linear_sums
from theory.kernel.vectors import Gram, Scalar

Element = Any
"""A rational function, as sympy's `FracElement`; sympy ships no usable types."""

Monomial = tuple[int, ...]
"""Exponents of the atoms outside of the field."""
ABSENT: Final = "absent"
"""Begins what stands for a product of atoms that occurs nowhere, with the product itself."""

Form = Mapping[Monomial, Element]
"""Coefficients by monomial; the empty product has the constant."""


@dataclass
class Atoms:
    """The atoms of some formulas, and the formulas as rational functions of them.

    Attributes
    ----------
    nodes : list of sympy expressions
    roots : dict of int to (expression, int)
        Atoms that are roots: what is under them, and their degree.
    surds : list of sympy expressions
        Roots of numbers: they are numbers, not atoms.
    """

    nodes: list[Scalar] = field(default_factory=list)
    roots: dict[int, tuple[Scalar, int]] = field(default_factory=dict)
    surds: list[Scalar] = field(default_factory=list)

    @cached_property
    def whole(self) -> Any:
        """The field of rational functions of all atoms."""
        return FracField([f"a{number}" for number in range(len(self.nodes))], self.numbers)

    @cached_property
    def numbers(self) -> Any:
        """The field of the numbers that occur."""
        return sympy.QQ.algebraic_field(*self.surds) if self.surds else sympy.QQ

    def add(self, expression: Scalar) -> Scalar:
        """Note the atoms of an expression, and give back the form that `element` reads."""
        form = prepared(expression)
        self._visit(form, self._noted, lambda value: 0)
        return form

    def element(self, form: Scalar) -> Element:
        """A prepared form as a rational function of the atoms.

        Raises
        ------
        ValueError
            It has other atoms, such as H**n where (1 + 2/H)**n is one.
        """
        gens = self.whole.gens
        return self._visit(form, lambda node: gens[self.nodes.index(node)], self._constant)

    def _constant(self, value: Scalar) -> Element:
        return self.whole(self.numbers.from_sympy(value))

    def _noted(self, node: Scalar) -> int:
        self._number_of(node)
        return 0

    def _number_of(self, node: Scalar) -> int:
        if node not in self.nodes:
            self.nodes.append(node)
        return self.nodes.index(node)

    def _visit(self, node: Scalar, atom: Any, number: Any) -> Any:
        """Follow sums, products and powers; `atom` and `number` say what the leaves are."""
        if node.is_Rational:
            return number(node)
        if _is_surd(node):
            if node not in self.surds and "whole" not in vars(self):
                self.surds.append(node)
            return number(node)
        if node.is_Add or node.is_Mul:
            parts = [self._visit(part, atom, number) for part in node.args]
            return _joined(parts, bool(node.is_Add))
        if node.is_Pow:
            return self._power(node, atom, number)
        return atom(node)

    def _power(self, node: Scalar, atom: Any, number: Any) -> Any:
        base, exponent = node.base, node.exp
        if exponent.is_Integer:
            inside = self._visit(base, atom, number)
            return inside ** int(exponent) if inside or exponent > 0 else inside
        if exponent.is_Rational:
            degree = int(exponent.q)
            root = sympy.Pow(base, sympy.Rational(1, degree), evaluate=False)
            whole = atom(root)
            form = prepared(base)
            self._visit(form, atom, number)
            self.roots[self._number_of(root)] = form, degree
            return whole ** int(exponent.p) if whole or exponent.p > 0 else whole
        times, rest = exponent.as_coeff_Mul()
        if not times.is_Integer:
            times, rest = sympy.S.One, exponent
        inside = atom(sympy.Pow(base, rest, evaluate=False))
        return inside ** int(times) if inside or times > 0 else inside

    def expression(self, element: Element, numbers: Sequence[int]) -> Scalar:
        """A rational function of the atoms of these numbers as a sympy expression."""
        nodes = [self.nodes[number] for number in numbers]
        numerator, denominator = (
            _polynomial(part, nodes) for part in (element.numer, element.denom)
        )
        return _tidied(numerator, denominator)


def _joined(parts: Sequence[Any], is_sum: bool) -> Any:
    """A sum or a product in lowest terms, cancelled once and by what is below alone.

    Few atoms stand below, and a common factor is made of these: it divides every coefficient.
    """
    if isinstance(parts[0], int):
        return 0
    field = parts[0].field
    belows = dict.fromkeys(part.denom for part in parts)
    near = sorted({n for d in belows for n, degree in enumerate(d.degrees()) if degree > 0})
    if not near:
        above = (sum if is_sum else prod)(part.numer.quo_ground(part.denom.LC) for part in parts)
        return field.raw_new(above, field.ring.one)
    small = field.ring.clone(symbols=[field.symbols[n] for n in near])

    def inner(terms: Iterable[Any]) -> Any:
        return small.from_dict({tuple(powers[n] for n in near): c for powers, c in terms})

    def outer(one: Any) -> Any:
        whole = {}
        for powers, c in one.terms():
            at = dict(zip(near, powers, strict=True))
            whole[tuple(at.get(n, 0) for n in range(field.ring.ngens))] = c
        return field.ring.from_dict(whole)

    if is_sum:
        shares = {below: inner(below.terms()) for below in belows}
        common = reduce(lambda a, b: a.lcm(b), shares.values())
        times = {below: outer(common.exquo(share)) for below, share in shares.items()}
        above = sum(part.numer * times[part.denom] for part in parts)
    else:
        common = prod(inner(part.denom.terms()) for part in parts)
        above = prod(part.numer for part in parts)
    by_rest: dict[Any, list[Any]] = {}
    for powers, c in above.terms() if above else ():
        rest = tuple(0 if n in near else power for n, power in enumerate(powers))
        by_rest.setdefault(rest, []).append((powers, c))
    factor = reduce(lambda a, b: a.gcd(b), map(inner, by_rest.values()), common)
    return field.raw_new(
        above.exquo(outer(factor)).quo_ground(common.LC / factor.LC),
        outer(common.exquo(factor).monic()),
    )


def _is_surd(node: Scalar) -> bool:
    return bool(node.is_Pow and node.base.is_Rational and node.exp.is_Rational and node.is_real)


def prepared(expression: Scalar) -> Scalar:
    """Sums split by linearity, powers of products and sums in exponents taken apart."""
    return sympy.expand(
        linear_sums(sympy.sympify(expression)),
        power_base=True,
        power_exp=True,
        mul=False,
        multinomial=False,
    )


def _polynomial(part: Any, nodes: Sequence[Scalar]) -> Scalar:
    terms = (
        sympy.Mul(
            part.ring.domain.to_sympy(c),
            *(node**power for node, power in zip(nodes, powers, strict=True)),
        )
        for powers, c in part.terms()
    )
    return sympy.Add(*terms)


def _tidied(numerator: Scalar, denominator: Scalar) -> Scalar:
    """Factored where that is quick and shorter: a sign is then easier to see."""
    if max(map(len, map(sympy.Add.make_args, (numerator, denominator)))) == 1:
        return numerator / denominator
    expression = numerator / denominator
    if numerator.count_ops() > 400 or numerator.atoms(sympy.Function, sympy.Sum):
        return expression
    shorter = factored(expression)
    return shorter if shorter.count_ops() < expression.count_ops() else expression


def factored(form: Scalar) -> Scalar:
    """A form in factors, with powers such as (1 − a)ⁿ, of which no (−1)ⁿ is a factor.

    Examples
    --------
    >>> a, n = sympy.symbols("a n", positive=True)
    >>> factored(2 * a * (1 - a) ** n + 2 * (1 - a) ** n)
    2*(1 - a)**n*(a + 1)
    """
    powers = [one for one in atoms(form, sympy.Pow) if not one.exp.is_number]
    whole = {one: sympy.Dummy() for one in powers}
    back = {dummy: one for one, dummy in whole.items()}
    made = sympy.factor(sympy.sympify(form).xreplace(whole))
    return made.xreplace(back)


@dataclass(frozen=True)
class Split:
    """Atoms in the field and others, with formulas as linear forms.

    Attributes
    ----------
    atoms : Atoms
    inside, outside : tuple of int
        Numbers of the atoms in the field, and of the others.
    """

    atoms: Atoms
    inside: tuple[int, ...]
    outside: tuple[int, ...]

    @cached_property
    def field(self) -> Any:
        """Rational functions of the atoms inside."""
        return FracField([f"a{number}" for number in self.inside], self.atoms.numbers)

    @property
    def one(self) -> Monomial:
        """The empty product."""
        return (0,) * len(self.outside)

    def form(self, element: Element) -> Form | None:
        """The linear form of an element, or None if an atom outside stands under a line."""
        denominator = self._within(element.denom)
        if denominator is None:
            return None
        parts: dict[Monomial, dict[Any, Any]] = {}
        for powers, c in element.numer.terms():
            monomial = tuple(powers[number] for number in self.outside)
            inner = tuple(powers[number] for number in self.inside)
            parts.setdefault(monomial, {})[inner] = c
        ring = self.field.ring
        return {
            monomial: self.field(ring.from_dict(terms)) / denominator
            for monomial, terms in parts.items()
        }

    def _within(self, part: Any) -> Element | None:
        terms = dict(part.terms())
        if any(powers[number] for powers in terms for number in self.outside):
            return None
        inner = {tuple(p[number] for number in self.inside): c for p, c in terms.items()}
        return self.field(self.field.ring.from_dict(inner))

    def scalar(self, element: Element) -> Scalar:
        """An element of the field as a sympy expression."""
        return self.atoms.expression(element, self.inside)

    def product(self, monomial: Monomial) -> Scalar:
        """A monomial as a sympy expression."""
        if monomial[:1] == (ABSENT,):  # type: ignore[comparison-overlap]
            return monomial[1]
        pairs = zip(self.outside, monomial, strict=True)
        return sympy.Mul(*(self.atoms.nodes[number] ** power for number, power in pairs))

    def is_nonnegative(self, monomial: Monomial) -> bool:
        """Whether a monomial is at least 0 at a glance."""
        return no_negative_coefficient(self.product(monomial))


def conflicts(elements: Iterable[Element]) -> tuple[set[int], set[frozenset[int]]]:
    """Atoms that are not linear somewhere, and pairs of atoms that multiply one another."""
    alone: set[int] = set()
    pairs: set[frozenset[int]] = set()
    for element in elements:
        alone |= {n for powers, _ in element.denom.terms() for n, p in enumerate(powers) if p}
        for powers, _ in element.numer.terms():
            here = [number for number, power in enumerate(powers) if power]
            alone |= {number for number in here if powers[number] > 1}
            pairs |= {frozenset((a, b)) for a in here for b in here if a < b}
    return alone, pairs


def splits(
    atoms: Atoms,
    elements: Sequence[Element],
    equations: Sequence[Element],
    parameters: frozenset[Scalar],
) -> Iterator[Split]:
    """Ways to choose the field, simplest certificates first."""
    alone, pairs = conflicts(elements)
    under = {
        n for e in elements for powers, _ in e.denom.terms() for n, p in enumerate(powers) if p
    }
    constants = {
        number
        for number, node in enumerate(atoms.nodes)
        if node.free_symbols
        and node.free_symbols <= parameters
        and not node.has(sympy.Sum)
        and (not node.is_Function or isinstance(node, ELEMENTARY))
    }
    constants |= {n for n in atoms.roots if not atoms.nodes[n].has(Gram, Mean, AppliedUndef)}
    multiplied = {number for number in constants if any(number in pair for pair in pairs)}
    choices: tuple[set[int], ...] = (
        constants | under,
        constants | under | _cover(pairs, constants | alone | under, atoms),
        _cover(pairs, alone | under | multiplied, atoms),
        _cover(pairs, alone | under, atoms),
    )
    choices = (*choices, *(_closed(choice, equations, atoms) for choice in choices))
    everything = range(len(atoms.nodes))
    for inside in dict.fromkeys(tuple(sorted(choice)) for choice in choices):
        yield Split(atoms, inside, tuple(n for n in everything if n not in inside))


def _closed(chosen: set[int], equations: Sequence[Element], atoms: Atoms) -> set[int]:
    """Add what equations without vectors and means tie to the field."""
    tied = []
    for element in equations:
        numbers = {n for powers, _ in element.numer.terms() for n, p in enumerate(powers) if p}
        if not any(isinstance(atoms.nodes[n], (Gram, Mean)) for n in numbers):
            tied.append(numbers)
    chosen = set(chosen)
    while fresh := [numbers for numbers in tied if numbers & chosen and not numbers <= chosen]:
        chosen |= set().union(*fresh)
    return chosen


def _cover(pairs: set[frozenset[int]], chosen: set[int], atoms: Atoms) -> set[int]:
    """Add atoms until no two outside multiply one another; plain symbols are taken first."""
    chosen = set(chosen)
    while open_pairs := [pair for pair in pairs if not pair & chosen]:
        counts = {n: sum(n in pair for pair in open_pairs) for pair in open_pairs for n in pair}
        best = max(
            sorted(counts),
            key=lambda n: (atoms.nodes[n].is_Symbol, bool(atoms.nodes[n].is_positive), counts[n]),
        )
        chosen.add(best)
    return chosen
