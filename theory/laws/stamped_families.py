"""Families whose orders are stamped, and what is proved of each for all sizes that it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

import sympy
import z3

from schedules.families import get_family
from schedules.families.family import Family, from_rule
from schedules.stamps import At, StampedOrder
from theory.laws.stamped import (
    Lanes,
    Size,
    alike,
    flushed,
    in_flight,
    labelled,
    needs,
    placed,
    turns,
    updated,
)
from theory.laws.static_orders.symbols import term
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, decide, merge, undecided
from theory.verdicts import Verdict

Formulas = Mapping[str, sympy.Expr]
"""A bound under ``"bound"``, and what its other names mean."""

BOUND: Final = "bound"

_P, _M, _HALF, _EACH, _UNITS, _CHUNKS, _ROUND, _TIMES, _LAYERS, _STALE = z3.Ints(
    "p M half each units chunks round_size iterations layers stale"
)


@dataclass(frozen=True)
class Subject:
    """A family as it is proved things of.

    Attributes
    ----------
    words : str
        The sizes that it accepts.
    size : Size
    written : mapping of str to sympy expression
        What p and M are in formulas, where they are multiples.
    """

    words: str
    size: Size
    written: Mapping[str, sympy.Expr]


def _one(words: str, *suppose: Term, **values: Term) -> Subject:
    return Subject(words, Size(_P, _M, (_P >= 1, _M >= 1, *suppose), values), {})


def _opposite(words: str, each: Term, *suppose: Term, factors: tuple[Term, ...] = ()) -> Subject:
    p, M = 2 * _HALF, 2 * each
    whole = ((p, 2, _HALF), (M, 2, each))
    known = tuple((factor, _HALF) for factor in factors)
    half = sympy.Symbol("half", integer=True, positive=True)
    size = Size(p, M, (_HALF >= 1, *suppose), whole=whole, factors=known)
    return Subject(words, size, {"p": 2 * half})


def _workers(words: str, *suppose: Term, **values: Term) -> Subject:
    M = _P * _TIMES
    size = Size(
        _P,
        M,
        (_P >= 1, _TIMES >= 1, _LAYERS >= 1, *suppose),
        {"layers": _LAYERS, **values},
        whole=((M, _P, _TIMES),),
        factors=((_TIMES, _P),),
    )
    times = sympy.Symbol("iterations", integer=True, positive=True)
    return Subject(words, size, {"M": sympy.Symbol("p", integer=True, positive=True) * times})


_EVEN_ROUNDS: Final = "p ≥ 1, chunks ≥ 1 and M ≥ 1 a multiple of max(1, ⌊M/p⌋)"
_LOOPED: Final = {"chunks": _CHUNKS, "round_size": _ROUND}

STAMPED: Final[Mapping[str, Subject]] = MappingProxyType(
    {
        "zb-h1": _one("p ≥ 1 and M ≥ p", _M >= _P),
        "zb-h2": _one("p ≥ 1 and M ≥ 2p − 1", _M >= 2 * _P - 1),
        "zbv": _one("p ≥ 1 and M ≥ 1"),
        "dualpipe": _opposite("p even, M even and M ≥ 2p", _EACH, _EACH >= 2 * _HALF),
        "dualpipev": _one("p ≥ 1 and M ≥ 2p", _M >= 2 * _P),
        "chimera": _opposite(
            "p even and M a multiple of p", _UNITS * _HALF, _UNITS >= 1, factors=(_UNITS,)
        ),
        "interleaved-1f1b": _one(_EVEN_ROUNDS, _CHUNKS >= 1, _ROUND >= 1, **_LOOPED),
        "interleaved-zero-bubble": _one(_EVEN_ROUNDS, _CHUNKS >= 1, _ROUND >= 1, **_LOOPED),
        "looped-bfs": _one("p ≥ 1, chunks ≥ 1 and M ≥ 1", _CHUNKS >= 1, chunks=_CHUNKS),
        "pipesgd": _workers("p ≥ 1, layers ≥ 1 and M a multiple of p"),
        "sapipe": _workers(
            "p ≥ 1, layers ≥ stale ≥ 0, layers ≥ 1 and M a multiple of p",
            _STALE >= 0,
            _STALE <= _LAYERS,
            stale=_STALE,
        ),
    }
)
"""By name."""

OPEN: Final[Mapping[str, tuple[str, ...]]] = {
    "interleaved-1f1b": ("in-flight",),
    "interleaved-zero-bubble": ("in-flight",),
}
"""Columns without a proof, by family."""

COLUMNS: Final[Mapping[str, str]] = {
    "causal": "stamps grow along all that computations need",
    "exclusive": "every stage of a pipeline, and so every weight copy, is on one rank",
    "stash": "every backward uses the version that its forward read",
    "staleness": "the largest local staleness is the bound",
    "in-flight": "the most in flight is the bound",
    "update-once": "one update applies every gradient, and closes its window",
    "deadlock-free": "nothing waits in a circle",
}

_OF_VERSIONS: Final = ("stash", "staleness", "update-once")

_SORTED: Final = (
    "A rank does its actions in the order of their stamps (schedules.stamps.run_stamped), one of "
    "each kind for every stage and microbatch; so what has a smaller stamp on a rank stands before."
)
_FLUSHED: Final = (
    "Under flush, a weight copy without actions U is updated once, with the last of its gradients "
    "(schedules.versions.update_after). All its F and gradients are on one rank, and every F "
    "stands before its own gradient: so before that update. Every forward and backward has "
    "version 0, the update applies all gradients, and none lies in between."
)
_LOWERED: Final = (
    "schedules.lowering.lower puts computations and messages in turns, by round and rank: a send "
    "and its receive both in the turn of the computation that makes the tensor, in one sequence. "
    "Rounds exist, as stamps grow along all needs: no computations, and no overlapped groups, wait "
    "for each other in a circle. So the program of every rank is part of one sequence of all "
    "computations and messages, in which the two ends of a message stand at one place. Run in that "
    "sequence nothing ever waits for what comes later, sends that wait for their receives "
    "included, and the n-th send of a channel meets its n-th receive. How far a queue model gets "
    "does not depend on the order in which it is run."
)
_ALIKE: Final = (
    "No stage needs what another rank makes, so there are no messages. Every rank does the same "
    "kinds of action for the same stages in the same order. If all ranks do their n-th action "
    "together, for n = 0, 1, …, every BARRIER and every REDUCE finds all ranks at it."
)


def arguments(family: str, column: str) -> tuple[str, ...]:
    """What puts the queries of a cell together, in words."""
    if column == "exclusive":
        return ()
    alike_ranks = STAMPED[family].size.values.get("layers") is not None
    last = {"deadlock-free": _ALIKE if alike_ranks else _LOWERED}
    if not alike_ranks:
        last |= dict.fromkeys(_OF_VERSIONS, _FLUSHED)
    return (_SORTED, *([last[column]] if column in last else []))


def prove(family: str, column: str, formulas: Formulas) -> Outcome:
    """Prove a cell of the matrix for all sizes that a family accepts.

    Parameters
    ----------
    family : str
        One of `STAMPED`.
    column : str
        One of `COLUMNS`.
    formulas : mapping
        The bound, where the column has one.

    Returns
    -------
    Outcome
        PROVED or UNKNOWN: a counterexample to a query need not be a size.

    Examples
    --------
    >>> prove("zb-h1", "causal", {}).verdict.name
    'PROVED'
    """
    known = get_family(family)
    found = proof(known.rule, family, column, formulas)
    if not _built_by_rule(known):
        return undecided(found, "its schedules are built by something else than its order")
    if column in _OF_VERSIONS and not _policy_meant(known):
        return undecided(found, f"its policy is {known.policy.name}")
    return found


def spoiled(family: str, column: str) -> Mapping[str, Callable[[], tuple[Outcome, ...]]]:
    """Controls: what the queries say of an order that lacks something, by what it lacks."""
    order = get_family(family).rule
    assert isinstance(order, StampedOrder), "a family of this table states a stamped order"
    nowhere = replace(order.shape, stage=lambda lane, rank, p, choose: 0 * rank)
    changed = {"stages apart": replace(order, shape=nowhere)}
    if column != "exclusive":
        changed["forwards in front of backwards"] = replace(
            order, forward=order.backward, backward=order.forward
        )
        flat = replace(order, forward=lambda at: tuple(0 * part for part in order.forward(at)))
        changed["stamps of forwards"] = flat
    if column != "exclusive" and order.weight is not None:
        changed["input gradients in front of weight gradients"] = replace(
            order, weight=order.backward, backward=order.weight
        )
    bound = {BOUND: sympy.Integer(0)} if column == "staleness" else {BOUND: sympy.Integer(1)}
    formulas = bound if column in ("staleness", "in-flight") else {}
    return {
        without: partial(_grounds, spoilt, family, column, formulas)
        for without, spoilt in changed.items()
    }


def _grounds(
    order: StampedOrder, family: str, column: str, formulas: Formulas
) -> tuple[Outcome, ...]:
    return (proof(order, family, column, formulas),)


def _built_by_rule(family: Family) -> bool:
    build = family.build
    own = isinstance(build, partial) and build.func is from_rule and not build.keywords
    return own and isinstance(build, partial) and build.args == (family,)


def _policy_meant(family: Family) -> bool:
    """Flush without actions U; or stashed weights, an update a gradient."""
    order, policy = family.rule, family.policy
    explicit = isinstance(order, StampedOrder) and bool(order.beside)
    return (policy.name, policy.interval) == (("stash", 1) if explicit else ("flush", 1))


def proof(order: object, family: str, column: str, formulas: Formulas) -> Outcome:
    """What the queries say of an order that is taken for a family's."""
    assert isinstance(order, StampedOrder), "a family of this table states a stamped order"
    parts = ("placed",) if column == "exclusive" else ("placed", "labelled", "needs")
    pieces = [_part(order, family, part) for part in parts]
    lanes = Lanes(order, STAMPED[family].size)
    pieces += map(decide, _of_column(lanes, STAMPED[family], column, formulas))
    return _proved(f"{family}.{column}", f"{family}: {COLUMNS[column]}", pieces)


