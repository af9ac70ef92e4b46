"""Integer affine forms and decision lists of them: the shape of a closed form in p."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy

PRODUCT = "pm"
"""Name of a product of symbols: stages times microbatch, p·m."""

ROUNDS = "pq"
"""The same where start times repeat after P microbatches: p·q, with m = q·P + r."""


@dataclass(frozen=True)
class Affine:
    """An integer combination of named symbols plus a constant.

    The symbols are ``s`` (stage), ``m`` (microbatch), ``p`` (stages), ``M`` (microbatches) and
    ``pm`` for the product p·m; ``q``, ``r`` and ``pq`` where m = q·P + r for a period P.

    Attributes
    ----------
    terms : tuple of (str, int)
        Non-zero coefficients in the order of the basis they were fitted in.
    constant : int

    Examples
    --------
    >>> form = Affine((("m", 2), ("s", 1)), 0)
    >>> str(form), form.at({"m": 5, "s": 1})
    ('2*m + s', 11)
    """

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    def at(self, values: Mapping[str, Any]) -> Any:
        """Evaluate on integers, arrays or solver terms."""
        total: Any = self.constant
        for name, coefficient in self.terms:
            total = total + coefficient * values[name]
        return total

    def coefficient(self, name: str) -> int:
        """The coefficient of a symbol, 0 if it does not occur."""
        return dict(self.terms).get(name, 0)

    def to_sympy(self) -> sympy.Expr:
        """The form as a sympy expression, with p·m written out."""
        import sympy

        names = {"p", "m", "q", *(name for name, _ in self.terms)}
        values = {name: sympy.Symbol(name, integer=True) for name in names}
        values |= {PRODUCT: values["p"] * values["m"], ROUNDS: values["p"] * values["q"]}
        return sympy.sympify(self.at(values))

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """The form ``self + factor·other``."""
        names = dict.fromkeys([name for name, _ in (*self.terms, *other.terms)])
        sums = {n: self.coefficient(n) + factor * other.coefficient(n) for n in names}
        constant = self.constant + factor * other.constant
        return Affine(tuple((n, c) for n, c in sums.items() if c), constant)

    def renamed(self, names: Mapping[str, str]) -> Affine:
        """The same form in other symbols; symbols that become one are added up."""
        sums: dict[str, int] = {}
        for name, coefficient in self.terms:
            target = names.get(name, name)
            sums[target] = sums.get(target, 0) + coefficient
        return Affine(tuple((n, c) for n, c in sums.items() if c), self.constant)

    def __str__(self) -> str:
        return str(self.to_sympy())


ONE = Affine((), 1)

LET_IN = "N"
"""Name of a number below p, or one from p on, that proofs know nothing else of."""


@dataclass(frozen=True)
class Quotient:
    """⌊form / divisor⌋, such as half the stages; proofs have it as `LET_IN`.

    Examples
    --------
    >>> half = Quotient(Affine((("p", 1),), 1), 2)
    >>> half.at({"p": 7}), half.at({"p": 7, LET_IN: 3}), str(half)
    (4, 3, 'floor(p/2 + 1/2)')
    """

    form: Affine
    divisor: int = 1

    def at(self, values: Mapping[str, Any]) -> Any:
        """Evaluate on integers or arrays, or give what `LET_IN` is among the values."""
        return values[LET_IN] if LET_IN in values else self.form.at(values) // self.divisor

    def to_sympy(self) -> sympy.Expr:
        """The quotient as a sympy expression."""
        import sympy

        return sympy.floor(self.form.to_sympy() / sympy.Integer(self.divisor))

    def __str__(self) -> str:
        return str(self.to_sympy())


Period = Affine | Quotient
"""Microbatches after which start times repeat."""


@dataclass(frozen=True)
class Piece:
    """``value`` where ``guard`` ≥ 0 and no earlier piece applies; no guard: everywhere else.

    And where ``also`` ≥ 0, if there is such a second condition.
    """

    guard: Affine | None
    value: Affine
    also: Affine | None = None

    @property
    def conditions(self) -> tuple[Affine, ...]:
        """All that has to be 0 or more."""
        return tuple(one for one in (self.guard, self.also) if one is not None)


@dataclass(frozen=True)
class Piecewise:
    """A decision list of affine forms; the last piece has no guard.

    Examples
    --------
    >>> positive = Piecewise(
    ...     (Piece(Affine((("m", 1),)), Affine((("m", 1),))), Piece(None, Affine()))
    ... )
    >>> positive.at({"m": -3}, lambda test, yes, no: yes if test else no)
    0
    """

    pieces: tuple[Piece, ...]

    def at(self, values: Mapping[str, Any], select: Callable[[Any, Any, Any], Any]) -> Any:
        """Evaluate; `select(test, yes, no)` chooses (``numpy.where``, ``z3.If`` …)."""
        result = self.pieces[-1].value.at(values)
        for piece in reversed(self.pieces[:-1]):
            value = piece.value.at(values)
            for condition in piece.conditions:
                value = select(condition.at(values) >= 0, value, result)
            result = value
        return result

    def renamed(self, names: Mapping[str, str]) -> Piecewise:
        """The same list in other symbols."""
        return Piecewise(
            tuple(
                Piece(
                    piece.guard and piece.guard.renamed(names),
                    piece.value.renamed(names),
                    piece.also and piece.also.renamed(names),
                )
                for piece in self.pieces
            )
        )

    def described(self, let_in: Quotient | None = None) -> list[dict[str, str]]:
        """The pieces as ``{"when", "expr"}`` texts, disjoint and exhaustive, N written out."""
        import sympy

        N = sympy.Symbol(LET_IN, integer=True)
        put = {} if let_in is None else {N: let_in.to_sympy()}
        rows: list[dict[str, str]] = []
        earlier: list[Any] = []
        for piece in self.pieces:
            here = sympy.And(*map(_at_least_zero, piece.conditions))
            when = sympy.And(*(sympy.Not(test) for test in earlier), here)
            value = piece.value.to_sympy().subs(put)
            rows.append({"when": sympy.sstr(when.subs(put)), "expr": sympy.sstr(value)})
            earlier.append(here)
        return rows


def _at_least_zero(guard: Affine) -> Any:
    """``guard >= 0``, what is subtracted written on the right."""
    positive = Affine(tuple((n, c) for n, c in guard.terms if c > 0), max(guard.constant, 0))
    return positive.to_sympy() >= positive.plus(guard, -1).to_sympy()
