"""`challenge`: the challenge that a method's settings make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.model import Challenge, Instance
from theory.falsifier.numbers import Number
from theory.ledger import Evidence

Accept = Callable[[Instance], Instance]
"""Completes an instance, or raises `RejectedInstanceError`."""

Setting = TypeVar("Setting")
"""What is chosen of an instance; all else is computed."""


def as_it_is(one: Instance) -> Instance:
    """Accept every instance."""
    return one


def challenge(
    name: str,
    says: str,
    settings: Callable[[bool], Iterable[Setting]],
    instance: Callable[[Setting], Instance],
    measure: Callable[[Instance], Number],
    replay: Callable[[Instance], Number],
    simpler: Callable[[Instance], Iterable[Setting]],
    accept: Accept = as_it_is,
    rates: Sequence[Callable[[], Evidence]] = (),
) -> Challenge:
    """A challenge whose instances are made from settings once, and kept.

    Parameters
    ----------
    name, says, measure, replay, rates
        As in `Challenge`.
    settings : callable
        What is tried; the argument says whether the search is deep.
    instance : callable
        A setting with its exactly computed constants; it may raise `RejectedInstanceError`.
    simpler : callable
        Settings that are simpler than that of an instance.
    accept : callable
        What the statement supposes beyond that.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from theory.falsifier.zoo import QUADRATICS
    >>> problem = QUADRATICS[0](1)
    >>> def made(size):
    ...     return Instance(problem, (("a", Fraction(size)),), "none")
    >>> def square(one):
    ...     return one.numbers["a"] ** 2
    >>> found = challenge("square", "a²", lambda _: (1, 2), made, square, square, lambda _: ())
    >>> [found.measured(one) for one in found.instances(False)]
    [1, 4]
    """

    @lru_cache(maxsize=2)
    def kept(deep: bool) -> tuple[Instance, ...]:
        return tuple(_admissible(settings(deep), instance, accept))

    return Challenge(
        name,
        says,
        lambda deep: iter(kept(deep)),
        measure,
        replay,
        lambda one: _admissible(simpler(one), instance, accept),
        rates,
    )


def _admissible(
    settings: Iterable[Setting], instance: Callable[[Setting], Instance], accept: Accept
) -> Iterator[Instance]:
    for setting in settings:
        try:
            yield accept(instance(setting))
        except RejectedInstanceError:
            continue
