"""Expressions of the kernel as text that other programs can parse: what the ledger shows of them.

The text is what `sympy.sstr` prints, with inner products as ``dot(u, v)``, means as
``mean(E, [g], EXPR)`` and names that are no identifiers in double quotes. `reports/recheck.py`
reads it back without sympy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef
from sympy.printing.str import StrPrinter

from theory.errors import TheoryError
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.relations import Relation
from theory.kernel.vectors import Scalar, Vector

RESERVED: Final = frozenset(
    ["dot", "mean", "Sum", "sqrt", "exp", "log", "Max", "Min", "Abs", "floor", "ceiling", "Mod"]
)
"""Names with a meaning in the text; a quantity that is called so stands in quotes."""

KNOWN: Final = {kind.__name__: kind.__name__.lower() for kind in ELEMENTARY}

_PLAIN: Final = re.compile(r"[^\W\d]\w*")


def expression_text(expression: Scalar) -> str:
    """Write an expression.

    Raises
    ------
    TheoryError
        Two different symbols in it have one name.

    Examples
    --------
    >>> from theory.kernel.means import Operator
    >>> from theory.kernel.vectors import point, square, vector
    >>> x, g = point("x"), vector("g")
    >>> expression_text(square(x.gradient) / 2 + x.value)
    '"f(x)" + dot("∇f(x)", "∇f(x)")/2'
    >>> expression_text(3 * Operator("E", ("g",)).of(square(g)))
    '3*mean(E, [g], dot(g, g))'
    """
    form = sympy.sympify(expression)
    _require_distinct(form)
    return str(_Printer().doprint(form))


def relation_text(relation: Relation) -> str:
    """Write a relation.

    Examples
    --------
    >>> from theory.kernel.relations import le
    >>> L, gamma = sympy.symbols("L gamma", positive=True)
    >>> relation_text(le(gamma * L, 2))
    'L*gamma <= 2'
    """
    return f"{expression_text(relation.lhs)} {relation.kind} {expression_text(relation.rhs)}"


def vector_text(vector: Vector) -> list[list[str]]:
    """Write a vector: its factors and names.

    Examples
    --------
    >>> from theory.kernel.vectors import vectors
    >>> u, v = vectors("u v⁺")
    >>> vector_text(u - v / 2)
    [['1', 'u'], ['-1/2', '"v⁺"']]
    """
    return [[expression_text(factor), name_text(name)] for name, factor in vector.terms]


def name_text(name: str) -> str:
    r"""Write a name, in quotes where it is no identifier or has a meaning of its own.

    Examples
    --------
    >>> name_text("gamma"), name_text("f(x)"), name_text("Sum")
    ('gamma', '"f(x)"', '"Sum"')
    """
    if _PLAIN.fullmatch(name) and name not in RESERVED:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Printer(StrPrinter):  # type: ignore[misc]
    """`sympy.sstr`, but for the atoms of the kernel and for names."""

    printmethod = "_ledger_text"

    # The names of these methods are sympy's.
    def _print_Symbol(self, symbol: Any) -> str:  # noqa: N802
        return name_text(symbol.name)

    _print_Dummy = _print_Symbol  # noqa: N815

    def _print_Gram(self, entry: Any) -> str:  # noqa: N802
        return f"dot({', '.join(map(name_text, entry.names))})"

    def _print_Mean(self, mean: Any) -> str:  # noqa: N802
        name, random, inside = mean.args
        listed = ", ".join(name_text(str(one)) for one in random)
        return f"mean({name_text(str(name))}, [{listed}], {self._print(inside)})"

    def _print_Function(self, call: Any) -> str:  # noqa: N802
        name = call.func.__name__
        shown = name_text(name) if isinstance(call, AppliedUndef) else KNOWN.get(name, name)
        return f"{shown}({self.stringify(call.args, ', ')})"


def _require_distinct(form: Scalar) -> None:
    """Different symbols that are seen at one place have different names there.

    An index of a sum may be called as a symbol outside of that sum.
    """
    require_names(form.free_symbols)
    for total in form.atoms(sympy.Sum):
        indices = [limit[0] for limit in total.limits]
        require_names({*total.function.free_symbols, *indices})
        for place, (_, *ends) in enumerate(total.limits, 1):
            outside = {symbol for end in ends for symbol in end.free_symbols}
            require_names({*outside, *indices[place:]})


def require_names(symbols: Iterable[Any]) -> None:
    """Refuse different symbols, or functions, of one name.

    Raises
    ------
    TheoryError
    """
    names: dict[str, Any] = {}
    for symbol in symbols:
        if names.setdefault(symbol.name, symbol) != symbol:
            raise TheoryError(
                f"two symbols of one formula are both called {symbol.name}",
                "formula",
                "use one and the same symbol, or rename one",
            )
