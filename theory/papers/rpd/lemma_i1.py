"""Lemma I.1: the NAG-RPD update is unbiased up to the factor 1/p.

Problem    f is the mean of f_1, …, f_n, and its argument has p blocks.
Method     g̃ is block i of ∇f_m(x̃), with (i, m) drawn uniformly and x̃ = x̂ + βy.
Guarantee  E_k g̃ = ∇f(x̃)/p, taken with any vector v that is fixed before the draw.
Source     RPD paper, Lemma I.1.
"""

from theory.notation import equal, theorem
from theory.papers.rpd import lemma_b1
from theory.papers.rpd.lemma_b1 import v
from theory.papers.rpd.method import E, f, g, old, uniform
from theory.papers.rpd.nag_method import ahead
from theory.papers.rpd.symbols import p

T = theorem("rpd.lemma-i1", "Lemma I.1", f)
for known in uniform(v, ahead):
    T.assume(known)
T.cite(
    lemma_b1.THEOREM,
    vectors={old: ahead},
    says="given the past x̃ is fixed, and the mean is that over blocks and components",
    where="Lemma I.1, proof",
)
CLAIM = THEOREM = T.shows(
    equal(E(g @ v), (f.grad(ahead) @ v) / p),
    says="Given the past and the extrapolated point, the mean of g̃^k is ∇f(x̃^k)/p: E_k⟨g̃^k, v⟩ "
    "is ⟨∇f(x̃^k), v⟩/p for every v fixed before the draw.",
)
