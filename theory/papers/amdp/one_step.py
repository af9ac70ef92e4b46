"""One-step mismatch: a pipeline that admits two minibatches has a mismatch of at most 1.

Problem    n = 2 at every stage of every depth. What counts as a step is left open: the updates of
           the pipeline's own minibatches, or all updates of weights that several pipelines share.
Method     counters (`theory.papers.schedules.counters`), so for any durations and message delays,
           whatever later stages admit, and whatever else keeps a rank busy: stage i never has more
           minibatches under way than stage 0, and a forward that starts is one of these.
Guarantee  at most 1 in one pipeline, attained at every stage but the last (`mismatches`). Pipelines
           that share weights and update them after every backward are replayed, and exceed it.
Source     overall architecture; key design 1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import sympy

from schedules.families import amdp
from schedules.schedule import Schedule
from schedules.versions import versions
from theory.judging import prover
from theory.papers.amdp import placements
from theory.papers.amdp.lemmas.greedy import established
from theory.papers.amdp.lemmas.mismatches import counted
from theory.papers.amdp.lemmas.start_times import TWO
from theory.papers.amdp.runs import fifo, replays
from theory.papers.amdp.symbols import d, i, n
from theory.papers.schedules import free_running

ASSUMES = (
    "in a stage forwards and backwards run in the order of minibatches, and an update follows "
    "every backward of the pipeline",
    "attained: F takes equally long at all stages, and so does B; messages take no time",
)

FAMILY = (
    f"in the order of the family amdp ({placements.SAYS[placements.STRAIGHT]}; kinds in turns; "
    f"ties: {fifo.TIES[0].name})"
)
"""What the replays fix and the source leaves open."""

DEPTHS = (2, 4, 6, 8)
"""Depths at which d/2 pipelines are replayed."""


@prover.remembered
def _counters() -> tuple[prover.Outcome, ...]:
    """No stage ever has more minibatches under way than stage 0 admits."""
    symbol = free_running.N_
    found = free_running.proof({"inner": symbol - 1, "last": 0 * symbol})
    return tuple(found[name] for name in ("neighbours", "stages", "admission"))


def at_most(formulas: prover.Formulas) -> prover.Outcome:
    """A forward that starts is under way itself, so it finds one fewer without a backward."""
    says = "of at most n minibatches under way at a stage one is that whose forward starts"
    known = "mismatch >= 0, under_way == mismatch + 1, under_way <= admitted"
    numbers = {"admitted": int(formulas["admission"]), "most": int(formulas["mismatch"])}
    return prover.decide(prover.stated("bound", says, known, "mismatch <= most", **numbers))


def _attained(formulas: prover.Formulas) -> prover.Outcome:
    """Minibatch n − 1 has the stated mismatch at all stages but the last, at any F and B."""
    line, s, m = TWO.somewhere("m")
    general = counted(TWO, formulas["mismatch"], first_round=True)
    here = (line.n == int(formulas["admission"]), s < line.p - 1, m.place == line.n - 1)
    says = "minibatch 1 has a mismatch of 1 at every stage but the last"
    hypotheses = (*general.hypotheses, *here)
    statement = replace(general, name="attained", says=says, hypotheses=hypotheses)
    return prover.decide_from(statement, {"p": 2, "n": 2, "s": 0, "qm": 0, "rm": 1})


def _proof(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    yield from _counters()
    yield at_most(formulas)
    yield established(TWO)
    yield _attained(formulas)


def _supposed(formulas: prover.Formulas) -> tuple[Any, ...]:
    return prover.eq(n, formulas["admission"]), prover.le(i + 1, d)


def _of_one(formulas: prover.Formulas) -> prover.Refutation | None:
    """The first run of one pipeline with a larger mismatch than stated."""
    admission = int(formulas["admission"])

    def most(stages: int, admission: int, stage: int) -> int:
        run = replays.one_pipeline(stages, admission, 2 * admission + 1, stage_cap=False)
        return max(replays.by_order(run, stage).values())

    depths = range(2, 6) if admission >= 1 else ()
    cells = ({d: p, n: admission, i: stage} for p in depths for stage in range(p - 1))
    bound, supposed = formulas["mismatch"], _supposed(formulas)
    return prover.first_violation(most, "<=", bound, cells, supposed, "mismatch")


def _several(stages: int) -> Schedule:
    return amdp.build(stages, 4 * stages)


def _among_others(stages: int, pipelines: int, stage: int, m: int) -> int:
    """Backwards of its direction between a minibatch's F and B, read off the program."""
    return replays.by_order(_several(stages), stage, m % pipelines % 2)[m]


