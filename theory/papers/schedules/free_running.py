"""Free-running E.1: local staleness under any durations and any message delays.

What a free run assumes is in `schedules.free_running`. Local staleness of microbatch m at stage
s is the number of backwards of the stage between F(s, m) and B(s, m); both kinds run in order,
so it is the number of microbatches in flight there when F(s, m) starts. Bounded by counters
(`theory.papers.schedules.counters`) and an induction over stages: in flight at s ≤ in flight at 0 ≤
NOAM. Attained by a construction: the last stage takes its time over its first forward, and
all that is admitted piles up before it; at every other stage F(s, NOAM − 1) runs before B(s, 0).
"""

from __future__ import annotations

from typing import Final

import sympy
import z3

from schedules.families.pipedream import RULE
from schedules.rules import GreedyRule
from schedules.versions import versions
from theory.account import Account, Decision, Finding, Refutation, Repair, Violation
from theory.claims import Claim, Formulas
from theory.judging.decide import proves
from theory.judging.outcomes import lines
from theory.kernel import le
from theory.laws.delays.counts import linear_term
from theory.ledger import Evidence
from theory.papers.schedules.counters import (
    admission_statements,
    last_stage_statements,
    pair_statements,
)
from theory.papers.schedules.free_runs import stalest, steady, worst_run
from theory.smt.solver import Outcome, Statement, Term, decide, merge

N_: Final = sympy.Symbol("N", integer=True)
REPLAYED: Final = range(2, 7)
"""Numbers of stages of the runs that are replayed."""


def proof(formulas: Formulas, rule: GreedyRule = RULE) -> dict[str, Outcome]:
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
        "bound": ("local staleness is at most the bound", (_bound(noam, inner),)),
        "last stage": (
            "the last stage alternates F and B from its first forward on",
            last_stage_statements(rule, last),
        ),
        "pile-up": (
            "while the last stage works on its first forward, F(s, m) runs in slot s + m for "
            "all m < NOAM, and no B runs",
            (_pile_up(rule, noam),),
        ),
        "attained": (
            "F(s, NOAM − 1) attains the bound, at every stage but the last",
            (_attained(noam, inner),),
        ),
    }
    return {
        name: merge(name, says, [decide(statement) for statement in statements])
        for name, (says, statements) in parts.items()
    }


def _along() -> Statement:
    in_flight, s = z3.Function("in_flight", z3.IntSort(), z3.IntSort()), z3.Int("s")
    return Statement(
        "stages",
        "from stage s to stage s + 1",
        (in_flight(s) <= in_flight(0), in_flight(s + 1) <= in_flight(s)),
        in_flight(s + 1) <= in_flight(0),
    )


def _bound(noam: Term, inner: Term) -> Statement:
    """A forward that starts is in flight itself, so it finds one fewer."""
    found, here, first = z3.Ints("staleness in_flight_s in_flight_0")
    return Statement(
        "bound",
        "local staleness is at most the bound",
        (noam >= 1, here == found + 1, here <= first, first <= noam),
        found <= inner,
    )


def _pile_up(rule: GreedyRule, noam: Term) -> Statement:
    """Slot t at stage s < p − 1, if before it exactly the forwards with s + m < t have run."""
    p, s, t, a, handed_back = z3.Ints("p s t next_forward B_next_stage")
    until = p + noam

    def done(time: Term, stage: Term) -> Term:
        """As in the rule: stages before s have already chosen in slot t."""
        recorded = z3.Or(time < t, z3.And(time == t, stage < s))
        return z3.And(recorded, rule.finished(time, t))

    forward_ready = z3.And(a < noam, z3.Or(s == 0, done(s - 1 + a, s - 1)))
    backward_ready = z3.And(a >= 1, done(s, s), done(handed_back, s + 1))
    return Statement(
        "pile-up",
        "in slot t exactly the forwards with s + m = t are ready, and no backward",
        (
            noam >= 1,
            s >= 0,
            s < p - 1,
            t >= 0,
            t < until,
            a >= 0,
            a <= noam,
            z3.Implies(a > 0, s + a - 1 < t),
            z3.Implies(a < noam, s + a >= t),
            handed_back >= until,
        ),
        z3.And(forward_ready == z3.And(a < noam, s + a == t), z3.Not(backward_ready)),
    )


