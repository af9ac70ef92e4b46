"""Prove closed forms of start times for every p, every M and every stage and microbatch.

Greedy rules: induction on slots. The hypothesis for slot t says that exactly the actions whose
formula is below t have run; it fixes the next forward a and the next backward b of a stage. The
step shows that the rule, read from the family's own data, then picks in slot t exactly the
action whose formula equals t. Static orders: every formula equals the latest end of its
predecessors. Either way one quantifier-free query per fact.
"""

from __future__ import annotations

from collections.abc import Callable

import z3

from schedules.actions import Kind
from schedules.closed_forms.start_times import StartTimes
from schedules.rules import GreedyRule, StaticOrder
from theory.solver import Outcome, Statement, Term, decide
from theory.symbols import Microbatch, Size, Times

Admission = Callable[[Term], Term] | None

LEAST_STAGES = 2
"""Closed forms are stated for p ≥ 2."""


def prove_start_times(
    rule: GreedyRule | StaticOrder, admission: Admission, guess: StartTimes
) -> list[Outcome]:
    """Prove that a rule generates exactly these start times.

    Parameters
    ----------
    rule : GreedyRule or StaticOrder
    admission : callable or None
        Bound on active microbatches as a function of p.
    guess : StartTimes

    Returns
    -------
    list of Outcome
        All PROVED, or the formulas are not established.

    Examples
    --------
    >>> from schedules.closed_forms.start_times import guess_start_times, sample
    >>> from schedules.families import get_family
    >>> family = get_family("gpipe")
    >>> found = prove_start_times(family.rule, None, guess_start_times(sample(family, None)))
    >>> {outcome.verdict.name for outcome in found}
    {'PROVED'}
    """
    times = Times(Size.symbolic(), guess)
    statements = _general(times)
    if isinstance(rule, GreedyRule):
        statements.append(_greedy_step(rule, admission, times))
        if admission is not None:
            statements.append(_admission(admission, times))
    else:
        statements += _static_positions(rule, times) + _static_steps(rule, times)
    return [decide(statement) for statement in statements]


def domain(size: Size) -> tuple[Term, ...]:
    """State the domain: p ≥ 2 and M ≥ 1."""
    return (size.p >= LEAST_STAGES, size.microbatches >= 1)


def a_stage(size: Size, stage: Term) -> Term:
    """0 ≤ stage < p."""
    return z3.And(stage >= 0, stage < size.p)


def a_microbatch(size: Size, m: Microbatch) -> Term:
    """0 ≤ m < M, and the sign facts about p·m that follow for p ≥ 2."""
    return z3.And(m.index >= 0, m.index < size.microbatches, *_product_facts(size, m))


def _product_facts(size: Size, m: Microbatch) -> tuple[Term, ...]:
    """True facts about p·m for p ≥ 2 and m ≥ 0, in place of a nonlinear definition."""
    return (
        m.product >= LEAST_STAGES * m.index,
        z3.Implies(m.index >= 1, m.product >= size.p),
        z3.Implies(m.index == 0, m.product == 0),
    )


