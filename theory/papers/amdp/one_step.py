"""One-step mismatch: a pipeline that admits two minibatches has a mismatch of at most 1.

Problem: n = 2 at every stage of every depth. What counts as a step is left open: the updates of the
pipeline's own minibatches, or all updates of weights that several pipelines share.

Method: counters (`theory.papers.schedules.counters`), so for any durations and message delays,
whatever later stages admit, and whatever else keeps a rank busy: stage i never has more
minibatches under way than stage 0, and a forward that starts is one of these. Attained at every
stage but the last (`mismatches`). Pipelines that share weights and
update them after every backward are replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np
import sympy
import z3

from schedules.families import amdp
from schedules.schedule import Schedule
from schedules.versions import versions
from theory.account import (
    Account,
    Case,
    Decision,
    Exhausted,
    Finding,
    Readings,
    Refutation,
    Repair,
    Violation,
)
from theory.claims import Claim, Formulas
from theory.kernel import eq, le
from theory.papers.amdp.lemmas.greedy import established
from theory.papers.amdp.lemmas.lines import ours
from theory.papers.amdp.lemmas.minibatches import Minibatch, Pipeline
from theory.papers.amdp.lemmas.mismatches import counted
from theory.papers.amdp.lemmas.start_times import TWO
from theory.papers.amdp.placements import SAYS, STRAIGHT
from theory.papers.amdp.runs.fifo import ADMISSION, TIES
from theory.papers.amdp.runs.replays import by_order, one_pipeline
from theory.papers.amdp.symbols import d, i, n
from theory.papers.schedules import free_running
from theory.smt.instances import decide_from, in_words
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, decide

_PRINTED: Final = {"admission": sympy.Integer(2), "mismatch": sympy.Integer(1)}

ASSUMES: Final = (
    "in a stage forwards and backwards run in the order of minibatches, and an update follows "
    "every backward of the pipeline",
    "attained: F takes equally long at all stages, and so does B; messages take no time",
)

FAMILY: Final = (
    f"in the order of the family amdp ({SAYS[STRAIGHT]}; kinds in turns; ties: {TIES[0].name})"
)
"""What the replays fix and the source leaves open."""

DEPTHS: Final = (2, 4, 6, 8)
"""Depths at which d/2 pipelines are replayed."""


@remembered
def _counters() -> tuple[Outcome, ...]:
    """No stage ever has more minibatches under way than stage 0 admits."""
    symbol = free_running.N_
    found = free_running.proof({"inner": symbol - 1, "last": 0 * symbol})
    return tuple(found[name] for name in ("neighbours", "stages", "admission"))


def at_most(formulas: Formulas) -> Outcome:
    """A forward that starts is under way itself, so it finds one fewer without a backward."""
    found, here = z3.Ints("mismatch under_way")
    admitted, most = (z3.IntVal(int(formulas[name])) for name in ("admission", "mismatch"))
    bound = Statement(
        "bound",
        "of at most n minibatches under way at a stage one is that whose forward starts",
        (found >= 0, here == found + 1, here <= admitted),
        found <= most,
    )
    return decide(bound)


def _attained(formulas: Formulas) -> Outcome:
    """Minibatch n − 1 has the stated mismatch at all stages but the last, at any F and B."""
    line, s, m = Pipeline.symbolic(), z3.Int("s"), Minibatch.named("m")
    general = counted(TWO, formulas["mismatch"], first_round=True)
    here = (line.n == int(formulas["admission"]), s < line.p - 1)
    statement = replace(
        general,
        name="attained",
        says="minibatch 1 has a mismatch of 1 at every stage but the last",
        hypotheses=(*general.hypotheses, *here, m.place == line.n - 1),
    )
    return decide_from(statement, {"p": 2, "n": 2, "s": 0, "qm": 0, "rm": 1})


def _proof(formulas: Formulas) -> Iterator[Outcome]:
    yield from _counters()
    yield at_most(formulas)
    yield established(TWO)
    yield _attained(formulas)


def _of_one(formulas: Formulas) -> Refutation | None:
    """The first run of one pipeline with a larger mismatch than stated."""
    admission, stated = (int(formulas[name]) for name in ("admission", "mismatch"))
    for stages in range(2, 6) if admission >= 1 else ():
        schedule = one_pipeline(stages, admission, 2 * admission + 1, stage_cap=False)
        for stage in range(stages - 1):
            most = max(by_order(schedule, stage).values())
            if most > stated:
                where = {"d": stages, "n": admission, "i": stage}
                witness = {**where, "mismatch": most, "stated": stated}
                return Refutation(witness, _violation(formulas, stages, admission, stage))
    return None


def _violation(formulas: Formulas, stages: int, admission: int, stage: int) -> Violation:
    def again() -> int:
        run = one_pipeline(stages, admission, 2 * admission + 1, stage_cap=False)
        return max(by_order(run, stage).values())

    at = {d: stages, n: admission, i: stage}
    supposed = (eq(n, formulas["admission"]), le(i + 1, d))
    return Violation(again, "<=", formulas["mismatch"], at, supposed)


def shared(depths: Iterable[int], most: int) -> dict[str, int] | None:
    """The first depth at which d/2 pipelines, with an update a backward, exceed a mismatch.

    Examples
    --------
    >>> shared((2, 4, 6), 1)
    {'d': 6, 'pipelines': 3, 'i': 0, 'm': 3, 'mismatch': 2, 'stated': 1}
    """
    for stages in depths:
        exceeding = np.argwhere(versions(_several(stages)).mismatch > most).tolist()
        for stage, m in exceeding[:1]:
            found = _among_others(stages, stage, m)
            where = {"d": stages, "pipelines": stages // 2, "i": stage, "m": m}
            return {**where, "mismatch": found, "stated": most} if found > most else None
    return None


def _several(stages: int) -> Schedule:
    return amdp.build(stages, 4 * stages)


def _among_others(stages: int, stage: int, m: int) -> int:
    """Backwards of its direction between a minibatch's F and B, read off the program."""
    return by_order(_several(stages), stage, m % (stages // 2) % 2)[m]


def _of_several(formulas: Formulas) -> Refutation | None:
    """The same of pipelines that share weights; with the n = 2 of the family."""
    witness = shared(DEPTHS, int(formulas["mismatch"]))
    if witness is None:
        return None
    stages, stage, m = witness["d"], witness["i"], witness["m"]
    at = {d: stages, n: ADMISSION, i: stage}
    supposed = (eq(n, formulas["admission"]), le(i + 1, d))
    return Refutation(
        witness,
        Violation(
            lambda: _among_others(stages, stage, m), "<=", formulas["mismatch"], at, supposed
        ),
    )


def accumulated(most: int) -> Exhausted:
    """Whether windows of n minibatches of every pipeline leave at most this mismatch."""
    runs = tuple(product(DEPTHS, (0, 1), (1, 2)))
    return Exhausted(
        f"n or 2n minibatches of every pipeline of a direction, d in {DEPTHS}, with a cap at every "
        f"stage and without: no mismatch above {most}",
        len(runs),
        all(_largest(*run) <= most for run in runs),
    )


def _largest(stages: int, stage_cap: int, windows: int) -> int:
    window = windows * 2 * ((stages // 2 + 1) // 2)
    schedule = amdp.build(stages, 6 * stages, stage_cap=stage_cap, window=window)
    return int(versions(schedule).mismatch.max())


def _cases(formulas: Formulas, alone: Decision, several: Refutation | None) -> tuple[Case, ...]:
    return (
        Case("one pipeline", alone, "at any durations and delays, whatever later stages admit"),
        Case(
            "several pipelines, each counting the updates by its own minibatches",
            alone,
            "sharing ranks only delays what a pipeline does",
        ),
        Case(
            "pipelines of one direction share weights, an update after every backward, d/2 of them "
            f"{FAMILY}",
            Decision(fails=several),
            in_words(several.witness) if several else "no run tried exceeds it",
        ),
        Case(
            "the same, an update after n or 2n minibatches of every pipeline that shares the "
            f"weights: d in {DEPTHS}, M = 6d, F = B",
            Decision((accumulated(int(formulas["mismatch"])),)),
            "these runs, with a cap at every stage and without",
        ),
    )


def _finding(several: Refutation, accumulates: Exhausted) -> Finding:
    return Finding(
        kind="missing-condition",
        where="key design 1",
        says=(
            "the bound is that of one pipeline's own updates; from d = 6 on two of the d/2 "
            "pipelines run in one direction and share weights, and with an update after every "
            "backward the mismatch exceeds 1: it needs the accumulation of key design 3"
        ),
        witness=several.witness,
        repaired=Repair(
            "With n = 2 and an update after n minibatches of every pipeline that shares the "
            f"weights, the mismatch is at most 1, for d ≤ 8, M = 6d and F = B, {FAMILY}.",
            (accumulates,),
        ),
    )


def _account(formulas: Formulas) -> Account:
    outcomes, wrong = tuple(_proof(formulas)), _of_one(formulas)
    several = _of_several(formulas)
    alone = Decision(outcomes, wrong)
    cases = _cases(formulas, alone, several)
    accumulates = accumulated(int(formulas["mismatch"]))
    return Account(
        alone if wrong else Readings(tuple(case.when for case in cases[:2])),
        cases=cases,
        assumes=ASSUMES,
        steps=ours(outcomes),
        findings=(_finding(several, accumulates),) if several else (),
    )


CLAIM: Final = Claim(
    id="amdp.one-step",
    where="overall architecture; key design 1",
    statement=(
        "With n = 2 minibatches admitted, the mismatch between forward and backward is at most 1 "
        "at every stage of every depth."
    ),
    latex=r"n = 2 \implies \mathrm{mismatch}(i) \le 1",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_proof,
    cost=2.0,
)
