"""The first update of SAPipe, whose stale elements are left as they are, or start from rest.

Problem    F is L-smooth and at least F(x_*) everywhere; the fresh noise ξ has variance at most ν.
Method     an element moves with probability θ, 1 − κ or 1, by the fresh gradient.
Guarantee  E F(x_1) ≤ F(x_0) − (η/2)(1 − κ)(2 − Lη)‖∇F(x_0)‖² + (Lη²/2)ν for 1 − κ ≤ θ ≤ 1, and
           ‖∇F(x_0)‖² ≤ 2L(F(x_0) − F(x_*)).
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine
from theory.notation import function, theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import dc_mixed_steps, same_samples

L, eta, kappa, nu, F_STAR, NEXT, G, X = setting.letters("L eta kappa nu F_STAR NEXT G X")
E_T, FRESH = dc_mixed_steps.letters("E_T FRESH")

theta = sympy.Symbol("theta", nonnegative=True)
"""The share of the elements that move."""

_P = X.gradient
_MOVE = "an element moves with probability θ, whatever the samples"
_A = L * eta

draft = theorem("sapipe.dc-first-update", "ours", function("F", X, NEXT))
draft.assume(setting.SMOOTH)
draft.assume(prover.eq(E_T.of(G @ _P), theta * _P**2), "elements", _MOVE)
draft.assume(prover.eq(E_T.of(G**2), theta * E_T.of((_P + FRESH) ** 2)), "elements, squared", _MOVE)
draft.assume(prover.eq(E_T.of(FRESH @ _P), 0), "fresh noise", "samples are unbiased")
draft.assume(E_T.of(FRESH**2) <= nu, "fresh variance", "their mean has variance at most ν")
draft.assume(1 - kappa <= theta, "fresh", "fresh elements move")
draft.assume(theta <= 1, "all", "at most all do")
draft.assume(setting.STEPSIZE)
draft.have(1 - _A >= 0, "small step")
_PROGRESS = eta / 2 * (2 - _A) * _P**2
TERMS = {"value": X.value, "progress": -(1 - kappa) * _PROGRESS, "variance": eta / 2 * _A * nu}
CLAIM = THEOREM = draft.shows(
    E_T.of(NEXT.value) <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            "E_t[descent, x to x⁺]": 1,
            "elements": -eta,
            "elements, squared": _A * eta / 2,
            "fresh noise": _A * eta * theta,
            "fresh variance": _A * eta / 2 * theta,
            "fresh": _PROGRESS,
            "all": eta / 2 * _A * nu,
        },
        domain=("small step",),
    ),
    says="With η ≤ 1/L the first update of SAPipe, in which a share of at least 1 − κ of the "
    "elements moves, has E F(x_1) ≤ F(x_0) − (η/2)(1 − κ)(2 − Lη)‖∇F(x_0)‖² + (Lη²/2)ν.",
)

height = theorem("sapipe.height", "ours", function("F", X, same_samples.LOWEST))
height.assume(setting.SMOOTH)
height.assume(same_samples.BOUNDED)
HEIGHT = height.shows(
    _P**2 <= 2 * L * (X.value - F_STAR), says="‖∇F(x)‖² ≤ 2L(F(x) − F(x_*)) for L-smooth F."
)
