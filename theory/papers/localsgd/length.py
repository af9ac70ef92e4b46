"""E.2 and E.3: how long LocalSGD's schedule is, and what its barriers cost.

Problem    M jobs of n ≥ p replicas, H local steps between averages, one slot for every action.
Method     Within a round of J jobs F(s, m) is the largest of s + m, 2m + 3s − 2p + 2 and, for
           m ≥ n, 2m + s + 2p − 2n, and B(s, m) = 2m + 2p − 1 − s: by induction on slots E.2's rule
           does exactly that. A round starts when the one before it has ended.
Guarantee  2M + 2(p − 1)⌈M/(nH)⌉ slots: each round has 2(p − 1) idle ones at every stage.
Source     RPD paper, appendices E.2 and E.3; the closed form is ours.
"""

from collections.abc import Iterator

import sympy
import z3

from schedules.actions import Kind
from schedules.families import build
from schedules.families.localsgd import CONDITIONS, Job
from schedules.families.pipedream import RULE
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.static_orders.symbols import M, p

R = sympy.Symbol("R", integer=True, positive=True)
"""Rounds, ⌈M/(nH)⌉."""

_p, _n, _J, _s, _t, _a, _b = z3.Ints("p n J s t a b")


def forward(s: prover.Term, m: prover.Term) -> prover.Term:
    """Slot of a forward, counted from the start of its round."""
    late, gated = 2 * m + 3 * s - 2 * _p + 2, 2 * m + s + 2 * _p - 2 * _n
    early = z3.If(s + m >= late, s + m, late)
    return z3.If(z3.And(m >= _n, gated > early), gated, early)


def backward(s: prover.Term, m: prover.Term) -> prover.Term:
    """Slot of a backward, counted from the start of its round."""
    return 2 * m + 2 * _p - 1 - s


def _picks() -> prover.Statement:
    """In slot t stage s does what the formulas say, if all stages have done so until then."""
    rule = RULE

    def done(time: prover.Term, stage: prover.Term) -> prover.Term:
        """Recorded when stage s chooses in slot t, and finished by the rule's comparison."""
        return z3.And(z3.Or(time < _t, z3.And(time == _t, stage < _s)), rule.finished(time, _t))

    def next_is(index: prover.Term, time: prover.Term, before: prover.Term) -> prover.Term:
        ran, due = z3.Implies(index > 0, before < _t), z3.Implies(index < _J, time >= _t)
        return z3.And(index >= 0, index <= _J, ran, due)

    job = Job(_a, z3.IntVal(0), _a, _n)
    gates = [
        z3.Implies(one.applies(job), done(backward(one.stage(_s), one.waits_for(job)), _s))
        for one in CONDITIONS
    ]
    arrived = z3.Or(_s == 0, done(forward(_s - 1, _a), _s - 1))
    forward_ready = z3.And(_a < _J, arrived, *gates)
    returned = z3.Or(_s == _p - 1, done(backward(_s + 1, _b), _s + 1))
    backward_ready = z3.And(_b < _J, done(forward(_s, _b), _s), returned)
    last_forward = z3.And(_a > 0, z3.Or(_b == 0, forward(_s, _a - 1) > backward(_s, _b - 1)))
    after = {kind: z3.BoolVal(rule.prefer_after[kind] is Kind.F) for kind in (Kind.F, Kind.B)}
    prefers = z3.If(
        z3.And(_b == 0, z3.Bool("first round")),
        z3.BoolVal(rule.prefer_first is Kind.F),
        z3.If(last_forward, after[Kind.F], after[Kind.B]),
    )
    runs_forward = z3.And(forward_ready, z3.Or(z3.Not(backward_ready), prefers))
    runs_backward = z3.And(backward_ready, z3.Not(runs_forward))
    return prover.Statement(
        "slot induction",
        "if exactly the actions of a round with a formula below t have run, E.2's rule picks in "
        "slot t exactly those whose formula is t, in the first round and in later ones",
        (
            _p >= 2,
            _n >= _p,
            _J >= 1,
            _s >= 0,
            _s < _p,
            _t >= 0,
            next_is(_a, forward(_s, _a), forward(_s, _a - 1)),
            next_is(_b, backward(_s, _b), backward(_s, _b - 1)),
        ),
        z3.And(
            runs_forward == z3.And(_a < _J, forward(_s, _a) == _t),
            runs_backward == z3.And(_b < _J, backward(_s, _b) == _t),
        ),
    )


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield prover.decide_from(_picks(), {"p": 2, "n": 2, "J": 1, "s": 0, "t": 0, "a": 0, "b": 0})
    jobs, rounds = z3.Ints("M R")

    def length(of: prover.Term, number: prover.Term) -> prover.Term:
        return prover.term(formulas["length"], {M: of, R: number, p: _p})

    inside = (_p >= 2, _n >= _p, _J >= 1, _s >= 0, _s < _p, _a >= 0, _a < _J)
    one = length(_J, z3.IntVal(1))
    ends = z3.And(backward(_s, _a) < one, forward(_s, _a) < one)
    last = backward(z3.IntVal(0), _J - 1) + 1 == one
    says = "a round of J jobs ends with B(0, J − 1), in the slot of the stated length"
    yield prover.decide_from(
        prover.Statement("round", says, inside, z3.And(ends, last)), {"p": 2, "n": 2}
    )
    more = length(jobs + _J, rounds + 1) - length(jobs, rounds) == one
    nothing = length(z3.IntVal(0), z3.IntVal(0)) == 0
    says = "one more round of J jobs adds its own length"
    goal = z3.And(more, nothing)
    yield prover.decide_from(
        prover.Statement("rounds", says, (_p >= 2, _J >= 1), goal), {"p": 2, "J": 1}
    )


def _runs() -> tuple[prover.Line]:
    sizes = [
        (stages, replicas, steps, jobs)
        for stages in (2, 3, 4)
        for replicas in range(stages, 2 * stages + 2)
        for steps in (1, 2)
        for jobs in (1, replicas * steps, 2 * replicas * steps + 1)
    ]
    same = all(
        timeline(build("localsgd", k, m, replicas=n, local_steps=h)).length
        == 2 * m + 2 * (k - 1) * -(-m // (n * h))
        for k, n, h, m in sizes
    )
    found = prover.Exhausted(
        "generated schedules of p ≤ 4, n ≤ 2p + 1 and H ≤ 2 are so long", len(sizes), same
    )
    return (prover.Line("ours", found.says, f"{len(sizes)} runs", prover.Decision((found,))),)


CLAIM = prover.row(
    "localsgd.length",
    "appendices E.2 and E.3",
    "With n ≥ p replicas LocalSGD's schedule of M jobs takes 2M + 2(p − 1)R slots, R = ⌈M/(nH)⌉ "
    "rounds: every synchronization costs each stage 2(p − 1) idle slots.",
    r"2M + 2(p - 1) \left\lceil \frac{M}{nH} \right\rceil",
    {"length": 2 * M + 2 * (p - 1) * R},
    _grounds,
    steps=_runs,
    assumes=("every forward and backward takes one slot, as in appendix G.5",),
)
