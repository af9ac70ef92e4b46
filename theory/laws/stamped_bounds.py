"""Bounds that are stated of stamped families, as solver terms at one microbatch of one lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add, mul
from typing import Any, Final

import sympy
import z3

from schedules.stamps import At, Number
from theory.errors import UnsupportedFormError
from theory.laws.stamp_terms import products
from theory.laws.static_orders.symbols import M, p, s
from theory.smt.solver import Term

BOUND: Final = "bound"

Formulas = Mapping[str, sympy.Expr]
"""A bound under ``"bound"``, and before it what other names mean, in terms of earlier ones."""

LANE, ROUND, ROUNDS, CHUNKS = z3.Ints("lane round_size rounds chunks")

_MEANINGS: Final[Mapping[sympy.Expr, Callable[[At], Term]]] = {
    M / sympy.Max(1, sympy.floor(M / p)): lambda at: at.values["round_size"],
    sympy.floor(s / p): lambda at: at.lane,
    sympy.Mod(s, p): lambda at: at.rank,
}
"""What these are where stage s = c·p + r is chunk c of rank r, and M = k·max(1, ⌊M/p⌋)."""


def bound(formulas: Formulas, written: Mapping[str, sympy.Expr]) -> Callable[[At], Term]:
    """A stated bound as a term.

    Parameters
    ----------
    formulas : mapping
    written : mapping of str to sympy expression
        What stands for p or M, where they are multiples.

    Raises
    ------
    UnsupportedFormError
        When it is asked for: the formula is something else than whole numbers, sums, products,
        minima, maxima, quotients rounded down and remainders.
    """

    def most(at: At) -> Term:
        known: dict[str, Term] = {"s": at.stage}
        for name, form in formulas.items():
            meaning = _MEANINGS.get(form) if "round_size" in at.values else None
            plain = _with(form, written)
            known[name] = meaning(at) if meaning else _term(plain, known, at.divide)
        return known[BOUND]

    return most


def as_term(
    form: sympy.Expr, written: Mapping[str, sympy.Expr], known: Mapping[str, Term], divide: Any
) -> Term:
    """A formula whose symbols are known as terms; of those that are multiples, what they are."""
    free = {name: one for name, one in known.items() if name not in written}
    return _term(_with(form, written), free, divide)


def _with(form: sympy.Expr, written: Mapping[str, sympy.Expr]) -> sympy.Expr:
    form = sympy.sympify(form)
    known = {one: written[one.name] for one in form.free_symbols if one.name in written}
    return sympy.expand(form.subs(known)) if known else form


def _term(form: sympy.Expr, known: Mapping[str, Term], divide: Any) -> Term:
    if form.is_Integer:
        return z3.IntVal(int(form))
    if form.is_Symbol:
        return known.get(form.name, z3.Int(form.name))
    if isinstance(form, sympy.floor):
        above, below = sympy.fraction(sympy.together(form.args[0]))
        by = int(below) if below.is_Integer else _term(below, known, divide)
        return divide(_term(above, known, divide), by)[0]
    parts = [_term(part, known, divide) for part in form.args] if not form.is_Pow else []
    if isinstance(form, sympy.Mod):
        return divide(*parts)[1]
    for kind, merge in _MERGED.items():
        if isinstance(form, kind):
            return reduce(merge, parts)
    raise UnsupportedFormError(
        f"a bound has sums, products, minima, maxima, ⌊quotients⌋ and remainders, found {form}",
        "theory.laws.stamped_bounds",
        "write it with these",
    )


_MERGED: Final[Mapping[type, Callable[[Term, Term], Term]]] = {
    sympy.Add: add,
    sympy.Mul: mul,
    sympy.Min: lambda one, other: z3.If(one < other, one, other),
    sympy.Max: lambda one, other: z3.If(one > other, one, other),
}


def interleaved(last: Callable[[At], Number]) -> Callable[[At], Term]:
    """The bound of interleaved orders without quotients: a round and a part of one, or a part.

    Before the first backward of a chunk its rank does a = (2v − 2 − c)·k + `last` forwards, if
    there are so many. These are fewer than two rounds, or all.
    """

    def most(at: At) -> Term:
        k, whole = ROUND, CHUNKS * ROUND
        ahead = (2 * CHUNKS - 2 - at.lane) * k + last(at)
        second = z3.If(ROUNDS == 1, z3.IntVal(0), _part(ahead - whole - at.lane * k, k))
        return z3.If(ahead >= whole, k + second, _part(ahead - at.lane * k, k))

    return most


def _part(number: Term, most: Term) -> Term:
    return z3.If(number < 0, z3.IntVal(0), z3.If(number < most, number, most))


def even_rounds(p_: Term, M_: Term) -> tuple[Term, ...]:
    """What is supposed of the sizes of interleaved families, with what is true of products then."""
    factors = [CHUNKS, LANE, z3.IntVal(0), CHUNKS - 1 - LANE, ROUNDS]
    return (
        *(CHUNKS >= 1, ROUND >= 1, ROUNDS >= 1, M_ == ROUNDS * ROUND),
        z3.Or(ROUNDS == 1, p_ <= ROUND),
        *products(factors, ROUND),
        *products([ROUNDS, z3.IntVal(1)], CHUNKS * ROUND),
    )
