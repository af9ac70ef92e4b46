"""From a solution in floating point to exact numbers: equations are solved, the rest is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from theory.falsifier.gram.program import Atom, Program, Row

DENOMINATORS: Final = (1, 2, 4, 10, 60, 1000, 10**4, 10**6, 10**9)
"""What numbers are rounded to, plain ones first."""

Matrix = Mapping[tuple[str, str], Fraction]
"""Entries of a symmetric matrix, at names in order."""


def positive_semidefinite(entries: Matrix, names: Sequence[str]) -> bool:
    """Whether a symmetric matrix is positive semidefinite, by elimination in fractions.

    Examples
    --------
    >>> ones = {("u", "u"): Fraction(1), ("u", "v"): Fraction(1), ("v", "v"): Fraction(1)}
    >>> positive_semidefinite(ones, ["u", "v"])
    True
    >>> positive_semidefinite({**ones, ("v", "v"): Fraction(99, 100)}, ["u", "v"])
    False
    """
    zero = Fraction(0)
    rows = [[entries.get(_ordered(a, b), zero) for b in names] for a in names]
    for n, pivot in enumerate(rows):
        if pivot[n] < 0 or (pivot[n] == 0 and any(pivot[n:])):
            return False
        for below in rows[n + 1 :] if pivot[n] else ():
            factor = below[n] / pivot[n]
            below[:] = [x - factor * y for x, y in zip(below, pivot, strict=True)]
    return True


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)


@dataclass(frozen=True)
class Reduced:
    """A program without vectors that equations make combinations of others.

    Attributes
    ----------
    program : Program
    combinations : mapping of str to mapping of str to Fraction
        What every name is.
    """

    program: Program
    combinations: Mapping[str, Mapping[str, Fraction]]

    def row(self, row: Row) -> dict[Atom, Fraction]:
        """A linear function in terms of the vectors that are left."""
        found: dict[Atom, Fraction] = {}
        for atom, factor in row.items():
            if isinstance(atom, str):
                found[atom] = found.get(atom, Fraction(0)) + factor
                continue
            one, other = (self.combinations[name] for name in atom)
            for a, x in one.items():
                for b, y in other.items():
                    key = _ordered(a, b)
                    found[key] = found.get(key, Fraction(0)) + factor * x * y
        return {atom: factor for atom, factor in found.items() if factor}


def reduced(equal: Iterable[Row], least: Iterable[Row], others: Iterable[Row]) -> Reduced:
    """Pose a program: where a square is 0, or at most 0, one vector in it is made of the others.

    Parameters
    ----------
    equal, least : iterable of Row
        What is 0, and what is at least 0.
    others : iterable of Row
        What else names vectors and scalars.

    Examples
    --------
    >>> one = {("u", "u"): Fraction(1), ("u", "v"): Fraction(-2), ("v", "v"): Fraction(1)}
    >>> found = reduced([one], [], [])
    >>> found.program.names, found.row({("u", "v"): Fraction(1)})
    (('u',), {('u', 'u'): Fraction(1, 1)})
    """
    equal, least, others = list(equal), list(least), list(others)
    rows = (*equal, *least, *others)
    names = sorted({name for row in rows for atom in row for name in _vectors(atom)})
    scalars = sorted({atom for row in rows for atom in row if isinstance(atom, str) and atom})
    posed = Reduced(Program((), (), (), ()), {name: {name: Fraction(1)} for name in names})
    while True:
        now = [[row for one in part if (row := posed.row(one))] for part in (equal, least)]
        found = list(_vanishing(now[0], [*now[1], *_sums(now[1])]))
        if not found:
            break
        for one in found:
            posed = Reduced(posed.program, _without(one, posed.combinations))
    kept = tuple(sorted({part for parts in posed.combinations.values() for part in parts}))
    both = [row for row in now[1] if {a: -x for a, x in row.items()} in now[1]]
    now[0], now[1] = [*now[0], *both], [row for row in now[1] if row not in both]
    program = Program(kept, tuple(scalars), *map(_distinct, now))
    solved = _echelon(program) or ()
    open_ = tuple(row for row in program.least if set(_known(row, solved)) - {""})
    settled = all(_known(row, solved).get("", 0) >= 0 for row in program.least if row not in open_)
    least = open_ if settled else program.least
    return Reduced(replace(program, least=least), posed.combinations)


def _known(row: Row, solved: Sequence[tuple[Atom, Row]]) -> Row:
    """A linear function with what equations say of its unknowns."""
    for atom, form in solved:
        row = _put(row, atom, form)
    return row


def _vectors(atom: Atom) -> tuple[str, ...]:
    return atom if isinstance(atom, tuple) else ()


def _distinct(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple({tuple(sorted(row.items(), key=repr)): row for row in rows}.values())


def _vanishing(equal: Sequence[Row], least: Sequence[Row]) -> Iterator[dict[str, Fraction]]:
    """Combinations of vectors that are 0, as in ‖u − v‖² ≤ 0."""
    for row in (*equal, *least):
        if not row or not all(isinstance(atom, tuple) for atom in row):
            continue
        names = sorted({name for atom in row for name in _vectors(atom)})
        for sign in (-1, 1) if row in equal else (-1,):
            matrix = {
                _ordered(*_vectors(atom)): sign * a * (1 if atom[0] == atom[1] else Fraction(1, 2))
                for atom, a in row.items()
            }
            if positive_semidefinite(matrix, names):
                pivot = next(n for n in names if matrix.get((n, n)))
                full = {n: matrix.get(_ordered(pivot, n), Fraction(0)) for n in names}
                yield {n: a for n, a in full.items() if a}


def _sums(rows: Sequence[Row]) -> Iterator[Row]:
    """Sums of two linear functions in which scalars cancel: also at least 0."""
    by_scalars: dict[frozenset[tuple[Atom, Fraction]], list[Row]] = {}
    for row in rows:
        own = frozenset((atom, x) for atom, x in row.items() if not _vectors(atom))
        for other in by_scalars.get(frozenset((atom, -x) for atom, x in own), ()) if own else ():
            total = {atom: row.get(atom, 0) + other.get(atom, 0) for atom in {*row, *other}}
            yield {atom: Fraction(x) for atom, x in total.items() if x}
        by_scalars.setdefault(own, []).append(row)


def _without(
    one: Mapping[str, Fraction], combinations: Mapping[str, Mapping[str, Fraction]]
) -> Mapping[str, Mapping[str, Fraction]]:
    """What every name is where a combination of them is 0."""
    gone: dict[str, Fraction] = {}
    for name, factor in one.items():
        for part, a in combinations[name].items():
            gone[part] = gone.get(part, Fraction(0)) + factor * a
    gone = {part: a for part, a in gone.items() if a}
    if not gone:
        return combinations
    pivot = max(gone, key=lambda name: (" at " in name, name))
    put = {other: -a / gone[pivot] for other, a in gone.items() if other != pivot}
    return {name: _combined(parts, pivot, put) for name, parts in combinations.items()}


def _combined(
    parts: Mapping[str, Fraction], name: str, put: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    found = {n: a for n, a in parts.items() if n != name}
    for other, factor in put.items() if name in parts else ():
        found[other] = found.get(other, Fraction(0)) + parts[name] * factor
    return {n: a for n, a in found.items() if a}


def rounded(program: Program, goal: Row) -> dict[Atom, Fraction] | None:
    """Exact unknowns that satisfy everything and make the goal negative, or None.

    Examples
    --------
    >>> one = {("u", "u"): Fraction(1)}
    >>> program = Program(("u",), (), (), ({**one, "": Fraction(-1)},))
    >>> rounded(program, {("u", "u"): Fraction(-1), "": Fraction(2)})[("u", "u")] > 2
    True
    >>> rounded(program, one) is None
    True
    """
    found = program.inside(goal)
    if found is None or found[0] <= 0:
        return None
    solved = _echelon(program)
    if solved is None:
        return None
    for denominator in DENOMINATORS:
        near = {a: Fraction(round(x * denominator), denominator) for a, x in found[1].items()}
        exact = _completed(solved, near)
        if _is_inside(program, goal, exact):
            return exact
    return None


def _echelon(program: Program) -> list[tuple[Atom, dict[Atom, Fraction]]] | None:
    """Equations solved: for some unknowns, what they are in terms of the others."""
    solved: list[tuple[Atom, dict[Atom, Fraction]]] = []
    for row in program.equal:
        form = _known(row, solved)
        unknown = [atom for atom in form if atom]
        if not unknown:
            if form:
                return None
            continue
        atom = max(unknown, key=lambda one: (isinstance(one, str), abs(form[one])))
        known = {other: -a / form[atom] for other, a in form.items() if other != atom}
        solved = [(one, _put(form, atom, known)) for one, form in solved] + [(atom, known)]
    return solved


def _put(form: Row, atom: Atom, known: Row) -> dict[Atom, Fraction]:
    found = {other: a for other, a in form.items() if other != atom}
    for other, a in known.items() if atom in form else ():
        found[other] = found.get(other, Fraction(0)) + form[atom] * a
    return {other: a for other, a in found.items() if a}


def _completed(
    solved: Sequence[tuple[Atom, Row]], near: Mapping[Atom, Fraction]
) -> dict[Atom, Fraction]:
    return {**near, **{atom: _value(form, near) for atom, form in solved}}


def _value(form: Row, known: Mapping[Atom, Fraction]) -> Fraction:
    return sum((a * (known[atom] if atom else 1) for atom, a in form.items()), Fraction(0))


def _is_inside(program: Program, goal: Row, known: Mapping[Atom, Fraction]) -> bool:
    if _value(goal, known) >= 0:
        return False
    if any(_value(row, known) < 0 for row in program.least):
        return False
    if any(_value(row, known) != 0 for row in program.equal):
        return False
    entries = {atom: x for atom, x in known.items() if isinstance(atom, tuple)}
    return positive_semidefinite(entries, program.names)
