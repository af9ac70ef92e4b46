"""Theorem 1 (section 3.1, appendix B): stale layers are the first ones.

Problem    a sequential model without stall. Forward i is stale if it starts before its gradient has
           been sent, c(u_i) < c(v_i) + v_i, with c the time of starting. Table 1 calls c the
           completion time; with that, (2) says something else.
Method     any two layers k < i, so that it covers every number of layers.
Guarantee  stale layers are the first ones.
Source     SAPipe paper, Theorem 1 (section 3.1, appendix B).
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import sympy
import z3

from schedules.partial_staleness import Model, fewest_stale, sequential, simulate
from theory.judging import prover
from theory.papers.sapipe.witnesses.chain_replays import WORDS, chains
from theory.papers.sapipe.witnesses.refuting import of
from theory.papers.sapipe.witnesses.timetables import Timetable, timetable

_NAMES = sympy.symbols("cu u cv v", integer=True)
cu, u, cv, v = _NAMES
"""Of one layer: when its forward and its communication start, and how long they take."""

_I = sympy.symbols("cu_i u_i cv_i v_i", integer=True)
_K = sympy.symbols("cu_k u_k cv_k v_k", integer=True)
cu_i, u_i, cv_i, v_i = _I
cu_k, u_k, cv_k, v_k = _K

PRINTED = {"stale": cv + v - cu, "forwards": cu_i - cu_k - u_k, "channel": cv_k - cv_i - v_i}
"""A layer is stale if the first is above 0. For k < i the others are at least 0: forward i follows
forward k, and communication k follows communication i."""

ASSUMES = (
    "a sequential model: backwards m … 1, forwards 1 … m, on one processor",
    "gradients are sent in the order of backwards, one at a time (section 3.1: FIFO)",
    "c is the time at which an operation starts, as in Algorithms 4 and 5",
)

_TWICE = sequential(backward=[1, 1], forward=[5, 1], communication=[1, 4])
"""Layer 2 is stale by completion times, layer 1 is not."""

_OVERTAKEN = sequential([1, 1, 1, 1], [2, 1, 1, 1], [1, 1, 2, 3])
"""Of waiting gradients that of the smallest layer is sent: layer 3 is stale, layer 2 is not."""


def _stale(formulas: prover.Formulas, layer: tuple[sympy.Symbol, ...]) -> sympy.Expr:
    return formulas["stale"].subs(dict(zip(_NAMES, layer, strict=True)), simultaneous=True)


def _excess(formulas: prover.Formulas) -> sympy.Expr:
    """How much longer layer k misses its gradient than layer i does, beyond what the rest says."""
    rest = formulas["forwards"] + formulas["channel"]
    return sympy.expand(_stale(formulas, _K) - _stale(formulas, _I) - rest)


def _exact(formulas: prover.Formulas) -> prover.Compared:
    """The certificate: what is left is u_k + v_k."""
    says = (
        "(c(v_k) + v_k − c(u_k)) − (c(v_i) + v_i − c(u_i)) = "
        "(c(u_i) − c(u_k) − u_k) + (c(v_k) − c(v_i) − v_i) + u_k + v_k"
    )
    return prover.Compared(says, "sympy.expand", bool(_excess(formulas) == u_k + v_k))


def _lines(formulas: prover.Formulas) -> list[prover.Outcome]:
    """The lines of appendix B, and what they say together."""
    names = {symbol: z3.Real(symbol.name) for symbol in (*_I, *_K)}

    def read(form: sympy.Expr) -> prover.Term:
        return prover.term(form, names)

    times = tuple(names[symbol] > 0 for symbol in (u_i, v_i, u_k, v_k))
    forwards, channel = read(formulas["forwards"]) >= 0, read(formulas["channel"]) >= 0
    stale_i, stale_k = (read(_stale(formulas, layer)) > 0 for layer in (_I, _K))
    later = names[cu_k] < names[cu_i]
    found = (
        prover.Statement(
            "(4)", "c(u_k) < c(u_i), as forward i follows forward k", (*times, forwards), later
        ),
        prover.Statement(
            "last line",
            "from (3), (4) and c(v_i) + v_i ≤ c(v_k): c(u_i) > c(v_i) + v_i, so i is not stale",
            (*times, later, channel, z3.Not(stale_k)),
            z3.And(z3.Not(stale_i), names[cu_i] > names[cv_i] + names[v_i]),
        ),
    )
    return [prover.decide(one) for one in found]


@cache
def _means(form: sympy.Expr) -> prover.Exhausted:
    """Whether it is above 0 for exactly the layers that cannot have their gradient in time.

    These are the stale ones of the fewest in the simulation of runs that never stall.
    """
    right, tried = True, 0
    for model in chains(2):
        fewest = fewest_stale(model)
        if fewest is None:
            continue
        first = simulate(model, range(fewest)).iterations[0]
        found = Timetable(model, first.forward, first.communication)
        right &= late_layers(found, form) == list(range(1, fewest + 1))
        tried += 1
    return prover.Exhausted("(2) holds of exactly the layers that have to be stale", tried, right)


def _holds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    """The certificate, if it is about what staleness is."""
    means = _means(formulas["stale"])
    yield _exact(formulas) if means.holds else means


def late_layers(found: Timetable, form: sympy.Expr, completion: bool = False) -> list[int]:
    """Layers, from 1, that a condition calls stale.

    Examples
    --------
    >>> late_layers(timetable(_TWICE), PRINTED["stale"]), fewest_stale(_TWICE)
    ([1], 1)
    >>> late_layers(timetable(_TWICE), PRINTED["stale"], completion=True)
    [2]
    >>> late_layers(timetable(_OVERTAKEN, smallest_first=True), PRINTED["stale"])
    [1, 3]
    """
    lateness, layers = _compiled(form), range(found.model.count)
    return [layer + 1 for layer in layers if lateness(*found.times(layer, completion)) > 0]


@cache
def _compiled(form: sympy.Expr) -> Any:
    return sympy.lambdify(_NAMES, form)


_LATE = sympy.Symbol("c(v_i) + v_i - c(u_i)", integer=True)
"""By how much the gradient of layer i is late, where that layer is stale."""


def _gap(form: sympy.Expr) -> prover.Refutation | None:
    """An iteration of a small model in which a stale layer follows one that is not."""
    for model in chains():
        late = late_layers(timetable(model), form)
        if late != list(range(1, len(late) + 1)):
            return prover.Refutation(
                {**timetable(model).shown(), "stale": late}, _follows(form, model)
            )
    return None


def _follows(form: sympy.Expr, model: Model) -> prover.Violation:
    """A layer that is not stale, though a later one is."""
    lateness, found = _compiled(form), timetable(model)
    late = late_layers(found, form)
    k = next(layer for layer in range(model.count) if layer + 1 not in late)
    measured = of(lambda table: int(lateness(*table.times(k))), timetable, model)
    at = {_LATE: int(lateness(*found.times(late[-1] - 1)))}
    return prover.Violation(measured, ">=", sympy.S.One, at, (prover.le(1, _LATE),))


def _replayed(found: prover.Refutation | None) -> prover.Evidence:
    if found is not None:
        says = "an iteration with a gap between its stale layers"
        return prover.Evidence("against", says, found.witness)
    return prover.Evidence("for", f"the first iteration of {WORDS}", {"models": len(chains())})


def _account(formulas: prover.Formulas) -> prover.Account:
    printed, gap = _lines(formulas), _gap(formulas["stale"])
    grounds = (*_holds(formulas), *printed)
    certificate, means = _exact(formulas), _means(formulas["stale"])
    small = "event simulation of the models of m ≤ 2 layers that can do without a stall"
    return prover.Account(
        prover.Decision(grounds, gap),
        assumes=ASSUMES,
        steps=(
            *(
                prover.Line("appendix B", one.says, one.note, prover.Decision((one,)))
                for one in printed
            ),
            prover.Line("statement", certificate.says, "identity", prover.Decision((certificate,))),
            prover.Line("ours", means.says, small, prover.Decision((means,))),
        ),
        findings=tuple(_findings(formulas, grounds)),
        evidence=(_replayed(gap),),
    )


def _findings(
    formulas: prover.Formulas, grounds: tuple[prover.Ground, ...]
) -> Iterator[prover.Finding]:
    form, twice = formulas["stale"], timetable(_TWICE)
    overtaken = timetable(_OVERTAKEN, smallest_first=True)
    by_completion, by_start = late_layers(twice, form, True), late_layers(twice, form)
    without_fifo = late_layers(overtaken, form)
    if not prover.proves(*grounds) or by_completion != [2] or without_fifo != [1, 3]:
        return
    yield prover.Finding(
        "typo",
        "Table 1, c",
        "c is called the completion time; (2), (3), Algorithms 4 and 5 take it for the start, "
        "and with completion times (2) calls a layer stale whose predecessor is not",
        {**twice.shown(), "stale by completion": by_completion, "by start": by_start},
        repaired=prover.Repair("The theorem, with c the time of starting.", grounds),
    )
    yield prover.Finding(
        "missing-condition",
        "appendix B, c(v_i) + v_i ≤ c(v_k)",
        "called a consequence of no preemption, it needs FIFO, which section 3.1 states after "
        "the theorem: where the gradient of the smallest layer goes first and none is "
        "interrupted, as in priority schedulers, a stale layer may follow one that is not",
        {**overtaken.shown(), "stale": without_fifo},
        repaired=prover.Repair(
            "The theorem, for gradients sent in the order of backwards.", grounds
        ),
    )
    yield prover.Finding(
        "superfluous-condition",
        "Theorem 1, without stall",
        "no line of the proof uses it: where computation waits, forwards follow each other and "
        "so do communications",
        shown=grounds,
        repaired=prover.Repair(
            "In every iteration, with a stall or without, layers before a stale one are stale.",
            grounds,
        ),
    )


CLAIM = prover.Claim(
    "sapipe.thm-1",
    "Theorem 1",
    "In a training pipeline of a sequential model without stall, if the forward of some layer "
    "is stale, starting before its gradient has been sent, then those of all its preceding "
    "layers are.",
    r"k < i,\ c(u_i) < c(v_i) + v_i \implies c(u_k) < c(v_k) + v_k",
    account=_account,
    printed=PRINTED,
    core=PRINTED,
    holds=_holds,
)
