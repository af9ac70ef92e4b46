"""What the method is: delayed gradient descent, with the mean of where that has been.

With γ_t = (t − 2)/t, z_t = w_t + t d_t − w* moves by −2ηḡ_t, and (t − 1)w_t is the sum of the
z_k + w* for k = 2, …, t. The first is what the proofs of the repaired rates start from.
"""

from __future__ import annotations

from typing import Final

from theory.kernel import Combine, Step, Theorem, as_claim, dot, eq, square, vector
from theory.nesterov.symbols import eta, t

NOW, BEFORE, STAR, GRADIENT, SEEN = map(vector, ("w", "w⁻", "w*", "ḡ", "u"))
"""w_t, w_{t−1}, w*, ḡ_t and any vector."""

_TURN: Final = (t - 2) / t * (NOW - BEFORE)
"""d_t."""
NEXT: Final = NOW + _TURN - 2 * eta / t * GRADIENT
"""w_{t+1} of (10), 1 − γ_t being 2/t."""
_NEXT_TURN: Final = (t - 1) / (t + 1) * (NEXT - NOW)

Z: Final = NOW + t * _TURN - STAR
Z_NEXT: Final = NEXT + (t + 1) * _NEXT_TURN - STAR


THEOREM: Final = Theorem(
    id="nesterov.averaged-step",
    where="ours",
    statement=(
        "With (10) and γ_t = (t − 2)/t, z_t = w_t + t d_t − w* is moved by −2ηḡ_t in iteration t "
        "(taken with any vector)."
    ),
    latex=r"z_{t+1} = z_t - 2\eta\bar g_t, \quad z_t = w_t + t\,d_t - w^*",
    symbols=(eta, t),
    vectors=(NOW, BEFORE, STAR, GRADIENT, SEEN),
    kind="==",
    lhs=dot(Z_NEXT, SEEN),
    terms={"before": dot(Z, SEEN), "move": -2 * eta * dot(GRADIENT, SEEN)},
    steps=(
        Step(
            "squared",
            eq(square(Z_NEXT), square(Z - 2 * eta * GRADIENT)),
            Combine(),
            "the same, squared",
        ),
        Step(
            "mean",
            eq(t * dot(NEXT, SEEN), (t - 1) * dot(NOW, SEEN) + dot(Z_NEXT + STAR, SEEN)),
            Combine(),
            "w_{t+1} is the mean of the z_k + w* for k = 2, …, t + 1",
        ),
    ),
    conclude=Combine(),
)

CLAIM: Final = as_claim(THEOREM)
