"""The rule of exponentials, logarithms and powers: a short list of facts, each with its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import sympy

from theory.kernel.elementary import Exp, Log
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, eq, le
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Checked, Given, missing
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Stated:
    """What an entry says at some values, and under which conditions.

    Attributes
    ----------
    relation : Relation
    least, above : tuple of expressions
        What must be at least 0, and what must be above 0.
    whole : tuple of expressions
        What must be an integer.
    """

    relation: Relation
    least: tuple[Scalar, ...] = ()
    above: tuple[Scalar, ...] = ()
    whole: tuple[Scalar, ...] = ()


def exp_tangent(x: Scalar, y: Scalar) -> Stated:
    """e^x (1 + y − x) ≤ e^y for real x, y: e^t − 1 − t is least at t = 0; put t = y − x."""
    return Stated(le(Exp(x) * (1 + y - x), Exp(y)))


def exp_sum(x: Scalar, y: Scalar) -> Stated:
    """e^(x + y) = e^x e^y for real x, y."""
    return Stated(eq(Exp(x + y), Exp(x) * Exp(y)))


def exp_power(x: Scalar, n: Scalar) -> Stated:
    """e^(n x) = (e^x)^n for real x and integer n: `exp_sum`, n times."""
    return Stated(eq(Exp(n * x), Exp(x) ** n), whole=(n,))


def exp_grows(x: Scalar, y: Scalar) -> Stated:
    """e^x ≤ e^y for x ≤ y: `exp_tangent`, where e^x (y − x) ≥ 0."""
    return Stated(le(Exp(x), Exp(y)), least=(y - x,))


def exp_of_log(x: Scalar) -> Stated:
    """e^(ln x) = x for x > 0: so ln is defined."""
    return Stated(eq(Exp(Log(x)), x), above=(x,))


def log_of_exp(x: Scalar) -> Stated:
    """Ln e^x = x for real x: e^· is one to one."""
    return Stated(eq(Log(Exp(x)), x))


def log_tangent(x: Scalar, y: Scalar) -> Stated:
    """Ln y ≤ ln x + y/x − 1 for x, y > 0: `exp_tangent` at 0 and t = ln(y/x), 1 + t ≤ e^t = y/x."""
    return Stated(le(Log(y), Log(x) + y / x - 1), above=(x, y))


def log_product(x: Scalar, y: Scalar) -> Stated:
    """ln(x y) = ln x + ln y for x, y > 0: e to either side is x y."""
    return Stated(eq(Log(x * y), Log(x) + Log(y)), above=(x, y))


def log_grows(x: Scalar, y: Scalar) -> Stated:
    """Ln x ≤ ln y for 0 < x ≤ y: `log_tangent`, ln x ≤ ln y + x/y − 1 and x/y ≤ 1."""
    return Stated(le(Log(x), Log(y)), least=(y - x,), above=(x,))


def halving(x: Scalar, z: Scalar) -> Stated:
    """Z e^(−x) ≤ 1 for z > 0 and x ≥ ln z: z = e^(ln z) ≤ e^x, and e^x e^(−x) = 1."""
    return Stated(le(z * Exp(-x), 1), least=(x - Log(z),), above=(z,))


def power_sign(x: Scalar, n: Scalar) -> Stated:
    """0 ≤ x^n for x ≥ 0, n = 0, 1, 2, …: a product of what is at least 0."""
    return Stated(le(0, x**n), least=(x, n), whole=(n,))


def power_grows(x: Scalar, y: Scalar, n: Scalar) -> Stated:
    """x^n ≤ y^n for 0 ≤ x ≤ y, n = 0, 1, 2, …: factor by factor."""
    return Stated(le(x**n, y**n), least=(x, y - x, n), whole=(n,))


def decay(a: Scalar, n: Scalar) -> Stated:
    """(1 − a)^n ≤ e^(−a n) for a ≤ 1, n = 0, 1, 2, …: 0 ≤ 1 − a ≤ e^(−a), n times; 0^0 is 1."""
    return Stated(le((1 - a) ** n, Exp(-a * n)), least=(1 - a, n), whole=(n,))


def bernoulli(x: Scalar, n: Scalar) -> Stated:
    """1 + n x ≤ (1 + x)^n for x ≥ −1, n = 0, 1, 2, …, by induction on n.

    (1 + x)^(n + 1) ≥ (1 + n x)(1 + x) = 1 + (n + 1) x + n x² ≥ 1 + (n + 1) x, since 1 + x ≥ 0.
    """
    return Stated(le(1 + n * x, (1 + x) ** n), least=(1 + x, n), whole=(n,))


def bernoulli_inverse(a: Scalar, n: Scalar) -> Stated:
    """(1 + n a)(1 − a)^n ≤ 1 for 0 ≤ a ≤ 1, n = 0, 1, 2, ….

    1 + n a ≤ (1 + a)^n by `bernoulli`, (1 − a)^n ≥ 0, and (1 + a)^n (1 − a)^n = (1 − a²)^n ≤ 1.
    """
    return Stated(le((1 + n * a) * (1 - a) ** n, 1), least=(a, 1 - a, n), whole=(n,))


ENTRIES: Final[Mapping[str, Callable[..., Stated]]] = MappingProxyType(
    {
        entry.__name__: entry
        for entry in (
            *(exp_tangent, exp_sum, exp_power, exp_grows, exp_of_log, log_of_exp),
            *(log_tangent, log_product, log_grows, halving),
            *(power_sign, power_grows, decay, bernoulli, bernoulli_inverse),
        )
    }
)
"""All there are, by name."""


@dataclass(frozen=True)
class Elementary:
    """A fact about exponentials, logarithms or powers, at expressions of the author's.

    The facts, each under its conditions, which must be shown on the domain:

    - ``exp_tangent`` e^x (1 + y − x) ≤ e^y, so 1 + y ≤ e^y at 0; ``exp_grows`` e^x ≤ e^y, x ≤ y;
    - ``exp_sum`` e^(x + y) = e^x e^y; ``exp_power`` e^(n x) = (e^x)^n, n an integer;
    - ``log_tangent`` ln y ≤ ln x + y/x − 1, so ln y ≤ y − 1 at 1; ``log_grows`` ln x ≤ ln y,
      x ≤ y; ``log_product`` ln(x y) = ln x + ln y; all for x, y > 0;
    - ``exp_of_log`` e^(ln x) = x, x > 0; ``log_of_exp`` ln e^x = x;
    - ``halving`` z e^(−x) ≤ 1, z > 0 and x ≥ ln z;
    - ``power_sign`` 0 ≤ x^n, x ≥ 0; ``power_grows`` x^n ≤ y^n, 0 ≤ x ≤ y; n = 0, 1, 2, …;
    - ``decay`` (1 − a)^n ≤ e^(−a n), a ≤ 1, n = 0, 1, 2, …;
    - ``bernoulli`` 1 + n x ≤ (1 + x)^n, x ≥ −1, n = 0, 1, 2, …;
    - ``bernoulli_inverse`` (1 + n a)(1 − a)^n ≤ 1, 0 ≤ a ≤ 1, n = 0, 1, 2, ….

    Attributes
    ----------
    entry : str
        Which.
    at : tuple of expressions
        What takes the place of its letters, in the order x, y, z, a, n in which it has them.
    domain : tuple of str
        Facts under which its conditions hold, besides the domains of the symbols.
    """

    entry: str
    at: tuple[Scalar, ...]
    domain: tuple[str, ...] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """What bounds the domain."""
        return self.domain

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the goal is that fact, and its conditions hold."""
        absent = missing(self.uses, given)
        if absent:
            return absent
        stated = self.stated()
        if isinstance(stated, str):
            return Checked(Verdict.UNKNOWN, stated)
        problem = unmet(stated, self.at, tuple(given.facts[name] for name in self.domain))
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
        if goal.kind != stated.relation.kind or not is_zero(goal.gap - stated.relation.gap):
            return Checked(Verdict.UNKNOWN, f"{self.entry} says {stated.relation}")
        return Checked(Verdict.PROVED, f"elementary: {self.entry}")

    def stated(self) -> Stated | str:
        """What the entry says at these values, or why it says nothing."""
        entry = ENTRIES.get(self.entry)
        if entry is None or len(self.at) != entry.__code__.co_argcount:
            return f"no fact of {len(self.at)} expressions is called {self.entry!r}"
        return entry(*map(sympy.sympify, self.at))


def unmet(stated: Stated, at: tuple[Scalar, ...], under: tuple[Relation, ...]) -> str:
    """Which condition of an entry is not shown, or ``""``."""
    for part in (*at, stated.relation):
        hole = undefined(part, under)
        if hole:
            return hole
    for number in stated.whole:
        if not number.is_integer:
            return f"{number} is not shown to be an integer"
    for form, strict in (*((f, False) for f in stated.least), *((f, True) for f in stated.above)):
        outcome = nonnegative(form, under, strict=strict)
        if outcome.verdict is not Verdict.PROVED:
            return f"{outcome.says} is not shown: {outcome.note}"
    return ""
