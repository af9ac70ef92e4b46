"""One update of SAPipe as the kernel sees it.

x_{t+1} = x_t − η g. Given the past, the mean of g is (1 − κ)∇F(x_t) + κ s: the fresh elements of
the gradient aim at ∇F(x_t), the stale or predicted ones at s. Assumption 5 draws which elements are
stale anew in every iteration, each with probability κ and independently of everything else; so
the second moment of g is at most (1 − κ)‖∇F(x_t)‖² + κ‖s‖² plus the variance of the samples.
"""

from collections.abc import Iterable, Mapping, Sequence

import sympy

from theory.kernel import Hypothesis, Operator, Point, Smooth, eq, le, point, vector
from theory.kernel.theorem import Assumption
from theory.kernel.vectors import Scalar, Vector
from theory.notation import function, glossary
from theory.notation.draft import Draft
from theory.papers.sapipe import error_terms, symbols
from theory.papers.sapipe.symbols import R0, L, T, eta, kappa, t

X = point("x", "F")
"""The model x_t."""

G = vector("g")
"""What the update subtracts, divided by η."""

OFF = vector("b")
"""By how much the mean of the stale or predicted gradient misses ∇F(x_t), given the past."""

AIM = X.gradient - OFF
"""That mean, s."""

NEXT = Point(X.position - eta * G, sympy.Symbol("F(x⁺)", real=True), vector("∇F(x⁺)"), "F")
"""The model x_{t+1}."""

E_T = Operator(
    "E_t",
    (
        *("g", "d", "ξ_i", "ξ", "F(x⁺)", "∇F(x⁺)", "b⁺", "off(b⁺)", "∇off(b⁺)"),
        *("F_i(x⁺)", "∇F_i(x⁺)", "g_i", "ζ_i", "ζ", "a_i", "a", "V⁺", "q_i", "ζ_{−i}", "N⁺"),
        *("last(g)", "∇last(g)", "gap(p⁺)", "∇gap(p⁺)"),
    ),
    given=("∇F(x)",),
    over="sample",
    law="run",
)
"""Expectation over the samples (and the stale elements) of update t, given everything before.

The later lines of names are of methods that predict weights: `wp_1_method`, `wp_3_method`, and
`wp_2_method`.
"""

nu = sympy.Symbol("nu", nonnegative=True)
"""Bound on the variance of g."""

e = sympy.Symbol("e", nonnegative=True)
"""Bound on the mean of E‖b‖² over the iterations."""

F = sympy.Function("F", real=True)
S, B = (sympy.Function(name, nonnegative=True) for name in ("S", "B"))
"""Total expectations by iteration: F(x_t), ‖∇F(x_t)‖² and ‖b‖²."""

F_STAR = sympy.Symbol("F*", real=True)
"""The least value of F."""

AVERAGE = sympy.Sum(S(t), (t, 0, T - 1)) / T
"""Mean over the iterations of E‖∇F(x_t)‖²; the paper's x_{t−1}, t from 1."""

FOLLOWING = ((X, NEXT),)

SMOOTH = Smooth("smooth", "F is L-smooth (Assumption 1)", L, "F")
LOWER = Hypothesis("lower bound", "F is at least F(x_*) (Assumption 6)", le(F_STAR, F(T)))
START = Hypothesis("start", "R₀ is F(x_0) − F(x_*)", eq(F(0), F_STAR + R0))
STEPSIZE = Hypothesis("stepsize", "η ≤ 1/L", le(eta, 1 / L))
SHARE = Hypothesis("share", "κ ≤ 1", le(kappa, 1))


def mean_of(off: Vector) -> Hypothesis:
    """The mean of g given the past, as an inner product with ∇F(x_t), for this b."""
    return Hypothesis(
        "unbiased",
        "given the past, fresh elements of g have the mean ∇F(x_t) and stale ones s, and each "
        "element is stale with probability κ, independently of the samples (Assumptions 2, 5)",
        eq(E_T.of(G @ X.gradient), X.gradient**2 - kappa * (off @ X.gradient)),
    )


def second_moment(off: Vector, variance: Scalar) -> Hypothesis:
    """The second moment of g given the past, for this b and this variance."""
    return Hypothesis(
        "second moment",
        "given the past and the stale elements, g deviates from its mean by at most this variance "
        "(Assumptions 2, 5)",
        le(
            E_T.of(G**2),
            (1 - kappa) * X.gradient**2 + kappa * (X.gradient - off) ** 2 + variance,
        ),
    )


def sequences(off: Vector) -> dict[Scalar, Scalar]:
    """What the sequences are means of, for this b."""
    return {F: X.value, S: X.gradient**2, B: off**2}


def along(
    draft: Draft,
    means: Mapping[Scalar, Scalar] | None = None,
    following: Sequence[tuple[Point, Point]] = (),
    points: Iterable[Point] = (),
) -> Draft:
    """A theorem about a run x_0, x_1, … of L-smooth F.

    Parameters
    ----------
    draft : Draft
    means : mapping of sequence to expression, optional
        What sequences are means of, beside F(t) and S(t).
    following : sequence of (Point, Point)
        What else goes along with x_t, and what takes its place in the next iteration.
    points : iterable of Point
        What else there is to know about.
    """
    pairs = (*FOLLOWING, *following)
    known: dict[str, list[Point]] = {}
    for one in (*(one for pair in pairs for one in pair), *points):
        known.setdefault(one.function, []).append(one)
    draft.functions += [function(name, *at) for name, at in known.items()]
    draft.assume(SMOOTH)
    for now, then in pairs:
        draft.iterate(now.position, then.position, t)
    draft.sequences({F: X.value, S: X.gradient**2, **(means or {})})
    return draft


def assuming(draft: Draft, *assumed: Assumption) -> Draft:
    """The same theorem with these hypotheses."""
    for one in assumed:
        draft.assume(one)
    return draft


letters = glossary({**vars(error_terms), **vars(symbols), **globals()})
"""Gives these, the paper's constants and shared terms by name: ``L, F = letters("L F")``."""
