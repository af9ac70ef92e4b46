"""Symbols of the blog's loops; those of all programs are in `theory.laws.static_orders.symbols`."""

from __future__ import annotations

from typing import Final

import sympy

b: Final = sympy.Symbol("b", integer=True, nonnegative=True)
"""How many backwards a stage has begun before, from 0."""

a: Final = sympy.Symbol("a", integer=True, positive=True)
"""Forwards of a stage before its first backward, the last stage's own included."""
