"""E.2: the three conditions on a LocalSGD forward are independent, and the barrier holds.

Problem    E.2's conditions on F(s, m): (1) F(s−1, m) is done; (2) B(s, m−n) is done unless m is a
           first local step; (3) B(0, first job of the round − 1) is done unless it is the first
           round.
Method     (2) and (3) are read from the family's own data; (1), the causality of backwards and the
           microbatch order are the engine's. For independence, a moment of a real run for each.
Guarantee  None follows from the other two: each alone holds a forward back at some moment. No
           forward of a round starts, at any stage, before every backward of earlier rounds is done
           at every stage.
Source     RPD paper, appendix E.2.
"""

from itertools import permutations

import sympy
import z3

from schedules.families.localsgd import CONDITIONS, Condition, Job
from theory.judging import prover
from theory.papers.localsgd.witnesses.schedule_runs import (
    L_,
    PIPELINE,
    SIZES,
    against,
    alone,
    broken_barrier,
)

_FORWARD = z3.Function("TF", z3.IntSort(), z3.IntSort(), z3.IntSort())
_BACKWARD = z3.Function("TB", z3.IntSort(), z3.IntSort(), z3.IntSort())


def _job(name: str) -> tuple[Job, tuple[prover.Term, ...]]:
    """A symbolic job with first + offset = index, and n ≥ 1."""
    index, first, offset, n = z3.Ints(f"{name} first_{name} offset_{name} n")
    job = Job(index, first, offset, n)
    return job, (n >= 1, first >= 0, offset >= 0, index == first + offset)


def _gate(condition: Condition, stage: prover.Term, job: Job) -> prover.Term:
    """The condition holds of a forward that has run."""
    needed = _BACKWARD(condition.stage(stage), condition.waits_for(job))
    return z3.Implies(condition.applies(job), needed < _FORWARD(stage, job.index))


def _gates(stage: prover.Term, job: Job) -> tuple[prover.Term, ...]:
    return tuple(_gate(condition, stage, job) for condition in CONDITIONS)


def _barrier(first: sympy.Expr) -> prover.Statement:
    """Every backward below `first` precedes every forward of a round r ≥ 1 that starts there."""
    job, facts = _job("m")
    s, other, before = z3.Ints("s other before")
    zero = z3.IntVal(0)
    return prover.Statement(
        "barrier",
        "backwards of earlier rounds precede the forwards of a round, at all stages",
        (
            *facts,
            *_gates(s, job),
            *_gates(zero, job),
            s >= 0,
            other >= 0,
            before >= 0,
            before < _linear(first, job.first),
            _FORWARD(zero, job.index) <= _FORWARD(s, job.index),
            *_ordered((zero, s), (before, job.first - 1), job),
            _BACKWARD(other, before) <= _BACKWARD(zero, before),
        ),
        _BACKWARD(other, before) < _FORWARD(s, job.index),
    )


_SECOND_ROUND = {"n": 1, "m": 1, "first_m": 1, "offset_m": 0, "s": 0, "other": 0, "before": 0}
"""The first forward behind the first barrier, with one replica and one local step a round."""


def _ordered(
    stages: tuple[prover.Term, ...], jobs: tuple[prover.Term, ...], job: Job
) -> list[prover.Term]:
    """Job order of backwards, at these stages, among these jobs and those that gates wait for."""
    named = (*jobs, *(condition.waits_for(job) for condition in CONDITIONS))
    return [_in_order(s, a, b) for s in stages for a, b in permutations(named, 2)]


def _linear(form: sympy.Expr, first: prover.Term) -> prover.Term:
    slope = int(form.coeff(L_))
    return slope * first + int(form.subs(L_, 0))


def _in_order(stage: prover.Term, one: prover.Term, other: prover.Term) -> prover.Term:
    """Backwards of a stage run in job order (proved by `_order_step`)."""
    return z3.Implies(one <= other, _BACKWARD(stage, one) <= _BACKWARD(stage, other))


def _lemmas() -> list[prover.Outcome]:
    """The two inductions that the barrier uses."""
    a, b, s, m = z3.Ints("a b s m")
    along = _BACKWARD(s, a) <= _BACKWARD(s, b)
    return [
        _decided(
            prover.Statement(
                "job-order",
                "backwards of a stage run in job order (induction on the later job)",
                (a <= b, along, _BACKWARD(s, b) < _BACKWARD(s, b + 1)),
                _BACKWARD(s, a) <= _BACKWARD(s, b + 1),
            ),
            a=0,
            b=0,
        ),
        _decided(
            prover.Statement(
                "down-the-pipeline",
                "B(s, m) is no later than B(0, m) (induction on the stage)",
                (s >= 0, _BACKWARD(s, m) <= _BACKWARD(0, m), _BACKWARD(s + 1, m) < _BACKWARD(s, m)),
                _BACKWARD(s + 1, m) <= _BACKWARD(0, m),
            ),
            s=0,
        ),
    ]


