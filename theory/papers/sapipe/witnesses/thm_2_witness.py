"""Runs of Algorithm 1 that exceed the bound of Theorem 2, for κ = 1/4 and two lengths of steps."""

from fractions import Fraction

import sympy

from theory.account import Refutation, Violation
from theory.claims import Formulas
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import symbols
from theory.papers.sapipe.witnesses.clipped_coins import Run, examine
from theory.papers.sapipe.witnesses.refuting import above, of

R0, V1, V2, L, T, eta, kappa, n = symbols.letters("R0 V1 V2 L T eta kappa n")

SHARE = Fraction(1, 4)
"""κ."""

RUNS = tuple(
    tuple(Run(SHARE, count, dimension, passes, step) for passes in (False, True))
    for step, count, dimension in ((Fraction(1), 30, 10**7), (Fraction(4, 5), 60, 10**9))
)
"""For each Lη a run from rest, and one with a first iteration that passes."""


def constants(run: Run, second: Fraction) -> dict[Scalar, Scalar]:
    """Of a run with this V₂/d."""
    return {
        **{L: 1, n: 1, R0: 0, V1: run.dimension, V2: run.dimension * second},
        **{T: run.count, eta: run.eta, kappa: run.share},
    }


def bound(printed: Formulas, run: Run, second: Fraction) -> Fraction:
    """These terms for a run with this V₂/d, divided by d."""
    total = sympy.Add(*printed.values()).subs(constants(run, second))
    return Fraction(str(total / run.dimension))


def refutations(printed: Formulas) -> dict[Fraction, Refutation]:
    """Runs by their Lη, for each of which both exceed these terms."""
    found = {runs[0].eta: _refuted(printed, runs) for runs in RUNS}
    return {step: one for step, one in found.items() if one is not None}


def _exceeds(printed: Formulas, run: Run) -> Violation:
    """What is shown of the average, d times a rational number, beside the bound."""
    measured = of(lambda found: run.dimension * sympy.Rational(found.average), examine, run)
    return above(measured, printed, constants(run, examine(run).second))


def _refuted(printed: Formulas, runs: tuple[Run, ...]) -> Refutation | None:
    found = [examine(run) for run in runs]
    limits = [bound(printed, run, one.second) for run, one in zip(runs, found, strict=True)]
    if any(one.average <= limit for one, limit in zip(found, limits, strict=True)):
        return None
    (run, _), (rest, passing) = runs, found
    witness = {
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
    return Refutation(witness, _exceeds(printed, run))
