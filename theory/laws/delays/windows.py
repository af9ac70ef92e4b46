"""Delays where a stage updates after every K gradients: one pipeline, one stage a rank.

Where starts grow by a slots a microbatch, updates of a stage come every n = aK slots, those of
stage u by u slots sooner. So ⌈(x + u)/n⌉ updates of stage u, and some more for every window, lie in
front of an event, with an x that is affine in its stage and its number, and all stages together
have a closed form (`theory.laws.stage_sums`).

That is so of events from the first on that starts steadily, as far as the updates that it counts
are made. Before, no F that starts otherwise counts an update, which bounds delays of whole runs, or
it starts as `theory.laws.delays.window_beginning` says. Where every F ends before the first update,
no F counts any: then delays are what updates count, and grow by p a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sympy
import z3

from schedules.closed_forms.affine import LET_IN, ONE, Affine
from schedules.closed_forms.floor_sums import p_
from schedules.linearization import Linearization
from theory.laws.delays.pace import LET, MANY, Pace, one_more, tie_of
from theory.laws.delays.polynomials import by_parity
from theory.laws.delays.stage_sums import SHORT, C, Notation, ceiling, proofs, where
from theory.laws.proved_delays import Values
from theory.laws.stamp_terms import neighbours, products
from theory.smt.solver import Statement, Term

COUNTED: Final = "every event counts so many updates of each stage, and they add up"
BEGUN: Final = "an F that starts otherwise counts no update, and those of the first stage do so"

_P, _K, _I, _J, _R, _X, _M = sympy.symbols("p K i j r k M", integer=True)
_MICROBATCH: Final = sympy.Symbol("m", integer=True)
ZERO, _STAGE, _LAST = Affine(), Affine((("s", 1),)), Affine((("p", 1),), -1)


@dataclass(frozen=True)
class Windows:
    """Delays where a stage updates after every K gradients.

    Attributes
    ----------
    pace : Pace
    lines : Linearization
    interval : sympy expression
        K.
    long : bool
        Whether K ≥ p.
    older : bool
        Whether F reads the version before the newest of its window, and K ≥ p.
    whole : bool
        Whether delays of whole runs are bounded.
    pushed : bool
        Whether the first stage starts a microbatch a slot until it starts steadily.
    falls : bool
        Whether then no delay is larger.
    """

    pace: Pace
    lines: Linearization
    interval: sympy.Expr = _K
    long: bool = False
    older: bool = False
    whole: bool = True
    pushed: bool = False
    falls: bool = False

    @property
    def between(self) -> sympy.Expr:
        """Slots from update to update, n."""
        return self.pace.slots * self.interval

    def index(self, i: Any, how: Notation) -> sympy.Expr:
        """Updates before that of stage i and window t, but for p·t where F counts these too."""
        tie = tie_of(self.lines, by_forward=False)
        return self.unread + how.over_stages(-i, i, _P, self.between, tie)

    @property
    def unread(self) -> sympy.Expr:
        """p·t of microbatch m, where no F counts an update."""
        some = self.pace.forward is not None
        return sympy.S.Zero if some else _P * sympy.floor(_MICROBATCH / self.interval)

    def recorded(self, j: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before F of stage j and number r of window t, but for p·t."""
        if self.pace.forward is None:
            return sympy.S.Zero
        tie, cases = tie_of(self.lines, by_forward=True), []
        at = {"s": j, "p": _P, LET_IN: MANY}
        for ahead, where_so in self.pace.apart(j):
            x = self.pace.slots * (r + 1) + ahead.at(at)
            cases.append((how.over_stages(x, j, _P, self.between, tie) - _P, where_so))
        return sympy.Piecewise(*cases)

    @property
    def _reach(self) -> sympy.Expr:
        """Stages whose updates may be counted of windows beyond one's own."""
        return _P - int(tie_of(self.lines, by_forward=False) <= 0)

    def mean(self) -> sympy.Expr | None:
        """Over i, j and r: of two updates one counts the other, and ⌈·/n⌉ adds up over r.

        None where stages of several paces are not some first ones and the others.
        """
        if self.pace.forward is None:
            return self._in_turn(self.unread + (_P - 1) / 2)
        last, *rest = self.pace.forward.pieces[::-1]
        first, others = rest[0] if rest else last, last.value
        guard = first.guard or _STAGE
        if len(rest) > 1 or first.also or abs(guard.coefficient("s")) != 1:
            return None
        upto = guard.plus(_STAGE)  # the last of the first stages
        firsts = first.value
        if guard.coefficient("s") > 0:
            upto, firsts, others = _STAGE.plus(guard, -1).plus(ONE, -1), others, firsts
        form = self._mean([(others, ZERO, _LAST)])
        if rest:
            parts = [(firsts, ZERO, upto), (others, upto.plus(ONE), _LAST)]
            some = upto.at({"p": _P, LET_IN: MANY}) >= -1
            form = sympy.Piecewise((self._mean(parts), some), (form, True))
        return self._in_turn(form)

    def _in_turn(self, form: sympy.Expr) -> sympy.Expr:
        """A mean, less what updates of one slot would count of one another if it does not."""
        n = self.between
        if self.lines.backward_counts:
            return sympy.piecewise_fold(form)
        q = sympy.floor((_P - 1) / n)  # of two in one slot, q·n stages apart, neither does
        return sympy.piecewise_fold(form - q + n * q * (q + 1) / (2 * _P))

    def _mean(self, parts: Sequence[tuple[Affine, Affine, Affine]]) -> sympy.Expr:
        """Of stages from one to another, in parts; by what p, and N, leave modulo a."""
        a = self.pace.slots
        named = any(one.coefficient(LET_IN) for part in parts for one in part)
        cases = []
        for many in range(a if named else 1):
            each = {}
            for rest in range(a):
                total = sum(self._recorded_by(*part, rest, many) for part in parts)
                each[rest] = sympy.factor((_P - 1) / 2 - total / (_P * self.interval))
            cases.append((by_parity(each).subs(p_, _P), sympy.Eq(sympy.Mod(MANY, a), many)))
        return sympy.Piecewise(*cases[:-1], (cases[-1][0], True))

    def _recorded_by(
        self, forward: Affine, first: Affine, last: Affine, rest: int, many: int
    ) -> sympy.Expr:
        """The sum over some j, and all u, of ⌈y/a⌉ for what p and N leave, class by class of j."""
        a, total = self.pace.slots, sympy.S.Zero
        P, Q, q = sympy.symbols("P Q q", integer=True)
        at = {"p": a * P + rest, LET_IN: a * Q + many}
        tie = tie_of(self.lines, by_forward=True)
        ahead = forward.plus(self.pace.backward, -1)
        for residue in range(a):
            j = a * q + residue
            row = Notation().over_stages(ahead.at({"s": j, **at}), j, at["p"], a, tie)
            start, stop = (one.at(at) - residue for one in (first, last))
            inside = (q, ceiling(start, a), sympy.floor(stop / sympy.Integer(a)))
            total += sympy.summation(sympy.expand(row), inside)
        left = {P: (_P - rest) / sympy.Integer(a), Q: (MANY - many) / sympy.Integer(a)}
        return sympy.expand(total.subs(left))

    def extremes(self, how: Notation) -> dict[str, sympy.Expr]:
        """Delays fall in i, j and r; in a whole run those of the first stages may be larger."""
        K, first = self.interval, self.index(sympy.S.Zero, how)
        steady = first - self.recorded(sympy.S.Zero, sympy.S.Zero, how)
        least = self.index(_P - 1, how) - self.recorded(_P - 1, K - 1, how)
        found = {"max": steady, "min": least}
        if not self.whole:
            return found
        if self.pace.forward is None:  # the last update of stage 0 counts all others
            largest = sympy.Max(0, _P * sympy.floor(_M / K) - 1)
            return {**found, "whole_run_max": largest, "whole_run_least_m": K}
        rounds, far = ceiling(self.pace.begins, K), how.ceiling(self._reach, self.between)
        begun = _P * (rounds - 1) + first - self._pushed(K * (rounds - 1), how)
        last = (
            rounds - 1 if self.falls else rounds - sympy.Piecewise((0, begun < steady), (1, True))
        )
        if self.long:
            return {**found, "whole_run_max": steady, "whole_run_least_m": K * (1 + far)}
        found["whole_run_max"] = begun if self.falls else sympy.Max(begun, steady)
        if self.falls or not self.pushed:
            found["whole_run_least_m"] = K * (last + far)
        return found

    def _pushed(self, m: Any, how: Notation) -> Any:
        """Updates that F(0, m) counts, in slot m: G of what the last stage has had time for."""
        if not self.pushed:
            return sympy.S.Zero
        up = int(tie_of(self.lines, by_forward=True) > 0)
        lane = self.pace.backward.at({"p": _P})
        had = m - self.pace.slots * (self.interval - 1) + _P - 1 - lane + up
        return how.total(sympy.Max(0, had), self.between)

    def _of_long(self) -> dict[str, sympy.Expr]:
        """The same where K ≥ p, which tells what is rounded up, but for some small p."""
        a, b = sympy.symbols("a b", integer=True, nonnegative=True)
        cases = dict[str, list[Any]]()
        for p in (3 + a, 2, 1):
            found = self.extremes(where({_P: p, self.interval: p + b}))
            for name, form in found.items():
                rest = cases.setdefault(name, [(sympy.expand(form), True)])
                if p in (1, 2) and rest[-1][0].subs(_P, p) != form.subs(_P, p):
                    rest.insert(0, (form.subs(_P, p), sympy.Eq(_P, p)))
        return {name: sympy.piecewise_fold(sympy.Piecewise(*rest)) for name, rest in cases.items()}

    def domain(self, chosen: Values) -> str:
        """Which microbatches m delays are stated of."""
        first, K = (sympy.sstr(one.subs(chosen)) for one in (self.pace.begins, self.interval))
        form = ceiling(self._reach, self.between).subs(chosen)
        later = f"({form})" if form.is_Add else sympy.sstr(form)
        if K == "1":
            return f"{first} <= m < M + 1 - {later}"
        return f"m = {K}*t + r, 0 <= r < {K}, {first} <= m, {K}*(t + {later}) <= M"

    def to_json(self, chosen: Values) -> dict[str, Any]:
        """As plain data; ``short`` has the same with c(k) for ⌈k/n⌉, and with G(k)."""
        n, K = self.between.subs(chosen), self.interval.subs(chosen)

        def texts(forms: dict[str, sympy.Expr]) -> dict[str, str]:
            return {name: sympy.sstr(form.subs(chosen)) for name, form in forms.items()}

        r = _R if K != 1 else sympy.S.Zero
        whole, short = (
            (self.index(_I, how), self.recorded(_J, r, how)) for how in (Notation(), SHORT)
        )
        extremes = self._of_long() if self.long else self.extremes(Notation())
        readable = {} if self.long else self.extremes(SHORT)
        named = {"c(k)": ceiling(_X, n), "G(k)": C(_X) * (_X + n / 2 - n / 2 * C(_X))}
        mean = self.mean()
        once = _M < 2 * K
        for forms in (extremes, readable):
            if "whole_run_max" in forms and self.pace.forward is not None:
                whole_run = sympy.Piecewise((_P - 1, once), (forms["whole_run_max"], True))
                forms["whole_run_max"] = sympy.piecewise_fold(whole_run)
        return {
            "delay": [{"when": "True", **texts({"expr": whole[0] - whole[1]})}],
            "delay_of": f"microbatch {self.domain(chosen)}",
            "equivalent_delay": sympy.sstr(_P + _J - _I) if self.older else None,
            "whole_run_max": None,
            "mean": None,
            **texts(extremes | ({} if mean is None else {"mean": mean})),
            "short": texts({"index": short[0], "recorded": short[1], **readable, **named}),
        }


