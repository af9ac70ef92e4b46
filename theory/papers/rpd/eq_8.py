"""(8): one step of RPD in conditional expectation, before the gradient bound is put in.

The displayed formula is lost in the text that we have; this is the line that the sentences around
it describe: L-smoothness at x^{k+1} = x^k − γ g^k, then Lemma B.1.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Descent,
    Expect,
    Step,
    Theorem,
    descent,
    dot,
    eq,
    le,
    square,
)
from theory.papers.rpd import lemma_b1
from theory.papers.rpd.method import E_K, NEXT, SMOOTH, STALE, STEP, X, uniform
from theory.papers.rpd.symbols import L, gamma, n, p

PROOF: Final = "appendix B, proof of Theorem B.1"
_AHEAD = E_K.of(NEXT.value)

THEOREM: Final = Theorem(
    id="rpd.eq-8",
    where="appendix B, (8)",
    statement=(
        "For every step of RPD, "
        "E_k f(x^{k+1}) ≤ f(x^k) − (γ/p)⟨∇f(x^k), ∇f(x̂^k)⟩ + (Lγ²/2) E_k‖g^k‖²."
    ),
    latex=(
        r"\mathbb{E}_k f(x^{k+1}) \le f(x^k) - \tfrac{\gamma}{p}\langle\nabla f(x^k), "
        r"\nabla f(\hat x^k)\rangle + \tfrac{L\gamma^2}{2}\mathbb{E}_k\|g^k\|^2"
    ),
    symbols=(p, n, L, gamma),
    vectors=(STEP,),
    points=(X, STALE, NEXT),
    hypotheses=(SMOOTH, *uniform(X.gradient)),
    cites=(lemma_b1.THEOREM,),
    steps=(
        Step(
            "descent",
            descent(L, X, NEXT),
            Descent("smooth", X, NEXT),
            "f(x⁺) ≤ f(x) + ⟨∇f(x), x⁺ − x⟩ + (L/2)‖x⁺ − x‖² with x⁺ = x − γg",
            PROOF,
        ),
        Step(
            "mean",
            le(_AHEAD, E_K.of(descent(L, X, NEXT).rhs)),
            Expect("descent", E_K),
            "conditional expectation of both sides",
            PROOF,
        ),
        Step(
            "unbiased",
            eq(E_K.of(dot(STEP, X.gradient)), dot(STALE.gradient, X.gradient) / p),
            Cite("rpd.lemma-b1", vectors={"v": X.gradient}),
            "Lemma B.1 with v = ∇f(x)",
            PROOF,
        ),
    ),
    lhs=_AHEAD,
    terms={
        "value": X.value,
        "progress": -gamma / p * dot(X.gradient, STALE.gradient),
        "sampling": L * gamma**2 / 2 * E_K.of(square(STEP)),
    },
    conclude=Combine({"mean": 1, "unbiased": -gamma}),
)

CLAIM: Final = as_claim(THEOREM)
