"""(12) with the drift that replicas really have."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step
from theory.papers.localsgd.eq_12 import BUDGET, SYMBOLS
from theory.papers.localsgd.lemmas import sharp_eq_11
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, T, gamma, p, sigma

THEOREM: Final = replace(
    sharp_eq_11.THEOREM,
    id="localsgd.sharp-eq-12",
    statement=(
        "With γ ≤ 1/L and K = pNT block updates, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
        "2pNΔ/(γK) + γ²(H − 1)²G̃²L² + Lγσ²/N."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \tfrac{2pN\Delta}{\gamma K} + "
        r"\gamma^2 (H-1)^2 \tilde G^2 L^2 + \tfrac{L\gamma\sigma^2}{N}"
    ),
    symbols=SYMBOLS,
    hypotheses=(*sharp_eq_11.THEOREM.hypotheses, BUDGET),
    cites=(sharp_eq_11.THEOREM,),
    steps=(Step("by T", sharp_eq_11.THEOREM.goal, Cite("localsgd.sharp-eq-11")),),
    terms={
        "optimization": 2 * p * N * Delta / (gamma * K),
        "drift": gamma**2 * (H - 1) ** 2 * Gt**2 * L**2,
        "variance": L * gamma * sigma**2 / N,
    },
    conclude=Combine({"by T": 1, "budget": 2 * Delta / (gamma * K * T)}),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["localsgd-average-gradient"])
