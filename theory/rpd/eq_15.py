"""(15): RPD converges linearly to a neighbourhood under the Polyak–Łojasiewicz inequality.

(14) is unrolled over K steps, which needs a contraction factor 1 − γμ/p that is not negative. What
Theorem H.1 itself says of the stepsize is lost in the text that we have, so the statement is judged
case by case: γ ≤ 1/L, as elsewhere in the paper; γ ≤ p/μ, which is what the induction needs; and
everything above, where one update on a noisy parabola from its minimum violates it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Final

import sympy

from theory.claims import Formulas
from theory.falsifier import CHALLENGES, Attempt, Instance, falsify
from theory.falsifier.problem import Problem
from theory.falsifier.rpd import Setting, instance
from theory.falsifier.scalars import quadratic
from theory.kernel import (
    Cite,
    Combine,
    Hypothesis,
    Induction,
    Step,
    Theorem,
    as_claim,
    le,
    prove,
)
from theory.kernel.as_claim import judgement
from theory.kernel.signs import nonnegative
from theory.ledger import Case, Finding, Judgement, Repair
from theory.rpd import pl_constant, thm_h1
from theory.rpd.lemma_b2 import MISSED
from theory.rpd.method import F_STAR, FOLLOWING, NEXT, SEQUENCES, STALE, START, STEP, F, X, k
from theory.rpd.symbols import Delta, G, K, L, gamma, mu, n, p, tau
from theory.verdicts import Verdict

WHERE: Final = "Theorem H.1, (15)"
CHALLENGE: Final = "rpd-pl-gap"

_STEP = {h.name: h for h in thm_h1.THEOREM.hypotheses if h.name != "gap"}
_RATIO = 1 - gamma * mu / p
_ONE = thm_h1.RECURRENCE.goal
_REST = p * L * gamma * G**2 / (2 * mu) + L**2 * gamma**2 * tau**2 * G**2 / (2 * mu)

THEOREM: Final = Theorem(
    id="rpd.eq-15",
    where=WHERE,
    statement=(
        "Under the Polyak–Łojasiewicz inequality with μ RPD has E f(x^K) − f* ≤ (1 − γμ/p)^K Δ + "
        "pLγG²/(2μ) + L²γ²τ²G²/(2μ) for every K ≥ 1."
    ),
    latex=(
        r"\mathbb{E}[f(x^K) - f^*] \le (1 - \tfrac{\gamma\mu}{p})^K \Delta + "
        r"\tfrac{pL\gamma G^2}{2\mu} + \tfrac{L^2\gamma^2\tau^2G^2}{2\mu}"
    ),
    symbols=(p, n, K, tau, gamma, L, G, mu, Delta, F_STAR),
    vectors=(STEP, MISSED),
    points=(X, STALE, NEXT),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        *_STEP.values(),
        START,
        Hypothesis("stepsize", "γ ≤ p/μ", le(gamma, p / mu)),
    ),
    cites=(thm_h1.RECURRENCE,),
    steps=(
        Step(
            "(14)",
            _ONE,
            Cite("rpd.thm-h1-recurrence"),
            "(14), for every k",
        ),
        Step(
            "recurrence",
            le(F(k + 1), _RATIO * F(k) + F_STAR - _RATIO * F_STAR + gamma * mu / p * _REST),
            Combine({"(14)": 1}),
        ),
        Step("first", le(F(0), F_STAR + Delta), Combine({"start": 1})),
        Step("contracts", le(0, _RATIO), Combine({"stepsize": mu / p})),
        Step(
            "unrolled",
            le(F(K), F_STAR + _RATIO**K * Delta + _REST),
            Induction("recurrence", k, K, F, "first", ("contracts",)),
            "by induction over the iterations",
        ),
    ),
    lhs=F(K) - F_STAR,
    terms={
        "optimization": _RATIO**K * Delta,
        "sampling": p * L * gamma * G**2 / (2 * mu),
        "staleness": L**2 * gamma**2 * tau**2 * G**2 / (2 * mu),
    },
    conclude=Combine({"unrolled": 1}),
)

SMALL_STEPS: Final = replace(
    THEOREM,
    id="rpd.eq-15-small-steps",
    scalars=(pl_constant.HEIGHT,),
    points=(*THEOREM.points, *pl_constant.THEOREM.points),
    hypotheses=(
        *_STEP.values(),
        START,
        *(h for h in pl_constant.THEOREM.hypotheses if h.name not in _STEP),
        Hypothesis("small", "γ ≤ 1/L", le(gamma, 1 / L)),
    ),
    cites=(pl_constant.THEOREM, THEOREM),
    steps=(
        Step("constants", le(mu, L), Cite("rpd.pl-constant")),
        Step(
            "stepsize",
            le(gamma, p / mu),
            Combine({"small": L / mu, "constants": gamma / mu}, plus=((p - 1) / mu,)),
        ),
        Step("(15)", THEOREM.goal, Cite("rpd.eq-15")),
    ),
    conclude=Combine({"(15)": 1}),
)
"""The same for γ ≤ 1/L, which is at most p/μ because μ ≤ L; of a constant f the gaps are all 0."""

EXCESS: Final = sympy.Symbol("epsilon", positive=True)
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


REPLAYED: Final = tuple(
    (stages, Fraction(curvature), Fraction(ratio))
    for stages, curvature, ratio in product((1, 2, 3), ("1/2", "3"), ("7/6", "4"))
)
"""p, μ and γμ/p of the runs that `one_update` is compared with."""


@cache
def _replays() -> bool:
    """Whether `one_update` is what the method does, whatever p, μ and γ > p/μ."""
    return all(
        CHALLENGES[CHALLENGE].replay(noisy_parabola(stages, curvature, ratio * stages / curvature))
        == one_update(curvature, ratio * stages / curvature, Fraction(1))
        for stages, curvature, ratio in REPLAYED
    )


def beyond(formulas: Formulas) -> Verdict:
    """REFUTED if the noisy parabola violates the bound for all p and μ and every γ > p/μ."""
    at = {K: 1, Delta: 0, L: mu, tau: 0}
    bound = sympy.Add(*formulas.values()).subs(at)
    excess = (one_update(mu, gamma, G) - bound).subs(gamma, p / mu + EXCESS)
    shown = nonnegative(sympy.expand(excess), strict=True).verdict is Verdict.PROVED and _replays()
    return Verdict.REFUTED if shown and _replayed(formulas)["violated"] else Verdict.UNKNOWN


def noisy_parabola(stages: int, curvature: Fraction, stepsize: Fraction) -> Instance:
    """The instance of `one_update` with slope 1."""
    components = tuple((quadratic(curvature, tilt=sign),) * stages for sign in (-1, 1))
    start = (Fraction(0),) * stages
    problem = Problem("noisy parabola", components, start, tuple(range(stages)))
    return instance(Setting(problem, 1, 0, stepsize, delays="zero"))


def _replayed(formulas: Formulas) -> dict[str, Any]:
    """One instance with γ > p/μ: every sampling path walked, in rationals."""
    one = noisy_parabola(2, Fraction(1), Fraction(3))
    values = {s: one.parameters[s.name] for form in formulas.values() for s in form.free_symbols}
    bound = sympy.Add(*formulas.values()).subs(values)
    found = CHALLENGES[CHALLENGE].replay(one)
    assert isinstance(found, Fraction), "parabolas are rational"
    measured = sympy.Rational(found.numerator, found.denominator)
    return {
        **one.describe(),
        "for every γ > p/μ": "E f(x¹) − f* = μγ²G²/2 > pγG²/2, the bound at L = μ, Δ = τ = 0",
        "measured": str(measured),
        "bound": str(bound),
        "violated": bool(measured > bound),
    }


def _judge(formulas: Formulas) -> Judgement:
    judged = judgement(THEOREM, formulas)
    within = judged.verdict
    small = prove(replace(SMALL_STEPS, terms=formulas)).verdict
    outside = beyond(formulas)
    attempt = _search(formulas, within)
    refuted = attempt.witness is not None and within is not Verdict.PROVED
    cases = (
        Case(
            "gamma <= 1/L",
            Verdict.REFUTED if refuted else small,
            "since μ ≤ L unless f is constant",
        ),
        Case("gamma <= p/mu", Verdict.REFUTED if refuted else within, "what the induction needs"),
        Case("gamma > p/mu", outside, "one update on a noisy parabola from its minimum"),
    )
    return replace(
        judged,
        verdict=_overall([case.verdict for case in cases]),
        cases=cases,
        findings=(*judged.findings, *_missing(formulas, within, outside)),
        counterexample=dict(attempt.witness or {}) if refuted else None,
        evidence=(attempt.evidence,),
    )


def _overall(verdicts: list[Verdict]) -> Verdict:
    """The source leaves the case open: proved in a named part of them is CONDITIONAL."""
    if all(verdict is Verdict.PROVED for verdict in verdicts):
        return Verdict.PROVED
    if Verdict.PROVED in verdicts:
        return Verdict.CONDITIONAL
    return verdicts[0]


def _search(formulas: Formulas, within: Verdict) -> Attempt:
    """Counterexamples where the bound is proved, else in the least of the cases."""
    where = sympy.Le(gamma, p / mu if within is Verdict.PROVED else 1 / L)
    return falsify(CHALLENGES[CHALLENGE], sympy.Add(*formulas.values()), where=where)


def _missing(formulas: Formulas, within: Verdict, outside: Verdict) -> tuple[Finding, ...]:
    if outside is not Verdict.REFUTED:
        return ()
    return (
        Finding(
            "missing-condition",
            WHERE,
            "unrolling (14) needs 1 − γμ/p ≥ 0, which the text that we have does not say: beyond "
            "γ = p/μ the statement is false, for every p, μ and γ. γ ≤ 1/L is enough, as μ ≤ L",
            _replayed(formulas),
            Repair(f"for γ ≤ p/μ: {THEOREM.statement}", within),
        ),
    )


CLAIM: Final = replace(
    as_claim(THEOREM, CHALLENGE, where=sympy.Le(gamma, p / mu), cost=6),
    judge=_judge,
    depends=("rpd.thm-h1", "rpd.pl-constant"),
)
