"""The best λ for the Hessian terms of Theorems 3 and 6: a square completed.

Problem    (1 − λ)²L² + λ²Δ² stands in Err_DC and Err_WP-3.
Method     a square completed.
Guarantee  It is least at λ* = L²/(L² + Δ²), where it is L²Δ²/(L² + Δ²), less than the smaller of L²
           and Δ². In Err_DC one more term grows with λ, and the best λ is less than λ*.
Source     ours.
"""

from theory.kernel import Combine, Theorem
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import symbols

Delta, L, lambda_ = symbols.letters("Delta L lambda_")

BEST = L**2 / (L**2 + Delta**2)
"""λ*."""

LEAST = L**2 * Delta**2 / (L**2 + Delta**2)
"""What it gives."""


def loss(weight: Scalar) -> Scalar:
    """(1 − λ)²L² + λ²Δ² at this λ.

    Examples
    --------
    >>> loss(lambda_).subs(lambda_, 1), loss(BEST).subs({L: 1, Delta: 2})
    (Delta**2, 4/5)
    """
    return (1 - weight) ** 2 * L**2 + weight**2 * Delta**2


CLAIM = THEOREM = Theorem(
    id="sapipe.best-lambda",
    where="ours",
    statement="(1 − λ)²L² + λ²Δ² = L²Δ²/(L² + Δ²) + (L² + Δ²)(λ − L²/(L² + Δ²))² for every λ, so "
    "that it is least at λ = L²/(L² + Δ²) and nowhere else.",
    latex=r"(1 - \lambda)^2 L^2 + \lambda^2 \Delta^2 = \frac{L^2 \Delta^2}{L^2 + \Delta^2} + "
    r"(L^2 + \Delta^2) \left(\lambda - \frac{L^2}{L^2 + \Delta^2}\right)^2",
    kind="==",
    symbols=(L, Delta, lambda_),
    lhs=loss(lambda_),
    terms={"least": LEAST, "distance": (L**2 + Delta**2) * (lambda_ - BEST) ** 2},
    conclude=Combine(),
)
