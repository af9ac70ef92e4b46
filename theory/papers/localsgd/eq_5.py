"""(5): (12) with as many replicas as stages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, eq
from theory.papers.localsgd import eq_12
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, gamma, p, sigma

AS_MANY: Final = Hypothesis("replicas", "there are N = p replicas", eq(N, p))

THEOREM: Final = replace(
    eq_12.THEOREM,
    id="localsgd.eq-5",
    where="section 6, (5)",
    statement=(
        "With γ ≤ 1/L, N = p replicas and K = p²T block updates, the mean over t < T of "
        "E‖∇f(x̄^t)‖² is at most 2p²Δ/(γK) + 4γ²H²G̃²L² + Lγσ²/p."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \tfrac{2p^2\Delta}{\gamma K} + "
        r"4\gamma^2 H^2 \tilde G^2 L^2 + \tfrac{L\gamma\sigma^2}{p}"
    ),
    hypotheses=(*eq_12.HYPOTHESES, AS_MANY),
    cites=(eq_12.THEOREM,),
    steps=(Step("(12)", eq_12.THEOREM.goal, Cite("localsgd.eq-12"), "(12)", "section 6"),),
    terms={
        "optimization": 2 * p**2 * Delta / (gamma * K),
        "drift": 4 * gamma**2 * H**2 * Gt**2 * L**2,
        "variance": L * gamma * sigma**2 / p,
    },
    conclude=Combine(
        {"(12)": 1, "replicas": 2 * p * Delta / (gamma * K) - L * gamma * sigma**2 / (N * p)}
    ),
)

CLAIM: Final = as_claim(THEOREM)