def _attained(noam: Term, inner: Term) -> Statement:
    """The backwards 0 … NOAM − 2 all come after F(s, NOAM − 1), and before its own."""
    p, s, first_backward = z3.Ints("p s B_first")
    return Statement(
        "attained",
        "F(s, NOAM − 1) starts before B(s, 0), so NOAM − 1 updates follow before its own",
        (noam >= 1, s >= 0, s < p - 1, first_backward >= p + noam),
        z3.And(s + noam - 1 < first_backward, noam - 1 >= inner),
    )


def _holds(formulas: Formulas) -> tuple[Outcome, ...]:
    return tuple(proof(formulas).values())


def _exceeded(formulas: Formulas) -> Refutation | None:
    """A replayed worst run in which some microbatch is staler than printed."""
    for p in REPLAYED:
        for noam in range(1, p + 3):
            for s, found in enumerate(stalest(p, noam)):
                form = formulas["last" if s == p - 1 else "inner"]
                said = int(form.subs(N_, noam))
                if found > said:
                    at = {"p": p, "NOAM": noam, "s": s}
                    return Refutation(
                        {**at, "staleness": found, "printed": said},
                        _too_stale(form, p, noam, s),
                    )
    return None


def _too_stale(form: sympy.Expr, p: int, noam: int, s: int) -> Violation:
    return Violation(lambda: stalest(p, noam)[s], "<=", form, {N_: noam}, (le(1, N_),))


def _account(formulas: Formulas) -> Account:
    # A model of an induction step need not be a run: only a replayed run refutes.
    outcomes = _holds(formulas)
    return Account(
        Decision(outcomes, _exceeded(formulas)),
        assumes=(
            "every action takes a positive time, every message a time of 0 or more, each its own",
            "a stage that is free starts at once what is ready, the preferred kind if both are; "
            "what ends at time t counts for every decision at time t",
            "PipeDream's policy: an update after every backward",
        ),
        steps=lines(outcomes),
        findings=(_steady_law(outcomes),) if proves(*outcomes) else (),
        evidence=(_picture(4), _persistent()),
    )


def _steady_law(bound: tuple[Outcome, ...]) -> Finding:
    """The printed value of local staleness needs equal durations: a run in which it fails."""
    p, times = 3, 2
    found = steady(p, times)
    s = next(s for s in range(p) if found[s] != [p - 1 - s])
    return Finding(
        kind="missing-condition",
        where="appendices F and G.4",
        says=(
            "the value p − 1 − s needs the equal durations that appendix G.5 assumes; in a free "
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
        repaired=Repair(
            "at most NOAM − 1 at stages s < p − 1 and 0 at the last one, whatever the durations",
            bound,
        ),
    )


def _persistent() -> Evidence:
    """A last stage K times slower: p − 1 − ⌊s / K⌋ at every stage but the last."""
    for p in REPLAYED:
        for times in range(1, p + 2):
            expected = [[p - 1 - s // times] for s in range(p - 1)] + [[0]]
            found = steady(p, times)
            if found != expected:
                data = {"p": p, "K": times, "found": found, "expected": expected}
                return Evidence("neither", "a slow last stage: another law than expected", data)
    return Evidence(
        "for",
        "replays with a last stage K = 1 … p + 1 times slower, NOAM = p: steady local staleness "
        "p − 1 − ⌊s/K⌋ at s < p − 1; from K = p − 1 on every microbatch attains the bound",
        {"p": list(REPLAYED), "p=6, K=1": steady(6, 1), "p=6, K=5": steady(6, 5)},
    )


def _picture(p: int) -> Evidence:
    """The worst run as a figure, the forward and the backward of the stalest microbatch marked."""
    run = worst_run(p, p)
    rows, s = run.rows(), p - 2
    cells, m = rows[s].split(), p - 1
    return Evidence(
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


_PRINTED: Final = {"inner": N_ - 1, "last": sympy.Integer(0)}

CLAIM: Final = Claim(
    id="schedules.free-running-staleness",
    where="docs/all-timings.md",
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
