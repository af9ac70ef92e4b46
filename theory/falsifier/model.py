"""What the falsifier works on: instances of a method, challenges, and the outcome of an attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from theory.falsifier.numbers import Enclosure, Number, exact, written
from theory.falsifier.problem import Problem
from theory.ledger import Evidence


@dataclass(frozen=True)
class Instance:
    """A method with all its parameters, on one problem.

    Attributes
    ----------
    problem : Problem
    values : tuple of (str, Number)
        Parameters and exactly computed constants, by the names of the paper's symbols.
    delays : str
        The delay rule, or what the method has in its place.
    engine : str
        ``tree`` enumerates all samplings, ``moments`` runs a second-moment recursion.
    """

    problem: Problem
    values: tuple[tuple[str, Number], ...]
    delays: str
    engine: str = "tree"

    @property
    def seed(self) -> int:
        """Of a problem that was drawn at random; 0 otherwise."""
        return self.problem.seed

    @cached_property
    def numbers(self) -> Mapping[str, Number]:
        """The values by name."""
        return dict(self.values)

    @cached_property
    def parameters(self) -> Mapping[str, sympy.Expr]:
        """The values as exact sympy numbers."""
        return {name: exact(number) for name, number in self.values}

    def describe(self) -> dict[str, Any]:
        """As plain data that determine the instance."""
        return {
            "problem": self.problem.describe(),
            "parameters": {name: written(number) for name, number in self.values},
            "delays": self.delays,
            "seed": self.seed,
            "engine": self.engine,
        }


@dataclass(frozen=True)
class Challenge:
    """A quantity that a theorem bounds, and the instances it is measured on.

    Attributes
    ----------
    name, says : str
    instances : callable
        Admissible instances; the argument says whether the search is deep.
    measure : callable
        The quantity on an instance, exactly.
    replay : callable
        The same by an independent method.
    smaller : callable
        Simpler admissible instances beside one, for shrinking.
    rates : callables
        Long runs of a deep search.
    """

    name: str
    says: str
    instances: Callable[[bool], Iterator[Instance]]
    measure: Callable[[Instance], Number] = field(repr=False)
    replay: Callable[[Instance], Number] = field(repr=False)
    smaller: Callable[[Instance], Iterator[Instance]] = field(repr=False)
    rates: Sequence[Callable[[], Evidence]] = field(default=(), repr=False)

    def measured(self, instance: Instance) -> sympy.Expr | Enclosure:
        """The quantity as an exact sympy number, or a certified enclosure."""
        number = self.measure(instance)
        return number if isinstance(number, Enclosure) else exact(number)


@dataclass(frozen=True)
class Attempt:
    """What an attempt to falsify a bound came to.

    Attributes
    ----------
    tried : int
        Instances compared.
    witness : mapping or None
        A violation, exact, shrunk and replayed by an independent method, as plain data.
    ratio : float or None
        The largest measured/bound among positive bounds.
    closest : Instance or None
        Where it was found; it is 1 exactly where `attained`.
    attained : bool
        The closest instance has measured = bound exactly.
    evidence : Evidence
        ``"against"`` with a witness, ``"for"`` without, ``"neither"`` if nothing was tried.
    rates : tuple of Evidence
        Of a deep search: long runs with fitted exponents, and the data of a picture.
    violation : Instance or None
        The instance of the witness.
    """

    tried: int
    witness: Mapping[str, Any] | None
    ratio: float | None
    closest: Instance | None
    attained: bool
    evidence: Evidence
    rates: tuple[Evidence, ...] = ()
    violation: Instance | None = None


def fractions(one: Instance, *names: str) -> list[Fraction]:
    """Values that are fractions in every instance of a rational problem."""
    values = [one.numbers[name] for name in names]
    assert all(isinstance(value, Fraction) for value in values)
    return [value for value in values if isinstance(value, Fraction)]
