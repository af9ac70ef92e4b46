"""The proof kernel: theorems as data, and the small exact rules that check their proofs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from theory.kernel import cautious_sympy  # noqa: F401 - before all that asks sympy
from theory.kernel.means import Operator
from theory.kernel.prove import Proof, prove
from theory.kernel.relations import Relation, eq, ge, le
from theory.kernel.rules import (
    Average,
    Cite,
    ClosedSum,
    Combine,
    Descent,
    Drift,
    Elementary,
    Everywhere,
    Expect,
    Found,
    Induction,
    Lipschitz,
    Reread,
    Sign,
    Split,
    Start,
    Swap,
    Telescope,
    Total,
    Triangle,
    Unroll,
    Windows,
    descent,
    lipschitz,
)
from theory.kernel.theorem import Delayed, Hypothesis, Smooth, Step, Theorem
from theory.kernel.vectors import Point, Vector, dot, point, square, vector, vectors

__all__ = [
    "Average",
    "Cite",
    "ClosedSum",
    "Combine",
    "Delayed",
    "Descent",
    "Drift",
    "Elementary",
    "Everywhere",
    "Expect",
    "Found",
    "Hypothesis",
    "Induction",
    "Lipschitz",
    "Operator",
    "Point",
    "Proof",
    "Relation",
    "Reread",
    "Sign",
    "Smooth",
    "Split",
    "Start",
    "Step",
    "Swap",
    "Telescope",
    "Theorem",
    "Total",
    "Triangle",
    "Unroll",
    "Vector",
    "Windows",
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


def __getattr__(name: str) -> Any:
    """`as_claim` by its former place; it is no part of the kernel."""
    if name == "as_claim":
        return import_module("theory.judging.as_claim").as_claim
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
