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

import sympy
import z3

from schedules.actions import Kind
from theory.laws.delays.counts import linear_term
from theory.papers.amdp.placements import SAYS, STRAIGHT
from theory.papers.amdp.placements import rank as rank_of
from theory.papers.amdp.runs.fifo import ADMISSION
from theory.papers.amdp.symbols import d
from theory.smt.instances import decide_from
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, merge

DOWN, UP = 0, 1
"""Pipelines, for all of their direction."""

_HALF, _STAGE, _DONE = z3.Ints("e s done")
_STAGES = 2 * _HALF
_DOWNWARD, _UPWARD = z3.Ints("p q")
_RANKS = (_HALF >= 1, _STAGE >= 0, _STAGE < _STAGES)
_TOKENS = (_DOWNWARD >= 1, _UPWARD >= 0, _DOWNWARD + _UPWARD == _STAGES)


def visit(stages: Term, pipeline: int, kind: Kind, stage: Term) -> Term:
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


def place(low: bool, upward: bool, done: Term, token: Term) -> Term:
    """Whose turn it is at a visit below d, or from d on: a token of its direction and generation.

    `done` is d times the generation.
    """
    first = low != upward
    return done + token if first else done + (_DOWNWARD if low else _UPWARD) + token


def _visits(placement: str) -> Iterator[Statement]:
    """Of every pair of pipelines: only so a direction stands for all that go that way."""
    pair, on = z3.Int("j"), {}
    for pipeline in (DOWN, UP):
        for kind in (Kind.F, Kind.B):
            at = visit(_STAGES, pipeline, kind, _STAGE)
            rank = z3.If(at < _STAGES, at, 2 * _STAGES - 1 - at)
            there = rank_of(placement, _STAGES, pipeline, pair, _STAGE, z3.If) == rank
            on[pipeline, kind] = z3.And(at >= 0, at < 2 * _STAGES, there)
    pairs = (*_RANKS, pair >= 0, 2 * pair <= _HALF - 1)
    yield Statement("visits", "a visit is on the same rank for all", pairs, z3.And(*on.values()))
    follows = [
        (visit(_STAGES, pipeline, *one) + 1 - visit(_STAGES, pipeline, *two)) % (2 * _STAGES) == 0
        for pipeline in (DOWN, UP)
        for one, two in (
            ((Kind.F, _STAGE - 1), (Kind.F, _STAGE)),
            ((Kind.F, _STAGES - 1), (Kind.B, _STAGES - 1)),
            ((Kind.B, _STAGE), (Kind.B, _STAGE - 1)),
            ((Kind.B, 0), (Kind.F, 0)),
        )
    ]
    yield Statement(
        "following", "what a token does next is its next visit", _RANKS, z3.And(*follows)
    )


def _queues() -> Iterator[Statement]:
    """Two actions of one rank, which take some time and not both at once."""
    came, start, end = ([z3.Real(f"{name}{one}") for one in (1, 2)] for name in ("a", "s", "e"))
    apart = z3.Or(end[0] <= start[1], end[1] <= start[0])
    serial = (start[0] < end[0], start[1] < end[1], apart)
    yield Statement(
        "arrivals", "two actions of a rank end at different times", serial, _differ(end)
    )
    still_waiting = z3.And(came[0] <= start[1], start[1] < start[0])
    yield Statement(
        "in order",
        "who came first to a visit is past it when the second starts",
        (*serial, came[0] < came[1], came[1] <= start[1], z3.Not(still_waiting)),
        z3.And(end[0] <= start[1], end[0] < end[1]),
    )


def _differ(pair: list[Term]) -> Term:
    return pair[0] != pair[1]


def _places() -> Statement:
    """Visits 0 and d see those that wait there first, then those that left the visit before."""
    down, up = z3.Ints("a b")
    inside = (down >= 0, down < _DOWNWARD, up >= 0, up < _UPWARD)
    before = _DONE - _STAGES
    at_first = z3.And(
        place(True, False, z3.IntVal(0), down) == down, place(False, True, z3.IntVal(0), up) == up
    )
    visit_0 = (
        place(True, False, _DONE, down) == _DOWNWARD + place(False, False, before, down),
        place(True, True, _DONE, up) == _DOWNWARD + place(False, True, _DONE, up),
    )
    visit_d = (
        place(False, True, _DONE, up) == _UPWARD + place(True, True, before, up),
        place(False, False, _DONE, down) == _UPWARD + place(True, False, _DONE, down),
    )
    return Statement(
        "places",
        "rounds of d: downward tokens first at visits below d, upward ones first from d on",
        (*_RANKS, *_TOKENS, *inside, _DONE >= 0),
        z3.And(at_first, *visit_0, *visit_d),
    )


