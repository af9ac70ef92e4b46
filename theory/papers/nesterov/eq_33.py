"""(33): the excesses are said to add up to O(ln t), which "completes the proof" of Theorem 1.

Problem    f is convex and β-smooth with a minimiser and bounded gradients; a fixed delay τ.
Method     (14) with η = 1/β and γ_t = (t − 2)/t.
Guarantee  With a constant that may depend on f and w_1 Ω_1 + … + Ω_t = O(ln t) is true without
           delay, open for τ = 1, and false for every τ ≥ 2: by (30) any sum of o(t) would make the
           runs of `growth` converge (`excesses`). On a line Δ̄_t is about −τηG, whatever t, so that
           Ω_t grows as t and the sum as t²; a run on Huber's function is on a line for as long as
           one likes, so that no constant made of β, G and τ will do for any τ ≥ 1.
Source     Nesterov paper, (33).

And (30) with O(ln t) gives f(w_t) − f* = O(ln t / t), which is not O(1/t), so that it does not
complete the proof either; "much slower than O(t)", as the text before (31) has it, would give o(1).
"""

from fractions import Fraction
from typing import Any

import sympy
import z3

from theory.falsifier.numbers import fraction
from theory.judging import prover
from theory.papers.nesterov import eq_30, eq_31, symbols
from theory.papers.nesterov.lemmas import step_bound
from theory.papers.nesterov.witnesses.excesses import (
    ASSUMES,
    described,
    not_small,
    pieces,
    run_away,
)
from theory.papers.nesterov.witnesses.positivity import above_zero
from theory.papers.nesterov.witnesses.vanishing import is_rate, slower
from theory.papers.rpd.witnesses.exact_runs import require

G, beta, t, tau = symbols.letters("G beta t tau")

_MORE = sympy.symbols("x y")

_t, _tau, _far, _turn, _excess, _G, _beta, _C = z3.Reals("t tau far turn excess G beta C")

PRODUCT = prover.Statement(
    "(32)",
    "‖Δ̄_t‖ ≤ C/t gives tΩ_t ≤ βC²/2 + 2GC, by Cauchy–Schwarz",
    (
        _t >= 1,
        _G >= 0,
        _beta > 0,
        _far >= 0,
        _t * _far <= _C,
        2 * _excess <= _t * _beta * _far * _far + 4 * _G * _far,
    ),
    2 * _t * _excess <= _beta * _C * _C + 4 * _G * _C,
)
"""(32), reconstructed; Ω_t ≤ (tβ/2)‖Δ̄_t‖² + 2‖ḡ_t‖‖Δ̄_t‖."""
ALWAYS = prover.Statement(
    "always",
    "steps of at most ηG give ‖Δ̄_t‖ ≤ (τ + 2)ηG and Ω_t ≤ (G²/β)(t(τ + 2)²/2 + 2(τ + 2)); here "
    "G = β = 1",
    (
        _t >= 1,
        _far >= 0,
        _far <= _tau + _turn,
        _turn <= 2,
        2 * _excess <= _t * _far * _far + 4 * _far,
    ),
    2 * _excess <= _t * (_tau + 2) * (_tau + 2) + 4 * (_tau + 2),
)
"""w_t − w_{t−τ} is τ steps, and d_t and d_{t−τ} are at most one step long."""


def behind_on_a_line() -> sympy.Expr:
    """Δ̄_t over −G/β, for η = 1/β and t ≥ τ + 2: w_t = w_1 − (t − 1)G/β and d_t = −γ_tG/β.

    Examples
    --------
    >>> behind_on_a_line().subs({tau: 2, t: 4}).doit()
    5/2
    """
    ahead = t - 1 + (t - 2) / t
    return ahead - ahead.subs(t, t - tau)


def excess_of(behind: sympy.Expr) -> sympy.Expr:
    """Ω_t on a line of slope G whose Δ̄_t is `behind`, for t ≥ 2."""
    return t * beta / 2 * behind**2 - 2 * G * behind


def on_a_line() -> sympy.Expr:
    """Ω_t for η = 1/β and t ≥ τ + 2.

    Examples
    --------
    >>> sympy.factor(on_a_line().subs({tau: 1, t: 3}))
    16*G**2/(3*beta)
    """
    return excess_of(-behind_on_a_line() * G / beta)


