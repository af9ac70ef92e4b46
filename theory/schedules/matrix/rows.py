"""The cells of the matrix as claims: family × invariant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from schedules.families import get_family
from theory.claims import Claim, Formulas
from theory.ledger import Case, Evidence, Finding, Judgement, Repair, Step
from theory.schedules.matrix.checking import Found, checked, refused
from theory.schedules.matrix.forms import BOUND, bounded, in_words
from theory.schedules.matrix.grid import ALL
from theory.schedules.matrix.proving import (
    bound_holds,
    comparison,
    for_all,
    messages,
    programmed,
    proved,
    reached,
    rests_on,
    shared,
)
from theory.schedules.matrix.runs import MODEL
from theory.schedules.matrix.spoiled import (
    CONTROLS,
    Control,
    barrier_missing,
    crosses_ranks,
    has_barriers,
    has_updates,
    late_update,
    one_version,
    overtaken,
    sends_exchanged,
)
from theory.schedules.matrix.table import FRESH, STATED, Design
from theory.schedules.matrix.wording import COLUMNS, latex, statement
from theory.verdicts import Verdict

CELL: Final = "cell"
"""Key of the data of evidence that says which cell of a table a row is."""

_ASSUMES: Final[Mapping[str, tuple[str, ...]]] = {
    "stash": ("a version that the policy keeps is there",),
    "staleness": (
        "versions by program order, over the whole run; durations change nothing, see "
        "`schedules.static-staleness`",
    ),
    "in-flight": ("by program order of each rank, a split backward to the end of its W",),
    "deadlock-free": (f"the model of docs/deadlock.md ({MODEL})",),
}


def _assumes(family: str, column: str) -> tuple[str, ...]:
    """What a cell takes for granted."""
    found = _ASSUMES.get(column, ())
    if column != "deadlock-free":
        return found
    lowered = "where `schedules.lowering.lower` puts them, receives as soon as possible"
    placed = messages(family) if reached(family, column) else lowered
    return (*found, f"messages: {placed}")


def _granted(family: str, column: str) -> tuple[str, ...]:
    """What a proof takes for granted of the family."""
    if not reached(family, column):
        return ()
    alone = ("one stage a rank, by construction",) if column == "exclusive" else ()
    return (*alone, rests_on(family))


def stated(family: str, column: str) -> Formulas:
    """The formulas of a cell; none for what has no bound."""
    row = STATED[family]
    bounds = {"staleness": row.staleness, "in-flight": row.in_flight, "deadlock-free": bounded(0)}
    return bounds.get(column, {})


def domain(family: str, column: str) -> str:
    """The sizes of which a cell speaks, as part of a sentence."""
    return f"for every {for_all(family)}" if reached(family, column) else tried(family, column)


def tried(family: str, column: str) -> str:
    """The sizes that are put to the checker, as part of a sentence."""
    row = STATED[family]
    limit = row.limits.get(column, ALL).words
    narrower = f" ({limit})" if limit else ""
    return f"for every {row.grid.words} that the family accepts{narrower}"


def _judge(family: str, column: str, formulas: Formulas) -> Judgement:
    found = checked(family, column, formulas)
    step = Step(
        "ours",
        f"{tried(family, column)}: {found.sizes} schedules",
        "each put to schedules.invariants.check",
        found.verdict,
    )
    verdict: Verdict = found.verdict
    steps: tuple[Step, ...] = (step,)
    evidence = [_cell(family, column, formulas)]
    if reached(family, column):
        verdict, steps, replay = _for_all(family, column, formulas, found, step)
        evidence += replay
    design = STATED[family].by_design.get(column)
    granted = _granted(family, column) if verdict is Verdict.PROVED else ()
    granted += _granted(design.family, column) if design else ()
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=(Case(domain(family, column), verdict),),
        assumes=(*_assumes(family, column), *granted),
        steps=steps,
        findings=(_finding(family, column, design, found),) if design else (),
        counterexample=found.witness,
        evidence=tuple(evidence),
    )


def _for_all(
    family: str, column: str, formulas: Formulas, found: Found, run: Step
) -> tuple[Verdict, tuple[Step, ...], list[Evidence]]:
    """The verdict of a proof, and what the runs say of it.

    The statement is REFUTED only where both are, so that there is a run to look at.
    """
    outcome = proved(family, column, formulas)
    step = Step("ours", outcome.says, outcome.note, outcome.verdict)
    if outcome.verdict is Verdict.PROVED:
        agrees = found.verdict is Verdict.CHECKED
        says = f"the checker {'agrees' if agrees else 'disagrees'} {run.says}"
        replay = Evidence("for" if agrees else "against", says, dict(found.witness or {}))
        return Verdict.PROVED, (step, comparison(family)), [replay]
    verdict = max(outcome.verdict, found.verdict)
    return min(verdict, Verdict.UNKNOWN), (step, comparison(family), run), []


def _cell(family: str, column: str, formulas: Formulas) -> Evidence:
    bound = in_words(formulas[BOUND]) if BOUND in formulas else ""
    words = domain(family, column)
    place = {"row": family, "column": column, "bound": bound, "domain": words}
    return Evidence("neither", "a cell of the matrix of families and invariants", {CELL: place})


def _finding(family: str, column: str, design: Design, found: Found) -> Finding:
    """Why a family does not have what others have, and what does."""
    if reached(design.family, column):
        instead = proved(design.family, column, {}).verdict
        words = f"for every {for_all(design.family)}"
    else:
        grid = design.grid or STATED[design.family].grid
        instead = checked(design.family, column, {}, grid).verdict
        words = f"for every {grid.words} that the family accepts"
    return Finding(
        kind="false",
        where=f"weight policy {get_family(family).policy.name}",
        says=design.says,
        witness=found.witness,
        repaired=Repair(f"{design.instead}, {words}.", instead),
    )


def _holds(family: str, column: str, formulas: Formulas) -> Verdict:
    """PROVED for what passes as well as the cell: a mutant that is CHECKED has survived."""
    if reached(family, column) and column in ("staleness", "in-flight"):
        return bound_holds(family, column, formulas)
    passed = checked(family, column, formulas).verdict is Verdict.CHECKED
    return Verdict.PROVED if passed else Verdict.REFUTED


def _without(family: str, column: str, control: Control) -> Verdict:
    """PROVED if some schedule without what a control takes away passes, or if none lacks it."""
    design, grid = STATED[family].by_design.get(column), None
    if design is not None:
        family, grid = design.family, design.grid
    caught = refused(family, column, stated(family, column), control, grid)
    return Verdict.REFUTED if caught else Verdict.PROVED


def _controls(family: str, column: str) -> Iterator[Control]:
    """The controls that have something to take away from a family."""
    row = STATED[family]
    alone, serial = row.grid.microbatches == 1, row.in_flight == bounded(1)
    several = next(schedule for size, schedule in row.grid.schedules(family) if size["p"] > 1)
    updates = has_updates(several)
    for control in CONTROLS[column]:
        if control.change is overtaken and (updates or not serial):
            continue  # microbatches overlap as it is, or updates stay where they are
        if control.change is late_update and not updates:
            continue  # updates have no place of their own
        if control.change is one_version and (serial or alone):
            continue  # no older version is ever wanted
        if control.change is one_version and column == "staleness" and row.staleness != FRESH:
            continue  # stale as it is
        if control.of_messages and not crosses_ranks(several):
            continue  # no messages
        if control.change is barrier_missing and not has_barriers(several):
            continue  # no barriers
        if control.change is sends_exchanged and alone:
            continue  # one message of each kind
        yield control


def _deeper(family: str, column: str, formulas: Formulas) -> tuple[Evidence, ...]:
    """The same on a larger grid."""
    grid = STATED[family].grid.larger()
    found = checked(family, column, formulas, grid)
    expected = Verdict.REFUTED if column in STATED[family].by_design else Verdict.CHECKED
    says = f"the checker says the same of {grid.words}"
    if found.verdict is not expected:
        says = f"the checker does not say the same of {grid.words}"
    data: dict[str, Any] = {"schedules": found.sizes, **(found.witness or {})}
    return (Evidence("for" if found.verdict is expected else "against", says, data),)


def _claim(family: str, column: str) -> Claim:
    formulas, row = stated(family, column), STATED[family]
    return Claim(
        id=f"schedules.{family}.{column}",
        where=row.source if BOUND in formulas else get_family(family).source,
        statement=statement(family, column, formulas, domain(family, column)),
        latex=latex(column, formulas),
        judge=partial(_judge, family, column),
        printed=formulas,
        core=formulas,
        holds=partial(_holds, family, column),
        weakened={
            **{
                control.without: partial(_without, family, column, control)
                for control in _controls(family, column)
            },
            **programmed(family, column),
        },
        deeper=partial(_deeper, family, column),
        cost=row.seconds,
        shares=shared(family),
    )


CLAIMS: Final = tuple(_claim(family, column) for family in STATED for column in COLUMNS)
