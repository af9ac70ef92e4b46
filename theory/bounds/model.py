"""`Bound`: a convergence bound as data: its terms, its conditions, where it comes from.

The right-hand side is the sum of the terms. Terms are sympy expressions over the symbols of
their paper; nothing here knows a formula.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.errors import UnsupportedFormError

gamma: Final = sympy.Symbol("gamma", positive=True)
"""The stepsize of a bound that names no other."""

p: Final = sympy.Symbol("p", integer=True, positive=True)
"""What the terms of a bound may depend on by its residue."""

Values = Mapping[sympy.Symbol, sympy.Rational]
"""Exact numbers of symbols."""

PRINTED: Final = "printed"
PATHWISE: Final = "pathwise"
SHARPENED: Final = "sharpened"
REPAIRED: Final = "repaired"
FORMS: Final = (PRINTED, PATHWISE, SHARPENED, REPAIRED)
"""As the paper has it; with the best distance that holds on every path; with the best of all; with
what a printed bound lacks to hold."""


@dataclass(frozen=True)
class AtMost:
    """``left ≤ right``, and why the bound needs it, or why it does not.

    Examples
    --------
    >>> L, mu = sympy.symbols("L mu", positive=True)
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
class Below(AtMost):
    """``left < right``.

    Examples
    --------
    >>> L, mu = sympy.symbols("L mu", positive=True)
    >>> condition = Below(mu, L, "")
    >>> condition.holds({mu: sympy.Integer(1), L: sympy.Integer(1)}), str(condition)
    (False, 'mu < L')
    """

    def __str__(self) -> str:
        return f"{sympy.sstr(self.left)} < {sympy.sstr(self.right)}"

    def holds(self, values: Values) -> bool:
        """Decide it at exact numbers."""
        return bool(self.gap.subs(values) > 0)


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
        What does not void the bound where it fails, and is said: what the paper asks for and no
        proof needs, and what numbers meet that belong together.
    defaults : mapping of symbol to Default
    stepsize : sympy symbol
        The paper's letter for it.
    paper_stepsize : sympy expression or None
        The stepsize that the paper puts in.
    named : mapping of str to sympy expression
        Parts of terms that the paper has a name for.
    notes : tuple of str
        What a reader has to know before using the number.
    reading : str
        What the bound takes its method to do where the paper has it do something else, or "".
    faithful : tuple of AtMost
        Where one of these holds the method is that of the paper all the same.
    stated_by : Claim, optional
        The claim itself, of a user's folder.
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
    stepsize: sympy.Symbol = gamma
    paper_stepsize: sympy.Expr | None = None
    named: Formulas = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reading: str = ""
    faithful: tuple[AtMost, ...] = ()
    stated_by: Claim | None = None

    @classmethod
    def of(cls, claim: Claim, method: str, form: str, source: str, **more: Any) -> "Bound":
        """The bound that a claim prints; `more` is what else it says, its `quantity` at least."""
        return cls(method, form, source, claim=claim.id, terms=(claim.printed,), **more)

    def read_otherwise(self, given: Values, free: Collection[sympy.Symbol] = ()) -> str:
        """The reading at these numbers, with some symbols open; "" for the paper's own method."""
        defaults = {symbol: default.value for symbol, default in self.defaults.items()}
        values = {s: value for s, value in {**defaults, **given}.items() if s not in free}
        known = (one for one in self.faithful if one.symbols <= set(values))
        return "" if any(one.holds(values) for one in known) else self.reading

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
    def letters(self) -> set[sympy.Symbol]:
        """Every symbol that can be given a value; some stand in for others by default."""
        instead = (default.value for default in self.defaults.values())
        return self.symbols.union(*(value.free_symbols for value in instead))

    def largest_stepsize(
        self, values: Mapping[sympy.Symbol, sympy.Expr] = MappingProxyType({})
    ) -> sympy.Expr | None:
        """The stepsize up to which the bound holds at these numbers; None if it holds for all.

        Raises
        ------
        UnsupportedFormError
            A condition on the stepsize is not ``factor * stepsize**power <= number``.
        """
        limits = [
            _largest(condition.left.subs(values), condition.right.subs(values), self.stepsize)
            for condition in self.conditions
            if type(condition) is AtMost and self.stepsize in condition.symbols
        ]
        found = [limit for limit in limits if limit is not None]
        return sympy.Min(*found) if found else None

    def terms_at(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> Formulas:
        """The terms for the parity, if it matters, of the p in `values`."""
        return self.terms[int(values[p]) % self.period if self.period > 1 else 0]

    def total(self, residue: int = 0) -> sympy.Expr:
        """The right-hand side for p of this residue."""
        return sympy.Add(*self.terms[residue % self.period].values())


def _largest(left: sympy.Expr, right: sympy.Expr, stepsize: sympy.Symbol) -> sympy.Expr | None:
    """The stepsize at which ``factor * stepsize**power`` reaches the other side."""
    factor, power = left.as_independent(stepsize, as_Add=False)
    if factor == 0:
        return None
    base, exponent = power.as_base_exp()
    if base != stepsize or not exponent.is_positive or right.has(stepsize):
        raise UnsupportedFormError(
            f"a condition on a stepsize that is tuned says how large it may be, found {left} <= "
            f"{right}",
            "bounds",
            "give the stepsize a value",
        )
    return sympy.root(right / factor, exponent)
