"""The theorem of NAG-RPD that Lemma I.2 implies: (3) with (τ + β√p)² in place of τ².

Appendix I announces what "follows from the same smoothness argument as the base RPD theorem" but
displays no theorem; this is the one that its two lemmas give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import sympy

from theory.claims import Formulas
from theory.kernel import Cite, Combine, Proof, Step, Total, as_claim, le, prove, square
from theory.kernel.as_claim import judgement
from theory.kernel.signs import nonnegative
from theory.ledger import Evidence, Finding, Judgement, Repair
from theory.rpd import lemma_i2, sharp_nag, sharp_nag_pathwise
from theory.rpd.exact_runs import require
from theory.rpd.mathematics import written
from theory.rpd.method import k
from theory.rpd.nag_average import average_gradient
from theory.rpd.nag_method import APART, AWAY, DRIFT, LENGTH
from theory.rpd.symbols import G, L, beta, gamma, p, tau
from theory.verdicts import Verdict

CHALLENGE: Final = "nag-average-gradient"

_REACH = tau + beta * sympy.sqrt(p)
_SIZE = gamma * G * _REACH

THEOREM: Final = average_gradient(
    "rpd.nag-thm",
    "For NAG-RPD the mean over k < K of E‖∇f(x^k)‖² is at most "
    "2pΔ/(γK) + pLγG² + L²γ²G²(τ + β√p)² for every γ > 0 and K ≥ 1.",
    r"(\tau + \beta\sqrt p)^2",
    lemma_i2.THEOREM,
    (
        Step("distance", lemma_i2.THEOREM.goal, Cite("rpd.lemma-i2"), "Lemma I.2"),
        LENGTH,
        Step(
            "squared",
            le(square(APART), _SIZE**2),
            Combine({"distance": _SIZE + sympy.sqrt(square(AWAY)), "apart": 1}, domain=("length",)),
        ),
        Step("drift", le(DRIFT(k), _SIZE**2), Total("squared", k)),
    ),
    _REACH**2,
    where="appendix I, implied",
)


def remarks(proof: Proof) -> Sequence[Finding]:
    """The stale term is loose, pathwise and in expectation."""
    if proof.verdict is not Verdict.PROVED:
        return ()
    at = {tau: 1, beta: 1, p: 4, gamma: 1, G: 1, L: 1}
    terms = {
        "printed": THEOREM.terms["staleness"],
        "on every path": sharp_nag_pathwise.THEOREM.terms["staleness"],
        "in expectation": sharp_nag.THEOREM.terms["staleness"],
    }
    up, down = p * _REACH**2, sympy.expand(p * terms["in expectation"] / (L * gamma * G) ** 2)
    ratio = sympy.cancel(terms["printed"] / terms["in expectation"])
    require(sympy.cancel(up / down - ratio) == 0, THEOREM.where, ratio=ratio, shown=up / down)
    return (
        Finding(
            "loose",
            THEOREM.where,
            f"for β ≤ 1 the stale term is {written(up)}/({written(down)}) times the one in "
            f"expectation: {written(ratio.subs(tau, 0))} times at τ = 0, and "
            f"{written(sympy.limit(ratio, tau, sympy.oo))} times as τ grows",
            {
                **{symbol.name: value for symbol, value in at.items()},
                "stale term": {name: str(form.subs(at)) for name, form in terms.items()},
            },
            Repair(sharp_nag.THEOREM.statement, prove(sharp_nag.THEOREM).verdict),
        ),
    )


def without_help(formulas: Formulas) -> Evidence:
    """Whether the bound gets larger with β: then extrapolation cannot lower it."""
    slope = sympy.expand(sympy.diff(sympy.Add(*formulas.values()), beta))
    grows = nonnegative(slope).verdict is Verdict.PROVED
    says = "is never smaller for a larger β, so it favours β = 0" if grows else "may fall with β"
    return Evidence("neither", f"the bound {says}", {"derivative in beta": str(slope)})


def _judge(formulas: Formulas) -> Judgement:
    judged = judgement(THEOREM, formulas, CHALLENGE, remarks)
    return replace(judged, evidence=(*judged.evidence, without_help(formulas)))


CLAIM: Final = replace(as_claim(THEOREM, CHALLENGE, remarks, cost=5), judge=_judge)
