"""Formulas of the kernel as terms of Rocq, fully in parentheses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.elementary import Exp, Log
from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.vectors import Gram, Scalar, Vector, square
from theory.rocq.names import Names


class UnsupportedError(TheoryError):
    """Something that has no form in Rocq yet: what, and where."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(what, where, "it is listed as refused")


def comment(words: str) -> str:
    """Words as a comment, which nothing in them ends."""
    kept = words.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    return f"(* {kept} *)"


def arithmetic(node: Scalar, leaf: Callable[[Scalar], str]) -> str:
    """Sums, products, whole powers and roots of leaves."""
    if node.is_Rational:
        return _number(node)
    if node.is_Add:
        return f"({' + '.join(arithmetic(part, leaf) for part in node.as_ordered_terms())})"
    if node.is_Mul:
        return _product(node, leaf)
    if node.is_Pow and node.exp.is_Rational:
        return _power(node, leaf)
    return leaf(node)


def _number(node: Scalar) -> str:
    if node.is_Integer:
        return str(node) if node >= 0 else f"({node})"
    return f"({node.p} / {node.q})"


def _product(node: Scalar, leaf: Callable[[Scalar], str]) -> str:
    above: list[Scalar] = []
    below: list[Scalar] = []
    for part in node.args:
        down = part.is_Pow and part.exp.is_Rational and part.exp < 0
        (below if down else above).append(1 / part if down else part)
    over = " * ".join(arithmetic(part, leaf) for part in above) or "1"
    if not below:
        return f"({over})"
    under = " * ".join(arithmetic(part, leaf) for part in below)
    return f"({over} / ({under}))"


def _power(node: Scalar, leaf: Callable[[Scalar], str]) -> str:
    if node.exp < 0:
        return f"(/ {arithmetic(1 / node, leaf)})"
    if node.exp.is_Integer:
        return f"({arithmetic(node.base, leaf)} ^ {node.exp})"
    root = leaf(node.base ** sympy.Rational(1, node.exp.q))
    return root if node.exp.p == 1 else f"({root} ^ {node.exp.p})"


