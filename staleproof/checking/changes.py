"""What is different between two schedules: invariants kept, and the numbers behind them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, zip_longest
from typing import Any, Final

from staleproof.checking.outcome import Outcome, plain
from staleproof.checking.text import label, value_text

_NUMBERED: Final = "stage"
"""What the values of a list in the facts are numbered by, unless the name says ``rank``."""


@dataclass(frozen=True)
class Change:
    """A number that is another one.

    Attributes
    ----------
    quantity : str
        Key of the facts.
    at : str
        Part of it, such as ``stage 2``; empty if it is one number.
    old, new : object
        None where one side has no such part.
    """

    quantity: str
    at: str
    old: object
    new: object

    def __str__(self) -> str:
        return (
            f"{self.at}{' ' if self.at else ''}{value_text(self.quantity, self.old)} -> "
            f"{value_text(self.quantity, self.new)}{_difference(self.old, self.new)}"
        )


@dataclass(frozen=True)
class Comparison:
    """Two outcomes and what changed between them.

    Attributes
    ----------
    old, new : Outcome
    """

    old: Outcome
    new: Outcome

    @property
    def unknown(self) -> list[Outcome]:
        """Which of them has no facts to compare."""
        return [each for each in (self.old, self.new) if set(each.facts) <= {"deadlock"}]

    @property
    def changes(self) -> list[Change]:
        """What is different, in the order of the facts."""
        keys = [key for key in self.new.facts if key in self.old.facts]
        return [
            Change(key, at, *pair)
            for key in keys
            for at, *pair in _parts(key, self.old.facts[key], self.new.facts[key])
            if pair[0] != pair[1]
        ]

    @property
    def unchanged(self) -> list[str]:
        """Keys of the facts that are the same."""
        changed = {change.quantity for change in self.changes}
        return [key for key in self.new.facts if key in self.old.facts and key not in changed]

    @property
    def lost(self) -> list[str]:
        """Invariants that held and are not known to hold any more.

        They are broken or undecided, or hold of nothing where there are no messages any more.
        """
        return [name for name in self.old.held if name not in self.new.held]

    @property
    def gained(self) -> list[str]:
        """Invariants that hold now and were not known to."""
        return [name for name in self.new.held if name not in self.old.held]


def compared(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "ok": comparison.new.ok,
        "old": plain(comparison.old),
        "new": plain(comparison.new),
        "lost": comparison.lost,
        "gained": comparison.gained,
        "changes": [
            {"quantity": change.quantity, "at": change.at, "old": change.old, "new": change.new}
            for change in comparison.changes
        ],
        "unchanged": comparison.unchanged,
    }


def compared_results(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """One comparison as it is; several under ``results``."""
    if len(comparisons) == 1:
        return compared(comparisons[0])
    return {
        "ok": all(comparison.new.ok for comparison in comparisons),
        "results": [compared(comparison) for comparison in comparisons],
    }


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """What changed, a line a quantity."""
    old, new = comparison.old, comparison.new
    yield f"from {old.target} to {new.target}:"
    undecided = [name for name, _ in new.undecided]
    for word, names in (
        ("holds no more", new.broken),
        ("not decided any more", undecided),
        ("no messages any more", new.of_nothing),
    ):
        lost = [name for name in comparison.lost if name in names]
        if lost:
            yield f"  {word}: {', '.join(map(new.term, lost))}"
    if comparison.gained:
        yield f"  holds now: {', '.join(map(new.term, comparison.gained))}"
    for outcome in {each.target: each for each in comparison.unknown}.values():
        why = " and ".join(outcome.open_base)
        yield f"  not compared: {outcome.target} has no numbers as long as {why} does not hold"
    for quantity, changes in groupby(comparison.changes, key=lambda change: change.quantity):
        yield f"  {label(quantity)}: {', '.join(map(str, changes))}"
    if comparison.unchanged:
        yield f"  unchanged: {', '.join(map(label, comparison.unchanged))}"


def _parts(key: str, old: object, new: object) -> Iterator[tuple[str, object, object]]:
    """The values of a fact by name of their part."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys((*old, *new)):
            yield str(name), old.get(name), new.get(name)
    elif isinstance(old, list) and isinstance(new, list):
        numbered = "rank" if "rank" in key else _NUMBERED
        for number, pair in enumerate(zip_longest(old, new)):
            yield f"{numbered} {number}", *pair
    else:
        yield "", old, new


def _difference(old: object, new: object) -> str:
    """The difference of two numbers, in brackets; two shares in per cent."""
    if isinstance(old, str) and isinstance(new, str):
        try:
            shares = [float(Fraction(value)) for value in (old, new)]
        except ValueError:
            return ""
        return f" ({shares[0]:.1%} -> {shares[1]:.1%})"
    if type(old) is int and type(new) is int:
        return f" ({new - old:+d})"
    return ""
