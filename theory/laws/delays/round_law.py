"""The law of delays where start times repeat after P microbatches: entries, extremes and mean.

D[i][j] of the update of microbatch m = q·P + r is A(i, r) − R(j, r). Backwards of a microbatch go
down the stages and forwards up, so D is largest at (0, 0) and least at (p − 1, p − 1) for every r.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Final

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine
from theory.errors import UnsupportedFormError
from theory.laws.delays.guarded_sums import (
    NAMES,
    Borders,
    Guarded,
    border,
    cells,
    form_on_class,
    on_class,
    polynomial,
    put,
    solver_term,
    summed,
    vanishes,
)
from theory.laws.delays.round_sums import Pieces, as_guarded, stage_sum, stages_and_places
from theory.laws.delays.rounds import Rounds
from theory.smt.solver import Outcome, Statement, decide
from theory.verdicts import Verdict

p_ = sympy.Symbol("p", integer=True)
LATER: Final = 3
"""So many values of p from which on extremes may have one form."""

FAR: Final = 10**6
"""A p beyond all borders."""

ByClass = Mapping[int, Any]
"""Polynomials in p, by the residue of p."""


@dataclass(frozen=True)
class RoundLaw:
    """Delays of steady rounds.

    Attributes
    ----------
    counts : Rounds
    index, recorded : tuple of Piece
        A and R, in ``x``, ``r`` and ``p``.
    largest, least, mean : mapping
        Over all i, j and r: polynomials in p by its residue.
    """

    counts: Rounds
    index: Pieces
    recorded: Pieces
    largest: ByClass
    least: ByClass
    mean: ByClass


def round_law(counts: Rounds) -> tuple[RoundLaw, list[Outcome]]:
    """Entries, compared with the sums of the counts on every cell, and what follows exactly.

    Raises
    ------
    UnsupportedFormError
        Sums, extremes or the mean have no short form.
    """
    (index, one), (recorded, other) = (stage_sum(counts, kind) for kind in (Kind.B, Kind.F))
    for more in range(LATER):
        later = replace(counts, least=counts.least + more)
        with suppress(UnsupportedFormError):
            corners = (_corner(later, index, recorded, last=last) for last in (False, True))
            largest, least = map(partial(_extreme, later), corners, (1, -1))
            law = RoundLaw(later, index, recorded, largest, least, _mean(later, index, recorded))
            return law, _outcomes(holds=one and other)
    raise UnsupportedFormError("extremes and mean have a short form", "delays", "ask for numbers")


_SAYS: Final = (
    ("matrix", "A and R are the sums of the counts over all stages, on every cell"),
    ("extremes", "no entry over i, j and r is beyond the extremes, which are attained"),
    ("mean", "the mean over all i, j and r is an exact sum of the cells"),
)
"""Extremes and mean are computed from entries, by steps that refuse what they cannot show."""


def _outcomes(*, holds: bool) -> list[Outcome]:
    """Of a law whose entries are the sums, or are not."""
    verdict = Verdict.PROVED if holds else Verdict.UNKNOWN
    note = "polynomials on cells of the stages and places in a round"
    return [
        Outcome(name, says, verdict, {}, note, 1, ("comparison", "solver")) for name, says in _SAYS
    ]


def _domain(counts: Rounds, modulus: int, a: int) -> Borders:
    """The places in a round, and the stages p ≡ a, of p = modulus · p' + a."""
    forms = [one for one in stages_and_places(counts) if not one.coefficient("x")]
    return frozenset(border(form_on_class(one, "p", modulus, a)) for one in forms)


