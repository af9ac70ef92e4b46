"""(18): how far the model moves in τ iterations.

Problem    none: an identity of vectors, for any γ and every t > τ.
Method     the moves of the last τ iterations of (10), added up.
Guarantee  Δ_t = w_t − w_{t−τ} = Σ_{i=1}^{τ} (d_{t−i} + h̄_{t−i}). The printed chain divides d_i by
           γ_i, and γ_2 = 0, as is γ_1. Its end follows without that from (17).
Source     Nesterov paper, (18).
"""

from dataclasses import replace

import sympy

from theory.judging import prover
from theory.judging.as_claim import account, as_claim
from theory.kernel import Combine, Hypothesis, Step, Telescope, Theorem, prove
from theory.papers.nesterov import window
from theory.papers.nesterov.method import FIRST, MOMENTUM
from theory.papers.nesterov.symbols import t, tau

AHEAD, MODEL, STEP, k = window.letters("AHEAD MODEL STEP k")

PROOF = "(18)"

SUM = Step(
    "(18)",
    prover.eq(MODEL(tau) - MODEL(0), sympy.Sum(AHEAD(k) + STEP(k), (k, 0, tau - 1))),
    Telescope(window.IS_MODEL.name, k, tau),
    "the sum of (17) over the last τ iterations",
    PROOF,
)

THEOREM = Theorem(
    id="nesterov.eq-18",
    where=PROOF,
    statement=(
        "Δ_t = w_t − w_{t−τ} = Σ_{i=1}^{τ} (d_{t−i} + h̄_{t−i}) for every τ ≥ 0, any γ and "
        "every t > τ, and for t ≥ 1 where d_k = h̄_k = 0 for k < 1 (taken with any vector)."
    ),
    latex=r"\Delta_t = \sum_{i=1}^{\tau} d_{t-i} + \bar h_{t-i}",
    symbols=(tau,),
    hypotheses=(window.IS_MODEL,),
    steps=(SUM,),
    kind="==",
    lhs=MODEL(tau) - MODEL(0),
    terms={
        "look-ahead": sympy.Sum(AHEAD(k), (k, 0, tau - 1)),
        "steps": sympy.Sum(STEP(k), (k, 0, tau - 1)),
    },
    conclude=Combine({"(18)": 1}),
)


def divided(momentum: sympy.Function) -> Theorem:
    """The printed line w_i − w_{i−1} = d_i/γ_i, with γ_i as a function of i."""
    after = momentum(k + 1)
    by_definition = Hypothesis(
        "look-ahead",
        "d_i = γ_i(w_i − w_{i−1}), (14)",
        prover.eq(AHEAD(k + 1), after * (MODEL(k + 1) - MODEL(k))),
    )
    return Theorem(
        id="nesterov.eq-18-divided",
        where=PROOF,
        statement="w_i − w_{i−1} = d_i/γ_i.",
        latex=r"w_i - w_{i-1} = d_i/\gamma_i",
        symbols=(),
        hypotheses=(by_definition,),
        kind="==",
        lhs=MODEL(k + 1) - MODEL(k),
        terms={"divided": AHEAD(k + 1) / after},
        conclude=Combine({by_definition.name: -1 / after}),
    )


ANY = divided(sympy.Function("gamma", real=True))
NOT_ZERO = divided(sympy.Function("gamma", positive=True))


def _account(formulas: prover.Formulas) -> prover.Account:
    known = account(THEOREM, formulas)
    printed = prover.Line(PROOF, ANY.statement, prove(ANY).lines[-2].rule, prover.Decision((ANY,)))
    zeros = [i for i, momentum in _momenta() if momentum == 0]
    needed = bool(zeros) and not prover.proves(ANY)
    findings = (_division(zeros, replace(THEOREM, terms=formulas)),) if needed else ()
    return replace(known, steps=(printed, *known.steps), findings=(*known.findings, *findings))


def _momenta() -> list[tuple[int, sympy.Expr]]:
    """γ_i of the first iterations, by i."""
    return [(1, FIRST), *((i, MOMENTUM.subs(t, i)) for i in range(2, 5))]


def _division(zeros: list[int], stated: Theorem) -> prover.Finding:
    last = max(zeros)
    without = "where no γ_i is 0 it holds" if prover.proves(NOT_ZERO) else "or more"
    return prover.Finding(
        "missing-condition",
        "(18), d_i/γ_i",
        f"γ_i is 0 at i = {', '.join(map(str, zeros))}, where d_i/γ_i means nothing: the line "
        f"needs t − τ ≥ {last} ({without}); the sum itself holds without that",
        {"t": last, "tau": 1, f"gamma_{last}": str(MOMENTUM.subs(t, last))},
        repaired=prover.Repair(THEOREM.statement, (stated,)),
    )


CLAIM = replace(as_claim(THEOREM), account=_account)
