"""Products of whole numbers as symbols of their own: what has no model then has none at all.

A question about sizes that are multiplied is most often linear once products that it names itself
are compared, and z3 answers that in no time. With products as numbers that could be anything it
has more models, so only "unsat" says something of the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

import z3

_MARK = "·"
"""Begins the names of products, and no other."""


_PLAIN, _PRODUCTS, _OTHER = range(3)
_KINDS: Final[dict[int, tuple[int, Any]]] = {}
"""What is known of terms by their numbers, with the terms, so that the numbers stay their own."""


def _kind(term: Any) -> int:
    """Whether a term has products, or something besides products of a few whole numbers."""
    known = _KINDS.get(term.get_id())
    if known is None:
        known = _KINDS[term.get_id()] = _found(term), term
    return known[0]


def _found(term: Any) -> int:
    if not z3.is_app(term):
        return _OTHER
    parts = term.children()
    if not parts:
        return _OTHER if z3.is_real(term) or str(term).startswith(_MARK) else _PLAIN
    head = term.decl().kind()
    if head == z3.Z3_OP_TO_REAL:
        return _OTHER
    several = head == z3.Z3_OP_MUL and sum(not z3.is_int_value(one) for one in parts) > 1
    return max(_PRODUCTS if several else _PLAIN, *map(_kind, parts))


class _Naming:
    """Terms with a symbol for every product."""

    def __init__(self) -> None:
        self.products: dict[tuple[Any, ...], Any] = {}
        self._known: dict[int, tuple[Any, Any]] = {}

    def of(self, term: Any) -> Any:
        """A term, in sums and products of which products are named."""
        if _kind(term) == _PLAIN:
            return term
        known = self._known.get(term.get_id())
        if known is None:
            known = term, self._of(term)  # the term too, so that its number stays its own
            self._known[term.get_id()] = known
        return known[1]

    def _of(self, term: Any) -> Any:
        if term.decl().kind() in (z3.Z3_OP_MUL, z3.Z3_OP_ADD, z3.Z3_OP_SUB):
            term = z3.simplify(term, som=True)
        parts = term.children()
        if z3.is_mul(term):
            return self._product(parts)
        if not parts:
            return term
        inner = [self.of(part) for part in parts]
        joined = {z3.Z3_OP_AND: z3.And, z3.Z3_OP_OR: z3.Or, z3.Z3_OP_ADD: z3.Sum}
        join = joined.get(term.decl().kind(), term.decl())
        return join(*inner)

    def _product(self, parts: Sequence[Any]) -> Any:
        factors = sorted((self.of(one) for one in parts if not z3.is_int_value(one)), key=_number)
        found = factors[0]
        if len(factors) > 1:
            key = tuple(map(_number, factors))
            name = f"{_MARK}{len(self.products)}"
            found = self.products.setdefault(key, (z3.Int(name), factors))[0]
        for one in parts:
            found = one * found if z3.is_int_value(one) else found
        return found

    def facts(self) -> Iterator[Any]:
        """Equal factors make equal products, and 0 makes 0."""
        for product, factors in self.products.values():
            for one in factors:
                yield z3.Implies(one == 0, product == 0)
        for (product, factors), (other, others) in combinations(self.products.values(), 2):
            mine, theirs = (list(map(_number, of)) for of in (factors, others))
            for one in factors:
                for two in others:
                    if sorted(_without(mine, one)) == sorted(_without(theirs, two)):
                        yield z3.Implies(one == two, product == other)


def _number(term: Any) -> int:
    return int(term.get_id())


def _without(numbers: list[int], one: Any) -> list[int]:
    at = numbers.index(_number(one))
    return numbers[:at] + numbers[at + 1 :]


def with_named_products(assertions: Sequence[Any]) -> list[Any] | None:
    """The assertions so; None where they have no products, or more than these.

    Examples
    --------
    >>> a, b, n = z3.Ints("a b n")
    >>> z3.solve(*with_named_products([a * n + n <= b * n, a == b, n >= 1]))
    no solution
    >>> with_named_products([a + n <= b]) is None
    True
    """
    if max(map(_kind, assertions), default=_PLAIN) != _PRODUCTS:
        return None
    naming, each = _Naming(), {one.get_id(): one for one in assertions}
    found = [naming.of(one) for one in each.values()]
    return [*found, *naming.facts()] if naming.products else None
