"""Exponents of Nesterov's method with a fixed delay: measured, beside the derived ones.

Run with ``python -m benchmarks.delayed_nesterov``; it takes some minutes and writes its numbers to
``benchmarks/delayed_nesterov.json``, and from them
``docs/explanation/delayed-nesterov.md`` and its picture.
``--page`` writes page and picture anew from the numbers that are there. Runs are doubles, made of
sums, products, quotients and clipping entry by entry, so that the same numbers come out everywhere;
worst cases need the extra ``sdp`` and are kept as they were where it is not installed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from benchmarks.delayed_nesterov_page import DELAYS, SHARES, page
from benchmarks.measure import machine
from reports.figures import picture_bytes, read_figure
from theory.papers.nesterov.runs.local_analysis import largest_share, resting_level
from theory.papers.nesterov.runs.long_runs import (
    Column,
    Trend,
    edge,
    family,
    hubers,
    parabolas,
    picture,
    trends,
    with_small_steps,
)
from theory.papers.nesterov.runs.worst_case import extremal_gap, worst_gap
from theory.tightness.worst_case import available, versions

ROOT: Final = Path(__file__).resolve().parents[1]
NUMBERS: Final = ROOT / "benchmarks" / "delayed_nesterov.json"
PAGE: Final = ROOT / "docs" / "explanation" / "delayed-nesterov.md"
PICTURE: Final = ROOT / "docs" / "pictures" / "nesterov" / "delays.svg"
"""In a folder of its own, as the families' pictures are."""

DOUBLINGS: Final = 22
EIGHTHS: Final = tuple(Fraction(k, 8) for k in range(1, 9))
"""Of ηβ(τ − 1), between which the edges are looked for."""
TIMES: Final = (2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48)
"""Iterations of the worst cases."""
SOLVED: Final = (
    (0, Fraction(1)),
    (1, Fraction(1)),
    (1, Fraction(1, 4)),
    (2, Fraction(1)),
    (2, Fraction(1, 8)),
    (3, Fraction(1, 12)),
)
"""Delay and ηβ of the worst cases."""


def measured(doublings: int = DOUBLINGS) -> dict[str, Any]:
    """All long runs, side by side, as plain data."""
    began = perf_counter()
    flat = parabolas(DELAYS, SHARES)
    bent = hubers(DELAYS, lambda _: Fraction(1))
    small = with_small_steps(DELAYS[1:])
    grid = {tau: [family(tau, part / (tau - 1)) for part in EIGHTHS] for tau in DELAYS[2:]}
    columns = [*flat, *bent, *small, *(c for rows in grid.values() for row in rows for c in row)]
    found = iter(trends(columns, doublings))

    def take(count: int) -> list[Trend]:
        return [next(found) for _ in range(count)]

    parts = [take(len(part)) for part in (flat, bent, small)]
    edges = [_edges(tau, [take(len(row)) for row in rows]) for tau, rows in grid.items()]
    return {
        "machine": machine(),
        "runs": len(columns),
        "t below": 2**doublings,
        "seconds": round(perf_counter() - began),
        "parabolas": [trend.describe() for trend in parts[0]],
        "huber": [_level(trend) for trend in parts[1]],
        "picture": picture([*parts[1][:4], *(one for one in parts[2] if _drawn(one.column))]),
        "small steps": _worst_by_delay(parts[2]),
        "edges": edges,
    }


def _drawn(column: Column) -> bool:
    """Runs with small steps beside those with η = 1/β in the picture."""
    return column.says == "Huber" and column.tau in (2, 3)


def _level(trend: Trend) -> dict[str, Any]:
    level = resting_level(trend.column.tau, trend.column.eta)
    return {
        "tau": trend.column.tau,
        "exponent": round(trend.exponent, 3),
        "last": float(f"{trend.gaps[-1]:.5g}"),
        "resting level": None if level is None else float(f"{level:.5g}"),
    }


def _worst_by_delay(found: Sequence[Trend]) -> list[dict[str, Any]]:
    worst: dict[int, Trend] = {}
    for trend in found:
        other = worst.get(trend.column.tau, trend)
        worst[trend.column.tau] = max(trend, other, key=lambda one: one.exponent)
    return [trend.describe() for trend in worst.values()]


def _edges(tau: int, rows: Sequence[Sequence[Trend]]) -> dict[str, Any]:
    """Stepsizes up to which all of the family go as O(1/t), and come to rest at all."""
    shares = [float(part / (tau - 1)) for part in EIGHTHS]
    worst = [max(trend.exponent for trend in row) for row in rows]
    flat = [row[0].exponent for row in rows]
    necessary = largest_share(tau)
    return {
        "tau": tau,
        "proved": str(Fraction(1, 4 * tau)),
        "rate": _rounded(edge(shares, worst, -1.0)),
        "necessary": str(necessary),
        "rests": _rounded(edge(shares, flat, 0.0)),
        "averaging": str(Fraction(3, 4 * (tau - 1))),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def worst_cases() -> dict[str, Any] | None:
    """Largest t(f(w_t) − f*) in units of β‖w_1 − w*‖², of any function; None without the extra."""
    if not available():
        return None
    rows = []
    for tau, share in SOLVED:
        found = {t: worst_gap(t, tau, share) for t in TIMES}
        beside = max(gap / extremal_gap(t, share) for t, gap in found.items())
        rows.append(
            {
                "tau": tau,
                "eta·beta": str(share),
                "t·gap": [round(t * gap, 3) for t, gap in found.items()],
                "beside Huber": round(beside, 3),
            }
        )
    return {"t": list(TIMES), "versions": versions(), "rows": rows}


def write(numbers: dict[str, Any]) -> None:
    """Page and picture."""
    PAGE.write_text(page(numbers), encoding="utf-8")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(drawn(numbers))


def drawn(numbers: dict[str, Any]) -> bytes:
    """The picture as SVG."""
    return picture_bytes(read_figure(numbers["picture"], "picture"), "svg")[0]


def main() -> None:
    """Measure unless told not to, and write."""
    parser = argparse.ArgumentParser(description="Measures the delayed method and writes its page.")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page anew")
    before = json.loads(NUMBERS.read_text(encoding="utf-8")) if NUMBERS.exists() else {}
    if parser.parse_args().page:
        numbers = before
    else:
        numbers = measured()
        numbers["worst cases"] = worst_cases() or before.get("worst cases")
        text = json.dumps(numbers, indent=1, ensure_ascii=False) + "\n"
        NUMBERS.write_text(text, encoding="utf-8")
    write(numbers)


if __name__ == "__main__":
    main()
