"""`Question`: what ``staleproof bounds`` is asked, with every name read."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from staleproof.arguments import suggestion
from staleproof.errors import UsageError
from staleproof.output import shown
from staleproof.quantities import collected
from theory.bounds import PIPEDREAM_DELAYS, SYMBOLS, Bound, bounds_of

STEPSIZE: Final = "stepsize"
PERIOD: Final = "H"
TUNABLE: Final = (STEPSIZE, PERIOD)


@dataclass(frozen=True)
class Question:
    """What was asked.

    Attributes
    ----------
    groups : tuple of tuple of Bound
        The bounds of each method.
    given : dict of symbol to number
    strict : bool
        Whether a form was named, so that no bound may be left out.
    tune : str or None
        One of `TUNABLE`.
    crossover : symbol or None
    over : symbol and two numbers, or None
    """

    groups: tuple[tuple[Bound, ...], ...]
    given: dict[sympy.Symbol, sympy.Rational]
    strict: bool
    tune: str | None
    crossover: sympy.Symbol | None
    over: tuple[sympy.Symbol, Fraction, Fraction] | None

    @property
    def tuned(self) -> bool:
        """Whether every bound is taken at its own best stepsize."""
        return self.tune == STEPSIZE

    @property
    def at_a_point(self) -> bool:
        """Whether the parameters say where to evaluate, and not only a range or an unknown."""
        open_ones = {self.crossover, None if self.over is None else self.over[0]} - {None}
        return open_ones <= set(self.given) and self.tune != PERIOD


def read(arguments: Namespace) -> Question:
    """Read the arguments of ``bounds``.

    Raises
    ------
    UsageError
        Options that contradict each other, or a name that no bound here has.
    theory.bounds.BoundError
        An unknown method, form or delay.
    """
    _require_known(arguments.tune, TUNABLE, "--tune")
    _once(arguments.methods)
    delay = arguments.delay or next(iter(PIPEDREAM_DELAYS))
    groups = tuple(bounds_of(name, arguments.form, delay) for name in arguments.methods)
    if arguments.delay is not None and "pd" not in arguments.methods:
        raise UsageError("it says which tau pd has, and pd is not asked for", "--delay", "drop it")
    bounds = [bound for group in groups for bound in group]
    pairs = collected(arguments.set, "--set")
    given = {_symbol(name, bounds, "--set"): _rational(value) for name, value in pairs.items()}
    crossing = arguments.crossover and _symbol(arguments.crossover, bounds, "--crossover")
    if crossing and len(groups) < 2:
        raise UsageError("two methods or more are compared", "--crossover", "name another METHOD")
    over = None
    if arguments.over is not None:
        name, low, high = arguments.over
        over = (_symbol(name, bounds, "--over"), low, high)
        if over[0] in given:
            raise UsageError(f"{name} has a value already", "--over", f"drop --set {name}=…")
    elif arguments.plot is not None:
        raise UsageError("a picture shows a range", "--plot", "add --over NAME=LOW..HIGH")
    return Question(groups, given, arguments.form is not None, arguments.tune, crossing, over)


def _symbol(name: str, bounds: Iterable[Bound], where: str) -> sympy.Symbol:
    """The symbol of a name, if one of the bounds has it, or takes another from it."""
    known = {
        str(symbol)
        for bound in bounds
        for form in (*bound.symbols, *(default.value for default in bound.defaults.values()))
        for symbol in form.free_symbols
    }
    _require_known(name, sorted(known), where)
    return SYMBOLS[name]


def _require_known(word: str | None, known: Iterable[str], where: str) -> None:
    if word is not None and word not in known:
        raise UsageError(
            f"one of {', '.join(known)} is needed here, found {shown(word)}",
            where,
            suggestion(word, known) or "name one of them",
        )


def _once(methods: list[str]) -> None:
    for name in methods:
        if methods.count(name) > 1:
            raise UsageError(f"{shown(name)} is named twice", "METHOD", "name it once")


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)
