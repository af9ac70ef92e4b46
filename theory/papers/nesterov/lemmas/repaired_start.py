"""The start of the repaired bound.

Problem    f is convex and β-smooth with a minimiser w*; R = ‖w_1 − w*‖, τ ≥ 1.
Method     until the first look-ahead is seen every gradient is ∇f(w_1), and γ_1 = 0 makes the first
           step half as long as (29) would: z_{τ+2} = w_1 − w* − η(2τ + 1)∇f(w_1).
Guarantee  ‖z_{τ+2}‖² + 4η(f(w_1) − f*) + (2τ² − 1)η²‖∇f(w_1)‖² ≤ R² for short η.
Source     ours.
"""

from collections.abc import Mapping

from theory.kernel import Combine, Hypothesis, le
from theory.kernel.vectors import Scalar
from theory.notation import Draft, equal, function, glossary, named, theorem, vectors
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas.interpolation import tangent

R, beta, eta, tau = symbols.letters("R beta eta tau")

f, (FIRST, star) = function("f"), vectors("w₁ w*")
slope = f.grad(FIRST)
ONWARD = FIRST - star - eta * (2 * tau + 1) * slope
"""z_{τ+2}."""
LATE = Hypothesis("delay", "τ ≥ 1", le(1, tau))
a = 2 * tau - 1
STEPSIZE = Hypothesis(
    "stepsize", "η ≤ a/(2(a² + 1)β) with a = 2τ − 1", le(2 * (a**2 + 1) * beta * eta, a)
)


def begin(id: str, stepsize: Hypothesis) -> Draft:
    """What is known of the start: also one gradient step of length 1/β further nothing is lower."""
    draft = theorem(id)
    draft.smooth(f, beta)
    draft.convex(f)
    draft.minimum(f, star)
    draft.assume(LATE)
    draft.assume(stepsize)
    draft.assume(equal((FIRST - star) ** 2, R**2), "distance", "R is ‖w_1 − w*‖")
    tangent(draft, FIRST, star)
    lower = named("v₁", FIRST - slope / beta)
    draft.have(f(lower) <= f(FIRST) - slope**2 / (2 * beta), "height")
    return draft


def certificate(facts: Mapping[str, Scalar], *spare: Scalar) -> Combine:
    """By hand: the search finds a shorter one, which does without the minimiser."""
    reach, height = 2 * eta * (2 * tau + 1), 2 * eta * a
    common = {
        "w₁ against w*": reach,
        "height": height,
        "f is least at w*, at v₁": height,
        "distance": 1,
        "∇f(w*) = 0, with ∇f(w₁)": reach / beta,
    }
    squares = ((reach / (2 * beta), f.grad(star)),)
    plus = tuple(eta**2 * slope**2 * one for one in spare)
    return Combine({**common, **facts}, squares=squares, plus=plus, domain=("delay",))


T = begin("nesterov.repaired-start", STEPSIZE)
CLAIM = THEOREM = T.shows(
    ONWARD**2 + 4 * eta * (f(FIRST) - f(star)) + (2 * tau**2 - 1) * eta**2 * slope**2 <= R**2,
    {"distance": R**2},
    by=certificate(
        {"stepsize": 4 * tau * eta * slope**2 / (beta * a)},
        tau * (5 * a**2 - 7 * a + 8) / a,
    ),
    says=(
        "From rest, for τ ≥ 1, η ≤ a/(2(a² + 1)β), a = 2τ − 1 and z_t = w_t + t d_t − w*, "
        "‖z_{τ+2}‖² + 4η(f(w_1) − f*) + (2τ² − 1)η²‖∇f(w_1)‖² is at most ‖w_1 − w*‖²."
    ),
    latex=(
        r"\|z_{\tau+2}\|^2 + 4\eta(f(w_1) - f^*) + (2\tau^2 - 1)\eta^2\|\nabla f(w_1)\|^2 "
        r"\le \|w_1 - w^*\|^2"
    ),
)

letters = glossary({**vars(symbols), **globals()})
"""Gives these and the paper's symbols by name: ``a, b = letters("a b")``."""
