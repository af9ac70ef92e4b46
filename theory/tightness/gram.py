"""How tight a theorem is at given numbers, by one semidefinite program a term of its right side.

The program is the theorem's own data: with numbers for its constants, hypotheses and statement are
linear in the Gram matrix of its vectors and in its function values. A theorem about a run is
written out for as many iterations as it speaks of, and a function is what the inequalities of its
class say (`theory.falsifier.gram.classes`). Floating point: evidence, never a proof, and a
hypothesis counts only in the iterations that are written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Final

import sympy

from theory.errors import UnsupportedFormError
from theory.falsifier.gram.parameters import drawn
from theory.falsifier.gram.plain import Outcomes, plain
from theory.falsifier.gram.program import greatest
from theory.falsifier.gram.written import Shape, written
from theory.kernel.context import means_in
from theory.kernel.relations import eq
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar
from theory.ledger import Evidence

FEW: Final = 3
ABOUT: Final = "tightness, of the statement as written"
CLEAR: Final = 1e-3
"""By how much a part differs from 1 where the statement is not called tight."""


@dataclass(frozen=True)
class Tightness:
    """How much of one term of the right side the worst instance needs.

    Attributes
    ----------
    term : str
    part : float
        1 where the statement is tight; below 1 where the term may be smaller by that factor, above
        1 where the statement fails. For a term that is negative, the inverse of that by which it
        may be larger in size.
    """

    term: str
    part: float


def tightness(theorem: Theorem, at: Mapping[Scalar, Scalar]) -> list[Tightness]:
    """The part of each term that is needed at these constants; terms without an answer are absent.

    Raises
    ------
    UnsupportedFormError
        The theorem is not linear in Gram matrix and values, or names means.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel.lemmas import YOUNG
    >>> a = YOUNG.symbols[0]
    >>> [(one.term, round(one.part, 3)) for one in tightness(YOUNG, {a: 2})]
    [('first', 1.0), ('second', 1.0)]
    >>> loose = replace(YOUNG, terms={**YOUNG.terms, "first": 2 * YOUNG.terms["first"]})
    >>> [round(one.part, 2) for one in tightness(loose, {a: 2})]
    [0.5, 0.5]
    """
    if any(True for _ in means_in(theorem)):
        raise UnsupportedFormError("means are not posed", theorem.id, "state it without means")
    run = written(plain(theorem, Outcomes()), at, Shape(exact=False))
    found = []
    for name, term in run.terms.items():
        rest = run.lhs - sympy.Add(*(form for other, form in run.terms.items() if other != name))
        if not term.is_number:
            up, down = (greatest(rest, (*run.under, eq(term, sign))) for sign in (1, -1))
        elif term != 0:
            size = greatest(rest, run.under)
            scaled = None if size is None else size / abs(float(term))
            up, down = (scaled, None) if term > 0 else (None, scaled)
        else:
            continue
        if down is None and up is not None:
            found.append(Tightness(name, up))
        if up is None and down is not None:
            found.append(Tightness(name, -1 / down if down < 0 else inf))
    return found


def some_numbers(theorem: Theorem) -> list[dict[Scalar, Scalar]]:
    """A few values of constants that satisfy what the hypotheses say of constants alone.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> some_numbers(YOUNG)
    [{a: 1}, {a: 1/10}, {a: 4}]
    """
    return list(islice(drawn(theorem), FEW))


def theorem_evidence(theorem: Theorem) -> Evidence:
    """What a theorem's worst cases at a few numbers say of its right side, or why there are none.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> theorem_evidence(YOUNG).says.split(": ")[1]
    'tight at a = 1; tight at a = 1/10; tight at a = 4'
    """
    how = f"{ABOUT} (clarabel, floating point, no proof): "
    rows: list[dict[str, object]] = []
    problem = "no program has a solution"
    for at in some_numbers(theorem):
        try:
            needed = {one.term: round(one.part, 4) for one in tightness(theorem, at)}
        except UnsupportedFormError as error:
            problem = error.what
            continue
        if needed:
            rows.append({"at": {str(s): str(x) for s, x in at.items()}, "needed": needed})
    if not rows:
        return Evidence("neither", f"{how}nothing, {problem}", {})
    says = dict.fromkeys(_said(row["needed"], row["at"]) for row in rows)  # type: ignore[arg-type]
    return Evidence("neither", how + "; ".join(says), {"rows": rows})


def _said(needed: Mapping[str, float], at: Mapping[str, str]) -> str:
    """The term that comes nearest to being too small, or is."""
    place = ", ".join(f"{name} = {value}" for name, value in at.items())
    name, part = max(needed.items(), key=lambda item: item[1])
    if part > 1 + CLEAR:
        return f"violated at {place}: {part:.3g} times {name!r} is needed (not replayed exactly)"
    if part > 1 - CLEAR:
        return f"tight at {place}"
    words = ", ".join(f"{part:.3g} of {name!r}" for name, part in needed.items())
    return f"loose at {place}: {words} would do"
