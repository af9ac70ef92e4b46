"""Three runs that Theorem 4 does not allow, and the one that stands still for ever.

Equal workers have ρ = 1/n, and Err_WP-1 = L²η²(1/n² − 1)V₂ without noise is negative, so that the
bound is too for large T. Three workers with F_1 = F_2 = h and F_3 = −h have ρ = 3 = n, so that
Err_WP-1 = 0 without noise, and the bound tends to 0. At Lη = 1/3 the predictions after one update
are (2/3, 2/3, 4/3) times x_0: the gradients there add up to 0, the model stays where it is, and the
next predictions are the same again. With a little more weight on the third worker ρ is above n and
Err_WP-1 above 0, but too small still.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import sympy

from theory.claims import Formulas
from theory.falsifier.numbers import fraction
from theory.kernel.signs import nonnegative
from theory.queries import remembered
from theory.rpd.exact_runs import require
from theory.sapipe.symbols import T
from theory.sapipe.wp_replays import Instance
from theory.verdicts import Verdict

ALIKE: Final = Instance((Fraction(1), Fraction(1)), Fraction(1), Fraction(1, 2), option=1)
"""The bound is negative from T = 11 on."""

STALLED: Final = Instance(
    (Fraction(1), Fraction(1), Fraction(-1)), Fraction(2), Fraction(1, 3), option=1
)
"""The bound tends to 0, and the model stays."""

LEANING: Final = Instance(
    (Fraction(1), Fraction(1), Fraction(-31, 30)), Fraction(4, 3), Fraction(1, 3), option=1
)
"""n < ρ < 2n: the error is positive, and the model stops as well."""

LONGEST: Final = 60
"""Up to which T a run is looked at for a violation; the printed bound is passed long before."""


def violated(instance: Instance, printed: Formulas) -> dict[str, Any] | None:
    """The shortest run above the bound, or None."""
    tried = (instance.violation(printed, updates) for updates in range(1, LONGEST + 1))
    return next((found for found in tried if found), None)


@remembered
def stands_still() -> bool:
    """Whether the state after the second update is that after the first: so are all later ones.

    Examples
    --------
    >>> stands_still()
    True
    """
    _, first, second = STALLED.states(2)
    same_model = bool((first.model == second.model).all())
    held = [tuple(one[0] for one in state.held or ()) for state in (first, second)]
    return same_model and held[0] == held[1] != ()


def average() -> sympy.Expr:
    """The mean of ‖∇F(x_{t−1})‖² over T ≥ 1 iterations, in closed form.

    Examples
    --------
    >>> sympy.factor(average())
    (64*T + 17)/(729*T)
    """
    first, later = (
        sympy.Rational(*(STALLED.mean * x).as_integer_ratio()) for x in STALLED.models(1)
    )
    return (first**2 + (T - 1) * later**2) / T


def above_for_all_later(printed: Formulas, first: int) -> Verdict:
    """Whether the run that stands still is above the bound for every T from this one on."""
    if not stands_still():
        return Verdict.UNKNOWN
    for updates in (1, 2, first):
        found = fraction(average().subs(T, updates))
        measured = STALLED.average(updates)
        require(found == measured, "sapipe.thm-4", T=updates, run=measured, formula=found)
    later = sympy.Symbol("k", integer=True, nonnegative=True)
    excess = (average() - STALLED.bound(printed)).subs(T, first + later)
    return nonnegative(sympy.together(excess), strict=True).verdict
