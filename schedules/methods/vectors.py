"""Arithmetic that numpy arrays, exact object arrays and torch tensors share.

Only what all three can do is used, elementwise and in a fixed order, so that equal inputs give
equal bits in numpy and in torch, and exact results in Fractions. No library is imported for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

from schedules.errors import ParameterError, ScheduleError

Vector: TypeAlias = Any
"""A numpy array (floating, or object array of `int` and `Fraction`) or a floating torch tensor."""

Number: TypeAlias = int | float | Fraction
"""A stepsize or weight; with exact vectors an `int` or `Fraction`."""


def is_exact(vector: Vector) -> bool:
    """Whether these are objects, int and Fraction, instead of floating-point numbers."""
    return bool(vector.dtype == object)


def number_for(value: Number, vector: Vector, name: str) -> Number:
    """A parameter as the kind of number that the vector calculates with.

    Raises
    ------
    ParameterError
        A float for an exact vector; a number that has no float for a floating one.
    """
    if is_exact(vector):
        if isinstance(value, Rational):
            return Fraction(int(value.numerator), int(value.denominator))  # numpy integers wrap
        raise ParameterError(
            f"an exact run takes exact parameters, found the {type(value).__name__} {value!r}",
            name,
            f"give Fraction({str(value)!r}), or the model in floats",
        )
    try:
        return float(value)
    except OverflowError:
        raise ParameterError(
            "a parameter of a floating-point run fits a float, found a larger fraction",
            name,
            "make it smaller, or give the model as an object array of Fractions",
        ) from None


def mean(vectors: Sequence[Vector]) -> Vector:
    """(1/n) Σ, summed in the order given.

    Examples
    --------
    >>> import numpy as np
    >>> mean([np.array([1.0, 2.0]), np.array([3.0, 6.0])])
    array([2., 4.])
    """
    total = vectors[0]
    for vector in vectors[1:]:
        total = total + vector
    return share(total, len(vectors))


def share(vector: Vector, count: int) -> Vector:
    """A `count`-th of the vector; exact where the vector is."""
    if is_exact(vector):
        return vector * Fraction(1, count)
    # By a vector, since on a GPU torch divides by a number as it multiplies by its inverse, which
    # is rounded twice.
    return vector / (zeros_like(vector) + count)


def inner(left: Vector, right: Vector) -> Any:
    """⟨left, right⟩, added up by folding the products in half until one is left.

    The libraries' own dot products add in orders of their own and so differ in their last bits.

    Examples
    --------
    >>> import numpy as np
    >>> int(inner(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])))
    32
    """
    products = (left * right).reshape(-1)
    while products.shape[0] > 1:
        half = (products.shape[0] + 1) // 2
        products[: products.shape[0] - half] += products[half:]
        products = products[:half]
    return products[0]


def copied(vector: Vector) -> Vector:
    """The same numbers in memory of their own."""
    return 1 * vector


def zeros_like(vector: Vector) -> Vector:
    """Zeros of this shape, kind and device."""
    return vector - vector


def is_finite(vector: Vector) -> bool:
    """Whether no element is infinite or NaN; on a GPU this waits for its work to end."""
    return bool((abs(vector) < math.inf).all())


def require_vector(vector: Vector, where: str, error: type[ScheduleError]) -> None:
    """Refuse what is not a finite, detached, non-empty vector.

    Raises
    ------
    `error`
    """
    _require_array(vector, where, error)
    if len(vector.shape) == 0 or 0 in vector.shape:
        raise error(
            f"a vector has at least one axis and one element, found the shape "
            f"{tuple(vector.shape)}",
            where,
            "give at least one number, reshape(-1) a scalar",
        )
    if getattr(vector, "requires_grad", False):
        raise error(
            "updates are no part of a differentiated graph, found a tensor that requires a "
            "gradient",
            where,
            "detach() it",
        )
    _require_numbers(vector, where, error)
    if not is_finite(vector):
        raise error(
            "all elements are finite, found an infinite one or NaN",
            where,
            "take a smaller learning rate, or look for the operation that yields it",
        )


def _require_array(vector: Vector, where: str, error: type[ScheduleError]) -> None:
    if not hasattr(vector, "shape") or not hasattr(vector, "dtype"):
        raise error(
            f"a vector is a numpy array or a torch tensor, found a {type(vector).__name__}",
            where,
            "convert it, e.g. with numpy.array",
        )


def _require_numbers(vector: Vector, where: str, error: type[ScheduleError]) -> None:
    dtype = vector.dtype
    if is_exact(vector):
        for element in vector.reshape(-1).tolist():
            if not isinstance(element, (int, Fraction)) or isinstance(element, bool):
                raise error(
                    "elements of an object array are int or Fraction, found the "
                    f"{type(element).__name__} {element!r}",
                    where,
                    "convert it, or use a floating-point array",
                )
    elif getattr(dtype, "kind", "") != "f" and not getattr(dtype, "is_floating_point", False):
        raise error(
            f"elements are floating-point numbers, or exact in an object array, found {dtype}",
            where,
            "convert it with astype(float), or with astype(object) for exact runs",
        )


def require_like(vector: Vector, model: Vector, where: str, error: type[ScheduleError]) -> None:
    """Refuse a vector that is no valid partner of the model.

    Raises
    ------
    `error`
    """
    _require_array(vector, where, error)
    for what in ("shape", "dtype", "device"):
        found, wanted = (getattr(each, what, None) for each in (vector, model))
        if found != wanted:
            raise error(
                f"it has the {what} of the model, {wanted}, found {found}",
                where,
                "make both alike",
            )
    require_vector(vector, where, error)
