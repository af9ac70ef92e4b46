"""Sums of ⌈·/n⌉ over the stages of a pipeline, in closed form.

G(k) = c·k − n·c(c − 1)/2 with c = ⌈k/n⌉ is the sum of ⌈v/n⌉ over v = 1 … k, and goes on to all
integers: G(k) − G(k − 1) = ⌈k/n⌉.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import sympy
import z3

from theory.smt.solver import Statement


def ceiling(k: Any, n: Any) -> Any:
    """⌈k/n⌉."""
    return sympy.ceiling(k / sympy.sympify(n))


def total(k: Any, n: Any) -> Any:
    """G(k), the sum of ⌈v/n⌉ over v = 1 … k, and what continues it to all integers."""
    c = ceiling(k, n)
    return c * k - n * c * (c - 1) / 2


@dataclass(frozen=True)
class Notation:
    """⌈k/n⌉ and G(k), written out, or as functions c and G of k."""

    ceiling: Callable[[Any, Any], Any] = ceiling
    total: Callable[[Any, Any], Any] = total

    def over_stages(self, x: Any, j: Any, p: Any, n: Any, tie: int) -> Any:
        """The sum over stages u < p of ⌈(x + u)/n⌉, with x + u + 1 for some of them.

        Parameters
        ----------
        tie : int
            −1: for stages u < j, 1: for u > j, 0: for none.

        Examples
        --------
        >>> sums = [sum(-(-(u - 2 + (u < j)) // 2) for u in range(4)) for j in range(4)]
        >>> sums == [Notation().over_stages(-2, j, 4, 2, tie=-1) for j in range(4)]
        True
        """
        if tie < 0:
            return self.total(x + p - 1, n) - self.total(x, n) + self.ceiling(x + j, n)
        if tie > 0:
            return self.total(x + p, n) - self.total(x - 1, n) - self.ceiling(x + j + 1, n)
        return self.total(x + p - 1, n) - self.total(x - 1, n)


C, G = sympy.Function("c"), sympy.Function("G")

SHORT: Final = Notation(
    lambda k, _: sympy.S.Zero if k == 0 else C(k),
    lambda k, _: sympy.S.Zero if k in (0, -1) else G(k),
)
"""What people read."""


def where(sizes: Mapping[sympy.Symbol, sympy.Expr]) -> Notation:
    """⌈k/n⌉ written as a number where it is one at all these sizes.

    Parameters
    ----------
    sizes : mapping of sympy symbol to expression
        What symbols are, made of symbols that are 0 or more.

    Examples
    --------
    >>> p, more = sympy.Symbol("p"), sympy.Symbol("more", nonnegative=True)
    >>> where({p: 1 + more}).ceiling(1 - p, 2 * p)
    0
    """

    def never_negative(form: sympy.Expr) -> bool:
        return bool(sympy.expand(form.subs(sizes)).is_nonnegative)

    def known(k: Any, n: Any, least: int = 1) -> Any:
        """⌈k/n⌉; with least = 0 one that is as good for G, as two are where both meet."""
        found = (c for c in map(sympy.Integer, range(-2, 3)) if never_negative(n * c - k))
        c = next(found, None)
        return None if c is None or not never_negative(k - n * (c - 1) - least) else c

    def rounded(k: Any, n: Any) -> Any:
        c = known(k, n)
        return ceiling(k, n) if c is None else c

    def added(k: Any, n: Any) -> Any:
        c = known(k, n, least=0)
        return total(k, n) if c is None else c * k - n * c * (c - 1) / 2

    return Notation(rounded, added)


def proofs(slots: int) -> Iterator[Statement]:
    """Closed forms of sums over k, over stages, and over the numbers of a window."""
    k, n, c = sympy.symbols("k n c", integer=True)
    total = c * k - n * c * (c - 1) / 2
    sooner = total.subs(k, k - 1)  # where ⌈(k − 1)/n⌉ is c too; it is c − 1 at the first such k
    border = {k: n * (c - 1) + 1}
    grows = (total - sooner - c, (total - sooner.subs(c, c - 1) - c).subs(border))
    zero = (total.subs(c, 0), total.subs({n: 1, k: -1, c: -1}))
    yield identity("adds up", "G(k) − G(k − 1) = ⌈k/n⌉, and G(0) = G(−1) = 0", *grows, *zero)
    yield from stages_add_up()
    K, q, e, y, w = z3.Ints("K q e y w")
    n, inside = slots * K, z3.And(y > 0, y <= slots, w > 0, w < K)
    known = (K >= 1, n * (q - 1) < e, e <= n * q)
    shifted = z3.And(n * q < e + n, e + n <= n * (q + 1))
    first = z3.And(y - slots * w > -n, y - slots * w <= 0, y <= n)
    says = "over the numbers of a window: ⌈y/a⌉ for 0 < y ≤ a, and one more for y + a"
    yield Statement("numbers", says, known, z3.And(shifted, z3.Implies(inside, first)))


def stages_add_up() -> Iterator[Statement]:
    """Sums over stages, for whatever c(k) where G(k) − G(k − 1) = c(k)."""
    n, x, p, j = sympy.symbols("n x p j", integer=True)
    for tie in (-1, 0, 1):
        row = partial(SHORT.over_stages, n=n, tie=tie)
        more, less = int(tie > 0), int(tie < 0)
        steps = (
            row(x, j, p + 1) - row(x, j, p) - C(x + p + more),
            row(x, j + 1, p)
            - row(x, j, p)
            - less * (C(x + j + 1) - C(x + j))
            + more * (C(x + j + 2) - C(x + j + 1)),
            row(x, 0, 1) - C(x),
        )
        says = "over stages: one stage more above j, another j, and stage 0 alone"
        put = {G(x + e): G(x + e - 1) + C(x + e) for e in (p + 1, p, 1, 0)}
        yield identity(f"stages {tie}", says, *(step.subs(put) for step in steps))


def identity(name: str, says: str, *zeros: sympy.Expr) -> Statement:
    """That forms are 0, as polynomials of what they name."""
    holds = all(sympy.expand(form) == 0 for form in zeros)
    return Statement(name, says, (), z3.BoolVal(holds))
