"""Simpler problems and numbers beside one, simplest changes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from theory.falsifier.problem import Problem

Some = TypeVar("Some", bound=Problem)


def simpler_problems(problem: Problem) -> Iterator[Problem]:
    """Without a block, without a component, from a plainer start."""
    if problem.coupling:
        yield replace(problem, coupling=Fraction(0))
    elif problem.p > 1:
        for i in range(problem.p):
            yield without_block(problem, i)
    if len(problem.components) > 1:
        for m in range(len(problem.components)):
            rest = problem.components[:m] + problem.components[m + 1 :]
            yield replace(problem, components=rest)
    yield from plainer_starts(problem)


def plainer_starts(problem: Some) -> Iterator[Some]:
    """The problem from starts of which one coordinate is plainer."""
    for j, value in enumerate(problem.start):
        for plain in plainer(value):
            yield replace(problem, start=(*problem.start[:j], plain, *problem.start[j + 1 :]))


def without_block(problem: Problem, i: int) -> Problem:
    """The problem on its other blocks."""
    kept = [j for j, block in enumerate(problem.blocks) if block != i]
    return replace(
        problem,
        components=tuple(tuple(parts[j] for j in kept) for parts in problem.components),
        start=tuple(problem.start[j] for j in kept),
        blocks=tuple(problem.blocks[j] - (problem.blocks[j] > i) for j in kept),
    )


def plainer(value: Fraction) -> Iterator[Fraction]:
    """Numbers with smaller numerators and denominators.

    Examples
    --------
    >>> [str(x) for x in plainer(Fraction(3, 4))]
    ['0', '1', '2', '1/2', '4']
    """
    size = abs(value.numerator) + value.denominator
    for plain in (Fraction(0), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(4)):
        if abs(plain.numerator) + plain.denominator < size:
            yield plain
