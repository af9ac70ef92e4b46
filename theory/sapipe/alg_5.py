"""Algorithm 5 (appendix D): which layers are stale, given when communications start.

As printed, it compares the end of a forward with the start of a communication. With both repaired
it marks, in sequential models, exactly the layers that have to be stale, and these are enough if
communication takes no longer than computation, which it does not test.
"""

from __future__ import annotations

from typing import Any, Final

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
from theory.claims import Claim, Formulas
from theory.ledger import Case, Finding, Judgement, Repair, Step
from theory.outcomes import steps, verdict_of
from theory.sapipe import no_stall
from theory.sapipe.algorithm_lines import (
    PRINTED_5,
    REPAIRED_4,
    REPAIRED_5,
    communications,
    late,
    marking,
    stale_layers,
)
from theory.sapipe.chain_replays import WORDS, chains, shown
from theory.solver import decide
from theory.verdicts import Verdict

ASSUMES: Final = (
    "it is given the right start times of communications, those of Algorithm 4 repaired",
    "forwards begin when all backwards have ended: c(u_1) = Σb",
    "sequential models, but for the finding about graphs",
    *no_stall.ASSUMES,
)

_SLOW: Final = sequential(backward=[1], forward=[1], communication=[3])
"""Communication takes longer than computation."""

_DIAMOND: Final = Model(
    tuple(
        Layer(*row)
        for row in (("in", 1, 1, 1), ("left", 1, 1, 2), ("right", 1, 2, 1), ("out", 1, 2, 3))
    ),
    after=((), (0,), (0,), (1, 2)),
)
"""Two orders of its backwards and of its forwards."""


def _holds(formulas: Formulas) -> Verdict:
    return decide(marking(formulas)).verdict


def witness(formulas: Formulas) -> dict[str, Any] | None:
    """The smallest model, with Σv ≤ P, in which its stale layers are not those that are late."""
    for model in chains():
        _, start = communications(REPAIRED_4, model)
        stale = stale_layers(formulas, model, start)
        if model.channel > model.computation or late(model) == stale:
            continue
        run = simulate(model, stale)
        return {
            **shown(model),
            "communications start": start,
            "forwards begin": sum(model.b),
            "stale by Algorithm 5": _numbers(stale),
            "late": _numbers(late(model)),
            "stall of every iteration": run.stall,
        }
    return None


def _numbers(layers: frozenset[int]) -> list[int]:
    """Layers counted from 1."""
    return [layer + 1 for layer in sorted(layers)]


def _same() -> Step:
    """The lines, run one by one, are the algorithm and its repair, for right start times."""
    same = True
    for model in chains():
        right = algorithm_4(model)
        ready, start = communications(REPAIRED_4, model)
        given = Communications(right.order, ready, start)
        printed, repaired = printed_algorithm_5(model, given), algorithm_5(model, given)
        same &= stale_layers(PRINTED_5, model, start) == printed.stale
        same &= stale_layers(REPAIRED_5, model, start) == repaired.stale
    verdict = Verdict.CHECKED if same else Verdict.REFUTED
    return Step("ours", "the lines as formulas are the whole algorithm, run", WORDS, verdict)


def _right_answer() -> Step:
    """Repaired, it finds the fewest stale layers; these never stall."""
    right = True
    for model in chains():
        fewest = fewest_stale(model)
        if fewest is not None:
            found = stale_layers(REPAIRED_5, model, communications(REPAIRED_4, model)[1])
            right &= found == frozenset(range(fewest)) and simulate(model, found).never_stalls
    verdict = Verdict.CHECKED if right else Verdict.REFUTED
    says = "repaired, it marks the fewest layers with which the simulation never stalls"
    return Step("ours", says, f"{WORDS}, where Σv ≤ Σb + Σu", verdict)


def _judge(formulas: Formulas) -> Judgement:
    found, same, answer = witness(formulas), _same(), _right_answer()
    line, enough = decide(marking(REPAIRED_5)), no_stall.proved()
    checked = same.verdict is answer.verdict is Verdict.CHECKED
    repaired = min(line.verdict, enough) if checked else Verdict.UNKNOWN
    verdict = min(verdict_of([decide(marking(formulas))], found), enough)
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=(
            Case("sequential models, as printed", verdict),
            Case(
                "sequential models of every m with Σv ≤ Σb + Σu, lines 6 and 7 repaired", repaired
            ),
        ),
        assumes=ASSUMES,
        steps=(*steps((line,)), same, answer),
        findings=_findings(repaired) if found else (),
        counterexample=found,
    )


def _one_line(name: str) -> dict[str, Any] | None:
    """Where it is wrong if all its lines but this one are repaired."""
    return witness({**REPAIRED_5, name: PRINTED_5[name]})


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


def _findings(repaired: Verdict) -> tuple[Finding, ...]:
    lines = "with both lines repaired, it marks the fewest layers with which nothing stalls"
    return (
        Finding(
            "false",
            "Algorithm 5, line 6 before line 7",
            "t is the end of u_i when it is tested; a forward needs its gradient when it starts, "
            "as appendix B says (line 7 repaired in the witness)",
            _one_line("test"),
            Repair(f"Line 6 behind lines 7 to 10: {lines}, if Σv ≤ Σb + Σu.", repaired),
        ),
        Finding(
            "false",
            "Algorithm 5, line 7",
            "t < c(v_i) asks whether the communication has started; the text says finished, "
            "appendix B c(v_i) + v_i (line 6 repaired in the witness)",
            _one_line("gradient"),
            Repair(f"t < c(v_i) + v_i: {lines}, if Σv ≤ Σb + Σu.", repaired),
        ),
        Finding(
            "missing-condition",
            "Algorithms 4 and 5",
            "neither tests Σv ≤ Σb + Σu, without which every answer stalls",
            _too_slow(),
            Repair(no_stall.CLAIM.statement, no_stall.proved()),
        ),
        Finding(
            "false",
            "appendix D, “finds the optimal solution”",
            "in a graph the answer depends on what RANDOMSELECT takes, lines repaired or not; "
            "elsewhere the appendix calls it a heuristic, for a problem that it says is NP-hard "
            "without a proof",
            _orders(),
        ),
    )


CLAIM: Final = Claim(
    id="sapipe.alg-5",
    where="Algorithm 5",
    statement=(
        "Given the start times of a sequential model's communications, which take no longer than "
        "its computation, Algorithm 5 marks a layer as stale if and only if its gradient has not "
        "been sent when its forward is scheduled, so that with the marked layers nothing waits."
    ),
    latex=r"x_i = 1 \iff c(u_i) < c(v_i) + v_i",
    judge=_judge,
    printed=PRINTED_5,
    core=REPAIRED_5,
    holds=_holds,
    depends=("sapipe.no-stall",),
)
