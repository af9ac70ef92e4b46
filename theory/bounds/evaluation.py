"""Evaluate a bound at exact numbers, once they are found to be inside its domain."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import sympy

from theory.bounds.errors import BoundParameterError, MissingParameterError, OutsideDomainError
from theory.bounds.model import AtMost, Bound, Condition, Values
from theory.bounds.numbers import Number, number


@dataclass(frozen=True)
class Evaluation:
    """A bound at numbers.

    Attributes
    ----------
    bound : Bound
    values : mapping of symbol to number
        Given and derived ones.
    terms : mapping of str to Number
    total : Number
    unmet : tuple of AtMost
        Conditions of the paper that do not hold here and that the bound does not need.
    named : mapping of str to Number
        Parts of terms that the paper has a name for.
    """

    bound: Bound
    values: Mapping[sympy.Symbol, sympy.Expr]
    terms: Mapping[str, Number]
    total: Number
    unmet: tuple[AtMost, ...]
    named: Mapping[str, Number] = field(default_factory=dict)

    @property
    def dominant(self) -> str:
        """The largest term."""
        return max(self.terms, key=lambda name: self.terms[name].interval.low)


def evaluate(bound: Bound, given: Values) -> Evaluation:
    """Evaluate a bound.

    Parameters
    ----------
    bound : Bound
    given : mapping of symbol to exact number
        Symbols that the bound does not have are ignored.

    Raises
    ------
    BoundParameterError
        A symbol has no value, or one that it cannot have.
    OutsideDomainError
        A condition of the bound does not hold; the message has it.

    Examples
    --------
    >>> from theory.bounds.model import gamma
    >>> one = Bound("one", "printed", "", "", "", ({"start": 1 / gamma, "noise": gamma},))
    >>> evaluate(one, {gamma: sympy.Rational(1, 10)}).total.text
    '101/10'
    """
    values = settled(bound, given)
    require(bound.conditions, values)
    terms = {name: number(form, values) for name, form in bound.terms_at(values).items()}
    total = number(sympy.Add(*bound.terms_at(values).values()), values)
    unmet = tuple(condition for condition in bound.stated if not condition.holds(values))
    named = {name: number(form, values) for name, form in bound.named.items()}
    return Evaluation(bound, values, terms, total, unmet, named)


def settled(
    bound: Bound, given: Values, free: Collection[sympy.Symbol] = ()
) -> dict[sympy.Symbol, sympy.Expr]:
    """The numbers of a bound's symbols, with its defaults for those that are not given.

    Symbols in `free` stay symbols, also inside defaults.

    Raises
    ------
    BoundParameterError
        A symbol has no value, or one that it cannot have.
    """
    values: dict[sympy.Symbol, sympy.Expr] = {}
    for symbol in sorted(bound.symbols, key=str):
        if symbol in free:
            continue
        if symbol in given:
            require_possible(symbol, given[symbol])
            values[symbol] = given[symbol]
        elif symbol in bound.defaults:
            values[symbol] = _default(bound, symbol, given, free)
        else:
            raise _missing(bound, (symbol,), given, free)
    return values


def _default(
    bound: Bound, symbol: sympy.Symbol, given: Values, free: Collection[sympy.Symbol]
) -> sympy.Expr:
    value = bound.defaults[symbol].value
    needed = sorted(value.free_symbols - set(free), key=str)
    absent = [each for each in needed if each not in given]
    if absent:
        raise _missing(bound, (symbol, *absent), given, free)
    for each in needed:
        require_possible(each, given[each])
    return value.subs({each: given[each] for each in needed})


def _missing(
    bound: Bound, symbols: tuple[sympy.Symbol, ...], given: Values, free: Collection[sympy.Symbol]
) -> MissingParameterError:
    first, *instead = (str(symbol) for symbol in symbols)
    wanted = sorted(str(s) for s in bound.symbols - set(free) - set(bound.defaults))
    or_else = f", or give {' and '.join(instead)} that it can be taken from" if instead else ""
    if symbols[0] == bound.stepsize:
        or_else = ", or --tune stepsize"
    return MissingParameterError(
        f"{bound.method} needs a value for {first}; its parameters are {', '.join(wanted)}",
        "bounds",
        f"add --set {first}=VALUE{or_else}",
    )


def require_possible(symbol: sympy.Symbol, value: sympy.Expr) -> None:
    """Raise unless a number is one that its symbol can stand for.

    Raises
    ------
    BoundParameterError

    Examples
    --------
    >>> from theory.bounds.model import p
    >>> require_possible(p, sympy.Integer(4))
    """
    least = " above 0" if symbol.is_positive else " of 0 or more" if symbol.is_nonnegative else ""
    kind = "a whole number" if symbol.is_integer else "a number"
    if (symbol.is_integer and not value.is_integer) or (
        least and (value <= 0 if symbol.is_positive else value < 0)
    ):
        raise BoundParameterError(
            f"{symbol} is {kind}{least}, found {sympy.sstr(value)}",
            "bounds",
            f"give {symbol} such a value",
        )


def require(conditions: tuple[Condition, ...], values: Mapping[sympy.Symbol, sympy.Expr]) -> None:
    """Raise for the first condition that does not hold.

    Raises
    ------
    OutsideDomainError
    """
    for condition in conditions:
        if not condition.holds(values):
            found = ", ".join(
                f"{symbol} = {sympy.sstr(values[symbol])}"
                for symbol in sorted(condition.symbols, key=str)
            )
            raise OutsideDomainError(
                f"the bound needs {condition} ({condition.why}), found {found}",
                "bounds",
                "change one of these",
            )
