"""Mismatch of stage i: min(n, d − i) − 1, if no stage i admits more than d − i minibatches.

Problem    the versions that one pipeline's own updates create between F and B of a minibatch, where
           an update follows every backward. The source bounds what stage 0 admits by n and leaves
           open what later stages do; "the mismatch of stage i" is read as the largest of all.
Method     PipeDream's rule in every stage; its start times are proved (`greedy`), for all d, n and
           M, and order gives the mismatch of every minibatch (`mismatches`), and its maximum.
Guarantee  with m = nq + r it is, under a cap at every stage or for n ≤ 2, min(m, d − 1 − i) for
           m < n and min(r, d − 1 − i) + max(0, n − 1 − i − r) from then on. If stage 0 alone is
           bounded, stage i > 0 goes on with its forwards until its first backward comes:
           min(m, 2(d − 1 − i)) for m < n, so that the largest is min(n, 2(d − i) − 1) − 1.
Source     overall architecture; key design 1.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product

import sympy

from schedules.actions import Kind
from schedules.families.pipedream import RULE
from schedules.free_running import free_run
from theory.judging import prover
from theory.papers.amdp.lemmas import greedy, mismatches, start_times
from theory.papers.amdp.runs import replays
from theory.papers.amdp.symbols import d, i, n, q, r
from theory.papers.schedules import free_running

_BEHIND = d - 1 - i
_PRINTED = {"mismatch": sympy.Min(n, d - i) - 1}
_CORE = {
    **_PRINTED,
    "first": sympy.Min(r, _BEHIND),
    "later": sympy.Min(r, _BEHIND) + sympy.Max(0, n - 1 - i - r),
    "uncapped": sympy.Min(n, 2 * (d - i) - 1) - 1,
    "uncapped first": sympy.Min(r, 2 * _BEHIND),
    "crowded later": _BEHIND + sympy.Min(_BEHIND, n - d),
}
"""The largest mismatch, and that of every minibatch: with a cap; without; without and n ≥ d."""

ASSUMES = (
    "an update follows every backward of the pipeline, and nothing else updates its weights",
    "within a stage PipeDream's rule decides: B first until a first B is done, then in turn",
    "F takes equally long at all stages, and so does B; messages take no time",
)


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    parts = (mismatches.part(name, formulas) for name in mismatches.PARTS)
    return chain(map(greedy.established, start_times.LAWS), parts)


def _preferences() -> prover.Outcome:
    """With a cap at every stage the rule and its opposite generate the same times."""
    other = {Kind.F: Kind.B, Kind.B: Kind.F}
    after = {last: other[kind] for last, kind in RULE.prefer_after.items()}
    opposite = replace(RULE, prefer_first=other[RULE.prefer_first], prefer_after=after)
    law = start_times.CAPPED
    says = "with a cap at every stage a forward and a backward are never ready at the same time"
    both = [greedy.established(law), greedy.generated(law, opposite)]
    return prover.merge("preferences", says, both)


def slow_first_stage() -> int:
    """Largest mismatch at stage 1 of 3 when the forwards of stage 0 are slow, n = 2.

    Examples
    --------
    >>> slow_first_stage()
    0
    """
    first = (Kind.F, 0)
    line = free_run(RULE, 3, 4, 2, lambda action: 9 if (action.kind, action.stage) == first else 1)
    return max(replays.by_order(line.schedule, 1).values())


def differs(form: sympy.Expr, *, stage_cap: bool, least: int = 1) -> prover.Refutation | None:
    """The first run whose largest mismatch at some stage is not as stated, if n ≥ `least`.

    Examples
    --------
    >>> differs(sympy.Min(n, d - i) - 1, stage_cap=True) is None
    True
    >>> differs(sympy.Min(n, d - i) - 1, stage_cap=False).witness
    {'d': 3, 'n': 3, 'i': 1, 'm': 2, 'mismatch': 2, 'stated': 1}
    """

    def found(p: int, admission: int, stage: int) -> dict[int, int]:
        run = replays.one_pipeline(p, admission, 2 * admission + 1, stage_cap=stage_cap)
        return replays.by_order(run, stage)

    sizes = [at for at in replays.SIZES if at[1] >= least]
    return prover.first_violation(
        lambda *at: max(found(*at).values()),
        "==",
        form,
        ({d: at[0], n: at[1], i: stage} for at in sizes for stage in range(at[0])),
        (prover.le(least, n), prover.le(i + 1, d)),
        "mismatch",
        also=lambda *at: {"m": max(found(*at), key=found(*at).__getitem__)},
    )


def _less(formulas: prover.Formulas) -> prover.Refutation | None:
    """A minibatch m ≥ n with less than the stated mismatch, though a cap is at every stage."""
    p, admission = 3, 2
    run = replays.one_pipeline(p, admission, 3 * admission, stage_cap=True)
    places = product(range(p), range(admission, 3 * admission))
    return prover.first_violation(
        lambda p, admission, stage, m: replays.by_order(run, stage)[m],
        ">=",
        formulas["mismatch"],
        ({d: p, n: admission, i: stage, "m": m} for stage, m in places),
        (prover.le(i + 1, d), prover.le(1, q), prover.le(r + 1, n)),
        "mismatch",
        hidden=lambda p, admission, stage, m: {q: m // admission, r: m % admission},
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    formulas = {**_CORE, **formulas}
    laws = tuple(map(greedy.established, start_times.LAWS))
    times: tuple[prover.Ground, ...] = (*laws, replays.agreement())
    parts = {name: mismatches.part(name, formulas) for name in mismatches.PARTS}
    run = free_running.proof({"inner": free_running.N_ - 1, "last": 0 * free_running.N_})
    timing = (parts["cap"], run["admission"], run["bound"])
    exceeded, less = differs(formulas["mismatch"], stage_cap=False, least=3), _less(formulas)
    wrong = differs(formulas["mismatch"], stage_cap=True)
    always = "stage d − 2 always exceeds it" if prover.proves(*times, parts["exceeded"]) else ""

    def holds(*names: str) -> prover.Decision:
        return prover.Decision((*times, *(parts[name] for name in names)))

    cases = {
        (
            "every stage bounded: stage i admits at most min(n, d − i), n ≤ d",
            "largest of all minibatches, M ≥ n, at all F and B; of every n minibatches the last "
            "attains it at every stage, at stage 0 every one from n − 1 on; in all, m ≥ n attains "
            "it iff m mod n ≥ min(n, d − i) − 1, i = 0 or n = d",
        ): holds("capped", "who"),
        ("every stage bounded, n > d", "the caps are those of n = d"): holds("n > d"),
        (
            "only stage 0 bounded, n ≤ 2 or d = 1",
            "as with a cap at every stage",
        ): holds("two", "one stage"),
        (
            "only stage 0 bounded, n ≥ 3 and d ≥ 2",
            always + prover.witnessed(exceeded),
        ): prover.Decision(fails=exceeded) if always else prover.OPEN,
        (
            "every stage bounded, as an upper bound, at any durations and message delays",
            "not attained by all: with a slow stage 0, d = 3 and n = 2, stage 1 has "
            f"{slow_first_stage()}",
        ): prover.Decision(timing),
        (
            "the mismatch of every minibatch m ≥ n, every stage bounded",
            f"stages behind stage 0 have minibatches with less{prover.witnessed(less)}",
        ): prover.Decision(fails=less),
    }
    repaired = holds("free", "crowded").grounds
    return prover.Account(
        prover.Decision(fails=wrong) if wrong else prover.Readings(tuple(w for w, _ in cases)[:3]),
        cases=prover.cases(cases),
        assumes=ASSUMES,
        steps=prover.lines((*laws, _preferences(), *parts.values(), *timing[1:])),
        findings=(_finding(exceeded, repaired),) if exceeded else (),
        evidence=replays.compared(),
    )


def _finding(exceeded: prover.Refutation, repaired: tuple[prover.Ground, ...]) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        _WHERE,
        "bounding what stage 0 reads does not bound later stages alike: until its first "
        "backward comes, stage i goes on with what it gets, up to 2(d − i) − 1 forwards; the "
        "formula needs n ≤ 2, or a cap of min(n, d − i) at every stage",
        exceeded.witness,
        repaired=prover.Repair(
            "If stage 0 alone is bounded, by n, and F = B, the largest mismatch of stage i is "
            "min(n, 2(d − i) − 1) − 1, for all d, n and M ≥ n.",
            repaired,
        ),
    )


_WHERE = "overall architecture; key design 1"

CLAIM = prover.row(
    "amdp.mismatch",
    _WHERE,
    "In a pipeline of d stages that admits n minibatches, the largest mismatch between forward and "
    "backward at stage i (from 0) is min(n, d − i) − 1.",
    r"\mathrm{mismatch}(i) = \min(n, d - i) - 1",
    _CORE,
    _holds,
    printed=_PRINTED,
    account=_account,
    weakened={
        "cap behind stage 0": lambda: (
            greedy.generated(replace(start_times.CAPPED, capped=start_times.FREE.capped)),
        ),
        "n ≤ 2": lambda: (
            greedy.generated(replace(start_times.TWO, domain=start_times.FREE.domain)),
        ),
    },
    depends=("schedules.static-staleness",),
    cost=3.0,
)
