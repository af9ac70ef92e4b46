"""Lemma I.1: the NAG-RPD update is unbiased up to the factor 1/p."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Theorem, dot
from theory.papers.rpd import lemma_b1
from theory.papers.rpd.lemma_b1 import V
from theory.papers.rpd.method import E_K, STEP
from theory.papers.rpd.nag_method import AHEAD, AT_AHEAD, VALUE_AHEAD, uniform
from theory.papers.rpd.symbols import n, p

_MEAN = dot(AHEAD.gradient, V) / p

THEOREM: Final = Theorem(
    id="rpd.lemma-i1",
    where="Lemma I.1",
    statement=(
        "Given the past and the extrapolated point, the mean of g̃^k is ∇f(x̃^k)/p: E_k⟨g̃^k, v⟩ is "
        "⟨∇f(x̃^k), v⟩/p for every v fixed before the draw."
    ),
    latex=r"\mathbb{E}[\tilde g^k \mid \mathcal{F}_k] = \tfrac1p \nabla f(\tilde x^k)",
    symbols=(p, n),
    vectors=(V, STEP),
    points=(AHEAD,),
    hypotheses=uniform(V),
    kind="==",
    cites=(lemma_b1.THEOREM,),
    steps=(
        Step(
            "fixed",
            lemma_b1.THEOREM.goal.replaced({}, AT_AHEAD),
            Cite("rpd.lemma-b1", VALUE_AHEAD, AT_AHEAD),
            "given the past x̃ is fixed, and the mean is that over blocks and components",
            "Lemma I.1, proof",
        ),
    ),
    lhs=E_K.of(dot(STEP, V)),
    terms={"mean": _MEAN},
    conclude=Combine({"fixed": 1}),
)

CLAIM: Final = as_claim(THEOREM)
