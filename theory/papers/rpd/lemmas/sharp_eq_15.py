"""(15) with the stale distance in expectation (`rpd.sharp-drift`)."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Found,
    Hypothesis,
    Induction,
    Lipschitz,
    Step,
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
    BOUNDED,
    E_K,
    F_STAR,
    FOLLOWING,
    NEXT,
    SEQUENCES,
    SMOOTH,
    STALE,
    START,
    STEP,
    F,
    X,
    k,
    uniform,
)
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, mu, n, p, tau
from theory.papers.rpd.thm_h1 import PL

_DRIFT = sharp_drift.THEOREM
_SLOPE, _NOISE = gamma / (2 * p), L * gamma**2 * G**2 / 2
_RATIO = 1 - gamma * mu / p
_REST = p * L * gamma * G**2 / (2 * mu) + L**2 * sum(_DRIFT.terms.values()) / (2 * mu)

THEOREM: Final = Theorem(
    id="rpd.sharp-eq-15",
    where="ours",
    statement=(
        "Under the Polyak–Łojasiewicz inequality with μ RPD with γ ≤ p/μ has E f(x^K) − f* ≤ "
        "(1 − γμ/p)^K Δ + pLγG²/(2μ) + L²γ²G²τ(τ + p − 1)/(2pμ) for every K ≥ 1."
    ),
    latex=(
        r"\mathbb{E}[f(x^K) - f^*] \le (1 - \tfrac{\gamma\mu}{p})^K \Delta + "
        r"\tfrac{pL\gamma G^2}{2\mu} + \tfrac{L^2\gamma^2G^2\,\tau(\tau + p - 1)}{2p\mu}"
    ),
    symbols=(n, K, L, mu, Delta, F_STAR, *_DRIFT.symbols),
    indices=_DRIFT.indices,
    scalars=_DRIFT.scalars,
    vectors=(STEP, *_DRIFT.vectors),
    points=(NEXT, *_DRIFT.points),
    sequences={**SEQUENCES, **_DRIFT.sequences},
    following=(*FOLLOWING, *_DRIFT.following),
    hypotheses=(
        SMOOTH,
        *uniform(X.gradient),
        BOUNDED,
        PL,
        *_DRIFT.hypotheses,
        START,
        Hypothesis("stepsize", "γ ≤ p/μ", le(gamma, p / mu)),
    ),
    cites=(eq_8.THEOREM, _DRIFT),
    steps=(
        Step("(8)", eq_8.THEOREM.goal, Cite("rpd.eq-8")),
        Step("size of g", le(E_K.of(square(STEP)), G**2), Expect("bounded", E_K)),
        Step("lipschitz", lipschitz(L, X, STALE), Lipschitz("smooth", X, STALE)),
        Step(
            "one step",
            le(
                E_K.of(NEXT.value) - F_STAR,
                _RATIO * (X.value - F_STAR) + _SLOPE * L**2 * square(AWAY) + _NOISE,
            ),
            Found("(8)", "size of g", "lipschitz", "away", "PL"),
            "(14) before the stale distance is bounded",
        ),
        Step(
            "total",
            le(
                F(k + 1) - F_STAR,
                _RATIO * (F(k) - F_STAR) + _SLOPE * L**2 * DRIFT(k) + _NOISE,
            ),
            Total("one step", k),
        ),
        Step("drift", _DRIFT.goal, Cite("rpd.sharp-drift")),
        Step(
            "recurrence",
            le(F(k + 1), _RATIO * F(k) + (1 - _RATIO) * (F_STAR + _REST)),
            Combine({"total": 1, "drift": _SLOPE * L**2}),
        ),
        Step("first", le(F(0), F_STAR + Delta), Combine({"start": 1})),
        Step("contracts", le(0, _RATIO), Combine({"stepsize": mu / p})),
        Step(
            "unrolled",
            le(F(K), F_STAR + _RATIO**K * Delta + _REST),
            Induction("recurrence", k, K, F, "first", ("contracts",)),
        ),
    ),
    lhs=F(K) - F_STAR,
    terms={
        "optimization": _RATIO**K * Delta,
        "sampling": p * L * gamma * G**2 / (2 * mu),
        "staleness": L**2 * gamma**2 * G**2 * tau * (tau + p - 1) / (2 * p * mu),
    },
    conclude=Combine({"unrolled": 1}),
)

CLAIM: Final = as_claim(THEOREM, CHALLENGES["rpd-pl-gap"], where=sympy.Le(gamma, p / mu), cost=5)
