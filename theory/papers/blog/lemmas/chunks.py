"""What ``tensor.chunk(pieces)`` makes of a batch: pieces of ⌈B/M⌉, the last smaller, or fewer."""

import sympy

from theory.laws.static_orders.symbols import M

B = sympy.Symbol("B", integer=True, positive=True)
"""Samples of the batch."""

CHUNK = sympy.ceiling(B / M)
"""Samples of every piece but the last."""


def sizes(batch: int, pieces: int) -> list[int]:
    """Sizes of the pieces, as ``torch.chunk`` makes them.

    Examples
    --------
    >>> sizes(10, 4), sizes(5, 4)
    ([3, 3, 3, 1], [2, 2, 1])
    """
    size = -(-batch // pieces)
    return [min(size, batch - start) for start in range(0, batch, size)]
