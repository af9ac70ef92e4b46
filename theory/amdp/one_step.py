"""One-step mismatch: a pipeline that admits two minibatches has a mismatch of at most 1.

Problem: n = 2 at every stage of every depth. What counts as a step is left open: the updates of the
pipeline's own minibatches, or all updates of weights that several pipelines share.

Method: counters (`theory.schedules.counters`), so for any durations and message delays, whatever
later stages admit, and whatever else keeps a rank busy: stage i never has more minibatches under
way than stage 0, and a forward that starts is one of these. Attained at every stage but the last
(`mismatches`). Pipelines that share weights and update them after every backward are replayed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np
import sympy
import z3

from schedules.families import amdp
from schedules.versions import versions
from theory.amdp.greedy import established
from theory.amdp.minibatches import Minibatch, Pipeline
from theory.amdp.mismatches import counted
from theory.amdp.replays import by_order, one_pipeline
from theory.amdp.start_times import TWO
from theory.claims import Claim, Formulas
from theory.instances import decide_from, in_words
from theory.ledger import Case, Finding, Judgement, Repair
from theory.outcomes import steps, verdict_of
from theory.queries import remembered
from theory.schedules import free_running
from theory.solver import Outcome, Statement, decide
from theory.verdicts import Verdict, weakest

_PRINTED: Final = {"admission": sympy.Integer(2), "mismatch": sympy.Integer(1)}

ASSUMES: Final = (
    "in a stage forwards and backwards run in the order of minibatches, and an update follows "
    "every backward of the pipeline",
    "attained: F takes equally long at all stages, and so does B; messages take no time",
)

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


def _proof(formulas: Formulas) -> tuple[Outcome, ...]:
    return (*_counters(), at_most(formulas), established(TWO), _attained(formulas))


def _holds(formulas: Formulas) -> Verdict:
    return weakest(outcome.verdict for outcome in _proof(formulas))


def _of_one(formulas: Formulas) -> dict[str, int] | None:
    """The first run of one pipeline with a larger mismatch than stated."""
    admission, stated = (int(formulas[name]) for name in ("admission", "mismatch"))
    for stages in range(2, 6) if admission >= 1 else ():
        schedule = one_pipeline(stages, admission, 2 * admission + 1, stage_cap=False)
        found = [max(by_order(schedule, stage).values()) for stage in range(stages - 1)]
        wrong = [stage for stage, most in enumerate(found) if most > stated]
        if wrong:
            most = found[wrong[0]]
            return {"d": stages, "n": admission, "i": wrong[0], "mismatch": most, "stated": stated}
    return None


def shared(depths: Iterable[int], most: int) -> dict[str, int] | None:
    """The first depth at which d/2 pipelines, with an update a backward, exceed a mismatch.

    Examples
    --------
    >>> shared((2, 4, 6), 1)
    {'d': 6, 'pipelines': 3, 'i': 0, 'm': 3, 'mismatch': 2, 'stated': 1}
    """
    for stages in depths:
        schedule = amdp.build(stages, 4 * stages)
        exceeding = np.argwhere(versions(schedule).mismatch > most).tolist()
        for stage, m in exceeding[:1]:
            found = by_order(schedule, stage, m % (stages // 2) % 2)[m]
            where = {"d": stages, "pipelines": stages // 2, "i": stage, "m": m}
            return {**where, "mismatch": found, "stated": most} if found > most else None
    return None


def accumulated(most: int) -> Verdict:
    """Whether windows of n minibatches of every pipeline leave at most this mismatch."""
    for stages, stage_cap, windows in product(DEPTHS, (0, 1), (1, 2)):
        window = windows * 2 * ((stages // 2 + 1) // 2)
        schedule = amdp.build(stages, 6 * stages, stage_cap=stage_cap, window=window)
        if versions(schedule).mismatch.max() > most:
            return Verdict.REFUTED
    return Verdict.CHECKED


def _cases(formulas: Formulas, alone: Verdict, witness: dict[str, int] | None) -> tuple[Case, ...]:
    refuted = Verdict.UNKNOWN if witness is None else Verdict.REFUTED
    return (
        Case("one pipeline", alone, "at any durations and delays, whatever later stages admit"),
        Case(
            "several pipelines, each counting the updates by its own minibatches",
            alone,
            "sharing ranks only delays what a pipeline does",
        ),
        Case(
            "pipelines of one direction share weights, an update after every backward, d/2 of them",
            refuted,
            in_words(witness) if witness else "no run tried exceeds it",
        ),
        Case(
            "the same, an update after n or 2n minibatches of every pipeline that shares the "
            f"weights: d in {DEPTHS}, M = 6d, F = B",
            accumulated(int(formulas["mismatch"])),
            "these runs, with a cap at every stage and without",
        ),
    )


def _finding(witness: dict[str, int], accumulates: Verdict) -> Finding:
    return Finding(
        kind="missing-condition",
        where="key design 1",
        says=(
            "the bound is that of one pipeline's own updates; from d = 6 on two of the d/2 "
            "pipelines run in one direction and share weights, and with an update after every "
            "backward the mismatch exceeds 1: it needs the accumulation of key design 3"
        ),
        witness=witness,
        repaired=Repair(
            "With n = 2 and an update after n minibatches of every pipeline that shares the "
            "weights, the mismatch is at most 1, for d ≤ 8, M = 6d and F = B.",
            accumulates,
        ),
    )


def _judge(formulas: Formulas) -> Judgement:
    outcomes, wrong = _proof(formulas), _of_one(formulas)
    alone = verdict_of(outcomes, wrong)
    witness = shared(DEPTHS, int(formulas["mismatch"]))
    cases = _cases(formulas, alone, witness)
    conditional = alone is Verdict.PROVED and cases[2].verdict is not Verdict.PROVED
    return Judgement(
        verdict=Verdict.CONDITIONAL if conditional else alone,
        printed_proof="none",
        cases=cases,
        assumes=ASSUMES,
        steps=steps(outcomes),
        findings=(_finding(witness, cases[3].verdict),) if witness else (),
        counterexample=wrong,
    )


CLAIM: Final = Claim(
    id="amdp.one-step",
    where="overall architecture; key design 1",
    statement=(
        "With n = 2 minibatches admitted, the mismatch between forward and backward is at most 1 "
        "at every stage of every depth."
    ),
    latex=r"n = 2 \implies \mathrm{mismatch}(i) \le 1",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    cost=2.0,
)
