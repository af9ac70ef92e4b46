"""Exactly when a sequential model never stalls, for every number of layers.

Problem    a sequential model of m layers whose first k layers are stale. The paper's program has
           two constraints; the second stands for m − k of them.
Method     an induction over layers: see `schedules.partial_staleness.stalls` for the argument and
           `layer_induction` for its steps.
Guarantee  It never stalls if and only if Σv ≤ Σb + Σu and, for every layer j > k, v_{k+1} + … + v_j
           ≤ b_1 + … + b_{j−1} + u_1 + … + u_k.
Source     ours.
"""

from collections.abc import Iterator

import sympy

from schedules.partial_staleness import Model, simulate, stall
from theory.judging import prover
from theory.papers.sapipe.lemmas.conditions import RIGHT, holds_for
from theory.papers.sapipe.lemmas.layer_induction import statements
from theory.papers.sapipe.lemmas.partial_staleness import proofs
from theory.papers.sapipe.pieces import lines
from theory.papers.sapipe.witnesses.chain_replays import WORDS, chains, never_stalls
from theory.papers.sapipe.witnesses.chain_replays import shown as as_data
from theory.papers.sapipe.witnesses.refuting import of

UNROLLED = 4
"""Layers up to which the steps are also decided as a whole, without induction."""

ASSUMES = (
    "the pipeline of section 3.1: backwards m … 1, then forwards 1 … m of the next iteration, on "
    "one processor; one channel sends gradients in the order of backwards, one at a time and "
    "across iterations; all workers are alike and an update takes no time",
    "a fresh layer's forward waits for the gradient just computed, a stale one's for the gradient "
    "one iteration older, of which the very first iteration has none",
    "induction over layers and over iterations, and that what grows by a fixed amount passes any "
    "bound: the argument 'induction over layers and iterations'",
)


def holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    """Why these conditions are the ones, for every m."""
    return map(prover.decide, statements(formulas))


@prover.remembered
def shown() -> tuple[prover.Outcome, ...]:
    """`holds` for the right conditions."""
    return tuple(holds(RIGHT))


_HOLD = sympy.Symbol("conditions hold", integer=True, nonnegative=True)
"""1 if the conditions hold, else 0."""


def refutation(formulas: prover.Formulas) -> prover.Refutation | None:
    """The smallest model on which the conditions and the simulation differ."""
    for model in chains():
        for k in range(model.count + 1):
            stated, found = holds_for(formulas, model, k), never_stalls(model, k)
            if stated != found:
                waits = stall(model, range(k))
                witness = {**as_data(model), "k": k, "conditions hold": stated, "stall": waits}
                return prover.Refutation(witness, _differs(model, k, stated))
    return None


def _differs(model: Model, stale: int, stated: bool) -> prover.Violation:
    measured = of(lambda run: int(run.never_stalls), simulate, model, range(stale))
    return prover.Violation(measured, "==", _HOLD, {_HOLD: int(stated)})


def _unrolled() -> prover.Line:
    found = proofs(UNROLLED)
    says = f"the same for 1 … {UNROLLED} layers and every k, all layers at once"
    return prover.Line("ours", says, f"z3, {len(found)} statements", prover.Decision(tuple(found)))


def _replayed(differs: prover.Refutation | None) -> prover.Evidence:
    if differs is not None:
        says = "a model on which simulation and conditions differ"
        return prover.Evidence("against", says, differs.witness)
    cases = sum(model.count + 1 for model in chains())
    says = f"the simulation agrees on {WORDS}, with every k"
    return prover.Evidence("for", says, {"simulated": cases})


def _account(formulas: prover.Formulas) -> prover.Account:
    found = tuple(holds(formulas))
    differs = refutation(formulas)
    return prover.Account(
        prover.Decision(found, differs),
        assumes=ASSUMES,
        steps=(*lines(*found), _unrolled()),
        evidence=(_replayed(differs),),
    )


CLAIM = prover.Claim(
    "sapipe.no-stall",
    "ours",
    "A sequential model of m layers never stalls with its first k layers stale if and only if "
    "Σv ≤ Σb + Σu and, for every layer j > k, v_{k+1} + … + v_j ≤ b_1 + … + b_{j−1} + "
    "u_1 + … + u_k; for all durations above 0, every m ≥ 1 and 0 ≤ k ≤ m.",
    r"\sum_i v_i \le \sum_i (b_i + u_i),\quad \forall j > k:\ \sum_{i=k+1}^{j} v_i \le "
    r"\sum_{i=1}^{j-1} b_i + \sum_{i=1}^{k} u_i",
    account=_account,
    printed=RIGHT,
    core=RIGHT,
    holds=holds,
)
