"""A run of the delayed method on Huber's function that does not converge, step by step.

Units and names are those of `energy`; η is any stepsize and τ ≥ 2 any delay with
ηβ(τ − 1) = κ, where β is the curvature. How the lemmas of `path_lemmas` and the certificate's
checks make a proof is said in `arguments`, "no convergence".
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy

from theory.account import Compared, Decision, Line
from theory.falsifier.numbers import fraction
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import huber
from theory.papers.nesterov.runs.delayed import Delayed, run
from theory.papers.nesterov.witnesses.energy import (
    FLOOR,
    Certificate,
    energy,
    grows,
    k,
    lands,
    late_enough,
)
from theory.papers.nesterov.witnesses.path_lemmas import decided
from theory.papers.rpd.witnesses.exact_runs import require
from theory.smt.solver import Outcome

HUBER = huber(1, 1)
"""w²/2 for |w| ≤ 1 and |w| − 1/2 beyond; β = G = 1, and the minimum is 0."""

ASSUMES = (
    "the run starts at rest: w_k = w_1 and d_k = 0 for k ≤ 1",
    "Bernoulli's inequality: (1 − x)^r ≤ 1 − rx for r and x in [0, 1]",
    "the decided lemmas are put together by hand: the arguments 'no convergence' and 'change of "
    "units'",
)
"""What is used and not decided here."""

_CHECKS = (
    (late_enough, "from T₀ on the delay is small against t, and weight is in [0, 1)"),
    (lands, "from T₀ on, |w − cτA| ≥ 9/10 implies E ≥ 1/2"),
    (grows, "from T₀ on, e² ≤ bE/t implies E_{t+1} ≥ (1 − weight/(t+1))E_t"),
)


def keeps_away(one: Certificate) -> tuple[Outcome | Compared, ...]:
    """That t^weight E_t stays above a constant on every run that starts far enough.

    The pieces are z3's lemmas, and the certificate's checks.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> from theory.papers.nesterov.witnesses.energy import NO_CONVERGENCE
    >>> proves(*keeps_away(NO_CONVERGENCE))
    True
    """
    return (*decided(), *_checked(one))


@cache
def _checked(one: Certificate) -> tuple[Compared, ...]:
    return tuple(
        Compared(says, f"theory.papers.nesterov.witnesses.energy.{check.__name__}", check(one))
        for check, says in _CHECKS
    )


def parts(one: Certificate) -> tuple[Line, ...]:
    """The same pieces as steps of a row."""
    return tuple(
        Line(
            "ours",
            piece.says,
            piece.note if isinstance(piece, Outcome) else "coefficients",
            Decision((piece,)),
        )
        for piece in keeps_away(one)
    )


@dataclass(frozen=True)
class Run:
    """A run on `HUBER` with η = c, replayed in fractions.

    Attributes
    ----------
    tau : int
    stepsize : Fraction
        c.
    points, read, excess : tuple of Fraction
        w_1 to w_{T+1}, y_1 to y_T, and Ω_1 to Ω_T.
    """

    tau: int
    stepsize: Fraction
    points: tuple[Fraction, ...]
    read: tuple[Fraction, ...]
    excess: tuple[Fraction, ...]

    def energy(self, at: int, one: Certificate) -> Fraction:
        """E_t; the certificate may not depend on σ.

        Examples
        --------
        >>> from theory.papers.nesterov.witnesses.energy import NO_CONVERGENCE
        >>> replayed(2, Fraction(1), Fraction(9), 5).energy(3, NO_CONVERGENCE)
        Fraction(237, 4)
        """
        move = (self.points[at - 1] - self.points[at - 2]) / self.stepsize
        return Fraction(energy(self.points[at - 1], move, at, self.stepsize, fraction(one.cross)))

    def gap(self, at: int) -> Fraction:
        """f(w_t) − f*."""
        return HUBER.value(self.points[at - 1]) - HUBER.value(Fraction(0))

    def passes(self, level: int) -> int | None:
        """The first t with t(f(w_t) − f*) ≥ level."""
        times = range(1, len(self.points) + 1)
        return next((at for at in times if at * self.gap(at) >= level), None)


def replayed(tau: int, stepsize: Fraction, start: Fraction, until: int) -> Run:
    """Run iterations 1 to `until` from w_1 = start."""
    problem = Problem("Huber's function", ((HUBER,),), (start,), (0,))
    path = run(problem, Delayed(stepsize, tau, Fraction(1)), until)
    points, read = ([Fraction(x) for (x,) in side] for side in (path.points, path.read))
    excess = tuple(map(Fraction, path.excess))
    return Run(tau, stepsize, tuple(points), tuple(read), excess)


def horizon(one: Certificate, tau: int) -> int:
    """T₀ of a certificate without σ.

    Examples
    --------
    >>> from theory.papers.nesterov.witnesses.energy import NO_CONVERGENCE
    >>> horizon(NO_CONVERGENCE, 2), horizon(NO_CONVERGENCE, 5)
    (400, 1600)
    """
    return int(sympy.ceiling(one.horizon.subs(k, tau - 1)))


def followed(found: Run, one: Certificate) -> Fraction:
    """Check the energy along a run, from T₀ on, and return the least; weight is 0.

    Raises
    ------
    TheoryError
        The run has E_{T₀} below 1/2, or does not what the proof says.
    """
    first, floor = horizon(one, found.tau), fraction(FLOOR)
    now = least = found.energy(first, one)
    require(now >= floor, "nesterov.thm-1", energy=float(now), floor=floor)
    for at in range(first, len(found.read) + 1):
        then = found.energy(at + 1, one)
        near = abs(found.read[at - 1]) < 1
        wanted = now if near else floor
        require(then >= wanted, "nesterov.thm-1", t=at, run=float(then), formula=float(wanted))
        now, least = then, min(least, then)
    return least
