"""Bounds by the names of their methods: those of the papers, or of another supply."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final

import sympy

from theory.bounds.errors import UnknownMethodError
from theory.bounds.model import FORMS, Bound
from theory.bounds.supply import Readings, Supply, joined
from theory.judging.catalogue import papers
from theory.later import Later


@cache
def supplied() -> Supply:
    """What the papers of this package supply."""
    return joined(paper.bounds for paper in papers().values() if paper.bounds is not None)


METHODS: Final[Mapping[str, Readings]] = Later(lambda: supplied().methods)
"""The bounds of all papers by method."""

SYMBOLS: Final[Mapping[str, sympy.Symbol]] = Later(lambda: supplied().symbols)
"""The symbols of all bounds by name; one name can have another meaning in each paper."""


def bounds_of(
    method: str, form: str | None = None, reading: str | None = None, among: Supply | None = None
) -> tuple[Bound, ...]:
    """The bounds of a method, as printed first.

    Parameters
    ----------
    method : str
        One of `METHODS`; `named` says which of them a name stands for.
    form : str, optional
        One of `FORMS`; all that there are by default.
    reading : str, optional
        How a method is read that can be read in several ways; the first of them by default.
    among : Supply, optional
        Where methods are looked up; in the papers of this package by default.

    Raises
    ------
    UnknownMethodError
        No such method, form or reading.

    Examples
    --------
    >>> one = Supply({"one": {"": (Bound("one", "printed", "", "", "", ({},)),)}})
    >>> [bound.form for bound in bounds_of("one", among=one)]
    ['printed']
    """
    methods = (among or supplied()).methods
    _known("a method", method, methods)
    readings = methods[method]
    if reading is not None and len(readings) > 1:
        _known(f"a reading of {method}", reading, readings)
    found = readings.get(reading or "") or next(iter(readings.values()))
    if form is None:
        return found
    _known("a form", form, FORMS)
    chosen = tuple(bound for bound in found if bound.form == form)
    if not chosen:
        raise UnknownMethodError(
            f"{method} has no {form} form, only {', '.join(bound.form for bound in found)}",
            "bounds",
            "take one of these",
        )
    return chosen


def named(name: str, among: Supply | None = None) -> tuple[str, ...]:
    """The methods that a name stands for.

    Raises
    ------
    UnknownMethodError
        It stands for none.

    Examples
    --------
    >>> named("all", Supply({"one": {}, "two": {}}, {"all": ("one", "two")}))
    ('one', 'two')
    """
    supply = among or supplied()
    _known("a method", name, (*supply.methods, *supply.groups))
    return supply.groups.get(name, (name,))


def _known(what: str, word: str, known: Iterable[str]) -> None:
    names = list(known)
    if word not in names:
        near = get_close_matches(word.lower(), names, n=1)
        raise UnknownMethodError(
            f"{what} is one of {', '.join(names)}, not {word[:40]!r}",
            "bounds",
            f"did you mean {near[0]!r}?" if near else "name one of them",
        )
