"""What (3) gives at the stepsizes of Corollary B.1, and at better ones.

Problem    As in Theorem 4.1.
Method     RPD with γ = γ₂ = √(2Δ/(LG²K)), which balances the first two terms of (3); with γ = q,
           q³ = 2pΔ/(KL²τ²G²), which balances the first and the third; with γ = 1/L.
Guarantee  2√2 pG√(LΔ/K) + 2LΔτ²/K, or a better second term. With g² = 2LΔ/K, γ = 1/L ≤ γ₂ means
           G ≤ g.
Source     RPD paper, Corollary B.1, branch by branch; the better ones are ours.
"""

import sympy

from theory.claims import Formulas
from theory.kernel import Hypothesis, Theorem, eq, le
from theory.notation import equal, named, positive, theorem
from theory.papers.rpd.lemmas import any_gradient
from theory.papers.rpd.method import AVERAGE, F_STAR, SEQUENCES, SMOOTH, S, f, k, x
from theory.papers.rpd.stepsize import ANY_STEPSIZE
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, p, tau

GAMMA_2 = sympy.sqrt(2 * Delta / (L * G**2 * K))
SMALLEST = sympy.sqrt(2 * L * Delta / K)
"""g."""
PRINTED: Formulas = {
    "rate": 2 * sympy.sqrt(2) * p * G * sympy.sqrt(L * Delta / K),
    "staleness": 2 * L * Delta * tau**2 / K,
}
"""Corollary B.1."""

BALANCED = positive("q")
_STALE = L**2 * tau**2 * G**2

BETTER: Formulas = {"rate": PRINTED["rate"], "staleness": 2 * _STALE * BALANCED**2}
"""At γ = min{γ₂, q}; the second term is 2 (2pLΔτG/K)^(2/3)."""

_IS_GAMMA_2 = Hypothesis("stepsize", "γ is γ₂", eq(gamma, GAMMA_2))
_IS_INVERSE = Hypothesis("stepsize", "γ is 1/L", eq(gamma, 1 / L))
CUBE = Hypothesis("balance", "q³ is 2pΔ/(KL²τ²G²)", eq(BALANCED**3 * _STALE * K, 2 * p * Delta))


def _by_theorem_4_1(name: str, when: str, terms: Formulas, *hypotheses: Hypothesis) -> Theorem:
    """A corollary of (3), which holds for every γ > 0."""
    T = theorem(f"rpd.cor-b1-{name}", "ours", f)
    T.cite(ANY_STEPSIZE, name="(3)", says="(3), for every γ > 0")
    for one in hypotheses:
        T.assume(one)
    says = f"Corollary B.1 where {when}."
    return T.shows(AVERAGE <= sympy.Add(*terms.values()), terms, says=says)


SECOND = _by_theorem_4_1("second", "γ is γ₂, for every K", PRINTED, _IS_GAMMA_2)

NEAR = _by_theorem_4_1(
    "near",
    "γ is 1/L ≤ γ₂ and p(g − G) ≤ τ²(g + G)",
    PRINTED,
    _IS_INVERSE,
    Hypothesis("branch", "1/L ≤ γ₂, that is G ≤ g", le(G, SMALLEST)),
    Hypothesis("near", "the delay is large", le(p * (SMALLEST - G), tau**2 * (SMALLEST + G))),
)

T = theorem("rpd.cor-b1-far", "ours", f)
T.along(k)
T.cite(any_gradient.THEOREM)
T.sequences({S: SEQUENCES[S]})
T.assume(_IS_INVERSE)
T.assume(tau**2 * (SMALLEST + G) <= p * (SMALLEST - G), "far", "the delay is small")
FAR = T.shows(
    AVERAGE <= sympy.Add(*PRINTED.values()),
    PRINTED,
    says="Corollary B.1 where γ is 1/L ≤ γ₂ and p(g − G) ≥ τ²(g + G).",
)

_DOWN = named("x₁", x - f.grad(x) / L)
"""One step of gradient descent from x."""

T = theorem("rpd.cor-b1-still", "ours", f)
T.along(k)
T.assume(SMOOTH)
T.assume(F_STAR <= f(_DOWN), "least", "f is at least f* everywhere")
T.assume(equal(f(x), F_STAR + Delta), "still", "x^k is x⁰, and Δ is f(x⁰) − f*")
T.assume(equal(Delta, 0), "no gap", "Δ is 0")
T.sequences({S: SEQUENCES[S]})
T.have(f.grad(x) ** 2 <= 2 * L * Delta, says="‖∇f(x)‖² ≤ 2L(f(x) − f*)")
STILL = T.shows(
    AVERAGE <= sympy.Add(*PRINTED.values()),
    PRINTED,
    says="Corollary B.1 where Δ is 0, so that γ is 0 and x^k stays at the minimizer x⁰.",
)

_SECOND_IS = "γ = γ₂ (that is, γ₂ ≤ 1/L; the proof takes any K)"
_NEAR_IS = "γ = 1/L ≤ γ₂ and p(g − G) ≤ τ²(g + G)"
_FAR_IS = "γ = 1/L ≤ γ₂ and p(g − G) ≥ τ²(g + G)"
_STILL_IS = "Δ = 0, where γ is 0"

BRANCHES = {_SECOND_IS: SECOND, _NEAR_IS: NEAR, _FAR_IS: FAR, _STILL_IS: STILL}
"""The last is the quickest to try edited terms on."""
CONDITIONS = {
    _SECOND_IS: ("stepsize",),
    _NEAR_IS: ("stepsize", "branch", "near"),
    _FAR_IS: ("stepsize", "far"),
    _STILL_IS: ("no gap",),
}
"""By which hypotheses each branch applies."""
INSTANCES = {
    _FAR_IS: ("component blocks", "mean of components", "gradient by blocks"),
    _STILL_IS: ("least", "still"),
}
"""Instances of the corollary's assumptions that only one branch needs."""

BETTER_AT_GAMMA_2 = _by_theorem_4_1(
    "better-at-gamma-2",
    "γ is γ₂ ≤ q, with a better second term",
    BETTER,
    _IS_GAMMA_2,
    Hypothesis("less", "γ₂ ≤ q", le(gamma, BALANCED)),
)

BETTER_AT_Q = _by_theorem_4_1(
    "better-at-q",
    "γ is q ≤ γ₂, with a better second term",
    BETTER,
    Hypothesis("stepsize", "γ is q", eq(gamma, BALANCED)),
    CUBE,
    Hypothesis("less", "q ≤ γ₂", le(gamma, GAMMA_2)),
)
