"""(12): LocalSGD under a budget of K block updates; (11) with T = K/(pN)."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, le
from theory.papers.localsgd import eq_11
from theory.papers.localsgd.method import AVERAGE
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.localsgd.witnesses.replays import beside, budget
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, T, gamma, p, sigma

SYMBOLS: Final = (p, K, *eq_11.THEOREM.symbols)
BUDGET: Final = Hypothesis(
    "budget",
    "T local steps of N replicas are K = pNT block updates; where pN does not divide K, "
    "T = ⌈K/(pN)⌉ will do",
    le(K, p * N * T),
)
HYPOTHESES: Final = (*eq_11.HYPOTHESES, BUDGET)

THEOREM: Final = Theorem(
    id="localsgd.eq-12",
    where="appendix D, (12)",
    statement=(
        "With γ ≤ 1/L and K = pNT block updates, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
        "2pNΔ/(γK) + 4γ²H²G̃²L² + Lγσ²/N."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \tfrac{2pN\Delta}{\gamma K} + "
        r"4\gamma^2 H^2 \tilde G^2 L^2 + \tfrac{L\gamma\sigma^2}{N}"
    ),
    symbols=SYMBOLS,
    scalars=eq_11.THEOREM.scalars,
    vectors=eq_11.THEOREM.vectors,
    points=eq_11.THEOREM.points,
    sequences=eq_11.THEOREM.sequences,
    following=eq_11.THEOREM.following,
    hypotheses=HYPOTHESES,
    cites=(eq_11.THEOREM,),
    assumes=eq_11.THEOREM.assumes,
    steps=(Step("(11)", eq_11.THEOREM.goal, Cite("localsgd.eq-11"), "(11)", "appendix D"),),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * p * N * Delta / (gamma * K),
        "drift": 4 * gamma**2 * H**2 * Gt**2 * L**2,
        "variance": L * gamma * sigma**2 / N,
    },
    conclude=Combine({"(11)": 1, "budget": 2 * Delta / (gamma * K * T)}),
)

CLAIM: Final = beside(as_claim(THEOREM, challenge=CHALLENGES["localsgd-average-gradient"]), budget)
