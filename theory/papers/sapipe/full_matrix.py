"""(1): the full matrix gg^T in delay compensation, instead of DC-ASGD's diagonal g∘g.

Problem    The full matrix is preferred, as its diagonal alone would make an additional error.
Method     (gg^TΔ)_k − (g∘g∘Δ)_k = g_k Σ_{l ≠ k} g_lΔ_l; beside it, both errors against ∇²fΔ.
Guarantee  The diagonal adds exactly that to the error of gg^T, at most. But the sum may be the
           smaller one: of f = ‖x‖²/2 at (1, 1) the diagonal is the Hessian, and gg^T is not.
Source     SAPipe paper, section 3.2, (1).
"""

from collections.abc import Iterator
from fractions import Fraction

import sympy

from theory.judging import prover
from theory.kernel.lemmas import TRIANGLE

g, step, others = sympy.symbols("g_k Delta_k S", real=True)
"""One element of g and of Δ; Σ_{l ≠ k} g_lΔ_l."""

_APART = "error against gg^T"
_HESSIAN = "error against the Hessian"


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    left_out = sympy.expand(g * (g * step + others) - g**2 * step - formulas["left out"])
    says = "(gg^TΔ)_k − g_k²Δ_k is the stated error"
    yield prover.Compared(says, "sympy.expand", left_out == 0)
    yield TRIANGLE


def errors(gradient: tuple[int, int], move: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """Squared errors of gg^TΔ and of g∘g∘Δ against ∇²fΔ = Δ, f = ‖x‖²/2.

    Examples
    --------
    >>> [str(error) for error in errors((1, 1), (1, 0))]
    ['1', '0']
    """
    pairs = tuple(zip(gradient, move, strict=True))
    along = sum(a * b for a, b in pairs)
    full = sum((a * along - b) ** 2 for a, b in pairs)
    return Fraction(full), Fraction(sum((a * a * b - b) ** 2 for a, b in pairs))


def _smaller() -> prover.Refutation:
    full, diagonal = errors((1, 1), (1, 0))
    witness = {
        "f": "(x² + y²)/2",
        "g at (1, 1)": [1, 1],
        "Delta": [1, 0],
        "squared error of gg^T": str(full),
        "squared error of the diagonal": str(diagonal),
    }

    def of_the_full_matrix() -> sympy.Rational:
        return sympy.Rational(*errors((1, 1), (1, 0))[0].as_integer_ratio())

    d = sympy.Symbol("diagonal", nonnegative=True)
    at = {d: sympy.Rational(*diagonal.as_integer_ratio())}
    return prover.Refutation(witness, prover.Violation(of_the_full_matrix, "<=", d, at))


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return (
        prover.Case(
            _APART,
            prover.Decision(tuple(_grounds(formulas))),
            "the diagonal's error is at most that of gg^T and ‖(g∘S)‖ together, the triangle "
            "inequality; with the full matrix the second is not there",
        ),
        prover.Case(_HESSIAN, prover.Decision(fails=_smaller()), "the two errors may cancel"),
    )


CLAIM = prover.row(
    "sapipe.full-matrix",
    "section 3.2, (1)",
    "The full-matrix form gg^TΔ of delay compensation avoids the additional error of its diagonal "
    "approximation g∘g∘Δ, whose k-th element differs by g_k Σ_{l≠k} g_lΔ_l.",
    r"(g g^\top \Delta)_k - (g \circ g \circ \Delta)_k = g_k \sum_{l \ne k} g_l \Delta_l",
    {"left out": g * others},
    _grounds,
    cases=_cases,
    holding=(_APART,),
)
