"""Which minibatches of an accumulation window have a mismatch: d − 1 at most, all among its first.

A window is what the source accumulates before a unified update: so many backwards of a stage, of
all d/2 pipelines. Those with a mismatch are among the first d − 1 of a window by their forwards,
for all durations (`window_laws`). That none sees two updates is another matter: it takes fewer
backwards of the stage than a window between forward and backward. One pipeline has that by itself;
d/2 have, in windows of whole multiples of d, if a rank serves all that is ready first come first
served (`queue_order`), but not if of each stage only one kind queues, in turns, as in the family.
"""

from __future__ import annotations

from typing import Final, Literal

import sympy

from theory.amdp import queue_order
from theory.amdp.symbols import d
from theory.amdp.window_laws import CORE, UNDER_WAY, is_least, statements
from theory.amdp.window_plays import LARGE, SMALL, attained, exhausted, short, uneven
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Finding, Judgement, Repair, Step
from theory.queries import remembered
from theory.solver import Outcome, decide, merge
from theory.verdicts import Verdict, weakest


@remembered
def _laws(affected: sympy.Expr, window: sympy.Expr) -> tuple[Outcome, ...]:
    return tuple(map(decide, statements({"affected": affected, "window": window})))


def proof(forms: Formulas) -> Outcome:
    """All of it, and that no smaller number would do.

    Examples
    --------
    >>> proof(CORE).verdict.name, proof(CORE | {"affected": d}).verdict.name
    ('PROVED', 'UNKNOWN')
    """
    says = "at most d − 1 of a window have a mismatch, all among its first d − 1 by their forwards"
    if not (is_least(forms["window"]) and attained(forms["affected"])):
        return Outcome("windows", says, Verdict.UNKNOWN, {}, "another number would do", 0)
    return merge("windows", says, _laws(forms["affected"], forms["window"]))


def _cases(stated: Formulas) -> tuple[Case, ...]:
    outcomes = {one.name: one.verdict for one in _laws(CORE["affected"], CORE["window"])}
    counted = sympy.expand(stated["first"] - UNDER_WAY) == 0
    first = weakest((outcomes["affected"], outcomes["under way"]))
    one = stated["mismatch"] == 1
    served = queue_order.proof(stated["mismatch"]).verdict
    checked, against = exhausted(SMALL, stated)
    slow, small = uneven(stated["mismatch"]), short(stated["mismatch"])
    return (
        Case(
            "any mismatch at all, all durations, every window",
            first if counted else Verdict.UNKNOWN,
            "only among the first d − 1 of a window, in the order of forwards at the stage",
        ),
        Case(
            "not above 1: one pipeline with n = 2, all durations, every window",
            outcomes["one pipeline"] if one else Verdict.UNKNOWN,
            "for any n, windows of n − 1 and more",
        ),
        Case(
            "not above 1: at most W backwards of a stage between forward and backward, all "
            "durations, every window W",
            outcomes["span"] if one else Verdict.UNKNOWN,
        ),
        Case(
            "not above 1, and the first d by forwards, backwards and numbers: d/2 pipelines, "
            "windows of whole multiples of d, a rank serves all that is ready first come first "
            "served, all durations, every even d, whatever ties do",
            first if counted and served is Verdict.PROVED else Verdict.UNKNOWN,
        ),
        Case(
            f"the same with {SMALL.says}",
            checked,
            "each play to its period" if against is None else str(against),
        ),
        Case(
            "not above 1: d/2 pipelines, windows of d, durations that differ between stages, kinds "
            "in turns (ours)",
            Verdict.REFUTED if slow else Verdict.UNKNOWN,
            "where of each stage only the kind queues whose turn it is, minibatches that are held "
            "up see two updates"
            if slow
            else "",
        ),
        Case(
            "not above 1: d/2 pipelines, windows shorter than d",
            Verdict.REFUTED if small else Verdict.UNKNOWN,
            "with an update after every backward it sees those of the other pipelines too"
            if small
            else "",
        ),
    )


