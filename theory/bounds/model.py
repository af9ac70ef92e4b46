"""`Bound`: a convergence bound as data: its terms, its conditions, where it comes from.

The right-hand side is the sum of the terms. Terms are sympy expressions over
`theory.rpd.symbols`; nothing here knows a formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import sympy

from theory.claims import Formulas
from theory.rpd.symbols import gamma, p

Values = Mapping[sympy.Symbol, sympy.Rational]
"""Exact numbers of symbols."""

PRINTED: Final = "printed"
PATHWISE: Final = "pathwise"
SHARPENED: Final = "sharpened"
FORMS: Final = (PRINTED, PATHWISE, SHARPENED)
"""As the paper has it; with the best distance that holds on every path; with the best of all."""


@dataclass(frozen=True)
class AtMost:
    """``left ≤ right``, and why the bound needs it, or why it does not.

    Examples
    --------
    >>> from theory.rpd.symbols import L, mu
    >>> condition = AtMost(mu, L, "a function has μ ≤ L")
    >>> condition.holds({mu: sympy.Integer(1), L: sympy.Integer(2)}), str(condition)
    (True, 'mu <= L')
    """

    left: sympy.Expr
    right: sympy.Expr
    why: str

    def __str__(self) -> str:
        return f"{sympy.sstr(self.left)} <= {sympy.sstr(self.right)}"

    @property
    def gap(self) -> sympy.Expr:
        """What must not be negative."""
        return self.right - self.left

    @property
    def symbols(self) -> set[sympy.Symbol]:
        """The symbols that it is about."""
        return set(self.gap.free_symbols)

    def holds(self, values: Values) -> bool:
        """Decide it at exact numbers."""
        return bool(self.gap.subs(values) >= 0)


@dataclass(frozen=True)
class Divides:
    """``divisor`` divides ``number``."""

    divisor: sympy.Expr
    number: sympy.Expr
    why: str

    def __str__(self) -> str:
        return f"{sympy.sstr(self.divisor)} divides {sympy.sstr(self.number)}"

    @property
    def symbols(self) -> set[sympy.Symbol]:
        """The symbols that it is about."""
        return set(self.divisor.free_symbols | self.number.free_symbols)

    def holds(self, values: Values) -> bool:
        """Decide it at exact numbers."""
        return bool(self.number.subs(values) % self.divisor.subs(values) == 0)


Condition = AtMost | Divides


@dataclass(frozen=True)
class Default:
    """What a symbol is where it is not given, and why that is sound."""

    value: sympy.Expr
    why: str


@dataclass(frozen=True)
class Bound:
    """One bound on one quantity.

    Attributes
    ----------
    method : str
    form : str
        One of `FORMS`.
    source : str
        The theorem, and where it is from.
    quantity : str
        What is bounded; only bounds on one quantity are compared.
    claim : str
        The row of the ledger that states and judges it; its formulas stand there.
    terms : tuple of mapping of str to sympy expression
        One mapping for each residue of p modulo the length of the tuple.
    conditions : tuple of Condition
        What the bound really needs, beyond what the symbols say of themselves.
    stated : tuple of AtMost
        What the paper asks for and no proof needs.
    defaults : mapping of symbol to Default
    paper_stepsize : sympy expression or None
        The γ that the paper puts in.
    notes : tuple of str
        What a reader has to know before using the number.
    """

    method: str
    form: str
    source: str
    quantity: str
    claim: str
    terms: tuple[Formulas, ...]
    conditions: tuple[Condition, ...] = ()
    stated: tuple[AtMost, ...] = ()
    defaults: Mapping[sympy.Symbol, Default] = field(default_factory=dict)
    paper_stepsize: sympy.Expr | None = None
    notes: tuple[str, ...] = ()

    @property
    def period(self) -> int:
        """The terms depend on p modulo this number."""
        return len(self.terms)

    @property
    def symbols(self) -> set[sympy.Symbol]:
        """Every symbol that has to have a value."""
        found = {s for terms in self.terms for form in terms.values() for s in form.free_symbols}
        return found.union(*(condition.symbols for condition in self.conditions))

    @property
    def largest_stepsize(self) -> sympy.Expr | None:
        """The γ up to which the bound holds; None if it holds for all."""
        limits = [c.right for c in self.conditions if isinstance(c, AtMost) and c.left == gamma]
        return sympy.Min(*limits) if limits else None

    def terms_at(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> Formulas:
        """The terms for the parity, if it matters, of the p in `values`."""
        return self.terms[int(values[p]) % self.period if self.period > 1 else 0]

    def total(self, residue: int = 0) -> sympy.Expr:
        """The right-hand side for p of this residue."""
        return sympy.Add(*self.terms[residue % self.period].values())
