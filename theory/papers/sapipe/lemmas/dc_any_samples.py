"""Theorem 3 as printed, whatever samples stale elements have and whatever a compensation sees.

Problem    Assumptions 1, 2, 4 (of every drawn batch) and 6, ληV₂ ≤ 1 − 1/√2, η ≤ 1/L. The least L
           is at most 2Δ (`assumption_4_gradient`), and the variance of g at most V₂; the printed
           bound grows with L and V₁, so that it is enough to show it for the least of each.
Method     that of `dc_mixed_steps`. The noise n of stale elements may be in x_t, on elements that
           were fresh then (Algorithm 1), or not be in it (samples of their own). In the first
           update stale elements are left as they are, or start from rest.
Guarantee  2R₀/(ηT) + κ(32η²(1 − λ)²L²V₂ + 32η²λ²Δ²V₂) + (1 + κ)Lην for every T ≥ 1 and
           0 ≤ κ ≤ 1. Assumption 4 makes ‖c‖² ≤ Δ, so that the bracket is at least
           (32/5)L²η²V₂: this pays for samples that are used twice and for the first update.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Operator, Sign, point, vector
from theory.notation import theorem, total
from theory.papers.sapipe import setting
from theory.papers.sapipe.dc_method import LAST, THIS, U
from theory.papers.sapipe.lemmas import dc_first_update, dc_mixed_steps
from theory.papers.sapipe.lemmas.dc_mixed_steps import E_T, compensated, on_stale

R0, V2, Delta, L, eta, kappa, lambda_, t = setting.letters("R0 V2 Delta L eta kappa lambda_ t")
F_STAR, NEXT, F, G, S, X, nu = setting.letters("F_STAR NEXT F G S X nu")
m, AGO, NOISE, FRESH, SLOPE_K, AGO_K, NOISE_K, OUTER, STALE, SIZE, LENGTH = dc_mixed_steps.letters(
    "m AGO NOISE FRESH SLOPE_K AGO_K NOISE_K OUTER STALE SIZE LENGTH"
)

FIRST = sympy.Symbol("S0", nonnegative=True)
"""‖∇F(x_0)‖²."""

KEPT, BEFORE = vector("D"), point("y", "F")
"""The part of n that is in x_t, and x_t without it."""

E_S = Operator(
    "E_s",
    (
        *("n⁻", "D", "y", "F(y)", "∇F(y)", "x", "F(x)", "∇F(x)", "s", "F(x⁻)"),
        *("g⁻", "step(g⁻)", "∇step(g⁻)", *E_T.random),
    ),
    law="run",
)
"""Expectation over the update before too."""

N, P, W = (sympy.Function(name, real=True) for name in ("N", "P", "W"))
"""Total expectations by iteration: ‖n‖², ⟨∇F(x_t), n⟩ and ⟨s, n⟩."""

_P, _S = X.gradient, AGO.gradient
_A = L * eta
_SPARE = 1 - _A
_HALF = sympy.Rational(1, 2)

HYPOTHESES = (
    Hypothesis(
        "elements",
        "an element of g is that of the fresh gradient or of the compensated one (Assumption 5)",
        prover.eq(E_T.of(G @ _P), (1 - kappa) * _P**2 + E_T.of(STALE @ SLOPE_K)),
    ),
    on_stale("⟨∇F, ∇F⟩", SLOPE_K, SLOPE_K, _P, _P),
    on_stale("⟨∇F, s⟩", SLOPE_K, AGO_K, _P, _S),
    on_stale("⟨∇F, n⟩", SLOPE_K, NOISE_K, _P, NOISE),
    Hypothesis("fresh noise", "fresh samples are unbiased", prover.eq(E_T.of(FRESH @ _P), 0)),
    Hypothesis(
        "fresh variance", "their mean has variance at most ν", prover.le(E_T.of(FRESH**2), nu)
    ),
    Hypothesis("short", "‖c‖² ≤ Δ (sapipe.assumption-4-gradient)", prover.le(SIZE, Delta)),
    Hypothesis("noise, s", "n was drawn after x_{t−1}", prover.eq(E_S.of(NOISE @ _S), 0)),
    Hypothesis(
        "noise, y",
        "the samples are unbiased and independent of y, which they are not in",
        prover.eq(E_S.of(NOISE @ BEFORE.gradient), 0),
    ),
    Hypothesis("noise", "n has variance at most ν", prover.le(E_S.of(NOISE**2), nu)),
    Hypothesis(
        "moved",
        "x = y − ηD",
        prover.eq((X.position - BEFORE.position) ** 2, eta**2 * KEPT**2),
    ),
    Hypothesis(
        "kept",
        "D is n on the elements that were fresh, a share 1 − κ, or 0 for samples of their own",
        prover.le(E_S.of(KEPT**2), (1 - kappa) * E_S.of(NOISE**2)),
    ),
    Hypothesis("curvature", "L ≤ 2Δ (sapipe.assumption-4-gradient)", prover.le(L, 2 * Delta)),
    Hypothesis("variance", "ν ≤ V₂: no variance is more than E‖g‖²", prover.le(nu, V2)),
    Hypothesis(
        "first update",
        f"stale elements are left as they are, or start from rest ({dc_first_update.THEOREM.id})",
        prover.le(F(0), F_STAR + R0 - eta / 2 * (1 - kappa) * (2 - _A) * FIRST + eta / 2 * _A * nu),
    ),
    Hypothesis("first gradient", "‖∇F(x_0)‖² ≤ V₂ (Assumption 2)", prover.le(FIRST, V2)),
    Hypothesis(
        "height", f"‖∇F(x_0)‖² ≤ 2LR₀ ({dc_first_update.HEIGHT.id})", prover.le(FIRST, 2 * L * R0)
    ),
    Hypothesis("lower bound", "F ≥ F(x_*) (Assumption 6)", prover.le(F_STAR, F(m))),
    setting.STEPSIZE,
)

_MISSED = SLOPE_K - AGO_K - lambda_ * OUTER
"""By how much the compensated gradient without n misses, on the stale elements."""

_OFF, _ADDED = sympy.Rational(3, 2) * (2 - _A), 3 * (2 - _A) + 2 * _A
_PROGRESS = (3 - _A) / 2
_ERROR = _OFF * L**2 + _ADDED * lambda_**2 * Delta**2

draft = setting.along(
    theorem("sapipe.dc-any-samples"),
    {U: LAST.position**2, N: NOISE**2, P: NOISE @ _P, W: NOISE @ _S},
    [(LAST, THIS)],
    (AGO, BEFORE),
)
setting.assuming(draft, *dc_mixed_steps.HYPOTHESES, *HYPOTHESES)
draft.cite(dc_mixed_steps.THEOREM, {m: t}, name="length")
draft.have(_SPARE >= 0, "small step", by=Combine({"stepsize": L}))
draft.have(1 - kappa >= 0, "part", by=Combine({"share": 1}))
draft.have(
    -2 * (STALE @ SLOPE_K) + _A * STALE**2
    <= -_PROGRESS * SLOPE_K**2
    + _OFF * (SLOPE_K - AGO_K) ** 2
    + _ADDED * lambda_**2 * OUTER**2
    + 3 * _HALF * _A * NOISE_K**2
    - 2 * (NOISE_K @ SLOPE_K)
    + 2 * _A * (NOISE_K @ AGO_K),
    "stale",
    by=Combine(
        squares=(
            (_SPARE / 2, SLOPE_K - 2 * _MISSED),
            ((2 - _A) / 2, SLOPE_K - AGO_K + 2 * lambda_ * OUTER),
            (_A / 2, NOISE_K - 2 * lambda_ * OUTER),
        ),
        domain=("small step",),
    ),
)
draft.have((_P - _S) ** 2 <= L**2 * LENGTH, "off")
compensated(draft, "compensated", "short", Delta)
draft.have(
    E_T.of(NEXT.value)
    <= X.value
    - eta / 2 * ((1 - kappa) * (2 - _A) + kappa * _PROGRESS) * _P**2
    + eta / 2 * (1 - kappa) * _A * nu
    + eta / 2 * kappa * _ERROR * LENGTH
    + 3 * eta / 4 * kappa * _A * NOISE**2
    - eta * kappa * (NOISE @ _P)
    + eta * kappa * _A * (NOISE @ _S),
    "one update",
    by=Combine(
        {
            "E_t[descent, x to x⁺]": 1,
            "elements": -eta,
            "elements, squared": _A * eta / 2,
            "fresh noise": _A * eta * (1 - kappa),
            "fresh variance": _A * eta / 2 * (1 - kappa),
            "E_t[stale]": eta / 2,
            "⟨∇F, ∇F⟩": eta / 2 * (_OFF - _PROGRESS),
            "⟨∇F, s⟩": -eta * _OFF,
            "⟨∇F, n⟩": -eta,
            "⟨s, s⟩": eta / 2 * _OFF,
            "⟨s, n⟩": eta * _A,
            "⟨n, n⟩": 3 * eta / 4 * _A,
            "compensated": eta / 2 * _ADDED * lambda_**2,
            "off": eta / 2 * kappa * _OFF,
        },
        domain=("small step", "part"),
    ),
)
draft.have(
    -2 * (NOISE @ (_P - BEFORE.gradient)) <= _A * NOISE**2 + _A * KEPT**2,
    "together",
    by=Combine(
        {"lipschitz, x to y": 1 / _A, "moved": L / eta},
        squares=((1 / _A, _A * NOISE + _P - BEFORE.gradient),),
    ),
    says="by Young's inequality",
)
draft.have(
    -2 * E_S.of(NOISE @ _P) <= _A * (2 - kappa) * nu,
    "correlation",
    by=Combine(
        {"E_s[together]": 1, "noise, y": -2, "kept": _A, "noise": _A * (2 - kappa)},
        domain=("part",),
    ),
)
draft.have(
    F(t + 1)
    <= F(t)
    - eta / 2 * _PROGRESS * S(t)
    + eta / 2 * kappa * eta**2 * _ERROR * U(t)
    + eta / 2 * _A * nu * (1 + kappa / 2 + kappa * (2 - kappa)),
    "descent",
    by=Combine(
        {
            "one update, each t": 1,
            "correlation, each t": eta / 2 * kappa,
            "noise, each t": 3 * eta / 4 * kappa * _A,
            "noise, s, each t": eta * kappa * _A,
            "part": eta / 4 * _SPARE * S(t),
        },
        domain=("small step",),
    ),
)
_PAID = (1 - lambda_) ** 2 * L**2 + lambda_**2 * Delta**2
_BUDGET, _LEFT = 16 * (3 - _A), sympy.Rational(3, 2) - kappa
draft.have(
    (1 + kappa) * _ERROR + _LEFT * L**2 <= _BUDGET * _PAID,
    "enough",
    by=Combine(
        {
            "curvature": sympy.Rational(11, 4) * (3 - _A) * lambda_**2 * (2 * Delta + L),
            "part": L**2 * (2 - 2 * _A / 3) + lambda_**2 * Delta**2 * (6 - _A),
            "small step": 3 * lambda_**2 * Delta**2,
        },
        squares=((sympy.Rational(75, 4) * (3 - _A) * L**2, lambda_ - sympy.Rational(64, 75)),),
        plus=(sympy.Rational(9, 50) * (3 - _A) * L**2, sympy.Rational(5, 6) * _A * kappa * L**2),
        domain=("small step",),
    ),
)
draft.have(
    L**2 / 5 <= _PAID,
    "at least",
    by=Combine(
        {"curvature": lambda_**2 * (2 * Delta + L) / 4},
        squares=((sympy.Rational(5, 4) * L**2, lambda_ - sympy.Rational(4, 5)),),
    ),
)
draft.have(_PROGRESS <= _SPARE / (2 * _A) + _BUDGET * _A**2 / 5, "paid", by=Sign(("small step",)))
_EACH = 1 / (_PROGRESS * (m + 1))
TERMS = {
    "optimization": 2 * R0 / (eta * (m + 1)),
    "uncompensated": 32 * kappa * eta**2 * (1 - lambda_) ** 2 * L**2 * V2,
    "outer product": 32 * kappa * eta**2 * lambda_**2 * Delta**2 * V2,
    "variance": (1 + kappa) * _A * nu,
}
CLAIM = THEOREM = draft.shows(
    (FIRST + total(S(t), t, m)) / (m + 1) <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            **dict.fromkeys(
                ("descent, summed to m", "lower bound", "first update"), 2 * _EACH / eta
            ),
            "length, summed to m": kappa * eta**2 * _ERROR * _EACH,
            "enough": kappa * eta**2 * V2 * m * _EACH,
            "variance": kappa * _LEFT * _A**2 * m * _EACH,
            "at least": kappa * eta**2 * V2 * _BUDGET * _EACH,
            "height": _SPARE / (2 * _A) * _EACH,
            "first gradient": kappa * _BUDGET * _A**2 / 5 * _EACH,
            "paid": kappa * FIRST * _EACH,
            "part": (_SPARE / 2 + _SPARE / (2 * _A)) * FIRST * _EACH,
        },
        plus=(
            m * _EACH * _A * nu * _SPARE / 4,
            m * _EACH * _A * nu * _SPARE * (kappa - _HALF) ** 2,
            _EACH * _A * nu * (_SPARE / 2 + kappa * _PROGRESS),
        ),
        domain=("small step", "part"),
    ),
    says="For SAPipe-DC with ληV₂ ≤ 1 − 1/√2, η ≤ 1/L, L ≤ 2Δ and ν ≤ V₂, ν being a bound of the "
    "variance of g, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
    "κ(32η²(1 − λ)²L²V₂ + 32η²λ²Δ²V₂) + (1 + κ)Lην for every T ≥ 1 and 0 ≤ κ ≤ 1, whatever "
    "samples stale elements have.",
)
