"""The last chain of the proof of Theorem 4, for workers whose gradients are all at one point.

Problem    ζ_i, the noise of worker i, is uncorrelated with the others' and E‖ζ_i‖² ≤ V₁.
Method     g_i is ∇F_i(x) + ζ_i at one point x for all i: so the chain is written, though every
           worker has a prediction of its own, and its equality is an inequality.
Guarantee  (1/n) Σ_i E‖g − g_i‖² ≤ (1/n) Σ_i ‖∇F(x) − ∇F_i(x)‖² + 2V₁, and half of 2V₁ does.
Source     SAPipe paper, appendix A, proof of Theorem 4.
"""

from theory.judging import prover
from theory.kernel import Combine
from theory.kernel.prove import Proof
from theory.notation import function, theorem
from theory.papers.sapipe import setting, wp_1_method
from theory.papers.sapipe.lemmas import wp_1_noise

V1, V2, n, rho, E_T, X = setting.letters("V1 V2 n rho E_T X")
AVG, HERE, PROOF = wp_1_method.letters("AVG HERE PROOF")

WHERE = f"{PROOF}, the upper bound, lines 4 and 5"
_DIVERSE = HERE.gradient - X.gradient
_NOISY = wp_1_noise.APART
_LAST = (rho / n - 1) * (V2 - V1) + 2 * V1

draft = theorem("sapipe.wp-1-one-point", WHERE, function("F", X), function("F_i", HERE))
draft.cite(wp_1_noise.THEOREM)
draft.assume(
    prover.eq(E_T.of(_NOISY @ _DIVERSE), 0),
    "no tilt",
    "ζ_i has the mean 0 given the past (Assumption 2, taken with ∇F_i(x) − ∇F(x))",
)
draft.have(
    prover.eq(_LAST, (rho / n - 1) * V2 + (3 - rho / n) * V1),
    says="(ρ/n − 1)(V₂ − V₁) + 2V₁ = (ρ/n − 1)V₂ + (3 − ρ/n)V₁",
    where=f"{PROOF}, the upper bound, line 9",
    by=Combine(),
)
TERMS = {"diversity": AVG.of(_DIVERSE**2), "noise": 2 * V1}
THEOREM = draft.shows(
    wp_1_noise.expected((_DIVERSE + _NOISY) ** 2) <= sum(TERMS.values()),
    TERMS,
    says="For gradients of n workers at one point x, the mean over i of E‖g − g_i‖² is at most the "
    "mean of ‖∇F(x) − ∇F_i(x)‖² plus 2V₁.",
)


def remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    """That the noise counts at most half."""
    if not prover.proves(proof, wp_1_noise.THEOREM):
        return ()
    return (
        prover.Finding(
            "loose",
            WHERE,
            "a worker's noise is part of the mean noise, and what they share is taken off: "
            "(1 − 1/n)V₁ does for 2V₁, and for n = 1 nothing is left",
            {"n": 1, "printed": str(2 * V1), "repaired": "0"},
            repaired=prover.Repair.by(wp_1_noise.THEOREM),
        ),
    )


CLAIM = prover.as_claim(THEOREM, remarks=remarks)
