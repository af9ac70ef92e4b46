"""Signs of what a certificate multiplies, and what is nonnegative as a combination of facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.relations import Relation
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.vectors import Scalar
from theory.proving.forms import factored
from theory.verdicts import Verdict

DEEPEST = 3
"""How often what is left is divided by another fact."""


@dataclass(frozen=True)
class Parts:
    """A nonnegative expression: multipliers of facts, and what needs no fact or a whole domain.

    Attributes
    ----------
    facts : mapping of str to expression
    plus : expression
    """

    facts: Mapping[str, Scalar]
    plus: Scalar


def shown(expression: Scalar, under: tuple[Relation, ...] = ()) -> bool:
    """Whether the kernel shows a sign."""
    return nonnegative(expression, under).verdict is Verdict.PROVED


def apart(
    expression: Scalar, bounds: Mapping[str, Relation], deepest: int = DEEPEST
) -> Parts | None:
    """Write an expression as nonnegative multiples of bounds plus what is nonnegative itself.

    Examples
    --------
    >>> from theory.kernel.relations import le
    >>> L, c = sympy.symbols("L gamma", positive=True)
    >>> print(apart(c / 2 - L * c**2 / 2, {"step": le(c, 1 / L)}))
    Parts(facts={'step': L*gamma/2}, plus=0)
    """
    if no_negative_coefficient(expression) or (deepest < DEEPEST and shown(expression)):
        return Parts({}, expression)
    if deepest == 0:
        return None
    for name, bound in bounds.items():
        others = {other: relation for other, relation in bounds.items() if other != name}
        for factor, rest in _divisions(expression, bound.gap):
            if not (_easy(factor) or shown(factor)):
                continue
            inner = Parts({}, sympy.S.Zero) if rest == 0 else apart(rest, others, deepest - 1)
            if inner is not None:
                return Parts({name: factor, **inner.facts}, inner.plus)
    return Parts({}, expression) if deepest == DEEPEST and shown(expression) else None


def _easy(factor: Scalar) -> bool:
    return no_negative_coefficient(factor)


def _divisions(expression: Scalar, gap: Scalar) -> list[tuple[Scalar, Scalar]]:
    """Factor and rest by a bound: exactly, or with the rest free of a symbol of the bound."""
    exact = sympy.cancel(expression / gap)
    pairs = []
    if exact.is_number or len(exact.free_symbols) <= len(expression.free_symbols):
        pairs.append((factored(exact), sympy.S.Zero))
    numerator, _ = sympy.fraction(sympy.together(gap))
    for symbol in sorted(gap.free_symbols & expression.free_symbols, key=str):
        if not numerator.is_polynomial(symbol):  # it stands under a mean too
            continue
        slope = numerator.diff(symbol)
        constant = numerator.subs(symbol, 0)
        if slope == 0 or slope.has(symbol) or sympy.expand(numerator - slope * symbol - constant):
            continue
        rest = sympy.cancel(expression.subs(symbol, -constant / slope))
        if rest.has(sympy.zoo, sympy.nan):
            continue
        pairs.append((factored(sympy.cancel((expression - rest) / gap)), factored(rest)))
    return pairs


def domain_for(
    wanted: tuple[Scalar, ...],
    defined: tuple[Scalar | Relation, ...],
    facts: Mapping[str, Relation],
) -> tuple[str, ...] | Scalar:
    """Facts under which signs hold and all is defined, none too many; or the sign that is open."""

    def problem(names: tuple[str, ...]) -> Scalar | None:
        under = tuple(facts[name] for name in names)
        for expression in wanted:
            if not shown(expression, under):
                return expression
        return next((part for part in defined if undefined(part, under)), None)

    if problem(()) is None:
        return ()
    names = tuple(facts)
    open_sign = problem(names)
    if open_sign is not None:
        return open_sign
    for name in facts:
        fewer = tuple(other for other in names if other != name)
        if problem(fewer) is None:
            names = fewer
    return names
