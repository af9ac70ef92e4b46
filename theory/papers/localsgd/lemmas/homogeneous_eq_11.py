"""(11) where all replicas share one function, as in the paper: one replica alone does not drift."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from theory.judging.as_claim import as_claim
from theory.papers.localsgd.lemmas import homogeneous_drift, one_step, sharp_eq_11
from theory.papers.localsgd.method import LOWER, START, STEP, STEPSIZE
from theory.papers.rpd.symbols import Delta, Gt, H, L, N, T, gamma, sigma

_DRIFT = homogeneous_drift.THEOREM

THEOREM: Final = replace(
    sharp_eq_11.THEOREM,
    id="localsgd.homogeneous-eq-11",
    statement=(
        "With γ ≤ 1/L and one function for all replicas, the mean over t < T of E‖∇f(x̄^t)‖² is at "
        "most 2Δ/(γT) + (1 − 1/N)γ²(H − 1)²G̃²L² + Lγσ²/N."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \tfrac{2\Delta}{\gamma T} + "
        r"\bigl(1 - \tfrac1N\bigr)\gamma^2 (H-1)^2 \tilde G^2 L^2 + \tfrac{L\gamma\sigma^2}{N}"
    ),
    vectors=tuple(dict.fromkeys((*sharp_eq_11.VECTORS, *_DRIFT.vectors))),
    hypotheses=(*STEP, *_DRIFT.hypotheses, START, LOWER, STEPSIZE),
    cites=(one_step.THEOREM, _DRIFT),
    steps=sharp_eq_11.steps_with(_DRIFT),
    terms={
        "optimization": 2 * Delta / (gamma * T),
        "drift": (1 - 1 / N) * gamma**2 * (H - 1) ** 2 * Gt**2 * L**2,
        "variance": L * gamma * sigma**2 / N,
    },
)

CLAIM: Final = as_claim(THEOREM)
