"""Lemma B.2: how far the stale point can be from the current one, on every path.

This is the printed proof. That x − x̂ is made of the last τ increments, which it says in one
sentence, is the hypothesis `window` here; `rpd.lemma-b2-by-blocks` derives the same bound from
update (2) and 0 ≤ d_i ≤ τ alone. The mean over e is that over the window.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from theory.account import OPEN, Account, Decision, Line
from theory.claims import Formulas
from theory.judging.as_claim import account, as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Theorem,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.papers.rpd.lemmas import lemma_b2_by_blocks
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, gamma, tau

PROOF: Final = "Lemma B.2, proof"
MISSED: Final = vector("e")
"""What one of the last τ updates moved and x̂ misses; 0 if x̂ has it."""

_WINDOW = Operator("avg", ("e",))
_AWAY = X.position - STALE.position

WINDOW: Final = Hypothesis(
    "window",
    "x − x̂ is the sum of what the last τ updates moved and x̂ misses: block i of x̂ is at "
    "most τ updates old (taken with the vector x − x̂; a sentence of the printed proof, of which "
    "rpd.lemma-b2-by-blocks has no need)",
    eq(dot(_AWAY, _AWAY), tau * _WINDOW.of(dot(MISSED, _AWAY))),
)

THEOREM: Final = Theorem(
    id="rpd.lemma-b2",
    where="Lemma B.2",
    statement="‖x^k − x̂^k‖ ≤ γτG on every path (both sides squared).",
    latex=r"\|x^k - \hat x^k\| \le \gamma \tau G",
    symbols=(gamma, tau, G),
    vectors=(MISSED,),
    points=(X, STALE),
    hypotheses=(
        WINDOW,
        Hypothesis(
            "one update",
            "an update moves one block, by γ times a block gradient, of norm at most G",
            le(square(MISSED), gamma**2 * G**2),
        ),
    ),
    steps=(
        Step(
            "square",
            le(0, square(tau * MISSED - _AWAY)),
            Combine(squares=((1, tau * MISSED - _AWAY),)),
        ),
        Step(
            "spread",
            le(0, _WINDOW.of(square(tau * MISSED - _AWAY))),
            Expect("square", _WINDOW),
        ),
        Step(
            "size",
            le(_WINDOW.of(square(MISSED)), gamma**2 * G**2),
            Expect("one update", _WINDOW),
            "each of the increments has norm at most γG",
            PROOF,
        ),
    ),
    lhs=square(_AWAY),
    terms={"drift": gamma**2 * tau**2 * G**2},
    conclude=Combine({"spread": 1, "window": 2, "size": tau**2}),
)

CHALLENGE: Final = CHALLENGES["rpd-drift-pathwise-squared"]


def _derived() -> Line:
    """The sentence of the printed proof is not needed: the same statement, from update (2)."""
    ours = lemma_b2_by_blocks.THEOREM
    known = Decision((ours,)) if ours.goal == THEOREM.goal else OPEN
    return Line(PROOF, f"{WINDOW.name}: not needed, since {ours.statement}", ours.id, known)


def _account(formulas: Formulas) -> Account:
    known = account(THEOREM, formulas, CHALLENGE)
    return replace(known, steps=(*known.steps, _derived()))


CLAIM: Final = replace(
    as_claim(THEOREM, CHALLENGE), account=_account, depends=(lemma_b2_by_blocks.THEOREM.id,)
)
