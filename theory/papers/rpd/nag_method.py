"""NAG-RPD as the kernel sees it: RPD with a stale point that is extrapolated.

x̃_i = x_i^r + β(x_i^r − x_i^{r−1}) at r = k − d_i, which is x̂ + βy with y the last increments; the
update is that of RPD with x̃ in place of x̂.
"""

import sympy

from theory.notation import named, vector
from theory.papers.rpd.method import old
from theory.papers.rpd.symbols import beta

y = vector("y")
"""In block i: x_i^r − x_i^{r−1} at r = k − d_i, 0 where r = 0."""

ahead = named("x̃", old + beta * y)
"""The extrapolated stale model x̃^k at which the gradient is taken."""

DRIFT = sympy.Function("nag drift", nonnegative=True)
"""By iteration: E‖x^k − x̃^k‖²."""
