"""Algorithm 4 (appendix D): when communications start.

Problem    a sequential model; communications go one after the other, each when its gradient is
           ready.
Method     the printed lines, run beside that, and both lines repaired. Lines that matter for graphs
           only are listed in `schedules.partial_staleness.algorithms`.
Guarantee  False as printed: a gradient is ready when its backward starts, and a communication
           starts when the channel is free, ready or not. With both lines repaired it is right for
           sequential models.
Source     SAPipe paper, Algorithm 4 (appendix B).
"""

from collections.abc import Iterator
from typing import Any

import sympy

from schedules.partial_staleness import Layer, Model, iterations, sequential
from schedules.partial_staleness.algorithms import algorithm_4, printed_algorithm_4
from theory.judging import prover
from theory.papers.sapipe.pieces import lines
from theory.papers.sapipe.witnesses.algorithm_lines import (
    PRINTED_4,
    REPAIRED_4,
    communications,
    timing,
)
from theory.papers.sapipe.witnesses.chain_replays import WORDS, chains, shown
from theory.papers.sapipe.witnesses.refuting import of

ASSUMES = (
    "times count from the start of the first backward, c(b_m) = 0: c is the start of an operation, "
    "as in the algorithm's output; a case reads it as the completion that Table 1 calls c",
    "sequential models, but for the finding about line 6; induction over layers",
    "GETMININDEX takes what has been ready for longest: section 3.1 says FIFO",
)

_WAITING = sequential([1, 1, 1], [1, 1, 1], [1, 1, 2])
"""Two gradients wait at once: of layer 2, and of layer 1."""

_DIAMOND = Model(
    tuple(Layer(name, 1, 1, 1) for name in ("in", "left", "right", "out")),
    after=((), (0,), (0,), (1, 2)),
)


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    return map(prover.decide, timing(formulas))


_FREE, _READY = sympy.symbols("free ready", integer=True, nonnegative=True)
"""When the channel is free for a gradient, and when its backward has ended."""


def refutation(formulas: prover.Formulas, *, completion: bool = False) -> prover.Refutation | None:
    """The smallest model for which its start times are not those of the simulation.

    With `completion` the c(b_m) of line 2 is the end of backward m, as Table 1 says of c.
    """
    for model in chains():
        begin = model.b[-1] if completion else 0
        _, start = communications(formulas, model, begin)
        played = next(iterations(model, range(model.count)))
        if start != played.communication:
            ends = tuple(at + takes for at, takes in zip(played.backward, model.b, strict=True))
            right = {"backwards end": ends, "communications start": played.communication}
            witness = {**shown(model), "Algorithm 4": start, **right}
            violation = _starts(formulas, model, begin, start, played.communication, ends)
            return prover.Refutation(witness, violation)
    return None


def _starts(
    formulas: prover.Formulas,
    model: Model,
    begin: int,
    start: tuple[int, ...],
    right: tuple[int, ...],
    ends: tuple[int, ...],
) -> prover.Violation:
    """The first communication that it starts at another time than when it may start."""
    layer = max(i for i in range(model.count) if start[i] != right[i])
    first = layer + 1 == model.count
    free = 0 if first else right[layer + 1] + model.v[layer + 1]
    measured = of(lambda found: found[1][layer], communications, formulas, model, begin)
    at = {_FREE: free, _READY: ends[layer]}
    return prover.Violation(measured, "==", sympy.Max(_FREE, _READY), at)


def _same() -> prover.Exhausted:
    """The lines, run one by one, are the algorithm and its repair."""
    same = all(
        communications(formulas, model) == (found.ready, found.start)
        for model in chains()
        for formulas, found in (
            (PRINTED_4, printed_algorithm_4(model)),
            (REPAIRED_4, algorithm_4(model)),
        )
    )
    says = "the lines as formulas are the whole algorithm, run"
    return prover.Exhausted(says, len(chains()), same)


def _one_line(*names: str) -> dict[str, Any] | None:
    """Where the algorithm is wrong if all its lines but these are repaired."""
    found = refutation({**REPAIRED_4, **{name: PRINTED_4[name] for name in names}})
    return None if found is None else dict(found.witness)


def _readings() -> dict[str, Any] | None:
    """A model for which the two readings of GETMININDEX send in different orders."""
    by_time, by_layer = (
        printed_algorithm_4(_WAITING, reading=reading).start for reading in ("ready", "layer")
    )
    if by_time == by_layer:
        return None
    return {**shown(_WAITING), "first ready": by_time, "smallest layer": by_layer}


