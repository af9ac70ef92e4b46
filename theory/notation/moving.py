"""What a cited theorem assumes, at the values at which it is cited, and in words that say so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import sympy

from theory.kernel.relations import Relation
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Smooth, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import Scalar
from theory.notation.coercion import gap_of
from theory.notation.names import text


def moved(one: Assumption, values: Values) -> Assumption:
    """An assumption at the values at which its theorem is cited.

    A name or words that the notation has made of what it says are made of it anew. Of an author's
    own the words tell what is put in the place of the names in them.

    Examples
    --------
    >>> from theory.notation import le, positive
    >>> a, b = positive("a b")
    >>> swapped = Values({a: b, b: a}, {})
    >>> moved(Hypothesis("a <= b", "a <= b", le(a, b)), swapped).says
    'b <= a'
    >>> moved(Hypothesis("order", "a is small", le(a, b)), swapped).says
    'a is small, with b for a'
    """
    if isinstance(one, Delayed):
        old, now = values.point(one.old), values.point(one.now)
        return replace(one, old=old, now=now, constant=values.scalar(one.constant))
    if isinstance(one, Smooth):
        constant = values.scalar(one.constant)
        before, after = (smooth_text(one.function, c) for c in (one.constant, constant))
        name, says = _anew(one, {before: after}, values)
        return Smooth(name, says, constant, one.function)
    relation = values.relation(one.relation)
    known = dict(zip(_texts(one.relation), _texts(relation), strict=True))
    return Hypothesis(*_anew(one, known, values), relation)


def _anew(one: Smooth | Hypothesis, known: Mapping[str, str], values: Values) -> tuple[str, str]:
    """Its name and its words, as they are known to be now."""
    return known.get(one.name, one.name), known.get(one.says) or sentence(one.says, values)


def sentence(said: str, values: Values) -> str:
    """What a cited theorem assumes, in words, and what is put for the names in them.

    Examples
    --------
    >>> a, b = sympy.symbols("a b")
    >>> sentence("a is known", Values({a: 2 * b}, {})), sentence("all is known", Values({a: b}, {}))
    ('a is known, with 2*b for a', 'all is known')
    """
    put = {str(one): sympy.sstr(form) for one, form in values.scalars.items()}
    put |= {name: text(one) for name, one in values.vectors.items()}
    moved = (f"{to} for {one}" for one, to in put.items() if one != to and _names(said, one))
    return ", with ".join(filter(None, (said, ", ".join(moved))))


def _names(said: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) is not None


def smooth_text(function: str, constant: Scalar) -> str:
    """What smoothness is called."""
    return f"{function} is {constant}-smooth"


def is_gap(symbol: Scalar) -> bool:
    """Whether it is the gap of a strict inequality, by its name."""
    return str(symbol).startswith("gap(")


def gaps_at(lemma: Theorem, values: Values) -> dict[Scalar, Scalar]:
    """By the gap of a strict inequality of a theorem, what it is called where that is cited.

    1 − b of b < 1 is another number at b_1 than at b_2: by one name they would be equal.
    """
    found: dict[Scalar, Scalar] = {}
    for one in (h for h in lemma.hypotheses if isinstance(h, Hypothesis)):
        for gap in filter(is_gap, one.relation.gap.free_symbols):
            way = gap - one.relation.gap  # high is low and the gap
            if one.relation.kind == "==" and gap not in way.free_symbols:
                found.setdefault(gap, gap_of(values.scalar(way)))
    return found


def _texts(said: Relation) -> tuple[str, str, str]:
    """How a relation is written, from the left and from the right; strictly, where it has a gap."""
    left, right = sympy.sstr(said.lhs), sympy.sstr(said.rhs)
    back = f"{right} {'==' if said.kind == '==' else '>='} {left}"
    gaps = [one for one in said.gap.free_symbols if is_gap(one)]
    if said.kind != "==" or len(gaps) != 1:
        return f"{said}", back, ""
    return f"{said}", f"{left} > {(low := sympy.sstr(said.rhs - gaps[0]))}", f"{low} < {left}"
