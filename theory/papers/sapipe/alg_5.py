"""Algorithm 5 (appendix D): which layers are stale, given when communications start.

Problem    a sequential model, and when its communications start.
Method     the printed lines, run beside what they should mark, and both repaired.
Guarantee  False as printed: it compares the end of a forward with the start of a communication.
           With both repaired it marks exactly the layers that have to be stale, and these are
           enough if communication takes no longer than computation, which it does not test.
Source     SAPipe paper, Algorithm 5 (appendix D).
"""

from collections.abc import Iterator
from typing import Any

import sympy

from schedules.partial_staleness import (
    Layer,
    Model,
    fewest_stale,
    fewest_stale_of_graph,
    sequential,
    simulate,
    stall,
)
from schedules.partial_staleness.algorithms import (
    Communications,
    algorithm_4,
    algorithm_5,
    printed_algorithm_5,
)
from theory.judging import prover
from theory.papers.sapipe.lemmas import no_stall
from theory.papers.sapipe.pieces import lines
from theory.papers.sapipe.witnesses.algorithm_lines import (
    PRINTED_5,
    REPAIRED_4,
    REPAIRED_5,
    communications,
    late,
    marking,
    stale_layers,
)
from theory.papers.sapipe.witnesses.chain_replays import WORDS, chains, shown
from theory.papers.sapipe.witnesses.refuting import of
from theory.papers.sapipe.witnesses.timetables import timetable

ASSUMES = (
    "it is given the right start times of communications, those of Algorithm 4 repaired",
    "forwards begin when all backwards have ended: c(u_1) = Σb",
    "sequential models, but for the finding about graphs",
    *no_stall.ASSUMES,
)

_SLOW = sequential(backward=[1], forward=[1], communication=[3])
"""Communication takes longer than computation."""

_DIAMOND = Model(
    tuple(
        Layer(*row)
        for row in (("in", 1, 1, 1), ("left", 1, 1, 2), ("right", 1, 2, 1), ("out", 1, 2, 3))
    ),
    after=((), (0,), (0,), (1, 2)),
)
"""Two orders of its backwards and of its forwards."""


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    yield prover.decide(marking(formulas))


_BEGINS, _SENT = sympy.symbols("c(u_i) c(v_i)+v_i", integer=True, nonnegative=True)
_CHANNEL, _COMPUTATION = sympy.symbols("Σv P", integer=True, positive=True)
_STALE = sympy.Piecewise((1, _BEGINS < _SENT), (0, True))
"""1 if a gradient has not been sent when its forward begins, else 0."""


def refutation(formulas: prover.Formulas) -> prover.Refutation | None:
    """The smallest model, with Σv ≤ P, in which its stale layers are not those that are late."""
    for model in chains():
        _, start = communications(REPAIRED_4, model)
        stale = stale_layers(formulas, model, start)
        if model.channel > model.computation or late(model) == stale:
            continue
        witness = {
            **shown(model),
            "communications start": start,
            "forwards begin": sum(model.b),
            "stale by Algorithm 5": _numbers(stale),
            "late": _numbers(late(model)),
            "stall of every iteration": simulate(model, stale).stall,
        }
        return prover.Refutation(witness, _marks(formulas, model, start, min(late(model) ^ stale)))
    return None


def _marks(
    formulas: prover.Formulas, model: Model, start: tuple[int, ...], layer: int
) -> prover.Violation:
    """A layer that it marks and should not, or the other way around."""
    begins, _, starts, takes = timetable(model).times(layer)
    at = {
        **{_BEGINS: begins, _SENT: starts + takes},
        **{_CHANNEL: model.channel, _COMPUTATION: model.computation},
    }
    measured = of(lambda found: int(layer in found), stale_layers, formulas, model, start)
    return prover.Violation(measured, "==", _STALE, at, (prover.le(_CHANNEL, _COMPUTATION),))


def _numbers(layers: frozenset[int]) -> list[int]:
    """Layers counted from 1."""
    return [layer + 1 for layer in sorted(layers)]


def _same() -> prover.Exhausted:
    """The lines, run one by one, are the algorithm and its repair, for right start times."""
    same = True
    for model in chains():
        right = algorithm_4(model)
        ready, start = communications(REPAIRED_4, model)
        given = Communications(right.order, ready, start)
        printed, repaired = printed_algorithm_5(model, given), algorithm_5(model, given)
        same &= stale_layers(PRINTED_5, model, start) == printed.stale
        same &= stale_layers(REPAIRED_5, model, start) == repaired.stale
    says = "the lines as formulas are the whole algorithm, run"
    return prover.Exhausted(says, len(chains()), same)


def _right_answer() -> prover.Exhausted:
    """Repaired, it finds the fewest stale layers; these never stall."""
    right, tried = True, 0
    for model in chains():
        fewest = fewest_stale(model)
        if fewest is not None:
            found = stale_layers(REPAIRED_5, model, communications(REPAIRED_4, model)[1])
            right &= found == frozenset(range(fewest)) and simulate(model, found).never_stalls
            tried += 1
    says = "repaired, it marks the fewest layers with which the simulation never stalls"
    return prover.Exhausted(says, tried, right)


