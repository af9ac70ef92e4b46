"""Runs of Algorithm 1 that exceed the bound of Theorem 2, for κ = 1/4 and two lengths of steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import sympy

from theory.claims import Formulas
from theory.sapipe.clipped_coins import Run, examine
from theory.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n

SHARE: Final = Fraction(1, 4)
"""κ."""

RUNS: Final = tuple(
    tuple(Run(SHARE, count, dimension, passes, step) for passes in (False, True))
    for step, count, dimension in ((Fraction(1), 30, 10**7), (Fraction(4, 5), 60, 10**9))
)
"""For each Lη a run from rest, and one with a first iteration that passes."""


def bound(printed: Formulas, run: Run, second: Fraction) -> Fraction:
    """These terms for a run with this V₂, all divided by d."""
    values = {
        **{L: 1, n: 1, R0: 0, V1: 1, T: run.count},
        **{eta: sympy.Rational(run.eta), kappa: sympy.Rational(run.share)},
        V2: sympy.Rational(second),
    }
    return Fraction(str(sympy.Add(*printed.values()).subs(values)))


def witnesses(printed: Formulas) -> tuple[dict[str, Any], ...]:
    """What is shown of the runs, for each Lη for which both exceed these terms."""
    return tuple(one for runs in RUNS if (one := _shown(printed, runs)) is not None)


def _shown(printed: Formulas, runs: tuple[Run, ...]) -> dict[str, Any] | None:
    found = [examine(run) for run in runs]
    limits = [bound(printed, run, one.second) for run, one in zip(runs, found, strict=True)]
    if any(one.average <= limit for one, limit in zip(found, limits, strict=True)):
        return None
    (run, _), (rest, passing) = runs, found
    return {
        "f(x; z)": "h(x + z), z uniform on {-1, 1}^d, h(y) = |y|²/2 up to |y| = ρ, linear beyond",
        "d": f"{run.dimension}, or more",
        "n": 1,
        "L": 1,
        "eta": run.eta,
        "kappa": run.share,
        "T": run.count,
        "x_0": 0,
        "R0": 0,
        "V1/d": 1,
        "V2/d = ρ²/d": rest.second,
        "a gradient is clipped with probability at most": rest.clipped,
        "average/d, at least": rest.average,
        "bound/d": limits[0],
        "V2/d if the first iteration passes": passing.second,
        "average/d, at least, if the first iteration passes": passing.average,
        "bound/d if the first iteration passes": limits[1],
    }
