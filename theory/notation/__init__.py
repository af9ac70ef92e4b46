"""A notation near the paper's: state a theorem, and names, points and facts are inferred."""

from __future__ import annotations

from sympy import Rational, sqrt

from theory.kernel.relations import eq, ge, le
from theory.kernel.vectors import vector, vectors
from theory.notation.coercion import equal
from theory.notation.draft import Draft, theorem
from theory.notation.glossary import glossary
from theory.notation.iterations import Iterates, iterates, window
from theory.notation.names import (
    Expectation,
    Function,
    average,
    count,
    exp,
    function,
    index,
    log,
    mean,
    named,
    nonnegative,
    positive,
    real,
)
from theory.notation.norms import norm
from theory.notation.summed import total

__all__ = [
    "Draft",
    "Expectation",
    "Function",
    "Iterates",
    "Rational",
    "average",
    "count",
    "eq",
    "equal",
    "exp",
    "function",
    "ge",
    "glossary",
    "index",
    "iterates",
    "le",
    "log",
    "mean",
    "named",
    "nonnegative",
    "norm",
    "positive",
    "real",
    "sqrt",
    "theorem",
    "total",
    "vector",
    "vectors",
    "window",
]
