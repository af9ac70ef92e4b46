"""The stale distance in expectation, under the uniform draws of Assumption B.1.

Problem    Block gradients have norm at most G; blocks are drawn uniformly.
Method     RPD with delays of at most τ, which may be chosen from the past: whatever they are, x̂
           misses no update outside of the window.
Guarantee  E‖x − x̂‖² ≤ γ²G²τ(τ + p − 1)/p, about p times less than Lemma B.2, which counts as if
           all of the last τ updates hit one block; attained where all delays are τ.
Source     ours.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.notation import equal, theorem, vector
from theory.papers.rpd.lemmas import draw_counts, drift_by_counts
from theory.papers.rpd.lemmas.draw_counts import PAIRS, counts, w
from theory.papers.rpd.method import k, old, x
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, gamma, p, tau

away = vector("x − x̂")
DRIFT, _MISSED = (sympy.Function(name, nonnegative=True) for name in ("drift", "Q"))
"""By iteration: E‖x^k − x̂^k‖², and the mean of Σ_i n_i² over the updates that x̂^k misses."""
_STEP = gamma**2 * G**2

T = theorem("rpd.sharp-drift", "ours")
T.along(k)
T.cite(drift_by_counts.THEOREM)
T.cite(draw_counts.THEOREM)
T.sequences({DRIFT: (x - old) ** 2, _MISSED: drift_by_counts.COUNTS})
T.assume(
    _MISSED(k) <= PAIRS(w),
    "missed",
    "x̂^k misses updates of the window only, whatever its delays: n_i ≤ N_i",
)
T.assume(
    w <= tau,
    "window",
    "a window has w ≤ τ draws, as many for every k: where fewer updates have been made, "
    "draws that no update uses fill it up",
)
THEOREM = T.shows(
    DRIFT(k) <= _STEP * tau * (tau + p - 1) / p,
    {"drift": _STEP * tau * (tau + p - 1) / p},
    says="E‖x^k − x̂^k‖² ≤ γ²G²τ(τ + p − 1)/p for RPD, also with delays chosen from the past.",
)

T = theorem("rpd.sharp-drift-attained")
T.along(w)
T.cite(draw_counts.THEOREM)
LINE = T.sequence("line drift", away**2)
T.assume(
    equal(away**2, _STEP * counts**2),
    "line",
    "block i of x − x̂ is −γ N_i v_i, as every update of it moves it by −γ v_i",
)
ATTAINED = T.shows(
    equal(LINE(w), _STEP * w * (w + p - 1) / p),
    {"drift": THEOREM.terms["drift"].subs(tau, w)},
    says="On f(x) = Σ ⟨v_i, x_i⟩ with ‖v_i‖ = G and all delays τ, E‖x^k − x̂^k‖² is "
    "γ²G²τ(τ + p − 1)/p for every k ≥ τ.",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["rpd-drift"])
