"""Theorem H.1, (14): one step of RPD under the Polyak–Łojasiewicz inequality.

The displays of appendix H are lost in the text that we have. (16) is read as the line of the proof
of Theorem B.1 in which the inner product of the two gradients is written as three squares; the
sentences after it describe the other lines. Δ stands for the gap of iteration k, E f(x^k) − f*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Hypothesis,
    Lipschitz,
    Step,
    Theorem,
    Total,
    eq,
    le,
    lipschitz,
    square,
)
from theory.papers.rpd import eq_8, lemma_b2
from theory.papers.rpd.lemma_b2 import MISSED
from theory.papers.rpd.method import (
    BOUNDED,
    E_K,
    F_STAR,
    FOLLOWING,
    NEXT,
    SEQUENCES,
    SMOOTH,
    STALE,
    STEP,
    F,
    X,
    k,
    uniform,
)
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, L, gamma, mu, n, p, tau

PROOF: Final = "appendix H, proof of Theorem H.1"

GAP: Final = sympy.Symbol("Delta", real=True)
"""E f(x^k) − f* at the iteration that is looked at."""

PL: Final = Hypothesis(
    "PL",
    "f satisfies the Polyak–Łojasiewicz inequality with μ (Assumption H.1)",
    le(2 * mu * (X.value - F_STAR), square(X.gradient)),
)

_AHEAD = E_K.of(NEXT.value)
_APART = square(X.gradient - STALE.gradient)
_NOISE = L * gamma**2 * G**2 / 2
_PRICE = gamma**3 * L**2 * tau**2 * G**2 / (2 * p) + _NOISE
_SLOPE = gamma / (2 * p)

THEOREM: Final = Theorem(
    id="rpd.thm-h1",
    where="Theorem H.1, (14)",
    statement=(
        "Under the Polyak–Łojasiewicz inequality with μ every step of RPD has E f(x^{k+1}) − f* ≤ "
        "(1 − γμ/p)(E f(x^k) − f*) + Lγ²G²/2 + γ³L²τ²G²/(2p)."
    ),
    latex=(
        r"\mathbb{E}[f(x^{k+1}) - f^*] \le (1 - \tfrac{\gamma\mu}{p})\,\mathbb{E}[f(x^k) - f^*] + "
        r"\tfrac{L\gamma^2G^2}{2} + \tfrac{\gamma^3L^2\tau^2G^2}{2p}"
    ),
    symbols=(p, n, L, G, gamma, tau, mu, F_STAR),
    scalars=(GAP,),
    vectors=(STEP, MISSED),
    points=(X, STALE, NEXT),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        *uniform(X.gradient),
        BOUNDED,
        *lemma_b2.THEOREM.hypotheses,
        PL,
        Hypothesis("gap", "Δ is E f(x^k) − f*", eq(F(k), F_STAR + GAP)),
    ),
    cites=(eq_8.THEOREM, lemma_b2.THEOREM),
    steps=(
        Step("(8)", eq_8.THEOREM.goal, Cite("rpd.eq-8")),
        Step("size", le(E_K.of(square(STEP)), G**2), Expect("bounded", E_K)),
        Step(
            "(16)",
            le(
                _AHEAD,
                X.value - _SLOPE * (square(X.gradient) + square(STALE.gradient) - _APART) + _NOISE,
            ),
            Combine({"(8)": 1, "size": L * gamma**2 / 2}),
            "(16), from the proof of Theorem B.1",
            PROOF,
        ),
        Step(
            "lipschitz",
            lipschitz(L, X, STALE),
            Lipschitz("smooth", X, STALE),
            "‖∇f(x) − ∇f(x̂)‖² ≤ L²‖x − x̂‖² by L-smoothness",
            PROOF,
        ),
        Step("stale", lemma_b2.THEOREM.goal, Cite("rpd.lemma-b2"), "Lemma B.2", PROOF),
        Step(
            "apart",
            le(_APART, L**2 * gamma**2 * tau**2 * G**2),
            Combine({"lipschitz": 1, "stale": L**2}),
            "and therefore ‖∇f(x) − ∇f(x̂)‖² ≤ L²γ²τ²G²",
            PROOF,
        ),
        Step(
            "substituted",
            le(_AHEAD, X.value - _SLOPE * square(X.gradient) + _PRICE),
            Combine({"(16)": 1, "apart": _SLOPE}, plus=(_SLOPE * square(STALE.gradient),)),
            "substituted into (16)",
            PROOF,
        ),
        Step(
            "pulled",
            le(
                -_SLOPE * square(X.gradient),
                -gamma * mu / p * (X.value - F_STAR),
            ),
            Combine({"PL": _SLOPE}),
            "−γ/(2p)‖∇f(x)‖² ≤ −(γμ/p)(f(x) − f*) by the Polyak–Łojasiewicz inequality",
            PROOF,
        ),
        Step(
            "subtracted",
            le(_AHEAD - F_STAR, (1 - gamma * mu / p) * (X.value - F_STAR) + _PRICE),
            Combine({"substituted": 1, "pulled": 1}),
            "f* subtracted from both sides",
            PROOF,
        ),
        Step(
            "total",
            le(F(k + 1) - F_STAR, (1 - gamma * mu / p) * (F(k) - F_STAR) + _PRICE),
            Total("subtracted", k),
            "total expectation",
            PROOF,
        ),
    ),
    lhs=F(k + 1) - F_STAR,
    terms={
        "contraction": (1 - gamma * mu / p) * GAP,
        "sampling": _NOISE,
        "staleness": gamma**3 * L**2 * tau**2 * G**2 / (2 * p),
    },
    conclude=Combine({"total": 1, "gap": 1 - gamma * mu / p}),
)

RECURRENCE: Final = replace(
    THEOREM,
    id="rpd.thm-h1-recurrence",
    scalars=(),
    hypotheses=tuple(h for h in THEOREM.hypotheses if h.name != "gap"),
    terms={**THEOREM.terms, "contraction": (1 - gamma * mu / p) * (F(k) - F_STAR)},
    conclude=Combine({"total": 1}),
)
"""(14) in one sequence, for every k."""

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["rpd-pl-step"])
