"""A family's stated makespan, bubble and peaks, with its staleness, proved for all its sizes.

The formulas are data of the family (`schedules.families.figures`). Of an order by stamps they are
proved by a timetable (`theory.laws.stated_figures`), of a program by the slots that it states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import sympy
import z3

from schedules.actions import Kind
from schedules.errors import ScheduleError
from schedules.families import get_family
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.linearization import DEFAULT
from schedules.programs import Program
from schedules.stamps import LINE
from theory.errors import NoClosedFormError, TheoryError
from theory.laws.delays.built import built
from theory.laws.figure_forms import SYMBOLS, FiguresLaw, Forms, read_forms
from theory.laws.proved_delays import StepDelays
from theory.laws.stamped_families import COLUMNS
from theory.laws.stated_figures import PEAK, Stated
from theory.laws.static_orders.in_flight import peak
from theory.laws.static_orders.order import of_program
from theory.laws.static_orders.parts import PARTS, decided
from theory.laws.static_orders.proofs import domain, holders, is_entry
from theory.laws.static_orders.symbols import M, p, s, symbolic, term
from theory.laws.static_orders.versions import flushed
from theory.laws.step_delays import backwards
from theory.laws.timetable_proofs import merged
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, undecided
from theory.verdicts import Verdict


def figures_law(
    name: str, parameters: Mapping[str, int] | None = None, linearization: str = DEFAULT
) -> FiguresLaw:
    """Prove a family's figures for all sizes that it accepts and for which they are claimed.

    Raises
    ------
    NoClosedFormError
        No figures are stated for the family.
    schedules.errors.UnknownNameError, schedules.errors.ParameterError
        Unknown family or parameter, or a value outside its domain.

    Examples
    --------
    >>> law = figures_law("zb-h1")
    >>> law.verdict.name, law.domain, law.to_json()["bubble"]
    ('PROVED', 'p ≥ 1 and M ≥ p', '(p - 1)/(3*M + p - 1)')
    """
    family = get_family(name)
    values = family.checked(2, 1, parameters or {})
    if family.figures is None:
        raise NoClosedFormError(
            f"no figures are stated for {name!r}",
            f"figures of {name}",
            f"ask `staleproof delays {name}` for the numbers of one size",
        )
    found = prove(family, family.figures, linearization)
    chosen = {SYMBOLS[key]: number for key, number in values.items() if key in SYMBOLS}
    given = "".join(f", {key} = {number}" for key, number in values.items())
    forms = Forms(*(form.subs(chosen) for form in vars(found.forms).values()))
    delays, proof = replace(found.delays, chosen=chosen), tuple(_of(values, found.proof))
    domain = found.domain + given
    return replace(found, domain=domain, forms=forms, proof=proof, delays=delays)


def _of(values: Mapping[str, int], proof: tuple[Outcome, ...]) -> Iterator[Outcome]:
    """A run with other parameters than those that are set refutes nothing of these."""
    for one in proof:
        other = any(one.witness.get(name) != number for name, number in values.items())
        refuted = one.verdict is Verdict.REFUTED
        yield undecided(one, f"as stated {one.note}") if refuted and other else one


@remembered
def prove(family: Family, figures: Figures, linearization: str = DEFAULT) -> FiguresLaw:
    """Prove figures of a family, its own or others, and the delays of its step."""
    forms = read_forms(figures)
    nothing = StepDelays(linearization, None, (), "")
    try:
        if isinstance(family.rule, Program):
            return _of_program(family, family.rule, forms, backwards(LINE, linearization))
        return Stated(family, figures, forms).law(linearization)
    except (ScheduleError, TheoryError) as error:
        why = f"{error.what} ({error.where})"
        missing = Outcome("figures", "stated figures are proved", Verdict.UNKNOWN, {}, why, 0, ())
        return FiguresLaw(family.name, "", forms, (missing,), nothing)


def _of_program(family: Family, program: Program, forms: Forms, delays: StepDelays) -> FiguresLaw:
    """Figures of a program: its slots are start times."""
    more = (symbolic().M == 1,) if family.whole_batch else ()
    outcomes = [built(family)]
    outcomes += [decided(program, part, PARTS[part]) for part in ("places", "actions", "times")]
    order = of_program(program)
    names = {SYMBOLS["p"]: p, SYMBOLS["M"]: M, SYMBOLS["r"]: s}
    outcomes += [
        merged("staleness", COLUMNS["staleness"], (*flushed(order), *_nothing(forms.staleness))),
        merged("makespan", "the last computation ends there", _span(program, forms, more)),
        merged("peak activations", PEAK, peak(order, forms.peak.subs(names))),
    ]
    sizes = "M = 1" if family.whole_batch else f"M ≥ {program.least}"
    words = f"p ≥ {program.least_stages} and {sizes}"
    flush = family.policy.name == "flush"
    return FiguresLaw(family.name, words, forms, tuple(outcomes), delays, flush)


def _nothing(staleness: sympy.Expr) -> Iterator[Statement]:
    fresh = z3.BoolVal(staleness == 0)
    yield Statement("fresh", "the stated staleness is 0", (symbolic().p >= 1,), fresh)


def _span(program: Program, forms: Forms, more: tuple[Term, ...]) -> Iterator[Statement]:
    """No entry ends later than the makespan, and a backward of stage 0 ends just then."""
    view, n = symbolic(), z3.Int("n")
    names = {SYMBOLS["p"]: view.p, SYMBOLS["M"]: view.M}
    end, work = term(forms.makespan, names), term(forms.work, names)
    known = (*domain(program, view), *more)
    for entry in program.entries:
        over = entry.time(view, n) + entry.duration <= end
        says = f"no {entry.name} is over later"
        inside = (*known, *is_entry(view, entry, n))
        yield Statement(f"over {entry.name}", says, inside, over)
    last = [
        z3.And(holder.there, holder.entry.time(view, holder.n) + 1 == end)
        for label in (z3.IntVal(0), view.M - 1)
        for holder in holders(program, view, Kind.B, label)
    ]
    says = "the first or the last backward of stage 0 ends then"
    yield Statement("reached", says, (*known, view.s == 0), z3.Or(*last))
    says = "a rank works 2M slots, an F and a B for each microbatch"
    yield Statement("work", says, known, work == 2 * view.M)
