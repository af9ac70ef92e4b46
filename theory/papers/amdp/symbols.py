"""Symbols of the AMDP claims; stages and minibatches count from 0."""

from __future__ import annotations

from typing import Final

import sympy

d: Final = sympy.Symbol("d", integer=True, positive=True)
"""Stages of a pipeline."""

n: Final = sympy.Symbol("n", integer=True, positive=True)
"""Minibatches that stage 0 admits."""

i: Final = sympy.Symbol("i", integer=True, nonnegative=True)
"""Stage."""

q: Final = sympy.Symbol("q", integer=True, nonnegative=True)
"""Round ⌊m/n⌋ of minibatch m."""

r: Final = sympy.Symbol("r", integer=True, nonnegative=True)
"""Place m mod n of minibatch m in its round."""

W: Final = sympy.Symbol("W", integer=True, positive=True)
"""Backwards of a stage, of all pipelines together, between two updates."""
