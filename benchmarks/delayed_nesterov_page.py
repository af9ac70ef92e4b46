"""The page about Nesterov's method with a fixed delay, from the numbers of `delayed_nesterov`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

from benchmarks.measure import table

DELAYS: Final = range(9)
DELAYS_SHOWN: Final = (0, 1, 2, 3, 4, 8)
STEPS_SHOWN: Final = (2, 4, 8, 16, 32, 48)
"""What the tables show of what was run."""
SHARES: Final = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
"""Of ηβ."""

HEAD: Final = """\
# Nesterov's method with a fixed delay

For a theorist who asks which rate survives a delay. The method:
w_{{t+1}} = w_t + d_t − η(1 − γ_t)∇f(y_t) with d_t = γ_t(w_t − w_{{t−1}}), γ_t = (t−2)/t
and y_t = w_{{t−τ}} + d_{{t−τ}}; it starts at rest. f is convex and β-smooth, with a minimizer w*.
`python -m benchmarks.delayed_nesterov` writes this page.

## What holds

Proofs and counterexamples are rows of the ledger: `staleproof verify nesterov`.

- **Stepsize η ≤ 1/(4τβ): O(1/t), for every delay τ ≥ 1.** f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1))
  and f(y_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − τ)); gradients need not be bounded
  (`nesterov.repaired-iterates`, `nesterov.repaired-thm-1`). The 1/4 of the first is the best:
  Huber's function attains ‖w_1 − w*‖²/(4η(t − 1) + 2/β), which is the bound itself for τ = 1
  (`nesterov.one-delay-horizon`), for τ ≥ 2 and η ≤ 1/((8τ + 3)β) (`nesterov.delayed-horizon`), and
  for t ≤ τ + 2 (`nesterov.first-iterates`).
- **Stepsize η > 1/(4(τ − 1)β), τ ≥ 2: not O(1/t)** for some f and w_1 (`nesterov.stepsize-limit`).
- **Stepsize η = 1/β, as printed:** O(1/t) without delay (`nesterov.thm-1-no-delay`), and from t = 3
  on f(w_t) − f* ≤ β‖w_1 − w*‖²/(4t − 2), which is attained (`nesterov.horizon-rate`); for every
  τ ≥ 2 false, as some runs do not even converge (`nesterov.thm-1`); for τ = 1 open, but f(y_t) − f*
  is O(1/√t) for every η ≤ 1/β (`nesterov.one-delay`) and O(1/t) for every η < 1/(2β)
  (`nesterov.one-delay-rate`).
- ‖w_{{t+1}} − w_t‖ ≤ ηG, attained on a line (`nesterov.step-bound`). With a minimiser and η = 1/β
  steps are O(1/t) without delay (`nesterov.no-delay-steps`); for every τ ≥ 2 on some runs they are
  not (`nesterov.eq-31`); for τ = 1 that is open. With bounded gradients and a minimiser they are
  O(1/√t) for every τ ≥ 1 and stepsize (`nesterov.bounded-energy`, `nesterov.step-order`).

What follows is evidence, not proof: {runs} runs in doubles to t = {last:,}, in {seconds} seconds on
{machine}. An exponent is fitted to the greatest f(w_t) − f* of the last four windows
2^k ≤ t < 2^(k+1). Delays 5 to 7 lie between their neighbours.

## Exponents on parabolas

On f = λw²/2 a formal series (`theory/papers/nesterov/runs/local_analysis.py`) gives
f(w_t) − f* ~ t^e with e = 2ηλ(τ − 1) − 3/2. Measured, by ηλ:

"""
STAY: Final = """

## Huber's function at η = 1/β

