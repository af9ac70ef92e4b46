"""A run of the delayed method on Huber's function that does not converge, step by step.

Units and names are those of `theory.nesterov.energy`; η is any stepsize and τ ≥ 2 any delay with
ηβ(τ − 1) = κ, where β is the curvature. Suppose that t^q (f(w_t) − f*) is bounded along the run,
with q > weight ≥ 0 (or, with weight 0, that f(w_t) → f*). Then w_t → 0 and

1. |A_t| ≤ 1 for t ≥ 2 (`steps`; γ_2 = 0, so that nothing depends on γ_1), and A changes slowly
   (`changes`). Over the last τ iterations that adds up (`drift` and `sums`, by induction), so that
   y_t = w_t − κA_{t−1} + e_t with a small e_t (`look-ahead`).
2. From w_1 ≥ 1 + cT₀ on, y_t ≥ w_1 − c(t − 1) ≥ 1 for all t ≤ T₀, since no step is longer than c.
   As y_t → 0, there is a last S with |y_S| ≥ 1, and S ≥ ⌊T₀⌋, so that S + 1 ≥ T₀. So (`return`)
   |w − cτA| ≥ 9/10 for w = w_{S+1}, A = A_S, and E_{S+1} ≥ 1/2 (the certificate lands).
3. For t > S the slope is y_t itself. Let t^weight E_t ≥ T₀^weight/2; at t = S + 1 that is so. As
   weight ≤ 1 and t ≥ T₀, E_t ≥ T₀/(2t), and e_t² ≤ bE_t/t (`errors`). So E_{t+1} is at least
   (1 − weight/(t+1))E_t (the certificate grows), which is at least (t/(t+1))^weight E_t by
   Bernoulli's inequality, (1 − x)^r ≤ 1 − rx for r and x in [0, 1]. By induction
   t^weight E_t ≥ T₀^weight/2 for every t > S.
4. Let h be the supremum of |w_s| for s ≥ t − τ − 2, and t so late that 3h ≤ 1. Then the moves are
   at most 2h and change by at most (4 + 6c)h/t (`quiet`). Moves that nearly agree for ⌈√t⌉
   iterations add up to at most 2h, so √t|w_{t+1} − w_t| ≤ (4 + 3c)h (`still`, with the sums of 1).
   So E_t is at most a constant times h², and t^weight E_t → 0. That contradicts 3.

A run that has E_{T₀} ≥ 1/2, wherever it comes from, does the same: either it stays near the minimum
from T₀ on, and 3 starts there, or it leaves, and 2 starts at its last return.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from theory.falsifier.nesterov_runs import Delayed, run
from theory.falsifier.numbers import fraction
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Piecewise, huber
from theory.ledger import Step
from theory.nesterov.energy import FLOOR, Certificate, energy, grows, k, lands, late_enough
from theory.nesterov.path_lemmas import decided
from theory.queries import remembered
from theory.rpd.exact_runs import require
from theory.verdicts import Verdict, weakest

HUBER: Final[Piecewise] = huber(1, 1)
"""w²/2 for |w| ≤ 1 and |w| − 1/2 beyond; β = G = 1, and the minimum is 0."""

ASSUMES: Final = (
    "the run starts at rest: w_k = w_1 and d_k = 0 for k ≤ 1",
    "Bernoulli's inequality: (1 − x)^r ≤ 1 − rx for r and x in [0, 1]",
    "the decided lemmas are put together by hand: growth.py 1–4, and its change of units",
)
"""What is used and not decided here."""

_CHECKS: Final = (
    (late_enough, "from T₀ on the delay is small against t, and weight is in [0, 1)"),
    (lands, "from T₀ on, |w − cτA| ≥ 9/10 implies E ≥ 1/2"),
    (grows, "from T₀ on, e² ≤ bE/t implies E_{t+1} ≥ (1 − weight/(t+1))E_t"),
)


@remembered
def parts(one: Certificate) -> tuple[Step, ...]:
    """The pieces of the proof and what is said of each: z3's lemmas, and the certificate's checks.

    Examples
    --------
    >>> from theory.nesterov.energy import NO_CONVERGENCE
    >>> {step.verdict.name for step in parts(NO_CONVERGENCE)}
    {'PROVED'}
    """
    lemmas = (Step("ours", one.says, one.note, one.verdict) for one in decided())
    checks = (
        Step("ours", says, "coefficients", Verdict.PROVED if check(one) else Verdict.UNKNOWN)
        for check, says in _CHECKS
    )
    return (*lemmas, *checks)


def keeps_away(one: Certificate) -> Verdict:
    """Whether t^weight E_t stays above a constant on every run that starts far enough."""
    return weakest(step.verdict for step in parts(one))


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
        >>> from theory.nesterov.energy import NO_CONVERGENCE
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
    >>> from theory.nesterov.energy import NO_CONVERGENCE
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
