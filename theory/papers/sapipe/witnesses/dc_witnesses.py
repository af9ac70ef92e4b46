"""Exact numbers at which lines of the proof of Theorem 3 fail, or are loose."""

from fractions import Fraction
from typing import Any

from theory.judging.decide import proves
from theory.papers.sapipe.witnesses.log_cosh import LogCosh
from theory.papers.sapipe.witnesses.steep import STEEP

LOSS = LogCosh(Fraction(1))
"""ln cosh x: L = 1, V₂ = 1, Δ = 1."""

SLOPE = Fraction(4, 5)
"""tanh x at the point that is looked at."""

SPREAD = Fraction(9, 10)
"""Samples add ±9x/10 to the loss, each with probability 1/2."""


def lengths() -> dict[str, Any]:
    """The two bounds of a step with V₂ = η = 1 and λ = 1/4, and the longest steps they allow.

    Examples
    --------
    >>> lengths()["a_t of a_t = η√V₂ + ηλV₂ a_{t−1}"][:3]
    [Fraction(1, 1), Fraction(5, 4), Fraction(21, 16)]
    """
    ratio, steps = Fraction(1, 4), [Fraction(1)]
    while len(steps) < 6:
        steps.append(1 + ratio * steps[-1])
    limit = 1 / (1 - ratio)
    assert steps[-1] < limit, "the geometric sum bounds every step"
    return {
        "eta": 1,
        "V2": 1,
        "lambda": ratio,
        "a_t of a_t = η√V₂ + ηλV₂ a_{t−1}": steps,
        "geometric sum": limit,
        "printed": 2 * limit,
    }


def objective() -> dict[str, Any] | None:
    """‖E[∇²f − ggᵀ]‖ above the Δ of F, for f = ln cosh x ± 9x/10; None if it is not.

    Examples
    --------
    >>> found = objective()
    >>> str(found["|E[f'' − g²]|"]), str(found["Delta of F"])
    ('109/100', '1')
    """
    draws = [LOSS.gradient(SLOPE) + sign * SPREAD for sign in (-1, 1)]
    variance = sum(((one - LOSS.gradient(SLOPE)) ** 2 for one in draws), Fraction(0)) / 2
    second = sum((one**2 for one in draws), Fraction(0)) / 2
    found = abs(LOSS.curvature(SLOPE) - second)
    allowed = LOSS.apart()
    if found <= allowed:
        return None
    return {
        "f(x; z)": "ln cosh x + z x, z = ±9/10 with probability 1/2 each; n = 1",
        "tanh x": SLOPE,
        "|E[f'' − g²]|": found,
        "Delta of F": allowed,
        "Delta + V1/n": allowed + variance,
    }


def first_layers(stale: Fraction = Fraction(4, 5)) -> dict[str, Any] | None:
    """A compensation of the first elements alone misses more than Δ‖Δx‖; None if it does not.

    F(x, y) = h(ax + by), a² + b² = 1, and x alone is stale: what λ = 1 misses of the Hessian in x
    is a(h″ − h′²)Δx + bh″Δy times a, instead of the first row of ∇²F − ∇F∇Fᵀ times (Δx, Δy).

    Examples
    --------
    >>> found = first_layers()
    >>> found["missed, squared"] > found["Delta, squared"]
    True
    """
    slope, share = STEEP.bend, stale**2
    curvature = STEEP.curvature(slope)
    row = share**2 * (curvature - slope**2) ** 2 + share * (1 - share) * curvature**2
    whole = (curvature - slope**2) ** 2 * share
    if not proves(*STEEP.hold()) or row <= STEEP.apart**2:
        return None
    return {
        "F(x, y)": f"h(ax + by), h = −ln cos up to h' = {STEEP.bend}, a = {stale}, a² + b² = 1",
        "stale": "x; lambda = 1, ‖Δx‖ = 1 in the worst direction",
        "h', h''": [slope, curvature],
        "L, Delta": [STEEP.smoothness, STEEP.apart],
        "missed, squared": row,
        "Delta, squared": STEEP.apart**2,
        "missed by a compensation that sees all of Δx, squared": whole,
    }


def first_iteration(stepsize: Fraction = Fraction(1, 10)) -> dict[str, Any] | None:
    """F(x_1) = F(x_0) above what the line for t = 1 allows; None if it is not.

    Examples
    --------
    >>> str(first_iteration()["most that F(x_1) − F(x_0) may be"])
    '-591/25000'
    """
    weight = Fraction(1, 2)
    large, remainder, apart = LOSS.largest_gradient, LOSS.remainder, LOSS.apart()
    error = (
        64 * stepsize**5 * remainder**2 * large**2
        + 16 * stepsize**3 * ((1 - weight) ** 2 * LOSS.smoothness**2 + weight**2 * apart**2) * large
        + 8 * stepsize**4 * weight**2 * LOSS.smoothness * large**3
    )
    allowed = error - stepsize / 2 * LOSS.gradient(SLOPE) ** 2
    if not proves(*LOSS.hold()) or allowed >= 0:
        return None
    return {
        "F": "ln cosh x, no noise, kappa = 1",
        "tanh x_0": SLOPE,
        "eta": stepsize,
        "lambda": weight,
        "L, V2, M, Delta": [LOSS.smoothness, large, remainder, apart],
        "F(x_1) − F(x_0)": 0,
        "most that F(x_1) − F(x_0) may be": allowed,
    }
