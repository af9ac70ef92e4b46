"""Free-running E.1: local staleness under any durations and any message delays.

Problem    what a free run assumes is in `schedules.free_running`. Local staleness of microbatch m
           at stage s is the number of backwards of the stage between F(s, m) and B(s, m); both
           kinds run in order, so it is the number of microbatches in flight there when F(s, m)
           starts.
Method     counters (`theory.papers.schedules.counters`) and an induction over stages: in flight at
           s ≤ in flight at 0 ≤ NOAM. Attained by a construction: the last stage takes its time over
           its first forward, and all that is admitted piles up before it; at every other stage F(s,
           NOAM − 1) runs before B(s, 0).
Guarantee  the largest is NOAM − 1 at every stage but the last, and 0 there, under any durations and
           any message delays.
Source     ours, of E.1's rule: docs/explanation/all-timings.md.
"""

from __future__ import annotations

import sympy
import z3

from schedules.families.pipedream import RULE
from schedules.rules import GreedyRule
from schedules.versions import versions
from theory.judging import prover
from theory.laws.delays.counts import linear_term
from theory.papers.schedules.counters import (
    admission_statements,
    last_stage_statements,
    pair_statements,
)
from theory.papers.schedules.free_runs import stalest, steady, worst_run

N_ = sympy.Symbol("N", integer=True)
REPLAYED = range(2, 7)
"""Numbers of stages of the runs that are replayed."""


def proof(formulas: prover.Formulas, rule: GreedyRule = RULE) -> dict[str, prover.Outcome]:
    """Prove the formulas for all p ≥ 2, all NOAM ≥ 1 and all timings.

    Examples
    --------
    >>> {outcome.verdict.name for outcome in proof({"inner": N_ - 1, "last": N_ * 0}).values()}
    {'PROVED'}
    """
    noam = z3.Int("N")
    inner, last = (linear_term(formulas[key], {N_: noam}) for key in ("inner", "last"))
    parts = {
        "neighbours": (
            "whatever happens, stage s + 1 has no more microbatches in flight than stage s",
            pair_statements(rule),
        ),
        "stages": ("no stage has more in flight than stage 0 (induction)", (_along(),)),
        "admission": ("stage 0 has at most NOAM in flight", admission_statements(rule)),
        "bound": ("local staleness is at most the bound", (_bound(inner),)),
        "last stage": (
            "the last stage alternates F and B from its first forward on",
            last_stage_statements(rule, last),
        ),
        "pile-up": (
            "while the last stage works on its first forward, F(s, m) runs in slot s + m for "
            "all m < NOAM, and no B runs",
            (_pile_up(rule),),
        ),
        "attained": (
            "F(s, NOAM − 1) attains the bound, at every stage but the last",
            (_attained(inner),),
        ),
    }
    return {
        name: prover.merge(name, says, [prover.decide(statement) for statement in statements])
        for name, (says, statements) in parts.items()
    }


def _along() -> prover.Statement:
    in_flight = z3.Function("in_flight", z3.IntSort(), z3.IntSort())
    return prover.stated(
        "stages",
        "from stage s to stage s + 1",
        "in_flight(s) <= in_flight(0), in_flight(s + 1) <= in_flight(s)",
        "in_flight(s + 1) <= in_flight(0)",
        in_flight=in_flight,
    )


def _bound(inner: prover.Term) -> prover.Statement:
    """A forward that starts is in flight itself, so it finds one fewer."""
    return prover.stated(
        "bound",
        "local staleness is at most the bound",
        "N >= 1, in_flight_s == staleness + 1, in_flight_s <= in_flight_0, in_flight_0 <= N",
        "staleness <= inner",
        inner=inner,
    )


def _pile_up(rule: GreedyRule) -> prover.Statement:
    """Slot t at stage s < p − 1, if before it exactly the forwards with s + m < t have run.

    As in the rule stages before s have already chosen in slot t; a is the next forward, and `back`
    when B of the next stage ends.
    """

    def done(time: prover.Term, stage: prover.Term) -> prover.Term:
        recorded = "time < t or time == t and stage < s"
        [found] = prover.terms(recorded, {"time": time, "stage": stage})
        return z3.And(found, rule.finished(time, z3.Int("t")))

    return prover.stated(
        "pile-up",
        "in slot t exactly the forwards with s + m = t are ready, and no backward",
        "N >= 1, s >= 0, s < p - 1, t >= 0, t < p + N, a >= 0, a <= N, "
        "implies(a > 0, s + a - 1 < t), implies(a < N, s + a >= t), back >= p + N",
        "(a < N and (s == 0 or done(s - 1 + a, s - 1))) == (a < N and s + a == t), "
        "not (a >= 1 and done(s, s) and done(back, s + 1))",
        done=done,
    )


def _attained(inner: prover.Term) -> prover.Statement:
    """The backwards 0 … NOAM − 2 all come after F(s, NOAM − 1), and before its own."""
    return prover.stated(
        "attained",
        "F(s, NOAM − 1) starts before B(s, 0), so NOAM − 1 updates follow before its own",
        "N >= 1, s >= 0, s < p - 1, B_first >= p + N",
        "s + N - 1 < B_first, N - 1 >= inner",
        inner=inner,
    )


