"""SGD with n workers and no stale element: what Theorem 2 says for κ = 0.

Problem    F is L-smooth and at least F(x_*); every worker's gradient has variance at most V₁.
Method     x_{t+1} = x_t − ηg, g the mean of the gradients of n independent workers at x_t.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + LηV₁/n for η ≤ 1/L.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.notation import theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import workers

V1, L, eta, kappa, n, t, AVERAGE, E_T = setting.letters("V1 L eta kappa n t AVERAGE E_T")
F, G, S, X, OPTIMIZATION, VAR_0 = setting.letters("F G S X OPTIMIZATION VAR_0")

draft = setting.assuming(
    setting.along(theorem("sapipe.sgd")), setting.START, setting.LOWER, setting.STEPSIZE
)
draft.assume(
    prover.eq(E_T.of(G @ X.gradient), X.gradient**2),
    "unbiased",
    "the mean of g given the past is ∇F(x_t) (Assumption 2)",
)
draft.assume(
    prover.eq(E_T.of((G - X.gradient) ** 2), E_T.of(workers.MEAN_NOISE**2)),
    "of the workers",
    "g − ∇F(x_t) is the mean ξ of the workers' noises",
)
draft.cite(workers.THEOREM)
draft.have(F(t + 1) <= F(t) - eta / 2 * S(t) + L * eta**2 * V1 / (2 * n))
TERMS = {"optimization": OPTIMIZATION, "variance": VAR_0}
CLAIM = THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="For SGD with n workers and η ≤ 1/L the mean over t < T of E‖∇F(x_t)‖² is at most "
    "2R₀/(ηT) + LηV₁/n for every T ≥ 1.",
)


def nothing_predicted(printed: prover.Formulas) -> tuple[prover.Ground, ...]:
    """Why a bound holds for κ = 0, where every method is SGD, if it says the same there.

    Examples
    --------
    >>> same, _ = nothing_predicted({"all": sympy.Add(*THEOREM.terms.values()) + kappa})
    >>> same.holds
    True
    """
    stated = sympy.Add(*printed.values()).subs(kappa, 0)
    same = sympy.simplify(stated - sympy.Add(*THEOREM.terms.values())) == 0
    return prover.Compared(
        "for κ = 0 it is the bound of SGD", "sympy.simplify", bool(same)
    ), THEOREM
