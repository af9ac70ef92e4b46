"""Cases of which a few run on every change, and the others in turn, a share of them every day."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sample(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases, of which all but each `every`-th are marked slow.

    For a product of parameters, an `every` that divides no number of theirs takes some of each.

    >>> [len(case.marks) for case in sample("abcd", 3)]
    [0, 1, 1, 0]
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if number % every == 0 else pytest.mark.slow,
        )
        for number, case in enumerate(cases)
    ]
