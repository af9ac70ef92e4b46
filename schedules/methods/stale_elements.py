"""Which elements of the model are stale, and vectors put together from stale and fresh ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral
from typing import TypeAlias

from schedules.errors import ParameterError
from schedules.methods.vectors import Vector, copied, zeros_like

Stale: TypeAlias = int | tuple[bool, ...]
"""The first so many elements of the flat model, or for each element whether it is stale."""


def prefix(sizes: Sequence[int], layers: int) -> int:
    """How many elements the first `layers` layers have, for layers of these sizes in forward order.

    Raises
    ------
    ParameterError
        A size below 0, or a number of layers outside 0 … ``len(sizes)``.

    Examples
    --------
    >>> prefix([6, 3, 8], 2)
    9
    """
    if any(_not_whole(size) or size < 0 for size in sizes):
        raise ParameterError(
            f"a layer has a whole number of elements, at least 0, found {list(sizes)}",
            "sizes",
            "give numel() of each layer",
        )
    if _not_whole(layers) or not 0 <= layers <= len(sizes):
        raise ParameterError(
            f"of {len(sizes)} layers 0 to {len(sizes)} are stale, found {layers!r}",
            "layers",
            "give a number in that range",
        )
    return int(sum(sizes[:layers]))


def stale_share(stale: Stale, elements: int) -> Fraction:
    """κ of Definition 1: the share of stale elements.

    Raises
    ------
    ParameterError
        `stale` does not fit a model of that size.

    Examples
    --------
    >>> stale_share(9, 12), stale_share((True, False, False), 3)
    (Fraction(3, 4), Fraction(1, 3))
    """
    require_stale(stale)
    require_fit(stale, (elements,))
    return Fraction(stale if isinstance(stale, int) else sum(stale), elements)


def mixed(stale: Stale, where_stale: Vector, elsewhere: Vector) -> Vector:
    """A new vector with the stale elements of one and the other elements of the other."""
    chosen = slice(stale) if isinstance(stale, int) else list(stale)
    result = copied(elsewhere)
    result[chosen] = where_stale[chosen]
    return result


def only_stale(stale: Stale | None, vector: Vector) -> Vector:
    """The vector with zeros in place of fresh elements; None: all elements are stale."""
    return vector if stale is None else mixed(stale, vector, zeros_like(vector))


def require_stale(stale: Stale) -> None:
    """Refuse what says of no element whether it is stale.

    Raises
    ------
    ParameterError
    """
    if isinstance(stale, tuple) and all(isinstance(each, bool) for each in stale):
        return
    if not isinstance(stale, int) or isinstance(stale, bool) or stale < 0:
        raise ParameterError(
            "stale elements are a prefix, a whole number of at least 0, or a tuple with a bool for "
            f"each element, found {_short(stale)}",
            "stale",
            "give such a number, or tuple(mask.tolist()) of a mask",
        )


def require_fit(stale: Stale, shape: Sequence[int]) -> None:
    """Refuse stale elements of a model of another size.

    Raises
    ------
    ParameterError
    """
    if len(shape) != 1:
        raise ParameterError(
            f"partial staleness needs a flat model, found the shape {tuple(shape)}",
            "model",
            "reshape(-1) it",
        )
    size = shape[0]
    if stale > size if isinstance(stale, int) else len(stale) != size:
        found = f"a prefix of {stale}" if isinstance(stale, int) else f"a mask of {len(stale)}"
        raise ParameterError(
            f"a model of {size} elements has a prefix of at most {size} or a mask of exactly "
            f"{size}, found {found}",
            "stale",
            "count elements, not layers (see `prefix`)",
        )


def _not_whole(value: object) -> bool:
    return not isinstance(value, Integral) or isinstance(value, bool)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