def _account(formulas: prover.Formulas) -> prover.Account:
    same, answer = _same(), _right_answer()
    line = prover.decide(marking(REPAIRED_5))
    repaired = (line, *no_stall.shown())
    decision = prover.Decision((*_holds(formulas), *no_stall.shown()), refutation(formulas))
    return prover.Account(
        decision,
        cases=(
            prover.Case("sequential models, as printed", decision),
            prover.Case(
                "sequential models of every m with Σv ≤ Σb + Σu, lines 6 and 7 repaired",
                prover.Decision(repaired) if same.holds and answer.holds else prover.OPEN,
            ),
            prover.Case(
                "sequential models, c(v_i) read as the completion of communication i (Table 1)",
                prover.Decision(fails=refutation({**formulas, "gradient": REPAIRED_5["gradient"]})),
                "line 7 is right then, and line 6 is not",
            ),
        ),
        assumes=ASSUMES,
        steps=(
            *lines(line),
            prover.Line("ours", same.says, WORDS, prover.Decision((same,))),
            prover.Line(
                "ours", answer.says, f"{WORDS}, where Σv ≤ Σb + Σu", prover.Decision((answer,))
            ),
        ),
        findings=tuple(_findings(repaired)) if decision.fails else (),
    )


def _one_line(name: str) -> dict[str, Any] | None:
    """Where it is wrong if all its lines but this one are repaired."""
    found = refutation({**REPAIRED_5, name: PRINTED_5[name]})
    return None if found is None else dict(found.witness)


def _too_slow() -> dict[str, Any] | None:
    """A model for which all layers are marked, and still every iteration stalls."""
    found = stale_layers(REPAIRED_5, _SLOW, communications(REPAIRED_4, _SLOW)[1])
    waits = stall(_SLOW, found)
    return {**shown(_SLOW), "stale": _numbers(found), "stall": waits} if waits else None


def _orders() -> dict[str, Any] | None:
    """A graph in which one choice of orders needs more stale layers than another."""
    some = algorithm_5(_DIAMOND, algorithm_4(_DIAMOND))
    best = fewest_stale_of_graph(_DIAMOND)
    if best is None or len(some.stale) <= len(best.stale):
        return None
    name = [layer.name for layer in _DIAMOND.layers]
    return {
        "layers": [(x.name, x.backward, x.forward, x.communication) for x in _DIAMOND.layers],
        "forwards": "in → left, in → right, left → out, right → out",
        "one choice": sorted(name[layer] for layer in some.stale),
        "fewest": sorted(name[layer] for layer in best.stale),
        "its forwards run": [name[layer] for layer in best.orders.forward],
        "its backwards run": [name[layer] for layer in best.orders.backward],
    }


def _findings(repaired: tuple[prover.Outcome, ...]) -> Iterator[prover.Finding]:
    lines = "with both lines repaired, it marks the fewest layers with which nothing stalls"
    yield prover.Finding(
        "false",
        "Algorithm 5, line 6 before line 7",
        "t is the end of u_i when it is tested; a forward needs its gradient when it starts, "
        "as appendix B says (line 7 repaired in the witness)",
        _one_line("test"),
        repaired=prover.Repair(f"Line 6 behind lines 7 to 10: {lines}, if Σv ≤ Σb + Σu.", repaired),
    )
    yield prover.Finding(
        "false",
        "Algorithm 5, line 7",
        "t < c(v_i) asks whether the communication has started; the text says finished, "
        "appendix B c(v_i) + v_i (line 6 repaired in the witness)",
        _one_line("gradient"),
        repaired=prover.Repair(f"t < c(v_i) + v_i: {lines}, if Σv ≤ Σb + Σu.", repaired),
    )
    too_slow, orders = _too_slow(), _orders()
    if too_slow:
        yield prover.Finding(
            "missing-condition",
            "Algorithms 4 and 5",
            "neither tests Σv ≤ Σb + Σu, without which every answer stalls",
            too_slow,
            repaired=prover.Repair(no_stall.CLAIM.statement, no_stall.shown()),
        )
    if orders:
        yield prover.Finding(
            "false",
            "appendix D, “finds the optimal solution”",
            "in a graph the answer depends on what RANDOMSELECT takes, lines repaired or not; "
            "elsewhere the appendix calls it a heuristic, for a problem that it says is NP-hard "
            "without a proof",
            orders,
        )


CLAIM = prover.Claim(
    "sapipe.alg-5",
    "Algorithm 5",
    "Given the start times of a sequential model's communications, which take no longer than "
    "its computation, Algorithm 5 marks a layer as stale if and only if its gradient has not "
    "been sent when its forward is scheduled, so that with the marked layers nothing waits.",
    r"x_i = 1 \iff c(u_i) < c(v_i) + v_i",
    account=_account,
    printed=PRINTED_5,
    core=REPAIRED_5,
    holds=_holds,
    depends=("sapipe.no-stall",),
)
