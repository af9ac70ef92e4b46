"""Updates counted where start times repeat after P microbatches, m = q·P + r.

A round of P microbatches takes A slots, k from microbatch to microbatch and a pause behind the last
one. With F(x, m) = A·q + k·r + f(x) and B(u, n) alike, the updates of u that F counts are found by
inverting B: those of rounds before, and ⌈·/k⌉ of the round in which F falls, at most P.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import ONE, ROUNDS, Affine, Piecewise
from schedules.closed_forms.counts import Region
from schedules.closed_forms.start_times import StartTimes
from schedules.linearization import Linearization
from theory.errors import UnsupportedFormError
from theory.laws.delays.counts import in_region
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.guarded_sums import opposite, solver_term
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.smt.solver import Outcome, Statement, Term, decide, have_model, merge
from theory.verdicts import Verdict

FARTHEST = 4
"""Rounds between an event and the updates that it may just count."""

ZERO = Affine()


@dataclass(frozen=True)
class Part:
    """How many updates of u beyond m an event at x counts, where all `borders` are ≥ 0.

    ⌊numerator / divisor⌋ + P·whole, where −1 as the divisor says that it is −numerator.
    """

    borders: tuple[Affine, ...]
    numerator: Affine
    divisor: int
    whole: int


@dataclass(frozen=True)
class Rounds:
    """Counts of updates in the steady rounds.

    Attributes
    ----------
    period : Affine
        P, in p.
    step : int
        k, slots from one microbatch of a round to the next.
    first : int
        The first steady round.
    stop : Affine
        In p: microbatches at the end of a run of which nothing is said.
    parts : dict
        By kind F or B and by region of u.
    least : int
        The least p.
    """

    period: Affine
    step: int
    first: int
    stop: Affine
    parts: dict[tuple[Kind, Region], tuple[Part, ...]]
    least: int


def times_by(form: Affine, factor: int) -> Affine:
    """A multiple of a form."""
    return ZERO.plus(form, factor)


def guess_rounds(guess: StartTimes, linearization: Linearization) -> Rounds:
    """Invert B.

    Raises
    ------
    UnsupportedFormError
        Steady start times are not of the form that is inverted.
    """
    (forward, f_first), (backward, b_first) = _steady(guess.forward), _steady(guess.backward)
    step = backward.coefficient("r")
    turn = Affine((("p", backward.coefficient(ROUNDS)),), backward.coefficient("q"))
    same = all(forward.coefficient(n) == backward.coefficient(n) for n in ("r", "q", ROUNDS))
    if not same or step < 1 or abs(backward.coefficient("s")) != 1:
        raise _unsupported("rounds of F and of B advance alike")
    drop = Affine(tuple((n, -backward.coefficient(n)) for n in ("q", "r", ROUNDS)))
    event = {
        kind: form.plus(drop).renamed({"s": "x"})
        for kind, form in ((Kind.F, forward), (Kind.B, backward))
    }
    update = backward.plus(drop).renamed({"s": "u"})
    shape = guess.period, step, turn, guess.least
    parts, lowest = {}, 0
    for kind in event:
        for region in Region:
            counted = region is not Region.AT and linearization.counted(
                *region.value, by_forward=kind is Kind.F
            )
            ahead = event[kind].plus(update, -1).plus(Affine((), int(counted)))
            parts[kind, region], low = _parts(ahead, region, shape)
            lowest = min(lowest, low)
    first = max(f_first, b_first - lowest)
    found = Rounds(guess.period, step, first, ZERO, parts, guess.least)
    for stop in (
        ZERO,
        guess.period,
        Affine((("p", 1),)),
        times_by(guess.period, 2),
        Affine((("p", 2),)),
    ):
        if all(one.verdict is Verdict.PROVED for one in _decided(_caps(found, stop))):
            return Rounds(guess.period, step, first, stop, parts, guess.least)
    raise _unsupported("an event counts few updates beyond its microbatch")


def _unsupported(what: str) -> UnsupportedFormError:
    return UnsupportedFormError(what, "start times", "ask `staleproof delays` for one size")


def _steady(form: Piecewise) -> tuple[Affine, int]:
    """The form of steady rounds, and the first of them."""
    head = form.pieces[0]
    if head.guard is None:
        return head.value, 0
    if head.guard.terms != (("q", 1),):
        raise _unsupported("rounds are alike from one on")
    return head.value, -head.guard.constant


def _parts(
    ahead: Affine, region: Region, shape: tuple[Affine, int, Affine, int]
) -> tuple[tuple[Part, ...], int]:
    """The parts, and the lowest round relative to the event's in which an update may just count.

    Update (q + w, r') counts where A·w + k·r' < k·r + ahead.
    """
    period, step, turn, least = shape
    offset = ahead.plus(Affine((("r", step),)))
    inside = z3.And(*domain_terms(period, least), in_region(region, z3.Int("u"), z3.Int("x")))

    def always(form: Affine) -> bool:
        says = "rounds that may count"
        return (
            decide(Statement("rounds", says, (inside,), solver_term(form) >= 0)).verdict
            is Verdict.PROVED
        )

    lows = [w for w in range(-FARTHEST, 1) if always(offset.plus(turn, -w))]
    tops = [
        w
        for w in range(-FARTHEST, FARTHEST)
        if always(turn.plus(turn, w).plus(offset, -1).plus(ONE, -1))
    ]
    if not lows or not tops:
        raise _unsupported("updates that count lie in rounds nearby")
    parts = []
    for w in range(max(lows), min(tops) + 1):
        into = offset.plus(turn, -w)  # slots since round q + w began at u
        over = into.plus(times_by(period, step), -1).plus(Affine((), step - 1))
        rest = ahead.plus(turn, -w).plus(Affine((), step - 1))
        parts.append(Part((into, opposite(over)), rest, step, w))
        last = turn.plus(turn, w).plus(offset, -1).plus(ONE, -1)
        parts.append(Part((over, last), Affine((("r", 1),)), -1, w + 1))
    return tuple(parts), max(lows)


def domain_terms(period: Affine, least: int) -> tuple[Term, ...]:
    """The stages and the places in a round that there are."""
    p, r, every = z3.Int("p"), z3.Int("r"), solver_term(period)
    stages = (z3.And(z3.Int(name) >= 0, z3.Int(name) < p) for name in ("u", "x"))
    return (p >= least, r >= 0, r < every, *stages)


def beyond(part: Part, period: Affine) -> Term:
    """N − m as a solver term."""
    quotient = solver_term(part.numerator) / z3.IntVal(part.divisor)
    if part.divisor < 0:
        quotient = -solver_term(part.numerator)
    return quotient + part.whole * solver_term(period)


def _caps(found: Rounds, stop: Affine) -> Iterator[Statement]:
    for (kind, region), parts in found.parts.items():
        for part in parts:
            here = (
                *domain_terms(found.period, found.least),
                in_region(region, z3.Int("u"), z3.Int("x")),
            )
            yield Statement(
                f"count-{kind.name}-cap",
                "no count reaches beyond the microbatches there are",
                (*here, *(solver_term(one) >= 0 for one in part.borders)),
                beyond(part, found.period) <= solver_term(stop),
            )


def _decided(statements: Iterable[Statement]) -> list[Outcome]:
    """Those about a part that occurs: of some stage, all updates are one side of an event."""
    there = (one for one in statements if have_model(one.hypotheses, "a part") != "unsat")
    return [decide(one) for one in there]


def prove_rounds(times: Times, counts: Rounds, linearization: Linearization) -> Outcome:
    """Prove every count, for all p, M, stages and microbatches of steady rounds."""
    outcomes = []
    for (kind, region), parts in counts.parts.items():
        outcomes.append(decide(_exhaustive(counts, region, parts)))
        outcomes += _decided(
            _count(times, counts, linearization, (kind, region), part) for part in parts
        )
    outcomes += _decided(_caps(counts, counts.stop))
    says = "updates of stage u counted by F(x, m) and B(x, m), round by round"
    return merge("counts", says, outcomes)


def _exhaustive(counts: Rounds, region: Region, parts: tuple[Part, ...]) -> Statement:
    here = [z3.And(*(solver_term(one) >= 0 for one in part.borders)) for part in parts]
    return Statement(
        "count-parts",
        "every case is one of those that are counted, and of one alone",
        (*domain_terms(counts.period, counts.least), in_region(region, z3.Int("u"), z3.Int("x"))),
        z3.Sum(*(z3.If(one, 1, 0) for one in here)) == 1,
    )


def _count(
    times: Times,
    counts: Rounds,
    linearization: Linearization,
    event: tuple[Kind, Region],
    part: Part,
) -> Statement:
    """Update N − 1 of u is counted by the event and update N is not."""
    (kind, region), size, m = event, times.size, Microbatch.named("m")
    u, x = z3.Ints("u x")
    slot = times.at(kind, x, m)
    counted = region is not Region.AT and linearization.counted(u, x, by_forward=kind is Kind.F)
    number = _update(size, m, part)

    def before(n: Microbatch) -> Term:
        update = times.backward(u, n)
        return z3.Or(update < slot, z3.And(update == slot, counted))

    return Statement(
        f"count-{kind.name}-{region.name.lower()}",
        "so many updates are counted",
        (
            *domain(size),
            a_stage(size, u),
            a_stage(size, x),
            a_microbatch(size, m),
            m.place == z3.Int("r"),
            m.round >= counts.first,
            in_region(region, u, x),
            *(solver_term(one) >= 0 for one in part.borders),
        ),
        z3.And(
            number.index >= 0,
            number.index == m.index + beyond(part, counts.period),
            z3.Implies(number.index > 0, before(size.shift(number, -1))),
            z3.Not(before(number)),
        ),
    )


def _update(size: Size, m: Microbatch, part: Part) -> Microbatch:
    """The first update that does not count: in round q + w, or the first of round q + whole."""
    place = z3.IntVal(0)
    if part.divisor > 0:
        place = m.place + solver_term(part.numerator) / z3.IntVal(part.divisor)
    return Microbatch(
        m.index - m.place + part.whole * size.every + place,
        m.product + part.whole * size.p,
        m.round + part.whole,
        place,
    )
