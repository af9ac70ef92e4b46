"""Lemma B.1: the RPD update is unbiased up to the factor 1/p."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Step, Theorem, dot, eq, vector
from theory.papers.rpd.method import E_K, STALE, STEP, uniform
from theory.papers.rpd.symbols import n, p

V: Final = vector("v")
"""Any vector that is fixed before the draw."""
HYPOTHESES: Final = uniform(V)

THEOREM: Final = Theorem(
    id="rpd.lemma-b1",
    where="Lemma B.1",
    statement=(
        "Given the past and the stale point, the mean of g^k is ∇f(x̂^k)/p: E_k⟨g^k, v⟩ is "
        "⟨∇f(x̂^k), v⟩/p for every v fixed before the draw."
    ),
    latex=r"\mathbb{E}[g^k \mid \mathcal{F}_k] = \tfrac1p \nabla f(\hat x^k)",
    symbols=(p, n),
    vectors=(V, STEP),
    points=(STALE,),
    hypotheses=HYPOTHESES,
    kind="==",
    lhs=E_K.of(dot(STEP, V)),
    terms={"mean": dot(STALE.gradient, V) / p},
    steps=(
        Step(
            "pairs",
            eq(E_K.of(dot(STEP, V)), HYPOTHESES[0].relation.rhs),
            Combine({"uniform": 1}),
            "the mean over all pairs (i, m), x̂ being fixed",
            "Lemma B.1, proof",
        ),
    ),
    conclude=Combine({"pairs": 1, "finite sum": -1 / p}),
)

CLAIM: Final = as_claim(THEOREM)
