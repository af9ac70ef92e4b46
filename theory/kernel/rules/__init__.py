"""The rules a proof is made of: small, exact, one idea each."""

from __future__ import annotations

from theory.kernel.rules.algebra import Combine, Sign
from theory.kernel.rules.averages import Average, Swap
from theory.kernel.rules.calculus import Descent, Integral, Lipschitz, descent, lipschitz
from theory.kernel.rules.cite import Cite
from theory.kernel.rules.closed_sums import ClosedSum
from theory.kernel.rules.expectation import Expect, Total
from theory.kernel.rules.norms import Triangle
from theory.kernel.rules.series import Everywhere, Induction, Telescope

__all__ = [
    "Average",
    "Cite",
    "ClosedSum",
    "Combine",
    "Descent",
    "Everywhere",
    "Expect",
    "Induction",
    "Integral",
    "Lipschitz",
    "Sign",
    "Swap",
    "Telescope",
    "Total",
    "Triangle",
    "descent",
    "lipschitz",
]
