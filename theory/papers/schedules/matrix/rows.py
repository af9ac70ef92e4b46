"""The cells of the matrix as claims: family × invariant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from schedules.families import get_family
from theory.account import (
    Account,
    Case,
    Compared,
    Decision,
    Finding,
    Ground,
    Line,
    Refutation,
    Repair,
)
from theory.claims import Claim, Formulas
from theory.judging.decide import proves
from theory.laws.stamped_families import STAMPED, arguments
from theory.ledger import Evidence
from theory.papers.schedules.matrix.checking import Found, checked, refused, refutation
from theory.papers.schedules.matrix.forms import BOUND, bounded, in_words
from theory.papers.schedules.matrix.grid import ALL, Grid
from theory.papers.schedules.matrix.proving import (
    UPDATE_ONCE,
    bound_holds,
    for_all,
    messages,
    programmed,
    proved,
    reached,
    shared,
)
from theory.papers.schedules.matrix.runs import MODEL
from theory.papers.schedules.matrix.spoiled import (
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
from theory.papers.schedules.matrix.table import FRESH, STATED, Design
from theory.papers.schedules.matrix.wording import COLUMNS, latex, statement
from theory.smt.solver import undecided

CELL: Final = "cell"
"""Key of the data of evidence that says which cell of a table a row is."""

_ASSUMES: Final[Mapping[str, tuple[str, ...]]] = {
    "stash": ("a version that the policy keeps is there",),
    "staleness": (
        "versions by program order, over the whole run; durations change nothing, see "
        "`schedules.static-staleness`",
    ),
    "in-flight": ("by program order of each rank, a split backward to the end of its W",),
    "deadlock-free": (f"the model of docs/explanation/deadlock.md ({MODEL})",),
}


_NO_PROOF: Final = (
    "no proof for all sizes: several pipelines play greedily on a rank, and their slots have no "
    "formula here"
)
"""Of the one family that is neither stamped nor a program."""


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
    by_construction = column == "exclusive" and reached(family, column) and family not in STAMPED
    return ("one stage a rank, by construction",) if by_construction else ()


def stated(family: str, column: str) -> Formulas:
    """The formulas of a cell; none for what has no bound."""
    row = STATED[family]
    bounds = {"staleness": row.staleness, "in-flight": row.in_flight, "deadlock-free": bounded(0)}
    return bounds.get(column, {})


def domain(family: str, column: str) -> str:
    """The sizes of which a cell speaks, as part of a sentence."""
    if not reached(family, column):
        return tried(family, column)
    limit = STATED[family].limits.get(column, ALL).words if column == UPDATE_ONCE else ""
    return f"for every {for_all(family)}" + (f", {limit}" if limit else "")


def tried(family: str, column: str) -> str:
    """The sizes that are put to the checker, as part of a sentence."""
    row = STATED[family]
    limit = row.limits.get(column, ALL).words
    narrower = f" ({limit})" if limit else ""
    return f"for every {row.grid.words} that the family accepts{narrower}"


def _account(family: str, column: str, formulas: Formulas) -> Account:
    found = checked(family, column, formulas)
    words = f"{tried(family, column)}: {found.sizes} schedules"
    decision = Decision((found.exhausted(words),), refutation(family, column, formulas, found))
    design, fails = STATED[family].by_design.get(column), decision.fails
    run = Line("ours", words, "each put to schedules.invariants.check", decision)
    steps: tuple[Line, ...] = (run,)
    evidence = [_cell(family, column, formulas)]
    if reached(family, column):
        proof = _for_all(family, column, formulas, fails)
        decision = proof.decision
        steps = (proof,)
        if proves(*decision.grounds):
            evidence.append(_agreement(found, words))
        else:
            steps = (*steps, run)
    granted = _granted(family, column) if proves(*decision.grounds) else ()
    granted += _granted(design.family, column) if design else ()
    return Account(
        decision,
        cases=(Case(domain(family, column), decision, _why_tried(family, column, fails)),),
        assumes=(*_assumes(family, column), *granted),
        steps=steps,
        findings=(_finding(family, column, design, fails),) if design and fails else (),
        evidence=tuple(evidence),
        arguments=arguments(family, column) if family in STAMPED else (),
    )


def _why_tried(family: str, column: str, fails: Refutation | None) -> str:
    """What a cell lacks that holds on a grid only."""
    return "" if fails or reached(family, column) else _NO_PROOF


def _for_all(family: str, column: str, formulas: Formulas, fails: Refutation | None) -> Line:
    """What is known of all sizes by proof.

    A run refutes the statement only where the proof finds it false too, or the statement is about
    every size that the family accepts: else it may be of one of which the statement does not speak.
    """
    outcome = proved(family, column, formulas)
    of_runs = family in STAMPED and not proves(outcome)  # of all sizes that the family accepts
    decision = Decision((outcome,), fails if outcome.witness or of_runs else None)
    if family in STAMPED and fails and not of_runs:
        outcome = undecided(outcome, f"a run contradicts the proof: {dict(fails.witness)}")
        decision = Decision((outcome,), None)
    return Line("ours", outcome.says, outcome.note, decision)


def _agreement(found: Found, words: str) -> Evidence:
    """What the runs say of what is proved."""
    says = f"the checker {'agrees' if found.holds else 'disagrees'} {words}"
    return Evidence("for" if found.holds else "against", says, dict(found.witness or {}))


def _cell(family: str, column: str, formulas: Formulas) -> Evidence:
    bound = in_words(formulas[BOUND]) if BOUND in formulas else ""
    words = domain(family, column)
    place = {"row": family, "column": column, "bound": bound, "domain": words}
    return Evidence("neither", "a cell of the matrix of families and invariants", {CELL: place})


def _finding(family: str, column: str, design: Design, fails: Refutation) -> Finding:
    """Why a family does not have what others have, and what does."""
    instead: Ground
    if reached(design.family, column):
        instead = proved(design.family, column, {})
        words = f"for every {for_all(design.family)}"
    else:
        grid = design.grid or STATED[design.family].grid
        words = f"for every {grid.words} that the family accepts"
        instead = checked(design.family, column, {}, grid).exhausted(words)
    return Finding(
        kind="false",
        where=f"weight policy {get_family(family).policy.name}",
        says=design.says,
        witness=fails.witness,
        repaired=Repair(f"{design.instead}, {words}.", (instead,)),
    )


def _holds(family: str, column: str, formulas: Formulas) -> Iterator[Ground]:
    """What passes as well as the cell counts as proved: a mutant that is CHECKED has survived."""
    family, grid = _meant(family, column)
    if reached(family, column) and column in ("staleness", "in-flight"):
        yield from bound_holds(family, column, formulas)
    else:
        passed = checked(family, column, formulas, grid).holds
        yield Compared(tried(family, column), "schedules.invariants.check", passed)


def _meant(family: str, column: str) -> tuple[str, Grid | None]:
    """Of which family a cell's prover has to accept the formulas, and of which sizes.

    Where a family does without something by design, that is what has it: its repair.
    """
    design = STATED[family].by_design.get(column)
    return (design.family, design.grid) if design else (family, None)


def _without(family: str, column: str, control: Control) -> Iterator[Ground]:
    """Whether some schedule without what a control takes away passes, or none lacks it."""
    family, grid = _meant(family, column)
    caught = refused(family, column, stated(family, column), control, grid)
    says = f"a schedule of {family} without {control.without} passes"
    yield Compared(says, "schedules.invariants.check", not caught)


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
    by_design = column in STATED[family].by_design
    same = found.witness is not None if by_design else found.holds
    says = f"the checker {'says' if same else 'does not say'} the same of {grid.words}"
    data: dict[str, Any] = {"schedules": found.sizes, **(found.witness or {})}
    return (Evidence("for" if same else "against", says, data),)


def _claim(family: str, column: str) -> Claim:
    formulas, row = stated(family, column), STATED[family]
    return Claim(
        id=f"schedules.{family}.{column}",
        where=row.source if BOUND in formulas else get_family(family).source,
        statement=statement(family, column, formulas, domain(family, column)),
        latex=latex(column, formulas),
        account=partial(_account, family, column),
        printed=formulas,
        core=formulas,
        holds=partial(_holds, family, column),
        weakened={
            **{
                control.without: partial(_without, family, column, control)
                for control in _controls(family, column)
            },
            **programmed(_meant(family, column)[0], column),
        },
        deeper=partial(_deeper, family, column),
        cost=row.seconds,
        shares=shared(family),
        origin="ours",
    )


CLAIMS: Final = tuple(_claim(family, column) for family in STATED for column in COLUMNS)
