"""The drift term of (13) beside its 1/√(NT) term, with constants; and no drift at H = 1."""

import sympy

from theory.kernel import Combine, Hypothesis, Theorem, le
from theory.notation import equal, theorem
from theory.papers.localsgd.eq_13 import TUNED
from theory.papers.localsgd.lemmas import sharp_eq_11
from theory.papers.localsgd.method import AVERAGE, STEPSIZE, f, f_r
from theory.papers.rpd.symbols import Delta, Gt, H, L, N, T, gamma, sigma

c = sympy.Symbol("c", positive=True)
"""How many times the threshold H may be."""

THRESHOLD = T ** sympy.Rational(1, 4) / N ** sympy.Rational(3, 4)
RATE = 1 / sympy.sqrt(N * T)
DRIFT = 4 * N * H**2 * Gt**2 / T
NOISE = 2 * L * Delta + sigma**2
"""What the 1/√(NT) term has for a constant."""


_A, _B = sympy.symbols("a b", positive=True)
_ROOTS = {N: _A**4, T: _B**4}
"""N and T by their fourth roots, so that all is rational."""


def _by_roots(form: sympy.Expr) -> sympy.Expr:
    return sympy.sympify(form).subs(_ROOTS)


def enough(threshold: sympy.Expr) -> Theorem:
    """H at most c thresholds keeps the drift term within 4c²G̃² of the rate.

    Parameters
    ----------
    threshold : sympy expression
        In N and T.
    """
    drift, rate, least = _by_roots(DRIFT), _by_roots(RATE), _by_roots(threshold)
    return Theorem(
        id="localsgd.speedup-enough",
        where="appendix D, before (13)",
        statement="H ≤ c times the threshold gives 4NH²G̃²/T ≤ 4c²G̃²/√(NT), for every c > 0.",
        latex=r"H \le c\,\theta \Rightarrow 4NH^2\tilde G^2/T \le 4c^2\tilde G^2/\sqrt{NT}",
        symbols=(H, Gt, c, _A, _B),
        hypotheses=(Hypothesis("period", "H is at most c thresholds", le(H, c * least)),),
        lhs=drift,
        terms={"rate": 4 * c**2 * Gt**2 * rate},
        conclude=Combine({"period": drift / H**2 * (c * least + H)}),
    )


def needed(threshold: sympy.Expr) -> Theorem:
    """A drift term within 4c²G̃² of the rate needs H at most c thresholds.

    Parameters
    ----------
    threshold : sympy expression
        In N and T.
    """
    drift, rate, least = _by_roots(DRIFT), _by_roots(RATE), _by_roots(threshold)
    return Theorem(
        id="localsgd.speedup-needed",
        where="appendix D, before (13)",
        statement="4NH²G̃²/T ≤ 4c²G̃²/√(NT) needs H ≤ c times the threshold, for every c > 0.",
        latex=r"4NH^2\tilde G^2/T \le 4c^2\tilde G^2/\sqrt{NT} \Rightarrow H \le c\,\theta",
        symbols=(H, Gt, c, _A, _B),
        hypotheses=(
            Hypothesis("drift", "drift is within the rate", le(drift, 4 * c**2 * Gt**2 * rate)),
        ),
        lhs=H,
        terms={"threshold": c * least},
        conclude=Combine({"drift": H**2 / (drift * (c * least + H))}),
    )


LIMIT = sympy.sqrt(NOISE) / (2 * Gt) * T ** sympy.Rational(1, 4) / N ** sympy.Rational(3, 4)
"""The largest H at which the drift term is no larger than the 1/√(NT) term as it is printed."""


def at_constant(threshold: sympy.Expr, limit: sympy.Expr = LIMIT) -> bool:
    """Whether c = √(2LΔ + σ²)/(2G̃) turns `enough` and `needed` into drift ≤ rate iff H ≤ limit.

    Both are proved for every c > 0, so for this one wherever 2LΔ + σ² > 0.

    Parameters
    ----------
    threshold : sympy expression
        In N and T.
    limit : sympy expression
        What H is then compared with.

    Examples
    --------
    >>> at_constant(THRESHOLD), at_constant(THRESHOLD, 2 * LIMIT)
    (True, False)
    """
    (_, period), _ = enough(threshold).relations
    (_, drift), _ = needed(threshold).relations
    sides = [
        (enough(threshold).goal.rhs, NOISE * RATE),
        (period.rhs, limit),
        (drift.rhs, NOISE * RATE),
        (needed(threshold).goal.rhs, limit),
    ]
    return all(
        sympy.simplify(side.subs(c, sympy.sqrt(NOISE) / (2 * Gt)) - _by_roots(form)) == 0
        for side, form in sides
    )


draft = theorem("localsgd.speedup-every-step", "ours", f, f_r)
draft.assume(equal(gamma, TUNED), "tuned", "γ = √N/(L√T)")
draft.assume(equal(H, 1), "every step", "H = 1")
draft.assume(N <= T, "more steps", "N ≤ T")
draft.have(TUNED <= 1 / L, "small")
draft.have(gamma <= 1 / L, "stepsize")
draft.cite(sharp_eq_11.THEOREM, name="(11)", unused=(STEPSIZE.name,))
EVERY_STEP = draft.shows(
    AVERAGE <= NOISE * RATE,
    {"rate": NOISE * RATE},
    by=Combine(
        {
            "(11)": 1,
            "every step": gamma**2 * Gt**2 * L**2 * (H - 1),
            "tuned": L * sigma**2 / N - 2 * Delta / (T * gamma * TUNED),
        }
    ),
    says="With H = 1 and γ = √N/(L√T), the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "(2LΔ + σ²)/√(NT) for all N ≤ T.",
)
