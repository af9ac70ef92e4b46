"""(13), learning rate: η/τ_i^{ρ_t} divides by zero at the last stages, by the paper's own (5).

Problem    (13) is for every stage i ≤ P; (5) gives τ_i = 0 where P − i < K, at i = P always.
Method     2(P − i) + 1 ≥ 2K says τ_i ≥ 1; a run counts the updates between F and B.
Guarantee  (13) is a number in (0, η] for t < T exactly where P − i ≥ K.
Source     Nesterov paper, section 3.2, (13) with (5).
"""

from collections.abc import Iterator, Mapping
from functools import partial

import sympy
import z3

from schedules.schedule import Schedule
from theory.judging import prover
from theory.papers.nesterov.lemmas.interval_delays import K, P, delays, i, order, runs


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    stages, stage, interval = z3.Ints("P i K")
    behind = prover.term(formulas["behind"], {K: interval})
    says = "by (5), τ_i is at least 1, and η/τ_i^ρ in (0, η] for 0 < ρ ≤ 1, iff P − i is that much"
    domain = (interval >= 1, stage >= 1, stage <= stages)
    positive = 2 * (stages - stage) + 1 >= 2 * interval
    yield from prover.in_turn(
        [prover.Statement("(5) above 0", says, domain, positive == (stages - stage >= behind))]
    )
    yield order()


def _last(formulas: prover.Formulas) -> prover.Refutation | None:
    """A stage of a run that the condition admits and that has no delay."""
    for at, schedule in runs():
        admitted = at["P"] - at["i"] >= int(formulas["behind"].subs(K, at["K"]))
        least = partial(_least, at, schedule)
        if admitted and least() == 0 and at["P"] > 1:
            witness = {**at, "t": 1, "T": 2, "rho_t": "1/2", "tau_i": 0}
            symbols = {P: at["P"], i: at["i"], K: at["K"]}
            domain = (prover.le(1, i), prover.le(i, P), prover.le(1, K))
            return prover.Refutation(
                witness, prover.Violation(least, ">=", sympy.S.One, symbols, domain)
            )
    return None


def _least(at: Mapping[str, int], schedule: Schedule) -> int:
    """The smallest delay of a stage from microbatch P − i on."""
    return min(delays(schedule, at["i"] - 1)[at["P"] - at["i"] :])


_CORE = {"behind": K}
_PRINTED = {"behind": sympy.S.Zero}


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return (
        prover.Case("stages with P − i ≥ K, every t", prover.Decision(tuple(_grounds(_CORE)))),
        prover.Case(
            "stages with P − i < K, as stage P, t < T", prover.Decision(fails=_last(formulas))
        ),
    )


CLAIM = prover.row(
    "nesterov.eq-13",
    "section 3.2, (13)",
    "(13) gives every stage i ≤ P a learning rate η/τ_i^{ρ_t} at every t, with the τ_i of (5).",
    r"\eta_i^t = \eta / \tau_i^{\rho_t}, \quad i \in \{1, \dots, P\}",
    _CORE,
    _grounds,
    printed=_PRINTED,
    fails=_last,
    says="by (5) τ_P = 0, so that (13) divides by zero at the last stage for every t < T",
    repaired="For t < T (13) is a number, in (0, η], exactly at the stages with P − i ≥ K.",
    cases=_cases,
)
