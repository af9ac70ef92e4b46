"""When a sequential model never stalls: the paper's constraints and the right ones, as formulas.

A condition is an expression that must be at least 0, made of sums of b(i), u(i) and v(i), the
durations of layer i, over stretches of layers. Layers 1 … m, the first k of them stale; j is any
layer behind them. Such a sum is read as a difference of two prefix sums, so that one formula
serves numbers, and solver terms for every m at once.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import sympy

from schedules.partial_staleness import Model
from theory.claims import Formulas
from theory.errors import UnsupportedFormError

b, u, v = (sympy.Function(name) for name in "buv")
"""Durations of a layer: backward, forward, communication."""

i, j, k, m = sympy.symbols("i j k m", integer=True)

Prefix = Callable[[str, sympy.Expr], Any]
"""``prefix("b", x)`` is b_1 + … + b_x, a number or a solver term."""


def total(of: sympy.Function, first: Any, last: Any) -> sympy.Expr:
    """of(first) + … + of(last)."""
    return sympy.Sum(of(i), (i, first, last))


CHANNEL = total(b, 1, m) + total(u, 1, m) - total(v, 1, m)
"""An iteration's communication takes no longer than its computation."""

IN_TIME = total(b, 1, j - 1) + total(u, 1, k) - total(v, k + 1, j)
"""For every j > k: if gradients j, …, k + 1 are sent without a gap after backward j, the last of
them is there when forward k + 1 begins, which the backwards below j and k forwards precede."""

SECOND = total(b, 1, m - 1) + total(u, 1, k) - total(v, k + 1, m)
"""The second constraint of the paper's program."""

RIGHT = {"channel": CHANNEL, "in time": IN_TIME}
PROGRAM = {"channel": CHANNEL, "second": SECOND}


def read(form: sympy.Expr, prefix: Prefix) -> Any:
    """A formula's value, each sum a difference of prefix sums.

    Raises
    ------
    UnsupportedFormError
        It is no sum of whole multiples of such sums and of whole numbers.

    Examples
    --------
    >>> read(SECOND, lambda name, last: sympy.Symbol(f"{name}[{last}]"))
    -b[0] + b[m - 1] - u[0] + u[k] + v[k] - v[m]
    """
    found: Any = 0
    for factor, name, last in _terms(form):
        found = found + factor * (prefix(name, last) if name else 1)
    return found


@cache
def _terms(form: sympy.Expr) -> tuple[tuple[int, str, sympy.Expr], ...]:
    """Factors of prefix sums; the name of a whole number is empty."""
    found: list[tuple[int, str, sympy.Expr]] = []
    for part in sympy.Add.make_args(sympy.expand(form)):
        factor, rest = part.as_coeff_Mul()
        if not factor.is_Integer:
            raise _unsupported(part)
        if rest == 1:
            found.append((int(factor), "", rest))
            continue
        name, first, last = _stretch(rest)
        found += [(int(factor), name, last), (-int(factor), name, first - 1)]
    return tuple(found)


def _stretch(part: sympy.Expr) -> tuple[str, sympy.Expr, sympy.Expr]:
    if isinstance(part, sympy.Sum) and len(part.limits) == 1:
        index, first, last = part.limits[0]
        for of in (b, u, v):
            if part.function == of(index):
                return of.__name__, first, last
    raise _unsupported(part)


def _unsupported(part: sympy.Expr) -> UnsupportedFormError:
    return UnsupportedFormError(
        f"a condition is made of sums of durations over layers, found {part}",
        "theory.papers.sapipe.lemmas.conditions",
        "write it as multiples of such sums",
    )


def at_least(form: sympy.Expr, model: Model, stale: int) -> int:
    """The least value of a condition over all j > k, in ticks.

    Raises
    ------
    UnsupportedFormError
        It speaks of a layer that there is not.

    Examples
    --------
    >>> from schedules.partial_staleness import sequential
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    >>> [[at_least(form, model, k) for k in range(3)] for form in (IN_TIME, SECOND)]
    [[-1, 2, 0], [0, 2, 4]]
    """
    durations = {"b": model.b, "u": model.u, "v": model.v}

    def values() -> Iterator[int]:
        others = range(stale + 1, model.count + 1) if form.has(j) else (model.count,)
        for other in others:
            known = (other, stale, model.count)
            yield sum(
                factor * (sum(durations[name][: _layers(last, *known)]) if name else 1)
                for factor, name, last in _terms(form)
            )

    return min(values(), default=0)


@cache
def _layers(last: sympy.Expr, layer: int, stale: int, count: int) -> int:
    found = last.subs({j: layer, k: stale, m: count})
    if not (found.is_Integer and 0 <= found <= count):
        raise _unsupported(last)
    return int(found)


def holds_for(formulas: Formulas, model: Model, stale: int) -> bool:
    """Whether all conditions hold for a model with its first `stale` layers stale."""
    return all(at_least(form, model, stale) >= 0 for form in formulas.values())