def _holds(formulas: prover.Formulas) -> tuple[prover.Outcome, ...]:
    return tuple(proof(formulas).values())


def _exceeded(formulas: prover.Formulas, at_last: bool) -> prover.Refutation | None:
    """A replayed worst run in which some microbatch is staler than printed."""
    return prover.first_violation(
        lambda p, noam, s: stalest(p, noam)[s],
        "<=",
        formulas["last" if at_last else "inner"],
        (
            {"p": p, "NOAM": noam, "s": s}
            for p in REPLAYED
            for noam in range(1, p + 3)
            for s in range(p)
            if (s == p - 1) is at_last
        ),
        (prover.le(1, N_),),
        "staleness",
        hidden=lambda p, noam, s: {N_: noam},
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    # A model of an induction step need not be a run: only a replayed run refutes.
    outcomes = _holds(formulas)
    return prover.Account(
        prover.Decision(outcomes, _exceeded(formulas, False) or _exceeded(formulas, True)),
        assumes=(
            "every action takes a positive time, every message a time of 0 or more, each its own",
            "a stage that is free starts at once what is ready, the preferred kind if both are; "
            "what ends at time t counts for every decision at time t",
            "PipeDream's policy: an update after every backward",
        ),
        steps=prover.lines(outcomes),
        findings=(_steady_law(outcomes),) if prover.proves(*outcomes) else (),
        evidence=(_picture(4), _persistent()),
    )


def _steady_law(bound: tuple[prover.Outcome, ...]) -> prover.Finding:
    """The printed value of local staleness needs equal durations: a run in which it fails."""
    p, times = 3, 2
    found = steady(p, times)
    s = next(s for s in range(p) if found[s] != [p - 1 - s])
    return prover.Finding(
        kind="missing-condition",
        where="RPD paper, appendices F and G.4",
        says=(
            "the value p − 1 − s needs equal durations, as in that paper's appendix G.5; in a free "
            "run a slower last stage makes the other stages staler, for good"
        ),
        witness={
            "p": p,
            "NOAM": p,
            "durations": f"all 1, at stage {p - 1} all {times}",
            "s": s,
            "steady staleness": found[s][0],
            "printed": p - 1 - s,
        },
        repaired=prover.Repair(
            "at most NOAM − 1 at stages s < p − 1 and 0 at the last one, whatever the durations",
            bound,
        ),
    )


def _persistent() -> prover.Evidence:
    """A last stage K times slower: p − 1 − ⌊s / K⌋ at every stage but the last."""
    for p in REPLAYED:
        for times in range(1, p + 2):
            expected = [[p - 1 - s // times] for s in range(p - 1)] + [[0]]
            found = steady(p, times)
            if found != expected:
                data = {"p": p, "K": times, "found": found, "expected": expected}
                return prover.Evidence(
                    "neither", "a slow last stage: another law than expected", data
                )
    return prover.Evidence(
        "for",
        "replays with a last stage K = 1 … p + 1 times slower, NOAM = p: steady local staleness "
        "p − 1 − ⌊s/K⌋ at s < p − 1; from K = p − 1 on every microbatch attains the bound",
        {"p": list(REPLAYED), "p=6, K=1": steady(6, 1), "p=6, K=5": steady(6, 5)},
    )


def _picture(p: int) -> prover.Evidence:
    """The worst run as a figure, the forward and the backward of the stalest microbatch marked."""
    run = worst_run(p, p)
    rows, s = run.rows(), p - 2
    cells, m = rows[s].split(), p - 1
    return prover.Evidence(
        points="for",
        says=(
            f"p = NOAM = {p}, a pile-up: between F{m} and B{m} the weights of stage {s} change "
            f"{int(versions(run.schedule).local_staleness[s, m])} times; p − 1 − s = {p - 1 - s}"
        ),
        data={
            "figure": "timeline",
            "title": f"Free-running, p = {p}: the last stage is slow at its first forward",
            "rows": rows,
            "marks": [
                {"stage": s, "slot": cells.index(f"{kind}{m}"), "label": f"{kind}{m}"}
                for kind in "FB"
            ],
        },
    )


_PRINTED = {"inner": N_ - 1, "last": sympy.Integer(0)}

CLAIM = prover.Claim(
    id="schedules.free-running-staleness",
    where="docs/explanation/all-timings.md",
    statement=(
        "Over all free runs of E.1's rule, whatever the durations and message delays, the "
        "largest local staleness is NOAM − 1 at every stage but the last, and 0 at the last, "
        "for every p ≥ 2, NOAM ≥ 1 and at least NOAM microbatches."
    ),
    latex=(
        r"\max_{\text{timings}} \text{staleness}(s) = N - 1 \; (s < p - 1), "
        r"\quad \text{staleness}(p - 1) = 0"
    ),
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    origin="ours",
)
