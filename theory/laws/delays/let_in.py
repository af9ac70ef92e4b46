"""Delays of PipeDream's rule where fewer microbatches are let in than there are stages.

Rounds of N < p microbatches follow each other every 2p slots; inside of one, starts are two slots
apart. So c(k) = N·z + min(N, ⌈ρ/2⌉) updates of a stage lie in the k slots from a first one on, with
k = 2p·z + ρ and 0 < ρ ≤ 2p, and their sum over v = 1 … k is
G(k) = N·z·(p(z − 1) + 2p − N + 1 + ρ) + d·(ρ + 1 − d) with d = min(N, ⌈ρ/2⌉). Sums over stages
follow as where updates have an interval (`theory.laws.delays.stage_sums`).

The mean, where an event counts updates of its slot: of two updates of a round one counts the other,
so places are (N·p − 1)/2 in the mean. What forwards count is 0 in the mean: update r' of stage u
and F of r and j are x = 2(r − r') + j + u + 1 − 2p slots apart, those of p − 1 − u and p − 1 − j
with r and r' exchanged −x − 2p, and ⌈(x + 1)/2p⌉ + ⌈(−x − 2p)/2p⌉ = 0, one of the two being counted
in its slot; where u = j neither is, and x is odd.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import sympy
import z3

from schedules.closed_forms.affine import Piecewise
from schedules.closed_forms.start_times import StartTimes
from schedules.linearization import Linearization
from theory.laws.delays.closed import described
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.stage_sums import SHORT, C, Notation, ceiling, identity, stages_add_up
from theory.laws.delays.symbols import Microbatch, Times
from theory.laws.delays.windows import one_more, tie_of
from theory.laws.stamp_terms import neighbours, products
from theory.smt.solver import Statement

COUNTED: Final = "every event counts so many updates of each stage, and they add up"

_P, _M, _I, _J, _R, _K = sympy.symbols("p M i j r k", integer=True)


@dataclass(frozen=True)
class LetIn:
    """The closed forms of such a law.

    Attributes
    ----------
    start_times : StartTimes
        With N as their period.
    lines : Linearization
    makespan : sympy expression
    in_flight, largest : Piecewise
        Activations in flight, and local staleness at most.
    """

    start_times: StartTimes
    lines: Linearization
    makespan: sympy.Expr
    in_flight: Piecewise
    largest: Piecewise

    @property
    def bound(self) -> sympy.Expr:
        """N."""
        return sympy.sympify(self.start_times.period.at({"p": _P}))

    @property
    def domain(self) -> str:
        """The values that the law is stated for."""
        N = sympy.sstr(self.bound)
        later = sympy.sstr(ceiling(_P - int(tie_of(self.lines, by_forward=False) <= 0), 2))
        return (
            f"p >= {self.start_times.least}, 0 <= i < p, 0 <= j < p, m = ({N})*q + r, "
            f"0 <= r < {N}, q >= 1, m < M + 1 - {later}"
        )

    @property
    def least(self) -> int:
        """The least p that the law is stated for."""
        return self.start_times.least

    def places(self, p: int) -> int:
        """How many microbatches have an r of their own."""
        return int(self.start_times.period.at({"p": p}))

    def _counted(self, k: Any, _: Any = None) -> sympy.Expr:
        """c(k)."""
        z = ceiling(k, 2 * _P) - 1
        return self.bound * z + sympy.Min(self.bound, ceiling(k - 2 * _P * z, 2))

    def _added(self, k: Any, _: Any = None) -> sympy.Expr:
        """G(k)."""
        N, z = self.bound, ceiling(k, 2 * _P) - 1
        rest = k - 2 * _P * z
        d = sympy.Min(N, ceiling(rest, 2))
        return N * z * (_P * (z - 1) + 2 * _P - N + 1 + rest) + d * (rest + 1 - d)

    def index(self, i: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before that of number r at stage i, but for N·p·q."""
        return how.over_stages(2 * r - i, i, _P, 0, tie_of(self.lines, by_forward=False))

    def recorded(self, j: Any, r: Any, how: Notation) -> sympy.Expr:
        """Updates before F of number r at stage j, but for N·p·q."""
        x = 2 * r + j + 1 - 2 * _P
        return how.over_stages(x, j, _P, 0, tie_of(self.lines, by_forward=True))

    def delay(self, how: Notation) -> sympy.Expr:
        """D[i][j] of number r."""
        return self.index(_I, _R, how) - self.recorded(_J, _R, how)

    def to_json(self) -> dict[str, Any]:
        """The closed forms by the keys of ``derive``."""
        own, texts = Notation(self._counted, self._added), sympy.sstr
        counts = self.lines.backward_counts and self.lines.forward_counts
        return {
            "start_times": described(self.start_times),
            "delay": [{"when": "True", "expr": texts(self.delay(own))}],
            "max": None,
            "min": None,
            "mean": texts((self.bound * _P - 1) / 2) if counts else None,
            "whole_run_max": None,
            "whole_run_least_m": None,
            "local_staleness": texts(_R - self._counted(2 * _R + 2 * _I + 1 - 2 * _P)),
            "local_staleness_whole_run": self.largest.renamed({"s": "i"}).described(),
            "makespan": texts(self.makespan),
            "bubble": texts(sympy.factor(1 - 2 * _M / self.makespan)),
            "in_flight": self.in_flight.renamed({"s": "i"}).described(),
            "short": {
                "index": texts(self.index(_I, _R, SHORT)),
                "recorded": texts(self.recorded(_J, _R, SHORT)),
                "local_staleness": texts(_R - C(2 * _R + 2 * _I + 1 - 2 * _P)),
                "c(k)": texts(self._counted(_K)),
                "G(k)": texts(self._added(_K)),
            },
        }

    def at(self, p: int, **stages: int) -> dict[str, Any]:
        """Numbers at p, and at i, j and r where these are given."""
        forms = {"delay": self.delay(Notation(self._counted, self._added))}
        mean = self.to_json()["mean"]
        forms = {} if not {"i", "j", "r"} <= stages.keys() else forms
        forms |= {} if mean is None else {"mean": sympy.sympify(mean, locals={"p": _P})}
        put = {_P: p, _I: stages.get("i"), _J: stages.get("j"), _R: stages.get("r")}
        put = {name: sympy.Integer(number) for name, number in put.items() if number is not None}
        found = {name: form.subs(put) for name, form in forms.items()}
        numbers = {name: int(one) if one.is_Integer else str(one) for name, one in found.items()}
        return {"p": p, **stages, **numbers}


