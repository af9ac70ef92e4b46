"""The least multiplier that a fact has in certificates with squares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from theory.proving.blocks import blocks_of
from theory.proving.forms import Element
from theory.proving.patterns import nearby
from theory.proving.problem import Problem
from theory.proving.semidefinite import available, cheapest
from theory.proving.squares import exact_of, is_semidefinite, program_of, values_of

FIRST: Final = (1e4, 1e3)
"""What the multiplier costs that is to be least, beside squares; the solver may fail at one."""
CLOSE: Final = 1e-5
"""How near a plain number is to the least that is computed."""


def least_with_squares(problem: Problem, name: str) -> Iterator[tuple[Element, list[float]]]:
    """What the least multiplier of a fact may be, and as numbers at the points.

    By the rank of the squares, else a plain number, maybe times powers of parameters; whether
    there is a certificate with it is for the caller to see.
    """
    blocks = blocks_of(problem) if available() else []
    for price, block in product(FIRST, blocks):
        program, kept, names, terms = program_of(problem, block)
        if program is None or name not in names:
            continue
        place = kept.index(names.index(name))
        priced = [
            replace(c, cost=price if k == place else 0) for k, c in enumerate(program.columns)
        ]
        outcome, numbers = cheapest(replace(program, columns=priced), place)
        if outcome is None or place not in outcome.columns:
            continue
        exact = exact_of(problem, block, [kept[n] for n in outcome.columns], names, terms, outcome)
        for values in values_of(exact, outcome):
            if is_semidefinite(exact, values):
                yield values[exact.facts.index(name)], numbers
        yield from ((element, numbers) for element in nearby(problem, numbers, CLOSE))