![f(w_t) − f* on Huber's function, by delay and stepsize](../pictures/nesterov/delays.svg)

For τ ≥ 2 the run comes no nearer: outside the parabola the delay does no harm, inside it drives the
run out again. Averaging says at which f(w_t) − f* the two balance (β = 1, the parabola ends at ±1).

"""
STEPS: Final = """

## Which stepsizes

ηβ up to which runs go as O(1/t), measured on four functions, a parabola and three Huber functions,
and interpolated between eighths of 1/(τ − 1). Up to 1/(4τ) the rate is proved, and a little further
(1/(4τ − 1), `nesterov.sharp-repaired-iterates`); beyond 1/(4(τ − 1)) it is refuted. Up to
3/(4(τ − 1)) these runs come to rest in the minimum, but slower.

"""
SMALL: Final = """

At ηβ = 1/(4τ), the slowest of the four, by delay from 1 on: {worst}.

## Worst cases of short runs

The largest t(f(w_t) − f*)/(β‖w_1 − w*‖²) of any f in any number of dimensions, as a semidefinite
program: floating point, no proof ({versions}).
*Beside Huber* is the largest ratio to the Huber function on whose line the whole run stays, where
f(w_t) − f* = ‖w_1 − w*‖²/(4η(t−1) + 2/β); 1 says that no function is worse. At τ = 1 and η = 1/β
the values swing, but stay below {highest} in these runs (t ≤ {longest}).

"""


def page(numbers: dict[str, Any]) -> str:
    """The whole page, from the numbers."""
    parts = [
        HEAD.format(
            runs=numbers["runs"],
            last=numbers["t below"] - 1,
            machine=numbers["machine"],
            seconds=numbers["seconds"],
        ),
        _exponents(numbers["parabolas"]),
        STAY,
        table(
            ("τ", "exponent", "f(w_t) − f* at the end", "by averaging"),
            [
                (
                    str(row["tau"]),
                    f"{round(row['exponent'], 2) + 0.0:.2f}",
                    f"{row['last']:.4g}",
                    _or(row["resting level"]),
                )
                for row in numbers["huber"]
                if row["tau"] in DELAYS_SHOWN
            ],
        ),
        STEPS,
        table(
            ("τ", "proved: 1/(4τ)", "O(1/t) up to", "1/(4(τ−1))", "rests up to", "3/(4(τ−1))"),
            [
                (str(row["tau"]), *(_or(row[key]) for key in EDGES))
                for row in numbers["edges"]
                if row["tau"] in DELAYS_SHOWN
            ],
        ),
    ]
    slowest = ", ".join(f"t^{row['exponent']:.2f}" for row in numbers["small steps"])
    return "".join([*parts, _worst(slowest, numbers["worst cases"])]) + "\n"


def _worst(slowest: str, solved: dict[str, Any]) -> str:
    known = ", ".join(f"{name} {number}" for name, number in solved["versions"].items())
    [open_case] = [row for row in solved["rows"] if (row["tau"], row["eta·beta"]) == (1, "1")]
    highest = ceil(10 * max(open_case["t·gap"])) / 10
    places = [solved["t"].index(t) for t in STEPS_SHOWN]

    def line(row: dict[str, Any]) -> tuple[str, ...]:
        values = (f"{row['t·gap'][place]:.3f}" for place in places)
        return str(row["tau"]), row["eta·beta"], *values, f"{row['beside Huber']:.3f}"

    said = SMALL.format(worst=slowest, versions=known, highest=highest, longest=max(solved["t"]))
    titles = ("τ", "ηβ", *(f"t = {t}" for t in STEPS_SHOWN), "beside Huber")
    return said + table(titles, [line(row) for row in solved["rows"]])


EDGES: Final = ("proved", "rate", "necessary", "rests", "averaging")


def _or(value: object) -> str:
    return "–" if value is None else f"{value}"


def _exponents(rows: Sequence[dict[str, Any]]) -> str:
    """By delay and ηλ; runs at λ = β."""
    full = {
        (row["tau"], row["eta·beta"]): f"{row['exponent']:.3f}"
        for row in rows
        if row["curvature/beta"] == "1"
    }
    lines = [
        (str(tau), *(full.get((tau, str(share)), "in one step") for share in SHARES))
        for tau in DELAYS_SHOWN
    ]
    return table(("τ", *(f"ηλ = {share}" for share in SHARES)), lines)
