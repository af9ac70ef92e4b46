"""Theorem H.1, (14): one step of RPD under the Polyak–Łojasiewicz inequality.

Problem    f is L-smooth and ‖∇f‖² ≥ 2μ(f − f*); block gradients have norm at most G.
Method     RPD with delays of at most τ.
Guarantee  E f(x^{k+1}) − f* ≤ (1 − γμ/p) Δ + Lγ²G²/2 + γ³L²τ²G²/(2p), with Δ = E f(x^k) − f*.
Source     RPD paper, appendix H. Its displays are lost in the text that we have: (16) is read as
           the line of the proof of Theorem B.1 in which the inner product of the two gradients is
           written as three squares; the sentences after it describe the other lines.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Hypothesis, le, lipschitz
from theory.notation import Draft, equal, real, theorem
from theory.papers.rpd import eq_8, lemma_b2
from theory.papers.rpd.method import BOUNDED, F_STAR, SEQUENCES, E, F, after, f, k, old, x
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, L, gamma, mu, p, tau

PROOF = "appendix H, proof of Theorem H.1"

GAP = real("Delta")
"""E f(x^k) − f* at the iteration that is looked at."""
PL = Hypothesis(
    "PL",
    "f satisfies the Polyak–Łojasiewicz inequality with μ (Assumption H.1)",
    le(2 * mu * (f(x) - F_STAR), f.grad(x) ** 2),
)
_SLOPE = gamma / (2 * p)
_STALE, _NOISE = gamma**3 * L**2 * tau**2 * G**2 / (2 * p), L * gamma**2 * G**2 / 2
_NOW, _OLD = f.grad(x) ** 2, f.grad(old) ** 2
_APART = (f.grad(x) - f.grad(old)) ** 2


def proof(T: Draft) -> None:
    """The printed proof."""
    T.iterate(x, after, k)
    T.sequences(SEQUENCES)
    T.assume(BOUNDED)
    T.assume(PL)
    T.cite(eq_8.THEOREM, name="(8)")
    T.have(
        E(f(after)) <= f(x) - _SLOPE * (_NOW + _OLD - _APART) + _NOISE,
        says="(16), from the proof of Theorem B.1",
        where=PROOF,
    )
    T.have(
        lipschitz(L, f.at(x), f.at(old)),
        says="‖∇f(x) − ∇f(x̂)‖² ≤ L²‖x − x̂‖² by L-smoothness",
        where=PROOF,
    )
    T.cite(lemma_b2.THEOREM, name="stale", says="Lemma B.2", where=PROOF)
    T.have(
        _APART <= L**2 * gamma**2 * tau**2 * G**2,
        says="and therefore ‖∇f(x) − ∇f(x̂)‖² ≤ L²γ²τ²G²",
        where=PROOF,
    )
    T.have(
        E(f(after)) <= f(x) - _SLOPE * _NOW + _STALE + _NOISE,
        says="substituted into (16)",
        where=PROOF,
    )
    T.have(
        -_SLOPE * _NOW <= -gamma * mu / p * (f(x) - F_STAR),
        says="−γ/(2p)‖∇f(x)‖² ≤ −(γμ/p)(f(x) − f*) by the Polyak–Łojasiewicz inequality",
        where=PROOF,
    )
    T.have(
        E(f(after)) - F_STAR <= (1 - gamma * mu / p) * (f(x) - F_STAR) + _STALE + _NOISE,
        says="f* subtracted from both sides",
        where=PROOF,
    )
    T.have(
        F(k + 1) - F_STAR <= (1 - gamma * mu / p) * (F(k) - F_STAR) + _STALE + _NOISE,
        says="total expectation",
        where=PROOF,
    )


def _bounded(gap: sympy.Expr) -> dict[str, sympy.Expr]:
    return {"contraction": (1 - gamma * mu / p) * gap, "sampling": _NOISE, "staleness": _STALE}


SAYS = (
    "Under the Polyak–Łojasiewicz inequality with μ every step of RPD has E f(x^{k+1}) − f* ≤ "
    "(1 − γμ/p)(E f(x^k) − f*) + Lγ²G²/2 + γ³L²τ²G²/(2p)."
)

T = theorem("rpd.thm-h1", "Theorem H.1, (14)", f)
T.varying(GAP)
proof(T)
T.assume(equal(F(k), F_STAR + GAP), "gap", "Δ is E f(x^k) − f*")
TERMS = _bounded(GAP)
THEOREM = T.shows(F(k + 1) - F_STAR <= sympy.Add(*TERMS.values()), TERMS, says=SAYS)

T = theorem("rpd.thm-h1-recurrence", "Theorem H.1, (14)", f)
proof(T)
TERMS = _bounded(F(k) - F_STAR)
RECURRENCE = T.shows(F(k + 1) - F_STAR <= sympy.Add(*TERMS.values()), TERMS, says=SAYS)
"""(14) in one sequence, for every k."""

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["rpd-pl-step"])
