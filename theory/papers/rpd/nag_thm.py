"""The theorem of NAG-RPD that Lemma I.2 implies.

Problem    As in Theorem 4.1.
Method     NAG-RPD.
Guarantee  mean E‖∇f(x^k)‖² ≤ 2pΔ/(γK) + pLγG² + L²γ²G²(τ + β√p)² for every γ > 0 and K ≥ 1.
Source     RPD paper, appendix I, which announces what "follows from the same smoothness argument as
           the base RPD theorem" but displays no theorem; this is the one that its lemmas give.
"""

from collections.abc import Sequence
from dataclasses import replace

import sympy

from theory.judging import prover
from theory.kernel import Proof
from theory.notation import theorem
from theory.papers.rpd import lemma_i2
from theory.papers.rpd.lemmas import sharp_nag, sharp_nag_pathwise
from theory.papers.rpd.lemmas.average_gradient import average_gradient, on_every_path
from theory.papers.rpd.lemmas.mathematics import written
from theory.papers.rpd.method import x
from theory.papers.rpd.nag_method import ahead
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, L, beta, gamma, p, tau
from theory.papers.rpd.witnesses.exact_runs import require

CHALLENGE = CHALLENGES["nag-average-gradient"]
_REACH = tau + beta * sympy.sqrt(p)

T = theorem("rpd.nag-thm", "appendix I, implied")
drift = on_every_path(T, lemma_i2.THEOREM, x - ahead, "Lemma I.2")
THEOREM = average_gradient(
    T,
    ahead,
    drift,
    _REACH**2,
    "For NAG-RPD the mean over k < K of E‖∇f(x^k)‖² is at most "
    "2pΔ/(γK) + pLγG² + L²γ²G²(τ + β√p)² for every γ > 0 and K ≥ 1.",
)


def remarks(proof: Proof) -> Sequence[prover.Finding]:
    """The stale term is loose, pathwise and in expectation."""
    if not prover.proves(proof, sharp_nag.THEOREM):
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
        prover.Finding(
            "loose",
            THEOREM.where,
            f"for β ≤ 1 the stale term is {written(up)}/({written(down)}) times the one in "
            f"expectation: {written(ratio.subs(tau, 0))} times at τ = 0, and "
            f"{written(sympy.limit(ratio, tau, sympy.oo))} times as τ grows",
            {
                **{symbol.name: value for symbol, value in at.items()},
                "stale term": {name: str(form.subs(at)) for name, form in terms.items()},
            },
            (proof, sharp_nag.THEOREM),
            prover.Repair.by(sharp_nag.THEOREM),
        ),
    )


def without_help(formulas: prover.Formulas) -> prover.Evidence:
    """Whether the bound gets larger with β: then extrapolation cannot lower it."""
    slope = sympy.expand(sympy.diff(sympy.Add(*formulas.values()), beta))
    grows = prover.proves(prover.nonnegative(slope))
    says = "is never smaller for a larger β, so it favours β = 0" if grows else "may fall with β"
    return prover.Evidence("neither", f"the bound {says}", {"derivative in beta": str(slope)})


def _account(formulas: prover.Formulas) -> prover.Account:
    known = prover.account(THEOREM, formulas, CHALLENGE, remarks)
    return replace(known, evidence=(*known.evidence, without_help(formulas)))


CLAIM = replace(prover.as_claim(THEOREM, CHALLENGE, remarks, cost=5), account=_account)
