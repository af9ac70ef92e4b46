"""The rules a proof is made of: small, exact, one idea each."""

from __future__ import annotations

from typing import Final

from theory.kernel.rules.algebra import Combine, Sign
from theory.kernel.rules.averages import Average, Swap
from theory.kernel.rules.calculus import Descent, Integral, Lipschitz, descent, lipschitz
from theory.kernel.rules.cite import Cite
from theory.kernel.rules.closed_sums import ClosedSum
from theory.kernel.rules.delays import Drift, Reread, Start
from theory.kernel.rules.elementary import Elementary
from theory.kernel.rules.expectation import Expect, Total
from theory.kernel.rules.found import Found
from theory.kernel.rules.norms import Root, Schwarz, Triangle
from theory.kernel.rules.series import Everywhere, Induction, Telescope
from theory.kernel.rules.splitting import Split
from theory.kernel.rules.unrolling import Unroll
from theory.kernel.rules.windows import Windows

RULES: Final = frozenset(
    {
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
        Integral,
        Lipschitz,
        Reread,
        Root,
        Schwarz,
        Sign,
        Split,
        Start,
        Swap,
        Telescope,
        Total,
        Triangle,
        Unroll,
        Windows,
    }
)
"""All there are; a proof may use no other."""

__all__ = [
    "RULES",
    "Average",
    "Cite",
    "ClosedSum",
    "Combine",
    "Descent",
    "Drift",
    "Elementary",
    "Everywhere",
    "Expect",
    "Found",
    "Induction",
    "Integral",
    "Lipschitz",
    "Reread",
    "Root",
    "Schwarz",
    "Sign",
    "Split",
    "Start",
    "Swap",
    "Telescope",
    "Total",
    "Triangle",
    "Unroll",
    "Windows",
    "descent",
    "lipschitz",
]
