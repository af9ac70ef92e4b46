"""Sums of quantities of an iteration: what stands in them becomes a sequence by itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Set
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.vectors import Gram, Scalar, Vector, squared, vector
from theory.notation.names import text

_VALUE: Final = re.compile(r"[^()]+\(.+\)")
"""What the value of a function at a point is called."""
MEANT: Final[dict[Any, Scalar]] = {}
"""What a sequence that was made here is the mean of; its name says it, so it is one thing."""
SAID: Final[dict[tuple[str, Any], Scalar]] = {}
"""The same by the file that asked for it, in which a name has one meaning."""


def total(form: Scalar, index: Scalar, count: Scalar) -> Scalar:
    """Σ over the first iterations, from 0 to count − 1.

    Examples
    --------
    >>> from theory.notation.names import count, index
    >>> k, K = index("k"), count("K")
    >>> total(sympy.Function("S")(k), k, K)
    Sum(S(k), (k, 0, K - 1))
    >>> total(vector("x") ** 2, k, K)
    Sum(‖x‖²(k), (k, 0, K - 1))
    """
    return sympy.Sum(summed(form, index, index), (index, 0, count - 1))


def resummed(one: Any, varying: Set[Scalar]) -> Any:
    """A sum with a sequence for its terms where they name scalars that change, such as a stepsize.

    Examples
    --------
    >>> k, K, s = (
    ...     *sympy.symbols("k K", integer=True, nonnegative=True),
    ...     sympy.Symbol("s", real=True),
    ... )
    >>> resummed(total(2 * s**2, k, K), {s}), resummed(total(2 * s, k, K), set())
    (Sum(2*value(s**2)(k), (k, 0, K - 1)), Sum(2*s, (k, 0, K - 1)))
    """
    index, *_ = one.limits[0]
    if not one.function.free_symbols & varying:
        return one
    calls = (call for call in atoms(one.function, AppliedUndef) if call.func in MEANT)
    form = one.function.xreplace({c: MEANT[c.func] for c in calls if c.args == (index,)})
    return sympy.Sum(summed(form, index, index, varying), *one.limits)


def summed(
    form: Scalar, running: Scalar, index: Scalar, varying: Set[Scalar] = frozenset()
) -> Scalar:
    """A term of a sum, with sequences for quantities of iteration `running`.

    Parameters
    ----------
    form : sympy expression
        Constants times sequences, or times a quantity such as ``g[j]**2``.
    running, index : sympy symbols
        j, and the k by which vectors are named.
    varying : set of sympy symbols
        Scalars that change from iteration to iteration.

    Examples
    --------
    >>> from theory.kernel.vectors import square
    >>> j, k = sympy.symbols("j k", integer=True, nonnegative=True)
    >>> summed(2 * vector("g[j]") ** 2, j, k)
    2*‖g‖²(j)
    """
    form = sympy.sympify(form)
    own = {one for one in atoms(form, Gram) if not isinstance(one, AppliedUndef)}
    own |= {one for one in form.free_symbols if _VALUE.fullmatch(one.name) or one in varying}
    if running != index:
        own = {one for one in own if f"[{running}" in str(one)}
    if not own or atoms(form, AppliedUndef):
        return form
    factor, quantity = form.as_independent(*own, as_Add=False)
    _require_of_one_iteration(quantity, running, plainly=running == index)
    meaning = _at(quantity, running, index)
    sign = "nonnegative" if meaning.is_nonnegative or squared(meaning) else "real"
    name = _named(meaning, index)
    signs = dict.fromkeys((sign, *(("commutative",) if f"[{index}" in str(meaning) else ())), True)
    # ‖g[k]‖² and ‖g‖² are printed alike, and are two things: a theorem with both is refused
    made = sympy.Function(f"value({name})" if varying else name, **signs)
    if SAID.setdefault((_written_in(), made), meaning) != meaning:
        raise TheoryError(
            f"{made} would be the name of two sums, of {SAID[_written_in(), made]} and {meaning}",
            "sum",
            "give one of the vectors another name, or name a sequence by T.sequence",
        )
    MEANT[made] = meaning
    return factor * made(running)


def _require_of_one_iteration(quantity: Scalar, running: Scalar, plainly: bool) -> None:
    """Beside g[j] in a sum over j, v[k] would be read as v[j], and so would v."""
    names = {name for entry in atoms(quantity, Gram) for name in entry.names}
    names |= {one.name for one in quantity.free_symbols if _VALUE.fullmatch(one.name)}
    others = sorted(n for n in names if f"[{running}" not in n and ("[" in n or not plainly))
    if others:
        raise TheoryError(
            f"{others[0]} is not of iteration {running}, over which the sum runs",
            "sum",
            f"name it by {running}; what is the same in all iterations stands in a T.sequence",
        )


def _written_in() -> str:
    """The file that asks for a sum."""
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).startswith("theory.notation"):
        frame = frame.f_back
    return str(frame.f_globals.get("__file__"))


def renamed(one: Vector, old: Scalar, new: Scalar) -> Vector:
    """A vector with its members called by another index."""
    return Vector(tuple(sorted((n.replace(f"[{old}", f"[{new}"), a) for n, a in one.terms)))


def _at(form: Scalar, old: Scalar, new: Scalar) -> Scalar:
    """A quantity with its vectors, and values at them, called by another index."""

    def other(name: str) -> str:
        return name.replace(f"[{old}", f"[{new}")

    put = {g: Gram(*(Str(other(name)) for name in g.names)) for g in atoms(form, Gram)}
    put |= {s: sympy.Symbol(other(s.name), **s.assumptions0) for s in form.free_symbols - {old}}
    return form.xreplace(put | {old: new})


def _named(meaning: Scalar, index: Scalar) -> str:
    """What a quantity is called: ‖g‖² for the square of g[k]."""
    root = _root(meaning)
    said = sympy.sstr(meaning) if root is None else f"‖{text(root)}‖²"
    return said.replace(f"[{index}]", "").replace(f"[{index} - ", "[-")


def _root(form: Scalar) -> Vector | None:
    """The vector of which an expression is the square, if it is one."""
    expanded = sympy.expand(form)
    names = sorted({name for entry in atoms(form, Gram) for name in entry.names})
    for first in names:
        size = sympy.sqrt(expanded.coeff(Gram(Str(first), Str(first))))
        if size == 0:
            continue
        found: Vector = size * vector(first)
        for name in names:
            if name != first:
                both = expanded.coeff(Gram(*map(Str, sorted((first, name)))))
                found = found + both / (2 * size) * vector(name)
        if sympy.expand(found**2 - expanded) == 0:
            return found
    return None
