"""Which symbol counts the members of sequences, where nothing iterates and nobody has said it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.vectors import Scalar
from theory.notation.names import index


def counting(
    assumed: Sequence[Relation],
    lines: Sequence[Relation],
    stated: Sequence[Relation],
    *,
    sums: bool = True,
) -> Scalar | None:
    """The one index of which hypotheses, lines and a statement tell; None where they tell of two.

    What names both a(k) and a(k + 1) does, among hypotheses and lines before the statement. So does
    an index at which hypotheses alone call sequences: what is assumed of a(k), of a k of which
    the statement says nothing, is meant for every k. Last come sums Σ_k a(k).

    Parameters
    ----------
    assumed, lines, stated : sequences of Relation
        Hypotheses, lines of the proof, and the statement if there is one by now.
    sums : bool
        Whether sums tell: what is cited has summed already.

    Examples
    --------
    >>> import sympy
    >>> from theory.kernel.relations import le
    >>> k, n, a = index("k"), index("n"), sympy.Function("a", real=True)
    >>> counting([le(a(k + 1), a(k))], [], [le(a(n + 1), a(0))])
    k
    >>> counting([le(a(k), 1)], [], [le(a(n), 1)]), counting([le(a(n), 1)], [], [le(a(n), 1)])
    (k, None)
    """
    everything = (*assumed, *lines, *stated)
    found = (
        _ahead((*assumed, *lines)),
        _ahead(assumed),
        _only_assumed(assumed, stated),
        _ahead(everything) or (_summed(everything) if sums else set()) or _late(everything),
    )
    alone = ([one for one in each if is_index(one)] for each in found)
    return next((each[0] for each in alone if len(each) == 1), None)


def is_index(symbol: Scalar) -> bool:
    """Whether a symbol runs through 0, 1, 2, … by its domain."""
    return bool(symbol == index(str(symbol)))


def called_at(relations: Iterable[Relation]) -> set[Scalar]:
    """The symbols at which sequences are called."""
    return {one for call in _calls(relations) for one in call.free_symbols}


def _calls(relations: Iterable[Relation]) -> set[Scalar]:
    return {call for one in relations for call in atoms(one.gap, AppliedUndef)}


def _ahead(relations: Iterable[Relation]) -> set[Scalar]:
    """The k of a(k + 1)."""
    calls = _calls(relations)
    return {one for call in calls for one in call.free_symbols if call.args == (one + 1,)}


def _only_assumed(assumed: Collection[Relation], stated: Collection[Relation]) -> set[Scalar]:
    """Indices at which hypotheses call sequences, and of which the statement says nothing."""
    if not stated:
        return set()
    bound = {limit[0] for total in _sums(assumed) for limit in total.limits}
    said = {symbol for one in stated for symbol in one.gap.free_symbols}
    return called_at(assumed) - bound - said


def _sums(relations: Iterable[Relation]) -> set[Scalar]:
    return {total for one in relations for total in atoms(one.gap, sympy.Sum)}


def _summed(relations: Iterable[Relation]) -> set[Scalar]:
    """The k of sums from 0 on."""
    limits = (total.limits[-1] for total in _sums(relations))
    return {one for one, first, _ in limits if first == 0}


def _late(relations: Iterable[Relation]) -> set[Scalar]:
    """The k before which a window lies."""
    limits = (total.limits[-1] for total in _sums(relations))
    return {last + 1 for _, first, last in limits if isinstance(first, sympy.Max)}