@dataclass(frozen=True)
class Text:
    """How a formula is written at an iteration and an outcome.

    Attributes
    ----------
    names : Names
    varying : frozenset of str
        Names of what depends on the iteration and the outcome.
    at, outcome : str
        The iteration and the outcome, or ``""`` where there is none.
    indices : mapping of sympy symbol to str
        Whole numbers that take the place of indices.
    depth : int
        How many outcomes are bound outside.
    """

    names: Names
    varying: frozenset[str]
    at: str = ""
    outcome: str = ""
    indices: Mapping[Scalar, str] = field(default_factory=dict)
    depth: int = 0

    def named(self, name: str) -> str:
        """A quantity or vector by name."""
        if name not in self.varying or not (self.at or self.outcome):
            return self.names(name)
        return f"({' '.join(filter(None, (self.names(name), self.at, self.outcome)))})"

    def real(self, node: Scalar) -> str:
        """A real number."""
        return arithmetic(sympy.sympify(node), self._leaf)

    def relation(self, one: Relation) -> str:
        """A relation."""
        sign = "<=" if one.kind == "<=" else "="
        return f"{self.real(one.lhs)} {sign} {self.real(one.rhs)}"

    def gap(self, one: Relation) -> str:
        """Right side less left side."""
        return f"({self.real(one.rhs)} - {self.real(one.lhs)})"

    def vector(self, one: Vector) -> str:
        """A combination of vectors."""
        parts = []
        for name, factor in one.terms:
            form = sympy.sympify(factor)
            text = self.named(name)
            parts.append(text if form == 1 else f"(scale {self.real(form)} {text})")
        found = parts[-1] if parts else "zero"
        for part in parts[-2::-1]:
            found = f"(add {part} {found})"
        return found

    def operator(self, name: str) -> str:
        """A mean, in an iteration."""
        return f"({self.names(name, 'mean')} {self.at})" if self.at else self.names(name, "mean")

    def average(self, name: str, inside: Scalar) -> str:
        """The mean of an expression."""
        inner = self.inner()
        body = inner.real(inside)
        return f"(mean {self.operator(name)} {self.outcome} (fun {inner.outcome} => {body}))"

    def under(self, index: Scalar) -> Text:
        """The text inside a sum."""
        return replace(self, indices={**self.indices, index: self.names(index.name)})

    def inner(self) -> Text:
        """The text at another outcome, bound here."""
        return replace(self, outcome=f"v{self.depth + 1}", depth=self.depth + 1)

    def whole(self, node: Scalar) -> str:
        """A whole number."""
        node = sympy.sympify(node)
        if node.is_Integer:
            return str(node) if node >= 0 else f"({node})"
        if node.is_Add or node.is_Mul:
            parts = node.as_ordered_terms() if node.is_Add else node.args
            return f"({(' + ' if node.is_Add else ' * ').join(map(self.whole, parts))})"
        if node.is_Symbol and node.is_integer:
            return self.indices.get(node) or self.named(node.name)
        if isinstance(node, AppliedUndef) and node.is_integer:
            return self._call(node)
        if isinstance(node, (sympy.Max, sympy.Min)):
            name = "Z.max" if isinstance(node, sympy.Max) else "Z.min"
            found = self.whole(node.args[0])
            for part in node.args[1:]:
                found = f"({name} {found} {self.whole(part)})"
            return found
        raise UnsupportedError(f"{node} as a whole number")

    def _leaf(self, node: Any) -> str:
        if node.is_Symbol:
            if node in self.indices or node.is_integer:
                return f"(IZR {self.whole(node)})"
            return self.named(node.name)
        if isinstance(node, Gram):
            one, other = map(self.named, node.names)
            return f"(dot {one} {other})"
        if isinstance(node, Mean):
            return self.average(str(node.args[0]), node.args[2])
        if isinstance(node, AppliedUndef):
            return f"(IZR {self._call(node)})" if node.is_integer else self._call(node)
        if isinstance(node, sympy.Sum):
            return self._sum(node)
        if node.is_Pow:
            if node.exp == sympy.Rational(1, 2):
                return f"(sqrt {self.real(node.base)})"
            if node.exp.is_Rational and node.exp.p == 1:
                return f"(nroot {node.exp.q} {self.real(node.base)})"
            if node.exp.is_integer and node.exp.is_nonnegative:
                return f"(powz {self.real(node.base)} ({self.whole(node.exp)})%Z)"
            if node.exp.is_integer and node.exp.is_nonpositive:
                return f"(/ {self._leaf(1 / node)})"
        if isinstance(node, (Exp, Log)):
            name = "exp" if isinstance(node, Exp) else "ln"
            return f"({name} {self.real(node.args[0])})"
        if isinstance(node, (sympy.Max, sympy.Min)):
            name = "Rmax" if isinstance(node, sympy.Max) else "Rmin"
            found = self.real(node.args[0])
            for part in node.args[1:]:
                found = f"({name} {found} {self.real(part)})"
            return found
        if isinstance(node, sympy.Abs):
            return f"(Rabs {self.real(node.args[0])})"
        raise UnsupportedError(f"{type(node).__name__} {node!s:.60}")

    def _call(self, node: Any) -> str:
        called = " ".join(f"({self.whole(one)})%Z" for one in node.args)
        return f"({self.names(node.func.__name__, 'sequence')} {called})"

    def _sum(self, node: Any) -> str:
        *rest, (index, first, last) = node.limits
        bound = self.names(index.name)
        ends = f"({self.whole(first)})%Z ({self.whole(last)})%Z"
        inner = replace(self, indices={**self.indices, index: bound})
        body = sympy.Sum(node.function, *rest) if rest else node.function
        if rest and not isinstance(body, sympy.Sum):
            raise UnsupportedError("a sum that simplifies")
        return f"(zsum (fun {bound} => {inner.real(body)}) {ends})"


def flips(names: Iterable[str], text: Text) -> str:
    """Rewrite inner products into the order in which they are written."""
    ordered = sorted(set(names))
    pairs = [(a, b) for place, a in enumerate(ordered) for b in ordered[place + 1 :]]
    if not pairs:
        return ""
    written = (f"?(dot_sym _ {text.named(b)} {text.named(a)})" for a, b in pairs)
    return f"rewrite {', '.join(written)}; "


def square_tactic(one: Vector, text: Text, form: Scalar | None = None) -> str:
    """A tactic for the squared length of a vector, multiplied out, to be at least 0."""
    vector, written = text.vector(one), text.real(square(one) if form is None else form)
    way = f"bilinear; {flips(one.names, text)}rooted"
    return f"replace {written} with (dot {vector} {vector}) by ({way}); apply dot_nonneg"
