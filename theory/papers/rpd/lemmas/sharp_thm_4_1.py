"""Theorem 4.1 with the stale distance in expectation (`rpd.sharp-drift`), for every stepsize.

The printed proof, but with the stale distance kept as it is until expectations are taken.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Found,
    Lipschitz,
    Step,
    Telescope,
    Theorem,
    Total,
    le,
    lipschitz,
    square,
)
from theory.papers.rpd import eq_8
from theory.papers.rpd.lemmas import sharp_drift
from theory.papers.rpd.lemmas.sharp_drift import AWAY, DRIFT
from theory.papers.rpd.method import (
    AVERAGE,
    BOUNDED,
    E_K,
    F_STAR,
    FOLLOWING,
    LOWER,
    NEXT,
    S_STALE,
    SEQUENCES,
    SMOOTH,
    STALE,
    START,
    STEP,
    F,
    S,
    X,
    k,
    uniform,
)
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, n, p, tau

_DRIFT = sharp_drift.THEOREM
_PRICE = gamma * L**2 / (2 * p) * sum(_DRIFT.terms.values()) + L * gamma**2 * G**2 / 2

THEOREM: Final = Theorem(
    id="rpd.sharp-thm-4.1",
    where="ours",
    statement=(
        "The mean over k < K of E‖∇f(x^k)‖² is at most "
        "2pΔ/(γK) + pLγG² + L²γ²G²τ(τ + p − 1)/p for every γ > 0 and K ≥ 1."
    ),
    latex=(
        r"\tfrac1K \sum_{k<K} \mathbb{E}\|\nabla f(x^k)\|^2 \le \tfrac{2p\Delta}{\gamma K} + "
        r"pL\gamma G^2 + L^2\gamma^2 G^2\, \tfrac{\tau(\tau + p - 1)}{p}"
    ),
    symbols=(n, K, L, Delta, *_DRIFT.symbols, F_STAR),
    indices=_DRIFT.indices,
    scalars=_DRIFT.scalars,
    vectors=(STEP, *_DRIFT.vectors),
    points=(NEXT, *_DRIFT.points),
    sequences={**SEQUENCES, **_DRIFT.sequences},
    following=(*FOLLOWING, *_DRIFT.following),
    hypotheses=(SMOOTH, *uniform(X.gradient), BOUNDED, *_DRIFT.hypotheses, START, LOWER),
    cites=(eq_8.THEOREM, _DRIFT),
    steps=(
        Step("(8)", eq_8.THEOREM.goal, Cite("rpd.eq-8")),
        Step("size of g", le(E_K.of(square(STEP)), G**2), Expect("bounded", E_K)),
        Step("lipschitz", lipschitz(L, X, STALE), Lipschitz("smooth", X, STALE)),
        Step(
            "one step",
            le(
                E_K.of(NEXT.value),
                X.value
                - gamma / (2 * p) * (square(X.gradient) + square(STALE.gradient))
                + gamma * L**2 / (2 * p) * square(AWAY)
                + L * gamma**2 * G**2 / 2,
            ),
            Found("(8)", "size of g", "lipschitz", "away"),
            "(9) before Lemma B.2 is used",
        ),
        Step(
            "total",
            le(
                F(k + 1),
                F(k)
                - gamma / (2 * p) * (S(k) + S_STALE(k))
                + gamma * L**2 / (2 * p) * DRIFT(k)
                + L * gamma**2 * G**2 / 2,
            ),
            Total("one step", k),
        ),
        Step("drift", _DRIFT.goal, Cite("rpd.sharp-drift")),
        Step(
            "recurrence",
            le(F(k + 1), F(k) - gamma / (2 * p) * (S(k) + S_STALE(k)) + _PRICE),
            Combine({"total": 1, "drift": gamma * L**2 / (2 * p)}),
        ),
        Step(
            "sum",
            le(
                F(K),
                F(0) - gamma / (2 * p) * sympy.Sum(S(k) + S_STALE(k), (k, 0, K - 1)) + K * _PRICE,
            ),
            Telescope("recurrence", k, K),
        ),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * p * Delta / (gamma * K),
        "sampling": p * L * gamma * G**2,
        "staleness": L**2 * gamma**2 * G**2 * tau * (tau + p - 1) / p,
    },
    conclude=Found(),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["rpd-average-gradient"])
