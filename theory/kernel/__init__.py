"""The proof kernel: theorems as data, and the small exact rules that check their proofs."""

from __future__ import annotations

from theory.kernel.as_claim import as_claim
from theory.kernel.means import Operator
from theory.kernel.prove import Proof, prove
from theory.kernel.relations import Relation, eq, ge, le
from theory.kernel.rules import (
    Average,
    Cite,
    ClosedSum,
    Combine,
    Descent,
    Everywhere,
    Expect,
    Induction,
    Integral,
    Lipschitz,
    Sign,
    Split,
    Swap,
    Telescope,
    Total,
    Triangle,
    Unroll,
    descent,
    lipschitz,
)
from theory.kernel.theorem import Hypothesis, Smooth, Step, Theorem
from theory.kernel.vectors import Point, Vector, dot, point, square, vector, vectors

__all__ = [
    "Average",
    "Cite",
    "ClosedSum",
    "Combine",
    "Descent",
    "Everywhere",
    "Expect",
    "Hypothesis",
    "Induction",
    "Integral",
    "Lipschitz",
    "Operator",
    "Point",
    "Proof",
    "Relation",
    "Sign",
    "Smooth",
    "Split",
    "Step",
    "Swap",
    "Telescope",
    "Theorem",
    "Total",
    "Triangle",
    "Unroll",
    "Vector",
    "as_claim",
    "descent",
    "dot",
    "eq",
    "ge",
    "le",
    "lipschitz",
    "point",
    "prove",
    "square",
    "vector",
    "vectors",
]
