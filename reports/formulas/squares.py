"""Putting a multiplied-out square of vectors together: x·x − 2 x·y + y·y is ‖x − y‖²."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from reports.formulas.tree import Call, Node, Norm, Number, Power, Product, Total


@dataclass(frozen=True)
class _Term:
    """A number times powers of what is no number, times an inner product."""

    number: Fraction
    powers: tuple[tuple[Node, int], ...]
    vectors: tuple[Node, Node]


def gathered(total: Total) -> Node:
    """The same sum, its inner products put into squares of lengths where they are such.

    The terms that share vectors have to be a square exactly; else they stay as they are.

    Examples
    --------
    >>> from reports.formulas import as_text
    >>> as_text("2*dot(x, x) + 4*dot(x, y) + 2*dot(y, y) + a"), as_text("dot(x, x) + dot(x, y)")
    ('2‖x + y‖² + a', '‖x‖² + ⟨x, y⟩')
    """
    terms = [(_term(minus, node), minus, node) for minus, node in total.terms]
    found: list[tuple[bool, Node]] = []
    done: set[int] = set()
    for index, (term, minus, node) in enumerate(terms):
        if index in done:
            continue
        group = _sharing(index, [one for one, _, _ in terms]) - done if term else set()
        square = _square([one for i in sorted(group) if (one := terms[i][0])]) if group else None
        if square is None:
            found.append((minus, _single(node)))
        else:
            done |= group
            found.append(square)
    if len(found) == 1 and not found[0][0]:
        return found[0][1]
    return Total(tuple(found))


def _single(node: Node) -> Node:
    """Lengths of single vectors inside a product."""
    if isinstance(node, Call) and node.name == "dot" and node.arguments[0] == node.arguments[1]:
        return Norm(node.arguments[0])
    if isinstance(node, Product):
        return Product(tuple(map(_single, node.above)), node.below)
    return node


def _term(minus: bool, node: Node) -> _Term | None:
    """The parts of a term with one inner product."""
    above, below = (node.above, node.below) if isinstance(node, Product) else ((node,), ())
    number, powers, dots = Fraction(-1 if minus else 1), Counter[Node](), []
    for factors, sign in ((above, 1), (below, -1)):
        for factor in factors:
            base, exponent = _based(factor)
            if isinstance(factor, Call) and factor.name == "dot" and sign > 0:
                dots.append(factor.arguments)
            elif isinstance(factor, Norm) and sign > 0:
                dots.append((factor.inside, factor.inside))
            elif isinstance(base, Number) and base.text.isdigit() and int(base.text):
                number *= Fraction(int(base.text)) ** (sign * exponent)
            else:
                powers[base] += sign * exponent
    if len(dots) != 1 or len(dots[0]) != 2:
        return None
    left, right = dots[0]
    kept = tuple((base, power) for base, power in powers.items() if power)
    return _Term(number, kept, (left, right))


def _based(node: Node) -> tuple[Node, int]:
    if (
        isinstance(node, Power)
        and isinstance(node.exponent, Number)
        and node.exponent.text.isdigit()
    ):
        return node.base, int(node.exponent.text)
    return node, 1


def _sharing(start: int, terms: list[_Term | None]) -> set[int]:
    """Terms that hang together with one by the vectors in them."""
    vectors, group = (
        {one for term in terms[start : start + 1] if term for one in term.vectors},
        {start},
    )
    while True:
        more = {
            index
            for index, term in enumerate(terms)
            if index not in group and term and vectors.intersection(term.vectors)
        }
        if not more:
            return group
        group |= more
        vectors |= {one for i in more if (term := terms[i]) for one in term.vectors}


def _square(terms: list[_Term]) -> tuple[bool, Node] | None:
    """These terms as a factor times one square, or None; the check is exact."""
    diagonal = {term.vectors[0]: term for term in terms if term.vectors[0] == term.vectors[1]}
    vectors = list(dict.fromkeys(vector for term in terms for vector in term.vectors))
    size = len(vectors)
    if len(diagonal) != size or len(terms) != size * (size + 1) // 2:
        return None
    tried = (_roots(terms, vectors, diagonal, diagonal[vector]) for vector in vectors)
    found = [one for one in tried if one is not None]
    if not found:
        return None
    lead, roots = min(found, key=lambda one: sum(_weight(root) for root in one[1].values()))
    inside = tuple(
        (roots[vector][0] < 0, _times(abs(roots[vector][0]), roots[vector][1], vector))
        for vector in vectors
    )
    content: Node = inside[0][1] if size == 1 else Total(inside)
    return lead.number < 0, _times(abs(lead.number), dict(lead.powers), Norm(content))


_Root = tuple[Fraction, dict[Node, int]]


def _weight(root: _Root) -> int:
    """How much of a fraction a factor is."""
    return root[0].denominator - 1 + sum(2 for power in root[1].values() if power < 0)


def _roots(
    terms: list[_Term], vectors: list[Node], diagonal: dict[Node, _Term], lead: _Term
) -> tuple[_Term, dict[Node, _Root]] | None:
    """What each vector is multiplied by inside the square that `lead` stands before."""
    roots: dict[Node, _Root] = {}
    for vector in vectors:
        root = _root(_over(diagonal[vector], lead))
        if root is None:
            return None
        roots[vector] = root
    for term in terms:
        left, right = term.vectors
        if vectors[0] in (left, right) and left != right and _over(term, lead)[0] < 0:
            other = right if left == vectors[0] else left
            roots[other] = (-roots[other][0], roots[other][1])
    return (lead, roots) if all(_fits(term, lead, roots) for term in terms) else None


def _fits(term: _Term, lead: _Term, roots: dict[Node, _Root]) -> bool:
    left, right = term.vectors
    number, powers = _over(term, lead)
    both = Counter(roots[left][1])
    both.update(roots[right][1])
    factor = 1 if left == right else 2
    same = powers == {base: power for base, power in both.items() if power}
    return same and number == factor * roots[left][0] * roots[right][0]


def _over(term: _Term, lead: _Term) -> _Root:
    powers = Counter(dict(term.powers))
    powers.subtract(dict(lead.powers))
    return term.number / lead.number, {base: power for base, power in powers.items() if power}


def _root(value: _Root) -> _Root | None:
    number, powers = value
    if number <= 0 or any(power % 2 for power in powers.values()):
        return None
    above, below = isqrt(number.numerator), isqrt(number.denominator)
    if above**2 != number.numerator or below**2 != number.denominator:
        return None
    return Fraction(above, below), {base: power // 2 for base, power in powers.items()}


def _times(number: Fraction, powers: dict[Node, int], last: Node) -> Node:
    """A product, without factors that are 1."""
    above: list[Node] = [] if number.numerator == 1 else [Number(str(number.numerator))]
    below: list[Node] = [] if number.denominator == 1 else [Number(str(number.denominator))]
    for base, power in powers.items():
        size = abs(power)
        factor = base if size == 1 else Power(base, Number(str(size)))
        (above if power > 0 else below).append(factor)
    above.append(last)
    return above[0] if len(above) == 1 and not below else Product(tuple(above), tuple(below))
