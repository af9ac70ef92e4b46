"""Delay compensation: a stale gradient, moved on by a rank-one guess of the Hessian."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Final

from schedules.errors import ParameterError
from schedules.methods.vectors import (
    Number,
    Vector,
    inner,
    number_for,
    require_like,
    require_vector,
)

FORMS: Final = ("full", "diagonal")


def delay_compensated(
    gradient: Vector, movement: Vector, lambda_: Number, form: str = "full"
) -> Vector:
    """DC_λ of a gradient that was taken `movement` ago.

    The full form is g + λ g (gᵀΔx), equation (1) of SAPipe: one inner product, no matrix. The
    diagonal one, of DC-ASGD, is g + λ g∘g∘Δx.

    Parameters
    ----------
    gradient : Vector
        g, of any shape.
    movement : Vector
        Δx: the model now minus the model at which g was taken; shaped like g.
    lambda_ : number
        λ ≥ 0. It has the unit of 1/loss.
    form : {"full", "diagonal"}

    Raises
    ------
    ParameterError
        λ < 0 or not finite; an unknown form; vectors that are not alike, or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> delay_compensated(np.array([1.0, 2.0]), np.array([3.0, -1.0]), 0.5)
    array([1.5, 3. ])
    >>> delay_compensated(np.array([1.0, 2.0]), np.array([3.0, -1.0]), 0.5, form="diagonal")
    array([2.5, 0. ])
    """
    require_weight(lambda_)
    require_form(form)
    require_vector(gradient, "gradient", ParameterError)
    require_like(movement, gradient, "movement", ParameterError)
    return compensated(gradient, movement, lambda_, form)


def compensated(gradient: Vector, movement: Vector, lambda_: Number, form: str) -> Vector:
    """`delay_compensated` of arguments that have been looked at."""
    weight: Any = number_for(lambda_, gradient, "lambda_")
    if form == "full":
        return gradient + gradient * (weight * inner(gradient, movement))
    return gradient + weight * (gradient * gradient * movement)


def require_weight(lambda_: Number) -> None:
    """Refuse a λ outside its domain.

    Raises
    ------
    ParameterError
    """
    real = isinstance(lambda_, Real) and not isinstance(lambda_, bool)
    if not real or not lambda_ >= 0 or lambda_ == math.inf:
        raise ParameterError(
            f"λ is a finite number of at least 0, found {lambda_!r}",
            "lambda_",
            "give 0 for no compensation, or a positive number",
        )


def require_form(form: str) -> None:
    """Refuse an unknown form.

    Raises
    ------
    ParameterError
    """
    if form not in FORMS:
        raise ParameterError(
            f"a compensation is one of {', '.join(FORMS)}, found {form!r}", "form", "take one"
        )
