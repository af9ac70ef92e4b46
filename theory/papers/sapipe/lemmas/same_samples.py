"""Vanilla SAPipe as Algorithm 1 draws its samples: stale elements reuse those of the last update.

Problem    F is L-smooth and at least F(x_*) everywhere; n workers, variance V₁, E‖g‖² ≤ V₂.
Method     x_{t+1} = x_t − ηg, an element of g is that of c = ∇F(x_{t−1}) + n with probability κ < 1
           and else that of the fresh gradient. c is known before update t, and x_t depends on n.
           From rest; `thm_2_reuse_pass` has the run that passes the first iteration.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/((2 − Lη)ηT) + κL²η²V₂ +
           (1 + 2κ√(1 − κ))/(2 − Lη)·LηV₁/n for η ≤ 1/L. What reused samples add is partly paid by
           what the printed proof drops: the squared norms of the means, and ‖∇F(x_T)‖².
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Point, point, vector
from theory.notation import theorem, total
from theory.notation.draft import Draft
from theory.papers.sapipe import setting, stale_bias
from theory.papers.sapipe.lemmas import reused_noise, workers
from theory.papers.sapipe.lemmas.reused_noise import BEFORE, NOISE, r

V1, L, T, eta, kappa, n, t, E_T = setting.letters("V1 L T eta kappa n t E_T")
F_STAR, NEXT, OFF, B, F, G, S, X = setting.letters("F_STAR NEXT OFF B F G S X")
ERR_0, OPTIMIZATION, VAR_0 = setting.letters("ERR_0 OPTIMIZATION VAR_0")

OLD = point("s", "old")
"""∇F(x_{t−1}), as a thing that another follows."""

OLD_NEXT = Point(vector("s⁺"), sympy.Symbol("old(s⁺)", real=True), vector("∇old(s⁺)"), "old")
"""∇F(x_t) in that role."""

LOWEST = Point(X.position - X.gradient / L, sympy.Symbol("F(x−)", real=True), vector("∇F(x−)"), "F")
"""Where a gradient step of length 1/L from x_t would lead."""

U, N = (sympy.Function(name, nonnegative=True) for name in ("U", "N"))
P, W = (sympy.Function(name, real=True) for name in ("P", "W"))
"""Total expectations by iteration: ‖s‖², ‖n⁻‖², ⟨∇F(x_t), n⁻⟩ and ⟨s, n⁻⟩."""

_P, _S = X.gradient, OLD.position
_C = _S + NOISE
_ELEMENTS = (
    "an element of g is that of c with probability κ, else that of the fresh gradient "
    "(Assumption 5)"
)
_SPARE = 1 - L * eta
_WEIGHT = eta / 2 * kappa * _SPARE
_PROGRESS = 2 - L * eta
_V = V1 / n

BOUNDED = Hypothesis(
    "bounded", "F is at least F(x_*) everywhere (Assumption 6)", prover.le(F_STAR, LOWEST.value)
)
FOLLOWS = (
    Hypothesis("off", "b = ∇F(x_t) − ∇F(x_{t−1})", prover.eq(OFF**2, (_P - _S) ** 2)),
    Hypothesis("old", "what is fresh now is stale next", prover.eq(OLD_NEXT.position**2, _P**2)),
)
ELEMENTS = (
    Hypothesis("share", "r² = 1 − κ", prover.eq(kappa, 1 - r**2)),
    Hypothesis(
        "unbiased", "fresh samples are unbiased", prover.eq(E_T.of(workers.MEAN_NOISE @ _P), 0)
    ),
    Hypothesis(
        "elements",
        _ELEMENTS,
        prover.eq(E_T.of(G @ _P), (1 - kappa) * _P**2 + kappa * (_C @ _P)),
    ),
    Hypothesis(
        "elements, squared",
        _ELEMENTS,
        prover.eq(
            E_T.of(G**2),
            (1 - kappa) * E_T.of((_P + workers.MEAN_NOISE) ** 2) + kappa * _C**2,
        ),
    ),
    Hypothesis(
        "stale, unbiased",
        "n was drawn after x_{t−1}",
        prover.eq(reused_noise.E_S.of(NOISE @ _S), 0),
    ),
)


def begun(draft: Draft, first: Hypothesis) -> Draft:
    """The run and its potential, from this first update."""
    means = {
        **{B: OFF**2, U: _S**2, N: NOISE**2},
        **{P: NOISE @ _P, W: NOISE @ _S},
    }
    pairs = [(stale_bias.OFF_NOW, stale_bias.OFF_NEXT), (OLD, OLD_NEXT)]
    setting.along(draft, means, pairs, (BEFORE, LOWEST))
    setting.assuming(draft, *reused_noise.THEOREM.hypotheses)
    setting.assuming(draft, *ELEMENTS, *FOLLOWS, BOUNDED, first, setting.START, setting.STEPSIZE)
    for lemma in (workers, reused_noise, stale_bias):
        draft.cite(lemma.THEOREM)
    draft.have(_SPARE >= 0, "small")
    draft.have(1 - kappa >= 0, "part")
    draft.have(1 - 4 * kappa * L * eta * _SPARE >= 0, "quarter")
    draft.have(
        E_T.of(NEXT.value)
        <= X.value
        - eta * (1 - kappa) * _P**2
        - eta * kappa * (_P**2 + _S**2 - OFF**2) / 2
        - eta * kappa * (NOISE @ _P)
        + L * eta**2 / 2 * ((1 - kappa) * (_P**2 + _V) + kappa * _C**2),
        "one update",
    )
    draft.have(
        F(t + 1) - _WEIGHT * U(t + 1)
        <= F(t)
        - _WEIGHT * U(t)
        - eta / 2 * (_PROGRESS * S(t) - kappa * B(t) - L * eta * _V * (1 + 2 * kappa * r)),
        "potential",
    )
    draft.have(_P**2 / (2 * L) <= X.value - F_STAR, "height", says="‖∇F‖² ≤ 2L(F − F(x_*))")
    draft.have(prover.eq(F(T), F(T)), "end", by=Combine())
    draft.have(_S**2 <= 4 * _P**2 + sympy.Rational(4, 3) * OFF**2, "near")
    return draft


_EACH = 2 / (eta * T * _PROGRESS)
MULTIPLIERS = {
    "potential, summed to T": _EACH,
    "height, each t, at T": _EACH,
    "start": _EACH,
    "near, each t, at T": _EACH * _WEIGHT,
    "quarter": _EACH * S(T) / (2 * L),
    "sapipe.stale-bias": kappa / T,
}
LEFT = (
    _EACH * _WEIGHT * U(0),
    _EACH * _WEIGHT * total(B(t), t, T),
    kappa * (2 + L * eta) / (3 * T * _PROGRESS) * B(T),
)
"""What the bound leaves over."""

TERMS = {
    "optimization": OPTIMIZATION / _PROGRESS,
    "staleness": kappa * ERR_0,
    "variance": (1 + 2 * kappa * r) * VAR_0 / _PROGRESS,
}
CLAIM = THEOREM = begun(theorem("sapipe.same-samples"), stale_bias.AT_REST).shows(
    prover.le(setting.AVERAGE, sum(TERMS.values())),
    TERMS,
    by=Combine({**MULTIPLIERS, "at rest": kappa / T}, plus=LEFT, domain=("small", "part")),
    says="For vanilla SAPipe with η ≤ 1/L and 0 ≤ κ < 1 whose stale elements reuse the samples of "
    "the update before, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/((2 − Lη)ηT) + "
    "κL²η²V₂ + (1 + 2κ√(1 − κ))/(2 − Lη)·LηV₁/n for every T ≥ 1, from rest.",
)
