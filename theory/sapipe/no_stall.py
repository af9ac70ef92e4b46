"""Exactly when a sequential model never stalls, for every number of layers.

The paper's program has two constraints; the second stands for m − k of them. See
`schedules.partial_staleness.stalls` for the argument and `theory.sapipe.layer_induction` for its
steps.
"""

from __future__ import annotations

from typing import Any, Final

from schedules.partial_staleness import stall
from theory.claims import Claim, Formulas
from theory.ledger import Evidence, Judgement, Step
from theory.outcomes import lazily, steps, verdict_of
from theory.queries import remembered
from theory.sapipe.chain_replays import WORDS, chains, never_stalls, shown
from theory.sapipe.conditions import RIGHT, holds_for
from theory.sapipe.layer_induction import statements
from theory.sapipe.partial_staleness import proofs
from theory.solver import decide
from theory.verdicts import Verdict, weakest

UNROLLED: Final = 4
"""Layers up to which the steps are also decided as a whole, without induction."""

ASSUMES: Final = (
    "the pipeline of section 3.1: backwards m … 1, then forwards 1 … m of the next iteration, on "
    "one processor; one channel sends gradients in the order of backwards, one at a time and "
    "across iterations; all workers are alike and an update takes no time",
    "a fresh layer's forward waits for the gradient just computed, a stale one's for the gradient "
    "one iteration older, of which the very first iteration has none",
    "induction over layers and over iterations, and that what grows by a fixed amount passes any "
    "bound (theory/sapipe/layer_induction.py)",
)


def holds(formulas: Formulas) -> Verdict:
    """Whether these conditions are proved to be the ones, for every m."""
    return lazily(statements(formulas))


@remembered
def proved() -> Verdict:
    """`holds` for the right conditions."""
    return holds(RIGHT)


def witness(formulas: Formulas) -> dict[str, Any] | None:
    """The smallest model on which the conditions and the simulation differ."""
    for model in chains():
        for k in range(model.count + 1):
            stated, found = holds_for(formulas, model, k), never_stalls(model, k)
            if stated != found:
                waits = stall(model, range(k))
                return {**shown(model), "k": k, "conditions hold": stated, "stall": waits}
    return None


def _unrolled() -> Step:
    found = proofs(UNROLLED)
    says = f"the same for 1 … {UNROLLED} layers and every k, all layers at once"
    verdict = weakest(one.verdict for one in found)
    return Step("ours", says, f"z3, {len(found)} statements", verdict)


def _replayed(differs: dict[str, Any] | None) -> Evidence:
    if differs is not None:
        return Evidence("against", "a model on which simulation and conditions differ", differs)
    cases = sum(model.count + 1 for model in chains())
    says = f"the simulation agrees on {WORDS}, with every k"
    return Evidence("for", says, {"simulated": cases})


def _judge(formulas: Formulas) -> Judgement:
    found = [decide(statement) for statement in statements(formulas)]
    differs = witness(formulas)
    return Judgement(
        verdict=verdict_of(found, differs),
        printed_proof="none",
        assumes=ASSUMES,
        steps=(*steps(found), _unrolled()),
        counterexample=differs,
        evidence=(_replayed(differs),),
    )


CLAIM: Final = Claim(
    id="sapipe.no-stall",
    where="ours",
    statement=(
        "A sequential model of m layers never stalls with its first k layers stale if and only if "
        "Σv ≤ Σb + Σu and, for every layer j > k, v_{k+1} + … + v_j ≤ b_1 + … + b_{j−1} + "
        "u_1 + … + u_k; for all durations above 0, every m ≥ 1 and 0 ≤ k ≤ m."
    ),
    latex=(
        r"\sum_i v_i \le \sum_i (b_i + u_i),\quad \forall j > k:\ \sum_{i=k+1}^{j} v_i \le "
        r"\sum_{i=1}^{j-1} b_i + \sum_{i=1}^{k} u_i"
    ),
    judge=_judge,
    printed=RIGHT,
    core=RIGHT,
    holds=holds,
)
