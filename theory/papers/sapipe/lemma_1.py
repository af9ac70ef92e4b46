"""Lemma 1: one update of SGD with any estimator of the gradient.

Problem    F is L-smooth; the samples' own losses need not be.
Method     x_t = x_{t−1} − ηg with η ≤ 1/L, g the mean of the workers' g_i; h is its mean given the
           past, the mean of their E[g_i]. Nothing else is asked of the g_i. The past is any that
           fixes x_{t−1}; which one decides what h is, and Theorems 2 to 6 take h for a gradient at
           a point that depends on samples, so they need the past to hold these.
Guarantee  E F(x_t) ≤ F(x_{t−1}) − (η/2)‖∇F(x_{t−1})‖² + (η/2)‖∇F(x_{t−1}) − h‖² + (Lη²/2)E‖g − h‖².
Source     SAPipe paper, appendix A, Lemma 1.
"""

from theory.kernel import Combine, Descent, descent, eq, vector
from theory.notation import function, theorem
from theory.papers.sapipe import setting

L, eta, E_T, NEXT, G, X = setting.letters("L eta E_T NEXT G X")

WHERE = "appendix A, Lemma 1"

MEAN = vector("h")
"""The mean of g given the past."""

_AHEAD = E_T.of(NEXT.value)
_SLOPE = X.gradient @ MEAN
_SIZE = E_T.of(G**2)
_SPREAD = E_T.of((G - MEAN) ** 2)
_OFF = (X.gradient - MEAN) ** 2
_HALF = eta / 2

_POLARIZED = eq(_SLOPE, -_OFF / 2 + X.gradient**2 / 2 + MEAN**2 / 2)
_SPLIT = eq(_SIZE, _SPREAD + MEAN**2)
_EXPECTED = _AHEAD <= X.value - eta * _SLOPE + L * eta**2 / 2 * _SIZE
_COMBINED = _AHEAD <= (
    X.value
    - eta * (-_OFF / 2 + X.gradient**2 / 2 + MEAN**2 / 2)
    + L * eta**2 / 2 * (_SPREAD + MEAN**2)
)

draft = theorem("sapipe.lemma-1", WHERE, function("F", X, NEXT))
draft.assume(setting.SMOOTH)
for against, name in ((X.gradient, "mean"), (MEAN, "mean, with itself")):
    draft.assume(
        eq(E_T.of(G @ against), MEAN @ against),
        name,
        "h is the mean of g given the past (taken with a fixed vector)",
    )
draft.assume(setting.STEPSIZE)
draft.assume("g is the mean of the workers' g_i, and h that of their means given the past")
draft.assume("the past is a σ-algebra that fixes x_{t−1}, the same one in every mean")
draft.have(descent(L, X, NEXT), "descent", by=Descent("smooth", X, NEXT), where=f"{WHERE}, line 1")
draft.have(
    NEXT.value <= X.value + X.gradient @ (G * -eta) + L / 2 * (G * -eta) ** 2,
    "the update in place",
    by=Combine({"descent": 1}),
    where=f"{WHERE}, line 2",
)
draft.have(
    _EXPECTED,
    "expected",
    by=Combine({"E_t[the update in place]": 1, "mean": -eta}),
    where=f"{WHERE}, expectation on both sides",
)
draft.have(_POLARIZED, "slope", by=Combine(), says="polarization", where=f"{WHERE}, ①")
draft.have(
    eq(_SIZE, E_T.of(((G - MEAN) + MEAN) ** 2)),
    "centred",
    by=Combine(),
    where=f"{WHERE}, ②, line 2",
)
draft.have(_SPLIT, "size", by=Combine({"mean, with itself": 2}), where=f"{WHERE}, ②, line 3")
draft.have(
    _EXPECTED, "combined, line 1", by=Combine({"expected": 1}), where=f"{WHERE}, combined, line 1"
)
draft.have(
    _COMBINED,
    "combined",
    by=Combine({"combined, line 1": 1, "slope": -eta, "size": L * eta**2 / 2}),
    where=f"{WHERE}, combined, line 2",
)
TERMS = {
    "value": X.value,
    "progress": -_HALF * X.gradient**2,
    "bias": _HALF * _OFF,
    "variance": L * eta**2 / 2 * _SPREAD,
}
draft.have(
    _AHEAD <= sum(TERMS.values()) - _HALF * MEAN**2 + L * eta**2 / 2 * MEAN**2,
    "sorted",
    by=Combine({"combined": 1}),
    where=f"{WHERE}, combined, line 3",
)
CLAIM = THEOREM = draft.shows(
    _AHEAD <= sum(TERMS.values()),
    TERMS,
    by=Combine({"sorted": 1, "stepsize": L * _HALF * MEAN**2}),
    says="For L-smooth F and η ≤ 1/L, one update x_t = x_{t−1} − ηg with any estimator g, of mean "
    "h given the past, has E F(x_t) ≤ F(x_{t−1}) − (η/2)‖∇F(x_{t−1})‖² + (η/2)‖∇F(x_{t−1}) − h‖² "
    "+ (Lη²/2)E‖g − h‖².",
    latex=r"\mathbb{E} F(x_t) \le F(x_{t-1}) - \tfrac{\eta}{2}\|\nabla F(x_{t-1})\|^2 + "
    r"\tfrac{\eta}{2}\|\nabla F(x_{t-1}) - \mathbb{E} g_t\|^2 + "
    r"\tfrac{L\eta^2}{2}\mathbb{E}\|g_t - \mathbb{E} g_t\|^2",
)
