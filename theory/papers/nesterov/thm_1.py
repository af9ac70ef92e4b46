"""Theorem 1: with η = 1/β the rate is O(1/t) for every fixed delay.

Problem    f is convex and β-smooth with a minimiser and bounded gradients; a fixed delay τ.
Method     (14) with η = 1/β and γ_t = (t − 2)/t.
Guarantee  False for every τ ≥ 2, and for one function at a time, so that no constant helps: on
           Huber's function of curvature β/(τ − 1) f(w_t) does not even converge to f* (`growth`).
           So no rate that tends to 0 holds. For τ = 0 the theorem is true; τ = 1 is open.
Source     Nesterov paper, Theorem 1 (2).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sympy

from theory.falsifier.numbers import fraction
from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.papers.nesterov import eq_31, eq_33, thm_1_no_delay
from theory.papers.nesterov.lemmas import repaired_iterates
from theory.papers.nesterov.runs.long_runs import FIRST, Column, gaps
from theory.papers.nesterov.symbols import beta, t
from theory.papers.nesterov.witnesses.energy import FLOOR, NO_CONVERGENCE
from theory.papers.nesterov.witnesses.excesses import MORE, START
from theory.papers.nesterov.witnesses.growth import (
    ASSUMES,
    followed,
    horizon,
    keeps_away,
    parts,
    replayed,
)
from theory.papers.nesterov.witnesses.vanishing import bounded_by, vanishes

LONGEST = 2000
"""Horizons up to which the witness is replayed; longer delays have the general one alone."""
LEVELS = (1, 10, 100)
"""Values that t(f(w_t) − f*) passes."""
DOUBLINGS = 14
"""Runs beside the verdict go to t = 2^DOUBLINGS."""

OPEN_AT_ONE = (
    "open; f(y_t) − f* = O(1/√t) is proved (nesterov.one-delay). Tried for O(1/t): semidefinite "
    "programs for energies that are quadratic in w, z and the last two to four gradients. They "
    "bound t(f − f*)/(βR²) by 7.9, 8.1, 8.3, 8.6 at t = 32, 64, 128, 256, 3 % more with every "
    "doubling. By averaging, no energy that sees neighbouring iterations alone has less than a "
    "factor t^(1/22): f − f* = ⟨∇f, x⟩ − ‖∇f‖²/(2β) with ‖∇f‖ = β‖x‖/4 is worst for it"
)
"""What is not known for η = 1/β and τ = 1, and how far attempts came."""

_REPAIRED = as_claim(repaired_iterates.THEOREM)


def _share(printed: prover.Formulas) -> Fraction | None:
    """ηβ, if it is a positive number."""
    form = printed["stepsize"]
    if not (form.free_symbols <= {beta} and form.is_rational_function(beta)):
        return None
    share = sympy.cancel(form * beta)
    return fraction(share) if share.is_Rational and share > 0 else None


def least_delay(share: Fraction) -> int:
    """The least delay with ηβ(τ − 1) ≥ 1: a flatter function makes it 1.

    Examples
    --------
    >>> least_delay(Fraction(1)), least_delay(Fraction(2)), least_delay(Fraction(1, 4))
    (2, 2, 5)
    """
    return 1 - int(-1 / share // 1)


def beyond_first_delays(printed: prover.Formulas) -> prover.Decision:
    """The statement for delays from `least_delay` on: f(w_t) → f* follows from any such rate."""
    away = keeps_away(NO_CONVERGENCE)
    if _share(printed) is None or not vanishes(printed["rate"]) or not prover.proves(*away):
        return prover.OPEN
    tends = prover.Compared(
        "the rate tends to 0", "theory.papers.nesterov.witnesses.vanishing.vanishes", True
    )
    return prover.Decision(fails=prover.Refutation(_witness(printed), (tends, *away)))


def without_delay(printed: prover.Formulas) -> prover.Decision:
    """τ = 0 has the rate 1/t at η = 1/β, and all that is slower."""
    if _share(printed) != 1 or not bounded_by(1 / t, printed["rate"]):
        return prover.OPEN
    return prover.Decision((thm_1_no_delay.THEOREM,))


def _cases(printed: prover.Formulas, beyond: prover.Decision) -> tuple[prover.Case, ...]:
    share, without = _share(printed), without_delay(printed)
    elsewhere = "not decided here: see nesterov.repaired-iterates and nesterov.stepsize-limit"
    open_case = OPEN_AT_ONE if share == 1 else elsewhere
    known = thm_1_no_delay.THEOREM.statement if without.grounds else open_case
    if share is None or beyond.fails is None:
        return prover.Case("tau = 0", without, known), prover.Case(
            "tau >= 1", prover.OPEN, open_case
        )
    first = least_delay(share)
    return (
        prover.Case("tau = 0", without, known),
        prover.Case("tau = 1" if first == 2 else f"1 <= tau < {first}", prover.OPEN, open_case),
        prover.Case(
            f"tau >= {first}", beyond, "on Huber's function f(w_t) does not converge to f*"
        ),
    )


def _account(printed: prover.Formulas) -> prover.Account:
    decision = beyond_first_delays(printed)
    return prover.Account(
        decision,
        cases=_cases(printed, decision),
        assumes=ASSUMES,
        steps=(*_printed_steps(), *parts(NO_CONVERGENCE)),
        findings=(_finding(printed, decision.fails),) if decision.fails else (),
        evidence=(_long_runs(),) if _share(printed) == 1 else (),
    )


def _printed_steps() -> Iterator[prover.Line]:
    """The lines that the printed proof rests on."""
    for module in (eq_31, eq_33):
        row = module.CLAIM
        yield prover.Line(row.where, row.statement, row.id, module.with_a_minimiser(row.printed))


def _witness(printed: prover.Formulas) -> dict[str, Any]:
    """The runs of all delays; of the least one also a run in fractions, if it is not too long."""
    share = _share(printed)
    assert share is not None, "a refutation has a stepsize"
    first = least_delay(share)
    size = "" if share == 1 else f"{1 / share} "
    general = {
        "f": "Huber's function, a w²/2 for |w| ≤ 1 and a(|w| − 1/2) beyond; f* = 0",
        "eta": str(printed["stepsize"]),
        f"for every τ ≥ {first}": f"a = {size}β/(τ − 1), T_0 = 400(τ − 1), and every w_1 ≥ 401",
        "E_t": "w_t² − (c + 1/4) w_t A + (ct/2) A², c = ηa, A = (w_t − w_{t−1})/c",
        "if f(w_t) → f* then for all large t": f"E_t ≥ {FLOOR}, but also E_t → 0",
    }
    return general | (_replayed(first, share) if 400 * (first - 1) <= LONGEST else {})


def _replayed(tau: int, share: Fraction) -> dict[str, Any]:
    """One run in fractions; its energy is compared with the proof at every iteration."""
    stepsize, first = Fraction(1, tau - 1), horizon(NO_CONVERGENCE, tau)
    found = replayed(tau, stepsize, START, first + MORE)
    least = followed(found, NO_CONVERGENCE)
    return {
        "tau": tau,
        "a": f"{stepsize / share} β",
        "w_1": str(START),
        "T_0": first,
        "least E_t in the run from T_0 on is at least": str(Fraction(int(least * 100), 100)),
        "last t of the run": len(found.points),
        "so limsup f(w_t)/a is at least": str(lasting(stepsize)),
        "t(f(w_t) − f*)/a passes": {str(level): found.passes(level) for level in LEVELS},
    }


def lasting(stepsize: Fraction) -> Fraction:
    """Lower bound of limsup (f(w_t) − f*) on Huber's function, c its stepsize.

    If |w_t| ≤ h ≤ 1/3 from some t on, the limit superior of E_t is at most
    h²(1 + (4 + 3c)²/(2c)); see "no convergence" in `theory.papers.nesterov.arguments`.

    Examples
    --------
    >>> lasting(Fraction(1))
    Fraction(1, 102)
    """
    square = fraction(FLOOR) / (1 + (4 + 3 * stepsize) ** 2 / (2 * stepsize))
    return min(square, Fraction(1, 9)) / 2


@cache
def _long_runs() -> prover.Evidence:
    """The largest t(f(w_t) − f*) of each window, for delays 0 to 3."""
    columns = [
        Column("Huber", tau, Fraction(1), start=START, below=1.0, above=1.0) for tau in range(4)
    ]
    found = gaps(columns, DOUBLINGS)
    places = [2**n for n in range(FIRST, DOUBLINGS)]
    return prover.Evidence(
        "against",
        "runs in doubles on Huber's function with η = 1/β and w_1 = 1/2: the largest f(w_t) − f* "
        "of 2^n ≤ t < 2^(n+1) falls faster than 1/t for τ = 0 and 1, and stays for τ = 2 and 3",
        {
            "from t": places,
            **{f"tau = {c.tau}": list(map(float, found[:, n])) for n, c in enumerate(columns)},
        },
    )


def _finding(printed: prover.Formulas, fails: prover.Refutation) -> prover.Finding:
    share = _share(printed)
    assert share is not None, "a refutation has a stepsize"
    eta = str(printed["stepsize"]).replace("beta", "β")
    says = (
        f"with η = {eta} and a delay of {least_delay(share)} or more f(w_t) does not converge to "
        "f* on some runs: its limsup is larger"
    )
    return prover.Finding(
        "false",
        "Theorem 1 (2)",
        says,
        fails.witness,
        repaired=prover.Repair(repaired_iterates.THEOREM.statement, (repaired_iterates.THEOREM,)),
    )


CLAIM = prover.Claim(
    id="nesterov.thm-1",
    where="Theorem 1 (2)",
    statement=(
        "With η = 1/β and γ_t = (t − 2)/t, f(w_t) − f* = O(1/t) for every fixed delay τ ≥ 0 and "
        "every convex β-smooth f with a minimiser and bounded gradients."
    ),
    latex=r"\eta = \tfrac1\beta \implies f(w_t) - f^* = O\left(\tfrac1t\right)",
    account=_account,
    printed={"rate": 1 / t, "stepsize": 1 / beta},
    core=_REPAIRED.core,
    holds=_REPAIRED.holds,
    weakened=_REPAIRED.weakened,
    depends=(repaired_iterates.THEOREM.id, thm_1_no_delay.THEOREM.id),
)
