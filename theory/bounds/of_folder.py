"""The bounds that a user's folder supplies: those that it names, or that its theorems state."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.bounds.errors import UnknownMethodError
from theory.bounds.model import PRINTED, AtMost, Bound, gamma
from theory.bounds.supply import Supply, by_method
from theory.claims import Claim, Formulas
from theory.errors import ClaimFileError
from theory.judging.expression_text import expression_text
from theory.judging.loading import load, module_of
from theory.kernel.means import Mean
from theory.kernel.theorem import Hypothesis, Theorem
from theory.kernel.vectors import Gram, Scalar

STEPS: Final = ("gamma", "eta", "alpha")
"""What a stepsize is called where nobody says it."""


def of_folder(folder: str) -> Supply:
    """What a folder supplies; its own name stands for all of it.

    Its ``PAPER`` names it, or ``bounds.py`` does, as ``SUPPLY`` or as ``BOUNDS``; else every
    theorem supplies the bound that it states, if that is by constants alone.

    Raises
    ------
    TheoryError
        As `theory.judging.loading.load` does; or there is no bound.
    """
    claims = load(folder)
    record = getattr(module_of(folder, "__init__.py"), "PAPER", None)
    named = module_of(folder, "bounds.py")
    supply = getattr(record, "bounds", None) or getattr(named, "SUPPLY", None)
    if supply is None:
        bounds = list(of_claims(claims)) if named is None else getattr(named, "BOUNDS", None)
        if isinstance(bounds, (list, tuple)) and all(type(one) is Bound for one in bounds):
            supply = Supply(by_method(bounds))
    if not isinstance(supply, Supply):
        raise ClaimFileError(
            "bounds.py defines SUPPLY, a theory.bounds.Supply, or BOUNDS, a list of Bound",
            folder,
            "define one of them",
        )
    if not supply.methods:
        raise UnknownMethodError(
            "no theorem in this folder bounds anything by constants alone",
            folder,
            "name bounds in bounds.py: BOUNDS, a list of theory.bounds.Bound",
        )
    by_id = {claim.id: claim for claim in claims}
    methods = {
        method: {
            reading: tuple(replace(one, stated_by=by_id.get(one.claim)) for one in bounds)
            for reading, bounds in readings.items()
        }
        for method, readings in supply.methods.items()
    }
    return replace(supply, methods=methods, groups={**supply.groups, folder: tuple(methods)})


def of_claims(claims: Sequence[Claim]) -> Iterator[Bound]:
    """The bounds that theorems state by constants alone, each called after its claim.

    Examples
    --------
    >>> from theory.kernel.lemmas import LEMMAS
    >>> from theory.judging.as_claim import as_claim
    >>> [bound.method for bound in of_claims([as_claim(lemma) for lemma in LEMMAS])]
    ['kernel.triangle']
    """
    for claim in claims:
        theorem = claim.theorem
        terms = None if theorem is None or theorem.kind != "<=" else _by_constants(theorem)
        if theorem is not None and terms is not None:
            letters = {s.name: s for form in terms.values() for s in form.free_symbols}
            yield Bound(
                method=claim.id,
                form=PRINTED,
                source=claim.where,
                quantity=expression_text(theorem.lhs),
                claim=claim.id,
                terms=(terms,),
                conditions=tuple(_conditions(theorem)),
                stepsize=next((letters[name] for name in STEPS if name in letters), gamma),
                notes=("`staleproof verify` says whether it holds",),
            )


def _by_constants(theorem: Theorem) -> Formulas | None:
    """The terms over constants; None if there is more."""
    terms = {name: _at_start(form) for name, form in theorem.terms.items()}
    return terms if all(_is_plain(form, theorem) for form in terms.values()) else None


def _at_start(form: Scalar) -> Scalar:
    """An expression with F_0 for the first of a sequence."""
    first = {
        one: sympy.Symbol(f"{one.func.__name__}_{one.args[0]}", nonnegative=one.is_nonnegative)
        for one in form.atoms(AppliedUndef)
        if len(one.args) == 1 and one.args[0].is_Integer
    }
    return form.xreplace(first)


def _is_plain(form: Scalar, theorem: Theorem) -> bool:
    """Whether an expression is made of numbers that one can set."""
    points = {point.value for point in theorem.points} - {*theorem.symbols}
    return not (form.free_symbols & points or form.atoms(Gram, Mean, AppliedUndef, sympy.Sum))


def _conditions(theorem: Theorem) -> Iterator[AtMost]:
    """What the hypotheses say of constants alone, but not of a constant that is bounded itself."""
    measured = theorem.lhs.atoms(Gram, Mean, AppliedUndef)  # then γ in γ‖∇f‖² is a parameter
    bounded = set() if measured else theorem.lhs.free_symbols
    for one in theorem.hypotheses:
        if isinstance(one, Hypothesis):
            left, right = _at_start(one.relation.lhs), _at_start(one.relation.rhs)
            gap = right - left
            other = bounded | {*theorem.scalars, *theorem.indices}
            if _is_plain(gap, theorem) and not gap.free_symbols & other:
                yield AtMost(left, right, one.says)
                if one.relation.kind == "==":
                    yield AtMost(right, left, one.says)
