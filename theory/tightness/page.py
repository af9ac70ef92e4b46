"""``docs/tightness.md``: ``python -m theory.tightness.page FILE`` computes and writes it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from theory.tightness.evidence import INSTANCES, TABLES
from theory.tightness.tables import Comparison
from theory.tightness.worst_case import SOLVER, TOLERANCE, versions

_HEAD: Final = """\
# How tight the bounds are

Written by `python -m theory.tightness.page docs/tightness.md`.

## Exact: runs that attain a bound

Played in fractions by the update of the paper, so each line shows what it says and no more. The
bound of `rpd.lemma-b2-expected` and of `rpd.lemma-i2` is the sharpened one: γ²G²τ(τ+p−1)/p in the
mean, (γG(τ+β))² on every path. The others are as printed.

"""
_NUMERIC: Final = """\

## Numeric: worst cases of short runs

Evidence, never a proof. The worst function for a short run is the solution of a semidefinite
program, written with PEPit, all branches of the random draws in one. It is in floating point:
primal and dual value agree within {tolerance} of the larger of 1 and the value, or there is no
value. Delays are fixed at min(τ, k) for every block, and where a run is noisy, a gradient is ∇f ± e
with both equally likely. Other delays or other noise may be worse. So may be other constants: a
bound is for all of them, these are some.

{solver}; {versions}; {machine}.

"""
_RPD: Final = """\
### Theorem 4.1

The mean of E‖∇f(x^k)‖² over k < K. *Sharpened* has τ(τ+p−1)/p in place of τ². L = Δ = 1.

"""
_LOCAL: Final = """\

### LocalSGD, (11)

The mean of E‖∇f(x̄^t)‖² over t < T, two replicas. *Sharpened* has (H−1)² in place of 4H². L = Δ = 1.

"""
_RPD_COLUMNS: Final = ("p", "K", "tau", "gamma", "G2", "noisy")
_LOCAL_COLUMNS: Final = ("T", "H", "gamma", "Gt2", "sigma2")
_TITLES: Final = {"tau": "τ", "gamma": "γ", "G2": "G²", "Gt2": "G̃²", "sigma2": "σ²"}


def page(progress: Callable[[str], None]) -> str:
    """The whole page; takes about a minute.

    Raises
    ------
    theory.tightness.worst_case.MissingProgramError
    """
    instances = [(claim, make()) for claim, make in INSTANCES.items()]
    exact = _table(
        ("claim", "run", "attained", "bound", "part"),
        [(f"`{c}`", e.says, f"{e.attained}", f"{e.bound}", f"{e.ratio}") for c, e in instances],
    )
    computed = {}
    for claim, compute in TABLES.items():
        progress(claim)
        computed[claim] = compute()
    words = _NUMERIC.format(
        tolerance=TOLERANCE,
        solver=f"Solver {SOLVER}",
        versions=", ".join(f"{name} {number}" for name, number in versions().items()),
        machine=f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    )
    rpd = compared(computed["rpd.thm-4.1"], _RPD_COLUMNS)
    local = compared(computed["localsgd.eq-11"], _LOCAL_COLUMNS)
    return f"{_HEAD}{exact}{words}{_RPD}{rpd}{_LOCAL}{local}"


def compared(rows: Sequence[Comparison], columns: Sequence[str]) -> str:
    """A table of worst cases.

    Examples
    --------
    >>> from fractions import Fraction
    >>> row = Comparison({"tau": "1"}, Fraction(4), Fraction(3), 1.5)
    >>> print(compared([row], ["tau"]), end="")
    | τ | printed | sharpened | worst case | part of printed | part of sharpened |
    |:--|:--|:--|:--|:--|:--|
    | 1 | 4 | 3 | 1.5000 | 0.375 | 0.500 |
    """
    return _table(
        (
            *(_TITLES.get(name, name) for name in columns),
            *("printed", "sharpened", "worst case", "part of printed", "part of sharpened"),
        ),
        [
            (
                *(_word(row.run[name]) for name in columns),
                *(f"{row.printed}", f"{row.sharpened}", f"{row.worst:.4f}"),
                f"{row.worst / float(row.printed):.3f}",
                f"{row.worst / float(row.sharpened):.3f}",
            )
            for row in rows
        ],
    )


def _word(value: str) -> str:
    return {"True": "yes", "False": "no"}.get(value, value)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, [":--"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("| :-- ", "|:--") for line in lines)


def main(arguments: Sequence[str]) -> int:
    """Write the page to the file named."""
    if len(arguments) != 1:
        print("usage: python -m theory.tightness.page FILE", file=sys.stderr)
        return 2
    text = page(lambda claim: print(claim, file=sys.stderr))
    Path(arguments[0]).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
