"""Lemma I.2: how far the extrapolated stale point can be from the current one.

Problem    Block gradients along the trajectory have norm at most G.
Method     NAG-RPD with delays of at most τ: x̃ = x̂ + βy, y being one increment a block.
Guarantee  ‖x − x̃‖ ≤ γG(τ + β√p) on every path.
Source     RPD paper, Lemma I.2. True, and loose: √p counts one increment a block at its full length
           beside τ whole updates, though all of them come from the same τ + 1 updates.
"""

from collections.abc import Sequence
from fractions import Fraction

import sympy

from theory.judging import prover
from theory.kernel import Proof, Triangle
from theory.kernel.rules.norms import Root
from theory.notation import equal, mean, theorem, vector
from theory.papers.rpd import lemma_b2
from theory.papers.rpd.lemmas import sharp_lemma_i2
from theory.papers.rpd.lemmas.mathematics import written
from theory.papers.rpd.method import old, x
from theory.papers.rpd.nag_method import ahead, y
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, p, tau
from theory.papers.rpd.witnesses.exact_runs import require
from theory.papers.rpd.witnesses.nag_paths import Path

WHERE = "Lemma I.2"
PROOF = "Lemma I.2, proof"

block = vector("y_i")
"""Block i of the increments."""
avg = mean("avg_i", block)
ONE = gamma * G
"""The longest that an increment of a block can be."""

T = theorem("rpd.lemma-i2", WHERE)
T.cite(lemma_b2.THEOREM, name="stale", says="‖x − x̂‖ ≤ γτG as in Lemma B.2", where=PROOF)
T.assume(
    equal(y**2, p * avg(block**2)),
    "blocks",
    "the increments have p blocks: their squared norms add up",
)
T.assume(
    block**2 <= ONE**2,
    "one increment",
    "a block of the increments is what one update moved, or 0: of norm at most γG",
)
T.have(avg(block**2) <= ONE**2, says="each block increment has norm at most γG", where=PROOF)
T.have(
    y**2 <= p * ONE**2,
    "increments",
    says="so the vector of all of them has norm at most γG√p",
    where=PROOF,
)
T.have(
    (x - ahead) ** 2 <= ONE**2 * (tau + beta * sympy.sqrt(p)) ** 2,
    "triangle",
    by=Triangle(
        (("stale", sympy.S.One, x - old, ONE * tau), ("increments", beta, -y, ONE * sympy.sqrt(p)))
    ),
    says="x − x̃ = (x − x̂) − βy, by the triangle inequality",
    where=PROOF,
)
T.have(prover.le(0, (x - ahead) ** 2), "length", says="‖x − x̃‖² has a root")
THEOREM = T.shows(
    sympy.sqrt((x - ahead) ** 2) <= ONE * tau + ONE * beta * sympy.sqrt(p),
    {"delay": ONE * tau, "extrapolation": ONE * beta * sympy.sqrt(p)},
    by=Root("triangle", domain=("length",)),
    says="‖x^k − x̃^k‖ ≤ γG(τ + β√p) on every path.",
)


def remarks(proof: Proof) -> Sequence[prover.Finding]:
    """The constant is loose: what is exact, with an instance, and by how much."""
    sharp = sharp_lemma_i2.THEOREM
    if not prover.proves(proof, sharp):
        return ()
    path = Path.dealt(tau=1, stages=4, blocks=1)
    printed, exact = (sympy.Add(*one.terms.values()) for one in (THEOREM, sharp))
    ratio = sympy.simplify(printed / exact)
    at = {p: 4, tau: 1, beta: 1, gamma: 1, G: 1}
    distance = sympy.sqrt(sympy.sympify(path.replay(Fraction(1))))
    require(distance == exact.subs(at), WHERE, run=distance, formula=exact.subs(at))
    return (
        prover.Finding(
            "loose",
            WHERE,
            "for β² ≤ 2β + τ, hence for all β ≤ 1, the exact constant is τ + β; the printed one "
            f"is {written(ratio)} times it, which is {written(ratio.subs(tau, 0))} at τ = 0",
            {
                **path.describe(),
                "beta": 1,
                "distance": str(distance),
                "printed": str(printed.subs(at)),
            },
            (proof, sharp),
            prover.Repair.by(sharp),
        ),
    )


CLAIM = prover.as_claim(THEOREM, CHALLENGES["nag-drift-pathwise"], remarks, cost=3)
