"""Bounds as formulas: their values at one size and stage, and how they read.

A bound is a mapping of names to expressions. ``bound`` is the bound; the others define names that
it uses, each in terms of the size, the stage `s` and the names before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import sympy
from sympy.printing.str import StrPrinter

from theory.claims import Formulas
from theory.errors import UnsupportedFormError
from theory.laws.static_orders.symbols import M, p, s

__all__ = [
    "BOUND",
    "M",
    "bounded",
    "definitions",
    "in_words",
    "p",
    "s",
    "symbols_at",
    "value",
    "written_out",
]

BOUND: Final = "bound"


def bounded(bound: sympy.Expr | int, **names: sympy.Expr) -> Formulas:
    """A bound and the names that it uses, in the order in which they are defined."""
    return {**names, BOUND: sympy.sympify(bound)}


def value(formulas: Formulas, size: Mapping[str, int], stage: int) -> sympy.Expr:
    """The bound at a size and stage, exactly; a number for whole formulas.

    Symbols are told apart by their names.

    Raises
    ------
    UnsupportedFormError
        There is none, because of a division by 0.

    Examples
    --------
    >>> value(bounded(sympy.Min(p - s, M)), {"p": 4, "M": 9}, stage=1)
    3
    """
    known: dict[str, Any] = {**size, "s": stage}
    for name, form in formulas.items():
        if name != BOUND:
            known[name] = _at(form, known)
    return _at(formulas[BOUND], known)


def written_out(formulas: Formulas) -> sympy.Expr:
    """The bound with what its names mean in their places.

    Examples
    --------
    >>> written_out(bounded(sympy.Symbol("c") + 1, c=M - s))
    M - s + 1
    """
    bound = formulas[BOUND]
    for name, form in reversed(list(formulas.items())):
        if name != BOUND:
            bound = bound.xreplace({one: form for one in bound.free_symbols if one.name == name})
    return bound


def symbols_at(form: sympy.Expr, at: Mapping[str, int]) -> dict[sympy.Symbol, int]:
    """The numbers of a formula's symbols, from numbers by name."""
    return {one: at[one.name] for one in form.free_symbols if one.name in at}


def _at(form: sympy.Expr, known: Mapping[str, Any]) -> sympy.Expr:
    named = {symbol: known[symbol.name] for symbol in form.free_symbols if symbol.name in known}
    try:
        return form.xreplace({symbol: sympy.sympify(number) for symbol, number in named.items()})
    except (ValueError, ZeroDivisionError) as error:
        raise UnsupportedFormError(
            f"a bound has a value at every size, found {form} at {known}",
            "theory.papers.schedules.matrix",
            "divide by nothing that can be 0",
        ) from error


class _Words(StrPrinter):  # type: ignore[misc]
    """Formulas as a sentence has them."""

    def _print_Min(self, form: sympy.Min) -> str:  # noqa: N802
        return f"min({self.stringify(form.args, ', ')})"

    def _print_Max(self, form: sympy.Max) -> str:  # noqa: N802
        return f"max({self.stringify(form.args, ', ')})"

    def _print_floor(self, form: sympy.Expr) -> str:
        return f"⌊{self._print(form.args[0])}⌋"

    def _print_ceiling(self, form: sympy.Expr) -> str:
        return f"⌈{self._print(form.args[0])}⌉"

    def _print_Mod(self, form: sympy.Expr) -> str:  # noqa: N802
        one, other = (self.parenthesize(part, 50) for part in form.args)
        return f"({one} mod {other})"


def in_words(form: sympy.Expr) -> str:
    """A formula as part of a sentence.

    Examples
    --------
    >>> in_words(sympy.Min(2 * p - s - 1, M))
    'min(M, 2p − s − 1)'
    """
    text = _Words({"order": "lex"}).doprint(form)
    text = re.sub(r"(?<![\w)])(\d+)\*(?=[A-Za-z(⌊⌈])", r"\1", text)
    return text.replace("*", "·").replace("-", "−")


def definitions(formulas: Formulas) -> str:
    """What the names of a bound mean, as part of a sentence; empty if it uses none.

    Examples
    --------
    >>> definitions(bounded(M, c=sympy.floor(s / p)))
    ', where c = ⌊s/p⌋'
    """
    named = [f"{name} = {in_words(form)}" for name, form in formulas.items() if name != BOUND]
    return f", where {', '.join(named)}" if named else ""