def _twice() -> dict[str, Any] | None:
    """A graph in which line 6 runs a layer before one of those it needs, and then again."""
    order = printed_algorithm_4(_DIAMOND).order
    if len(set(order)) == len(order):
        return None
    names = [_DIAMOND.layers[layer].name for layer in order]
    return {"forwards": "in → left, in → right, left → out, right → out", "backwards run": names}


def _completion(formulas: prover.Formulas) -> prover.Case:
    """The other reading of c(b_m), of which line 16 makes nothing right, nor do lines 7 and 8."""
    says = "line 16 starts what is not ready here too"
    mended = {name: REPAIRED_4[name] for name in ("start", "channel")}
    left = refutation({**formulas, **mended}, completion=True)
    if left is not None:
        says += f"; without that lines 7 and 8 give {left.witness['Algorithm 4']} and not "
        says += f"{left.witness['communications start']} for b = {left.witness['b']}"
    return prover.Case(
        "sequential models, c(b_m) read as the completion of backward m (Table 1)",
        prover.Decision(fails=refutation(formulas, completion=True)),
        says,
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    same, repaired = _same(), tuple(_holds(REPAIRED_4))
    decision = prover.Decision(tuple(_holds(formulas)), refutation(formulas))
    return prover.Account(
        decision,
        cases=(
            prover.Case("sequential models, as printed", decision),
            prover.Case(
                "sequential models of every m, lines 7 and 16 repaired",
                prover.Decision(repaired) if same.holds else prover.OPEN,
            ),
            *((_completion(formulas),) if decision.fails else ()),
        ),
        assumes=ASSUMES,
        steps=(*lines(*repaired), prover.Line("ours", same.says, WORDS, prover.Decision((same,)))),
        findings=tuple(_findings(repaired)) if decision.fails else (),
    )


def _findings(repaired: tuple[prover.Outcome, ...]) -> Iterator[prover.Finding]:
    yield prover.Finding(
        "false",
        "Algorithm 4, line 16",
        "c(v_i) ← t starts v_k, which line 13 adds whether it is ready at t or not (all other "
        "lines repaired in the witness)",
        _one_line("start", "channel"),
        repaired=prover.Repair(
            "t ← max(t, r(v_i)) before it, with line 7 repaired: right for sequential models.",
            repaired,
        ),
    )
    yield prover.Finding(
        "false",
        "Algorithm 4, line 7",
        "r(v_i) ← t is the start of backward i, as c(b_m) is that of backward m; the text says its "
        "completion (all other lines repaired in the witness)",
        _one_line("ready"),
        repaired=prover.Repair(
            "r(v_i) ← t + b_i, with line 16 repaired: right for sequential models.", repaired
        ),
    )
    readings, twice = _readings(), _twice()
    if readings:
        yield prover.Finding(
            "not-reproducible",
            "Algorithm 4, line 14",
            "the minimal index in the ready time set is the layer of smallest number or the one "
            "ready first; the results differ, and FIFO is the latter",
            readings,
        )
    if twice:
        yield prover.Finding(
            "false",
            "Algorithm 4, line 6",
            "in a graph a layer enters S after the first of those that it waits for, and again "
            "after each of the others: it runs too early, and more than once",
            twice,
        )
    yield prover.Finding(
        "typo",
        "Algorithm 4, lines 3, 9, 12, 13, 15 and its input",
        "r(c_m) and r(c_1) for r(v_m) and r(v_1); line 12 assigns R[-1] instead of taking k "
        "from it; line 13 names a set S that line 15 changes and that is made anew; b_n for "
        "b_m and G = (B, V, E) for (B, E)",
        {
            "printed": ["r(c_m)", "r(c_1)", "r(v_k) ← R[-1]", "b_n", "G = (B, V, E)"],
            "meant": ["r(v_m)", "r(v_1)", "the k with r(v_k) = R[-1]", "b_m", "G = (B, E)"],
        },
    )


CLAIM = prover.Claim(
    "sapipe.alg-4",
    "Algorithm 4",
    "Algorithm 4 determines the start times of a sequential model's communications: one after "
    "the other, as their gradients become ready at the completion of their backwards.",
    r"c(v_i) = \max\{\,c(v_{i+1}) + v_{i+1},\ b_m + \dots + b_i\,\}",
    account=_account,
    printed=PRINTED_4,
    core=REPAIRED_4,
    holds=_holds,
)
