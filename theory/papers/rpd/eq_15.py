"""(15): RPD converges linearly to a neighbourhood under the Polyak–Łojasiewicz inequality.

Problem    f is L-smooth and ‖∇f‖² ≥ 2μ(f − f*); block gradients have norm at most G.
Method     RPD with delays of at most τ.
Guarantee  E f(x^K) − f* ≤ (1 − γμ/p)^K Δ + pLγG²/(2μ) + L²γ²τ²G²/(2μ), for γ ≤ p/μ.
Source     RPD paper, Theorem H.1, (15): (14) is unrolled, which needs 1 − γμ/p ≥ 0. What it says of
           the stepsize is lost in the text that we have, so it is judged case by case: γ ≤ 1/L, as
           elsewhere in the paper; γ ≤ p/μ, which is what the induction needs; and everything above,
           where one update on a noisy parabola from its minimum violates it.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import sympy

from theory.falsifier import Instance
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import quadratic
from theory.judging import prover
from theory.kernel import Theorem
from theory.kernel.prove import conditions
from theory.notation import Draft, positive, theorem
from theory.papers.rpd.lemmas import pl_constant
from theory.papers.rpd.method import F_STAR, START, F, k
from theory.papers.rpd.runs.blocks import Setting, instance
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, mu, p, tau
from theory.papers.rpd.thm_h1 import RECURRENCE
from theory.papers.rpd.witnesses.exact_runs import rational

WHERE = "Theorem H.1, (15)"
CHALLENGE = CHALLENGES["rpd-pl-gap"]
SAYS = (
    "Under the Polyak–Łojasiewicz inequality with μ RPD has E f(x^K) − f* ≤ (1 − γμ/p)^K Δ + "
    "pLγG²/(2μ) + L²γ²τ²G²/(2μ) for every K ≥ 1."
)


def unrolled(
    T: Draft, step: tuple[str, ...], noise: Mapping[str, sympy.Expr], says: str
) -> Theorem:
    """E f(x^K) − f* from one step that contracts, by the lines `step`, where γ ≤ p/μ is known."""
    ratio, rest = 1 - gamma * mu / p, sympy.Add(*noise.values())
    T.along(k)
    T.assume(START)
    recurrence = T.have(
        F(k + 1) <= ratio * F(k) + (1 - ratio) * (F_STAR + rest), "recurrence", *step
    )
    first = T.have(F(0) <= F_STAR + Delta, "first")
    contracts = T.have(sympy.S.Zero <= ratio, "contracts")
    T.induction(F(K) <= F_STAR + ratio**K * Delta + rest, recurrence, first, contracts)
    terms = {"optimization": ratio**K * Delta, **noise}
    return T.shows(F(K) - F_STAR <= sympy.Add(*terms.values()), terms, says=says)


NOISE = {
    "sampling": p * L * gamma * G**2 / (2 * mu),
    "staleness": L**2 * gamma**2 * tau**2 * G**2 / (2 * mu),
}

T = theorem("rpd.eq-15", WHERE)
step = T.cite(RECURRENCE, name="(14)", says="(14), for every k")
T.assume(gamma <= p / mu, "stepsize", "γ ≤ p/μ")
THEOREM = unrolled(T, (step,), NOISE, SAYS)

T = theorem("rpd.eq-15-small-steps", WHERE)
step = T.cite(RECURRENCE, name="(14)")
T.cite(pl_constant.THEOREM, name="constants")
T.assume(gamma <= 1 / L, "small", "γ ≤ 1/L")
T.have(gamma <= p / mu, "stepsize", "constants", "small")
SMALL_STEPS = unrolled(T, (step,), NOISE, SAYS)
"""The same for γ ≤ 1/L, which is at most p/μ because μ ≤ L; of a constant f the gaps are all 0."""

EXCESS = positive("epsilon")
"""How far γ lies above p/μ."""


def one_update(curvature: Any, stepsize: Any, slope: Any) -> Any:
    """E f(x¹) − f* for f_m = (μ/2)‖x‖² ± ⟨b, x⟩, all |b_i| = slope, from x⁰ = x* = 0.

    Every draw moves one block from 0 by −γ times ± its slope; sign by sign, whatever the block.

    Examples
    --------
    >>> one_update(Fraction(1), Fraction(3), Fraction(1))
    Fraction(9, 2)
    """
    moved = [-stepsize * sign * slope for sign in (1, -1)]
    return sum(curvature * x**2 / 2 for x in moved) / 2


REPLAYED = tuple(
    (stages, Fraction(curvature), Fraction(ratio))
    for stages, curvature, ratio in product((1, 2, 3), ("1/2", "3"), ("7/6", "4"))
)
"""p, μ and γμ/p of the runs that `one_update` is compared with."""


@cache
def _replays() -> bool:
    """Whether `one_update` is what the method does, whatever p, μ and γ > p/μ."""
    return all(
        CHALLENGE.replay(noisy_parabola(stages, curvature, ratio * stages / curvature))
        == one_update(curvature, ratio * stages / curvature, Fraction(1))
        for stages, curvature, ratio in REPLAYED
    )


def noisy_parabola(stages: int, curvature: Fraction, stepsize: Fraction) -> Instance:
    """The instance of `one_update` with slope 1."""
    components = tuple((quadratic(curvature, tilt=sign),) * stages for sign in (-1, 1))
    start = (Fraction(0),) * stages
    problem = Problem("noisy parabola", components, start, tuple(range(stages)))
    return instance(Setting(problem, 1, 0, stepsize, delays="zero"))


def beyond(formulas: prover.Formulas) -> prover.Decision:
    """The noisy parabola, which violates the bound for all p and μ and every γ > p/μ, if it does.

    One of these instances, every sampling path walked in rationals, is the witness.
    """
    at = {K: 1, Delta: 0, L: mu, tau: 0}
    bound = sympy.Add(*formulas.values())
    excess = (one_update(mu, gamma, G) - bound.subs(at)).subs(gamma, p / mu + EXCESS)
    if not prover.proves(prover.nonnegative(sympy.expand(excess), strict=True)) or not _replays():
        return prover.OPEN
    one = noisy_parabola(2, Fraction(1), Fraction(3))
    outside = (prover.le(p / mu, gamma),)
    symbols = bound.free_symbols.union(*(relation.gap.free_symbols for relation in outside))
    numbers = {s: one.parameters[s.name] for s in symbols}
    witness = {
        **one.describe(),
        "for every γ > p/μ": "E f(x¹) − f* = μγ²G²/2 > pγG²/2, the bound at L = μ, Δ = τ = 0",
        "measured": str(_measured(one)),
        "bound": str(bound.subs(numbers)),
        "violated": bool(_measured(one) > bound.subs(numbers)),
    }
    violation = prover.Violation(partial(_measured, one), "<=", bound, numbers, outside)
    return prover.Decision(fails=prover.Refutation(witness, violation))


def _measured(one: Instance) -> sympy.Rational:
    found = CHALLENGE.replay(one)
    assert isinstance(found, Fraction), "parabolas are rational"
    return rational(found)


def _account(formulas: prover.Formulas) -> prover.Account:
    stated = replace(THEOREM, terms=formulas)
    where = sympy.Le(gamma, p / mu if prover.proves(stated) else 1 / L)
    known = prover.account(THEOREM, formulas, CHALLENGE, where=where)
    assert isinstance(known.decision, prover.Decision), "a theorem has no readings"
    cases = _cases(formulas, known.decision)
    fails = cases[0].decision.fails
    return replace(
        known,
        decision=cases[0].decision if fails else prover.Readings((cases[0].when, cases[1].when)),
        cases=cases,
        findings=(*known.findings, *_missing(stated, cases[2].decision.fails)),
    )


def _cases(
    formulas: prover.Formulas, within: prover.Decision
) -> tuple[prover.Case, prover.Case, prover.Case]:
    small = prover.Decision(
        (replace(SMALL_STEPS, terms=formulas),), within.fails and _small(within.fails)
    )
    return (
        prover.Case("gamma <= 1/L", small, "since μ ≤ L unless f is constant"),
        prover.Case("gamma <= p/mu", within, "what the induction needs"),
        prover.Case(
            "gamma > p/mu", beyond(formulas), "one update on a noisy parabola from its minimum"
        ),
    )


def _small(fails: prover.Refutation) -> prover.Refutation:
    """The same instance against the statement for γ ≤ 1/L, which has to hold of it."""
    assert isinstance(fails.because, prover.Violation), "the falsifier replays"
    return replace(fails, because=replace(fails.because, under=conditions(SMALL_STEPS)))


def _missing(stated: Theorem, outside: prover.Refutation | None) -> tuple[prover.Finding, ...]:
    if outside is None:
        return ()
    return (
        prover.Finding(
            "missing-condition",
            WHERE,
            "unrolling (14) needs 1 − γμ/p ≥ 0, which the text that we have does not say: beyond "
            "γ = p/μ the statement is false, for every p, μ and γ. γ ≤ 1/L is enough, as μ ≤ L",
            outside.witness,
            repaired=prover.Repair(f"for γ ≤ p/μ: {THEOREM.statement}", (stated,)),
        ),
    )


CLAIM = replace(
    prover.as_claim(THEOREM, CHALLENGE, where=sympy.Le(gamma, p / mu), cost=6),
    account=_account,
    depends=("rpd.thm-h1-recurrence", "rpd.pl-constant"),
)
