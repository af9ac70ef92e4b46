"""The averaging period H that makes LocalSGD's bound smallest at a given number of updates."""

from __future__ import annotations

import sympy

from theory.bounds.errors import NotComparableError
from theory.bounds.model import Bound
from theory.papers.rpd.symbols import H


def best_period(bound: Bound) -> int:
    """The best H: 1, once it is shown that every longer period gives no smaller bound.

    Shown for all values of the other symbols: with H = 1 + h the bound less its value at h = 0
    is a polynomial in h without negative coefficients. Averaging costs nothing in a bound that
    counts updates; in simulated time it does, and this says nothing about that.

    Raises
    ------
    NotComparableError
        The bound has no H, or its terms do not grow with it.

    Examples
    --------
    >>> from theory.bounds.catalog import bounds_of
    >>> [best_period(bound) for bound in bounds_of("localsgd")]
    [1, 1]
    """
    h = sympy.Symbol("h", nonnegative=True)
    total = bound.total()
    rise = sympy.expand(total.subs(H, 1 + h) - total.subs(H, 1))
    grows = H in bound.symbols and rise.is_polynomial(h)
    if not grows or any(not part.is_nonnegative for part in sympy.Poly(rise, h).coeffs()):
        raise NotComparableError(
            f"{bound.method} has no bound that grows with H", "--tune", "tune the stepsize"
        )
    return 1