def by_windows(pace: Pace, lines: Linearization, least: int = 1) -> Iterator[Statement]:
    """How many updates of each stage an event counts, and that they add up, for p ≥ least."""
    p, K, t, v, r, i, j, u, c, M = z3.Ints("p K t v r i j u c M")
    a, stages = pace.slots, (i, j, u)
    n, later, lane = a * K, z3.Int("later"), pace.backward.at({"p": p, "M": M})
    sizes = [p >= least, p <= LET, K >= 1, t >= 0, v >= 0, r >= 0, r < K, K * t + K <= M]
    sizes += [part for s in stages for part in (s >= 0, s < p)]
    factors = [t, v, t + c, t + later, z3.IntVal(0)]
    sizes += products(factors, K) + neighbours([t, v, t + c], K)
    steady = K * t + r >= pace.first.at({"p": p, LET_IN: LET})
    update = a * (K * v + K - 1) - u + lane
    mine = a * (K * t + K - 1) - i + lane

    def counted(of: Term, stage: Term, *, by_forward: bool) -> tuple[Term, Term]:
        """Whether the update lies in front of an event, and that ⌈·/n⌉ of a form is c."""
        counts = lines.counted(u, stage, by_forward=by_forward)
        form = of - (a * (K * t + K - 1) - u + lane)
        form += one_more(lines, u, stage, by_forward=by_forward)
        within = z3.And(n * (c - 1) < form, form <= n * c)
        return z3.Or(update < of, z3.And(update == of, counts)), within

    if pace.forward is not None:
        says = "F counts t + ⌈y/n⌉ updates of stage u, all of windows before its own"
        seen, within = counted(pace.start(j, K * t + r, p), j, by_forward=True)
        goal = z3.And(seen == (v < t + c), c <= 0, z3.Implies(steady, t + c >= 0))
        yield Statement("recorded", says, (*sizes, within), goal)
    says = "t + ⌈y/n⌉ updates of stage u are in front of one, all of them made"
    seen, within = counted(mine, i, by_forward=False)
    most = p - int(tie_of(lines, by_forward=False) <= 0)
    made = [n * (later - 1) < most, most <= n * later, K * t + K * later <= M]
    goal = z3.And(seen == (v < t + c), K * t + K * c <= M)
    goal = z3.And(goal, z3.Implies(steady, t + c >= 0))
    yield Statement("place", says, (*sizes, within, *made), goal)
    yield from _ordered(pace, lines, least)
    yield from proofs(pace.slots)


