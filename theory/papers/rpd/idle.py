"""E.3: PipeDream's idle time lies in start-up and drain, and is (p − 1)/(M + p − 1) of a run.

Problem    Which slots of a run of M microbatches are idle.
Method     The proved start times: between F(s, p) and F(s, M − 1) every slot of stage s is taken,
           and B(0, M − 1) ends the run after 2(M + p − 1) slots, in 2M of which each stage works.
Guarantee  Not mainly but altogether: no slot is idle from the forward of microbatch p to the last.
Source     RPD paper, appendix E.3.
"""

from collections.abc import Iterator

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.static_orders.symbols import M
from theory.papers.rpd.lemmas.busy import busy, ends
from theory.papers.rpd.lemmas.laws import ASSUMES, start_time_steps

_PRINTED = {"length": 2 * (M + p_ - 1)}


def shown(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    """That no slot is idle in between, and how long a run takes."""
    yield from busy()
    yield from ends(formulas["length"])


CLAIM = prover.row(
    "rpd.idle",
    "appendix E.3",
    "In a PipeDream run of M microbatches no stage is idle between its forward of microbatch p and "
    "its last forward, so that all idle time is start-up and drain: 2(p − 1) of 2(M + p − 1).",
    r"\frac{2 (p - 1)}{2 (M + p - 1)}",
    _PRINTED,
    shown,
    assumes=ASSUMES[1:],
    steps=start_time_steps,
    shares="delay laws",
)