def shared(
    depths: Iterable[int], most: sympy.Expr, supposed: tuple[Any, ...] = ()
) -> prover.Refutation | None:
    """The first depth at which d/2 pipelines, with an update a backward, exceed a mismatch.

    Examples
    --------
    >>> shared((2, 4, 6), 1).witness
    {'d': 6, 'pipelines': 3, 'i': 0, 'm': 3, 'mismatch': 2, 'stated': 1}
    """
    cells: Iterator[dict[Any, int]] = (
        {d: stages, "pipelines": stages // 2, i: stage, "m": m}
        for stages in depths
        for stage, m in np.argwhere(versions(_several(stages)).mismatch > most).tolist()[:1]
    )
    two = {n: fifo.ADMISSION}
    return prover.first_violation(
        _among_others, "<=", most, cells, supposed, "mismatch", hidden=lambda *_: two
    )


def accumulated(most: int) -> prover.Exhausted:
    """Whether windows of n minibatches of every pipeline leave at most this mismatch."""
    runs = tuple(product(DEPTHS, (0, 1), (1, 2)))
    says = (
        f"n or 2n minibatches of every pipeline of a direction, d in {DEPTHS}, with a cap at every "
        f"stage and without: no mismatch above {most}"
    )
    return prover.Exhausted(says, len(runs), all(_largest(*run) <= most for run in runs))


def _largest(stages: int, stage_cap: int, windows: int) -> int:
    window = windows * 2 * ((stages // 2 + 1) // 2)
    schedule = amdp.build(stages, 6 * stages, stage_cap=stage_cap, window=window)
    return int(versions(schedule).mismatch.max())


def _account(formulas: prover.Formulas) -> prover.Account:
    outcomes, wrong = tuple(_proof(formulas)), _of_one(formulas)
    several = shared(DEPTHS, formulas["mismatch"], _supposed(formulas))
    alone = prover.Decision(outcomes, wrong)
    accumulates = accumulated(int(formulas["mismatch"]))
    cases = {
        ("one pipeline", "at any durations and delays, whatever later stages admit"): alone,
        (
            "several pipelines, each counting the updates by its own minibatches",
            "sharing ranks only delays what a pipeline does",
        ): alone,
        (
            "pipelines of one direction share weights, an update after every backward, d/2 of them "
            f"{FAMILY}",
            prover.in_words(several.witness) if several else "no run tried exceeds it",
        ): prover.Decision(fails=several),
        (
            "the same, an update after n or 2n minibatches of every pipeline that shares the "
            f"weights: d in {DEPTHS}, M = 6d, F = B",
            "these runs, with a cap at every stage and without",
        ): prover.Decision((accumulates,)),
    }
    return prover.Account(
        alone if wrong else prover.Readings(tuple(when for when, _ in cases)[:2]),
        cases=prover.cases(cases),
        assumes=ASSUMES,
        steps=prover.lines(outcomes),
        findings=(_finding(several, accumulates),) if several else (),
    )


def _finding(several: prover.Refutation, accumulates: prover.Exhausted) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "key design 1",
        "the bound is that of one pipeline's own updates; from d = 6 on two of the d/2 "
        "pipelines run in one direction and share weights, and with an update after every "
        "backward the mismatch exceeds 1: it needs the accumulation of key design 3",
        several.witness,
        repaired=prover.Repair(
            "With n = 2 and an update after n minibatches of every pipeline that shares the "
            f"weights, the mismatch is at most 1, for d ≤ 8, M = 6d and F = B, {FAMILY}.",
            (accumulates,),
        ),
    )


CLAIM = prover.row(
    "amdp.one-step",
    "overall architecture; key design 1",
    "With n = 2 minibatches admitted, the mismatch between forward and backward is at most 1 at "
    "every stage of every depth.",
    r"n = 2 \implies \mathrm{mismatch}(i) \le 1",
    {"admission": sympy.Integer(2), "mismatch": sympy.Integer(1)},
    _proof,
    account=_account,
    cost=2.0,
)
