"""Start times with durations as symbols: F and B slots for a computation, c for a message.

The start times of a static order are max-plus linear in these durations: each is a maximum over
paths (Baccelli, Cohen, Olsder and Quadrat, Synchronization and Linearity, 1992). Here one path has
to be the longest for all durations of a region. Then a start is one sum, whose coefficients are
whole numbers that depend on s, m, p and M, and of two sums one is the larger for all durations if
each of its coefficients is: no symbol is multiplied by another in what z3 is asked. Periods and
cycle times of max-plus matrices (critical circuits) are those of one p, and counting points of
polyhedra (barvinok) orders nothing: neither serves all p at once. What does serve is that the
critical circuit of 1F1B goes through all stages and so has p microbatches: with messages, how often
c counts is a form in m and q, m = qp + r. Where different paths are the longest in different parts
of every region, there is no law here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.actions import Action, Kind
from schedules.closed_forms.affine import ONE, PRODUCT, Affine, Piece, Piecewise
from schedules.closed_forms.fit import fit
from schedules.closed_forms.start_times import LEAST_STAGES, StartTimes
from schedules.families.family import Family
from schedules.rules import GreedyRule
from schedules.schedule import Schedule
from schedules.stamps import StampedOrder
from theory.laws.delays.closed import described
from theory.laws.delays.domains import (
    a_microbatch,
    a_stage,
    domain,
    product_facts,
    products_in_order,
)
from theory.laws.delays.static_induction import Counted, in_turn, plain
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.laws.stamp_terms import readable, untied
from theory.laws.static_orders.slots import Law, multiplies, played
from theory.smt.solver import Outcome, Statement, Term, decide
from theory.verdicts import Verdict, weakest

Vector = tuple[Any, ...]
"""Coefficients of the durations of a region, in its order."""


@dataclass(frozen=True)
class Region:
    """Durations that a law is about.

    Attributes
    ----------
    words : str
    names : tuple of str
        Numbers ≥ 0 that durations are sums of.
    forward, backward : tuple of str
        Those that sum up to each; c is a message.
    """

    words: str
    names: tuple[str, ...]
    forward: tuple[str, ...] = ("F",)
    backward: tuple[str, ...] = ("B",)

    def added(self, kind: Kind, *, sent: bool) -> Vector:
        """What a computation adds to its start, and the message behind it."""
        parts = (self.forward if kind is Kind.F else self.backward) + ("c",) * sent
        return tuple(parts.count(name) for name in self.names)


REGIONS: Final = (
    (Region("F, B, c >= 0", ("F", "B", "c")),),
    (
        Region("F, B >= 0, c = 0", ("F", "B")),
        Region(
            "B >= F >= c >= 0",
            ("B - F", "F - c", "c"),
            forward=("F - c", "c"),
            backward=("B - F", "F - c", "c"),
        ),
    ),
    (
        Region("B >= F >= 0, c = 0", ("F", "B - F"), backward=("F", "B - F")),
        Region("F >= B >= 0, c = 0", ("F - B", "B"), forward=("F - B", "B")),
    ),
)
"""The widest first; those of one line stand beside each other."""

_BASES: Final = (("m", "s", "p"), ("m", "s", "p", "M"), (PRODUCT, "m", "s", "p"))
_IN_ROUNDS: Final = (("m", "q", "s", "p"),)
_EVERY: Final = Affine((("p", 1),))
_SAMPLED: Final = tuple((p, M) for p in range(2, 7) for M in (1, p - 1, p, p + 1, 2 * p + 1, 7 * p))


@dataclass(frozen=True)
class DurationLaw:
    """Start times and makespan of an order for all durations of a region.

    Attributes
    ----------
    region : Region
    starts : tuple of StartTimes
        Of each of them, its coefficients in the starts of F(s, m) and B(s, m).
    proof : tuple of Outcome
    least : int
        The least p of the order.
    """

    region: Region
    starts: tuple[StartTimes, ...]
    proof: tuple[Outcome, ...]
    least: int = LEAST_STAGES

    @property
    def verdict(self) -> Verdict:
        """PROVED, or UNKNOWN where a part is not."""
        proved = weakest(one.verdict for one in self.proof) is Verdict.PROVED
        return Verdict.PROVED if proved else Verdict.UNKNOWN

    @property
    def makespan(self) -> sympy.Expr:
        """End of B(0, M − 1), at which all is over."""
        total = sympy.Integer(0)
        for name, of, more in zip(
            self.region.names, self.starts, self.region.added(Kind.B, sent=False), strict=True
        ):
            total += sympy.expand_mul(sympy.sympify(name) * (_last(of) + more), deep=False)
        return total

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        starts = zip(self.region.names, self.starts, strict=True)
        late = f", p >= {self.least}" if self.least > LEAST_STAGES else ""
        return {
            "verdict": self.verdict.name,
            "domain": self.region.words + late,
            "starts": {name: described(of) for name, of in starts},
            "makespan": sympy.sstr(self.makespan),
            "proof": [one.to_json() for one in self.proof],
        }


def _last(of: StartTimes) -> sympy.Expr:
    """The coefficient in the start of B(0, M − 1)."""
    pieces, begin = of.backward.pieces, 0
    if len(pieces) == 2 and len(pieces[0].conditions) == 1:
        [guard], (one, other) = pieces[0].conditions, (piece.value for piece in pieces)
        if guard.terms == (("r", 1),) and other.plus(one, -1) == Affine((), -one.coefficient("q")):
            pieces, begin = (Piece(None, one),), -guard.constant  # where r is less, q is one less
    m, p = sympy.Symbol("M", integer=True) - 1, sympy.Symbol("p", integer=True)
    named = {sympy.Symbol("s", integer=True): 0, sympy.Symbol("m", integer=True): m}
    rounds = {
        sympy.Symbol("q", integer=True): sympy.floor((m - begin) / p),
        sympy.Symbol("r", integer=True): sympy.Mod(m, p),
    }
    cases = []
    for piece in pieces:
        guards = [one.to_sympy().subs(named | rounds) for one in piece.conditions]
        known = [_holds(one, of.least) for one in guards]
        if False in known:
            continue
        left = [one >= 0 for one, holds in zip(guards, known, strict=True) if not holds]
        cases.append((sympy.expand(piece.value.to_sympy().subs(named)).subs(rounds), left))
        if not left:
            break
    return sympy.Piecewise(*((value, sympy.And(*left)) for value, left in cases))


def _holds(guard: sympy.Expr, least: int) -> bool | None:
    """Whether it is 0 or more at all sizes, or at none; None where a size is not seen to decide.

    Examples
    --------
    >>> p, M = sympy.symbols("p M", integer=True)
    >>> _holds(p + M - 3, 2), _holds(-p - 1, 2), _holds(M - p, 2)
    (True, False, None)
    """
    p, M = sympy.symbols("p M", integer=True)
    if not guard.is_polynomial(p, M):
        return None
    form = sympy.Poly(guard.subs({p: p + least, M: M + 1}, simultaneous=True), p, M)
    if min(form.coeffs()) >= 0:
        return True
    return False if max(form.coeffs()) <= 0 and form.eval((0, 0)) < 0 else None


def duration_laws(family: Family, law: Law) -> tuple[DurationLaw, ...]:
    """Guess and prove the start times of a family's order for all durations of a region.

    A greedy rule's order is the one that it plays where every computation takes one slot.

    Parameters
    ----------
    family : Family
    law : Law
        Its start times in slots, proved: no action waits in a circle.

    Returns
    -------
    tuple of DurationLaw
        Proved, of the widest region that has any; none where no path is the longest.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> from theory.laws.static_orders.slots import law
    >>> [found] = duration_laws(get_family("gpipe"), law("gpipe"))
    >>> found.verdict.name, found.makespan
    ('PROVED', B*M + B*p - B + F*M + F*p - F + 2*c*p - 2*c)
    """
    greedy = isinstance(family.rule, GreedyRule)
    slots = weakest(one.verdict for one in law.proof) is Verdict.PROVED
    if not slots or (greedy and multiplies(law.times.guess)):
        return ()
    order = played(law) if greedy else family.rule
    if not isinstance(order, StampedOrder) or not plain(order):
        return ()
    order = untied(order)
    for regions in REGIONS:
        found = tuple(filter(None, (_of_region(family, law, order, one) for one in regions)))
        if found:
            return found
    return ()


def _of_region(family: Family, law: Law, order: StampedOrder, region: Region) -> DurationLaw | None:
    starts = guessed(family, region)
    if starts is None:
        return None
    proof = (*law.proof, *map(decide, statements(order, region, starts)))
    found = DurationLaw(region, starts, proof, law.times.guess.least)
    return found if found.verdict is Verdict.PROVED else None


def guessed(family: Family, region: Region) -> tuple[StartTimes, ...] | None:
    """Coefficients that fit small runs; None where none do, or no path is the longest."""
    rows: list[tuple[int, ...]] = []
    for p, M in _SAMPLED:
        found = longest(family.build(p, M), region)
        if found is None:
            return None
        rows += [
            (s, m, p, M, p * m, *found[Kind.F, s, m], *found[Kind.B, s, m])
            for s, m in product(range(p), range(M))
        ]
    table = np.array(rows).T
    columns = dict(zip(("s", "m", "p", "M", PRODUCT), table, strict=False))
    known: list[Piecewise] = []
    every = ONE
    for one in table[5:]:
        form = fit(columns, one, _BASES)
        if form is None:
            every = _EVERY
            q, r = np.divmod(columns["m"], columns["p"])
            form = fit({**columns, "q": q, "r": r}, one, _IN_ROUNDS)
        if form is None:
            return None
        known.append(form)
    pairs: Iterator[tuple[Piecewise, Piecewise]]
    pairs = zip(known[: len(region.names)], known[len(region.names) :], strict=True)
    return tuple(StartTimes(*pair, every) for pair in pairs)


def longest(schedule: Schedule, region: Region) -> dict[tuple[Kind, int, int], Vector] | None:
    """Start of every F and B of one run; None where no one path is the longest throughout.

    Examples
    --------
    >>> from schedules.families import gpipe
    >>> longest(gpipe.build(2, 1), REGIONS[0][0])[Kind.B, 0, 0]
    (2, 1, 2)
    """
    starts: dict[tuple[Kind, int, int], Vector] = {}
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    done = [0] * len(orders)
    moved = True
    while moved:
        moved = False
        for rank, order in enumerate(orders):
            while done[rank] < len(order):
                action = order[done[rank]]
                needs = _needs(action, order[done[rank] - 1 : done[rank]], schedule.stages)
                if not all(key in starts for key, _ in needs):
                    break
                ends = [_plus(starts[key], region.added(key[0], sent=sent)) for key, sent in needs]
                latest = tuple(max(column) for column in zip(*ends, strict=True))
                if ends and latest not in ends:
                    return None
                starts[action.kind, action.stage, action.microbatch] = latest or (0,) * len(
                    region.names
                )
                done[rank] += 1
                moved = True
    return starts


def _needs(
    action: Action, before: Sequence[Action], stages: int
) -> list[tuple[tuple[Kind, int, int], bool]]:
    """What an action waits for, and whether a message comes between."""
    kind, s, m = action.kind, action.stage, action.microbatch
    found = [((one.kind, one.stage, one.microbatch), False) for one in before]
    if kind is Kind.F:
        return found + ([((Kind.F, s - 1, m), True)] if s else [])
    found.append(((Kind.F, s, m), False))
    return found + ([((Kind.B, s + 1, m), True)] if s + 1 < stages else [])


def _plus(start: Vector, more: Vector) -> Vector:
    return tuple(a + b for a, b in zip(start, more, strict=True))


def statements(
    order: StampedOrder, region: Region, starts: Sequence[StartTimes]
) -> Iterator[Statement]:
    """All that establishes these starts, in an order in which nothing waits in a circle."""
    size = Size.symbolic(starts[0])
    times = [Times(size, one) for one in starts]

    def at(kind: Kind, s: Term, m: Microbatch) -> Vector:
        return tuple(one.at(kind, s, m) for one in times)

    found = Counted(readable(order), times[0])
    yield from in_turn(found)
    s, m, n = z3.Int("s"), Microbatch.named("m"), Microbatch.named("n")
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m), *product_facts(size, n))
    for kind, other in ((Kind.F, Kind.B), (Kind.B, Kind.F)):
        ends = [
            *_inputs(kind, at, region, size, s, m),
            (m.index > 0, _plus(at(kind, s, size.shift(m, -1)), region.added(kind, sent=False))),
            (n.index > 0, _plus(at(other, s, size.shift(n, -1)), region.added(other, sent=False))),
        ]
        start = at(kind, s, m)
        counted = found.before(other, n.index, s, found.stamp(kind, s, m.index))
        yield Statement(
            f"start-{kind.name}",
            f"{kind.name} starts at the latest end of what it waits for, whatever durations are",
            (*here, *products_in_order(size, m, n), *counted),
            z3.And(
                *(z3.Implies(there, _no_later(end, start)) for there, end in ends),
                z3.Or(
                    *(
                        z3.And(there, *(a == b for a, b in zip(end, start, strict=True)))
                        for there, end in ends
                    ),
                    z3.And(*(z3.Not(there) for there, _ in ends), *(one == 0 for one in start)),
                ),
            ),
        )
    last = Microbatch.named("last", size.microbatches - 1)
    over = _plus(at(Kind.B, z3.IntVal(0), last), region.added(Kind.B, sent=False))
    rounds = last.index - m.index if size.period == ONE else last.round - m.round
    spread = last.product - m.product >= LEAST_STAGES * rounds  # as m ≤ M − 1
    for kind in (Kind.F, Kind.B):
        end = _plus(at(kind, s, m), region.added(kind, sent=False))
        says = f"no {kind.name} ends later than the last backward of stage 0"
        known = (*here, *product_facts(size, last), *products_in_order(size, m, last), spread)
        yield Statement(f"makespan {kind.name}", says, known, _no_later(end, over))


def _no_later(one: Vector, other: Vector) -> Term:
    return z3.And(*(a <= b for a, b in zip(one, other, strict=True)))


def _inputs(
    kind: Kind,
    at: Callable[[Kind, Term, Microbatch], Vector],
    region: Region,
    size: Size,
    s: Term,
    m: Microbatch,
) -> list[tuple[Term, Vector]]:
    """Ends of what a computation needs, each where there is one."""
    if kind is Kind.F:
        return [(s > 0, _plus(at(Kind.F, s - 1, m), region.added(Kind.F, sent=True)))]
    below = _plus(at(Kind.B, s + 1, m), region.added(Kind.B, sent=True))
    own = _plus(at(Kind.F, s, m), region.added(Kind.F, sent=False))
    return [(z3.BoolVal(True), own), (s < size.p - 1, below)]
