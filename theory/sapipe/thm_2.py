"""Theorem 2: vanilla SAPipe, a mixture of fresh gradients and of gradients one update old.

The statement does not say which samples stale elements have. Its proof gives them samples of their
own, and then the bound holds everywhere. Algorithm 1 has line 8 take ∇f(x_{t−1}; z_{i,t}), and line
9, one iteration later, ∇f(x_{t−1}; z_{i,t}) again: for 0 < κ < 1 a sample that is in x_t is used
once more at update t + 1. Read so, the bound holds where 2κ√(1 − κ) ≤ 1 − Lη, and fails for Lη = 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import (
    Combine,
    Descent,
    Hypothesis,
    Step,
    Theorem,
    as_claim,
    descent,
    le,
    prove,
    square,
)
from theory.kernel.controls import formulas, verdict_of
from theory.ledger import Case, Finding, Judgement, Repair
from theory.ledger import Step as Line
from theory.sapipe import (
    biased,
    lemma_1,
    pipe_sgd,
    same_samples,
    sgd,
    stale_bias,
    thm_2_pass,
    thm_2_reuse,
    thm_2_samples,
    workers,
)
from theory.sapipe.clipped_coins import Run, examine
from theory.sapipe.convergence import F_STAR, SMOOTH, STEPSIZE, X
from theory.sapipe.reuse_line import replay
from theory.sapipe.same_samples import LOWEST
from theory.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n
from theory.verdicts import Verdict, weakest

PROOF: Final = "appendix A, proof of Theorem 2"

AGAIN: Final = "samples as in Algorithm 1"
"""How cases begin in which fresh and stale elements share samples."""

ONE_ITERATION: Final = Theorem(
    id="sapipe.thm-2-one-iteration",
    where="ours",
    statement="‖∇F(x_0)‖² is at most 2R₀/η for η ≤ 1/L: Theorem 2 for T = 1, whatever it does.",
    latex=r"\|\nabla F(x_0)\|^2 \le \tfrac{2R_0}{\eta}",
    symbols=(eta, L, R0, F_STAR),
    points=(X, LOWEST),
    hypotheses=(
        SMOOTH,
        Hypothesis("bounded", "F is at least F(x_*) (Assumption 6)", le(F_STAR, LOWEST.value)),
        Hypothesis("start", "R₀ is F(x_0) − F(x_*)", le(X.value, F_STAR + R0)),
        STEPSIZE,
    ),
    steps=(Step("down", descent(L, X, LOWEST), Descent("smooth", X, LOWEST)),),
    lhs=square(X.gradient),
    terms={"optimization": 2 * R0 / eta},
    conclude=Combine(
        {"down": 2 * L, "bounded": 2 * L, "start": 2 * L, "stepsize": 2 * L * R0 / eta}
    ),
)

RUNS: Final = tuple(Run(Fraction(1, 4), 30, 10**7, passes) for passes in (False, True))
"""From rest, and with a first iteration that passes."""


def _as_printed(theorem: Theorem, printed: Formulas, at: dict[Any, Any] | None = None) -> Verdict:
    """What a theorem's proof makes of the printed terms, at these values of symbols."""
    known = formulas(theorem)
    given = {
        f"statement {name}": form.subs(at or {})
        for name, form in printed.items()
        if f"statement {name}" in known
    }
    return verdict_of(theorem, {**known, **given})


