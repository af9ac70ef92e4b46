"""The bias of gradients that are one update old: L²η²V₂ in every iteration but the first.

Problem    F is L-smooth, E‖g‖² ≤ V₂: a mixture of fresh and stale elements is no longer on average
           over the drawn elements, and not for every draw (see `lemmas.thm_2_mixture`).
Method     x_{t+1} = x_t − ηg; b is ∇F(x_t) − ∇F(x_{t−1}), or a part of it.
Guarantee  Σ_{1≤t≤T} E‖b‖² ≤ T·L²η²V₂, which Theorem 2 calls T·Err₀.
Source     SAPipe paper, appendix A, proof of Theorem 2.
"""

from dataclasses import replace

import sympy

from theory.judging import prover
from theory.kernel import Hypothesis, Point, lipschitz, point, vector
from theory.notation import theorem, total
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import thm_2_mixture

V2, L, T, eta, t, E_T, NEXT, OFF, B = setting.letters("V2 L T eta t E_T NEXT OFF B")
G, X, ERR_0 = setting.letters("G X ERR_0")

WHERE = thm_2_mixture.PROOF

OFF_NOW = point("b", "off")
"""b as a thing that another follows."""

OFF_NEXT = Point(vector("b⁺"), sympy.Symbol("off(b⁺)", real=True), vector("∇off(b⁺)"), "off")
"""b of the next iteration."""

STALE_MEAN = Hypothesis(
    "stale",
    "in the next iteration stale elements have the mean ∇F(x_t), so that b is "
    "∇F(x_{t+1}) − ∇F(x_t), or a part of it",
    prover.le(OFF_NEXT.position**2, (NEXT.gradient - X.gradient) ** 2),
)
SIZE = Hypothesis(
    "size",
    "stochastic gradients have squared norms of at most V₂ (Assumption 2); so has g on average "
    "over its elements",
    prover.le(E_T.of(G**2), V2),
)
AT_REST = Hypothesis(
    "at rest", "x_{−1} is x_0: stale elements of the first update have no bias", prover.eq(B(0), 0)
)

draft = setting.along(
    theorem("sapipe.stale-bias", f"{WHERE}, the error of the gradient estimation"),
    {B: OFF**2},
    [(OFF_NOW, OFF_NEXT)],
)
setting.assuming(draft, STALE_MEAN, SIZE)
draft.have(lipschitz(L, NEXT, X), where=f"{WHERE}, L-smoothness")
draft.have(
    OFF_NEXT.position**2 <= L**2 * eta**2 * G**2,
    says="the update in place of x_{t+1} − x_t",
    where=f"{WHERE}, the line after L-smoothness",
)
draft.have(B(t + 1) <= ERR_0)
THEOREM = draft.shows(
    total(B(t), t, T) + B(T) - B(0) <= T * ERR_0,
    {"stale": T * ERR_0},
    says="The sum over 1 ≤ t ≤ T of E‖∇F(x_t) − ∇F(x_{t−1})‖² is at most T·L²η²V₂, for L-smooth F "
    "and updates of mean square at most V₂.",
)


def _account(printed: prover.Formulas) -> prover.Account:
    return thm_2_mixture.with_line(prover.account(THEOREM, printed))


CLAIM = replace(prover.as_claim(THEOREM), account=_account)
