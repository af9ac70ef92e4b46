"""Theorem 2 where the same elements are stale in every iteration: κ becomes 1, Var₀ doubles.

Problem    F is L-smooth and at least F(x_*); n workers, variance V₁, squared norms at most V₂.
Method     vanilla SAPipe from rest; the same first layers are stale in every iteration, and have
           samples of their own. The system reuses samples, and for that nothing is shown.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + L²η²V₂ + 2LηV₁/n for η ≤ 1/L. Each noise may
           have all its variance where it is used, and a single E‖g_t‖² may exceed V₂; but what is
           fresh at x_t now and what is stale at x_t next are parts of one gradient.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Hypothesis, Split, vector
from theory.notation import theorem, total
from theory.papers.sapipe import setting, stale_bias
from theory.papers.sapipe.lemmas import biased
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.stale_bias import AT_REST, OFF_NEXT, OFF_NOW

V1, V2, L, T, eta, kappa, n, t, E_T = setting.letters("V1 V2 L T eta kappa n t E_T")
NEXT, OFF, B, G, X, e, nu, ERR_0 = setting.letters("NEXT OFF B G X e nu ERR_0")
OPTIMIZATION, VAR_0 = setting.letters("OPTIMIZATION VAR_0")

MEAN = X.gradient - OFF
"""The mean of g: ∇F(x_t) on fresh elements and ∇F(x_{t−1}) on stale ones."""

_FRESH_NOISE, _STALE_NOISE = vector("ξ"), vector("d")
_ONE = {kappa: sympy.S.One}

Q, FRESH, STALE = (sympy.Function(name, nonnegative=True) for name in ("Q", "A", "C"))
"""E‖g_t‖² by iteration, and that of its fresh and of its stale elements."""

HYPOTHESES = (
    Hypothesis(
        "unbiased",
        "samples are unbiased and drawn independently of the past (Assumption 2)",
        prover.eq(E_T.of(G @ X.gradient), MEAN @ X.gradient),
    ),
    Hypothesis(
        "noise",
        "g has the noise ξ on fresh elements and d on stale ones, uncorrelated with its mean",
        prover.eq(
            E_T.of(G**2),
            MEAN**2 + E_T.of(_FRESH_NOISE**2) + E_T.of(_STALE_NOISE**2),
        ),
    ),
    Hypothesis(
        "fresh noise",
        "a part of the mean of the workers' noises at x_t (sapipe.mean-of-workers)",
        prover.le(E_T.of(_FRESH_NOISE**2), V1 / n),
    ),
    Hypothesis(
        "stale noise",
        "a part of the mean of the workers' noises at x_{t−1}",
        prover.le(E_T.of(_STALE_NOISE**2), V1 / n),
    ),
    Hypothesis(
        "stale part",
        "in the next iteration b is ∇F(x_{t+1}) − ∇F(x_t) on stale elements, else 0",
        prover.eq(OFF_NEXT.position**2, OFF_NEXT.position @ (NEXT.gradient - X.gradient)),
    ),
    Hypothesis(
        "parts", "an element of g is either fresh or stale", prover.eq(Q(t), FRESH(t) + STALE(t))
    ),
    Hypothesis(
        "one gradient",
        "the gradient whose stale elements come next has the law of the one whose fresh elements "
        "are used now, as both are at x_t; its squared norm is at most V₂ (Assumption 2)",
        prover.le(FRESH(t) + STALE(t + 1), V2),
    ),
    Hypothesis("first stale part", "‖∇f‖² ≤ V₂ (Assumption 2)", prover.le(STALE(0), V2)),
)

draft = setting.along(
    theorem("sapipe.prefix-repaired"), {B: OFF**2, Q: G**2}, [(OFF_NOW, OFF_NEXT)]
)
setting.assuming(draft, *HYPOTHESES, AT_REST, setting.START, setting.LOWER, setting.STEPSIZE)
draft.have(stale_bias.STALE_MEAN.relation, "stale", says="a part is no longer than the whole")
draft.have(B(t + 1) <= L**2 * eta**2 * Q(t), "away")
draft.have(B(t + 1) <= L**2 * eta**2 * (V2 + STALE(t) - STALE(t + 1)), "exchanged")
draft.have(
    prover.eq(total(B(t), t, T), total(B(t), t, T - 1) + B(T - 1)), "last", by=Split(t, last=1)
)
draft.have(biased.BIAS.relation.replaced({e: ERR_0}), "bias")
draft.have(setting.second_moment(OFF, 2 * V1 / n).relation.replaced(_ONE), "second moment")
draft.cite(biased.THEOREM, {e: ERR_0, nu: 2 * V1 / n, **_ONE}, name="biased")
TERMS = {"optimization": OPTIMIZATION, "staleness": ERR_0, "variance": 2 * VAR_0}
THEOREM = draft.shows(
    setting.AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="For vanilla SAPipe with η ≤ 1/L whose first layers are stale in every iteration, with "
    "samples of their own and not those of Algorithm 1, the mean over t < T of E‖∇F(x_t)‖² "
    "is at most 2R₀/(ηT) + L²η²V₂ + 2LηV₁/n for every T ≥ 1, from rest, whatever share of the "
    "parameters they hold.",
)

CLAIM = prover.as_claim(THEOREM, challenge=CHALLENGES["sapipe-prefix"])
