"""Which minibatches of an accumulation window have a mismatch: d − 1 at most, all among its first.

Problem    a window is what the source accumulates before a unified update: so many backwards of a
           stage, of all d/2 pipelines. Open are where stages are, and what a queue holds.
Method     d/2 pipelines, n = 2; a stage updates when the last backward of its window ends.
Guarantee  those with a mismatch are among the first d − 1 of a window by their forwards, for all
           durations and wherever stages are (`window_laws`). That none sees two updates takes fewer
           backwards of the stage than a window between forward and backward: one pipeline has that
           by itself. With stage s on rank s or d − 1 − s, windows of whole multiples of d and all
           that is ready in one queue d/2 have it (`queue_order`), not if of each stage only one
           kind queues, in turns, as in the family; with stages as in Chimera it takes longer
           windows (`chimera_windows`).
Source     Key Designs, 3.
"""

from collections.abc import Iterator
from typing import Literal

import sympy

from theory.judging import prover
from theory.papers.amdp.lemmas import queue_order
from theory.papers.amdp.lemmas.accumulation_cases import cases as cases_of
from theory.papers.amdp.lemmas.accumulation_cases import laws
from theory.papers.amdp.lemmas.window_laws import CORE, is_least
from theory.papers.amdp.placements import SAYS, STRAIGHT
from theory.papers.amdp.symbols import d
from theory.papers.amdp.witnesses import chimera_windows, window_plays


def proof(forms: prover.Formulas) -> Iterator[prover.Ground]:
    """All of it, and that no smaller number would do.

    Examples
    --------
    >>> prover.proves(*proof(CORE)), prover.proves(*proof(CORE | {"affected": d}))
    (True, False)
    """
    place = "theory.papers.amdp"
    shorter, seen = is_least(forms["window"]), window_plays.attained(forms["affected"])
    yield prover.Compared("n − 1 is the least window", f"{place}.window_laws.is_least", shorter)
    yield prover.Compared("d − 1 do see an update", f"{place}.window_plays.attained", seen)
    yield from laws(forms["affected"], forms["window"])


def _decision(cases: tuple[prover.Case, ...]) -> prover.Readings | prover.Decision:
    """Proved of any mismatch, of one pipeline, and of more in one placement; if plays agree."""
    played = next(one for one in cases[4].decision.grounds if isinstance(one, prover.Exhausted))
    agree = played.holds and prover.proves(*proof(CORE))
    return prover.Readings(tuple(case.when for case in cases[:4])) if agree else prover.OPEN


def _account(formulas: prover.Formulas) -> prover.Account:
    cases = cases_of(formulas)
    decision = _decision(cases)
    queued, walks = queue_order.proof(formulas["mismatch"]), chimera_windows.walks()
    lemmas = "theory/papers/amdp/lemmas"
    steps: dict[tuple[str, str], prover.Grounds] = {
        (queued.says, f"{lemmas}/queue_order.py: {queued.note}"): (queued,),
        ("d − 1 do see an update, and n − 1 is the least window", ""): proof(CORE),
        (walks.says, f"{lemmas}/overtaking.py: every walk of every other token"): (walks,),
    }
    return prover.Account(
        decision,
        cases=cases,
        assumes=(
            "n = 2, d/2 pipelines; a stage updates when the last backward of its window ends, for "
            "all pipelines at once",
            "a window is at least d minibatches: with microbatches of 4 the source's figures for "
            "d = 8 and b = 32 or 128 are those of its thresholds 1 and 4, so that a threshold of "
            "1 is d minibatches",
            "F and B are not interrupted, and messages take no time",
            "where stages are: the source says Chimera-style, and that even and odd pipelines use "
            "different directions; Chimera itself shifts every pair of pipelines too, so that each "
            "case names its placement",
            "all that has waited equally long is a tie, which the source leaves open",
            "the arguments that put the steps together, of window_laws.py, overtaking.py and "
            "queue_order.py, are those in theory/papers/amdp/arguments.py",
        ),
        steps=(*prover.lines(laws(CORE["affected"], CORE["window"])), *prover.found_by(steps)),
        findings=_findings(cases) if isinstance(decision, prover.Readings) else (),
        evidence=_evidence(formulas),
    )


def _evidence(formulas: prover.Formulas) -> tuple[prover.Evidence, ...]:
    """More runs in Chimera's placement, and those that windows of 2d leave undecided."""
    most = formulas["mismatch"]
    runs, longer = chimera_windows.one_window(most), chimera_windows.two_windows_of_equal(most)
    points: Literal["for", "against"] = "against" if longer["larger mismatches"] else "for"
    return (
        prover.Evidence("against", "Chimera's placement, windows of d", {"runs": list(runs)}),
        prover.Evidence(points, "Chimera's placement, windows of 2d, the same runs", longer),
    )


def _findings(cases: tuple[prover.Case, ...]) -> tuple[prover.Finding, ...]:
    everywhere, _, spans, queued = (case.decision.grounds for case in cases[:4])
    if not prover.proves(*everywhere, *spans, *queued):
        return ()
    loose = prover.Finding(
        "loose",
        "Key Designs, 3",
        "one of the d minibatches under way closes the window, so that d − 1 see the update",
        shown=everywhere,
        repaired=prover.Repair(
            "At every stage those of a window that have a mismatch are among its first d − 1 "
            "by their forwards.",
            everywhere,
        ),
    )
    served = prover.Repair(
        "Only the first d minibatches of each window have a mismatch, and it is one step, if "
        f"windows are whole multiples of d, {SAYS[STRAIGHT]}, and a rank serves all that is ready "
        "first come first served.",
        queued,
    )
    span = prover.Repair(
        "A minibatch sees one update at most if at most a window's backwards of the stage lie "
        "between its forward and its backward.",
        spans,
    )
    one = sympy.Integer(1)
    known = {
        "FIFO has to be taken literally, as one queue of all that is ready: where kinds queue in "
        "turns (ours) several pipelines with slow stages see two updates": (
            window_plays.uneven(one),
            served,
        ),
        "a window has to be d minibatches or more, as in its experiments: with shorter ones some "
        "see several updates": (window_plays.short(one), span),
        "with stages placed as in Chimera, of which the text speaks, tokens do not follow each "
        "other through the same ranks from d = 8 on, and some see two updates of windows of d": (
            chimera_windows.one_window_fails(one),
            served,
        ),
        "with stages placed as in Chimera and slow actions some see two updates of windows of 2d": (
            chimera_windows.two_windows(one),
            span,
        ),
    }
    return loose, *(
        prover.Finding("missing-condition", "Key Designs, 3", says, fails.witness, repaired=repair)
        for says, (fails, repair) in known.items()
        if fails is not None
    )


def _deeper(formulas: prover.Formulas) -> tuple[prover.Evidence, ...]:
    """The same plays for more stages, durations, ties and windows."""
    found = window_plays.exhausted(window_plays.LARGE, formulas)
    if found.against is not None:
        return (prover.Evidence("against", window_plays.LARGE.says, found.against.witness),)
    points: Literal["for", "neither"] = "for" if found.ground.holds else "neither"
    return (prover.Evidence(points, window_plays.LARGE.says, {"plays": found.ground.tried}),)


CLAIM = prover.row(
    "amdp.accumulation",
    "Key Designs, 3",
    "Only the first d minibatches of each accumulation window have a mismatch, and it is one step.",
    r"\mathrm{mismatch}(m) \le 1, \text{ and } 0 \text{ behind the first } d",
    CORE,
    proof,
    printed={"first": d, "mismatch": sympy.Integer(1)},
    account=_account,
    deeper=_deeper,
)
