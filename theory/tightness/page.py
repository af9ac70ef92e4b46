"""``docs/reference/tightness.md``: ``python -m theory.tightness.page FILE`` writes it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from theory.judging.catalogue import papers
from theory.tightness.evidence import Attained, Comparison, Table
from theory.tightness.worst_case import SOLVER, TOLERANCE, versions

_HEAD: Final = """\
# How tight the bounds are

For a theorist who asks whether a bound can be improved.
`python -m theory.tightness.page FILE` writes this page.

## Exact: runs that attain a bound

Played in fractions by the update of the paper. The bound is the printed one, unless the line names
a sharpened one.

"""
_NUMERIC: Final = """\

## Numeric: worst cases of short runs

Evidence, never a proof: the worst function for a short run by a semidefinite program, written with
PEPit, all branches of the random draws in one. Primal and dual value agree within {tolerance} of
the larger of 1 and the value. Delays are fixed at min(τ, k) for every block, and a noisy gradient
is ∇f ± e with both equally likely; other delays, noise or constants may be worse.

{solver}; {versions}; {machine}.
"""
_TITLES: Final = {"tau": "τ", "gamma": "γ", "G2": "G²", "Gt2": "G̃²", "sigma2": "σ²"}


def page(progress: Callable[[str], None]) -> str:
    """The whole page; takes about a minute.

    Raises
    ------
    theory.tightness.worst_case.MissingProgramError
    """
    tightness = {name: one for paper in papers().values() for name, one in paper.tightness.items()}
    exact = _table(
        ("claim", "run", "attained", "bound", "part"),
        [_attained(claim, one) for claim, one in tightness.items() if isinstance(one, Attained)],
    )
    words = _NUMERIC.format(
        tolerance=TOLERANCE,
        solver=f"Solver {SOLVER}",
        versions=", ".join(f"{name} {number}" for name, number in versions().items()),
        machine=f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    )
    numeric = []
    for claim, one in tightness.items():
        if isinstance(one, Table):
            progress(claim)
            rows = compared(one.compute(), one.columns)
            numeric.append(f"\n### {one.title}\n\n{one.says}\n\n{rows}")
    return f"{_HEAD}{exact}{words}{''.join(numeric)}"


def _attained(claim: str, one: Attained) -> tuple[str, ...]:
    found, of = one.make(), f" = {one.sharpened}" if one.sharpened else ""
    return f"`{claim}`", found.says, f"{found.attained}", f"{found.bound}{of}", f"{found.ratio}"


def compared(rows: Sequence[Comparison], columns: Sequence[str]) -> str:
    """A table of worst cases.

    Examples
    --------
    >>> from fractions import Fraction
    >>> row = Comparison({"tau": "1"}, Fraction(4), Fraction(3), 1.5)
    >>> print(compared([row], ["tau"]), end="")
    | τ | printed | sharpened | worst case | part of sharpened |
    |:--|:--|:--|:--|:--|
    | 1 | 4 | 3 | 1.5000 | 0.500 |
    """
    return _table(
        (
            *(_TITLES.get(name, name) for name in columns),
            *("printed", "sharpened", "worst case", "part of sharpened"),
        ),
        [
            (
                *(_word(row.run[name]) for name in columns),
                *(f"{row.printed}", f"{row.sharpened}", f"{row.worst:.4f}"),
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
