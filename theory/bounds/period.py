"""The value of a whole-number symbol that makes a bound smallest, where that is 1."""

import sympy

from theory.bounds.errors import NotComparableError
from theory.bounds.model import Bound


def best_period(bound: Bound, symbol: sympy.Symbol) -> int:
    """The best value: 1, once it is shown that every larger one gives no smaller bound.

    Shown for all values of the other symbols: with 1 + h in its place the bound less its value at
    h = 0 is a polynomial in h without negative coefficients.

    Raises
    ------
    NotComparableError
        The bound does not have the symbol, or its terms do not grow with it.

    Examples
    --------
    >>> a, H = sympy.Symbol("a", positive=True), sympy.Symbol("H", integer=True, positive=True)
    >>> best_period(Bound("one", "printed", "", "", "", ({"drift": a * (H - 1) ** 2},)), H)
    1
    """
    h = sympy.Symbol("h", nonnegative=True)
    total = bound.total()
    rise = sympy.expand(total.subs(symbol, 1 + h) - total.subs(symbol, 1))
    grows = symbol in bound.symbols and rise.is_polynomial(h)
    if not grows or any(not part.is_nonnegative for part in sympy.Poly(rise, h).coeffs()):
        raise NotComparableError(
            f"{bound.method} has no bound that grows with {symbol}", "--tune", "tune the stepsize"
        )
    return 1
