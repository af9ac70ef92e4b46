"""Whether hypotheses can hold together: a theorem about nothing would be true of everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

import sympy

from theory.errors import NotExactError, UnsupportedFormError, VacuousError
from theory.kernel.atoms import atoms
from theory.kernel.normal import linear_sums
from theory.kernel.relations import Relation, le
from theory.kernel.signs import Translator
from theory.kernel.theorem import Checked
from theory.kernel.vectors import Gram
from theory.smt.queries import recording, remembered
from theory.smt.solver import have_model
from theory.verdicts import Verdict

RLIMIT: Final = 2_000_000
QUICK: Final = 100_000
"""Budget for a model with numbers for vectors, where one with inner products would do as well.

And for a contradiction among what was proved: fifteen times what any known one takes.
"""


def consistent(relations: Sequence[Relation], where: str) -> Checked:
    """Look for values that satisfy all relations.

    Vectors are taken to be numbers first, since a model with numbers is one with vectors; if there
    is none, inner products become free up to ⟨u, v⟩² ≤ ‖u‖²‖v‖², and if even then there is none the
    hypotheses contradict each other.

    Raises
    ------
    VacuousError
        They do.
    """
    if not relations:
        return Checked(Verdict.PROVED, "there are none to contradict each other")
    try:
        free = "unsat" if _never_whole(relations, where) else ""
        if not free and _satisfied(relations, where, numbers=True) == "sat":
            return Checked(Verdict.PROVED, "z3 found one, with numbers for vectors")
        free = free or _satisfied(relations, where, numbers=False)
    except UnsupportedFormError as error:
        return Checked(Verdict.UNKNOWN, error.what)
    if free == "unsat":
        raise VacuousError(
            "no values satisfy the hypotheses together, so they would imply anything",
            where,
            f"look at {'; '.join(map(str, relations))}",
        )
    return Checked(Verdict.UNKNOWN, "no values found that satisfy the hypotheses together")


def _never_whole(relations: Sequence[Relation], where: str) -> bool:
    """Whether no integers satisfy what is said of constants alone, as none do 2n = 3."""
    said = [one for one in relations if not atoms(one.gap, sympy.Function, sympy.Sum)]
    named = {symbol for one in said for symbol in one.gap.free_symbols}
    if not any(symbol.is_integer for symbol in named):
        return False
    with recording():  # no proof rests on the answer
        return _asked(tuple(said), where, True, QUICK, whole=True) == "unsat"


def require_no_contradiction(relations: Sequence[Relation], where: str) -> None:
    """Refuse relations that contradict each other, whatever numbers inner products and means are.

    Raises
    ------
    VacuousError
        They do.
    """
    plain = [*_askable(relations)]
    if _satisfied(plain, where, numbers=True, rlimit=QUICK) == "sat":
        return  # and inner products of these numbers are a model as well
    if _satisfied(plain, where, numbers=False, rlimit=QUICK) == "unsat":
        raise VacuousError(
            "no values satisfy the hypotheses together once means and sums are taken, so they "
            "would imply anything",
            where,
            f"look at {'; '.join(map(str, relations))}",
        )


def _askable(relations: Iterable[Relation]) -> Iterator[Relation]:
    """Relations with their sums taken apart, without those about which z3 cannot be asked.

    These are the same whether vectors are numbers or not.
    """
    translator = Translator(numbers_for_vectors=True)
    for one in relations:
        with suppress(UnsupportedFormError, NotExactError):
            plain = Relation(linear_sums(one.lhs), one.kind, linear_sums(one.rhs))
            translator.fact(plain)
            yield plain


def _satisfied(
    relations: Sequence[Relation], where: str, numbers: bool, rlimit: int | None = None
) -> str:
    return _asked(tuple(relations), where, numbers, RLIMIT if rlimit is None else rlimit)


@remembered
def _asked(
    relations: tuple[Relation, ...], where: str, numbers: bool, rlimit: int, whole: bool = False
) -> str:
    """What z3 says; mutants of a statement have the hypotheses of the original."""
    translator = Translator(numbers_for_vectors=numbers)
    said = list(relations) if numbers else [*relations, *_lengths(relations)]
    facts = [translator.fact(relation) for relation in said]
    how = "numbers for vectors" if numbers else "free inner products"
    asks = f"the hypotheses of {where} have a model, {how}"
    return have_model((*facts, *translator.domain(whole)), asks, rlimit)


def _lengths(relations: Sequence[Relation]) -> list[Relation]:
    """The Cauchy–Schwarz inequality for every pair of vectors whose inner product occurs."""
    entries = {entry for relation in relations for entry in atoms(relation.gap, Gram)}
    pairs = sorted((entry for entry in entries if entry.args[0] != entry.args[1]), key=str)
    return [
        le(entry**2, Gram(entry.args[0], entry.args[0]) * Gram(entry.args[1], entry.args[1]))
        for entry in pairs
    ]