def least() -> sympy.Expr:
    """τ²t/2 · G²/β, which Ω_t is at least."""
    return tau**2 * t / 2 * G**2 / beta


@prover.remembered
def _lemmas() -> tuple[prover.Outcome, prover.Outcome]:
    return prover.decide(PRODUCT), prover.decide(ALWAYS)


@prover.remembered
def _grows() -> bool:
    """Whether Ω_t on a line is above `least` for all τ ≥ 1 and t ≥ τ + 2."""
    gap = sympy.cancel((on_a_line() - least()) * beta / G**2)
    return above_zero(gap.subs(t, tau + 2 + _MORE[0]).subs(tau, 1 + _MORE[1]), _MORE)


def far_away(printed: prover.Formulas) -> prover.Decision:
    """With C from β, G and τ only, or without a minimiser, for τ ≥ 1.

    The sum is at least (G²/β)(τ²/4)(t(t + 1) − (τ + 1)(τ + 2)): no rate below t² bounds it.
    """
    if not slower(t**2, printed["sum"]):
        return prover.OPEN
    below = prover.Compared(
        "it is o(t²)", "theory.papers.nesterov.witnesses.vanishing.slower", True
    )
    witness = {"f": "G w", "sum up to t, at least": "(G²/β)(τ²/4)(t(t + 1) − (τ + 1)(τ + 2))"}
    return prover.Decision(fails=prover.Refutation(witness, (below, grown(), eq_31.steady())))


def grown() -> prover.Compared:
    """That the excesses of a line grow as t."""
    says = "on a line Ω_t ≥ (G²/β)τ²t/2 for τ ≥ 1, t ≥ τ + 2"
    return prover.Compared(says, "theory.papers.nesterov.witnesses.positivity.above_zero", _grows())


def with_a_minimiser(printed: prover.Formulas) -> prover.Decision:
    """The line for τ ≥ 2: a sum of o(t) gives f(w_t) → f*."""
    if not slower(t, printed["sum"]) or not prover.proves(*not_small()):
        return prover.OPEN
    small = prover.Compared("it is o(t)", "theory.papers.nesterov.witnesses.vanishing.slower", True)
    return prover.Decision(fails=prover.Refutation(_witness(printed), (small, *not_small())))


def without_delay(printed: prover.Formulas) -> prover.Decision:
    """The line for τ = 0: Δ̄_t = 0."""
    nothing = excess_of(sympy.Integer(0)) == 0 and is_rate(printed["sum"])
    code = "theory.papers.nesterov.eq_33.excess_of"
    return prover.Decision((prover.Compared("Ω_t = 0 where Δ̄_t = 0", code, nothing),))


def _cases(printed: prover.Formulas, beyond: prover.Decision) -> tuple[prover.Case, ...]:
    line = far_away(printed)
    return (
        prover.Case("tau = 0", without_delay(printed), "Δ̄_t = 0 and Ω_t = 0, for every f"),
        prover.Case("tau = 1", prover.OPEN, "no proof and no counterexample is known here"),
        prover.Case(
            "tau >= 2",
            beyond,
            "a sum of o(t) would give f(w_t) → f*, on every f with a minimiser",
        ),
        prover.Case(
            "tau >= 1, C from beta, G, tau only",
            line,
            "Huber's function from afar: the run is on its line until any t",
        ),
        prover.Case("tau >= 1, no minimiser", line, "on a line the sum grows as t²"),
    )


def _account(printed: prover.Formulas) -> prover.Account:
    decision = with_a_minimiser(printed)
    return prover.Account(
        decision,
        cases=_cases(printed, decision),
        assumes=ASSUMES,
        steps=_steps(printed),
        findings=(
            *((_finding(decision.fails),) if decision.fails else ()),
            _conclusion(printed),
        ),
    )


def _steps(printed: prover.Formulas) -> tuple[prover.Line, ...]:
    product, always = _lemmas()
    row = eq_31.CLAIM
    uses = eq_31.with_a_minimiser(row.printed)
    not_enough = prover.Refutation({"rate": _rate(printed)}, (_too_slow(printed),))
    then = f"O({_rate(printed)}), which (30) gives, is O(1/t)"
    return (
        prover.Line(row.where, row.statement, row.id, uses),
        prover.Line("(32), reconstructed", product.says, product.note, prover.Decision((product,))),
        prover.Line("after (33)", then, "limit", prover.Decision(fails=not_enough)),
        prover.Line("ours", grown().says, "coefficients", prover.Decision((grown(),))),
        prover.Line("ours", always.says, always.note, prover.Decision((always,))),
        *pieces(),
    )


