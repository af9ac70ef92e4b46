"""(31) without delay: what the first iteration leaves bounds all later steps by O(1/t).

Problem    f is convex and β-smooth with a minimiser w*; x_t = w_t − w* and z_t = w_t + t d_t − w*.
Method     (14) with (29), without delay, η = 1/β.
Guarantee  ‖w_{t+1} − w_t‖² ≤ 4D/t² with D = 4/β (δ_2 + u_2/2), for every t ≥ 2. By (30), without
           excesses, ‖z_t‖² is at most D. As t x_{t+1} = (t − 1)x_t + z_{t+1}, so is ‖x_t‖²; and a
           step is (z_{t+1} − x_t)/t.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Everywhere, Hypothesis, Step, Telescope, Theorem
from theory.papers.nesterov.lemmas import eq_30_sum
from theory.papers.nesterov.lemmas.eq_30_sum import NEXT_HERE, WEIGHT, F, J, P, U, k
from theory.papers.nesterov.lemmas.no_delay import NO_DELAY, NO_EXCESS
from theory.papers.nesterov.method import STAR, W
from theory.papers.nesterov.symbols import beta

K = sympy.Symbol("K", integer=True, nonnegative=True)
"""t − 2."""
_n = sympy.Symbol("n", integer=True, nonnegative=True)
X, S, Q = (sympy.Function(name, real=True) for name in "XSQ")
"""By iteration: ‖w_t − w*‖², ‖w_{t+1} − w_t‖², and (t − 1)‖w_t − w*‖²."""

_HALF = sympy.Rational(1, 2)
_AWAY = W.position - STAR.position
_AWAY_NEXT = NEXT_HERE.position - STAR.position
_MOVE = NEXT_HERE.position - W.position
_AHEAD_NEXT = _AWAY_NEXT + (WEIGHT - 1) * _MOVE
LEFT = F(0) - STAR.value + U(0) / 2
"""δ_2 + u_2/2."""
_LONGEST = 4 / beta * LEFT
"""D."""
_WEIGHTED = prover.eq(P(k), (J(k) + 1) * (F(k) - STAR.value))
_DISTANT = prover.eq(Q(k), (J(k) + 1) * X(k))
_LEAST = Hypothesis("minimum", "w* is a minimiser", prover.le(STAR.value, F(k)))
_KEPT = ("later", "line 2", "weighted after", "one", "weighted at 2")
"""Lines of `nesterov.eq-30-sum`; its others are about one t."""

NAMES = (
    _LEAST,
    Hypothesis("distance", "X is ‖w_t − w*‖² by iteration", prover.eq(X(k), _AWAY**2)),
    Hypothesis(
        "distance after",
        "one iteration later it is ‖w_{t+1} − w*‖²",
        prover.eq(X(k + 1), _AWAY_NEXT**2),
    ),
    Hypothesis("step", "S is ‖w_{t+1} − w_t‖² by iteration", prover.eq(S(k), _MOVE**2)),
    Hypothesis("distant", "Q is (t − 1)‖w_t − w*‖² by iteration", _DISTANT),
    Hypothesis("distance at 2", "X starts with ‖w_2 − w*‖²", prover.eq(beta / 2 * X(0), U(0))),
)

_BOUND_OF_Z = (
    NO_EXCESS,
    Step(
        "one, without delay",
        prover.le(P(k + 1) - P(k), _HALF * (U(k) - U(k + 1))),
        Combine({"one": 1, NO_EXCESS.name: 1}),
    ),
    Step(
        "sum to n",
        prover.le(P(_n) - P(0), _HALF * (U(0) - U(_n))),
        Telescope("one, without delay", k, _n),
        "line 2 of (30), summed",
    ),
    Step("weighted at n", _WEIGHTED.replaced({k: _n}), Everywhere("weighted", {k: _n})),
    Step("minimum at n", _LEAST.relation.replaced({k: _n}), Everywhere("minimum", {k: _n})),
    Step(
        "z",
        prover.le(U(_n), beta / 2 * _LONGEST),
        Combine(
            {
                "sum to n": 2,
                "weighted at n": -2,
                "minimum at n": 2 * (J(_n) + 1),
                "weighted at 2": 2,
                "first number": 2 * (F(0) - STAR.value),
            }
        ),
        "‖z_t‖² ≤ D for every t ≥ 2",
    ),
    Step("z after", prover.le(U(k + 1), beta / 2 * _LONGEST), Everywhere("z", {_n: k + 1})),
)

_BOUND_OF_X = (
    Step(
        "distant after",
        _DISTANT.replaced({k: k + 1}),
        Everywhere("distant", {k: k + 1}),
    ),
    Step(
        "mean",
        prover.le(Q(k + 1) - Q(k), _LONGEST),
        Combine(
            {
                "distant": -1,
                "distant after": 1,
                "next number": X(k + 1),
                "distance": -(J(k) + 1),
                "distance after": J(k) + 2,
                "u after": -2 / beta,
                "z after": 2 / beta,
            },
            squares=((WEIGHT * (WEIGHT - 1), _MOVE),),
        ),
        "t‖x_{t+1}‖² ≤ (t − 1)‖x_t‖² + ‖z_{t+1}‖²",
    ),
    Step("means", prover.le(Q(K) - Q(0), K * _LONGEST), Telescope("mean", k, K)),
    Step("distant at 2", _DISTANT.replaced({k: 0}), Everywhere("distant", {k: sympy.S.Zero})),
    Step("distant at last", _DISTANT.replaced({k: K}), Everywhere("distant", {k: K})),
    Step("z at 2", prover.le(U(0), beta / 2 * _LONGEST), Everywhere("z", {_n: sympy.S.Zero})),
    Step("numbers", prover.eq(J(K) - J(0), K), Telescope("next number", k, K)),
    Step(
        "x",
        prover.le(X(K), _LONGEST),
        Combine(
            {
                "means": 1 / (K + 1),
                "distant at last": -1 / (K + 1),
                "numbers": -X(K) / (K + 1),
                "first number": (X(0) - X(K)) / (K + 1),
                "distant at 2": 1 / (K + 1),
                "distance at 2": 2 / (beta * (K + 1)),
                "z at 2": 2 / (beta * (K + 1)),
            }
        ),
        "‖x_t‖² ≤ D for every t ≥ 2",
    ),
)

_STEPS = (
    Step(
        "step, k",
        prover.le(WEIGHT**2 * S(k), 2 * X(k) + 4 / beta * U(k + 1)),
        Combine(
            {"step": WEIGHT**2, "distance": -2, "u after": -4 / beta},
            squares=((sympy.S.One, _AHEAD_NEXT + _AWAY),),
        ),
        "t(w_{t+1} − w_t) = z_{t+1} − x_t",
    ),
    Step(
        "step at last",
        prover.le((J(K) + 2) ** 2 * S(K), 2 * X(K) + 4 / beta * U(K + 1)),
        Everywhere("step, k", {k: K}),
    ),
    Step("z at last", prover.le(U(K + 1), beta / 2 * _LONGEST), Everywhere("z", {_n: K + 1})),
)

CLAIM = THEOREM = Theorem(
    id="nesterov.later-steps",
    where="ours",
    statement=(
        "Without delay, for convex β-smooth f with a minimiser and with η = 1/β and "
        "γ_t = (t − 2)/t, ‖w_{t+1} − w_t‖² ≤ 16(δ_2 + u_2/2)/(βt²) for every t = K + 2 ≥ 2."
    ),
    latex=(
        r"\|w_{t+1} - w_t\|^2 \le \tfrac{16}{\beta t^2}\left(\delta_2 + \tfrac12 u_2\right), "
        r"\quad t = K + 2"
    ),
    symbols=(beta, K, STAR.value),
    vectors=eq_30_sum.THEOREM.vectors,
    points=eq_30_sum.THEOREM.points,
    hypotheses=(*eq_30_sum.THEOREM.hypotheses, *NO_DELAY, *NAMES),
    cites=eq_30_sum.THEOREM.cites,
    steps=(
        *(one for one in eq_30_sum.THEOREM.steps if one.name in _KEPT),
        *_BOUND_OF_Z,
        *_BOUND_OF_X,
        *_STEPS,
    ),
    lhs=S(K),
    terms={"first iteration": 4 * _LONGEST / (K + 2) ** 2},
    conclude=Combine(
        {
            "step at last": 1 / (K + 2) ** 2,
            "numbers": -(J(K) + K + 4) * S(K) / (K + 2) ** 2,
            "first number": -(J(K) + K + 4) * S(K) / (K + 2) ** 2,
            "x": 2 / (K + 2) ** 2,
            "z at last": 4 / (beta * (K + 2) ** 2),
        }
    ),
)
