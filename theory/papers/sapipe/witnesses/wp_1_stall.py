"""Three runs that Theorem 4 does not allow, and the one that stands still for ever.

Equal workers have ρ = 1/n, and Err_WP-1 = L²η²(1/n² − 1)V₂ without noise is negative, so that the
bound is too for large T. Three workers with F_1 = F_2 = h and F_3 = −h have ρ = 3 = n, so that
Err_WP-1 = 0 without noise, and the bound tends to 0. At Lη = 1/3 the predictions after one update
are (2/3, 2/3, 4/3) times x_0: the gradients there add up to 0, the model stays where it is, and the
next predictions are the same again. With a little more weight on the third worker ρ is above n and
Err_WP-1 above 0, but too small still.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import sympy

from theory.account import Compared, Ground, Refutation
from theory.claims import Formulas
from theory.falsifier.numbers import fraction
from theory.kernel.signs import nonnegative
from theory.papers.rpd.witnesses.exact_runs import require
from theory.papers.sapipe.symbols import T
from theory.papers.sapipe.witnesses.refuting import above
from theory.papers.sapipe.witnesses.wp_replays import Instance
from theory.smt.queries import remembered

ALIKE = Instance((Fraction(1), Fraction(1)), Fraction(1), Fraction(1, 2), option=1)
"""The bound is negative from T = 11 on."""

STALLED = Instance((Fraction(1), Fraction(1), Fraction(-1)), Fraction(2), Fraction(1, 3), option=1)
"""The bound tends to 0, and the model stays."""

LEANING = Instance(
    (Fraction(1), Fraction(1), Fraction(-31, 30)), Fraction(4, 3), Fraction(1, 3), option=1
)
"""n < ρ < 2n: the error is positive, and the model stops as well."""

LONGEST = 60
"""Up to which T a run is looked at for a violation; the printed bound is passed long before."""


def violated(instance: Instance, printed: Formulas) -> Refutation | None:
    """The shortest run above the bound, or None."""
    for updates in range(1, LONGEST + 1):
        found = instance.violation(printed, updates)
        if found is not None:
            at = {**instance.constants(), T: updates}
            return Refutation(found, above(partial(instance.average, updates), printed, at))
    return None


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


def above_for_all_later(printed: Formulas, first: int) -> Iterator[Ground]:
    """Why the run that stands still is above the bound for every T from this one on."""
    yield Compared("the state after two updates is that after one", __name__, stands_still())
    if not stands_still():
        return
    for updates in (1, 2, first):
        found = fraction(average().subs(T, updates))
        measured = STALLED.average(updates)
        require(found == measured, "sapipe.thm-4", T=updates, run=measured, formula=found)
    later = sympy.Symbol("k", integer=True, nonnegative=True)
    excess = (average() - STALLED.bound(printed)).subs(T, first + later)
    yield nonnegative(sympy.together(excess), strict=True)
