"""One update of SAPipe-DC as the kernel sees it.

x_{t+1} = x_t − η g. A stale element of g comes from g_s + λ g_s g_sᵀΔx, where g_s is a stochastic
gradient at x_{t−1} and Δx = x_t − x_{t−1}; a fresh one from g_f, at x_t. With c = ⟨g_s, Δx⟩ the
compensation is λ c g_s. Its run starts at the first update that is done: x_{−1} = x_0.
"""

import sympy

from theory.kernel import Hypothesis, Operator, Point, eq, le, point, vector
from theory.notation import function, glossary
from theory.notation.draft import Draft
from theory.papers.sapipe import setting
from theory.papers.sapipe.setting import OFF, B, G, X
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, eta, kappa, lambda_, n, t

LAST = point("g⁻", "step")
"""What the update before subtracted, divided by η: Δx = −η g⁻."""

THIS = Point(G, sympy.Symbol("step(g)", real=True), vector("∇step(g)"), "step")
"""g in the same role, for the next update."""

MOVED = -eta * LAST.position
"""Δx = x_t − x_{t−1}."""

FRESH, STALE, CURVED, HESSIAN, OUTER_MEAN = (
    vector(name) for name in ("g_f", "g_s", "∇²f(x⁻;z)Δx", "∇²F(x⁻)Δx", "E[g_s g_sᵀ]Δx")
)
"""g_f, g_s, the Hessian of the drawn batch at x_{t−1} times Δx, and the means of the latter two."""

ALONG = sympy.Symbol("c", real=True)
"""⟨g_s, Δx⟩, so that g_s g_sᵀΔx is c g_s."""

OUTER = ALONG * STALE
"""g_s g_sᵀΔx."""

COMPENSATED = STALE + lambda_ * OUTER
"""DC_λ(g_s, Δx)."""

AIM = X.gradient - OFF
"""Its mean given the past."""

STALE_MEAN = AIM - lambda_ * OUTER_MEAN
"""The mean of g_s, which is ∇F(x_{t−1})."""

E_T = Operator(
    "E_t",
    ("g", "g_f", "g_s", "c", "∇²f(x⁻;z)Δx", "F(x⁺)", "∇F(x⁺)", "step(g)", "∇step(g)"),
    given=("g⁻",),
)
"""Expectation over the samples and the stale elements of update t, given everything before it."""

U, Q = (sympy.Function(name, nonnegative=True) for name in ("U", "Q"))
"""Total expectations by update: ‖g⁻‖² and ‖g⁻‖⁴."""

q = lambda_ * eta * V2
"""What a step adds to the next one, at most: λ η V₂."""

STALE_SIZE = (
    Hypothesis("stale size", "‖g_s‖² ≤ V₂ on every draw (Assumption 2)", le(STALE**2, V2)),
    Hypothesis("along", "c is ⟨g_s, Δx⟩", eq(ALONG, STALE @ MOVED)),
)
FRESH_SIZE = Hypothesis("fresh size", "‖g_f‖² ≤ V₂ on every draw (Assumption 2)", le(FRESH**2, V2))
SMALL = Hypothesis("small", "ληV₂ ≤ 1 − 1/√2", le(q, 1 - 1 / sympy.sqrt(2)))
MIXED = Hypothesis(
    "mixed",
    "every element of g is one of g_f or of the compensated gradient",
    le(G**2, FRESH**2 + COMPENSATED**2),
)
MIXED_MEAN = Hypothesis(
    "mixed mean",
    "each element is stale with probability κ, whatever the samples (Assumption 5)",
    eq(E_T.of(G**2), (1 - kappa) * E_T.of(FRESH**2) + kappa * E_T.of(COMPENSATED**2)),
)
MIXED_SLOPE = Hypothesis(
    "mixed slope",
    "the same of its inner product with ∇F(x_t) (Assumption 5)",
    eq(
        E_T.of(G @ X.gradient),
        (1 - kappa) * E_T.of(FRESH @ X.gradient) + kappa * E_T.of(COMPENSATED @ X.gradient),
    ),
)
AT_REST = (
    Hypothesis("at rest", "x_{−1} is x_0", eq(U(0), 0)),
    Hypothesis("at rest, fourth power", "x_{−1} is x_0", eq(Q(0), 0)),
)
MEANS = (
    Hypothesis(
        "fresh mean",
        "g_f is unbiased at x_t (taken with ∇F(x_t))",
        eq(E_T.of(FRESH @ X.gradient), X.gradient**2),
    ),
    Hypothesis(
        "fresh variance",
        "g_f is the mean over n independent workers, each of variance at most V₁ (Assumption 2)",
        le(E_T.of((FRESH - X.gradient) ** 2), V1 / n),
    ),
    Hypothesis(
        "aim",
        "the compensated gradient has the mean s given the past (taken with s)",
        eq(E_T.of(COMPENSATED @ AIM), AIM**2),
    ),
    Hypothesis(
        "aim, slope",
        "the compensated gradient has the mean s given the past (taken with ∇F(x_t))",
        eq(E_T.of(COMPENSATED @ X.gradient), AIM @ X.gradient),
    ),
    Hypothesis(
        "outer mean",
        "g_s g_sᵀΔx has its mean given the past (taken with that mean)",
        eq(E_T.of(OUTER @ OUTER_MEAN), OUTER_MEAN**2),
    ),
    Hypothesis(
        "stale variance",
        "g_s is the mean over n workers at x_{t−1}, whose samples the past does not know: its "
        "variance is at most V₁/n (Assumption 2)",
        le(E_T.of((STALE - STALE_MEAN) ** 2), V1 / n),
    ),
)
CURVATURE = (
    Hypothesis(
        "taylor",
        "the remainder of Taylor's formula of ∇F at x_{t−1} is at most M‖Δx‖² (Assumption 4)",
        le((OFF + lambda_ * OUTER_MEAN - HESSIAN) ** 2, M**2 * (MOVED**2) ** 2),
    ),
    Hypothesis(
        "curvature",
        "the Hessian of an L-smooth F is at most L (Assumption 1)",
        le(HESSIAN**2, L**2 * MOVED**2),
    ),
    Hypothesis(
        "outer product",
        "‖∇f∇fᵀ − ∇²f‖ ≤ Δ for the drawn batch at x_{t−1} (Assumption 4)",
        le((CURVED - OUTER) ** 2, Delta**2 * MOVED**2),
    ),
    Hypothesis(
        "mean outer product",
        "given the past, the Hessian of the batch has the mean ∇²F(x_{t−1})",
        eq(E_T.of((CURVED - OUTER) @ (HESSIAN - OUTER_MEAN)), (HESSIAN - OUTER_MEAN) ** 2),
    ),
)

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""


def along(draft: Draft) -> Draft:
    """A theorem about a run of SAPipe-DC."""
    draft.varying(ALONG)
    means = {B: OFF**2, U: LAST.position**2, Q: (LAST.position**2) ** 2}
    return setting.along(draft, means, [(LAST, THIS)])


def stepping(draft: Draft, *sizes: Hypothesis) -> Draft:
    """A theorem about the lengths of its steps, where ‖g_s‖ and what else is bounded as said."""
    draft.functions.append(function("step", LAST, THIS))
    draft.varying(ALONG)
    draft.iterate(LAST.position, G, t)
    draft.sequences({U: LAST.position**2, Q: (LAST.position**2) ** 2})
    return setting.assuming(draft, *STALE_SIZE, *sizes, SMALL)
