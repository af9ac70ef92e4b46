"""Lemma I.2: how far the extrapolated stale point can be from the current one, on every path.

The printed bound is true. Its √p counts one increment a block at its full length beside τ whole
updates, though all of them come from the same τ + 1 updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import sympy

from theory.account import Finding, Repair
from theory.judging.as_claim import as_claim
from theory.judging.decide import proves
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Proof,
    Step,
    Theorem,
    Triangle,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.rules.norms import Root
from theory.papers.rpd import lemma_b2
from theory.papers.rpd.lemma_b2 import MISSED
from theory.papers.rpd.lemmas import sharp_lemma_i2
from theory.papers.rpd.lemmas.mathematics import written
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.nag_method import AHEAD, AWAY, INCREMENT, LENGTH
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, p, tau
from theory.papers.rpd.witnesses.exact_runs import require
from theory.papers.rpd.witnesses.nag_paths import Path

WHERE: Final = "Lemma I.2"
PROOF: Final = "Lemma I.2, proof"

BLOCK: Final = vector("y_i")
"""Block i of the increments."""

_BLOCKS = Operator("avg", ("y_i",))
_ROOT = sympy.sqrt(p)
_SIZE = gamma * G * (tau + beta * _ROOT)

THEOREM: Final = Theorem(
    id="rpd.lemma-i2",
    where=WHERE,
    statement="‖x^k − x̃^k‖ ≤ γG(τ + β√p) on every path.",
    latex=r"\|x^k - \tilde x^k\| \le \gamma G(\tau + \beta\sqrt p)",
    symbols=(p, gamma, tau, G, beta),
    vectors=(MISSED, INCREMENT, BLOCK),
    points=(X, STALE, AHEAD),
    hypotheses=(
        *lemma_b2.THEOREM.hypotheses,
        Hypothesis(
            "blocks",
            "the increments have p blocks: their squared norms add up",
            eq(square(INCREMENT), p * _BLOCKS.of(square(BLOCK))),
        ),
        Hypothesis(
            "one increment",
            "a block of the increments is what one update moved, or 0: of norm at most γG",
            le(square(BLOCK), gamma**2 * G**2),
        ),
    ),
    cites=(lemma_b2.THEOREM,),
    steps=(
        Step(
            "stale",
            lemma_b2.THEOREM.goal,
            Cite("rpd.lemma-b2"),
            "‖x − x̂‖ ≤ γτG as in Lemma B.2",
            PROOF,
        ),
        Step(
            "each",
            le(_BLOCKS.of(square(BLOCK)), gamma**2 * G**2),
            Expect("one increment", _BLOCKS),
            "each block increment has norm at most γG",
            PROOF,
        ),
        Step(
            "increments",
            le(square(INCREMENT), p * gamma**2 * G**2),
            Combine({"each": p, "blocks": 1}),
            "so the vector of all of them has norm at most γG√p",
            PROOF,
        ),
        Step(
            "triangle",
            le(square(AWAY), _SIZE**2),
            Triangle(
                (
                    ("stale", sympy.Integer(1), X.position - STALE.position, gamma * tau * G),
                    ("increments", beta, -INCREMENT, gamma * G * _ROOT),
                )
            ),
            "x − x̃ = (x − x̂) − βy, by the triangle inequality",
            PROOF,
        ),
        LENGTH,
    ),
    lhs=sympy.sqrt(square(AWAY)),
    terms={"delay": gamma * G * tau, "extrapolation": gamma * G * beta * _ROOT},
    conclude=Root("triangle", domain=("length",)),
)


def remarks(proof: Proof) -> Sequence[Finding]:
    """The constant is loose: what is exact, with an instance, and by how much."""
    sharp = sharp_lemma_i2.THEOREM
    if not proves(proof, sharp):
        return ()
    path = Path.dealt(tau=1, stages=4, blocks=1)
    printed, exact = (sympy.Add(*one.terms.values()) for one in (THEOREM, sharp))
    ratio = sympy.simplify(printed / exact)
    at = {p: 4, tau: 1, beta: 1, gamma: 1, G: 1}
    distance = sympy.sqrt(sympy.sympify(path.replay(Fraction(1))))
    require(distance == exact.subs(at), WHERE, run=distance, formula=exact.subs(at))
    return (
        Finding(
            "loose",
            WHERE,
            "for β² ≤ 2β + τ, hence for all β ≤ 1, the exact constant is τ + β; the printed one "
            f"is {written(ratio)} times it, which is {written(ratio.subs(tau, 0))} at τ = 0",
            {
                **path.describe(),
                "beta": 1,
                "distance": str(distance),
                "printed": str(printed.subs(at)),
            },
            (proof, sharp),
            Repair(sharp.statement, (sharp,)),
        ),
    )


CLAIM: Final = as_claim(
    THEOREM, challenge=CHALLENGES["nag-drift-pathwise"], remarks=remarks, cost=3
)
