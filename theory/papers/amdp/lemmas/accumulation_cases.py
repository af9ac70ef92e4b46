"""The cases of `accumulation`: placement, queue, durations and window of each are in its words."""

from __future__ import annotations

import sympy

from theory.account import OPEN, Case, Compared, Decision, Ground
from theory.claims import Formulas
from theory.papers.amdp.lemmas import queue_order
from theory.papers.amdp.lemmas.window_laws import CORE, UNDER_WAY, statements
from theory.papers.amdp.placements import CHIMERA, SAYS, STRAIGHT
from theory.papers.amdp.witnesses import chimera_windows
from theory.papers.amdp.witnesses.window_plays import SMALL, exhausted, short, uneven
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, decide


@remembered
def laws(affected: sympy.Expr, window: sympy.Expr) -> tuple[Outcome, ...]:
    """What holds of all windows, by `window_laws`."""
    return tuple(map(decide, statements({"affected": affected, "window": window})))


def _law(name: str) -> Outcome:
    return next(one for one in laws(CORE["affected"], CORE["window"]) if one.name == name)


def anywhere(stated: Formulas) -> tuple[Case, ...]:
    """What does not depend on where stages are."""
    one = stated["mismatch"] == 1
    return (
        Case(
            "any mismatch at all, every placement, all durations, every window",
            Decision(first_by_forwards(stated)),
            "only among the first d − 1 of a window, in the order of forwards at the stage",
        ),
        Case(
            "not above 1: one pipeline with n = 2, all durations, every window",
            Decision((_law("one pipeline"),)) if one else OPEN,
            "for any n, windows of n − 1 and more",
        ),
        Case(
            "not above 1: at most W backwards of a stage between forward and backward, every "
            "placement, all durations, every window W",
            Decision((_law("span"),)) if one else OPEN,
        ),
    )


def first_by_forwards(stated: Formulas) -> tuple[Ground, ...]:
    """That those with a mismatch are among the stated number of a window, or one fewer."""
    counted = Compared(
        "so many minibatches as are said to come first are under way",
        "theory.papers.amdp.lemmas.accumulation_cases",
        sympy.expand(stated["first"] - UNDER_WAY) == 0,
    )
    return _law("affected"), *map(_law, ("product", "no later update", "under way")), counted


def _straight(stated: Formulas) -> tuple[Case, ...]:
    """Stage s on rank s or d − 1 − s."""
    served = queue_order.proof(stated["mismatch"])
    small = exhausted(SMALL, stated)
    slow, short_one = uneven(stated["mismatch"]), short(stated["mismatch"])
    return (
        Case(
            "not above 1, and the first d by forwards, backwards and numbers: d/2 pipelines, "
            f"{SAYS[STRAIGHT]}, windows of whole multiples of d, a rank serves all that is ready "
            "first come first served, all durations, every even d, whatever ties do",
            Decision((*first_by_forwards(stated), served)),
        ),
        Case(
            f"the same with {SMALL.says}",
            Decision((small.ground,), small.against),
            "each play to its period" if small.against is None else str(small.against.witness),
        ),
        Case(
            f"not above 1: d/2 pipelines, {SAYS[STRAIGHT]}, windows of d, durations that differ "
            "between stages, kinds in turns (ours)",
            Decision(fails=slow),
            "where of each stage only the kind queues whose turn it is, minibatches that are held "
            "up see two updates"
            if slow
            else "",
        ),
        Case(
            f"not above 1: d/2 pipelines, {SAYS[STRAIGHT]}, windows shorter than d",
            Decision(fails=short_one),
            "with an update after every backward it sees those of the other pipelines too"
            if short_one
            else "",
        ),
    )


def _as_in_chimera(stated: Formulas) -> tuple[Case, ...]:
    """Every pair of pipelines on ranks of its own order; all that is ready in one queue."""
    most = stated["mismatch"]
    runs, slow = chimera_windows.one_window(most), chimera_windows.two_windows(most)
    late, regular = chimera_windows.late(stated), exhausted(chimera_windows.REGULAR, stated)
    sizes = ", ".join(f"{window} for d = {at}" for at, window in chimera_windows.WINDOWS.items())
    when = f"not above 1: d/2 pipelines, {SAYS[CHIMERA]}, all that is ready in one queue"
    enough = Decision((_law("span"), chimera_windows.counted())) if most == 1 else OPEN
    return (
        Case(
            f"{when}, windows of d, F and B the same everywhere",
            Decision(fails=chimera_windows.one_window_fails(most)),
            "some see two updates: "
            + "; ".join(f"d = {run['d']}, F = {run['F']}, B = {run['B']}" for run in runs),
        ),
        Case(
            f"{when}, windows of 2d, all durations",
            Decision(fails=slow),
            "some see two updates if single actions are slow" if slow else "",
        ),
        Case(
            f"{when}, windows of 2d, F and B the same everywhere",
            OPEN,
            "no run that was tried exceeds it",
        ),
        Case(
            f"{when}, windows of so many backwards or more: {sizes}; all durations, whatever ties "
            "do",
            enough,
            "no more than these can be between a forward and its backward",
        ),
        Case(
            f"the first d by backwards and by numbers: d/2 pipelines, {SAYS[CHIMERA]}, all that is "
            "ready in one queue, windows of 2d, F and B the same everywhere",
            Decision(fails=late),
            f"d = {late.witness['d']}: the last is number {late.witness['by_number']} of its window"
            if late
            else "",
        ),
        Case(
            f"not above 1, and the first d by forwards, backwards and numbers: "
            f"{chimera_windows.REGULAR.says}",
            Decision((regular.ground,), regular.against),
            "each play to its period" if regular.ground.holds else "",
        ),
    )


def cases(stated: Formulas) -> tuple[Case, ...]:
    """All of them, in the order of the row."""
    return (*anywhere(stated), *_straight(stated), *_as_in_chimera(stated))