@remembered
def _part(order: StampedOrder, family: str, part: str) -> Outcome:
    """A part that several columns need."""
    lanes = Lanes(order, STAMPED[family].size)
    pieces = [decide(statement) for statement in _PARTS[part](lanes)]
    return _proved(part, f"{family}: {part}", pieces)


_PARTS: Final = {"placed": placed, "labelled": labelled, "needs": needs}


def _proved(name: str, says: str, pieces: list[Outcome]) -> Outcome:
    """PROVED or UNKNOWN: a counterexample to a query need not be a size."""
    found = merge(name, says, pieces)
    refuted = found.verdict is Verdict.REFUTED
    return undecided(found, f"not so: {found.note} {found.witness}") if refuted else found


def _of_column(
    lanes: Lanes, subject: Subject, column: str, formulas: Formulas
) -> Iterator[Statement]:
    explicit = bool(lanes.order.beside)
    if column == "in-flight":
        yield from in_flight(lanes, _bound(subject, formulas))
    elif column == "deadlock-free":
        yield from alike(lanes) if explicit else turns()
    elif column in _OF_VERSIONS and explicit:
        yield from updated(lanes, _bound(subject, formulas) if formulas else _late(subject))
    elif column in _OF_VERSIONS:
        yield from flushed(lanes)
        if formulas.get(BOUND, 0) != 0:
            yield Statement("bound", "the bound is 0", (z3.Int("x") >= 0,), z3.BoolVal(False))


def _late(subject: Subject) -> Callable[[At], Term]:
    """Updates that a stage's forward has not seen: one at stale layers, from the second on."""
    stale = subject.size.values.get("stale", _LAYERS)
    return lambda at: z3.If(z3.And(at.stage < stale, _TIMES > 1), z3.IntVal(1), z3.IntVal(0))


def _bound(subject: Subject, formulas: Formulas) -> Callable[[At], Term]:
    form = sympy.sympify(formulas[BOUND])
    written = subject.written
    known = {one: written[one.name] for one in form.free_symbols if one.name in written}
    form = sympy.sympify(sympy.expand(form.subs(known)))

    if form.is_Integer:
        return lambda at: z3.IntVal(int(form))

    def most(at: At) -> Term:
        symbols = {one: z3.Int(one.name) for one in form.free_symbols}
        return term(form, {one: at.stage if one.name == "s" else symbols[one] for one in symbols})

    return most
