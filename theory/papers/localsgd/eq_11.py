"""(11): convergence of LocalSGD after Yu et al., for every stepsize.

Problem    f and every f_r are L-smooth; stochastic gradients have variance at most σ² and second
           moment at most G̃².
Method     LocalSGD with N replicas, averaged after every H local steps, γ ≤ 1/L.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2Δ/(γT) + 4γ²H²G̃²L² + Lγσ²/N.
Source     RPD paper, appendix D, (11), which is cited there; the proof here is ours. It drops
           nothing at γ > 1/L, since Lγ − 1 ≤ L²γ²/4 and the mean of the replicas' gradients is at
           most G̃ long: the slack of 4H² over (H − 1)² pays for it.
"""

from collections.abc import Mapping

import sympy

from theory.judging import prover
from theory.kernel import Proof, Theorem
from theory.notation import theorem
from theory.papers.localsgd.lemmas import homogeneous_eq_11, mean_gradient, sharp_drift, sharp_eq_11
from theory.papers.localsgd.method import AVERAGE, STEPSIZE, f, f_r
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Gt, H, L, N, gamma

T = theorem("localsgd.eq-11", "appendix D, (11)", f, f_r)
T.assume(sharp_eq_11.PERIODS)
sharp_eq_11.run(T, sharp_drift.THEOREM)
T.cite(mean_gradient.THEOREM)
T.assume(STEPSIZE)
TERMS = sharp_eq_11.TERMS | {"drift": 4 * gamma**2 * H**2 * Gt**2 * L**2}
THEOREM = T.shows(
    AVERAGE <= sympy.Add(*TERMS.values()),
    TERMS,
    *("step, summed to T", "localsgd.mean-gradient, each t, summed to T", "start", "lower bound"),
    says="With γ ≤ 1/L, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "2Δ/(γT) + 4γ²H²G̃²L² + Lγσ²/N for LocalSGD with N replicas that are averaged after every H "
    "local steps.",
)


def _loose(
    says: str, sharp: Theorem, at: Mapping[sympy.Symbol, int], proof: Proof
) -> tuple[prover.Finding, ...]:
    """What the drift term says beyond need, and where that is all of it; if both are proved."""
    if not prover.proves(proof, sharp):
        return ()
    terms = {"printed": THEOREM.terms["drift"], "repaired": sharp.terms["drift"]}
    finding = prover.Finding(
        "loose",
        THEOREM.where,
        says,
        {
            **{str(symbol): number for symbol, number in at.items()},
            **{f"drift term {name}": str(term.subs(at)) for name, term in terms.items()},
        },
        shown=(proof, sharp),
        repaired=prover.Repair.by(sharp),
    )
    return (finding,)


def _remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    return (
        *_loose(
            "replicas that are averaged after every step (H = 1) do not drift at all, and in "
            "between only the mean of their ‖x_r − x̄‖² enters: (H − 1)² does for 4H²",
            sharp_eq_11.THEOREM,
            {H: 1},
            proof,
        ),
        *_loose(
            "where all replicas share one function, as in the paper, they drift less by the factor "
            "1 − 1/N: a single one has nothing to drift from",
            homogeneous_eq_11.THEOREM,
            {N: 1},
            proof,
        ),
    )


CLAIM = prover.as_claim(
    THEOREM, challenge=CHALLENGES["localsgd-average-gradient"], remarks=_remarks
)
