"""The cases of `accumulation`: placement, queue, durations and window of each are in its words."""

import sympy

from theory.judging import prover
from theory.papers.amdp.lemmas import queue_order
from theory.papers.amdp.lemmas.window_laws import CORE, UNDER_WAY, statements
from theory.papers.amdp.placements import CHIMERA, SAYS, STRAIGHT
from theory.papers.amdp.witnesses import chimera_windows, window_plays

Table = dict[tuple[str, str], prover.Decision]


@prover.remembered
def laws(affected: sympy.Expr, window: sympy.Expr) -> tuple[prover.Outcome, ...]:
    """What holds of all windows, by `window_laws`."""
    return tuple(map(prover.decide, statements({"affected": affected, "window": window})))


def _law(name: str) -> prover.Outcome:
    return next(one for one in laws(CORE["affected"], CORE["window"]) if one.name == name)


def first_by_forwards(stated: prover.Formulas) -> tuple[prover.Ground, ...]:
    """That those with a mismatch are among the stated number of a window, or one fewer."""
    same = sympy.expand(stated["first"] - UNDER_WAY) == 0
    says = "so many minibatches as are said to come first are under way"
    names = ("affected", "product", "no later update", "under way")
    return *map(_law, names), prover.Compared(says, __name__, same)


def _anywhere(stated: prover.Formulas) -> Table:
    """What does not depend on where stages are."""

    def if_one(name: str) -> prover.Decision:
        return prover.Decision((_law(name),)) if stated["mismatch"] == 1 else prover.OPEN

    return {
        (
            "any mismatch at all, every placement, all durations, every window",
            "only among the first d − 1 of a window, in the order of forwards at the stage",
        ): prover.Decision(first_by_forwards(stated)),
        (
            "not above 1: one pipeline with n = 2, all durations, every window",
            "for any n, windows of n − 1 and more",
        ): if_one("one pipeline"),
        (
            "not above 1: at most W backwards of a stage between forward and backward, every "
            "placement, all durations, every window W",
            "",
        ): if_one("span"),
    }


def _straight(stated: prover.Formulas) -> Table:
    """Stage s on rank s or d − 1 − s."""
    most, small = stated["mismatch"], window_plays.exhausted(window_plays.SMALL, stated)
    slow, short = window_plays.uneven(most), window_plays.short(most)
    served = (*first_by_forwards(stated), queue_order.proof(most))
    return {
        (
            "not above 1, and the first d by forwards, backwards and numbers: d/2 pipelines, "
            f"{SAYS[STRAIGHT]}, windows of whole multiples of d, a rank serves all that is ready "
            "first come first served, all durations, every even d, whatever ties do",
            "",
        ): prover.Decision(served),
        (
            f"the same with {window_plays.SMALL.says}",
            "each play to its period" if small.against is None else str(small.against.witness),
        ): prover.Decision((small.ground,), small.against),
        (
            f"not above 1: d/2 pipelines, {SAYS[STRAIGHT]}, windows of d, durations that differ "
            "between stages, kinds in turns (ours)",
            "where of each stage only the kind queues whose turn it is, minibatches that are held "
            "up see two updates"
            if slow
            else "",
        ): prover.Decision(fails=slow),
        (
            f"not above 1: d/2 pipelines, {SAYS[STRAIGHT]}, windows shorter than d",
            "with an update after every backward it sees those of the other pipelines too"
            if short
            else "",
        ): prover.Decision(fails=short),
    }


def _as_in_chimera(stated: prover.Formulas) -> Table:
    """Every pair of pipelines on ranks of its own order; all that is ready in one queue."""
    most, plays = stated["mismatch"], chimera_windows
    slow, late = plays.two_windows(most), plays.late(stated)
    regular = window_plays.exhausted(plays.REGULAR, stated)
    found = plays.one_window(most)
    runs = "; ".join(f"d = {one['d']}, F = {one['F']}, B = {one['B']}" for one in found)
    sizes = ", ".join(f"{window} for d = {at}" for at, window in plays.WINDOWS.items())
    when = f"not above 1: d/2 pipelines, {SAYS[CHIMERA]}, all that is ready in one queue"
    enough = prover.Decision((_law("span"), plays.counted())) if most == 1 else prover.OPEN
    last = "d = {d}, F = {F}, B = {B}, ties: {tie}: the last is number {by_number} of its window"
    return {
        (
            f"{when}, windows of d, F and B the same everywhere",
            f"some see two updates: {runs}",
        ): prover.Decision(fails=plays.one_window_fails(most)),
        (
            f"{when}, windows of 2d, all durations",
            "some see two updates if single actions are slow" if slow else "",
        ): prover.Decision(fails=slow),
        (
            f"{when}, windows of 2d, F and B the same everywhere",
            "no run that was tried exceeds it",
        ): prover.OPEN,
        (
            f"{when}, windows of so many backwards or more: {sizes}; all durations, whatever ties "
            "do",
            "no more than these can be between a forward and its backward",
        ): enough,
        (
            f"the first d by backwards and by numbers: d/2 pipelines, {SAYS[CHIMERA]}, all that is "
            "ready in one queue, windows of 2d, F and B the same everywhere",
            last.format(**late.witness) if late else "",
        ): prover.Decision(fails=late),
        (
            "not above 1, and the first d by forwards, backwards and numbers: "
            f"{plays.REGULAR.says}",
            "each play to its period" if regular.ground.holds else "",
        ): prover.Decision((regular.ground,), regular.against),
    }


def cases(stated: prover.Formulas) -> tuple[prover.Case, ...]:
    """All of them, in the order of the row."""
    return prover.cases(_anywhere(stated) | _straight(stated) | _as_in_chimera(stated))