def _implied(condition: Condition) -> prover.Outcome:
    """At stages s ≥ 1 condition (1) implies this one, given it held at stage s − 1."""
    job, facts = _job("m")
    s, t = z3.Int("s"), z3.Int("t")
    needed = _BACKWARD(condition.stage(s), condition.waits_for(job))
    upstream = _BACKWARD(condition.stage(s - 1), condition.waits_for(job))
    return _decided(
        prover.Statement(
            f"implied-{condition.name}",
            f"condition '{condition.name}' at stages s ≥ 1 follows from stage s − 1",
            (
                *facts,
                s >= 1,
                condition.applies(job),
                _gate(condition, s - 1, job),
                needed <= upstream,
                _FORWARD(s - 1, job.index) < t,
            ),
            needed < t,
        ),
        n=1,
        s=1,
        m=1,
    )


def _never_stale() -> prover.Outcome:
    """No update of its replica falls between the forward and the backward of a job.

    The replica's previous job is m − n in the same round, else one below the round's first.
    """
    job, facts = _job("m")
    s, before, zero = z3.Int("s"), z3.Int("before"), z3.IntVal(0)
    previous = z3.If(job.offset >= job.replicas, job.index - job.replicas, job.first - 1)
    return _decided(
        prover.Statement(
            "never-stale",
            "every earlier backward of a job's replica precedes its forward",
            (
                *facts,
                *_gates(s, job),
                s >= 0,
                before >= 0,
                before <= previous,
                *_ordered((zero, s), (before, previous, job.first - 1), job),
                _BACKWARD(s, job.first - 1) <= _BACKWARD(zero, job.first - 1),
            ),
            _BACKWARD(s, before) < _FORWARD(s, job.index),
        ),
        n=1,
        s=0,
        m=1,
        before=0,
    )


def _decided(statement: prover.Statement, **smallest: int) -> prover.Outcome:
    """Proved or undecided: a model here need not be a run, so it refutes nothing.

    The smallest instance is one that the statement has to be about.
    """
    outcome = prover.decide_from(statement, smallest)
    if not outcome.witness:
        return outcome
    return prover.undecided(outcome, "z3 has a model of the stated facts; it need not be a run")


def _holds(formulas: prover.Formulas) -> tuple[prover.Ground, ...]:
    """The barrier that these formulas state: in runs, and by proof."""
    kept = broken_barrier(formulas["first"]) is None
    runs = prover.Compared(
        "no run breaks the barrier", "theory.papers.localsgd.witnesses.schedule_runs", kept
    )
    return (runs, _decided(_barrier(formulas["first"]), **_SECOND_ROUND))


def _account(formulas: prover.Formulas) -> prover.Account:
    waiting = alone()
    names = (PIPELINE, *(condition.name for condition in CONDITIONS))
    moments = {
        name: next((m for (n, _), m in waiting.items() if n == name), None) for name in names
    }
    independent = tuple(
        prover.Compared(
            f"'{name}' alone holds a forward back at a moment of a run",
            "theory.papers.localsgd.witnesses.schedule_runs.alone",
            moment is not None,
        )
        for name, moment in moments.items()
    )
    lemmas, broken = _lemmas(), against(formulas["first"])
    barrier = _decided(_barrier(formulas["first"]), **_SECOND_ROUND)
    holds = (barrier, *lemmas)
    implied = [_implied(condition) for condition in CONDITIONS]
    steps = (*lemmas, barrier, _never_stale(), *implied)
    return prover.Account(
        prover.Decision((*independent, *holds), broken),
        cases=(
            prover.Case(
                "independence",
                prover.Decision(independent),
                "for each condition there are a run and a moment where it alone waits",
            ),
            prover.Case(
                "barrier",
                prover.Decision(holds, broken),
                "for all p, n, H, any number of jobs and any durations",
            ),
        ),
        assumes=(
            "each stage takes jobs in index order, and B(s + 1, m) precedes B(s, m), as E.1 says",
        ),
        steps=tuple(prover.Line("ours", o.says, o.note, prover.Decision((o,))) for o in steps),
        findings=(_superfluous(implied, waiting),),
        evidence=(
            prover.Evidence(
                "against" if broken else "for",
                f"barrier times of {len(SIZES)} runs, p ≤ 4, n ≤ 3, H ≤ 3, two rounds and one job",
                broken.witness if broken else {"runs": len(SIZES)},
            ),
            prover.Evidence(
                "for" if all(moments.values()) else "neither",
                "moments of real runs at which one condition alone holds a forward back",
                {name: moment for name, moment in moments.items() if moment},
            ),
        ),
    )


def _superfluous(
    implied: list[prover.Outcome], waiting: dict[tuple[str, bool], dict[str, int]]
) -> prover.Finding:
    never = all((condition.name, False) not in waiting for condition in CONDITIONS)
    return prover.Finding(
        "superfluous-condition",
        "appendix E.2",
        "the local-step and round conditions are stated for every stage but bind only "
        "stage 0: at stages s ≥ 1 they follow from the pipeline dependency; in all "
        f"{len(SIZES)} searched runs they {'never' if never else 'do'} wait alone there",
        shown=tuple(implied),
        repaired=prover.Repair(
            "it suffices to check the local-step and the round condition at stage 0", tuple(implied)
        ),
    )


_PRINTED = {"first": L_}

CLAIM = prover.Claim(
    "localsgd.schedule",
    "appendix E.2",
    "E.2's three conditions on a forward are independent, each alone holding a forward back "
    "at some moment of some run, and its barrier holds: no forward of a round starts before "
    "every backward of earlier rounds is done at every stage.",
    r"m' < r n H \le m \;\Rightarrow\; T_B(s', m') < T_F(s, m)",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