def witness(printed: Formulas) -> dict[str, Any] | None:
    """Runs that exceed these terms for Lη = 1, from rest and with a pass; None if one does not."""
    found = [examine(run) for run in RUNS]
    for run, shown in zip(RUNS, found, strict=True):
        at = {L: 1, eta: 1, n: 1, R0: 0, T: run.count, V1: 1}
        values = {**at, kappa: sympy.Rational(run.share), V2: sympy.Rational(shown.second)}
        bound = sympy.Add(*printed.values()).subs(values)
        if not shown.average > Fraction(str(bound)):
            return None
    return {
        "f(x; z)": "h(x + z), z uniform on {-1, 1}^d, h(y) = |y|²/2 up to |y| = ρ, linear beyond",
        "d": f"{RUNS[0].dimension}, or more",
        "n": 1,
        "L": 1,
        "eta": 1,
        "kappa": RUNS[0].share,
        "T": RUNS[0].count,
        "x_0": 0,
        "R0": 0,
        "V1/d": 1,
        "V2/d = ρ²/d": found[0].second,
        "a gradient is clipped with probability at most": found[0].clipped,
        "average/d, at least": found[0].average,
        "average/d, at least, if the first iteration passes": found[1].average,
        "bound/d": found[0].bound,
    }


_NOT_STALE: Final = {kappa: 0}
_ALL_STALE: Final = {kappa: 1}


def _cases(printed: Formulas, found: dict[str, Any] | None) -> tuple[Case, ...]:
    own = _as_printed(thm_2_samples.THEOREM, printed)
    passing = weakest(
        (
            own,
            prove(thm_2_pass.THEOREM).verdict,
            prove(ONE_ITERATION).verdict,
        )
    )
    same = _as_printed(thm_2_reuse.THEOREM, printed)
    return (
        Case("kappa = 0", _as_printed(sgd.THEOREM, printed, _NOT_STALE), "SGD"),
        Case("kappa = 1", _as_printed(pipe_sgd.THEOREM, printed, _ALL_STALE), "PipeSGD, from rest"),
        Case(
            "stale elements have samples of their own, from rest",
            own,
            "what the printed proof takes for granted",
        ),
        Case(
            "stale elements have samples of their own, the first iteration passes",
            passing,
            "not in the printed proof; what it drops pays for the first update",
        ),
        Case(
            f"{AGAIN}, 0 < kappa < 1, 2 kappa sqrt(1 - kappa) <= 1 - L eta",
            same,
            "from rest; so for every kappa if L eta <= 1 - 4/(3 sqrt(3))",
        ),
        Case(
            f"{AGAIN}, L eta = 1, kappa = 1/4",
            Verdict.REFUTED if found else Verdict.UNKNOWN,
            "samples that are used twice add more than the bound allows",
        ),
        Case(
            f"{AGAIN}, elsewhere, or with a first iteration that passes",
            Verdict.UNKNOWN,
            f"from rest {same_samples.THEOREM.id} bounds it, with 1 + 2 kappa sqrt(1 - kappa) "
            "times the variance term",
        ),
    )


def _verdict(cases: tuple[Case, ...]) -> Verdict:
    """CONDITIONAL if all cases but those with the samples of Algorithm 1 are proved."""
    shown = [case.verdict for case in cases if not case.when.startswith(AGAIN)]
    if weakest(shown) is not Verdict.PROVED:
        return weakest(shown)
    return max(weakest(case.verdict for case in cases), Verdict.CONDITIONAL)


def _judge(printed: Formulas) -> Judgement:
    found = witness(printed)
    cases = _cases(printed, found)
    return Judgement(
        _verdict(cases),
        printed_proof="invalid",
        cases=cases,
        assumes=(
            "E[·|past] is given all samples of earlier iterations",
            "the same elements are stale on all workers, drawn anew in every iteration "
            "(Assumption 5); a fixed part of the layers is sapipe.prefix",
            "the estimates of clipped_coins.py are put together by hand: clipping to a ball does "
            "not expand, Chebyshev's and Young's inequalities",
        ),
        steps=_lines(),
        findings=_findings(found),
    )


