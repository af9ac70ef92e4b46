"""Certificates kept in data files: what is written there is read as formulas, and never run.

A certificate is kept under the theorem and the step that it is for, with a digest of the goal, of
the facts that it uses and of the domains of all that is named. Nothing here is trusted: what comes
out is checked as if its author had written it down.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, reduce
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.means import Mean
from theory.kernel.normal import linear_sums
from theory.kernel.relations import Relation, exact
from theory.kernel.vectors import ZERO, Gram, Scalar, Vector, vector

SCHEMA: Final = "staleproof-certificates-1"
LARGEST: Final = 8_000_000
"""Bytes of a data file."""
LONGEST: Final = 40_000
"""Characters of a formula."""
HIGHEST: Final = 64
"""Exponents that are numbers."""
BITS: Final = 4_096
"""Of a number."""

Entry = Mapping[str, Any]


def entries_of(path: Path, theorem: str, step: str) -> list[Entry]:
    """What a data file keeps for a step; none if there is no such file.

    Raises
    ------
    TheoryError
        The file is no data file of certificates.
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return []
    kept = _read(path, status.st_mtime_ns, status.st_size)
    return [one for one in kept if one["theorem"] == theorem and one["step"] == step]


@lru_cache(maxsize=2**8)
def _read(path: Path, changed: int, size: int) -> list[Entry]:
    """The entries of a data file, by the time of its last change."""
    problem = f"it has {size} bytes, and {LARGEST} are the most"
    if size <= LARGEST:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["schema"] == SCHEMA and all(map(_is_entry, content["certificates"])):
                return list(content["certificates"])
            problem = f"its schema is not {SCHEMA}, or an entry lacks a part"
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            problem = f"{type(error).__name__}: {error!s:.80}"
    raise TheoryError(
        f"this is no data file of certificates: {problem}", str(path), "delete it and certify again"
    )


def _is_entry(one: Any) -> bool:
    texts = all(isinstance(one[part], str) for part in ("theorem", "step", "key"))
    names = all(isinstance(name, str) for part in ("plus", "domain") for name in one[part])
    pairs = all(isinstance(text, str) for text in one["facts"].values())
    return texts and names and pairs and all(len(square) == 2 for square in one["squares"])


def key_of(goal: Relation, facts: Mapping[str, Relation]) -> str:
    """Digest of a goal and facts, with the domains of what they name.

    Examples
    --------
    >>> from theory.kernel.relations import le
    >>> x, y = sympy.Symbol("x", positive=True), sympy.Symbol("x", real=True)
    >>> (
    ...     key_of(le(x, 1), {}) == key_of(le(1 * x, 1), {}),
    ...     key_of(le(x, 1), {}) == key_of(le(y, 1), {}),
    ... )
    (True, False)
    """
    parts = [f"{name!r} {one.kind} {_spelled(one.gap)}" for name, one in sorted(facts.items())]
    text = "\n".join((f"{goal.kind} {_spelled(goal.gap)}", *parts))
    return sha256(text.encode()).hexdigest()[:32]


@lru_cache(maxsize=2**14)
def _spelled(node: Any) -> str:
    """A formula with its domains, whatever the order in which sympy keeps its parts."""
    if not node.args:
        signs = node.is_positive, node.is_nonnegative, node.is_integer
        return f"{node}{signs if node.is_Symbol else ''}"
    parts = [_spelled(part) for part in node.args]
    if node.is_Add or node.is_Mul:
        parts.sort()
    sign = node.is_nonnegative if isinstance(node, AppliedUndef) else ""
    return f"{node.func.__name__}{sign}({', '.join(parts)})"


def names_of(relations: Iterable[Relation]) -> dict[str, Scalar]:
    """Everything that formulas of certificates may name, by how it is written.

    What two different things are written like is left out.
    """
    names: dict[str, Scalar] = {}
    twice = set()
    for node in _atoms(relations):
        if names.setdefault(str(node), node) != node:
            twice.add(str(node))
    return {text: node for text, node in names.items() if text not in twice}


def _atoms(relations: Iterable[Relation]) -> Iterator[Scalar]:
    kinds = (sympy.Symbol, Gram, Mean, AppliedUndef, sympy.Sum, *ELEMENTARY)
    for relation in relations:
        for form in dict.fromkeys((relation.gap, linear_sums(relation.gap))):
            yield from atoms(form, *kinds)
            yield from (one for one in atoms(form, sympy.Pow) if not one.exp.is_Integer)
            yield from (node for node in atoms(form, sympy.Max, sympy.Min, sympy.Abs))


def vector_from(parts: Any, names: Mapping[str, Scalar]) -> Vector:
    """A vector from pairs of a factor and a name."""
    pieces = (vector(str(name)) * formula(factor, names) for factor, name in parts)
    return reduce(operator.add, pieces, ZERO)


def formula(text: Any, names: Mapping[str, Scalar]) -> Scalar:
    """A formula from its text: names, whole numbers, and + − * / **.

    Raises
    ------
    ValueError
        It is something else.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> formula('-x**2/3 + "x"', {"x": x})
    -x**2/3 + x
    >>> formula("__import__('os')", {"x": x})
    Traceback (most recent call last):
    ValueError: a formula is made of names, numbers, + - * / **, found Call
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        raise ValueError(f"a formula is text of at most {LONGEST} characters")
    return exact(_node(ast.parse(text.strip(), mode="eval").body, names))


_OPERATIONS: Final = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _node(node: ast.expr, names: Mapping[str, Scalar]) -> Scalar:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return sympy.Integer(node.value)
    if isinstance(node, (ast.Name, ast.Constant)):
        name = node.id if isinstance(node, ast.Name) else node.value
        if not isinstance(name, str) or name not in names:
            raise ValueError(f"nothing in the statement is called {name!r:.60}")
        return names[name]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_node(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_node(node.left, names), _node(node.right, names))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(_node(node.left, names), _node(node.right, names))
    raise ValueError(
        f"a formula is made of names, numbers, + - * / **, found {type(node).__name__}"
    )


def _power(base: Scalar, exponent: Scalar) -> Scalar:
    if exponent.is_Number:
        bits = (
            abs(exponent) * max(base.p.bit_length(), base.q.bit_length()) if base.is_Rational else 0
        )
        if not exponent.is_Rational or abs(exponent) > HIGHEST or bits > BITS:
            raise ValueError(f"exponents are at most {HIGHEST}, found {exponent!s:.40}")
    return base**exponent
