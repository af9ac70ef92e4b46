"""`Question`: what ``staleproof bounds`` is asked, with every name read."""

import os
from argparse import Namespace
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from staleproof.arguments import as_mapping, one_of
from staleproof.errors import UsageError
from staleproof.output import shown
from theory.bounds import FORMS, Bound, Supply, bounds_of, named, supplied
from theory.bounds.of_folder import of_folder

STEPSIZE: Final = "stepsize"

Range = tuple[sympy.Symbol, Fraction, Fraction]
"""A symbol, and the ends of its range."""


@dataclass(frozen=True)
class Question:
    """What was asked.

    Attributes
    ----------
    groups : tuple of tuple of Bound
        The bounds of each method.
    alternatives : tuple of tuple of Bound
        The same by name: one name can stand for several methods, which are told apart only where
        they hold; of every other name some form has to hold.
    lacking : tuple of (Bound, tuple of symbols)
        Bounds of such a name that are left out, and what has no value.
    given : dict of symbol to number
    strict : bool
        Whether a form of single methods was named, so that no bound may be left out.
    tuned : bool
        Whether every bound is taken at its own best stepsize.
    period : symbol or None
        A whole number whose best value is asked for.
    crossover : symbol or None
    over : tuple of (symbol and two numbers)
        None, one or two ranges.
    supply : Supply
        Where the bounds are from.
    """

    groups: tuple[tuple[Bound, ...], ...]
    alternatives: tuple[tuple[Bound, ...], ...]
    lacking: tuple[tuple[Bound, tuple[sympy.Symbol, ...]], ...]
    given: dict[sympy.Symbol, sympy.Rational]
    strict: bool
    tuned: bool
    period: sympy.Symbol | None
    crossover: sympy.Symbol | None
    over: tuple[Range, ...]
    supply: Supply

    @property
    def at_a_point(self) -> bool:
        """Whether the parameters say where to evaluate, and not only a range or an unknown."""
        open_ones = {self.crossover, *(symbol for symbol, _, _ in self.over)} - {None}
        return open_ones <= set(self.given) and self.period is None


def read(arguments: Namespace) -> Question:
    """Read the arguments of ``bounds``.

    Raises
    ------
    UsageError
        Options that contradict each other, or a name that no bound here has.
    theory.bounds.BoundError
        An unknown method, form or delay.
    """
    supply, asked = supply_of(arguments.methods)
    names = [named(name, supply) for name in asked]
    _once([method for methods in names for method in methods])
    _require_read_so(arguments.delay, names, supply)
    sets = [_bounds(methods, arguments.form, arguments.delay, supply) for methods in names]
    bounds = [bound for groups in sets for group in groups for bound in group]
    _one_alphabet(bounds)
    tuned = arguments.tune == STEPSIZE
    period = None if tuned or arguments.tune is None else _whole(arguments.tune, bounds)
    pairs = as_mapping(arguments.set, "--set")
    given = {_symbol(name, bounds, "--set"): _rational(value) for name, value in pairs.items()}
    crossing = arguments.crossover and _symbol(arguments.crossover, bounds, "--crossover")
    if crossing and sum(map(len, sets)) < 2:
        raise UsageError("two methods or more are compared", "--crossover", "name another METHOD")
    over = tuple(_ranges(arguments.over, bounds, given))
    if arguments.plot is not None and not over:
        raise UsageError("a picture shows a range", "--plot", "add --over NAME=LOW..HIGH")
    if len(over) == 2 and arguments.tune is not None:
        raise UsageError("a map is drawn at given numbers", "--tune", "give one range, or drop it")
    known = {*given, crossing, *(symbol for symbol, _, _ in over)}
    lacking = [
        entry for groups in sets if len(groups) > 1 for entry in _lacking(groups, known, tuned)
    ]
    dropped = [bound for bound, _ in lacking]
    kept = [_without(groups, dropped) for groups in sets]
    return Question(
        groups=tuple(group for groups in kept for group in groups),
        alternatives=tuple(tuple(bound for group in groups for bound in group) for groups in kept),
        lacking=tuple(lacking),
        given=given,
        strict=arguments.form is not None and all(len(methods) == 1 for methods in names),
        tuned=tuned,
        period=period,
        crossover=crossing,
        over=over,
        supply=supply,
    )


