"""With F = B some order keeps d ranks busy where pipelines are placed as in Chimera, 4 | d.

All tokens have phase 0 or 2F: those of pipelines 2j and 2j + 1 start at ranks 4j and 4j − 1
together, and each takes a round of 2d slots without waiting. On rank 4R + ρ pipeline 2j has its
stage 4i + ρ with i + j = R modulo d/4, and pipeline 2j + 1 its stage d − 1 − 4i − ρ. So the
stages there differ by multiples of 4 in one direction, and the phases by 2: no two actions of a
rank fall on the same of the 2d slots, which d tokens fill with two each. Any order of the
actions is allowed, so that a start-up may wait until these phases are reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Final

import sympy
import z3

from theory.laws.delays.counts import linear_term
from theory.papers.amdp.lemmas.rotation import B, F, Forms, is_round, s
from theory.papers.amdp.placements import CHIMERA, rank, rank_of
from theory.papers.amdp.symbols import d
from theory.smt.instances import decide_from
from theory.smt.notation import stated, terms
from theory.smt.solver import Outcome, Statement, Term, merge, undecided

APART: Final = 2
"""Slots between the phases of a pipeline's two tokens."""

_DOWN, _UP = 0, 1
_WAYS: Final = tuple((way, kind) for way in (_DOWN, _UP) for kind in ("forward", "backward"))
_FOURTH, _REST = z3.Ints("e rho")
_SIZES: Final = "e >= 1, 0 <= rho, rho < 4, 0 <= i, i < e, 0 <= k, k < e"


def _slot(forms: Forms, way: int, kind: str, shift: Term, token: Term, apart: int) -> Term:
    """When a token's action on the rank starts, in slots."""
    stage, stages = z3.Int("s"), 4 * _FOURTH
    slots = linear_term(sympy.expand(forms[kind].subs({F: 1, B: 1})), {s: stage, d: stages})
    down = 4 * shift + _REST
    return z3.substitute(slots, (stage, stages - 1 - down if way == _UP else down)) + apart * token


def statements(forms: Forms, apart: int = APART) -> Iterator[Statement]:
    """That stages are where the argument has them, and no two actions share a slot."""
    first, second, pair, block = z3.Ints("i k j R")
    stages, down, here = 4 * _FOURTH, 4 * first + _REST, 4 * block + _REST
    at = ((_DOWN, down), (_UP, stages - 1 - down))
    yield Statement(
        "stages",
        "stage 4i + ρ of pipeline 2j, and stage d − 1 − 4i − ρ of 2j + 1, are on rank 4R + ρ",
        terms(f"{_SIZES}, 0 <= j, j < e, 0 <= R, R < e, j + i == R or j + i == R + e"),
        z3.And(*(rank(CHIMERA, stages, way, pair, stage, z3.If) == here for way, stage in at)),
    )
    one, two = z3.Ints("a b")
    for (way, kind), (other, rival) in combinations_with_replacement(_WAYS, 2):
        gap = _slot(forms, way, kind, first, one, apart) - _slot(
            forms, other, rival, second, two, apart
        )
        yield stated(
            f"{kind} {way}, {rival} {other}",
            "two actions of a rank are not on the same of the 2d slots of a round",
            f"{_SIZES}, 0 <= a, a <= 1, 0 <= b, b <= 1"
            + (", i != k or a != b" if (way, kind) == (other, rival) else ""),
            "gap != 0, gap != 8*e, gap != -8*e, -16*e < gap < 16*e",
            gap=gap,
        )


SAYS_SO: Final = "F = B, Chimera's placement: tokens with phases 0 and 2F never meet"


def proof(forms: Forms, apart: int = APART) -> Outcome:
    """That these phases fill all ranks, for every d that 4 divides, if F = B.

    Examples
    --------
    >>> from theory.papers.amdp.lemmas.rotation import FORMS
    >>> proof(FORMS).verdict.name, proof(FORMS, 1).verdict.name
    ('PROVED', 'REFUTED')
    """
    length = sympy.expand(forms["round"].subs({F: 1, B: 1}) - 2 * d) == 0
    if not (is_round(forms) and length):
        return undecided(merge("chimera", SAYS_SO, []), "the round is another")
    return merge(
        "chimera", SAYS_SO, [decide_from(one, {"e": 1}) for one in statements(forms, apart)]
    )


def phases(stages: int) -> list[tuple[int, int]]:
    """The tokens of the argument: pipeline and phase, in slots.

    Examples
    --------
    >>> phases(4)
    [(0, 0), (0, 2), (1, 0), (1, 2)]
    """
    return [(pipeline, APART * token) for pipeline in range(stages // 2) for token in range(2)]


def is_filled(stages: int, placement: str) -> bool:
    """Whether these phases do fill all ranks, slot by slot.

    Examples
    --------
    >>> is_filled(8, "chimera"), is_filled(8, "straight")
    (True, False)
    """
    slots = [
        (rank_of(placement, stages, pipeline, stage), slot % (2 * stages))
        for pipeline, phase in phases(stages)
        for stage in range(stages)
        for slot in (phase + stage, phase + 2 * stages - 1 - stage)
    ]
    return len(slots) == len(set(slots)) == 2 * stages**2
