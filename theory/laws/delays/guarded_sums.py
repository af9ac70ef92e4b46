"""Sums of polynomials over whole numbers between affine borders, in closed form.

A term is a polynomial that counts where affine forms, its borders, are ≥ 0; a value is the sum of
all terms that count. Summed over a variable with coefficient ±1 in the borders it is such a sum
again. What can never count is left out, as the solver finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import gcd
from typing import Any, Final

import z3
from sympy import QQ
from sympy.polys.rings import ring

from schedules.closed_forms.affine import Affine, Piecewise
from theory.errors import UnsupportedFormError
from theory.smt.solver import RLIMIT, fresh_solver

NAMES: Final = ("u", "x", "r", "p")
_RING, *_GENERATORS = ring(",".join(NAMES), QQ)
VARIABLE: Final[Mapping[str, Any]] = dict(zip(NAMES, _GENERATORS, strict=True))
"""The symbols as polynomials."""

Border = Affine
"""A form in `NAMES` with coefficients without a common divisor, which has to be ≥ 0."""

Borders = frozenset[Border]


@dataclass(frozen=True)
class Guarded:
    """A polynomial that counts where all borders are ≥ 0."""

    borders: Borders
    value: Any


def border(form: Affine) -> Border:
    """The same half-space in whole numbers, as tight as can be.

    Examples
    --------
    >>> str(border(Affine((("x", 2), ("r", -4)), 3)))
    '-2*r + x + 1'
    """
    names = sorted((name, c) for name, c in form.terms if c)
    common = gcd(*(c for _, c in names)) or 1
    return Affine(tuple((name, c // common) for name, c in names), form.constant // common)


def opposite(one: Border) -> Border:
    """Where the form is below 0."""
    return border(Affine((), -1).plus(one, -1))


def polynomial(form: Affine) -> Any:
    """An affine form as a polynomial."""
    return form.at(VARIABLE) + _RING(0)


class Inside:
    """A domain, to ask many times whether whole numbers in it may satisfy more borders."""

    def __init__(self, domain: Borders) -> None:
        self._solver = fresh_solver(RLIMIT)
        self._names = {name: z3.Int(name, self._solver.ctx) for name in NAMES}
        for one in domain:
            self._add(one)

    def _add(self, one: Border) -> None:
        self._solver.add(one.at(self._names) + z3.IntVal(0, self._solver.ctx) >= 0)

    def may(self, borders: Iterable[Border]) -> bool:
        """False only where they cannot."""
        self._solver.push()
        for one in borders:
            self._add(one)
        found = self._solver.check()
        self._solver.pop()
        return bool(found != z3.unsat)

    def into(self, one: Border) -> None:
        """With one border more, until `out`."""
        self._solver.push()
        self._add(one)

    def out(self) -> None:
        """Without the last border."""
        self._solver.pop()


def put(terms: Iterable[Guarded], name: str, form: Affine) -> list[Guarded]:
    """The terms with an affine form for a variable."""
    value = [(VARIABLE[name], polynomial(form))]
    return [
        Guarded(
            frozenset(
                border(_without(one, name).plus(form, one.coefficient(name))) for one in t.borders
            ),
            t.value.compose(value),
        )
        for t in terms
    ]


def _without(one: Border, name: str) -> Affine:
    return Affine(tuple((n, c) for n, c in one.terms if n != name), one.constant)


def summed(terms: Iterable[Guarded], name: str, domain: Borders) -> list[Guarded]:
    """The sum over a variable: from the largest lower border to the least upper one.

    Raises
    ------
    UnsupportedFormError
        A border has another coefficient than ±1, or there is none on one side.
    """
    found: dict[Borders, Any] = {}
    inside = Inside(domain)
    for term in terms:
        for borders, value in _between(term, name, inside):
            found[borders] = found.get(borders, _RING(0)) + value
    return [Guarded(borders, value) for borders, value in found.items() if value]


def _between(term: Guarded, name: str, inside: Inside) -> Iterator[tuple[Borders, Any]]:
    sides: dict[int, list[Affine]] = {1: [], -1: [], 0: []}
    for one in sorted(term.borders, key=str):
        c = one.coefficient(name)
        if c not in sides:
            raise UnsupportedFormError(f"a border has a multiple of {name}", "sums", "split it")
        # v ≥ −rest below, v < rest + 1 above.
        rest = _without(one, name)
        sides[c].append(
            one if c == 0 else Affine().plus(rest, -1) if c == 1 else rest.plus(Affine((), 1))
        )
    starts, stops = (list(dict.fromkeys(sides[c])) for c in (1, -1))
    if not starts or not stops:
        raise UnsupportedFormError(f"{name} has no end", "sums", "bound it")
    total = antidifference(term.value, name)
    for (i, start), (j, stop) in product(enumerate(starts), enumerate(stops)):
        latest = [
            start.plus(o, -1).plus(Affine((), -int(k < i))) for k, o in enumerate(starts) if k != i
        ]
        first = [
            o.plus(stop, -1).plus(Affine((), -int(k < j))) for k, o in enumerate(stops) if k != j
        ]
        some = stop.plus(start, -1).plus(Affine((), -1))
        borders = frozenset([*sides[0], *map(border, [*latest, *first, some])])
        borders = frozenset(one for one in borders if one.terms or one.constant < 0)
        if inside.may(borders):
            ends = (total.compose([(VARIABLE[name], polynomial(end))]) for end in (stop, start))
            yield borders, next(ends) - next(ends)


def antidifference(value: Any, name: str) -> Any:
    """A polynomial G with G(v + 1) − G(v) = value.

    Examples
    --------
    >>> antidifference(VARIABLE["x"] * VARIABLE["p"], "x")
    1/2*x**2*p - 1/2*x*p
    """
    v, place = VARIABLE[name], NAMES.index(name)
    sums = (
        v,
        v * (v - 1) / 2,
        v * (v - 1) * (2 * v - 1) / 6,
        v**2 * (v - 1) ** 2 / 4,
        v * (v - 1) * (2 * v - 1) * (3 * v**2 - 3 * v - 1) / 30,
    )
    total = _RING(0)
    for powers, c in value.terms():
        rest = tuple(0 if at == place else power for at, power in enumerate(powers))
        total += _RING({rest: c}) * sums[powers[place]]
    return total


def cells(terms: Iterable[Guarded], domain: Borders) -> Iterator[Guarded]:
    """The value on every cell that the borders of all terms cut the domain into."""
    kept = list(terms)
    walls = sorted({one for term in kept for one in term.borders}, key=str)

    inside = Inside(domain)

    def cut(known: Borders, left: list[Border], there: list[Guarded]) -> Iterator[Guarded]:
        if not left:
            yield Guarded(known, sum((term.value for term in there), _RING(0)))
            return
        wall, *rest = left
        away = [term for term in there if wall not in term.borders]
        sides = [(wall, there), (opposite(wall), away)]
        sides = [(side, terms) for side, terms in sides if inside.may([side])]
        for side, terms in sides:
            if len(sides) == 1:
                yield from cut(known, rest, terms)
                continue
            inside.into(side)
            yield from cut(known | {side}, rest, terms)
            inside.out()

    yield from cut(domain, walls, kept)


def decided(form: Piecewise, domain: Borders) -> list[Guarded]:
    """A decision list as terms of which one counts everywhere in the domain.

    Examples
    --------
    >>> from schedules.closed_forms.affine import Piece
    >>> x = Affine((("x", 1),))
    >>> positive = Piecewise((Piece(x, x), Piece(None, Affine())))
    >>> [(len(one.borders), one.value) for one in decided(positive, frozenset())]
    [(1, x), (1, 0)]
    """
    before, terms = set(domain), list[Guarded]()
    for piece in form.pieces:
        guards = () if piece.guard is None else (border(piece.guard),)
        terms.append(Guarded(frozenset({*before, *guards}), polynomial(piece.value)))
        before |= set(map(opposite, guards))
    return terms


def one_polynomial(terms: Iterable[Guarded], domain: Borders) -> Any:
    """The polynomial that is the value all over the domain.

    Raises
    ------
    UnsupportedFormError
        There is none.
    """
    total = list(terms)
    for cell in cells(total, domain):
        if vanishes([*total, Guarded(domain, -cell.value)], domain):
            return cell.value
    raise UnsupportedFormError(
        "a mean is one polynomial", "delays", "ask for the numbers of a size"
    )


def vanishes(terms: Iterable[Guarded], domain: Borders) -> bool:
    """Whether the value is 0 all over the domain."""
    return all(not _pinned(cell).value for cell in cells(terms, domain))


def _pinned(cell: Guarded) -> Guarded:
    """With the symbols put in that a cell of width 0 leaves no choice."""
    if not cell.value:
        return cell
    for one in sorted(cell.borders, key=str):
        free = [name for name, c in one.terms if abs(c) == 1]
        if free and not Inside(cell.borders).may([one.plus(Affine((), -1))]):
            name = free[0]
            form = _without(one, name)
            form = Affine().plus(form, -1) if one.coefficient(name) == 1 else form
            [smaller] = put([cell], name, form)
            left = frozenset(b for b in smaller.borders if b.terms)
            return _pinned(Guarded(left, smaller.value)) if len(left) < len(cell.borders) else cell
    return cell
