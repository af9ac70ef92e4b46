"""What τ = 0 says of an iteration: y_t = w_t + d_t, so that Ω_t is 0."""

from theory.kernel import Combine, Hypothesis, Step, Telescope, eq
from theory.papers.nesterov.lemmas.eq_30_sum import SUM, WEIGHT, E, k
from theory.papers.nesterov.method import AWAY, GRADIENT
from theory.papers.nesterov.symbols import beta, t

NO_DELAY = (
    Hypothesis("no delay", "τ = 0: y_t = w_t + d_t", eq(AWAY**2, 0)),
    Hypothesis("no delay, slope", "the same, taken with ḡ_t", eq(GRADIENT @ AWAY, 0)),
)
NO_EXCESS = Step(
    "no excess",
    eq(E(k), 0),
    Combine({"excess": 1, "no delay": WEIGHT * beta / 2, "no delay, slope": -2}),
    "Ω_t = 0, as Δ̄_t = 0",
)
NO_EXCESSES = Step("no excesses", eq(SUM, 0), Telescope(NO_EXCESS.name, k, t - 1))
