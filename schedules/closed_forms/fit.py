"""Find a decision list of affine forms that reproduces a table exactly.

This is search: it may guess wrong, and whatever it returns has to be proved. It knows nothing
about schedules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import gcd

import numpy as np
from numpy.typing import NDArray

from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.schedule import IntArray

MAX_PIECES = 5
"""Pieces after which the search gives up."""

ENOUGH = 48
"""Rows on which a form has to be right before all are looked at."""

_NEXT_TO_NOTHING = 1e-8  # of the squares: sums of floats are not exact

_COEFFICIENTS, _CONSTANTS = range(-2, 3), range(-2, 3)
_GUARDS = {"s": _COEFFICIENTS, "m": _COEFFICIENTS, "p": _COEFFICIENTS}
_IN_A_PERIOD = {"s": _COEFFICIENTS, "r": _COEFFICIENTS, "p": _COEFFICIENTS}
_ROUNDS = [Affine((("q", 1),), -start) for start in (1, 2)]
_GUARDS_WITH_M = {"s": _COEFFICIENTS, "m": range(-1, 2), "p": _COEFFICIENTS, "M": range(-1, 2)}
_GUARDS_IN_ROUNDS = dict.fromkeys(("r", "s", "p", "M"), range(-1, 2))
_GUARDS_WITH_2M = {**_GUARDS, "M": _COEFFICIENTS}
_GUARDS_IN_A_LOOP = {**_GUARDS_WITH_M, "V": range(-1, 2)}


def fit(
    columns: Mapping[str, IntArray],
    target: IntArray,
    bases: Sequence[Sequence[str]],
    *,
    wide: bool = False,
    period: int = 0,
) -> Piecewise | None:
    """Fit `target` by a short decision list, or return None.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Values of the symbols, one row a sample.
    target : ndarray of int
    bases : sequence of sequences of str
        Symbols a value may use, tried in this order.
    wide : bool
        Whether forms that tell pieces apart have twice M too.
    period : int
        After how many microbatches all repeats, where no size says it: the last may be fewer.

    Examples
    --------
    >>> m = np.arange(-9, 10)
    >>> found = fit({"s": 0 * m, "m": m, "p": 0 * m}, np.maximum(m, 0), [("m",)])
    >>> [str(piece.value) for piece in found.pieces]
    ['m', '0']
    """
    if period:
        rounds = {"q": tuple(sorted({-period, *_COEFFICIENTS, period})), **_GUARDS_IN_ROUNDS}
        ends = range(-2 - period, 3 + period)
        return _fitted(columns, target, bases, _guards(tuple(rounds.items()), ends))
    if "q" in columns:
        inside = _guards(tuple(_IN_A_PERIOD.items()))
        return _fitted(columns, target, bases, [*_ROUNDS, *inside])
    if "V" in columns:
        return _fitted(columns, target, bases, _guards(tuple(_GUARDS_IN_A_LOOP.items())))
    found = _fitted(columns, target, bases, _guards(tuple(_GUARDS.items())))
    if found is None and "M" in columns:
        guards = _GUARDS_WITH_2M if wide else _GUARDS_WITH_M
        found = _fitted(columns, target, bases, _guards(tuple(guards.items())))
    return found


def _fitted(
    columns: Mapping[str, IntArray],
    target: IntArray,
    bases: Sequence[Sequence[str]],
    guards: Sequence[Affine],
) -> Piecewise | None:
    rows = [[*(guard.coefficient(name) for name in columns), guard.constant] for guard in guards]
    tests = np.array(rows) @ np.stack([*columns.values(), np.ones_like(target)]) >= 0
    left = np.ones(len(target), dtype=np.bool_)
    pieces: list[Piece] = []
    while len(pieces) < MAX_PIECES:
        value = _first_exact(columns, target, left, bases)
        if value is not None:
            return Piecewise((*pieces, Piece(None, value)))
        covered = tests & left
        first = np.argsort(-covered.sum(axis=1), kind="stable")
        for which in first[_may_be_affine(columns, target, covered)[first]]:
            value = _first_exact(columns, target, covered[which], bases)
            if value is not None:
                pieces.append(Piece(guards[which], value))
                left &= ~covered[which]
                break
        else:
            return None
    return None


def _may_be_affine(
    columns: Mapping[str, IntArray], target: IntArray, covered: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """On which sets of rows least squares leave next to nothing: all at once, so it is quick."""
    values = np.stack([*columns.values(), np.ones_like(target), target], axis=1).astype(float)
    products = values[:, :, None] * values[:, None, :]
    sums = np.tensordot(covered.astype(float), products, axes=1)
    known, wanted, square = sums[:, :-1, :-1], sums[:, :-1, -1:], sums[:, -1, -1]
    best = np.linalg.pinv(known, rcond=1e-12, hermitian=True) @ wanted
    left: NDArray[np.float64] = square - (best * wanted).sum(axis=(1, 2))
    return left <= _NEXT_TO_NOTHING * (1 + square)


@cache
def _guards(
    symbols: tuple[tuple[str, Sequence[int]], ...], constants: Sequence[int] = _CONSTANTS
) -> list[Affine]:
    """All guards with small coprime coefficients, the simplest first."""
    names, ranges = zip(*symbols, strict=True)
    found = []
    for *coefficients, constant in product(*ranges, constants):
        if gcd(*coefficients, constant) == 1 and any(coefficients):
            terms = zip(names, coefficients, strict=True)
            found.append(Affine(tuple((name, value) for name, value in terms if value), constant))
    return sorted(found, key=_complexity)


def _complexity(guard: Affine) -> tuple[int, int, int]:
    return (
        len(guard.terms),
        sum(abs(value) for _, value in guard.terms) + abs(guard.constant),
        -sum(value for _, value in guard.terms),
    )


def exact_affine(
    columns: Mapping[str, IntArray],
    target: IntArray,
    chosen: NDArray[np.bool_],
    basis: Sequence[str],
) -> Affine | None:
    """The integer affine form that equals `target` on the chosen rows, if one is determined."""
    wanted = target[chosen]
    if len(wanted) < 2 * len(basis) + 2:
        return None
    rows = np.stack([*(columns[name][chosen] for name in basis), np.ones_like(wanted)], axis=1)
    some = slice(None, None, max(1, len(wanted) // ENOUGH))
    if len(wanted) > 2 * ENOUGH and _solved(rows[some], wanted[some]) is None:
        return None
    rounded = _solved(rows, wanted)
    if rounded is None:
        return None
    terms = zip(basis, rounded[:-1].tolist(), strict=True)
    return Affine(tuple((n, c) for n, c in terms if c), int(rounded[-1]))


def _solved(rows: IntArray, wanted: IntArray) -> IntArray | None:
    """Integers that combine the columns of `rows` to what is wanted, if rounding finds any."""
    solution, _, rank, _ = np.linalg.lstsq(rows.astype(float), wanted.astype(float), rcond=None)
    rounded: IntArray = np.rint(solution).astype(np.int64)
    if (rows @ rounded == wanted).all():
        return rounded
    return None if rank == rows.shape[1] else _without_one(rows, wanted)


def _without_one(rows: IntArray, wanted: IntArray) -> IntArray | None:
    """The same where columns depend on one another: the first that may be left out is."""
    full = np.linalg.matrix_rank(rows)
    for column in range(rows.shape[1]):
        rest = np.delete(rows, column, axis=1)
        if rest.shape[1] and np.linalg.matrix_rank(rest) == full:
            found = _solved(rest, wanted)
            whole: IntArray | None = None if found is None else np.insert(found, column, 0)
            return whole
    return None


def _first_exact(
    columns: Mapping[str, IntArray],
    target: IntArray,
    chosen: NDArray[np.bool_],
    bases: Sequence[Sequence[str]],
) -> Affine | None:
    found = (exact_affine(columns, target, chosen, basis) for basis in bases)
    return next((form for form in found if form is not None), None)