def _ordered(pace: Pace, lines: Linearization, least: int) -> Iterator[Statement]:
    """Delays fall in i, j and r, and of two updates one counts the other."""
    p, i, j, u, n, c, d = z3.Ints("p i j u n c d")
    known = [p >= least, p <= LET, *(part for s in (i, j, u) for part in (s >= 0, s < p))]
    place, behind = (u - s + one_more(lines, u, s, by_forward=False) for s in (i, i + 1))
    goal = behind <= place
    if pace.forward is not None:
        begin, later = (
            pace.ahead(s, p) + one_more(lines, u, s, by_forward=True) for s in (j, j + 1)
        )
        goal = z3.And(goal, begin <= later)
    says = "updates of a stage count no more than those of the stage before, forwards no fewer"
    yield Statement("extremes", says, tuple(known), goal)
    other = i - u + one_more(lines, i, u, by_forward=False)
    within = [n >= 1, n * (c - 1) < place, place <= n * c, n * (d - 1) < other, other <= n * d]
    within += products([c, d, z3.IntVal(0)], n) + products([c + d, z3.IntVal(0), z3.IntVal(1)], n)
    same = z3.And(n * c == u - i, n * d == i - u, not lines.backward_counts)
    goal = z3.Or(c + d == 1, z3.And(c + d == 0, same))
    says = "of two updates one counts the other; where none of its slot is counted, or neither"
    yield Statement("in a row", says, (*known, *within, u != i), goal)
