"""A first gradient step.

Problem    f is convex and β-smooth with a minimiser w*; R = ‖w_1 − w*‖.
Method     w_2 = w_1 − ∇f(w_1)/β.
Guarantee  f(w_2) − f* + β/4 ‖w_2 − w*‖² ≤ 3β/10 R².
Source     ours: three inequalities with a margin between w*, w_1 and w_2. Huber's function with its
           edge at a fifth of the distance attains the constant.
"""

from sympy import Rational

from theory.kernel import Combine, point
from theory.notation import equal, function, named, theorem
from theory.papers.nesterov import method
from theory.papers.nesterov.lemmas import interpolation

R, beta, STAR = method.letters("R beta STAR")

FIRST = point("w_1")
f = function("f", FIRST, STAR)
SECOND = f.at(named("w_2", FIRST.position - FIRST.gradient / beta))
"""w_2: γ_1 = 0, and y_1 = w_1."""

T = theorem("nesterov.first-drop")
T.smooth(f, beta, "smooth")
T.convex(f)
T.minimum(f, STAR.position)
T.assume(equal((FIRST.position - STAR.position) ** 2, R**2), "start")
_FIRST, _SECOND = FIRST.gradient, SECOND.gradient
_WAY = FIRST.position - STAR.position
_CERTIFICATE = Combine(
    {
        interpolation.tangent(T, FIRST.position, STAR.position): Rational(3, 4),
        interpolation.tangent(T, SECOND.position, STAR.position): Rational(1, 4),
        interpolation.tangent(T, SECOND.position, FIRST.position): Rational(3, 4),
        "∇f(w*) = 0, with ∇f(w_1)": 3 / (4 * beta),
        "∇f(w*) = 0, with ∇f(w_2)": 1 / (4 * beta),
        "start": 3 * beta / 10,
    },
    squares=(
        (beta / 20, _WAY - (_FIRST + _SECOND) * (Rational(5, 2) / beta)),
        (3 / (16 * beta), _FIRST - _SECOND),
        (1 / (2 * beta), STAR.gradient),
    ),
)
"""Found by hand: the search finds no sum of three squares."""
CLAIM = THEOREM = T.shows(
    SECOND.value - STAR.value + beta / 4 * (SECOND.position - STAR.position) ** 2
    <= 3 * beta * R**2 / 10,
    {"start": 3 * beta * R**2 / 10},
    by=_CERTIFICATE,
    says=(
        "w_2 = w_1 − ∇f(w_1)/β has f(w_2) − f* + β/4 ‖w_2 − w*‖² ≤ 3β/10 ‖w_1 − w*‖² for every "
        "convex β-smooth f with a minimiser."
    ),
    latex=r"f(w_2) - f^* + \tfrac\beta4\|w_2 - w^*\|^2 \le \tfrac{3\beta}{10}\|w_1 - w^*\|^2",
)
