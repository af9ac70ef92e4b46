"""Delays of PipeDream's rule where N microbatches are let in, fewer than there are stages.

Rounds of N follow each other every 2p slots; inside of one, starts are two slots apart. So
c(k) = N·z + min(N, ⌈ρ/2⌉) updates of a stage lie in the k slots from a first one on, with
k = 2p·z + ρ and 0 < ρ ≤ 2p, and their sum over v = 1 … k is
G(k) = N·z·(p(z + 1) − N + 1 + ρ) + d·(ρ + 1 − d) with d = min(N, ⌈ρ/2⌉). Sums over stages
follow as where updates have an interval (`theory.laws.delays.stage_sums`).

The mean, where an event counts updates of its slot: of two updates of a round one counts the other,
so places are (N·p − 1)/2 in the mean. What forwards count is 0 in the mean: update r' of stage u
and F of r and j are x = 2(r − r') + j + u + 1 − 2p slots apart, those of p − 1 − u and p − 1 − j
with r and r' exchanged −x − 2p, and ⌈(x + 1)/2p⌉ + ⌈(−x − 2p)/2p⌉ = 0, one of the two being counted
in its slot; where u = j neither is, and x is odd.

Where a stage updates after every K gradients, ⌊n/K⌋ updates are counted of n gradients: delays are
then sums over stages, in m, as N and K have no common period in general.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import sympy

from schedules.closed_forms.affine import LET_IN, ONE, Piecewise, Quotient
from schedules.closed_forms.let_in import InFlight, stages_hold
from schedules.closed_forms.start_times import StartTimes
from schedules.linearization import Linearization
from theory.laws.delays.closed import described
from theory.laws.delays.pace import tie_of
from theory.laws.delays.rounds import (
    WRITTEN,
    count_of,
    fewest,
    preceding,
    preceding_stages,
    sum_at,
    sum_of,
)
from theory.laws.delays.shape import as_expression, least_of
from theory.laws.delays.stage_sums import SHORT, C, Notation, ceiling

_P, _M, _N, _I, _J, _R, _K = sympy.symbols("p M N i j r k", integer=True)
_NAMED: Final = {"p": _P, "s": _I, LET_IN: _N}
_U, _MICROBATCH = sympy.symbols("u m", integer=True)
_NO_NUMBERS: Final = dict.fromkeys(("max", "min", "mean", "whole_run_max", "whole_run_least_m"))
_Z, _RHO, _D = sympy.symbols("z rho d", integer=True)


def held(N: Quotient, in_flight: InFlight) -> Piecewise:
    """Activations in flight at stage s, at most."""
    return least_of(*stages_hold(N, in_flight))


def stale(most: Piecewise) -> Piecewise:
    """Local staleness of stage s, at most: one less than what is in flight."""
    return least_of(*(piece.value.plus(ONE, -1) for piece in most.pieces[::-1]))


@dataclass(frozen=True)
class LetIn:
    """The closed forms of such a law.

    Attributes
    ----------
    start_times : StartTimes
        With N as their period.
    lines : Linearization
    most : Piecewise
        Activations in flight at each stage.
    interval : int
        K, gradients of an update.
    """

    start_times: StartTimes
    lines: Linearization
    most: Piecewise
    interval: int = 1

    @cached_property
    def bound(self) -> sympy.Expr:
        """N."""
        return self.start_times.period.to_sympy()

    @property
    def domain(self) -> str:
        """The values that the law is stated for."""
        N = sympy.sstr(self.bound)
        later = sympy.sstr(ceiling(_P - int(tie_of(self.lines, by_forward=False) <= 0), 2))
        last = "m" if self.interval == 1 else sympy.sstr(self._last)
        return (
            f"p >= {self.start_times.least}, 0 <= i < p, 0 <= j < p, m = ({N})*q + r, "
            f"0 <= r < {N}, q >= 1, {last} < M + 1 - {later}"
        )

    @property
    def _last(self) -> sympy.Expr:
        """The last microbatch of the update of m."""
        K = sympy.Integer(self.interval)
        return K * sympy.floor(_MICROBATCH / K) + K - 1

    def gradients(self, m: Any, stage: Any, count: Any, *, by_forward: bool) -> sympy.Expr:
        """Those of stage u in front of B of m at a stage, or of F; with K > 1."""
        r = sympy.Mod(m, _N)
        tie = tie_of(self.lines, by_forward=by_forward)
        one = {-1: stage > _U, 0: sympy.false, 1: stage < _U}[tie]
        k = 2 * r + (stage + 1 - 2 * _P if by_forward else -stage) + _U
        counted = sympy.Piecewise((1, one), (0, True))
        return _N * sympy.floor(m / _N) + count(k + counted)

    def updates(self, m: Any, stage: Any, count: Any, *, by_forward: bool) -> sympy.Expr:
        """The same of updates, of all stages."""
        own = self.gradients(m, stage, count, by_forward=by_forward)
        return sympy.Sum(sympy.floor(own / self.interval), (_U, 0, _P - 1))

    @property
    def least(self) -> int:
        """The least p that the law is stated for."""
        return self.start_times.least

    def places(self, p: int) -> int:
        """How many microbatches have an r of their own."""
        return int(self.start_times.period.at({"p": p}))

    def index(self, i: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before that of number r at stage i, but for N·p·q."""
        return how.over_stages(2 * r - i, i, _P, 0, tie_of(self.lines, by_forward=False))

    def recorded(self, j: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before F of number r at stage j, but for N·p·q."""
        x = 2 * r + j + 1 - 2 * _P
        return how.over_stages(x, j, _P, 0, tie_of(self.lines, by_forward=True))

    @cached_property
    def delay(self) -> sympy.Expr:
        """D[i][j] of number r, in N and p."""
        if self.interval > 1:
            index = self.updates(self._last, _I, count_of, by_forward=False)
            return index - self.updates(_MICROBATCH, _J, count_of, by_forward=True)
        own = Notation(lambda k, _: count_of(k), lambda k, _: sum_of(k))
        return self.index(_I, _R, own) - self.recorded(_J, _R, own)

    def numbers(self) -> dict[str, sympy.Expr]:
        """Extremes and mean in N and p, for which there is a form."""
        if self.interval > 1:
            return {}
        first, last = (fewest(self.lines, _N, _P, WRITTEN, last=last) for last in (False, True))
        later = preceding(self.lines, _N, _P, WRITTEN)
        stages = preceding_stages(self.lines, _N, _P)
        found = {
            "max": _N * _P - 1 - first,
            "min": last,
            "whole_run_max": _N * _P - 1 + later * (stages + 1 - later),
            "whole_run_least_m": _N + later,
        }
        if self.lines.backward_counts and self.lines.forward_counts:
            found["mean"] = (_N * _P - 1) / 2
        return found

    def to_json(self) -> dict[str, Any]:
        """The closed forms by the keys of ``derive``; ``short`` has N, c(k) and G(k) as names."""
        q, r = sympy.floor((_M - 1) / self.bound), sympy.Mod(_M - 1, self.bound)
        makespan = 2 * _P * q + 2 * _P + 2 * r
        local = _R - count_of(2 * _R + 2 * _I + 1 - 2 * _P)
        numbers = {**_NO_NUMBERS, **self.numbers()}
        short = {
            "index": self.index(_I, _R, SHORT),
            "recorded": self.recorded(_J, _R, SHORT),
            "local_staleness": _R - C(2 * _R + 2 * _I + 1 - 2 * _P),
            "c(k)": _N * _Z + _D,
            "G(k)": sum_at(_Z, _RHO, _D),
            **{name: form for name, form in numbers.items() if form is not None},
        }
        if self.interval > 1:
            local = self._stale(C)
            short["index"] = self.updates(self._last, _I, C, by_forward=False)
            short["recorded"] = self.updates(_MICROBATCH, _J, C, by_forward=True)
            short["local_staleness"] = local
            local = self._stale(count_of)
            del short["G(k)"]
        where = {
            "N": self.bound,
            "z": ceiling(_K, 2 * _P) - 1,
            "rho": _K - 2 * _P * _Z,
            "d": sympy.Min(_N, sympy.ceiling(_RHO / 2)),
        }
        return {
            "start_times": described(self.start_times),
            "delay": self._case(self.delay),
            **{name: None if form is None else self._text(form) for name, form in numbers.items()},
            "local_staleness": self._case(local),
            "local_staleness_whole_run": self._case(as_expression(stale(self.most), _NAMED))
            if self.interval == 1
            else None,
            "makespan": self._text(makespan),
            "bubble": self._text(1 - 2 * _M / makespan),
            "in_flight": self._case(as_expression(self.most, _NAMED)),
            "short": {
                **{name: sympy.sstr(form) for name, form in short.items()},
                "where": {name: sympy.sstr(form) for name, form in where.items()},
            },
        }

    def _stale(self, count: Any) -> sympy.Expr:
        """Updates of stage i between F of m and its own, with K > 1."""
        read = self.gradients(_MICROBATCH, _I, count, by_forward=True).subs(_U, _I)
        K = sympy.Integer(self.interval)
        return sympy.floor(_MICROBATCH / K) - sympy.floor(read / K)

    def _case(self, form: sympy.Expr) -> list[dict[str, str]]:
        return [{"when": "True", "expr": self._text(form)}]

    def _text(self, form: sympy.Expr) -> str:
        """A form in N as one in p."""
        return str(sympy.sstr(form.subs(_N, self.bound)))

    def at(self, p: int, **stages: int) -> dict[str, Any]:
        """Numbers at p, and at i, j and r where these are given; with K > 1 a formula in m."""
        forms = self.numbers()
        if {"i", "j", *["r"] * (self.interval == 1)} <= stages.keys():
            forms["delay"] = self.delay
        named = {"p": p, "N": self.places(p), **stages}
        put = {sympy.Symbol(name, integer=True): number for name, number in named.items()}
        found = {name: form.subs(put) for name, form in forms.items()}
        numbers = {name: int(one) if one.is_Integer else str(one) for name, one in found.items()}
        return {"p": p, **stages, **numbers}
