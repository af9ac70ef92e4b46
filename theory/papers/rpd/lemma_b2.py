"""Lemma B.2: how far the stale point can be from the current one.

Problem    Block gradients along the trajectory have norm at most G.
Method     RPD with 0 ≤ d_i ≤ τ: x̂ misses part of what the last τ updates moved.
Guarantee  ‖x − x̂‖² ≤ γ²τ²G² on every path.
Source     RPD paper, Lemma B.2. That x − x̂ is made of the last τ increments, which the printed
           proof says in one sentence, is the hypothesis `window` here; `rpd.lemma-b2-by-blocks`
           derives the bound without it.
"""

from dataclasses import replace

from theory.judging import prover
from theory.notation import equal, mean, theorem, vector
from theory.papers.rpd.lemmas import lemma_b2_by_blocks
from theory.papers.rpd.method import old, x
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, gamma, tau

PROOF = "Lemma B.2, proof"
CHALLENGE = CHALLENGES["rpd-drift-pathwise-squared"]

e = vector("e")
"""What one of the last τ updates moved and x̂ misses; 0 if x̂ has it."""
avg = mean("avg", e)
"""The mean over the window."""

T = theorem("rpd.lemma-b2", "Lemma B.2")
WINDOW = T.assume(
    equal((x - old) ** 2, tau * avg(e @ (x - old))),
    "window",
    "x − x̂ is the sum of what the last τ updates moved and x̂ misses: block i of x̂ is at "
    "most τ updates old (taken with the vector x − x̂; a sentence of the printed proof, of which "
    "rpd.lemma-b2-by-blocks has no need)",
)
T.assume(
    e**2 <= gamma**2 * G**2,
    "one update",
    "an update moves one block, by γ times a block gradient, of norm at most G",
)
T.have(
    avg(e**2) <= gamma**2 * G**2,
    says="each of the increments has norm at most γG",
    where=PROOF,
)
THEOREM = T.shows(
    (x - old) ** 2 <= gamma**2 * tau**2 * G**2,
    {"drift": gamma**2 * tau**2 * G**2},
    says="‖x^k − x̂^k‖ ≤ γτG on every path (both sides squared).",
)


def _derived() -> prover.Line:
    """The sentence of the printed proof is not needed: the same statement, from update (2)."""
    ours = lemma_b2_by_blocks.THEOREM
    known = prover.Decision((ours,)) if ours.goal == THEOREM.goal else prover.OPEN
    return prover.Line(PROOF, f"{WINDOW}: not needed, since {ours.statement}", ours.id, known)


def _account(formulas: prover.Formulas) -> prover.Account:
    known = prover.account(THEOREM, formulas, CHALLENGE)
    return replace(known, steps=(*known.steps, _derived()))


CLAIM = replace(
    prover.as_claim(THEOREM, CHALLENGE), account=_account, depends=(lemma_b2_by_blocks.THEOREM.id,)
)
