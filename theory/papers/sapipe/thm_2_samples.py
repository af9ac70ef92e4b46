"""Theorem 2 where stale elements have samples of their own, and at κ = 0 and κ = 1.

Its printed proof takes E[g_{i,t}] = ∇F_i(x_{t−2}) for stale elements, given what x_{t−1} depends
on. That is so if no element of x_{t−1} comes from the sample of these stale elements: for κ = 1 in
any case, else if a worker draws one sample for its fresh elements and another for its stale ones.
The run starts at rest: x_{−1} = x_0, and stale elements of the first update use a gradient at x_0.
Algorithm 1 fixes the samples, so for 0 < κ < 1 this is a method of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from theory.account import Account
from theory.claims import Formulas
from theory.judging.as_claim import account, as_claim
from theory.kernel import Cite, Combine, Step, Theorem
from theory.papers.sapipe import stale_bias
from theory.papers.sapipe.error_terms import ERR_0, OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import biased, elements, thm_2_mixture, workers
from theory.papers.sapipe.lemmas.biased import BIAS
from theory.papers.sapipe.lemmas.elements import DRAWN, SAMPLES, UNBIASED, drawn
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.setting import (
    AVERAGE,
    F_STAR,
    LOWER,
    NEXT,
    OFF,
    SHARE,
    SMOOTH,
    START,
    STEPSIZE,
    B,
    G,
    X,
    e,
    mean_of,
    nu,
    second_moment,
    sequences,
)
from theory.papers.sapipe.stale_bias import AT_REST, FOLLOWING, OFF_NEXT, OFF_NOW, SIZE, STALE_MEAN
from theory.papers.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n, t

WHERE: Final = thm_2_mixture.PROOF
CHALLENGE: Final = CHALLENGES["sapipe-vanilla"]

_ALL: Final = (t, 0, T - 1)
_MEAN = mean_of(OFF).relation
_MOMENT = second_moment(OFF, V1 / n).relation

THEOREM: Final = Theorem(
    id="sapipe.thm-2-own-samples",
    where="Theorem 2, stale elements with samples of their own",
    statement=(
        "For vanilla SAPipe with η ≤ 1/L whose stale elements, drawn with probability κ, use "
        "samples of their own, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
        "κL²η²V₂ + LηV₁/n for every T ≥ 1, from rest."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=(T, eta, L, kappa, n, V1, V2, R0, F_STAR),
    vectors=(G, OFF, DRAWN, workers.NOISE, workers.MEAN_NOISE),
    points=(X, NEXT, OFF_NOW, OFF_NEXT),
    sequences=sequences(OFF),
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        *drawn(OFF),
        UNBIASED,
        *SAMPLES,
        STALE_MEAN,
        SIZE,
        AT_REST,
        START,
        LOWER,
        STEPSIZE,
        SHARE,
    ),
    cites=(elements.THEOREM, stale_bias.THEOREM, biased.THEOREM),
    steps=(
        Step("mean", _MEAN, Combine({"elements": 1, "unbiased samples": 1})),
        Step(
            "second moment",
            _MOMENT,
            Cite("sapipe.random-elements"),
            "workers are independent: the variance of their mean is at most V₁/n",
            f"{WHERE}, the variance term",
        ),
        Step(
            "error",
            stale_bias.THEOREM.goal,
            Cite("sapipe.stale-bias"),
            "the error of stale elements, by smoothness",
            f"{WHERE}, the error of the gradient estimation",
        ),
        Step(
            "bias",
            BIAS.relation.replaced({e: ERR_0}),
            Combine({"error": 1 / T, "at rest": 1 / T}, plus=(B(T) / T,)),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "staleness": kappa * ERR_0, "variance": VAR_0},
    conclude=Cite("sapipe.biased", scalars={e: ERR_0, nu: V1 / n}),
)


def _account(printed: Formulas) -> Account:
    return thm_2_mixture.with_line(account(THEOREM, printed, CHALLENGE))


CLAIM: Final = replace(as_claim(THEOREM, CHALLENGE, cost=3), account=_account)
