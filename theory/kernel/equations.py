"""Which inequalities are equations in disguise, by themselves or together with others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any, Final

import sympy
import z3

from theory.errors import UnsupportedFormError
from theory.kernel.atoms import atoms
from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.means import Mean
from theory.kernel.relations import Relation, le
from theory.kernel.signs import RLIMIT, Translator, nonnegative
from theory.kernel.vectors import Gram, Scalar
from theory.smt.solver import Statement, decide
from theory.verdicts import Verdict

SAMPLES: Final = (sympy.Rational(3, 7), sympy.Rational(5, 3))
"""Values of all symbols at which a quadratic form is looked at."""


@lru_cache(maxsize=2**12)
def is_equation(relation: Relation, everything: tuple[Relation, ...]) -> bool:
    """Whether a relation holds with equality, by itself or as all of these together show.

    An inequality may: a ≤ b beside b ≤ a, (r − ‖g‖²)² ≤ 0, ‖x⁺ − x + γg‖² ≤ 0.
    """
    if relation.kind == "==" or relation in implied_equations(everything):
        return True
    others = [one for one in everything if one != relation]
    squares = (_square_in(sympy.expand(one.gap)) for one in everything if one.kind == "<=")
    others += [le(0, form) for form in squares if form is not None]
    if nonnegative(-relation.gap, others).verdict is Verdict.PROVED:
        return True
    return _is_least(relation.gap)


def _is_least(gap: Scalar) -> bool:
    """Whether a gap is at most 0 where vectors are numbers, and not 0 at all of them."""
    translator = Translator(numbers_for_vectors=True)
    try:
        value = translator.term(sympy.expand(gap))
    except UnsupportedFormError:
        return False
    said = translator.domain()
    most = Statement("equation", f"{gap} <= 0 with numbers for vectors", said, value <= 0)
    none = Statement("equation", f"{gap} >= 0 with numbers for vectors", said, value >= 0)
    return (
        decide(most, RLIMIT).verdict is Verdict.PROVED
        and decide(none, RLIMIT).verdict is not Verdict.PROVED
    )


@lru_cache(maxsize=2**10)
def implied_equations(relations: tuple[Relation, ...]) -> frozenset[Relation]:
    """Inequalities among these that can only hold with equality.

    Those of which a sum with positive multipliers, with equations and with squares that occur in
    them, is 0 ≤ 0: a ≤ b with b ≤ a, and ‖x⁺ − x + γg‖² ≤ 0.
    """
    bounds = [one for one in relations if one.kind == "<="]
    if not bounds:
        return frozenset()
    gaps = [sympy.expand(one.gap) for one in bounds]
    alone = (*gaps, *_without_the_rest(gaps))
    squares = [form for gap in alone if (form := _square_in(gap)) is not None]
    squares += sorted({one for gap in gaps for one in _not_negative(gap)}, key=str)
    equal = [sympy.expand(one.gap) for one in relations if one.kind == "=="]
    weights = [z3.Real(f"weight{i}") for i in range(len(gaps) + len(squares) + len(equal))]
    sums: dict[Scalar, list[Any]] = {}
    for weight, form in zip(weights, [*gaps, *squares, *equal], strict=True):
        for term in sympy.Add.make_args(form):
            number, rest = term.as_coeff_Mul()
            if number != 0:
                sums.setdefault(rest, []).append(weight * z3.RatVal(int(number.p), int(number.q)))
    solver = z3.Solver(ctx=z3.main_ctx())
    solver.add(*(z3.Sum(parts) == 0 for parts in sums.values()))
    solver.add(*(weight >= 0 for weight in weights[: len(gaps) + len(squares)]))
    return frozenset(
        one
        for one, weight in zip(bounds, weights, strict=False)
        if solver.check(weight >= 1) == z3.sat
    )


def _without_the_rest(gaps: Sequence[Scalar]) -> Iterator[Scalar]:
    """Sums of two gaps of which inner products are left: ‖g − h‖² + ‖u‖² ≤ c and c ≤ ‖u‖²."""
    rests = [sympy.Add(*(t for t in sympy.Add.make_args(one) if not _is_linear(t))) for one in gaps]
    for (one, rest), (other, against) in permutations(zip(gaps, rests, strict=True), 2):
        times = -rest / against if rest != 0 and against != 0 else sympy.S.Zero
        if times.is_Rational and times > 0:
            yield sympy.expand(one + times * other)


def _not_negative(gap: Scalar) -> Iterator[Scalar]:
    """Monomials of a gap that are at least 0, such as s in ‖x⁺ − x + γg‖² + s ≤ 0."""
    for term in sympy.Add.make_args(gap):
        number, rest = term.as_coeff_Mul()
        if number < 0 and rest != 1 and not atoms(rest, Mean) and no_negative_coefficient(rest):
            yield rest


def _square_in(gap: Scalar) -> Scalar | None:
    """The squares that an inequality bounds, if what it says of inner products is of that kind."""
    terms = [term for term in sympy.Add.make_args(gap) if _is_linear(term)]
    form = -sympy.Add(*terms)
    entries = atoms(form, Gram)
    if not entries or atoms(gap, Mean):
        return None
    names = sorted({name for entry in entries for name in entry.names})
    for sample in SAMPLES:
        at = form.subs(dict.fromkeys(form.free_symbols, sample))
        matrix = sympy.Matrix(
            len(names), len(names), lambda i, j, at=at: _entry(at, names[i], names[j])
        )
        if not matrix.is_positive_semidefinite:
            return None
    return form


def _is_linear(term: Scalar) -> bool:
    """Whether a term is a constant times one inner product."""
    entries = atoms(term, Gram)
    return len(entries) == 1 and not atoms(term / min(entries, key=str), Gram)


def _entry(form: Scalar, one: str, other: str) -> Scalar:
    factor = form.coeff(Gram(sympy.core.symbol.Str(one), sympy.core.symbol.Str(other)))
    return factor if one == other else factor / 2
