"""Windows of whole multiples of d, where a rank serves all that is ready first come first served.

Stage s is on rank s in even pipelines and on rank d − 1 − s in odd ones, a rank serves all that
is ready first come first served, and windows are whole multiples of d. Each of the d
minibatches under way is a token; where one ends the next of its pipeline goes on as the same
token, one generation later.
1. Count an upward pipeline's actions from d on, modulo 2d: its F of stage s is visit d + s, its
   B is visit d − 1 − s; downward they are visits s and 2d − 1 − s. So all tokens go through the
   same 2d visits again and again, and visit v is on rank v or 2d − 1 − v ("visits").
2. Who reaches visit v has left visit v − 1, which is on one rank, so no two reach it at the
   same time ("arrivals"); they leave in the order in which they came ("in order"). Ties settle
   only the order of the p downward tokens that wait for visit 0 at the start, and of the q = d
   − p upward ones that wait for visit d; these came before all others.
3. So by induction every visit sees the tokens in rounds of d, in the same order: the downward
   ones first at visits below d, the upward ones first from d on ("places").
4. At a stage all d backwards of a generation end before one of the next starts: those of a
   direction share a visit. And the next downward generation has its F on visit d − 1 − s, where
   the upward ones do their backwards, behind these; upward likewise ("generations").
5. Generation g ≥ 1 has its forward behind its token's previous backward, so that d(g − 1) + 1
   backwards of the stage are over by then at least, and dg + d − 1 at most when its own starts.
   That is one update of a window of kd, and none unless k divides g ("one update", "others").
6. So of a window's k generations, all but the first have no mismatch. Its d minibatches come
   first by their backwards and by their numbers ("numbers"); by forwards see `window_laws`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import sympy
import z3

from schedules.actions import Kind
from theory.judging import prover
from theory.laws.delays.counts import linear_term
from theory.papers.amdp.placements import SAYS, STRAIGHT
from theory.papers.amdp.placements import rank as rank_of
from theory.papers.amdp.runs.fifo import ADMISSION
from theory.papers.amdp.symbols import d

DOWN, UP = 0, 1
"""Pipelines, for all of their direction."""

_STAGES, _STAGE = prover.terms("2*e, s")
_RANKS = "e >= 1, s >= 0, s < 2*e"
_TOKENS = "p >= 1, q >= 0, p + q == 2*e"


def visit(stages: prover.Term, pipeline: int, kind: Kind, stage: prover.Term) -> prover.Term:
    """Which of the 2d visits an action is; numbers, or solver terms.

    Examples
    --------
    >>> [visit(4, DOWN, kind, 1) for kind in (Kind.F, Kind.B)], visit(4, UP, Kind.B, 1)
    ([1, 6], 2)
    """
    upward = pipeline % 2
    if kind is Kind.F:
        return stage + stages if upward else stage
    return stages - 1 - stage if upward else 2 * stages - 1 - stage


def place(low: bool, upward: bool, done: prover.Term, token: prover.Term) -> prover.Term:
    """Whose turn it is at a visit below d, or from d on: a token of its direction and generation.

    `done` is d times the generation.
    """
    first = low != upward
    return done + token if first else done + z3.Int("p" if low else "q") + token


def _visits(placement: str) -> Iterator[prover.Statement]:
    """Of every pair of pipelines: only so a direction stands for all that go that way."""
    pair, kinds = z3.Int("j"), tuple(product((DOWN, UP), (Kind.F, Kind.B)))
    at = [visit(_STAGES, *one, _STAGE) for one in kinds]
    ranks = [rank_of(placement, _STAGES, way, pair, _STAGE, z3.If) for way, _ in kinds]
    goal = "0 <= at < 2 * (2*e), rank == (at if at < 2*e else 2 * (2*e) - 1 - at)"
    yield prover.Statement(
        "visits",
        "a visit is on the same rank for all",
        prover.terms(f"{_RANKS}, j >= 0, 2*j <= e - 1"),
        z3.And(
            *(
                fact
                for one, there in zip(at, ranks, strict=True)
                for fact in prover.terms(goal, {"at": one, "rank": there})
            )
        ),
    )
    following = (
        ((Kind.F, _STAGE - 1), (Kind.F, _STAGE)),
        ((Kind.F, _STAGES - 1), (Kind.B, _STAGES - 1)),
        ((Kind.B, _STAGE), (Kind.B, _STAGE - 1)),
        ((Kind.B, 0), (Kind.F, 0)),
    )
    steps = [
        (visit(_STAGES, way, *one) + 1 - visit(_STAGES, way, *two)) % (2 * _STAGES) == 0
        for way, (one, two) in product((DOWN, UP), following)
    ]
    says = "what a token does next is its next visit"
    yield prover.Statement("following", says, prover.terms(_RANKS), z3.And(steps))


def _queues() -> Iterator[prover.Statement]:
    """Two actions of one rank, which take some time and not both at once."""
    names = ("a1", "s1", "e1", "a2", "s2", "e2")
    reals = dict(zip(names, z3.Reals(" ".join(names)), strict=True))
    serial = "s1 < e1, s2 < e2, e1 <= s2 or e2 <= s1"
    says = "two actions of a rank end at different times"
    yield prover.stated("arrivals", says, serial, "e1 != e2", **reals)
    yield prover.stated(
        "in order",
        "who came first to a visit is past it when the second starts",
        f"{serial}, a1 < a2, a2 <= s2, not (a1 <= s2 and s2 < s1)",
        "e1 <= s2, e1 < e2",
        **reals,
    )


def _places() -> prover.Statement:
    """Visits 0 and d see those that wait there first, then those that left the visit before."""
    return prover.stated(
        "places",
        "rounds of d: downward tokens first at visits below d, upward ones first from d on",
        f"{_RANKS}, {_TOKENS}, a >= 0, a < p, b >= 0, b < q, done >= 0",
        "place(low, down, 0, a) == a, place(high, up, 0, b) == b, "
        "place(low, down, done, a) == p + place(high, down, done - 2*e, a), "
        "place(low, up, done, b) == p + place(high, up, done, b), "
        "place(high, up, done, b) == q + place(low, up, done - 2*e, b), "
        "place(high, down, done, a) == q + place(low, down, done, a)",
        **_KINDS,
        place=place,
    )


_KINDS = {"low": True, "high": False, "up": True, "down": False}


def _generations() -> prover.Statement:
    ahead = _STAGES - 1 - _STAGE
    visits = {
        "up_B": visit(_STAGES, UP, Kind.B, _STAGE),
        "down_B": visit(_STAGES, DOWN, Kind.B, _STAGE),
        "down_F": visit(_STAGES, DOWN, Kind.F, ahead),
        "up_F": visit(_STAGES, UP, Kind.F, ahead),
    }
    return prover.stated(
        "generations",
        "at a stage's two visits for backwards those of the next generation come behind: those of "
        "the direction as backwards, the others as forwards",
        f"{_RANKS}, {_TOKENS}, a >= 0, a < p, a2 >= 0, a2 < p, b >= 0, b < q, b2 >= 0, b2 < q, "
        "done >= 0",
        "up_B < 2*e, down_B >= 2*e, down_F == up_B, up_F == down_B, "
        "place(low, up, done, b) < place(low, up, done + 2*e, b2), "
        "place(low, up, done, b) < place(low, down, done + 2*e, a), "
        "place(high, down, done, a) < place(high, down, done + 2*e, a2), "
        "place(high, down, done, a) < place(high, up, done + 2*e, b)",
        **visits,
        **_KINDS,
        place=place,
    )


def _counts(most: sympy.Expr) -> Iterator[prover.Statement]:
    """Updates between forward and backward, in windows of kd; generation g − 1 = k·a + rest."""
    known = "e >= 1, W >= 2*e, W*u <= F < W*u + W, W*v <= B < W*v + W"
    span = "F >= W*a + rest + 1, B <= W*a + rest + 2 * (2*e) - 1, a >= 0, rest >= 0"
    yield prover.stated(
        "one update",
        "from d(g − 1) + 1 backwards to dg + d − 1 it is one update of a window of kd: a have been "
        "made by then at least, and no more than that later",
        f"{known}, {span}, rest <= W - 2*e",
        "u >= a, v <= a + most",
        most=linear_term(most, {d: _STAGES}),
    )
    yield prover.stated(
        "others",
        "none, if generation g − 1 belongs to the same window",
        f"{known}, {span}, rest <= W - 2*e, rest + 2*e <= W - 2*e",
        "v <= u",
    )
    says = "none, before d backwards are over"
    yield prover.stated("first generation", says, f"{known}, F >= 0, B <= 2*e - 1", "v <= u")


def _numbers() -> prover.Statement:
    return prover.stated(
        "numbers",
        "minibatches of generation g have the numbers from dg on, d of them",
        "e >= 1, pipeline >= 0, pipeline < e, c >= 0, c < admitted, "
        "number == done + (e if c == 1 else 0) + pipeline",
        "done <= number < done + 2*e",
        admitted=ADMISSION,
    )


def statements(most: sympy.Expr, placement: str = STRAIGHT) -> Iterator[prover.Statement]:
    """All steps, for so large a mismatch."""
    yield from _visits(placement)
    yield from _queues()
    yield _places()
    yield _generations()
    yield from _counts(most)
    yield _numbers()


@prover.remembered
def proof(most: sympy.Expr, placement: str = STRAIGHT) -> prover.Outcome:
    """Only the first d of each window of a multiple of d have a mismatch, and it is so large.

    Examples
    --------
    >>> proof(sympy.Integer(1)).verdict.name, proof(sympy.Integer(0)).verdict.name
    ('PROVED', 'REFUTED')
    >>> proof(sympy.Integer(1), "chimera").verdict.name
    'REFUTED'
    """
    says = (
        f"{SAYS[placement]}: if a rank serves all that is ready first come first served, windows "
        "of whole multiples of d leave a mismatch to their first d minibatches only, of one step, "
        "at all durations"
    )
    return prover.merge(
        "queue", says, [prover.decide_from(one, {"e": 1}) for one in statements(most, placement)]
    )
