"""(3) with another distance to the stale point, of RPD or of NAG-RPD.

The proof of Theorem 4.1 uses of the stale point only that it is fixed before the draw and how far
it is from x^k, so it carries over to any point x̃^k with any bound of E‖x^k − x̃^k‖². Appendix I
implies as much of NAG-RPD.
"""

import sympy

from theory.kernel import Combine, Theorem
from theory.kernel.vectors import Scalar, Vector
from theory.notation import Draft
from theory.papers.rpd import eq_8
from theory.papers.rpd.method import (
    AVERAGE,
    BOUNDED,
    LOWER,
    SEQUENCES,
    START,
    F,
    S,
    after,
    f,
    k,
    old,
    uniform,
    x,
)
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, p


def average_gradient(T: Draft, at: Vector, drift: Scalar, size: Scalar, says: str) -> Theorem:
    """The mean of E‖∇f(x^k)‖² is at most 2pΔ/(γK) + pLγG² + L²γ²G² · size.

    Parameters
    ----------
    T : Draft
        In which `drift` (k) ≤ γ²G² · size is shown.
    at : Vector
        x̃.
    drift : sympy function
        E‖x^k − x̃^k‖².
    size : sympy expression
    says : str
    """
    T.functions.append(f)
    T.iterate(x, after, k)
    for known in uniform(f.grad(x), at):
        T.assume(known)
    T.cite(eq_8.THEOREM, {f(old): f(at)}, {old: at, f.grad(old): f.grad(at)}, name="(8)")
    T.assume(BOUNDED)
    T.assume(START)
    T.assume(LOWER)
    T.sequences({F: SEQUENCES[F], S: SEQUENCES[S]})
    stale = T.sequence("Ŝ" if at == old else "S̃", f.grad(at) ** 2)
    T.have(
        F(k + 1)
        <= F(k) - gamma / (2 * p) * (S(k) + stale(k) - L**2 * drift(k)) + L * gamma**2 * G**2 / 2,
        says="(9), before the distance is bounded, in total expectation",
    )
    terms = {
        "optimization": 2 * p * Delta / (gamma * K),
        "sampling": p * L * gamma * G**2,
        "staleness": L**2 * gamma**2 * G**2 * size,
    }
    return T.shows(AVERAGE <= sympy.Add(*terms.values()), terms, says=says)


def on_every_path(T: Draft, lemma: Theorem, apart: Vector, name: str = "") -> Scalar:
    """From ‖x − x̃‖ ≤ s on every path to E‖x^k − x̃^k‖² ≤ s².

    Parameters
    ----------
    T : Draft
    lemma : Theorem
        ‖x − x̃‖ ≤ s.
    apart : Vector
        x − x̃.
    name : str, optional
        Of the lemma.

    Returns
    -------
    sympy function
        E‖x^k − x̃^k‖².
    """
    size = sympy.Add(*lemma.terms.values())
    T.along(k)
    drift = T.sequence("nag drift", apart**2)
    T.have(sympy.S.Zero <= apart**2, "length")
    T.cite(lemma, name="distance", says=name)
    T.have(
        apart**2 <= size**2,
        by=Combine({"distance": size + sympy.sqrt(apart**2)}, domain=("length",)),
    )
    return drift
