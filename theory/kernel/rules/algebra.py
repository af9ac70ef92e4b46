"""Rules of algebra: identities, certificates of inequalities, signs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sympy

from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Scalar, Vector, square
from theory.verdicts import Verdict

SHOWN: Final = 160
"""Characters of what is left of a certificate that fails."""
MOST: Final = 400
"""Operations up to which it is expanded first."""


@dataclass(frozen=True)
class Combine:
    """A certificate: goal = Σ multiplier · fact + Σ coefficient · square + what is nonnegative.

    The gap of the goal (right minus left) must equal exactly the sum of the gaps of the facts times
    their multipliers, of squares times their coefficients, and of the `plus` expressions.
    Multipliers of inequalities, coefficients and `plus` must be nonnegative on the domain; a
    multiplier of an equality may have any sign. An equality follows from equalities alone. Without
    any argument it is an identity. Whatever occurs must be shown to be defined on the whole domain.

    Attributes
    ----------
    facts : mapping of str to sympy expression
        Multipliers by the name of a fact.
    squares : tuple of (expression, expression or Vector)
        Coefficient, and what is squared.
    plus : tuple of expressions
    domain : tuple of str
        Facts under which signs hold and denominators are not 0, besides the domains of the
        symbols.
    """

    facts: Mapping[str, Scalar] = field(default_factory=dict)
    squares: tuple[tuple[Scalar, Scalar | Vector], ...] = ()
    plus: tuple[Scalar, ...] = ()
    domain: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The facts, and those that bound the domain."""
        return (*self.facts, *self.domain)

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the certificate proves the goal."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        for problem in (self._hole, self._sign_problem, self._rest):
            found = problem(goal, given)
            if found:
                return Checked(Verdict.UNKNOWN, found)
        return Checked(Verdict.PROVED, self._name())

    def _hole(self, goal: Relation, given: Given) -> str:
        under = [given.facts[name] for name in self.domain]
        parts = [goal, *self.facts.values(), *(given.facts[name] for name in self.facts)]
        parts += [part for pair in self.squares for part in pair]
        return first_undefined(parts, under)  # of `plus` the sign is looked at, which asks it too

    def _sign_problem(self, goal: Relation, given: Given) -> str:
        if goal.kind == "==":
            inexact = [name for name in self.facts if given.facts[name].kind != "=="]
            if inexact or self.squares or self.plus:
                return "an equality follows from equalities alone"
            return ""
        under = [given.facts[name] for name in self.domain]
        wanted = [m for name, m in self.facts.items() if given.facts[name].kind == "<="]
        wanted += [coefficient for coefficient, _ in self.squares] + list(self.plus)
        for expression in wanted:
            outcome = nonnegative(sympy.sympify(expression), under)
            if outcome.verdict is not Verdict.PROVED:
                return f"{outcome.says} is not shown: {outcome.note}"
        return ""

    def _rest(self, goal: Relation, given: Given) -> str:
        total = sympy.Add(
            *(m * given.facts[name].gap for name, m in self.facts.items()),
            *(c * _squared(one) for c, one in self.squares),
            *self.plus,
        )
        rest = goal.gap - total
        if is_zero(rest):
            return ""
        differ = "the two sides of the certificate differ"
        return differ if given.brief else f"{differ} by {_short(rest)}"

    def _name(self) -> str:
        if not (self.facts or self.squares or self.plus):
            return "identity"
        parts = list(self.facts)
        parts += ["squares"] if self.squares else []
        parts += ["nonnegative terms"] if self.plus else []
        return "certificate: " + " + ".join(parts)


@dataclass(frozen=True)
class Sign:
    """The gap of the goal is nonnegative on the domain, by z3 or by its coefficients.

    Attributes
    ----------
    facts : tuple of str
        Facts under which it is.
    """

    facts: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The facts."""
        return self.facts

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the sign follows."""
        absent = missing(self.facts, given)
        if absent:
            return absent
        under = [given.facts[name] for name in self.facts]
        problem = undefined(goal, under)
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
        outcomes = [nonnegative(goal.gap, under)]
        if goal.kind == "==":
            outcomes.append(nonnegative(-goal.gap, under))
        short = [outcome for outcome in outcomes if outcome.verdict is not Verdict.PROVED]
        if short:
            return Checked(Verdict.UNKNOWN, short[0].note)
        return Checked(Verdict.PROVED, f"sign: {outcomes[0].note}")


def first_undefined(parts: Sequence[Scalar | Vector | Relation], under: Sequence[Relation]) -> str:
    """Why one of these is not shown to be defined under these facts, or ``""``."""
    return next((problem for part in parts if (problem := undefined(part, under))), "")


def _short(rest: Scalar) -> str:
    """What is left of a certificate, up to `SHOWN` characters."""
    small = rest.count_ops() <= MOST
    text = sympy.sstr(sympy.expand(rest) if small else rest)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _squared(one: Scalar | Vector) -> Scalar:
    return square(one) if isinstance(one, Vector) else sympy.sympify(one) ** 2
