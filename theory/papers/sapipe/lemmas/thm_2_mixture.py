"""A line of Theorem 2's proof that no mixture of fresh and stale elements satisfies.

It puts ∇f_i(x_{t−3}) in the place of g_{i,t−1}, as if all elements of the update before were stale;
and it bounds ‖g‖² by V₂ for every draw, where fresh and stale elements come from gradients at two
points. One run shows both, F(x) = ψ(x_1) + φ(x_1 + x_2) with ψ'(a) = min(max((a + 50)/10, 0), 1)
and φ'(u) = −min(max(−9u/20, 0), 7/10): L = 1, R₀ is finite, and ‖∇F‖² is at most V₂ = 1, which it
is at x_0 = 0 (it is largest where ψ' and φ' are at an end of their ranges). There is no noise, one
worker, and η = 1; either element of g_2 is stale or not.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.account import Account, Decision, Finding, Line, Refutation, Repair, Violation
from theory.kernel import le
from theory.papers.sapipe import setting
from theory.papers.sapipe.witnesses.prefix_runs import Point, run

V2, L, eta = setting.letters("V2 L eta")

PROOF = "appendix A, proof of Theorem 2"
PLACE = f"{PROOF}, the last line of the error of the gradient estimation"
SAYS = "L²‖η(1/n)Σ g_{i,t−1}‖² = L²η²‖(1/n)Σ ∇f_i(x_{t−3})‖²"

ONE = Fraction(1)
START = (Fraction(0), Fraction(0))


def gradient(point: Point) -> Point:
    """∇F.

    Examples
    --------
    >>> [str(g) for x in (0, -1) for g in gradient((Fraction(x), Fraction(0)))]
    ['1', '0', '11/20', '-9/20']
    """
    steep = min(max((point[0] + 50) / 10, Fraction(0)), ONE)
    fall = -min(max(-(point[0] + point[1]) * Fraction(9, 20), Fraction(0)), Fraction(7, 10))
    return (steep + fall, fall)


def square(vector: Sequence[Fraction]) -> Fraction:
    """‖·‖²."""
    return sum((entry**2 for entry in vector), Fraction(0))


def mixtures() -> dict[tuple[bool, ...], Fraction]:
    """‖g_2‖², in the paper's numbering, by which of its elements are stale.

    At rest the first update is −∇F(x_0), whatever is stale.

    Examples
    --------
    >>> [(stale, str(found)) for stale, found in mixtures().items() if stale[0]]
    [((True, False), '481/400'), ((True, True), '1')]
    """
    found = {}
    for stale in product((False, True), repeat=2):
        _, x, after = run(gradient, START, stale, ONE, 3)
        found[stale] = square([one - two for one, two in zip(x, after, strict=True)])
    return found


def witness() -> dict[str, Any] | None:
    """The run, if the line fails for every draw with a fresh element, and ‖g‖² ≤ V₂ for some."""
    found, printed = mixtures(), square(gradient(START))
    fresh = [value for stale, value in found.items() if not all(stale)]
    if printed in fresh or max(fresh) <= printed or found[True, True] != printed:
        return None
    return {
        "F": "ψ(x_1) + φ(x_1 + x_2), ψ'(a) = min(max((a + 50)/10, 0), 1), "
        "φ'(u) = −min(max(−9u/20, 0), 7/10)",
        "L": 1,
        "V1": 0,
        "V2": 1,
        "n": 1,
        "eta": 1,
        "x_0 = x_{-1}": START,
        "t": 3,
        "‖∇f(x_0)‖²": printed,
        "‖g_2‖² by stale elements": {
            " ".join("stale" if one else "fresh" for one in stale): value
            for stale, value in found.items()
        },
    }


def line() -> Line:
    """The printed line, with that run.

    Examples
    --------
    >>> line().decision.fails is not None
    True
    """
    shown = witness()
    fails = None if shown is None else Refutation(shown, _LONGER)
    return Line(
        PLACE,
        SAYS,
        "exact replay: false wherever an element of g_{t−1} is fresh, so for every κ < 1",
        Decision(fails=fails),
    )


_OLD = sympy.Symbol("‖∇f(x_{t−3})‖²", nonnegative=True)
_LONGER = Violation(
    lambda: mixtures()[True, False],  # L = 1
    "==",
    L**2 * eta**2 * _OLD,
    {L: 1, eta: 1, V2: 1, _OLD: square(gradient(START))},
    (setting.STEPSIZE.relation, le(_OLD, V2)),
)
"""L²‖ηg_2‖² with a stale element and a fresh one, beside the right side of the line."""


def finding(repair: Repair) -> Finding:
    """What is wrong with it."""
    return Finding(
        "invalid-step",
        PLACE,
        "the update before has stale elements and, for κ < 1, fresh ones, which are of a gradient "
        "at x_{t−2}; a mixture of the two is longer than √V₂ in some draws, and keeps ‖g‖² ≤ V₂ "
        "on average over the drawn elements only",
        witness(),
        repaired=repair,
    )


def with_line(known: Account) -> Account:
    """What is known of our proof, with the printed line that it does without, if that is false."""
    printed = line()
    return (
        known if printed.decision.fails is None else replace(known, steps=(*known.steps, printed))
    )
