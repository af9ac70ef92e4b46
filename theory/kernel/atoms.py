"""`atoms`: what of some kinds an expression holds, kept, since formulas are asked over and over."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import sympy

_COMMON: Final = (sympy.Add, sympy.Mul, sympy.Number)


@lru_cache(maxsize=2**16)
def atoms(form: Any, *kinds: type) -> frozenset[Any]:
    """All parts of an expression that are of one of these kinds, no sums, products or numbers.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> sorted(map(str, atoms(x**2 + sympy.sqrt(y), sympy.Pow)))
    ['sqrt(y)', 'x**2']
    """
    return frozenset(part for part in _parts(form) if isinstance(part, kinds))


@lru_cache(maxsize=2**14)
def _parts(form: Any) -> tuple[Any, ...]:
    parts = dict.fromkeys(sympy.preorder_traversal(form))
    return tuple(part for part in parts if not isinstance(part, _COMMON))
