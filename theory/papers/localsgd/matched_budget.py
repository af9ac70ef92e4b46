"""G.8: LocalSGD's smallest schedule that matches PipeDream's budget has the same length.

Problem    p = 16, PipeDream with 1024 microbatches; LocalSGD with 16 replicas and H = 5, with as
           many jobs as it takes to reach that length. The text at hand lost the numbers.
Method     2(M + p − 1) for PipeDream, 2M + 2(p − 1)⌈M/(nH)⌉ for LocalSGD; both schedules are built.
Guarantee  2078 slots and 16384 updates of blocks; 874 jobs take 2078 slots, 873 fewer.
Source     RPD paper, appendix G.8.
"""

from collections.abc import Iterator
from functools import cache

import sympy

from schedules.families import build
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.static_orders.symbols import M, p
from theory.papers.localsgd.length import CLAIM as LENGTH
from theory.papers.localsgd.length import R

STAGES, MICROBATCHES, STEPS = 16, 1024, 5


@cache
def _length(jobs: int | None) -> int:
    """Slots of LocalSGD with so many jobs, or of PipeDream."""
    if jobs is None:
        return timeline(build("pipedream", STAGES, MICROBATCHES)).length
    made = build("localsgd", STAGES, jobs, replicas=STAGES, local_steps=STEPS)
    return timeline(made).length


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Compared]:
    budget, jobs, updates = (int(formulas[name]) for name in ("budget", "jobs", "updates"))
    rounds = -(-jobs // (STAGES * STEPS))
    stated = LENGTH.printed["length"].subs({M: jobs, R: rounds, p: STAGES})
    code = "schedules.timeline.timeline"
    yield prover.Compared("PipeDream's budget", code, _length(None) == budget)
    yield prover.Compared(
        "the jobs fill it exactly", code, jobs > 1 and _length(jobs) == budget == stated
    )
    yield prover.Compared("one job fewer does not", code, jobs > 1 and _length(jobs - 1) < budget)
    yield prover.Compared("block updates", code, updates == STAGES * MICROBATCHES)


CLAIM = prover.row(
    "localsgd.matched-budget",
    "appendix G.8",
    "With p = 16 and 1024 microbatches PipeDream takes 2078 slots and makes 16384 block updates; "
    "LocalSGD with 16 replicas and H = 5 first reaches this with 874 jobs, in exactly 2078 slots.",
    r"2 (M + p - 1) = 2 M' + 2 (p - 1) \lceil M' / (n H) \rceil",
    {name: sympy.Integer(n) for name, n in (("budget", 2078), ("jobs", 874), ("updates", 16384))},
    _grounds,
    depends=(LENGTH.id,),
    origin="reconstructed",
)