def _generations() -> Statement:
    tokens = down, down_2, up, up_2 = z3.Ints("a a2 b b2")
    sizes = (_DOWNWARD, _DOWNWARD, _UPWARD, _UPWARD)
    inside = [z3.And(one >= 0, one < size) for one, size in zip(tokens, sizes, strict=True)]
    after = _DONE + _STAGES
    backward_up, backward_down = (visit(_STAGES, way, Kind.B, _STAGE) for way in (UP, DOWN))
    other = _STAGES - 1 - _STAGE
    return Statement(
        "generations",
        "at a stage's two visits for backwards those of the next generation come behind: those of "
        "the direction as backwards, the others as forwards",
        (*_RANKS, *_TOKENS, *inside, _DONE >= 0),
        z3.And(
            *(backward_up < _STAGES, backward_down >= _STAGES),
            visit(_STAGES, DOWN, Kind.F, other) == backward_up,
            visit(_STAGES, UP, Kind.F, other) == backward_down,
            place(True, True, _DONE, up) < place(True, True, after, up_2),
            place(True, True, _DONE, up) < place(True, False, after, down),
            place(False, False, _DONE, down) < place(False, False, after, down_2),
            place(False, False, _DONE, down) < place(False, True, after, up),
        ),
    )


def _counts(most: sympy.Expr) -> Iterator[Statement]:
    """Updates between forward and backward, in windows of kd; generation g − 1 = k·a + r."""
    window, at_forward, at_backward = z3.Ints("W F B")
    a, behind, read, used = z3.Ints("a rest u v")
    updates = [
        z3.And(window * count <= so_far, so_far < window * count + window)
        for count, so_far in ((read, at_forward), (used, at_backward))
    ]
    known = (_HALF >= 1, window >= _STAGES, *updates)
    previous = window * a + behind
    span = (at_forward >= previous + 1, at_backward <= previous + 2 * _STAGES - 1, a >= 0)
    in_window = (behind >= 0, behind <= window - _STAGES)
    bound = linear_term(most, {d: _STAGES})
    yield Statement(
        "one update",
        "from d(g − 1) + 1 backwards to dg + d − 1 it is one update of a window of kd: a have been "
        "made by then at least, and no more than that later",
        (*known, *span, *in_window),
        z3.And(read >= a, used <= a + bound),
    )
    yield Statement(
        "others",
        "none, if generation g − 1 belongs to the same window",
        (*known, *span, *in_window, behind + _STAGES <= window - _STAGES),
        used <= read,
    )
    yield Statement(
        "first generation",
        "none, before d backwards are over",
        (*known, at_forward >= 0, at_backward <= _STAGES - 1),
        used <= read,
    )


def _numbers() -> Statement:
    pipeline, token, number = z3.Ints("pipeline c number")
    return Statement(
        "numbers",
        "minibatches of generation g have the numbers from dg on, d of them",
        (
            *(_HALF >= 1, pipeline >= 0, pipeline < _HALF, token >= 0, token < ADMISSION),
            number == _DONE + z3.If(token == 1, _HALF, 0) + pipeline,
        ),
        z3.And(number >= _DONE, number < _DONE + _STAGES),
    )


def statements(most: sympy.Expr, placement: str = STRAIGHT) -> Iterator[Statement]:
    """All steps, for so large a mismatch."""
    yield from _visits(placement)
    yield from _queues()
    yield _places()
    yield _generations()
    yield from _counts(most)
    yield _numbers()


@remembered
def proof(most: sympy.Expr, placement: str = STRAIGHT) -> Outcome:
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
    return merge("queue", says, [decide_from(one, {"e": 1}) for one in statements(most, placement)])