def statements(times: Times, lines: Linearization) -> Iterator[Statement]:
    """Starts are those of rounds, and events count so many updates of each stage."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    known = (*domain(size), a_stage(size, s), a_microbatch(size, m))
    begun = times.forward(s, m) == 2 * m.product + 2 * m.place + s
    ended = times.backward(s, m) == 2 * m.product + 2 * size.p + 2 * m.place - s - 1
    says = "from the second round on F and B start two slots apart, and rounds 2p"
    yield Statement("rounds", says, known, z3.And(z3.Implies(m.round >= 1, begun), ended))
    p, q, v, z, r, w, u, i, j = z3.Ints("p q v z r w u i j")
    N, rest, M = times.guess.period.at({"p": p}), z3.Int("rest"), z3.Int("M")
    N = N if z3.is_expr(N) else z3.IntVal(N)
    sizes = [p >= times.guess.least, N >= 1, p > N, q >= 1, v >= 0, r >= 0, r < N, w >= 0, w < N]
    sizes += [part for stage in (u, i, j) for part in (stage >= 0, stage < p)]
    factors = [q, v, z, q + z, z3.IntVal(0)]
    for by in (p, N):
        sizes += products(factors, by) + neighbours(factors, by)
    update = 2 * p * v + 2 * w + 2 * p - 1 - u
    few = z3.If((rest + 1) / 2 < N, (rest + 1) / 2, N)
    events = {
        "recorded": (2 * p * q + 2 * r + j, j, True),
        "place": (2 * p * q + 2 * r + 2 * p - 1 - i, i, False),
    }
    for name, (event, stage, by_forward) in events.items():
        k = event - (2 * p * q + 2 * p - 1 - u) + one_more(lines, u, stage, by_forward=by_forward)
        within = (k == 2 * p * z + rest, rest >= 1, rest <= 2 * p)
        tie = z3.And(update == event, lines.counted(u, stage, by_forward=by_forward))
        seen = z3.Or(update < event, tie)
        goal = seen == z3.Or(v < q + z, z3.And(v == q + z, w < few))
        counted = N * q + N * z + few
        later = (p - int(tie_of(lines, by_forward=False) <= 0) + 1) / 2
        made = z3.Implies(N * q + r + later <= M, counted <= M)
        says = "it counts N·q + c(k) updates of stage u, all of them made"
        yield Statement(name, says, (*sizes, *within), z3.And(goal, counted >= 0, made))
    yield from _ordered(lines)
    yield from _sums()


def _ordered(lines: Linearization) -> Iterator[Statement]:
    """Of two updates of a round one counts the other; pairs of stages cancel in the mean."""
    n, x, c, d = z3.Ints("n x c d")
    known = [n >= 1, n * (c - 1) < x + 1, x + 1 <= n * c, n * (d - 1) < -x, -x <= n * d]
    known += products([c + d, z3.IntVal(0), z3.IntVal(1), z3.IntVal(2)], n)
    says = "⌈(x + 1)/n⌉ + ⌈−x/n⌉ = 1, so what one counts and the other does not adds up"
    yield Statement("pairs", says, tuple(known), c + d == 1)
    known[1:3] = [n * (c - 1) < x, x <= n * c, n * c != x]
    says = "⌈x/n⌉ + ⌈−x/n⌉ = 1 where n does not divide x"
    yield Statement("pairs of odd distance", says, tuple(known), c + d == 1)


def _sums() -> Iterator[Statement]:
    """G grows by c(k), as ρ does by 1, from the end of one round to the next too."""
    p, N, z, rho, d = sympy.symbols("p N z rho d", integer=True)

    def total(z: Any, rho: Any, d: Any) -> Any:
        return N * z * (p * (z - 1) + 2 * p - N + 1 + rho) + d * (rho + 1 - d)

    now, count = total(z, rho, d), N * z + d
    border = {rho: 2 * d - 1}  # where d is one more than of ρ − 1
    round_ends = total(z, 1, 1) - total(z - 1, 2 * p, N) - (N * z + 1)
    grows = (now - total(z, rho - 1, d) - count, round_ends)
    begins = (now - total(z, rho - 1, d - 1) - count).subs(border)
    zero = total(-1, 2 * p, N)
    yield identity("adds up", "G(k) − G(k − 1) = c(k), and G(0) = 0", *grows, begins, zero)
    yield from stages_add_up()