def supply_of(methods: list[str]) -> tuple[Supply, list[str]]:
    """Where bounds are from, and the names that are left: of a folder all, if none is named.

    Raises
    ------
    UsageError
        Two folders.
    theory.errors.TheoryError
        A folder that cannot be read, or has no bounds.
    """
    folders = [method for method in methods if os.path.isdir(method)]
    if not folders:
        return supplied(), methods
    if len(folders) > 1:
        raise UsageError("bounds are of one folder", "METHOD", "name one of the folders")
    rest = [method for method in methods if method not in folders]
    return of_folder(folders[0]), rest or folders


def _bounds(
    methods: tuple[str, ...], form: str | None, delay: str | None, supply: Supply
) -> tuple[tuple[Bound, ...], ...]:
    """The bounds of each method that a name stands for; of several, those that have the form."""
    if len(methods) > 1 and form in FORMS:
        having = tuple(
            m for m in methods if form in {bound.form for bound in bounds_of(m, among=supply)}
        )
        methods = having or methods
    return tuple(bounds_of(method, form, delay, supply) for method in methods)


def _require_read_so(delay: str | None, names: list[tuple[str, ...]], supply: Supply) -> None:
    """Raise for a reading where no method is read in several ways."""
    if delay is None or any(len(supply.methods[m]) > 1 for methods in names for m in methods):
        return
    having = [method for method, readings in supply.methods.items() if len(readings) > 1]
    raise UsageError(
        f"it says which delays are meant, and {' or '.join(having) or 'a method with two'} "
        "is not asked for",
        "--delay",
        "drop it",
    )


def _whole(name: str, bounds: Iterable[Bound]) -> sympy.Symbol:
    """The symbol of a whole number whose best value can be asked for."""
    whole = {str(s): s for bound in bounds for s in bound.symbols if s.is_integer}
    return whole[one_of(name, (STEPSIZE, *sorted(whole)), "what is tuned is one of", "--tune")]


def _one_alphabet(bounds: Iterable[Bound]) -> None:
    """Raise unless every letter means the same in all bounds."""
    by_letter = {bound.stepsize: bound.method for bound in bounds}
    if len(by_letter) > 1:
        one, two = list(by_letter.values())[:2]
        raise UsageError(
            f"{one} and {two} are of papers whose letters mean different things, such as Delta",
            "METHOD",
            "ask for one paper at a time",
        )


def _ranges(
    found: Iterable[tuple[str, Fraction, Fraction]],
    bounds: Iterable[Bound],
    given: Container[sympy.Symbol],
) -> Iterator[Range]:
    seen: list[str] = []
    for name, low, high in found:
        symbol = _symbol(name, bounds, "--over")
        if symbol in given:
            raise UsageError(f"{name} has a value already", "--over", f"drop --set {name}=…")
        if name in seen:
            raise UsageError(f"{name} has two ranges", "--over", "give one of them")
        if len(seen) == 2:
            raise UsageError("at most two ranges are drawn", "--over", "give values to the others")
        seen.append(name)
        yield symbol, low, high


def _lacking(
    groups: Iterable[Iterable[Bound]], known: Container[sympy.Symbol | None], tuned: bool
) -> list[tuple[Bound, tuple[sympy.Symbol, ...]]]:
    """Bounds of alternatives that lack a value that another does without."""
    bounds = [bound for group in groups for bound in group]
    absent = {
        number: tuple(
            symbol
            for symbol in sorted(bound.symbols - set(bound.defaults), key=str)
            if symbol not in known and not (tuned and symbol == bound.stepsize)
        )
        for number, bound in enumerate(bounds)
    }
    if all(absent.values()):
        return []
    return [(bounds[number], symbols) for number, symbols in absent.items() if symbols]


def _without(
    groups: Iterable[tuple[Bound, ...]], dropped: list[Bound]
) -> tuple[tuple[Bound, ...], ...]:
    kept = (tuple(bound for bound in group if bound not in dropped) for group in groups)
    return tuple(group for group in kept if group)


def _symbol(name: str, bounds: Iterable[Bound], where: str) -> sympy.Symbol:
    """The symbol of a name, if one of the bounds has it, or takes another from it."""
    known = {str(symbol): symbol for bound in bounds for symbol in bound.letters}
    return known[one_of(name, sorted(known), "a parameter is one of", where)]


def _once(methods: list[str]) -> None:
    for name in methods:
        if methods.count(name) > 1:
            raise UsageError(f"{shown(name)} is named twice", "METHOD", "name it once")


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)