def _general(times: Times) -> list[Statement]:
    """Sanity of the formulas themselves: signs, order, causality, exclusion."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    forward, backward = times.forward, times.backward
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m))
    following = size.shift(m, 1)
    both = (*here, a_microbatch(size, n), *_products_in_order(size, m, n))
    return [
        Statement(
            "first-slot",
            "no action starts before slot 0",
            here,
            z3.And(forward(s, m) >= 0, backward(s, m) >= 0),
        ),
        Statement(
            "order",
            "forwards and backwards of a stage run in microbatch order",
            (*here, following.index < size.microbatches),
            z3.And(forward(s, following) > forward(s, m), backward(s, following) > backward(s, m)),
        ),
        Statement(
            "causal",
            "F(s) before F(s+1), B(s+1) before B(s), F before B",
            here,
            z3.And(
                z3.Implies(s + 1 < size.p, forward(s, m) < forward(s + 1, m)),
                z3.Implies(s + 1 < size.p, backward(s + 1, m) < backward(s, m)),
                forward(s, m) < backward(s, m),
            ),
        ),
        Statement(
            "exclusive",
            "a stage has at most one action in a slot",
            both,
            forward(s, m) != backward(s, n),
        ),
    ]


def _products_in_order(size: Size, m: Microbatch, n: Microbatch) -> tuple[Term, ...]:
    """True facts about p·m and p·n: the product is linear, so it keeps order by steps of p."""
    near = [
        z3.Implies(n.index == m.index + c, n.product == m.product + c * size.p) for c in (-1, 0, 1)
    ]
    return (
        *near,
        z3.Implies(n.index >= m.index + 1, n.product >= m.product + size.p),
        z3.Implies(m.index >= n.index + 1, m.product >= n.product + size.p),
    )


def _greedy_step(rule: GreedyRule, admission: Admission, times: Times) -> Statement:
    size, s, t = times.size, z3.Int("s"), z3.Int("t")
    a, b = Microbatch.named("a"), Microbatch.named("b")
    forward, backward, count = times.forward, times.backward, size.microbatches

    def next_is(index: Microbatch, time: Callable[[Term, Microbatch], Term]) -> Term:
        """Before slot t exactly the microbatches below `index` have run."""
        return z3.And(
            index.index >= 0,
            index.index <= count,
            z3.Implies(index.index > 0, time(s, size.shift(index, -1)) < t),
            z3.Implies(index.index < count, time(s, index) >= t),
        )

    def done(time: Term, stage: Term) -> Term:
        """The action is recorded when stage s chooses in slot t, and counts as finished."""
        recorded = z3.Or(time < t, z3.And(time == t, stage < s))
        return z3.And(recorded, rule.finished(time, t))

    admitted: Term = z3.BoolVal(True)
    if admission is not None:
        admitted = a.index - b.index < admission(size.p)
    forward_ready = z3.And(a.index < count, z3.If(s == 0, admitted, done(forward(s - 1, a), s - 1)))
    backward_ready = z3.And(
        b.index < count,
        done(forward(s, b), s),
        z3.Or(s == size.p - 1, done(backward(s + 1, b), s + 1)),
    )
    last_was_forward = z3.And(
        a.index > 0, forward(s, size.shift(a, -1)) > backward(s, size.shift(b, -1))
    )
    prefers_forward = z3.If(
        b.index == 0,
        z3.BoolVal(rule.prefer_first is Kind.F),
        z3.If(
            last_was_forward,
            z3.BoolVal(rule.prefer_after[Kind.F] is Kind.F),
            z3.BoolVal(rule.prefer_after[Kind.B] is Kind.F),
        ),
    )
    runs_forward = z3.And(forward_ready, z3.Or(z3.Not(backward_ready), prefers_forward))
    runs_backward = z3.And(backward_ready, z3.Not(runs_forward))
    return Statement(
        "slot-induction",
        "if exactly the actions with a formula below t have run, the rule picks in slot t "
        "exactly those whose formula is t",
        (
            *domain(size),
            a_stage(size, s),
            t >= 0,
            next_is(a, forward),
            next_is(b, backward),
            *_product_facts(size, a),
            *_product_facts(size, b),
            *_products_in_order(size, a, b),
        ),
        z3.And(
            runs_forward == z3.And(a.index < count, forward(s, a) == t),
            runs_backward == z3.And(b.index < count, backward(s, b) == t),
        ),
    )


def _admission(admission: Callable[[Term], Term], times: Times) -> Statement:
    """When F(0, m) starts, fewer microbatches are active than are admitted."""
    size, m, done = times.size, Microbatch.named("m"), Microbatch.named("n")
    zero, start = z3.IntVal(0), times.forward(z3.IntVal(0), m)
    return Statement(
        "admission",
        "no forward at stage 0 exceeds the bound on active microbatches",
        (
            *domain(size),
            a_microbatch(size, m),
            done.index >= 0,
            done.index <= m.index,
            *_product_facts(size, done),
            *_products_in_order(size, m, done),
            z3.Implies(done.index > 0, times.backward(zero, size.shift(done, -1)) < start),
            times.backward(zero, done) >= start,
        ),
        m.index - done.index < admission(size.p),
    )


def _static_positions(order: StaticOrder, times: Times) -> list[Statement]:
    """Positions are distinct and lie in 0 … 2M − 1, so they fill it."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    both = (*domain(size), a_stage(size, s), a_microbatch(size, m), a_microbatch(size, n))
    statements = []
    for kind in order.position:
        place = order.position[kind](s, m.index, size.p, size.microbatches)
        statements.append(
            Statement(
                f"position-{kind.name}",
                f"positions of {kind.name} lie in the order",
                both,
                z3.And(place >= 0, place < len(order.position) * size.microbatches),
            )
        )
        for other in order.position:
            elsewhere = order.position[other](s, n.index, size.p, size.microbatches)
            distinct = z3.BoolVal(True) if other is not kind else m.index != n.index
            statements.append(
                Statement(
                    f"position-{kind.name}-{other.name}",
                    f"no {kind.name} shares its position with another {other.name}",
                    (*both, distinct),
                    place != elsewhere,
                )
            )
    return statements


def _static_steps(order: StaticOrder, times: Times) -> list[Statement]:
    """Every start is the latest end of its predecessors, 0 if there is none."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m), a_microbatch(size, n))
    statements = []
    for kind in order.position:
        place = order.position[kind](s, m.index, size.p, size.microbatches)
        inputs = _input_ends(kind, times, s, m)
        cases = [(place == 0, _latest(inputs))]
        for before in order.position:
            behind = order.position[before](s, n.index, size.p, size.microbatches)
            latest = _latest([*inputs, times.at(before, s, n) + 1])
            cases.append((behind == place - 1, latest))
        statements.append(
            Statement(
                f"start-{kind.name}",
                f"{kind.name} starts at the latest end of what it waits for",
                (
                    *here,
                    *_products_in_order(size, m, n),
                    z3.Or(*(case for case, _ in cases)),
                ),
                z3.And(*(z3.Implies(c, times.at(kind, s, m) == end) for c, end in cases)),
            )
        )
    return statements


def _input_ends(kind: Kind, times: Times, s: Term, m: Microbatch) -> list[Term]:
    nothing = z3.IntVal(0)
    if kind is Kind.F:
        return [z3.If(s > 0, times.forward(s - 1, m) + 1, nothing)]
    below = z3.If(s < times.size.p - 1, times.backward(s + 1, m) + 1, nothing)
    return [times.forward(s, m) + 1, below]


def _latest(ends: list[Term]) -> Term:
    result = z3.IntVal(0)
    for end in ends:
        result = z3.If(end > result, end, result)
    return result
