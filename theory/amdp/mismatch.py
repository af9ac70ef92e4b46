"""Mismatch of stage i: min(n, d − i) − 1, if no stage i admits more than d − i minibatches.

Problem: the versions that one pipeline's own updates create between F and B of a minibatch, where
an update follows every backward. The source bounds what stage 0 admits by n and leaves open what
later stages do; "the mismatch of stage i" is read as the largest of all minibatches.

Method: `greedy` proves what the rule's start times are, for all d, n and M; order gives the
mismatch of every minibatch (`mismatches`), and its maximum. With m = nq + r it is, under a cap at
every stage or for n ≤ 2, min(m, d − 1 − i) for m < n and min(r, d − 1 − i) + max(0, n − 1 − i − r)
from then on. If stage 0 alone is bounded, stage i > 0 goes on with its forwards until its first
backward comes: min(m, 2(d − 1 − i)) for m < n, so that the largest is min(n, 2(d − i) − 1) − 1.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any, Final

import sympy

from schedules.actions import Kind
from schedules.families.pipedream import RULE
from schedules.free_running import free_run
from theory.amdp.greedy import established, generated
from theory.amdp.mismatches import PARTS, part
from theory.amdp.replays import by_order, compared, difference, one_pipeline, unlike
from theory.amdp.start_times import CAPPED, FREE, LAWS, TWO
from theory.amdp.symbols import d, i, n, r
from theory.claims import Claim, Formulas
from theory.instances import in_words
from theory.ledger import Case, Finding, Judgement, Repair
from theory.outcomes import steps
from theory.schedules import free_running
from theory.solver import Outcome, merge
from theory.verdicts import Verdict, weakest

_BEHIND: Final = d - 1 - i
_PRINTED: Final = {"mismatch": sympy.Min(n, d - i) - 1}
_CORE: Final = {
    **_PRINTED,
    "first": sympy.Min(r, _BEHIND),
    "later": sympy.Min(r, _BEHIND) + sympy.Max(0, n - 1 - i - r),
    "uncapped": sympy.Min(n, 2 * (d - i) - 1) - 1,
    "uncapped first": sympy.Min(r, 2 * _BEHIND),
    "crowded later": _BEHIND + sympy.Min(_BEHIND, n - d),
}
"""The largest mismatch, and that of every minibatch: with a cap; without; without and n ≥ d."""

ASSUMES: Final = (
    "an update follows every backward of the pipeline, and nothing else updates its weights",
    "within a stage PipeDream's rule decides: B first until a first B is done, then in turn",
    "F takes equally long at all stages, and so does B; messages take no time",
)


def _holds(formulas: Formulas) -> Verdict:
    outcomes = chain(map(established, LAWS), (part(name, formulas) for name in PARTS))
    short = (found.verdict for found in outcomes if found.verdict is not Verdict.PROVED)
    return next(short, Verdict.PROVED)


def _preferences() -> Outcome:
    """With a cap at every stage the rule and its opposite generate the same times."""
    other = {Kind.F: Kind.B, Kind.B: Kind.F}
    opposite = replace(
        RULE,
        prefer_first=other[RULE.prefer_first],
        prefer_after={last: other[kind] for last, kind in RULE.prefer_after.items()},
    )
    says = "with a cap at every stage a forward and a backward are never ready at the same time"
    return merge("preferences", says, [established(CAPPED), generated(CAPPED, opposite)])


def slow_first_stage() -> int:
    """Largest mismatch at stage 1 of 3 when the forwards of stage 0 are slow, n = 2.

    Examples
    --------
    >>> slow_first_stage()
    0
    """
    first = (Kind.F, 0)
    line = free_run(RULE, 3, 4, 2, lambda action: 9 if (action.kind, action.stage) == first else 1)
    return max(by_order(line.schedule, 1).values())


def _each(formulas: Formulas) -> dict[str, int] | None:
    """A minibatch m ≥ n with less than the stated mismatch, though a cap is at every stage."""
    p, admission = 3, 2
    schedule = one_pipeline(p, admission, 3 * admission, stage_cap=True)
    for stage in range(p):
        stated = int(formulas["mismatch"].subs({d: p, n: admission, i: stage}))
        for m, found in by_order(schedule, stage).items():
            if m >= admission and found < stated:
                where = {"d": p, "n": admission, "i": stage, "m": m}
                return {**where, "mismatch": found, "stated": stated}
    return None


def _seen(witness: dict[str, Any] | None) -> Verdict:
    return Verdict.UNKNOWN if witness is None else Verdict.REFUTED


def _cases(
    parts: dict[str, Verdict], timing: Verdict, formulas: Formulas, exceeded: dict[str, Any] | None
) -> tuple[Case, ...]:
    each, slow = _each(formulas), slow_first_stage()
    return (
        Case(
            "every stage bounded: stage i admits at most min(n, d − i), n ≤ d",
            min(parts["capped"], parts["who"]),
            "largest of all minibatches, M ≥ n, at all F and B; of every n minibatches the last "
            "attains it at every stage, at stage 0 every one from n − 1 on; in all, m ≥ n attains "
            "it iff m mod n ≥ min(n, d − i) − 1, i = 0 or n = d",
        ),
        Case("every stage bounded, n > d", parts["n > d"], "the caps are those of n = d"),
        Case(
            "only stage 0 bounded, n ≤ 2 or d = 1",
            min(parts["two"], parts["one stage"]),
            "as with a cap at every stage",
        ),
        Case(
            "only stage 0 bounded, n ≥ 3 and d ≥ 2",
            _seen(exceeded) if parts["exceeded"] is Verdict.PROVED else Verdict.UNKNOWN,
            "stage d − 2 always exceeds it" + _at(exceeded),
        ),
        Case(
            "every stage bounded, as an upper bound, at any durations and message delays",
            timing,
            f"not attained by all: with a slow stage 0, d = 3 and n = 2, stage 1 has {slow}",
        ),
        Case(
            "the mismatch of every minibatch m ≥ n, every stage bounded",
            _seen(each),
            "stages behind stage 0 have minibatches with less" + _at(each),
        ),
    )


def _at(witness: dict[str, Any] | None) -> str:
    return f": {in_words(witness)}" if witness else ""


def _finding(exceeded: dict[str, Any], repaired: Verdict) -> Finding:
    return Finding(
        kind="missing-condition",
        where="overall architecture; key design 1",
        says=(
            "bounding what stage 0 reads does not bound later stages alike: until its first "
            "backward comes, stage i goes on with what it gets, up to 2(d − i) − 1 forwards; the "
            "formula needs n ≤ 2, or a cap of min(n, d − i) at every stage"
        ),
        witness=exceeded,
        repaired=Repair(
            "If stage 0 alone is bounded, by n, and F = B, the largest mismatch of stage i is "
            "min(n, 2(d − i) − 1) − 1, for all d, n and M ≥ n.",
            repaired,
        ),
    )


def _overall(cases: tuple[Case, ...], wrong: dict[str, Any] | None) -> Verdict:
    """CONDITIONAL where the statement holds for some admission rules and not for others."""
    if wrong is not None:
        return Verdict.REFUTED
    capped, needless, two, rest, *_ = (case.verdict for case in cases)
    proved = weakest((capped, needless, two))
    return Verdict.CONDITIONAL if proved is Verdict.PROVED is not rest else proved


def _judge(formulas: Formulas) -> Judgement:
    formulas = {**_CORE, **formulas}
    times = [established(law) for law in LAWS]
    parts = {name: part(name, formulas) for name in PARTS}
    known = weakest(outcome.verdict for outcome in times)
    verdicts = {name: min(known, outcome.verdict) for name, outcome in parts.items()}
    run = free_running.proof({"inner": free_running.N_ - 1, "last": 0 * free_running.N_})
    timings = [parts["cap"], run["admission"], run["bound"]]
    exceeded = unlike(formulas["mismatch"], stage_cap=False, least=3)
    wrong = unlike(formulas["mismatch"], stage_cap=True)
    cases = _cases(verdicts, weakest(one.verdict for one in timings), formulas, exceeded)
    differs = difference()
    outcomes = (*times, _preferences(), *parts.values(), *timings[1:])
    repaired = min(verdicts["free"], verdicts["crowded"])
    return Judgement(
        verdict=_overall(cases, wrong) if differs is None else Verdict.UNKNOWN,
        printed_proof="none",
        cases=cases,
        assumes=ASSUMES,
        steps=steps(outcomes),
        findings=(_finding(exceeded, repaired),) if exceeded else (),
        counterexample=wrong,
        evidence=compared(differs),
    )


CLAIM: Final = Claim(
    id="amdp.mismatch",
    where="overall architecture; key design 1",
    statement=(
        "In a pipeline of d stages that admits n minibatches, the largest mismatch between forward "
        "and backward at stage i (from 0) is min(n, d − i) − 1."
    ),
    latex=r"\mathrm{mismatch}(i) = \min(n, d - i) - 1",
    judge=_judge,
    printed=_PRINTED,
    core=_CORE,
    holds=_holds,
    weakened={
        "cap behind stage 0": lambda: generated(replace(CAPPED, capped=FREE.capped)).verdict,
        "n ≤ 2": lambda: generated(replace(TWO, domain=FREE.domain)).verdict,
    },
    depends=("schedules.static-staleness",),
    cost=3.0,
)
