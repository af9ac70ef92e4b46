"""Section 7: how many block updates PipeDream makes in a given time, by its number of stages.

Problem    More stages are said to be able to give more block updates in the same simulated time.
Method     A run of M microbatches takes 2(M + p − 1) slots, by `idle`, and makes pM updates.
Guarantee  2h slots hold p(h − p + 1) updates; one stage more adds h − 2p, so that updates grow as
           long as p < h/2.
Source     RPD paper, section 7, scaling with the number of stages.
"""

from collections.abc import Iterator

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.static_orders.symbols import M
from theory.papers.rpd.idle import shown
from theory.papers.rpd.lemmas.laws import ASSUMES, start_time_steps

h = sympy.Symbol("h", integer=True, positive=True)
_LENGTH = 2 * (M + p_ - 1)


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield from shown({"length": _LENGTH})
    updates, more = formulas["updates"], formulas["more"]
    differences = {
        "M microbatches make pM updates": updates.subs(h, _LENGTH / 2) - p_ * M,
        "one stage more adds so many": updates.subs(p_, p_ + 1) - updates - more,
    }
    for says, difference in differences.items():
        yield prover.Compared(says, "sympy.expand", sympy.expand(difference) == 0)


CLAIM = prover.row(
    "rpd.updates-in-time",
    "section 7, scaling with the number of stages",
    "In 2h slots PipeDream of p stages, h ≥ p, does h − p + 1 microbatches, which are p(h − p + 1) "
    "block updates; one stage more adds h − 2p of them, so that they grow with p as long as "
    "p < h/2.",
    r"(p + 1)(h - p) - p (h - p + 1) = h - 2p",
    {"updates": p_ * (h - p_ + 1), "more": h - 2 * p_},
    _grounds,
    assumes=ASSUMES[1:],
    steps=start_time_steps,
    shares="delay laws",
)
