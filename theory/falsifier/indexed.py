"""What is assumed of sequences at one index, as said of every iteration.

A statement says "for every k" of a symbol k, and so its hypothesis A(k) ≤ 1 is about one k. Who
writes it may have meant every iteration. Nothing is refuted by an instance that one of both
readings excludes: instances satisfy hypotheses in every iteration.
"""

from __future__ import annotations

from dataclasses import replace
from string import ascii_lowercase

import sympy
from sympy.core.function import AppliedUndef

from theory.falsifier.run_forms import INDEX, index_of, unsupported
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.rules.ranges import indices
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Theorem
from theory.kernel.vectors import Scalar


def unsettled(theorem: Theorem) -> dict[str, tuple[Scalar, ...]]:
    """By hypothesis, the indices at which it calls sequences, and which are constants nevertheless.

    Examples
    --------
    >>> from theory.notation import index, theorem
    >>> k, n = index("k n")
    >>> T = theorem("mine.first")
    >>> A = T.sequence("A")
    >>> T.assume(A(n) <= 1)
    'A(n) <= 1'
    >>> unsettled(T.shows(A(n) + A(0) <= 2))
    {'A(n) <= 1': (n,)}
    >>> T = theorem("mine.every")
    >>> T.assume(A(k) <= 1)
    'A(k) <= 1'
    >>> unsettled(T.shows(A(n) + A(0) <= 2))
    {}
    """
    found = {
        one.name: _constants(one.relation, theorem)
        for one in theorem.hypotheses
        if isinstance(one, Hypothesis)
    }
    return {name: symbols for name, symbols in found.items() if symbols}


def in_every_iteration(theorem: Theorem) -> Theorem:
    """The theorem with hypotheses of one index said of every iteration.

    Raises
    ------
    UnsupportedFormError
        One is about two indices: no iteration is one for both.

    Examples
    --------
    >>> from theory.notation import index, theorem
    >>> n, T = index("n"), theorem("mine.every")
    >>> A = T.sequence("A")
    >>> T.assume(A(n) <= 1)
    'A(n) <= 1'
    >>> [str(h.relation) for h in in_every_iteration(T.shows(A(n) + A(0) <= 2)).hypotheses]
    ['A(k) <= 1']
    """
    named = unsettled(theorem)
    if not named:
        return theorem
    known = index_of(theorem)
    every = _new(theorem) if known == INDEX else known

    def said(one: Assumption) -> Assumption:
        symbols = named.get(one.name, ())
        if not symbols or not isinstance(one, Hypothesis):
            return one
        if len(symbols) > 1 or known in one.relation.gap.free_symbols:
            raise unsupported(f"what is said of two indices, {one.relation},")
        return replace(one, relation=one.relation.replaced({symbols[0]: every}))

    hypotheses = tuple(map(said, theorem.hypotheses))
    return replace(theorem, hypotheses=hypotheses, indices=tuple({*theorem.indices, every}))


def reading(theorem: Theorem) -> str:
    """What has to be said where it is open of which index hypotheses are; ``""`` if it is not.

    Examples
    --------
    >>> from theory.notation import index, theorem
    >>> n, T = index("n"), theorem("mine.reading")
    >>> A = T.sequence("A")
    >>> T.assume(A(n) <= 1)
    'A(n) <= 1'
    >>> reading(T.shows(A(n) + A(0) <= 2))
    'of which n is A(n) <= 1 said? That it holds in every iteration is T.along(n)'
    """
    named = unsettled(theorem)
    known = [*sorted(indices(theorem), key=str), *(one for each in named.values() for one in each)]
    others = {name: each for name, each in named.items() if each != (known[0],)}
    for name, symbols in (others or named).items():
        k = ", ".join(map(str, symbols))
        every = f"That it holds in every iteration is T.along({known[0]})"
        if others:
            every = f"What holds in every iteration is said of one index, {known[0]}"
        return f"of which {k} is {name} said? {every}"
    return ""


def _constants(said: Relation, theorem: Theorem) -> tuple[Scalar, ...]:
    """The constants that run through 0, 1, 2, … by their domain, and at which sequences are."""
    calls = atoms(said.gap, AppliedUndef)
    symbols = {one for call in calls for one in call.free_symbols} & {*theorem.symbols}
    late = (one.constant for one in theorem.hypotheses if isinstance(one, Delayed))
    symbols -= {symbol for delay in late for symbol in delay.free_symbols}  # a number, as is K
    counts = (one for one in symbols if one.assumptions0 == INDEX.assumptions0)
    return tuple(sorted(counts, key=str))


def _new(theorem: Theorem) -> Scalar:
    """An index of a name that nothing has."""
    forms = [one.gap for _, one in theorem.relations]
    taken = {symbol.name for form in forms for symbol in form.free_symbols}
    taken |= {symbol.name for symbol in theorem.symbols}
    name = next(letter for letter in ("k", *ascii_lowercase) if letter not in taken)
    return sympy.Symbol(name, integer=True, nonnegative=True)
