"""`Figures`: what a family's source, or a run, says of its makespan and memory, as text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """Formulas of one step where every computation takes its unit time (`unit_durations`).

    Texts that sympy reads, over p (ranks), M (microbatches) and the family's parameters. They are
    claims: `theory.laws.figures.figures_law` proves them.

    Attributes
    ----------
    makespan : str
        Slots from the first action to the last.
    work : str
        Slots in which a rank works, the same on every rank.
    peak : str
        Most activations that rank r keeps, over all its stages; also over r.
    staleness : str
        Largest local staleness of stage s in a run; also over s.
    where : str
        The sizes, among those that the family accepts, for which all this is claimed.
    """

    makespan: str
    work: str
    peak: str
    staleness: str = "0"
    where: str = "True"
