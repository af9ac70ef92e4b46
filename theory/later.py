"""`Later`: a mapping that is worked out when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeVar

_Value = TypeVar("_Value")


class Later(Mapping[str, _Value]):
    """A mapping that is worked out when it is first looked at.

    Examples
    --------
    >>> found = Later(lambda: {"a": print("now") or 1})
    >>> found["a"], found["a"]
    now
    (1, 1)
    """

    def __init__(self, work_out: Callable[[], Mapping[str, _Value]]) -> None:
        self._work_out = cache(work_out)

    def __getitem__(self, name: str) -> _Value:
        return self._work_out()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._work_out())

    def __len__(self) -> int:
        return len(self._work_out())
