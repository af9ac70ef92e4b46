"""Requirements: what a schedule has to keep, as text such as ``stash,staleness<=3``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Final

from schedules.errors import RequirementError
from schedules.invariants.invariant import Invariant
from schedules.invariants.registry import INVARIANTS

GRAMMAR: Final = (
    "requirements are separated by commas; each is NAME, NAME<=COUNT (a whole number) or "
    "NAME<=SIZE (bytes, such as 1024, 1.5GB or 60GiB): "
    + ", ".join(invariant.form for invariant in INVARIANTS.values())
)

UNITS: Final = {
    "B": 1,
    **{f"{letter}B": 1000**power for power, letter in enumerate("kMGTP", start=1)},
    **{f"{letter}iB": 1024**power for power, letter in enumerate("KMGTP", start=1)},
}
"""Bytes in a unit; the letters' case does not matter."""

_BY_LOWER_CASE: Final = {unit.lower(): size for unit, size in UNITS.items()}
_COUNT: Final = re.compile(r"-?[0-9]{1,18}")
_SIZE: Final = re.compile(r"(-?[0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([a-z]*)", re.IGNORECASE)
_SHOWN: Final = 60
"""Most characters of a term that a message repeats."""


@dataclass(frozen=True)
class Requirement:
    """An invariant that a schedule has to keep.

    Attributes
    ----------
    name : str
        Name of the invariant.
    bound : int or None
        Largest value allowed, bytes for sizes; None where the invariant has no bound.
    text : str
        As it was written, without spaces.
    """

    name: str
    bound: int | None
    text: str


def parse_requirements(text: str, where: str = "--require") -> tuple[Requirement, ...]:
    """Read a list of requirements.

    Parameters
    ----------
    text : str
        See `GRAMMAR`; white space does not matter, and a term may come again.
    where : str
        For messages: the option or setting that the text comes from.

    Returns
    -------
    tuple of Requirement
        In the order written, each once.

    Raises
    ------
    RequirementError
        An unknown name, a missing, superfluous or malformed bound, one that no schedule can
        meet, two bounds for one invariant, or an empty term.

    Examples
    --------
    >>> [(each.name, each.bound) for each in parse_requirements("stash, memory <= 1.5 KiB")]
    [('stash', None), ('memory', 1536)]
    >>> parse_requirements("stalenes<=3")
    Traceback (most recent call last):
    schedules.errors.RequirementError: --require: no invariant is called 'stalenes'; did you mean
    'staleness'? (requirements are separated by commas; ...)
    """
    found: dict[str, Requirement] = {}
    for term in text.split(","):
        requirement = _parse(" ".join(term.split()), where)
        earlier = found.setdefault(requirement.name, requirement)
        if earlier.bound != requirement.bound:
            raise RequirementError(
                f"an invariant has one bound, found {_short(earlier.text)} and "
                f"{_short(requirement.text)}",
                where,
                "keep one of them",
            )
    return tuple(found.values())


def _parse(term: str, where: str) -> Requirement:
    if not term:
        raise RequirementError("a requirement is empty", where, f"name an invariant ({GRAMMAR})")
    name, sign, value = (part.strip() for part in term.partition("<="))
    invariant = INVARIANTS.get(name)
    if invariant is None:
        raise _unknown(name, where)
    if bool(sign) != (invariant.bound != "none"):
        raise RequirementError(
            f"{name} takes {'no' if sign else 'a'} bound, found {_short(term)}",
            where,
            f"write {invariant.form} ({GRAMMAR})",
        )
    bound = _bound(invariant, value, where) if sign else None
    return Requirement(name, bound, term.replace(" ", ""))


def _unknown(name: str, where: str) -> RequirementError:
    # Of `staleness<3` or `staleness = 3`, the part in front of the sign is what was meant.
    stem = re.split(r"[\s<>=≤:]", name, maxsplit=1)[0]
    if stem in INVARIANTS:
        return RequirementError(
            f"a bound is written {stem}<=VALUE, found {_short(name)}"
            if INVARIANTS[stem].bound != "none"
            else f"{stem} takes no bound, found {_short(name)}",
            where,
            f"write {INVARIANTS[stem].form} ({GRAMMAR})",
        )
    near = get_close_matches(stem, INVARIANTS, n=1)
    return RequirementError(
        f"no invariant is called {_short(name)}",
        where,
        f"did you mean {near[0]!r}? ({GRAMMAR})" if near else f"name another ({GRAMMAR})",
    )


def _bound(invariant: Invariant, value: str, where: str) -> int:
    size = _count(value) if invariant.bound == "count" else parse_bytes(value)
    if size is None:
        what = "a whole number" if invariant.bound == "count" else "a number of bytes"
        raise RequirementError(
            f"the bound of {invariant.name} is {what}, found {_short(value)}",
            where,
            f"write {invariant.form} ({GRAMMAR})",
        )
    if size < invariant.least:
        raise RequirementError(
            f"the bound of {invariant.name} is {invariant.least} or more, as no schedule has "
            f"less; found {_short(value)}",
            where,
            "raise it, or drop the requirement",
        )
    return size


def _count(value: str) -> int | None:
    return int(value) if _COUNT.fullmatch(value) else None


def parse_bytes(value: str) -> int | None:
    """Bytes, rounded down; None where the text is no size."""
    match = _SIZE.fullmatch(value)
    if match is None:
        return None
    unit = _BY_LOWER_CASE.get(match[2].lower() or "b")
    return None if unit is None else int(Fraction(match[1]) * unit // 1)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