def _rate(printed: prover.Formulas) -> str:
    """What (30) makes of the sum."""
    return str(sympy.sstr(printed["sum"] / t))


def _too_slow(printed: prover.Formulas) -> prover.Compared:
    """That (30) with this sum gives a rate slower than 1/t."""
    says = f"t times {_rate(printed)} is not bounded"
    found = bool(slower(printed["sum"] / t, 1 / t))
    return prover.Compared(says, "theory.papers.nesterov.witnesses.vanishing.slower", found)


def _conclusion(printed: prover.Formulas) -> prover.Finding:
    says = f"(30) with a sum of O({printed['sum']}) gives O({_rate(printed)}), not O(1/t)"
    return prover.Finding("invalid-step", "after (33)", says, shown=(_too_slow(printed),))


def _witness(printed: prover.Formulas) -> dict[str, Any]:
    for delay in eq_31.DELAYS:
        _compared(delay)
    delay = max(eq_31.DELAYS)
    return {
        **described(),
        "for every C": f"a sum of at most C·({printed['sum']}) for every t would give f(w_t) → f*, "
        "by (30)",
        "mean excess at the end": _mean_excess(),
        "without a minimiser": "f(w) = G w, convex and β-smooth for every β, |f'| = G; for every "
        "τ ≥ 1 the sum up to t is at least (G²/β)(τ²/4)(t(t + 1) − (τ + 1)(τ + 2))",
        "line replayed with": f"G = {eq_31.SLOPE}, β = {eq_31.SMOOTHNESS}, τ = {delay}, "
        f"t = {eq_31.UNTIL}",
        "sum of the excesses on the line": str(sum(eq_31.line_run(delay).excess)),
    }


def _mean_excess() -> str:
    """(Ω_1 + … + Ω_t)/t of the run that does not converge, rounded down to hundredths."""
    excess = run_away().excess
    return str(Fraction(int(100 * sum(excess, Fraction(0)) / len(excess)), 100))


def _compared(delay: int) -> None:
    """Every Ω_t of an exact run with the closed form; before t = τ + 2, with 0."""
    numbers = {G: sympy.Rational(str(eq_31.SLOPE)), beta: sympy.Rational(str(eq_31.SMOOTHNESS))}
    form = on_a_line().subs({**numbers, tau: delay})
    for at, found in enumerate(eq_31.line_run(delay).excess, start=1):
        if at >= delay + 2:
            value = fraction(form.subs(t, at))
            require(found == value, "nesterov.eq-33", t=at, run=found, formula=value)
        require(found >= Fraction(0), "nesterov.eq-33", t=at, run=found, formula="not negative")


def _finding(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "false",
        "(33)",
        "for τ ≥ 2 a sum of o(t) would make every run converge, and some do not; on a line, for "
        "τ ≥ 1, the excesses grow as t and their sum as t²",
        fails.witness,
        repaired=prover.Repair(
            "Ω_1 + … + Ω_t ≤ (G²/β)((τ + 2)²t(t + 1)/4 + 2(τ + 2)t); the order t² is attained",
            (_lemmas()[1], step_bound.THEOREM),
        ),
    )


def _holds(edited: prover.Formulas) -> tuple[prover.Compared, prover.Compared]:
    """How far y_t is behind on a line, exactly."""
    same = sympy.cancel(edited["behind"] - behind_on_a_line()) == 0
    return (prover.Compared("how far y_t is behind on a line", "sympy.cancel", same), grown())


CLAIM = prover.Claim(
    id="nesterov.eq-33",
    where="(33)",
    statement=(
        "With η = 1/β and γ_t = (t − 2)/t, Ω_1 + … + Ω_t = O(ln t) for every fixed delay τ ≥ 0 and "
        "every convex β-smooth f with a minimiser and bounded gradients; the constant may depend "
        "on f and w_1."
    ),
    latex=r"\sum_{k=1}^t \Omega_k = O(\ln t)",
    account=_account,
    printed={"sum": sympy.log(t)},
    core={"behind": tau + 2 * tau / (t * (t - tau))},
    holds=_holds,
    depends=(step_bound.THEOREM.id, eq_30.THEOREM.id),
)
