"""Table 1 and its caption: who has the lowest perplexity, by the printed numbers.

Problem    "Ours outperforms all methods", and the version without weight stashing "is on par with
           GPipe on perplexity, while outperforming other asynchronous methods".
Method     The printed perplexities, exactly.
Guarantee  The first in all columns. The second within 1 % or below on WikiText and BookCorpus, as
           section 5.2 says; on OpenWebText it is 108.20 against 65.17, 66 % above GPipe.
Source     Nesterov paper, Table 1.
"""

from collections.abc import Iterator

import sympy

from theory.judging import prover

Q = sympy.Rational
COLUMNS = ("WikiText", "BookCorpus", "OpenWebText")
TABLE = {
    "GPipe": ("30.63", "42.39", "65.17"),
    "PipeDream": ("99.48", "52.98", "224.30"),
    "PipeMare": ("71.38", "76.93", "239.13"),
    "Ours": ("27.72", "39.85", "62.86"),
    "Ours-No-WS": ("29.90", "42.61", "108.20"),
}
_CODE = "theory.papers.nesterov.table_1.over_gpipe"
_BEST = "Ours is lowest, and Ours-No-WS below PipeDream and PipeMare, in every column"
_ON_PAR = "Ours-No-WS on par with GPipe, WikiText and BookCorpus"
_NEAR = Q(1, 100)
"""On par: at most 1 % above."""


def over_gpipe(column: int) -> sympy.Rational:
    """How far Ours-No-WS is above GPipe, in percent with one decimal.

    Examples
    --------
    >>> [str(over_gpipe(column)) for column in range(3)]
    ['-12/5', '1/2', '66']
    """
    ratio = Q(TABLE["Ours-No-WS"][column]) / Q(TABLE["GPipe"][column])
    return sympy.floor(1000 * (ratio - 1) + Q(1, 2)) / 10


def _best() -> prover.Compared:
    below = all(
        min(TABLE, key=lambda name: Q(TABLE[name][column])) == "Ours"
        and Q(TABLE["Ours-No-WS"][column])
        < min(Q(TABLE[name][column]) for name in ("PipeDream", "PipeMare"))
        for column in range(len(COLUMNS))
    )
    return prover.Compared(_BEST, _CODE, below)


def _on_par() -> prover.Compared:
    return prover.Compared(
        _ON_PAR, _CODE, all(over_gpipe(column) <= 100 * _NEAR for column in (0, 1))
    )


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    yield from (_best(), _on_par())
    for column, name in enumerate(COLUMNS):
        yield prover.Compared(f"above GPipe, {name}", _CODE, over_gpipe(column) == formulas[name])


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    last = len(COLUMNS) - 1
    witness = {"column": COLUMNS[last], "GPipe": "65.17", "Ours-No-WS": "108.20", "above": "66 %"}
    violation = prover.Violation(lambda: over_gpipe(last), "<=", 100 * _NEAR, {})
    return (
        prover.Case(_BEST, prover.Decision((_best(),))),
        prover.Case(_ON_PAR, prover.Decision((_on_par(),)), "2.4 % below and 0.5 % above"),
        prover.Case(
            "Ours-No-WS on par, OpenWebText",
            prover.Decision(fails=prover.Refutation(witness, violation)),
        ),
    )


CLAIM = prover.row(
    "nesterov.table-1",
    "Table 1, perplexities",
    "By Table 1 the method outperforms all others on every data set; without weight stashing it is "
    "on par with GPipe on perplexity and outperforms the other asynchronous methods.",
    r"62.86 < 65.17 < 108.20 < 224.30",
    dict(zip(COLUMNS, (Q(-24, 10), Q(1, 2), Q(66)), strict=True)),
    _grounds,
    cases=_cases,
    holding=(_BEST, _ON_PAR),
    assumes=("on par: at most 1 % above",),
)
