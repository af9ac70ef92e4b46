"""What a false twin is."""

from __future__ import annotations

from dataclasses import dataclass

import sympy


@dataclass(frozen=True)
class Twin:
    """A false bound.

    Attributes
    ----------
    claim : str
        Id of the theorem that it is the twin of.
    challenge : str
        What it bounds, by its name in `tests.challenges`.
    says : str
        What is wrong with it.
    bound : sympy expression
    where : sympy condition
        The stated domain.
    """

    claim: str
    challenge: str
    says: str
    bound: sympy.Expr
    where: sympy.Basic = sympy.true