def _corner(counts: Rounds, index: Pieces, recorded: Pieces, *, last: bool) -> list[list[Guarded]]:
    """D[0][0] or D[p − 1][p − 1] in r, by the residue of p."""
    k, found = counts.step, []
    for a in range(k):
        b = (a - 1) % k if last else 0
        at = Affine((("p", 1),), (a - 1 - b) // k) if last else Affine()
        terms = [(one, 1) for one in as_guarded(index, k, a, b)]
        terms += [(one, -1) for one in as_guarded(recorded, k, a, b)]
        found.append(put([Guarded(one.borders, sign * one.value) for one, sign in terms], "x", at))
    return found


def _extreme(counts: Rounds, corner: Sequence[list[Guarded]], sign: int) -> ByClass:
    """The largest value over r (least with −1), at one end of the round or near it."""
    k, found = counts.step, {}
    for a, terms in enumerate(corner):
        every, domain = form_on_class(counts.period, "p", k, a), _domain(counts, k, a)
        ends = [form for c in range(4) for form in (Affine((), c), every.plus(Affine((), -c - 1)))]
        for end in ends:
            there = frozenset(one for one in domain if not one.coefficient("r"))
            value = _far(put(terms, "r", end))
            whole = [*put(terms, "r", end), Guarded(frozenset(), -value)]
            over = [*_times(terms, -sign), Guarded(frozenset(), sign * value)]
            if vanishes(whole, there) and _never_negative(over, domain):
                found[a] = value
                break
        else:
            raise UnsupportedFormError(
                "extremes lie at an end of a round", "delays", "ask for numbers"
            )
    return found


def _times(terms: Iterable[Guarded], factor: int) -> list[Guarded]:
    return [Guarded(one.borders, factor * one.value) for one in terms]


def _far(terms: Iterable[Guarded]) -> Any:
    """The polynomial in p that terms come to where p is large."""
    at = dict.fromkeys(NAMES, 0) | {"p": FAR}
    there = [one.value for one in terms if all(side.at(at) >= 0 for side in one.borders)]
    return sum(there, polynomial(Affine()))


def _never_negative(terms: Iterable[Guarded], domain: Borders) -> bool:
    for cell in cells(terms, domain):
        inside = tuple(solver_term(one) >= 0 for one in cell.borders)
        stated = Statement("cell", "no value below 0", inside, _as_term(cell.value) >= 0)
        if decide(stated).verdict is not Verdict.PROVED:
            return False
    return True


def _as_term(value: Any) -> Any:
    """A polynomial, times its common denominator, for the solver."""
    _, whole = value.clear_denoms()
    total = z3.IntVal(0)
    for powers, c in whole.terms():
        monomial = z3.IntVal(int(c))
        for name, power in zip(NAMES, powers, strict=True):
            for _ in range(power):
                monomial = monomial * z3.Int(name)
        total = total + monomial
    return total


def _mean(counts: Rounds, index: Pieces, recorded: Pieces) -> ByClass:
    """(Σ A − Σ R) / (p·P) over stages and places, by the residue of p modulo 2k."""
    k, found = counts.step, {}
    for half, a in product(range(2), range(k)):
        modulus, rest = 2 * k, k * half + a
        total: list[Guarded] = []
        for (pieces, sign), b, c in product(((index, 1), (recorded, -1)), range(k), range(k)):
            terms = on_class(as_guarded(pieces, k, a, b), "p", 2, half)
            inside = (form_on_class(one, "x", k, b) for one in stages_and_places(counts))
            sides = frozenset(border(form_on_class(one, "p", modulus, rest)) for one in inside)
            whole = [Guarded(one.borders | sides, sign * one.value) for one in terms]
            whole = on_class(whole, "r", k, c)
            nothing = frozenset(
                one for one in _domain(counts, modulus, rest) if not one.coefficient("r")
            )
            total += summed(summed(whole, "x", nothing), "r", nothing)
        value = _far(total)
        if not vanishes([*total, Guarded(frozenset(), -value)], nothing):
            raise UnsupportedFormError(
                "the mean has one form for every p", "delays", "ask for numbers"
            )
        found[rest] = value
    return found


def in_p(value: Any, modulus: int, rest: int) -> sympy.Expr:
    """A polynomial on a class of p, in p itself."""
    return sympy.expand(
        value.as_expr().subs(sympy.Symbol("p"), (p_ - rest) / sympy.Integer(modulus))
    )
