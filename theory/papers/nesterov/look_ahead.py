"""After (20): the look-ahead d_t and the delay Δ_t are said to align as γ_t → 1, as d̄_t does.

Problem    The appendix: writing Δ_t in terms of d_t, cos(Δ_t, d_t) → 1 if γ_t grows to 1.
Method     Huber's function h, |h′| ≤ 1, any η and τ ≥ 2. Phase by phase 1 − γ_t is chosen so small
           that the run crosses the middle and turns far outside. Right after a turn the last step
           goes back, and the τ steps together still go on.
Guarantee  False for every τ ≥ 2: cos(Δ_t, d_t) = −1 for infinitely many t. At τ = 1 it is 1.
Source     Nesterov paper, appendix A.2, after (20).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sympy
import z3

from theory.judging import prover
from theory.kernel import Combine
from theory.notation import equal, positive, theorem, vector

TAU, TURNS = 2, 3
_SAME = positive("gamma_t")
_MOVE = vector("Δ_t")

_s, _next, _g, _e, _eta = z3.Reals("s s_next g e eta")
_STEP = (_next == (1 - _e) * _s - _e * _eta * _g, 0 < _e, _e < 1, _eta > 0)
LEMMAS = (
    prover.Statement(
        "bounded",
        "with |h′| ≤ 1 no step is longer than η, and steps change by at most 2(1 − γ)η",
        (*_STEP, -1 <= _g, _g <= 1, -_eta <= _s, _s <= _eta),
        z3.And(-_eta <= _next, _next <= _eta, _next - _s <= 2 * _e * _eta),
    ),
    prover.Statement(
        "turns",
        "where h′ = −1 a step to the left is shortened by (1 − γ)η at least",
        (*_STEP, _g == -1, _s <= 0),
        _next >= _s + _e * _eta,
    ),
    prover.Statement(
        "goes on",
        "where h′ = −1 a step to the right is followed by one",
        (*_STEP, _g == -1, _s >= 0),
        _next > 0,
    ),
    prover.Statement(
        "short",
        "in h′ = −1 a step to the left turns into one to the right that is shorter, if 1 − γ is "
        "between −s/(η − s) and twice that",
        (*_STEP, _g == -1, _s < 0, _e * (_eta - _s) > -_s, _e * (_eta - _s) < -2 * _s),
        z3.And(_next > 0, _s + _next < 0),
    ),
)


ARGUMENT = (
    "turning outside: let a run be at w > 1 (or w < −1, mirrored) with a step s < 0. By "
    "[bounded], if 1 − γ_t stays below a small enough e, its steps stay below s/2 until "
    "w < −1 − (τ + 1)η, which takes a known number of them. From then on it reads h′ = −1. Let "
    "1 − γ_t decrease strictly, above e/2: by [turns] steps grow, more than τ of them being "
    "negative, until one more would be positive with the last 1 − γ_t. A smaller one makes it "
    "positive and shorter than the step before, [short]: Δ_t < 0 < d_t then for every τ ≥ 2, and "
    "the cosine is −1. So the run is at w < −1 with a step > 0, and the same is done once more "
    "with a smaller e, for ever. The first step from w_1 = 3 is −η."
)


@cache
def turns(tau: int, count: int, delayed: bool = False) -> tuple[dict[str, Any], ...]:
    """The first turns of an exact run by (10), η = 1, from w_1 = 3: t, w_t, and the cosine there.

    With d_t, right after the turn; with d̄_t (`delayed`), where that is the last step before it.
    1 − γ_t is strictly decreasing, and below a quarter of what it was after every turn.

    Examples
    --------
    >>> [(turn["t"], turn["cosine"]) for turn in turns(3, 2)]
    [(12, -1), (44, -1)]
    """
    w, ahead = [Fraction(3)] * 2, [Fraction(0)]
    share, gamma = Fraction(1, 4), Fraction(0)
    turned: list[int] = []
    while len(turned) < count or len(w) <= turned[count - 1] + tau:
        t = len(ahead)
        seen = max(t - tau, 1)
        slope = max(min(w[seen] + ahead[seen - 1], Fraction(1)), Fraction(-1))
        w.append(w[t] + ahead[-1] - (1 - gamma) * slope)
        step = w[t + 1] - w[t]
        if step * (w[t] - w[t - 1]) < 0:
            share /= 4
            turned.append(t)
        gamma = 1 - share * (1 + Fraction(1, 2**t)) / 2
        ahead.append(gamma * step)
    found = []
    for t in turned[:count]:
        now, last = (t + tau, t) if delayed else (t + 1, t + 1)
        same = (w[now] - w[now - tau]) * (w[last] - w[last - 1]) > 0
        found.append({"t": now, "w_t": str(round(w[now], 3)), "cosine": 1 if same else -1})
    return tuple(found)


@cache
def _one_step(weight: sympy.Expr) -> prover.Ground:
    """At τ = 1 d_t is γ_tΔ_t."""
    T = theorem("nesterov.look-ahead-one-step")
    return T.shows(equal(_MOVE @ (_SAME * _MOVE), weight * _MOVE**2), by=Combine())


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield _one_step(formulas["along"])


def _fails(formulas: prover.Formulas) -> prover.Refutation | None:
    shown = turns(TAU, TURNS)
    if any(turn["cosine"] != -1 for turn in shown) or not formulas["limit"] > -1:
        return None
    same = "theory.papers.nesterov.look_ahead.turns"
    run = prover.Compared("the first turns of an exact run have cosine −1", same, True)
    witness = {
        "f": "Huber's function, f'(w) = w cut off at ±1",
        "tau": TAU,
        "eta": 1,
        "w_1": 3,
        "gamma_t": "strictly increasing; after every turn 1 − γ_t is below a quarter of before",
        "first turns": list(shown),
    }
    return prover.Refutation(witness, (*prover.in_turn(LEMMAS), run))


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    one = prover.Decision((_one_step(_CORE["along"]),))
    return (
        prover.Case("tau = 1", one, "d_t = γ_tΔ_t, so that the cosine is 1 wherever there is one"),
        prover.Case("tau >= 2", prover.Decision(fails=_fails(formulas)), "for every η"),
    )


_CORE = {"along": _SAME}

CLAIM = prover.row(
    "nesterov.look-ahead",
    "appendix A.2, after (20)",
    "cos(Δ_t, d_t) → 1 as t → ∞ for every convex smooth f, every fixed delay τ ≥ 1, every stepsize "
    "and every increasing sequence γ_t → 1, as for d̄_t.",
    r"\lim_{t\to\infty}\gamma_t = 1 \implies \lim_{t\to\infty}\cos(\Delta_t, d_t) = 1",
    _CORE,
    _grounds,
    printed={"limit": sympy.Integer(1)},
    fails=_fails,
    says="d_t is γ_t times the last step, and Δ_t has τ steps: after a turn they are opposite",
    repaired="At τ = 1 d_t = γ_tΔ_t, and the cosine is 1 wherever Δ_t ≠ 0 and γ_t > 0.",
    cases=_cases,
    arguments=(ARGUMENT,),
)
