"""Lemma B.1: the RPD update is unbiased up to the factor 1/p.

Problem    f is the mean of f_1, …, f_n, and its argument has p blocks.
Method     g is block i of ∇f_m(x̂), put into the whole space, with (i, m) drawn uniformly.
Guarantee  E_k g = ∇f(x̂)/p, taken with any vector v that is fixed before the draw.
Source     RPD paper, Lemma B.1.
"""

from theory.notation import equal, theorem, vector
from theory.papers.rpd.method import E, f, g, old, uniform
from theory.papers.rpd.symbols import p

v = vector("v")
DRAW, FINITE_SUM = uniform(v)

T = theorem("rpd.lemma-b1", "Lemma B.1", f)
T.assume(DRAW)
T.assume(FINITE_SUM)
T.have(
    DRAW.relation, says="the mean over all pairs (i, m), x̂ being fixed", where="Lemma B.1, proof"
)
CLAIM = THEOREM = T.shows(
    equal(E(g @ v), (f.grad(old) @ v) / p),
    says="Given the past and the stale point, the mean of g^k is ∇f(x̂^k)/p: E_k⟨g^k, v⟩ is "
    "⟨∇f(x̂^k), v⟩/p for every v fixed before the draw.",
)