def _overall(proved: Verdict, cases: tuple[Case, ...]) -> Verdict:
    """CONDITIONAL: proved of any mismatch, of one pipeline, and of more served as they come."""
    found = weakest((proved, *(case.verdict for case in cases[:4])))
    if found is not Verdict.PROVED:
        return found
    return Verdict.CONDITIONAL if cases[4].verdict is Verdict.CHECKED else Verdict.UNKNOWN


def _judge(formulas: Formulas) -> Judgement:
    outcome, cases = proof(CORE), _cases(formulas)
    verdict = _overall(outcome.verdict, cases)
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=cases,
        assumes=(
            "n = 2, d/2 pipelines; a stage updates when the last backward of its window ends, for "
            "all pipelines at once",
            "a window is at least d minibatches: with microbatches of 4 the source's figures for "
            "d = 8 and b = 32 or 128 are those of its thresholds 1 and 4, so that a threshold of "
            "1 is d minibatches",
            "F and B are not interrupted, and messages take no time",
            "the arguments that put the steps together are those in theory/amdp/window_laws.py and "
            "theory/amdp/queue_order.py",
        ),
        steps=(
            *(
                Step("ours", found.says, found.note, found.verdict)
                for found in _laws(CORE["affected"], CORE["window"])
            ),
            _queue_step(formulas),
            Step(
                "ours", "d − 1 do see an update, and n − 1 is the least window", "", outcome.verdict
            ),
        ),
        findings=_findings(verdict, cases),
    )


def _queue_step(formulas: Formulas) -> Step:
    found = queue_order.proof(formulas["mismatch"])
    return Step("ours", found.says, f"theory/amdp/queue_order.py: {found.note}", found.verdict)


def _findings(verdict: Verdict, cases: tuple[Case, ...]) -> tuple[Finding, ...]:
    if verdict is not Verdict.CONDITIONAL:
        return ()
    found = [
        Finding(
            "loose",
            "Key Designs, 3",
            "one of the d minibatches under way closes the window, so that d − 1 see the update",
            repaired=Repair(
                "At every stage those of a window that have a mismatch are among its first d − 1 "
                "by their forwards.",
                cases[0].verdict,
            ),
        )
    ]
    served = Repair(
        "Only the first d minibatches of each window have a mismatch, and it is one step, if "
        "windows are whole multiples of d and a rank serves all that is ready first come first "
        "served.",
        cases[3].verdict,
    )
    span = Repair(
        "A minibatch sees one update at most if at most a window's backwards of the stage lie "
        "between its forward and its backward.",
        cases[2].verdict,
    )
    in_turns = (
        "where kinds queue in turns (ours) several pipelines with slow stages see two updates; all "
        "that is ready in one queue, as FIFO says literally, they do not"
    )
    for witness, says, repair in (
        (uneven(1), in_turns, served),
        (short(1), "with windows shorter than d some see several updates", span),
    ):
        if witness is not None:
            found.append(Finding("missing-condition", "Key Designs, 3", says, witness, repair))
    return tuple(found)


def _holds(formulas: Formulas) -> Verdict:
    return proof(formulas).verdict


def _deeper(formulas: Formulas) -> tuple[Evidence, ...]:
    """The same plays for more stages, durations, ties and windows."""
    verdict, against = exhausted(LARGE, formulas)
    if against is not None:
        return (Evidence("against", LARGE.says, against),)
    points: Literal["for", "neither"] = "for" if verdict is Verdict.CHECKED else "neither"
    return (Evidence(points, LARGE.says, {"verdict": verdict.name}),)


_PRINTED: Final = {"first": d, "mismatch": sympy.Integer(1)}

CLAIM: Final = Claim(
    id="amdp.accumulation",
    where="Key Designs, 3",
    statement=(
        "Only the first d minibatches of each accumulation window have a mismatch, and it is one "
        "step."
    ),
    latex=r"\mathrm{mismatch}(m) \le 1, \text{ and } 0 \text{ behind the first } d",
    judge=_judge,
    printed=_PRINTED,
    core=CORE,
    holds=_holds,
    deeper=_deeper,
)
