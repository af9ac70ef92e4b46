"""Start times of PipeDream's rule for a bound on active microbatches, whatever function of p."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import gcd
from typing import Any, Final

from schedules.closed_forms.affine import LET_IN, ONE, ROUNDS, Affine, Piece, Piecewise, Quotient
from schedules.closed_forms.start_times import LEAST_STAGES, StartTimes
from schedules.errors import ScheduleError

BOUNDS_READ: Final = range(LEAST_STAGES, 60)
"""Pipelines at which a bound is read."""

Bound = Callable[[int], int] | None
InFlight = Callable[[int, int], int] | None

MOST_PARTS: Final = 9
"""Bounds are read as fractions of p with a smaller denominator, over two periods or more."""


def read_bound(admission: Callable[[int], int]) -> tuple[Quotient, int, bool] | None:
    """A bound as ⌊(αp + β)/d⌋ from some p on, where it stays below p, or never does.

    Examples
    --------
    >>> [str(part) for part in read_bound(lambda p: min(p, 5))]
    ['5', '6', 'True']
    >>> [str(part) for part in read_bound(lambda p: max(1, (p - 1) // 2))]
    ['floor(p/2 - 1/2)', '3', 'True']
    """
    bounds = _bounds(admission)
    return None if bounds is None else _read(bounds)


@dataclass(frozen=True)
class Part:
    """A bound for the p that leave a rest: p − p % 2 is p − 1 where p leaves 1 by 2.

    Attributes
    ----------
    modulus, rest : int
    least : int
        The least p from which on it is the form.
    form : Quotient
    """

    modulus: int
    rest: int
    least: int
    form: Quotient

    @property
    def admission(self) -> Callable[[Any], Any]:
        """The form as a bound at every p, a formula that proofs can read."""
        form = self.form.form
        return partial(_divided, form.coefficient("p"), form.constant, self.form.divisor)

    def here(self, p: int) -> bool:
        """Whether p is one of its numbers."""
        return p >= self.least and p % self.modulus == self.rest

    @property
    def where(self) -> str:
        """Which p they are, from the least on."""
        return f"p % {self.modulus} == {self.rest}"

    def words(self, stated: str) -> str:
        """A domain of the form, as one of these p."""
        own, *others = stated.split(", ")
        least = max(self.least, int(own.removeprefix("p >= ")))
        return ", ".join([str(replace(self, least=least)), *others])

    def __str__(self) -> str:
        return f"p >= {self.least}, {self.where}"


def _divided(slope: int, constant: int, divisor: int, p: Any) -> Any:
    return (slope * p + constant) // divisor


def parts_of(admission: Bound) -> tuple[Part, ...]:
    """The forms of a bound that only has some where p leaves a rest; none where one form does.

    Examples
    --------
    >>> [f"{part}: {part.form}" for part in parts_of(lambda p: p - p % 2)]
    ['p >= 2, p % 2 == 0: p', 'p >= 2, p % 2 == 1: p - 1']
    >>> parts_of(lambda p: p // 2)
    ()
    """
    bounds = None if admission is None else _bounds(admission)
    if bounds is None or _read(bounds) is not None:
        return ()
    for modulus in range(2, MOST_PARTS):
        own = [{p: n for p, n in bounds.items() if p % modulus == a} for a in range(modulus)]
        found = [_read(one, modulus) for one in own]
        if None not in found:
            read = enumerate(filter(None, found))
            return tuple(Part(modulus, a, least, form) for a, (form, least, _) in read)
    return ()


def _bounds(admission: Callable[[int], int]) -> dict[int, int] | None:
    try:
        return dict(zip(BOUNDS_READ, map(admission, BOUNDS_READ), strict=True))
    except ScheduleError:  # a user's function knows small p alone
        return None


def _read(bounds: Mapping[int, int], step: int = 1) -> tuple[Quotient, int, bool] | None:
    """The form of a bound that is known at every p, or at every `step`."""
    last = max(bounds)
    below = bounds[last] < last
    for divisor in range(step, MOST_PARTS, step):
        slope = bounds[last] - bounds[last - divisor]
        late = range(last - divisor + step, last + 1, step)
        rest = max(divisor * bounds[p] - slope * p for p in late)
        common = gcd(slope, divisor)
        terms = (("p", slope // common),) if slope else ()
        N = Quotient(Affine(terms, rest // common), divisor // common)
        other = [p for p, n in bounds.items() if n != N.at({"p": p}) or n < 1 or (n < p) != below]
        least = 1 + max(other, default=LEAST_STAGES - 1)
        if least <= last - 2 * (MOST_PARTS - 1):
            return N, least, below
    return None


def let_in(admission: Bound, in_flight: InFlight) -> Bound:
    """How many microbatches a rule lets in at the first stage, by p; None for any number."""
    if admission is None or in_flight is None:
        return admission if in_flight is None else partial(in_flight, 0)
    return lambda p: min(admission(p), in_flight(0, p))


def stages_hold(N: Quotient, in_flight: InFlight = None) -> tuple[Affine, ...]:
    """Forms in N, p and s: the least of them is how many microbatches a stage has in flight.

    N and 2(p − s) − 1, which no stage of PipeDream's rule exceeds, and p − s + c, if the bound of
    a stage is that where it is below both.

    Examples
    --------
    >>> five = Quotient(Affine((), 5))
    >>> [str(form) for form in stages_hold(five, lambda s, p: min(5, p - s + 1))]
    ['N', '2*p - 2*s - 1', 'p - s + 1']
    """
    alone = (Affine(((LET_IN, 1),)), Affine((("p", 2), ("s", -2)), -1))
    if in_flight is None:
        return alone
    p = BOUNDS_READ[-1]
    at = {"p": p, LET_IN: N.at({"p": p})}
    for s in range(p):
        less = in_flight(s, p)
        if less < min(form.at({**at, "s": s}) for form in alone):
            ramp = Affine((("p", 1), ("s", -1)), less - p + s)
            return (alone[0], ramp) if ramp.constant <= 0 else (*alone, ramp)
    return alone


def of_pipedream(admission: Callable[[int], int], in_flight: InFlight = None) -> StartTimes | None:
    """PipeDream's start times where N microbatches are let in, from some p on.

    If N is below p, a round of N starts when the one before is over, 2p slots later: forms are in
    m = q·N + r. A stage may have p − s + c in flight at most, which delays forwards of the first
    round. Else the first N start as if there was no bound, and from then on a microbatch at stages
    s < 2p − N as one leaves. None where the bound is no such form.

    Examples
    --------
    >>> of_pipedream(lambda p: min(p, 5)).least, of_pipedream(lambda p: p + 3).least
    (6, 2)
    """
    bound = read_bound(admission)
    if bound is None:
        return None
    N, least, below = bound
    m, more = ("r", Affine(((ROUNDS, 2),))) if below else ("m", Affine())
    late = Piece(None, Affine(((m, 2), ("s", 3), ("p", -2)), 2))
    early = Piece(Affine(((m, -1), ("s", -2), ("p", 2)), -2), Affine(((m, 1), ("s", 1))))
    if below:
        steady = Piece(Affine((("q", 1),), -1), Affine(((ROUNDS, 2), ("r", 2), ("s", 1))))
        ramp = stages_hold(N, in_flight)[-1]
        if ramp.coefficient("s") == -1:
            forward = Piecewise((steady, *_held_back(ramp.constant)))
            return StartTimes(forward, _backward(m, more), N, least)
    else:
        form = N.form if N.divisor == 1 else Affine(((LET_IN, 1),))
        full = Affine((("m", 2), ("s", 1), ("p", 2))).plus(form, -2)
        few = Affine((("s", -1), ("p", 2)), -1).plus(form, -1)
        steady = Piece(Affine((("m", 1),)).plus(form, -1), full, few)
    forward, backward = Piecewise((steady, early, late)), _backward(m, more)
    if below:
        return StartTimes(forward, backward, N, least)
    return StartTimes(forward, backward, ONE, least, None if N.divisor == 1 else N)


def _backward(m: str, more: Affine) -> Piecewise:
    """Slots of B."""
    return Piecewise((Piece(None, Affine(((m, 2), ("s", -1), ("p", 2)), -1).plus(more)),))


def _held_back(c: int) -> tuple[Piece, ...]:
    """Slots of F in the first round, where stages have p − s + c in flight at most."""
    early = Affine((("r", 1), ("s", 1)))
    full = early.plus(Affine((("p", 1),), c), -1)
    late = Piece(
        Affine((("s", 1), ("p", -1)), c),
        Affine((("r", 2), ("s", 3), ("p", -2)), 2),
        Affine((("r", 1), ("s", 2), ("p", -2)), 1),
    )
    later = Piece(full, Affine((("r", 2), ("s", 1)), -2 * c))
    return (*[late] * (c > 0), later, Piece(None, early))
