"""What an event counts of all stages in a steady round: Σ over u of `rounds.Part`, in closed form.

The sum is taken symbolically (`guarded_sums`). How it reads, as a short list of polynomials on
classes of p and x, is found from numbers and then compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sympy import QQ

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine
from schedules.closed_forms.counts import Region
from schedules.schedule import IntArray
from theory.errors import UnsupportedFormError
from theory.laws.delays.guarded_sums import (
    VARIABLE,
    Borders,
    Guarded,
    border,
    border_on_class,
    on_class,
    opposite,
    polynomial,
    summed,
    vanishes,
)
from theory.laws.delays.rounds import Part, Rounds

SAMPLED: Final = (12, 20)
"""So many values of p a list is found from, more where that is not the sum."""

MOST_PIECES: Final = 20

_U, _X, _R, _P = (Affine(((name, 1),)) for name in ("u", "x", "r", "p"))
_ONE: Final = Affine((), 1)
_BELOW: Final = Affine((), -1)
_MONOMIALS: Final = ("", "x", "p", "r", "xp", "pp", "xx", "xr", "rp", "rr")

_ENDS: Final[Mapping[Region, tuple[Affine, Affine]]] = {
    Region.BELOW: (Affine(), _X.plus(_ONE, -1)),
    Region.AT: (_X, _X),
    Region.ABOVE: (_X.plus(_ONE), _P.plus(_ONE, -1)),
}
"""The first and the last u of a region."""


@dataclass(frozen=True)
class Piece:
    """Values where all ``borders`` are ≥ 0, by residues of p and x; pieces are apart."""

    borders: tuple[Affine, ...]
    values: Mapping[tuple[int, int], Any]


Pieces = tuple[Piece, ...]


def stages_and_places(counts: Rounds) -> Borders:
    """The stages x and the places r in a round that there are."""
    within = counts.period.plus(_R, -1).plus(_BELOW)
    forms = (_X, _P.plus(_X, -1).plus(_BELOW), _R, within, _P.plus(Affine((), -counts.least)))
    return frozenset(map(border, forms))


def domain_on_class(counts: Rounds, a: int, b: int) -> Borders:
    """The same for p ≡ a and x ≡ b."""
    k = counts.step
    return frozenset(
        border_on_class(border_on_class(one, "p", k, a), "x", k, b)
        for one in stages_and_places(counts)
    )


def count_sum(counts: Rounds, kind: Kind, a: int, b: int) -> list[Guarded]:
    """Σ over u of what an event counts beyond m of each stage, for p ≡ a and x ≡ b."""
    k, terms = counts.step, []
    for region in Region:
        first, last = _ENDS[region]
        own = (_U.plus(first, -1), last.plus(_U, -1))
        for part, e in product(counts.parts[kind, region], range(k)):
            whole = Guarded(frozenset(map(border, (*part.borders, *own))), polynomial(Affine()))
            for name, rest in (("p", a), ("x", b), ("u", e)):
                [whole] = on_class([whole], name, k, rest)
            terms.append(
                Guarded(whole.borders, _value(part, counts.period, k, {"p": a, "x": b, "u": e}))
            )
    return summed(terms, "u", domain_on_class(counts, a, b))


def _value(part: Part, period: Affine, k: int, rests: Mapping[str, int]) -> Any:
    """N − m on a class, as a polynomial."""
    [every] = on_class([Guarded(frozenset(), polynomial(period))], "p", k, rests["p"])
    if part.divisor < 0:
        return part.whole * every.value - VARIABLE["r"]
    rest = part.numerator.constant + sum(c * rests[name] for name, c in part.numerator.terms)
    quotient = Affine(part.numerator.terms, rest // k)
    return part.whole * every.value + polynomial(quotient)


def stage_sum(counts: Rounds, kind: Kind) -> tuple[Pieces, bool]:
    """A short list of polynomials, and whether it is the sum on every class.

    Raises
    ------
    UnsupportedFormError
        None fits small p.
    """
    for sampled in SAMPLED:
        found = guess_pieces(counts, kind, sampled)
        holds = all(right(counts, kind, found))
        if holds:
            break
    return found, holds


def guess_pieces(counts: Rounds, kind: Kind, sampled: int) -> Pieces:
    """The same at small p alone."""
    at, values = _numbers(counts, kind, sampled)
    guards = _guards(counts, kind)
    tests = np.array([guard.at(at) >= 0 for guard in guards])
    pieces: list[Piece] = []

    def part(inside: tuple[Affine, ...], here: NDArray[np.bool_]) -> None:
        """Cut off a half that has a form, the largest first, else cut in halves."""
        if len(pieces) > MOST_PIECES:
            return
        cover = (tests & here).sum(axis=1)
        some = np.flatnonzero((cover > 0) & (cover < here.sum()))
        form = _fitted(at, values, here, counts.step, sure=len(some) > 0)
        if form is not None:
            pieces.append(Piece(inside, form))
            return
        for which in some[np.argsort(-cover[some], kind="stable")]:
            form = _fitted(at, values, tests[which] & here, counts.step)
            if form is not None:
                pieces.append(Piece((*inside, guards[which]), form))
                part((*inside, opposite(guards[which])), here & ~tests[which])
                return
        if not len(some):
            raise _unsupported()
        which = some[np.argmin(abs(2 * cover[some] - here.sum()))]
        part((*inside, guards[which]), here & tests[which])
        part((*inside, opposite(guards[which])), here & ~tests[which])

    part((), np.ones(len(values), dtype=np.bool_))
    if len(pieces) > MOST_PIECES:
        raise _unsupported()
    return tuple(pieces)


def _unsupported() -> UnsupportedFormError:
    return UnsupportedFormError("sums of counts have a short form", "counts", "ask for numbers")


def _guards(counts: Rounds, kind: Kind) -> list[Affine]:
    """Where a part begins or ends at the first or last stage of a region."""
    found: dict[Affine, None] = {}
    for region in Region:
        for part, end in product(counts.parts[kind, region], _ENDS[region]):
            for one in part.borders:
                rest = Affine(tuple((n, c) for n, c in one.terms if n != "u"), one.constant)
                form = border(rest.plus(end, one.coefficient("u")))
                found |= {form: None, opposite(form): None}
    return [one for one in found if one.terms]


def _numbers(counts: Rounds, kind: Kind, sampled: int) -> tuple[dict[str, IntArray], IntArray]:
    """All points (x, r, p) of small p, and the sum at each."""
    points, sums = [], []
    for p in range(counts.least, counts.least + sampled):
        every = counts.period.at({"p": p})
        x, r, u = np.indices((p, every, p))
        at = {"u": u, "x": x, "r": r, "p": np.full_like(u, p)}
        total = np.zeros_like(u)
        inside = {Region.BELOW: u < x, Region.AT: u == x, Region.ABOVE: u > x}
        for region, here in inside.items():
            for part in counts.parts[kind, region]:
                there = here & np.all([one.at(at) >= 0 for one in part.borders], axis=0)
                beyond = part.numerator.at(at) // part.divisor + part.whole * every
                total += np.where(there, beyond, 0)
        sums.append(total.sum(axis=2).ravel())
        points.append(np.stack([one[:, :, 0].ravel() for one in (x, r, at["p"])]))
    table: IntArray = np.concatenate(points, axis=1)
    return dict(zip(("x", "r", "p"), table, strict=True)), np.concatenate(sums)


def _fitted(
    at: Mapping[str, IntArray], values: IntArray, chosen: Any, k: int, *, sure: bool = True
) -> dict[tuple[int, int], Any] | None:
    """One polynomial for each class of p and x, where there are points."""
    if not chosen.any():
        return None
    found = {}
    for a, b in product(range(k), repeat=2):
        own = chosen & (at["p"] % k == a) & (at["x"] % k == b)
        value = _polynomial({n: one[own] for n, one in at.items()}, values[own], 4 * k, sure=sure)
        if value is None:
            return None
        found[a, b] = value
    return found


def _polynomial(at: Mapping[str, IntArray], values: IntArray, scale: int, *, sure: bool) -> Any:
    """The quadratic polynomial through the points, of few monomials; None where there is none."""
    columns = [np.prod([at[n] for n in one], axis=0) * np.ones_like(values) for one in _MONOMIALS]
    kept: list[int] = []
    for number in range(len(columns)):
        rows = np.stack([columns[one] for one in (*kept, number)], axis=1)
        if len(values) and np.linalg.matrix_rank(rows) > len(kept):
            kept.append(number)
    if not len(values):
        return polynomial(Affine())
    if sure and len(values) <= len(kept):
        return None
    rows = np.stack([columns[one] for one in kept], axis=1)
    solution = np.linalg.lstsq(rows.astype(float), values.astype(float), rcond=None)[0]
    rounded = np.rint(scale * solution).astype(np.int64)
    if (rows @ rounded != scale * values).any():
        return None
    total = polynomial(Affine())
    for number, c in zip(kept, rounded.tolist(), strict=True):
        monomial = polynomial(_ONE)
        for name in _MONOMIALS[number]:
            monomial = monomial * VARIABLE[name]
        total += QQ(c, scale) * monomial
    return total


def as_guarded(pieces: Pieces, k: int, a: int, b: int) -> list[Guarded]:
    """The list for p ≡ a and x ≡ b, its pieces apart from one another."""
    whole = [Guarded(frozenset(piece.borders), piece.values[a, b]) for piece in pieces]
    return _on(whole, k, a, b)


def _on(terms: Sequence[Guarded], k: int, a: int, b: int) -> list[Guarded]:
    return on_class(on_class(terms, "p", k, a), "x", k, b)


def right(counts: Rounds, kind: Kind, pieces: Pieces) -> Iterator[bool]:
    """Whether a list is the sum, class by class."""
    k = counts.step
    for a, b in product(range(k), repeat=2):
        stated = [Guarded(one.borders, -one.value) for one in as_guarded(pieces, k, a, b)]
        difference = [*count_sum(counts, kind, a, b), *stated]
        yield vanishes(difference, domain_on_class(counts, a, b))
