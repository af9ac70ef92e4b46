"""What formulas about runs are made of: sums of known length, calls of sequences, their domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import UnsupportedFormError
from theory.kernel.relations import Relation
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar

LONGEST: Final = 24
"""Terms of a sum."""
MOST: Final = 200
"""Terms of a sum where means are followed in place of runs."""
INDEX: Final = sympy.Dummy("k", integer=True, nonnegative=True)
SMALL: Final = sympy.Rational(1, 100)
"""The least value of what is positive that is tried."""
"""The index of statements that name none; each runs through 0, 1, 2, …"""


def isolated(gap: Scalar, one: Scalar) -> list[Scalar]:
    """What an unknown is where the gap is 0, if it occurs in it linearly."""
    form = sympy.expand(gap)
    factor = form.coeff(one)
    rest = sympy.expand(form - factor * one)
    return [] if factor == 0 or (factor + rest).has(one) else [-rest / factor]


def capped(gap: Scalar, one: Scalar) -> list[Scalar]:
    """The number min(1, c/|g|) where the gap is ±(1 − s)(c² − s²g²) of positive s and c.

    Examples
    --------
    >>> c, s, g = sympy.symbols("c s", positive=True) + sympy.symbols("g,", real=True)
    >>> capped((1 - s) * (c**2 - s**2 * g**2), s)
    [c/Max(c, -g, g)]
    """
    parts = [part for part in sympy.Mul.make_args(gap) if part.has(one)]
    clipped = next((part for part in parts if part.is_Add and part.has(one**2)), None)
    if len(parts) != 2 or clipped is None or not any(part.subs(one, 1) == 0 for part in parts):
        return []
    length, rest = sympy.sqrt(abs(clipped.coeff(one**2))), clipped.as_independent(one)[0]
    size, most = (
        (length.args[0] if isinstance(length, sympy.Abs) else length),
        sympy.sqrt(abs(rest)),
    )
    if size.has(sympy.Pow) or not most.is_positive:
        return []
    return [most / sympy.Max(most, size, -size)]


def functions_in(relations: Sequence[Relation]) -> list[Scalar]:
    """The sequences that relations call."""
    return sorted({call.func for one in relations for call in calls_in(one)}, key=str)


def with_marks(one: Relation, marks: Mapping[Scalar, Scalar]) -> Relation:
    """A relation with symbols for sequences at numbers."""
    return by_side(one, lambda side: side.xreplace(dict(marks)))


def number_named(call: Scalar) -> Scalar:
    """The symbol for a sequence at a number."""
    sign = next(s for s in ("positive", "nonnegative", "real") if getattr(call, f"is_{s}"))
    return sympy.Symbol(
        f"{call.func} at {call.args[0]}", **{sign: True}
    )  # F(0) may be a function at 0


def calls_in(one: Relation) -> set[Scalar]:
    """The calls of sequences on either side; none cancels another."""
    found: set[Scalar] = one.lhs.atoms(AppliedUndef) | one.rhs.atoms(AppliedUndef)
    return found


def index_of(theorem: Theorem) -> Scalar:
    """The index of iterations, over which all that is assumed holds."""
    found = set(theorem.indices)
    for _, one in theorem.relations:
        bound = {limit[0] for total in one.gap.atoms(sympy.Sum) for limit in total.limits}
        calls = one.gap.atoms(AppliedUndef)
        found |= {s for call in calls for s in call.free_symbols} - {*theorem.symbols} - bound
    if len(found) > 1 or any(one.assumptions0 != INDEX.assumptions0 for one in found):
        raise unsupported(f"the indices {found}")
    return min(found, default=INDEX)


def by_side(one: Relation, change: Callable[[Scalar], Scalar]) -> Relation:
    """A relation with both sides changed."""
    return Relation(change(one.lhs), one.kind, change(one.rhs))


def written_out(node: Scalar, longest: int = LONGEST) -> Scalar:
    """An expression without sums; they have a number of terms that is known, and not too large.

    Examples
    --------
    >>> j = sympy.Symbol("j", integer=True)
    >>> written_out(sympy.Sum(2**j, (j, 0, 2)))
    7

    Those of a window before k are at k − 1, k − 2, …: before the start they count as 0.

    >>> k, A = sympy.Symbol("k", integer=True, nonnegative=True), sympy.Function("A")
    >>> written_out(sympy.Sum(A(j), (j, sympy.Max(0, k - 2), k - 1)))
    A(k - 2) + A(k - 1)
    """
    if not node.has(sympy.Sum):
        return node
    if not isinstance(node, sympy.Sum):
        return node.func(*(written_out(part, longest) for part in node.args))
    form, *inner, (bound, first, last) = node.args
    if isinstance(first, sympy.Max):
        first = _window_start(form, first, bool(inner))
    terms = sympy.expand(last - first + 1)
    if not terms.is_Integer or not 0 <= terms <= longest:
        raise unsupported(f"a sum of {terms} terms")
    body = sympy.Sum(form, *inner) if inner else form
    return sympy.Add(
        *(written_out(body.subs(bound, first + i), longest) for i in range(int(terms)))
    )


def _window_start(term: Scalar, first: Scalar, nested: bool) -> Scalar:
    """Where a window begins that has passed the start; before it terms have to vanish with A(j)."""
    late = [one for one in first.args if one != 0]
    empty = term.xreplace(dict.fromkeys(term.atoms(AppliedUndef), sympy.S.Zero))
    if len(first.args) != 2 or len(late) != 1 or nested or empty != 0:
        raise unsupported("a window whose terms before the start are not those of a sequence")
    return late[0]


def _declared(one: Scalar) -> set[str]:
    """What a symbol is declared to be, or the sequence of a call, which keeps it in its class."""
    said = one.func.default_assumptions if one.args else one.assumptions0
    return {word for word, holds in said.items() if holds}


def least_of(one: Scalar) -> Scalar | None:
    """What a symbol or a call is at least by its domain; it must not be declared more than a sign.

    What is declared positive is taken to be at least 1/100, as relations are not strict.

    Examples
    --------
    >>> least_of(sympy.Symbol("a", nonnegative=True)), least_of(sympy.Symbol("a", real=True))
    (0, None)
    >>> least_of(sympy.Function("A", positive=True)(INDEX))
    1/100
    """
    for sign, least in (("real", None), ("nonnegative", sympy.S.Zero), ("positive", SMALL)):
        made = sympy.Function("a", **{sign: True})(INDEX) if one.args else None
        if _declared(one) == _declared(made or sympy.Symbol("a", **{sign: True})):
            return least
    raise unsupported(f"the domain of {one}")


def unsupported(what: str) -> UnsupportedFormError:
    """What keeps a statement from being run."""
    return UnsupportedFormError(f"{what} cannot be run", "small run", "take a witness of your own")
