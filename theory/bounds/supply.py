"""`Supply`: the bounds that the folder of a paper supplies, and what it says of comparing them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import sympy

from theory.account import Ground
from theory.bounds.model import Bound, Values

Readings = Mapping[str, tuple[Bound, ...]]
"""The bounds of a method by how it is read, such as by its delays; the first reading is taken."""


@dataclass(frozen=True)
class Preference:
    """Where one part of a bound is at most that of another method, both ways.

    Attributes
    ----------
    method, form : str
    part : str
        Its name.
    where, domain : sympy condition
        On the domain it holds exactly there.
    grounds : tuple of Ground
        What proves that.
    """

    method: str
    form: str
    part: str
    where: sympy.Basic
    domain: sympy.Basic
    grounds: tuple[Ground, ...]

    def holds_at(self, values: Values) -> bool | None:
        """Whether exact numbers lie in the region and in its domain; None if some are missing."""
        if not (self.where.free_symbols | self.domain.free_symbols) <= set(values):
            return None
        at = (one.subs(dict(values)) for one in (self.where, self.domain))
        return all(one == sympy.true for one in at)


@dataclass(frozen=True)
class Supply:
    """Bounds by the names of their methods.

    Attributes
    ----------
    methods : mapping of str to Readings
    groups : mapping of str to tuple of str
        Names that stand for several methods, which are alternatives to one another.
    preferences : tuple of Preference
    """

    methods: Mapping[str, Readings] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    preferences: tuple[Preference, ...] = ()

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """The symbols of all bounds, and of what stands in for them, by name."""
        every = (
            b for readings in self.methods.values() for bounds in readings.values() for b in bounds
        )
        return {str(symbol): symbol for bound in every for symbol in bound.letters}


def by_method(bounds: Iterable[Bound]) -> dict[str, Readings]:
    """Bounds by their methods, each of which is read in one way.

    Examples
    --------
    >>> one = Bound("one", "printed", "", "", "", ({},))
    >>> {name: len(readings[""]) for name, readings in by_method([one, one]).items()}
    {'one': 2}
    """
    found: dict[str, list[Bound]] = defaultdict(list)
    for bound in bounds:
        found[bound.method].append(bound)
    return {method: {"": tuple(forms)} for method, forms in found.items()}


def joined(supplies: Iterable[Supply]) -> Supply:
    """What several folders supply, as one."""
    every = tuple(supplies)
    return Supply(
        {name: readings for one in every for name, readings in one.methods.items()},
        {name: methods for one in every for name, methods in one.groups.items()},
        tuple(preference for one in every for preference in one.preferences),
    )