def _lines() -> tuple[Line, ...]:
    """The printed proof, display by display."""
    reused = replay(Fraction(1, 2), Fraction(1, 4))
    broken = reused["E<∇F(x_1), z_1>"] != 0
    return (
        Line(
            PROOF,
            "E[g_{i,t}] = ∇F_i(x_{t−2}) for stale elements, given the past",
            "exact enumeration of the coins: false with the samples of Algorithm 1",
            Verdict.REFUTED if broken else Verdict.UNKNOWN,
        ),
        *(
            line
            for theorem in (lemma_1, workers, stale_bias, biased)
            for line in prove(theorem.THEOREM).lines
        ),
        *prove(thm_2_samples.THEOREM).lines,
    )


def _findings(found: dict[str, Any] | None) -> tuple[Finding, ...]:
    line = replay(Fraction(1, 2), Fraction(1, 4))
    sharp, own, passing = (
        prove(one.THEOREM).verdict for one in (same_samples, thm_2_samples, thm_2_pass)
    )
    return (
        *((_needed(found, sharp),) if found else ()),
        Finding(
            "invalid-step",
            f"{PROOF}, E[g_{{i,t}}] = ∇F_i(x_{{t−2}})",
            "x_{t−1} depends on z_{i,t−1} wherever κ < 1, so that the stale gradient with this "
            "sample is biased given x_{t−1}: after two updates the printed line is exceeded",
            line,
            Repair(thm_2_samples.THEOREM.statement, own),
        ),
        Finding(
            "missing-condition",
            "Algorithm 1, t = 1",
            "where the first iteration passes, its stale elements miss ∇F(x_0) altogether, and the "
            "proof has no term for that; the bound holds all the same",
            repaired=Repair(thm_2_pass.THEOREM.statement, passing),
        ),
        Finding(
            "invalid-step",
            f"{PROOF}, last line",
            "‖g‖² ≤ V₂ holds on average over the drawn elements and not for every draw, if g "
            "mixes two gradients",
            {"fresh": [1, 0], "stale": [0, 1], "V2": 1, "mixed": [1, 1], "square of mixed": 2},
            Repair(stale_bias.THEOREM.statement, prove(stale_bias.THEOREM).verdict),
        ),
        Finding(
            "superfluous-condition",
            "Assumption 5",
            "elements need not be drawn independently of each other: that each is stale with "
            "probability κ, whatever the past and the samples are, is all the proof uses",
            repaired=Repair(thm_2_samples.THEOREM.statement, own),
        ),
        Finding("typo", f"{PROOF}, telescoping", "κ is missing before L²η²(1/T)Σ, and so is t = 2"),
        Finding(
            "typo",
            f"{PROOF}, the variance term",
            "∇f_i(x_{t−2}) stands for ∇F_i(x_{t−2}); further on it is a stochastic gradient",
        ),
    )


def _needed(found: dict[str, Any], sharp: Verdict) -> Finding:
    return Finding(
        "missing-condition",
        f"Theorem 2, {AGAIN}",
        "stale elements need samples of their own: for 0 < κ < 1 and Lη = 1 those that are used "
        "twice add more than the bound allows",
        found,
        Repair(same_samples.THEOREM.statement, sharp),
    )


_OWN: Final = as_claim(thm_2_samples.THEOREM)

CLAIM: Final = Claim(
    id="sapipe.thm-2",
    where="Theorem 2",
    statement=(
        "Under Assumptions 1, 2, 5 and 6 and η ≤ 1/L vanilla SAPipe has a mean over t ≤ T of "
        "E‖∇F(x_{t−1})‖² of at most 2R₀/(ηT) + κL²η²V₂ + LηV₁/n."
    ),
    latex=(
        r"\tfrac1T \sum_{t=1}^T \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    judge=_judge,
    printed=thm_2_samples.THEOREM.terms,
    core=_OWN.core,
    holds=_OWN.holds,
    weakened=_OWN.weakened,
    depends=tuple(
        one.THEOREM.id
        for one in (
            lemma_1,
            workers,
            stale_bias,
            biased,
            thm_2_samples,
            thm_2_pass,
            same_samples,
            thm_2_reuse,
            sgd,
            pipe_sgd,
        )
    ),
    cost=3,
)
