"""Theorem 1 (2) put right, for the iterates and for all delays.

Problem    f is convex and β-smooth with a minimiser w*.
Method     the printed one, (10) with (29), and η ≤ 1/(4τβ).
Guarantee  f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1)) for every t ≥ 2, the bound without delay.
Source     ours: `nesterov.sharp-repaired-iterates`. No constant below 1/4 would do: Huber's
           function attains ‖w_1 − w*‖²/(4η(t − 1) + 2/β) (`huber_line`).
"""

from dataclasses import replace
from fractions import Fraction

import sympy

from theory.judging import prover
from theory.judging.as_claim import account, as_claim
from theory.kernel.prove import Proof
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import iterate_start, sharp_repaired_iterates
from theory.papers.nesterov.lemmas.repaired_thm_1 import DOMAIN, shorter
from theory.papers.nesterov.runs import long_runs
from theory.papers.nesterov.runs.challenges import CHALLENGES
from theory.papers.nesterov.witnesses import huber_line

beta, eta, t, tau = symbols.letters("beta eta t tau")

T = shorter("nesterov.repaired-iterates", iterate_start.STEPSIZE)
rate = T.cite(sharp_repaired_iterates.THEOREM)
THEOREM = T.shows(
    sharp_repaired_iterates.THEOREM.goal,
    sharp_repaired_iterates.THEOREM.terms,
    rate,
    sharp_repaired_iterates.SECOND,
    says=(
        "With η ≤ 1/(4τβ) and γ_t = (t − 2)/t, from rest, f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1)) "
        "for every convex β-smooth f with a minimiser w*, every delay τ ≥ 1 and every t ≥ 2."
    ),
    latex=sharp_repaired_iterates.THEOREM.latex,
)

DELAYS = (1, 2, 4)
TIMES = (2, 10, 40, 100)
"""Delays and t of the runs that show that the constant is the least."""
_AT = 2
"""Delay at which stepsizes are compared, in units of 1/β."""


def _remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    """That the condition can be weakened a little, and no more than a little."""
    sharp = sharp_repaired_iterates.THEOREM
    longer = {eta: 1 / ((4 * tau - 1) * beta), tau: _AT}
    room = iterate_start.STEPSIZE.relation.gap.subs(longer).subs(tau, _AT)
    if not prover.proves(proof, sharp) or room < 0:
        return ()
    return (
        prover.Finding(
            "loose",
            "ours",
            "η may be 1/((4τ − 1)β), and what the proof needs is (4τ − 2)βη + 2β²η² ≤ 1; for τ ≥ 2 "
            "nothing above 1/(4(τ − 1)β) will do, by nesterov.stepsize-limit",
            {
                "tau": _AT,
                "beta*eta here": str(Fraction(1, 4 * _AT)),
                "beta*eta in the sharper theorem": str(Fraction(1, 4 * _AT - 1)),
                "no rate above": str(Fraction(1, 4 * (_AT - 1))),
            },
            (proof, sharp),
            prover.Repair(sharp.statement, (sharp,)),
        ),
    )


CHALLENGE = CHALLENGES["nesterov-iterate-gap"]
_WHERE = sympy.And(DOMAIN, sympy.Ge(t, 2))
_KERNEL = as_claim(THEOREM, CHALLENGE, _remarks, where=_WHERE)


def _account(printed: prover.Formulas) -> prover.Account:
    """What the proof says, with what runs attain."""
    known = account(THEOREM, printed, CHALLENGE, _remarks, _WHERE)
    if printed != THEOREM.terms:
        return known
    return replace(known, evidence=(*known.evidence, _attained()))


def _attained() -> prover.Evidence:
    """The bound's share that exact runs along Huber's line reach: it tends to 1."""
    return prover.Evidence(
        "for",
        "the constant 1/4 is the least: on Huber's function of slope R/(2η(t − 1) + 1/β), "
        "R = ‖w_1 − w*‖, exact runs with η = 1/(4τβ) have f(w_t) − f* = R²/(4η(t − 1) + 2/β), and "
        "its share of the bound tends to 1",
        {
            "t": list(TIMES),
            **{
                f"tau = {delay}": [str(share_attained(delay, now)) for now in TIMES]
                for delay in DELAYS
            },
        },
    )


def share_attained(delay: int, now: int) -> Fraction:
    """What an exact run with η = 1/(4τβ) attains of the bound at t.

    Examples
    --------
    >>> [str(share_attained(1, t)) for t in (2, 11, 101)]
    ['1/3', '5/6', '50/51']
    """
    stepsize = Fraction(1, 4 * delay)
    return huber_line.attained(delay, stepsize, now) * 4 * stepsize * (now - 1)


def _deeper(printed: prover.Formulas) -> tuple[prover.Evidence, ...]:
    """What there is of every theorem, and runs of a million iterations."""
    known = _KERNEL.deeper(printed) if _KERNEL.deeper else ()
    return (*known, *long_runs.at_small_steps())


CLAIM = replace(_KERNEL, account=_account, deeper=_deeper)
