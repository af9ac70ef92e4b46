"""What is known of a bound, beyond its number: the verdict of its claim, and what else gives it.

A printed bound whose claim is not proved may still hold at given numbers: where it is no smaller
than a bound on the same method that is proved. Bounds that are tuned are about different stepsizes,
so nothing follows from one for another; nor from a bound that reads its method in another way than
the paper has it, such as with samples that its algorithm does not draw.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import sympy

from theory.bounds.evaluation import Evaluation
from theory.bounds.model import PRINTED, Bound, Values
from theory.bounds.numbers import Number
from theory.bounds.tuning import Tuned
from theory.claims import Claim
from theory.judging.catalogue import CLAIMS
from theory.judging.judge import judged
from theory.verdicts import Verdict

_REACHED: Final[dict[int, tuple[Claim, Verdict]]] = {}
"""Verdicts of claims, each beside its claim, so that no other one gets its place."""


def verdict_of(bound: Bound) -> Verdict:
    """The verdict of a bound's claim by its own prover, without its controls.

    Examples
    --------
    >>> verdict_of(Bound("Young", "printed", "", "", "kernel.young", ({},))).name
    'PROVED'
    """
    claim = CLAIMS[bound.claim] if bound.stated_by is None else bound.stated_by
    if id(claim) not in _REACHED:
        _REACHED[id(claim)] = claim, judged(claim).verdict
    return _REACHED[id(claim)][1]


Found = Evaluation | Tuned
"""A bound at numbers, or at its own best stepsize."""


@dataclass(frozen=True)
class Standing:
    """A bound at numbers and what is known of it.

    Attributes
    ----------
    found : Found
    verdict : Verdict
        Of the bound's claim.
    given_by : Found or None
        A proved bound on the same method that is no larger at these numbers; itself if proved.
    reading : str
        What the bound takes its method to do at these numbers, other than the paper has it, or "".
    """

    found: Found
    verdict: Verdict
    given_by: Found | None
    reading: str = ""

    @property
    def proved(self) -> bool:
        """Whether the bound's own claim is proved."""
        return self.verdict is Verdict.PROVED


def is_proved(bound: Bound, given: Values, free: Collection[sympy.Symbol] = ()) -> bool:
    """Whether a bound is proved at these numbers, of the method as the paper has it.

    Examples
    --------
    >>> from theory.bounds.model import AtMost
    >>> kappa = sympy.Symbol("kappa", nonnegative=True)
    >>> whole = AtMost(sympy.Integer(1), kappa, "nothing is fresh")
    >>> own = Bound(
    ...     "own", PRINTED, "", "", "kernel.young", ({},), reading="own samples", faithful=(whole,)
    ... )
    >>> is_proved(own, {}), is_proved(own, {kappa: sympy.Integer(1)})
    (False, True)
    """
    return not bound.read_otherwise(given, free) and verdict_of(bound) is Verdict.PROVED


def standings(found: Sequence[Found], given: Values) -> tuple[Standing, ...]:
    """What is known of each of several bounds, given all of them.

    Parameters
    ----------
    found : sequence of Found
    given : mapping of symbol to number
        The numbers that the bounds are taken at.
    """
    proved = [one for one in found if is_proved(one.bound, given)]
    return tuple(
        Standing(
            one, verdict_of(one.bound), _given_by(one, proved), one.bound.read_otherwise(given)
        )
        for one in found
    )


def _given_by(one: Found, proved: Iterable[Found]) -> Found | None:
    if verdict_of(one.bound) is Verdict.PROVED:
        return one
    alike = (
        other
        for other in proved
        if other.bound.method == one.bound.method and not isinstance(other, Tuned)
    )
    no_larger = (other for other in alike if not _less(one.total, other.total))
    return min(no_larger, key=lambda other: other.total.interval.high, default=None)


def _less(one: Number, other: Number) -> bool:
    """Whether it may be less: enclosures that overlap say nothing."""
    return one.interval.low < other.interval.high


def smallest(found: Sequence[Standing], *, printed: bool) -> tuple[Standing, ...]:
    """The smallest bounds as printed, or of those that are proved; of equals all, in order.

    Bounds with a reading of their own are about other methods, and left out.
    """
    chosen = [
        one
        for one in found
        if (one.found.bound.form == PRINTED if printed else one.proved and not one.reading)
    ]
    least = min((one.found.total.interval.high for one in chosen), default=None)
    return tuple(one for one in chosen if one.found.total.interval.high == least)
