"""What the method is: delayed gradient descent, with the mean of where that has been.

Problem    none: identities of vectors; d_t may be any.
Method     (10) with γ_t = (t − 2)/t from t = 2 on; z_t = w_t + t d_t − w*.
Guarantee  z_t moves by −2ηḡ_t, and t w_{t+1} = (t − 1)w_t + z_{t+1} + w*: so t w_{t+1} is the sum
           of the z_k + w* for k = 2, …, t + 1. The first is what the proofs of the repaired rates
           start from. At t = 1, where γ_1 = 0, z moves by −ηḡ_1 only.
Source     ours.
"""

from theory.kernel import Combine, Hypothesis, Step, Theorem, eq, vector
from theory.papers.nesterov import symbols

eta, t, theta = symbols.letters("eta t theta")

NOW, TURN, STAR, GRADIENT, SEEN = map(vector, ("w", "d", "w*", "ḡ", "u"))
"""w_t, d_t, w*, ḡ_t and any vector."""
LATER = Hypothesis("(29)", "θ is 1 − γ_t = 2/t, as for every t ≥ 2; 1 − γ_1 is 1", eq(t * theta, 2))

NEXT = NOW + TURN - eta * theta * GRADIENT
"""w_{t+1} of (10)."""
_NEXT_TURN = (t - 1) / (t + 1) * (NEXT - NOW)
"""d_{t+1}, γ_{t+1} being (t − 1)/(t + 1) for every t ≥ 1."""

Z = NOW + t * TURN - STAR
Z_NEXT = NEXT + (t + 1) * _NEXT_TURN - STAR

CLAIM = THEOREM = Theorem(
    id="nesterov.averaged-step",
    where="ours",
    statement=(
        "With (10) and γ_t = (t − 2)/t, z_t = w_t + t d_t − w* is moved by −2ηḡ_t in every "
        "iteration t ≥ 2, whatever d_t is (taken with any vector)."
    ),
    latex=r"z_{t+1} = z_t - 2\eta\bar g_t, \quad z_t = w_t + t\,d_t - w^*",
    symbols=(eta, t, theta),
    vectors=(NOW, TURN, STAR, GRADIENT, SEEN),
    hypotheses=(LATER,),
    kind="==",
    lhs=Z_NEXT @ SEEN,
    terms={"before": Z @ SEEN, "move": -2 * eta * (GRADIENT @ SEEN)},
    steps=(
        Step(
            "squared",
            eq(Z_NEXT**2, (Z - 2 * eta * GRADIENT) ** 2),
            Combine(
                {LATER.name: eta**2 * (t * theta + 2) * GRADIENT**2 - 2 * eta * (Z @ GRADIENT)}
            ),
            "the same, squared",
        ),
        Step(
            "mean",
            eq(t * (NEXT @ SEEN), (t - 1) * (NOW @ SEEN) + (Z_NEXT + STAR) @ SEEN),
            Combine(),
            "t w_{t+1} = (t − 1)w_t + z_{t+1} + w*",
        ),
    ),
    conclude=Combine({LATER.name: -eta * (GRADIENT @ SEEN)}),
)
