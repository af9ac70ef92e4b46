"""Families whose orders are stamped, and what is proved of each for all sizes that it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Final

import sympy
import z3

from schedules.families import get_family
from schedules.families.family import Family
from schedules.rules import GreedyRule
from schedules.stamps import At, Number, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.stamp_terms import products
from theory.laws.stamped import Lanes, Size, defined, labelled, needs, placed
from theory.laws.stamped_bounds import (
    BOUND,
    CHUNKS,
    ROUND,
    Formulas,
    bound,
    even_rounds,
    interleaved,
)
from theory.laws.stamped_columns import (
    alike,
    apart,
    averaged,
    flushed,
    in_flight,
    in_replicas,
    same,
    turns,
    updated,
)
from theory.laws.static_orders.order import Order, of_stamps
from theory.laws.static_orders.slots import law, played
from theory.laws.static_orders.symbols import M as MICROBATCHES
from theory.laws.static_orders.versions import (
    Updates,
    applied_once,
    largest_staleness,
    stashed,
)
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, decide, merge, undecided
from theory.verdicts import Verdict

_P, _M, _HALF, _EACH, _UNITS, _TIMES, _LAYERS, _STALE = z3.Ints(
    "p M half each units iterations layers stale"
)


EACH: Final = sympy.Symbol("each", integer=True, positive=True)
"""Microbatches of one pipeline, where there are several."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A family as it is proved things of.

    Attributes
    ----------
    words : str
        The sizes that it accepts.
    size : Size
    written : mapping of str to sympy expression
        What p and M are in formulas, where they are multiples.
    peak : callable, optional
        The most in flight, where the stated formula is longer.
    descending : bool
        Whether backwards go down through the microbatches.
    ending : callable
        ``ending(at)``: of which number the gradient is that comes in at.x-th place.
    updates : Updates, optional
        After how many gradients, where no action and no flush says so.
    """

    words: str
    size: Size
    written: Mapping[str, sympy.Expr] = field(default_factory=dict)
    peak: Callable[[At], Term] | None = None
    descending: bool = False
    ending: Callable[[At], Number] = lambda at: at.x
    updates: Updates | None = None


def _one(words: str, *suppose: Term, **values: Term) -> Subject:
    return Subject(words, Size(_P, _M, (_P >= 1, _M >= 1, *suppose), values))


def _updated(family: str, words: str, *suppose: Term, at_least_p: bool = False) -> Subject:
    """One stage a rank, an update after every gradient or every K."""
    known = get_family(family)
    updates = Updates(known.policy, known.interval, at_least_p)
    return replace(_one(words, *suppose), updates=updates)


def _in_windows(family: str) -> Subject:
    return _updated(family, "p ≥ 1 and M ≥ update_interval ≥ 1")


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


def _replicas(words: str) -> Subject:
    """Jobs in rounds of `jobs` = n·H."""
    n, H, jobs = z3.Ints("replicas local_steps jobs")
    suppose = (_P >= 1, _M >= 1, n >= 1, H >= 1, jobs == H * n, *products([H, z3.IntVal(1)], n))
    values = {"replicas": n, "local_steps": H, "jobs": jobs}
    return Subject(words, Size(_P, _M, suppose, values, factors=((H, n),), near=True))


_EVEN_ROUNDS: Final = "p ≥ 1, chunks ≥ 1 and M ≥ 1 a multiple of max(1, ⌊M/p⌋)"


def _interleaved(last: Callable[[At], Number]) -> Subject:
    values = {"chunks": CHUNKS, "round_size": ROUND}
    size = Size(_P, _M, (_P >= 1, _M >= 1, *even_rounds(_P, _M)), values)
    return Subject(_EVEN_ROUNDS, size, peak=interleaved(last))


STAMPED: Final[Mapping[str, Subject]] = MappingProxyType(
    {
        "naive": _updated("naive", "p ≥ 1 and M ≥ 1"),
        "gpipe": _one("p ≥ 1 and M ≥ 1"),
        "1f1b": _one("p ≥ 1 and M ≥ 1"),
        "pipedream": _updated("pipedream", "p ≥ 2 and M ≥ 1 (and NOAM = p)", _P >= 2),
        "pipedream-runtime": _updated("pipedream-runtime", "p ≥ 1 and M ≥ 1"),
        "pipedream-2bw": _updated("pipedream-2bw", "p ≥ 1 and M ≥ window ≥ p", at_least_p=True),
        "pipemare": _in_windows("pipemare"),
        "xpipe": _in_windows("xpipe"),
        "asyncpp": _in_windows("asyncpp"),
        "zb-h1": _one("p ≥ 1 and M ≥ p", _M >= _P),
        "zb-h2": _one("p ≥ 1 and M ≥ 2p − 1", _M >= 2 * _P - 1),
        "zbv": _one("p ≥ 1 and M ≥ 1"),
        "dualpipe": _opposite("p even, M even and M ≥ 2p", _EACH, _EACH >= 2 * _HALF),
        "dualpipev": _one("p ≥ 1 and M ≥ 2p", _M >= 2 * _P),
        "chimera": _opposite(
            "p even and M a multiple of p", _UNITS * _HALF, _UNITS >= 1, factors=(_UNITS,)
        ),
        "interleaved-1f1b": _interleaved(lambda at: 2 * (at.p - 1 - at.rank) + 1),
        "interleaved-zero-bubble": _interleaved(lambda at: at.p),
        "looped-bfs": replace(
            _one("p ≥ 1, chunks ≥ 1 and M ≥ 1", CHUNKS >= 1, chunks=CHUNKS), descending=True
        ),
        "localsgd": _replicas("p ≥ 1, replicas ≥ 1, local_steps ≥ 1 and M ≥ 1"),
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

RLIMIT: Final = 3_000_000
"""Budget of one query, about twice what the longest proof takes."""

HARD: Final = 60_000_000
"""The same where products of three sizes are compared; some seconds."""

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
_WINDOWS: Final = (
    "A weight copy without actions U is updated after every K of its gradients "
    "(schedules.versions.update_after), K = 1 unless the family has an interval. Those of a stage "
    "are numbered in the order of its rank: update t applies the gradients with numbers K·t to "
    "K·t + K − 1, and behind n of them there have been ⌊n/K⌋ updates."
)
_REPLICAS: Final = (
    "Number x of a stage belongs to replica x mod n, and its weight copy is updated with every "
    "gradient of its own. Gradients stand in the order of numbers; so where F of x stands behind "
    "that of x − n, all earlier ones of its replica are applied, and none but its own comes before "
    "its own."
)
_AVERAGED: Final = (
    "REDUCE of a round has one stamp on all ranks, above those of all it waits for and below those "
    "of all later rounds: in one sequence of all actions by stamps, those of a round stand "
    "together."
)
_SLOTS: Final = (
    "The slots that a greedy rule plays (schedules.rules.run_greedy) are proved by induction on "
    "slots, and are the stamps: in one slot a rank does one action."
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
    if family == "localsgd":
        last = dict.fromkeys(_OF_VERSIONS, _REPLICAS)
        last |= {"causal": _AVERAGED, "deadlock-free": f"{_AVERAGED} {_LOWERED}"}
    elif not alike_ranks:
        versions = _FLUSHED if STAMPED[family].updates is None else _WINDOWS
        last |= dict.fromkeys(_OF_VERSIONS, versions)
    first = _SLOTS if isinstance(get_family(family).rule, GreedyRule) else _SORTED
    return (first, *([last[column]] if column in last else []))


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
    found = proof(_order(known), family, column, formulas)
    if isinstance(known.rule, GreedyRule):
        found = merge(found.name, found.says, [*law(family).proof, found])
    if not known.generated:
        return undecided(found, "its schedules are built by something else than its order")
    if column in _OF_VERSIONS and not _policy_meant(known, STAMPED[family].updates):
        return undecided(found, f"its policy is {known.policy.name}")
    return found


def _order(family: Family) -> object:
    """What puts the actions of a rank in order: its stamps, or the slots that its rule plays."""
    return played(law(family.name)) if isinstance(family.rule, GreedyRule) else family.rule


def spoiled(family: str, column: str) -> Mapping[str, Callable[[], tuple[Outcome, ...]]]:
    """Controls: what the queries say of an order that lacks something, by what it lacks."""
    order = _order(get_family(family))
    assert isinstance(order, StampedOrder), "a family of this table has stamps, stated or played"
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
    other = {BOUND: sympy.Integer(0)} if column == "staleness" else {BOUND: sympy.Integer(1)}
    formulas = other if column in ("staleness", "in-flight") else {}
    return {
        without: partial(_grounds, spoilt, family, column, formulas)
        for without, spoilt in changed.items()
    }


def _grounds(
    order: StampedOrder, family: str, column: str, formulas: Formulas
) -> tuple[Outcome, ...]:
    return (proof(order, family, column, formulas),)


def _policy_meant(family: Family, updates: Updates | None) -> bool:
    """Flush without actions U; stashed weights, an update a gradient; or what is stated."""
    order, policy = family.rule, family.policy
    if updates is not None:
        return policy == updates.policy and family.interval == updates.interval
    explicit = isinstance(order, StampedOrder) and bool(order.beside)
    return (policy.name, policy.interval) == (("stash", 1) if explicit else ("flush", 1))


def proof(
    order: object, family: str, column: str, formulas: Formulas, subject: Subject | None = None
) -> Outcome:
    """What the queries say of an order that is taken for a family's: PROVED or UNKNOWN.

    A counterexample to a query need not be a size.
    """
    assert isinstance(order, StampedOrder), "a family of this table has stamps, stated or played"
    found = queried(order, subject or STAMPED[family], family, column, formulas)
    refuted = found.verdict is Verdict.REFUTED
    return undecided(found, f"not so: {found.note} {found.witness}") if refuted else found


def queried(
    order: StampedOrder, subject: Subject, family: str, column: str, formulas: Formulas
) -> Outcome:
    """The queries about an order, up to the first that is not proved, counterexample included."""
    parts = ("placed",) if column == "exclusive" else ("placed", "labelled", "needs")
    if order.closes is not None and column in _OF_VERSIONS:
        parts = (*parts, "apart", "replicas")
    elif order.closes is not None and column == "in-flight":
        parts = (*parts, "apart")
    own = _of_column(Lanes(order, subject.size), subject, column, formulas)
    pieces = chain((_part(order, subject, part) for part in parts), own)
    name, says = f"{family}.{column}", f"{family}: {COLUMNS[column]}"
    try:
        return merge(name, says, _up_to_short(pieces))
    except UnsupportedFormError as error:
        return Outcome(name, says, Verdict.UNKNOWN, {}, str(error), 0, ())


@remembered
def _part(order: StampedOrder, subject: Subject, part: str) -> Outcome:
    """A part that several columns need."""
    lanes = Lanes(order, subject.size)
    rlimit = HARD if part in ("apart", "replicas") else RLIMIT
    pieces = (decide(statement, rlimit) for statement in _PARTS[part](lanes))
    return merge(part, part, _up_to_short(pieces))


_PARTS: Final = {
    "placed": placed,
    "labelled": labelled,
    "needs": needs,
    "apart": apart,
    "replicas": in_replicas,
}


def _up_to_short(pieces: Iterable[Outcome]) -> list[Outcome]:
    found: list[Outcome] = []
    for piece in pieces:
        found.append(piece)
        if piece.verdict is not Verdict.PROVED:
            break
    return found


def _of_column(
    lanes: Lanes, subject: Subject, column: str, formulas: Formulas
) -> Iterator[Outcome]:
    """The queries of one column, as they are asked for."""
    if column == "in-flight" and subject.peak is not None:
        for statement in same(lanes, bound(formulas, {}), subject.peak):
            yield decide(statement, RLIMIT)
        for statement in in_flight(lanes, subject.peak):
            yield decide(statement, HARD)
        return
    if subject.updates is not None and column in _OF_VERSIONS:
        for lane in lanes.each():
            for statement in _of_updates(lanes, lane, subject, column, formulas):
                yield decide(statement)
        return
    rlimit = RLIMIT if lanes.order.closes is None else HARD
    for statement in _statements(lanes, subject, column, formulas):
        yield decide(statement, rlimit)


def _statements(
    lanes: Lanes, subject: Subject, column: str, formulas: Formulas
) -> Iterator[Statement]:
    explicit, versions = bool(lanes.order.beside), column in _OF_VERSIONS
    if lanes.order.closes is not None:
        if column in ("causal", "deadlock-free"):
            yield from averaged(lanes)
        explicit = versions = False
    if column == "in-flight":
        stated = bound(formulas, subject.written)
        replicas = lanes.order.closes is not None
        down, ending = subject.descending, subject.ending
        yield from in_flight(lanes, stated, descending=down, replicas=replicas, ending=ending)
    elif column == "deadlock-free":
        yield from alike(lanes) if explicit else turns()
    elif versions and explicit:
        stated = bound(formulas, subject.written) if formulas else _late(subject)
        yield from updated(lanes, stated)
    elif versions:
        yield from flushed(lanes)
    fresh = lanes.order.closes is not None or (versions and not explicit)
    if fresh and column == "staleness" and formulas.get(BOUND, 0) != 0:
        yield Statement("bound", "the bound is 0", (z3.Int("x") >= 0,), z3.BoolVal(False))


def _of_updates(
    lanes: Lanes, lane: Term, subject: Subject, column: str, formulas: Formulas
) -> Iterator[Statement]:
    """What is asked of versions where every K gradients make one, of the copies of a lane.

    A weight copy is one lane of one rank, and has all gradients of its pipeline.
    """
    divide = lanes.size.divisions()
    for statement in _of_copies(lanes, of_stamps(lanes, lane, divide), subject, column, formulas):
        yield replace(statement, hypotheses=(*statement.hypotheses, *divide.facts))
    yield from defined(lanes, lanes.at(lane, z3.Int("s"), z3.Int("x"), divide), divide)


def _of_copies(
    lanes: Lanes, order: Order, subject: Subject, column: str, formulas: Formulas
) -> Iterator[Statement]:
    updates = subject.updates
    assert updates is not None, "without updates there is one version"
    if column == "update-once":
        yield from applied_once(order, updates)
    elif lanes.order.overlap:
        raise UnsupportedFormError(
            "versions are counted where one action follows the other", "stamps", "do not overlap"
        )
    elif column == "stash":
        yield from stashed(order, updates)
    elif str(formulas.get("K", updates.interval)) != updates.interval:
        yield Statement("interval", "K is the interval", (z3.Int("K") >= 1,), z3.BoolVal(False))
    else:
        form = formulas[BOUND]
        if "M" in subject.written:  # M are those of all pipelines there, of one here
            form = sympy.expand(form.subs(MICROBATCHES, subject.written["M"]))
        yield from largest_staleness(order, updates, form.subs(EACH, MICROBATCHES))


def _late(subject: Subject) -> Callable[[At], Term]:
    """Updates that a stage's forward has not seen: one at stale layers, from the second on."""
    stale = subject.size.values.get("stale", _LAYERS)
    return lambda at: z3.If(z3.And(at.stage < stale, _TIMES > 1), z3.IntVal(1), z3.IntVal(0))
