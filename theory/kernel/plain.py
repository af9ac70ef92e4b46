"""Copies of what a theorem is made of: exact types all the way down, and nothing that can change.

A subclass of a symbol may lie about its sign, and a mapping may answer differently when it is asked
again; so formulas are looked at node by node when a theorem is made, and containers are copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import sympy
from sympy.core.function import UndefinedFunction
from sympy.core.numbers import Half, NegativeOne, One, Zero
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.kernel.elementary import ELEMENTARY, is_plain_argument
from theory.kernel.means import Average, Mean, Operator
from theory.kernel.relations import Relation, exact
from theory.kernel.vectors import Gram, Point, Vector

NODES: Final = frozenset(
    {
        *(sympy.Add, sympy.Mul, sympy.Pow, sympy.Sum, sympy.Tuple, sympy.Abs, sympy.Max, sympy.Min),
        *(sympy.Integer, sympy.Rational, Zero, One, NegativeOne, Half),
        *(sympy.Symbol, sympy.Dummy, Str, Gram, Mean, *ELEMENTARY),
    }
)
"""What formulas are made of, besides calls of sequences."""

_KEPT: Final = {"nargs", "_argset"}
"""What sympy itself writes into its nodes."""

_LEAVES: Final = (str, int, bool, type(None))
_RECORDS: Final = (Relation, Vector, Point, Operator, Average)


def require_plain(form: Any, where: str) -> None:
    """Refuse an expression with a node of another class.

    Raises
    ------
    TheoryError
        A subclass, or a function that the kernel does not know.

    Examples
    --------
    >>> require_plain(sympy.Symbol("x") ** 2, "formula")
    >>> require_plain(sympy.exp(sympy.Symbol("x")), "formula")
    Traceback (most recent call last):
    theory.errors.TheoryError: formula: formulas are made of symbols, ...
    """
    for node in sympy.preorder_traversal(form):
        kind = type(node)
        own = getattr(node, "__dict__", {}).keys() - _KEPT
        if own or (kind not in NODES and not _is_sequence(kind)):
            raise TheoryError(
                f"formulas are made of symbols, rational numbers, sums, products, powers and "
                f"sequences, found {node!s:.60} of the class {kind.__name__}",
                where,
                "use sympy's own symbols, and name anything else by a symbol",
            )
        if not _is_named(node):
            raise TheoryError(
                f"inner products are of names, means have names, and sums run over symbols, found "
                f"{node!s:.60}",
                where,
                "make them by dot, Operator.of and sympy.Sum(term, (index, first, last))",
            )
        if kind in ELEMENTARY and not is_plain_argument(node.args[0]):
            raise TheoryError(
                f"exponentials and logarithms are taken of symbols and numbers, found {node!s:.60}",
                where,
                "name by a symbol what it is taken of",
            )


def _is_named(node: Any) -> bool:
    """Whether a name stands where one must; what could be replaced there is none."""
    if isinstance(node, Gram):
        return all(type(one) is Str for one in node.args) and _is_as_made(node)
    if isinstance(node, Mean):
        texts = type(node.args[0]) is Str and all(type(one) is Str for one in node.args[1])
        return texts and _is_as_made(node)
    if isinstance(node, sympy.Sum):
        return all(len(limit) == 3 and limit[0].is_Symbol for limit in node.limits)
    return True


@lru_cache(maxsize=2**14)
def _is_as_made(node: Any) -> bool:
    """Whether an inner product or a mean is in the one form that those have."""
    return bool(node.func(*node.args) == node)


def _is_sequence(kind: Any) -> bool:
    """Whether a class is that of a sequence: a name, a domain, and no methods of its own."""
    if type(kind) is not UndefinedFunction:
        return False
    made = UndefinedFunction(kind.__name__, **kind._kwargs)
    return kind.__bases__ == made.__bases__ and dict(vars(kind)) == dict(vars(made))


def _require_fields(record: Any, where: str) -> None:
    """Refuse a record that carries more than its fields, such as a method in place of its own."""
    own = vars(record).keys() - {one.name for one in fields(record)}
    if own:
        raise TheoryError(
            f"found {min(own)!r} written into a {type(record).__name__}",
            where,
            "make it by its class, and leave it as it is",
        )


def plain(value: Any, where: str) -> Any:
    """A copy of anything that a theorem holds: tuples, read-only mappings, checked formulas.

    Raises
    ------
    NotExactError
        A number in it is not exact.
    TheoryError
        Something in it is of a class that the kernel does not know.
    """
    if isinstance(value, Mapping):
        return MappingProxyType({plain(k, where): plain(v, where) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(plain(one, where) for one in value)
    if isinstance(value, (float, complex, sympy.Expr)):
        require_plain(exact(value), where)
        return value
    if type(value) in _LEAVES or _is_sequence(value):
        return value
    if type(value) in _RECORDS:
        _require_fields(value, where)
        own: Any = {one.name: plain(getattr(value, one.name), where) for one in fields(value)}
        return type(value)(**own)  # what can be written to would be another thing later
    raise TheoryError(
        f"found {value!r:.60} of the class {type(value).__name__}",
        where,
        "use the kernel's own classes, text, whole numbers and sympy expressions",
    )


def copied(one: Any, where: str) -> None:
    """Replace every field of a frozen dataclass by its copy.

    Raises
    ------
    TheoryError
    """
    _require_fields(one, where)
    for field in fields(one):
        object.__setattr__(one, field.name, plain(getattr(one, field.name), where))
