"""`StepDelays`: closed forms of delays beside a family's figures, with their proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import sympy

from theory.smt.solver import Outcome
from theory.verdicts import Verdict, weakest

NO_FORMS: Final = "no forms fit the starts and the ends of small runs"

Values = Mapping[sympy.Symbol, int]
"""Of parameters."""


class Forms(Protocol):
    """Closed forms of delays."""

    def to_json(self, chosen: Values) -> dict[str, Any]:
        """As plain data, with values of parameters."""


@dataclass(frozen=True)
class StepDelays:
    """Delays of a step of a family, or of windows, with their proof.

    Attributes
    ----------
    linearization : str
    places : Forms or None
    proof : tuple of Outcome
        Of all that is not in the proof of the family's figures.
    why : str
        What is missing where there are no places.
    chosen : mapping
        Values of parameters.
    """

    linearization: str
    places: Forms | None
    proof: tuple[Outcome, ...]
    why: str = ""
    chosen: Values = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """PROVED if every part is, else UNKNOWN."""
        known = self.places is not None
        proved = known and weakest(one.verdict for one in self.proof) is Verdict.PROVED
        return Verdict.PROVED if proved else Verdict.UNKNOWN

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        found: dict[str, Any] = {"linearization": self.linearization, "delay_open": ""}
        if self.places is None or self.verdict is not Verdict.PROVED:
            short = (one.note for one in self.proof if one.verdict is not Verdict.PROVED)
            return {**found, "delay": None, "delay_open": self.why or next(short, "no proof")}
        return {**found, **self.places.to_json(self.chosen)}
