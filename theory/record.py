"""`Paper`: all that a folder says of one paper, named in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from theory.bounds.supply import Supply
from theory.claims import Claim, Formulas
from theory.falsifier import Challenge
from theory.ledger import Evidence
from theory.tightness.evidence import Tightness


@dataclass(frozen=True)
class Paper:
    """What the machines find in the folder of a paper, ours or a user's.

    Attributes
    ----------
    rows : tuple of Claim
        In the order of the paper.
    challenges : mapping of str to Challenge
        By name, what the falsifier tries.
    bounds : Supply, optional
        For calculators.
    tightness : mapping of str to Tightness
        By claim, how near its bound is to being attained.
    """

    rows: tuple[Claim, ...]
    challenges: Mapping[str, Challenge] = field(default_factory=dict)
    bounds: Supply | None = None
    tightness: Mapping[str, Tightness] = field(default_factory=dict)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The rows, each with its tightness among the evidence that takes long to gather."""
        return tuple(
            replace(row, deeper=partial(_deeper, self.tightness[row.id], row))
            if row.id in self.tightness
            else row
            for row in self.rows
        )


def _deeper(tightness: Tightness, row: Claim, printed: Formulas) -> tuple[Evidence, ...]:
    found = tightness.evidence()
    own = row.deeper(printed) if row.deeper is not None else ()
    return (*(() if found is None else (found,)), *own)
