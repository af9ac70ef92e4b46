"""`falsify`: look for an instance whose measured quantity exceeds a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import sympy

from theory.falsifier.compare import attained, exceeds, quick, value_in_words
from theory.falsifier.errors import DisagreementError, UnmeasuredSymbolError
from theory.falsifier.model import Attempt, Challenge, Instance
from theory.falsifier.numbers import Enclosure, Number, exact, written
from theory.ledger import Evidence

NEAR: Final = 1e-9
"""Relative distance within which doubles do not decide."""

MOST_SHRINKS: Final = 400
"""Instances that shrinking may measure."""


def falsify(
    challenge: Challenge,
    bound: sympy.Expr,
    *,
    deep: bool = False,
    where: sympy.Basic = sympy.true,
) -> Attempt:
    """Compare a bound with every admissible instance of a challenge.

    Parameters
    ----------
    challenge : Challenge
    bound : sympy expression
        Over the symbols of the paper, by their names.
    deep : bool
        Also the long and wide instances: minutes instead of about a second.
    where : sympy condition
        Instances outside it do not count, for example ``gamma <= 1/L``.

    Returns
    -------
    Attempt
        With a witness only for an exact violation; the search ends there.

    Raises
    ------
    UnmeasuredSymbolError
        The bound or the condition uses a symbol to which no instance gives a value.
    DisagreementError
        Two independent methods measure a violation differently.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from theory.falsifier.challenges import challenge
    >>> from theory.falsifier.zoo import QUADRATICS
    >>> problem, a = QUADRATICS[0](1), sympy.Symbol("a")
    >>> def made(size):
    ...     return Instance(problem, (("a", Fraction(size)),), "none")
    >>> def square(one):
    ...     return one.numbers["a"] ** 2
    >>> one = challenge("squares", "a²", lambda _: (1, 3), made, square, square, lambda _: ())
    >>> falsify(one, a**2).witness is None
    True
    >>> attempt = falsify(one, 2 * a)
    >>> attempt.evidence.points, attempt.witness["measured"], attempt.witness["bound"]
    ('against', '9', '6')
    """
    test = _Test(challenge, bound, where)
    tried = undefined = 0
    ratio: float | None = None
    closest: Instance | None = None
    for instance in challenge.instances(deep):
        if not test.admits(instance):
            continue
        outcome = test.compare(instance)
        if outcome is None:
            undefined += 1
            continue
        tried += 1
        if outcome.violated:
            smallest = shrink(test, instance)
            witness = _witness(test, smallest, instance)
            found = _against(challenge, bound, tried, outcome, witness)
            return replace(found, violation=smallest)
        if outcome.ratio is not None and _closer(outcome, instance, ratio, closest):
            ratio, closest = outcome.ratio, instance
    rates = tuple(run() for run in challenge.rates) if deep else ()
    return replace(_for(test, tried, undefined, ratio, closest), rates=rates)


@dataclass(frozen=True)
class _Outcome:
    """One comparison: measured/bound, None for a bound of 0."""

    ratio: float | None
    violated: bool


def _closer(
    outcome: _Outcome, instance: Instance, ratio: float | None, closest: Instance | None
) -> bool:
    """Whether this instance is the better one to show; a rational one wins a tie."""
    if ratio is None or closest is None or outcome.ratio is None:
        return True
    if abs(outcome.ratio - ratio) <= NEAR * ratio:
        return instance.problem.rational and not closest.problem.rational
    return outcome.ratio > ratio


class _Test:
    """A bound on a challenge, compiled once."""

    def __init__(self, challenge: Challenge, bound: sympy.Expr, where: sympy.Basic) -> None:
        self.challenge, self.bound, self.where = challenge, sympy.sympify(bound), where
        self._quick = quick(self.bound)
        self.names = {s.name for s in self.bound.free_symbols | where.free_symbols}

    def admits(self, instance: Instance) -> bool:
        """Whether the condition holds, exactly."""
        missing = self.names - set(instance.numbers)
        if missing:
            raise UnmeasuredSymbolError(
                f"no value for {', '.join(sorted(missing))}; instances give "
                f"{', '.join(instance.numbers)}",
                f"challenge {self.challenge.name}",
                "use another challenge, or state the bound over these symbols",
            )
        if self.where == sympy.true:
            return True
        at = {s: exact(instance.numbers[s.name]) for s in self.where.free_symbols}
        return bool(self.where.xreplace(at) == sympy.true)

    def compare(self, instance: Instance) -> _Outcome | None:
        """Doubles first; where they do not clearly say "below", certified intervals."""
        limit = self._quick(instance.numbers)
        if math.isnan(limit):
            return None
        measured = self.challenge.measure(instance)
        number = float(measured)
        clear = number < limit - NEAR * max(abs(limit), abs(number))
        try:
            violated = not clear and exceeds(measured, self.bound, instance.numbers)
        except ZeroDivisionError:
            return None
        return _Outcome(number / limit if limit > 0 else None, violated)


def shrink(test: _Test, instance: Instance) -> Instance:
    """A simpler instance that violates the bound as well, as far as single steps lead."""
    left = MOST_SHRINKS
    found = True
    while found:
        found = False
        for candidate in test.challenge.smaller(instance):
            left -= 1
            if left < 0:
                return instance
            if not test.admits(candidate):
                continue
            outcome = test.compare(candidate)
            if outcome is not None and outcome.violated:
                instance, found = candidate, True
                break
    return instance


def _witness(test: _Test, instance: Instance, found: Instance) -> Mapping[str, Any]:
    """The violation, after an independent method has measured it again."""
    measured, again = test.challenge.measure(instance), test.challenge.replay(instance)
    if not agree(measured, again):
        raise DisagreementError(
            f"two methods measure {written(measured)} and {written(again)}",
            f"challenge {test.challenge.name}: {instance.describe()}",
            "one of the two implementations is wrong; no verdict follows",
        )
    described = instance.describe()
    if instance != found:
        described["problem"]["name"] += ", made smaller"
    return {
        **described,
        "measures": test.challenge.says,
        "measured": written(measured),
        "bound": value_in_words(test.bound, instance.numbers),
        "formula": sympy.sstr(test.bound),
        "replayed": "exactly, by a second method",
    }


def agree(one: Number, other: Number) -> bool:
    """Equal, or enclosures that meet.

    Examples
    --------
    >>> from fractions import Fraction
    >>> agree(Fraction(1, 2), Fraction(2, 4)), agree(Fraction(1), Fraction(2))
    (True, False)
    """
    if isinstance(one, Enclosure) and isinstance(other, Enclosure):
        return one.low <= other.high and other.low <= one.high
    return one == other


def _against(
    challenge: Challenge,
    bound: sympy.Expr,
    tried: int,
    outcome: _Outcome,
    witness: Mapping[str, Any],
) -> Attempt:
    says = (
        f"{challenge.says}: {witness['measured']} exceeds {witness['bound']} on "
        f"{witness['problem']['name']!r}, after {tried} instances"
    )
    evidence = Evidence("against", says, {"challenge": challenge.name, "witness": dict(witness)})
    return Attempt(tried, witness, outcome.ratio, None, False, evidence)


def _for(
    test: _Test, tried: int, undefined: int, ratio: float | None, closest: Instance | None
) -> Attempt:
    reached = (
        closest is not None
        and ratio is not None
        and abs(ratio - 1) <= NEAR
        and attained(test.challenge.measure(closest), test.bound, closest.numbers)
    )
    how = "attained exactly" if reached else f"measured/bound is at most {ratio or 0:.4f}"
    data: dict[str, Any] = {
        "challenge": test.challenge.name,
        "tried": tried,
        "undefined": undefined,
        "ratio": "1" if reached else None if ratio is None else f"{ratio:.6f}",
        "closest": None if closest is None else closest.describe(),
    }
    points = Evidence(
        "for" if tried else "neither",
        f"{test.challenge.says}: no violation in {tried} exact instances; {how}"
        if tried
        else f"{test.challenge.says}: no instance is admissible",
        data,
    )
    return Attempt(tried, None, ratio, closest, reached, points)
