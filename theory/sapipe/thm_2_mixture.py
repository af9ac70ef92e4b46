"""A line of Theorem 2's proof that no mixture of fresh and stale elements satisfies.

It puts ∇f_i(x_{t−3}) in the place of g_{i,t−1}, as if all elements of the update before were stale;
and it bounds ‖g‖² by V₂ for every draw, where fresh and stale elements come from gradients at two
points. One run shows both, F(x) = ψ(x_1) + φ(x_1 + x_2) with ψ'(a) = min(max((a + 50)/10, 0), 1)
and φ'(u) = −min(max(−9u/20, 0), 7/10): L = 1, R₀ is finite, and ‖∇F‖² is at most V₂ = 1, which it
is at x_0 = 0 (it is largest where ψ' and φ' are at an end of their ranges). There is no noise, one
worker, and η = 1; either element of g_2 is stale or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

from theory.ledger import Finding, Judgement, Repair, Step
from theory.sapipe.prefix_runs import Point, run
from theory.verdicts import Verdict

PROOF: Final = "appendix A, proof of Theorem 2"
PLACE: Final = f"{PROOF}, the last line of the error of the gradient estimation"
SAYS: Final = "L²‖η(1/n)Σ g_{i,t−1}‖² = L²η²‖(1/n)Σ ∇f_i(x_{t−3})‖²"

ONE: Final = Fraction(1)
START: Final = (Fraction(0), Fraction(0))


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


def line() -> Step:
    """The printed line, judged by that run.

    Examples
    --------
    >>> line().verdict.name
    'REFUTED'
    """
    return Step(
        PLACE,
        SAYS,
        "exact replay: false wherever an element of g_{t−1} is fresh, so for every κ < 1",
        Verdict.REFUTED if witness() else Verdict.UNKNOWN,
    )


def finding(repair: Repair) -> Finding:
    """What is wrong with it."""
    return Finding(
        "invalid-step",
        PLACE,
        "the update before has stale elements and, for κ < 1, fresh ones, which are of a gradient "
        "at x_{t−2}; a mixture of the two is longer than √V₂ in some draws, and keeps ‖g‖² ≤ V₂ "
        "on average over the drawn elements only",
        witness(),
        repair,
    )


def with_line(judged: Judgement) -> Judgement:
    """A judgement of our proof, with the printed line that it does without."""
    shown = line()
    if shown.verdict is not Verdict.REFUTED:
        return judged
    return replace(judged, printed_proof="invalid", steps=(*judged.steps, shown))
