"""The runs of an experiment, and what they give."""

from collections.abc import Mapping, Sequence
from typing import Any

Cell = Mapping[str, Any]
"""Parameters of one run, plain JSON: the key under which its result is kept."""

Result = Any
"""What a cell gives, plain JSON."""

Finished = Sequence[tuple[Cell, Result]]
