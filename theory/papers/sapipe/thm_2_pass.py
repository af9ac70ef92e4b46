"""Theorem 2 where the first iteration passes, as Algorithm 1 prints it.

Problem    F is L-smooth and at least F(x_*) everywhere; n workers, variance V₁, norms at most √V₂.
Method     vanilla SAPipe, stale elements with samples of their own. Those of the first update are
           left as they are, as if their gradient were 0: it misses ∇F(x_0) by all of it.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²V₂ + LηV₁/n for T ≥ 2 and η ≤ 1/L. What
           pays is what the printed proof drops: the first update moves fresh elements only,
           ‖∇F(x_0)‖² is at most V₂ and 2LR₀, and squared norms of gradients count against it.
Source     SAPipe paper, Theorem 2, with line 1 of Algorithm 1, which its proof leaves out.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Everywhere, Hypothesis, Sign
from theory.notation import index, theorem, total
from theory.papers.sapipe import setting, stale_bias
from theory.papers.sapipe.lemmas import elements, workers
from theory.papers.sapipe.lemmas.same_samples import BOUNDED, LOWEST, OLD, OLD_NEXT, U
from theory.papers.sapipe.lemmas.thm_2_reuse_pass import PASS

R0, V1, V2, L, eta, kappa, n, t = setting.letters("R0 V1 V2 L eta kappa n t")
E_T, F_STAR, OFF, B, F, G, S, X = setting.letters("E_T F_STAR OFF B F G S X")
ERR_0 = setting.letters("ERR_0")

m = index("m")
"""T − 2."""

Q = sympy.Function("Q", nonnegative=True)
"""E‖g_t‖² by iteration."""

_P, _S = X.gradient, OLD.position
_A = L * eta
_SPARE = 1 - _A
_SAYS = "an element of d is that of s with probability κ, else that of ∇F(x_t) (Assumption 5)"

HYPOTHESES = (
    *(elements.UNBIASED, *elements.SAMPLES, stale_bias.STALE_MEAN, stale_bias.SIZE),
    *(setting.STEPSIZE, setting.SHARE),
    Hypothesis(
        "elements",
        _SAYS,
        prover.eq(E_T.of(elements.DRAWN @ _P), (1 - kappa) * _P**2 + kappa * (_S @ _P)),
    ),
    Hypothesis(
        "elements, squared",
        _SAYS,
        prover.eq(E_T.of(elements.DRAWN**2), (1 - kappa) * _P**2 + kappa * _S**2),
    ),
    Hypothesis("off", "b = ∇F(x_t) − s", prover.eq(OFF**2, (_P - _S) ** 2)),
    Hypothesis("old", "fresh now, stale next", prover.eq(OLD_NEXT.position**2, _P**2)),
    PASS,
    Hypothesis(
        "first update",
        "only its fresh elements, a share 1 − κ on average, move",
        prover.le(Q(0), (1 - kappa) * V2),
    ),
    Hypothesis("first gradient", "‖∇F(x_0)‖² ≤ V₂ (Assumption 2)", prover.le(S(0), V2)),
    *(setting.START, BOUNDED),
)

draft = setting.along(
    theorem("sapipe.thm-2-first-pass", "Theorem 2, the first iteration passes"),
    {B: OFF**2, U: _S**2, Q: G**2},
    [(stale_bias.OFF_NOW, stale_bias.OFF_NEXT), (OLD, OLD_NEXT)],
    (LOWEST,),
)
setting.assuming(draft, *HYPOTHESES)
draft.cite(workers.THEOREM)
draft.have(_SPARE >= 0, "small")
draft.have(1 - kappa >= 0, "part")
draft.have(1 - 4 * kappa * _A * _SPARE >= 0, "quarter")
draft.have(
    _SPARE + kappa * _A**3 * (1 + kappa + sympy.Rational(2, 3) * _SPARE) - kappa * _A >= 0,
    "enough",
    by=Sign(("small", "part")),
)
draft.have(B(t + 1) <= L**2 * eta**2 * Q(t), "away")
draft.have(Q(t) <= V2, "size, total")
draft.have(Q(t + 1) <= V2, "size, next", by=Everywhere("size, total", {t: t + 1}))
draft.have(
    F(t + 1) - eta / 2 * kappa * _SPARE * U(t + 1)
    <= F(t)
    - eta / 2 * kappa * _SPARE * U(t)
    - eta / 2 * (1 + _SPARE) * S(t)
    + eta / 2 * kappa * B(t)
    + eta / 2 * _A * V1 / n,
    "potential",
)
draft.have(_P**2 / (2 * L) <= X.value - F_STAR, "height", says="‖∇F‖² ≤ 2L(F − F(x_*))")
draft.have(_S**2 <= 4 * _P**2 + sympy.Rational(4, 3) * OFF**2, "near")
draft.have(S(m + 2) / (2 * L) <= F(m + 2) - F_STAR, "last")
_EACH = 2 / (eta * (m + 2) * (1 + _SPARE))
_WEIGHT = eta / 2 * kappa * _SPARE
_BIAS = kappa * _EACH * eta / 2
TERMS = {
    "optimization": 2 * R0 / (eta * (m + 2)),
    "staleness": kappa * ERR_0,
    "variance": _A * V1 / n,
}
CLAIM = THEOREM = draft.shows(
    (total(S(t), t, m) + S(m) + S(m + 1)) / (m + 2) <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            **dict.fromkeys(("potential, summed to m", "potential, at m"), _EACH),
            **dict.fromkeys(("potential, at m + 1", "last"), _EACH),
            "start": 2 / (eta * (m + 2)),
            "height, each t, at 0": _EACH * _SPARE,
            "near, each t, at m + 2": _EACH * _WEIGHT,
            "quarter": _EACH * S(m + 2) / (2 * L),
            **dict.fromkeys(("away, summed to m", "away, at m", "pass"), _BIAS),
            "away, at m + 1": _BIAS * sympy.Rational(4, 3) * _SPARE,
            "size, total, at m + 1": _BIAS * sympy.Rational(4, 3) * _SPARE * _A**2,
            "size, next, summed to m": _BIAS * _A**2,
            "first update": _BIAS * _A**2,
            "first gradient": _BIAS * _A**2 * (1 + kappa + sympy.Rational(2, 3) * _SPARE),
            "enough": _EACH * S(0) / (2 * L),
        },
        plus=(
            _EACH * _WEIGHT * U(0),
            _EACH * eta / 2 * _SPARE * (m + 2) * _A * V1 / n,
            _BIAS * _A**2 * V2 * _SPARE * m,
        ),
        domain=("small", "part"),
    ),
    says="For vanilla SAPipe with η ≤ 1/L whose stale elements, drawn with probability κ, use "
    "samples of their own and are left as they are in the first update, the mean over t < T "
    "of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + κL²η²V₂ + LηV₁/n for every T ≥ 2.",
)
