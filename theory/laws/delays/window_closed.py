"""`WindowClosed`: delays of a rule whose stages update after every K gradients, by start times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import LET_IN, ONE, Affine, Piece, Piecewise
from schedules.closed_forms.start_times import StartTimes
from schedules.linearization import Linearization
from theory.laws.delays.closed import described
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.pace import MANY, Pace
from theory.laws.delays.shape import Shape
from theory.laws.delays.symbols import Microbatch, Times
from theory.laws.delays.window_beginning import PUSHED, by_slots, every_slot, falling
from theory.laws.delays.windows import BEGUN, COUNTED, Windows, by_windows
from theory.smt.solver import Outcome, Statement, Term, decide, merge
from theory.verdicts import Verdict

_LARGE: Final = {"p": 64}
"""The p at which first microbatches are put in order."""

_I, _J, _R, _P, _M = sympy.symbols("i j r p M", integer=True)


@dataclass(frozen=True)
class WindowClosed:
    """The closed forms of such a law.

    Attributes
    ----------
    start_times : StartTimes
    windows : Windows
    shape : Shape
    largest : bool
        Whether local staleness is largest where starts are steady.
    """

    start_times: StartTimes
    windows: Windows
    shape: Shape
    largest: bool

    @property
    def domain(self) -> str:
        """The values that the law is stated for."""
        at_least = f"p >= {self.start_times.least}"
        return f"{at_least}, 0 <= i < p, 0 <= j < p, {self.windows.domain(self._many)}"

    @property
    def _many(self) -> dict[sympy.Symbol, sympy.Expr]:
        """What N is, where start times have it."""
        many = self.start_times.many
        return {} if many is None else {MANY: many.to_sympy()}

    @property
    def least(self) -> int:
        """The least p that the law is stated for."""
        return self.start_times.least

    def places(self, _: int) -> int:
        """How many microbatches have an r of their own."""
        return int(self.windows.interval)

    def to_json(self) -> dict[str, Any]:
        """The closed forms by the keys of ``derive``."""
        r = _R if self.windows.interval != 1 else sympy.S.Zero
        stale = self._staleness(r), self._staleness(sympy.S.Zero)
        if self.windows.pace.forward is None:  # updates grow staler
            stale = stale[0], sympy.Max(0, sympy.floor(_M / self.windows.interval) - 1)
        local, most = ([{"when": "True", "expr": sympy.sstr(form)}] for form in stale)
        return {
            "start_times": described(self.start_times),
            "whole_run_least_m": None,
            **self.windows.to_json(self._many),
            "local_staleness": local,
            "local_staleness_whole_run": most if self.largest else None,
            "makespan": sympy.sstr(self.shape.makespan),
            "bubble": sympy.sstr(self.shape.bubble),
            "in_flight": self.shape.in_flight.renamed({"s": "i"}).described(self.start_times.many),
        }

    def _staleness(self, r: Any) -> sympy.Expr:
        """Updates of its own stage behind what F of number r counts, up to its own."""
        if self.windows.pace.forward is None:
            return sympy.floor(sympy.Symbol("m", integer=True) / self.windows.interval)
        n, own = self.windows.between, self.windows.pace.slots * (r + 1) + _I
        cases = self.windows.pace.apart(_I)
        at = {"s": _I, "p": _P, LET_IN: MANY}
        return sympy.Piecewise(
            *((1 - sympy.ceiling((own + ahead.at(at)) / n), where) for ahead, where in cases)
        ).subs(self._many)

    def at(self, p: int, **stages: int) -> dict[str, Any]:
        """Numbers at p, and at i, j and r where these are given."""
        texts = self.windows.to_json(self._many)
        forms = {name: texts[name] for name in ("max", "min", "mean", "whole_run_max")}
        names = {"i": _I, "j": _J, "r": _R}
        if self.windows.interval == 1:
            del names["r"]
        if stages.keys() >= names.keys():
            forms["delay"] = texts["delay"][0]["expr"]
        known = {str(_P): p, **stages}
        found = {
            name: sympy.sympify(form, locals={n: sympy.Integer(k) for n, k in known.items()})
            for name, form in forms.items()
            if form is not None
        }
        return {**known, **{n: int(f) if f.is_Integer else str(f) for n, f in found.items()}}


def paces(times: StartTimes) -> Iterator[Pace]:
    """What forwards of late microbatches make with the backwards, which have one form."""
    backward = times.backward.pieces[0].value
    slots = backward.coefficient("m")
    rest = backward.plus(Affine((("m", slots), ("s", -1))), -1)
    steady, named = _late(times.forward, slots), {name for name, _ in rest.terms}
    if len(times.backward.pieces) > 1 or slots < 1 or not named <= {"p", "M"}:
        return
    yield Pace(slots, None, rest, Affine((("p", 1),)))
    if "M" in named or steady is None:
        return
    large = _LARGE if times.many is None else {**_LARGE, LET_IN: times.many.at(_LARGE)}
    for first in sorted(_firsts(times.forward), key=lambda one: int(one.at(large))):
        yield Pace(slots, steady, rest, first)


def _late(forward: Piecewise, slots: int) -> Piecewise | None:
    """Forms of microbatches that come late enough, less what grows with them."""
    pieces = []
    for piece in forward.pieces:
        if any(one.coefficient("m") < 0 for one in piece.conditions):
            continue
        value = piece.value.plus(Affine((("m", slots),)), -1)
        own = [one for one in piece.conditions if one.coefficient("m") == 0]
        named = {name for form in (value, *own) for name, _ in form.terms}
        if not named <= {"s", "p", LET_IN}:
            return None
        guard, also, *_ = *own, None, None
        pieces.append(Piece(guard, value, also))
        if guard is None:
            return Piecewise(tuple(pieces))
    return None


def _firsts(forward: Piecewise) -> set[Affine]:
    """Microbatches from which on conditions on m are settled at every stage; p is one of them."""
    found, zero = {Affine((("p", 1),))}, Affine()
    for condition in (one for piece in forward.pieces for one in piece.conditions):
        m, s = condition.coefficient("m"), condition.coefficient("s")
        if abs(m) == 1 and {*dict(condition.terms)} <= {"m", "s", "p", LET_IN}:
            rest = condition.plus(Affine((("m", m), ("s", s))), -1)
            worst = Affine((("p", s),), -s) if m * s < 0 else Affine()
            found.add(zero.plus(rest.plus(worst), -m).plus(ONE, int(m < 0)))
    return found


def window_closed(
    times: Times, shape: Shape, lines: Linearization, interval: int
) -> tuple[WindowClosed, list[Outcome]] | None:
    """The law and its proof, of proved start times; None where no pace is theirs."""
    K = sympy.Integer(interval)
    for pace in paces(times.guess):
        counted = [decide(_at_pace(times, pace))]
        if counted[0].verdict is Verdict.PROVED:
            counted += [decide(one) for one in by_windows(pace, lines, times.size.least)]
        if any(one.verdict is not Verdict.PROVED for one in counted):
            continue
        if pace.forward is None:
            proof = [merge("counts", COUNTED, counted)]
            return WindowClosed(times.guess, Windows(pace, lines, K), shape, largest=True), proof
        begun, local = (decide(_beginning(times, pace, local=one)) for one in (False, True))
        pushed = begun.verdict is not Verdict.PROVED
        if pushed:
            early = [every_slot(times, pace), *by_slots(pace, lines, times.size)]
            begun = merge("begun", PUSHED, [decide(one) for one in early])
        whole, largest = (one.verdict is Verdict.PROVED for one in (begun, local))
        proof = [merge("counts", COUNTED, counted), *[begun] * whole, *[local] * largest]
        falls = pushed and whole and _proved(falling(pace, lines, times.size, interval))
        closed = Windows(pace, lines, K, whole=whole, pushed=pushed, falls=falls)
        return WindowClosed(times.guess, closed, shape, largest), proof
    return None


def _proved(one: Statement) -> bool:
    return decide(one).verdict is Verdict.PROVED


def _at_pace(times: Times, pace: Pace) -> Statement:
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    last = pace.slots * m.index - s + pace.backward.at({"p": size.p, "M": size.microbatches})
    if pace.forward is None:
        u = z3.Int("u")
        sooner = times.forward(s, m) < times.backward(u, Microbatch.first())
        says = "every F is over before the first update, and all B start at the pace"
        goal = z3.And(times.backward(s, m) == last, sooner)
        return Statement("unread", says, (*_here(times, s, m), a_stage(size, u)), goal)
    steady = times.forward(s, m) == pace.start(s, m.index, size.p)
    first = pace.first.at({"p": size.p, LET_IN: z3.Int(LET_IN)})
    goal = z3.And(times.backward(s, m) == last, z3.Implies(m.index >= first, steady))
    says = "from its first microbatch on F starts at the pace, and all B do"
    return Statement("pace", says, _here(times, s, m), goal)


def _beginning(times: Times, pace: Pace, *, local: bool) -> Statement:
    """Whether F counts no update where it does not start at the pace; or is no staler for it."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    u, K, t = z3.Ints("u K t")
    begin, p = times.at(Kind.F, s, m), size.p
    steady = begin == pace.start(s, m.index, p)
    first = pace.first.at({"p": p, LET_IN: z3.Int(LET_IN)})
    known = (*_here(times, s, m), m.index < first, K >= 1, u >= 0, u < p)
    if local:
        later = pace.slots * (1 - K + K * t) + pace.ahead(s, p) + s <= 0
        window = (t >= 0, K * t <= m.index, m.index < K * t + K)
        says = "an F that does not start at the pace is no staler than those that do"
        return Statement("staleness", says, (*known, *window), z3.Or(steady, later))
    sooner = begin < pace.slots * (K - 1) - u + pace.backward.at({"p": p})
    return Statement("begun", BEGUN, known, z3.Or(z3.And(s > 0, steady), sooner))


def _here(times: Times, s: Term, m: Microbatch) -> tuple[Term, ...]:
    return (*domain(times.size), a_stage(times.size, s), a_microbatch(times.size, m))
