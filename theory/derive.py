"""`derive`: the delay law of a family for all p, guessed from small runs and proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import ONE, Quotient
from schedules.closed_forms.counts import CountForm, guess_counts
from schedules.closed_forms.let_in import BOUNDS_READ, Part, let_in, of_pipedream, parts_of
from schedules.closed_forms.start_times import (
    LEAST_STAGES,
    SAMPLED_STAGES,
    Samples,
    StartTimes,
    fits,
    guess_slots,
    guess_start_times,
    sample,
)
from schedules.errors import FamilyFileError, ScheduleError
from schedules.families import FAMILIES, get_family, is_family_file
from schedules.families.family import Family
from schedules.linearization import DEFAULT, Linearization, get_linearization
from schedules.rules import GreedyRule
from schedules.stamps import StampedOrder, any_size
from schedules.user_code import TooLong
from theory.errors import NoClosedFormError, UnsupportedFormError
from theory.laws.delays.built import built
from theory.laws.delays.closed import Closed
from theory.laws.delays.counts import prove_counts, prove_floor_sums, prove_telescoping
from theory.laws.delays.domains import Admission
from theory.laws.delays.greedy_induction import Clause, prove_part, rule_clauses
from theory.laws.delays.law import DelayLaw
from theory.laws.delays.let_in import LetIn, held
from theory.laws.delays.let_in_proof import few_let_in
from theory.laws.delays.matrix import delay_matrix, mean, prove_extremes, prove_matrix, prove_mean
from theory.laws.delays.shape import (
    Shape,
    guess_shape,
    prove_shape,
)
from theory.laws.delays.staleness import (
    guess_staleness,
    prove_staleness,
)
from theory.laws.delays.start_times import prove_start_times
from theory.laws.delays.static_induction import plain
from theory.laws.delays.symbols import Size, Times
from theory.laws.delays.table import table
from theory.laws.delays.whole_run import prove_whole_run, whole_run
from theory.laws.delays.window_closed import window_closed
from theory.laws.durations import DurationLaw, duration_laws
from theory.laws.own_orders import Row, row_of
from theory.laws.own_rules import row_of_rule
from theory.laws.own_slots import in_parts, row_of_slots
from theory.laws.plain_functions import require_plain_family
from theory.laws.stamp_terms import divisors_at, untied
from theory.laws.static_orders.slots import Law, multiplies
from theory.smt.solver import Outcome, undecided
from theory.verdicts import Verdict, weakest

__all__ = ["DelayLaw", "derive", "derive_rule", "durations", "has_law", "invariants", "settled"]

GUESSES: Final = 4
"""How often start times are guessed, each time with the sizes that refuted the guess before."""

LARGEST_COUNTEREXAMPLE: Final = 400
"""Most p·M of a size that is run because it refuted a guess."""


def derive(
    family: str, linearization: str = DEFAULT, parameters: Mapping[str, int] | None = None
) -> DelayLaw:
    """Derive and prove the delay law of a family for every p ≥ 2.

    Parameters
    ----------
    family : str
        A family with affine start times, or the Python file that defines one.
    linearization : str
    parameters : mapping, optional
        ``noam`` replaces the family's own admission bound.

    Returns
    -------
    DelayLaw
        With verdict PROVED, or UNKNOWN and the part that could not be established.

    Raises
    ------
    NoClosedFormError
        The family has no closed forms here.
    schedules.errors.UnknownNameError, schedules.errors.ParameterError
        Unknown family, linearization or parameter, or a value outside its domain.

    Examples
    --------
    >>> law = derive("pipedream")
    >>> law.verdict.name, law.to_json()["mean"]
    ('PROVED', 'p**2/2 - 1/2')
    """
    found = get_family(family)
    values = found.checked(2, 1, parameters or {})
    if not (has_law(found) or is_family_file(family)):
        known = [name for name, entry in FAMILIES.items() if has_law(entry)]
        shown = [name for name, entry in FAMILIES.items() if entry.figures and name not in known]
        why = found.no_steady or (
            "a procedure builds it, which is no data to prove from"
            if found.rule is None
            else "it has figures alone (theory.laws.figures)"
        )
        beside = f"of makespan, peak and staleness for {', '.join(shown)}, but "
        raise NoClosedFormError(
            f"closed forms of delays are derived for {', '.join(known)}, "
            f"{'' if found.figures else beside}not for {family!r}: {why}",
            f"derive {family}",
            f"ask `staleproof delays {family}` for the numbers of one size, `staleproof verify "
            f"schedules.{family}` for what holds of its invariants",
        )
    found = settled(found, values)
    admission = found.admission
    if "noam" in values:
        noam = values["noam"]
        admission = lambda _: noam  # noqa: E731 - the family's own is a function too
    parts = parts_of(admission) if isinstance(found.rule, GreedyRule) else ()
    law = _in_parts(found, linearization, admission, parts)
    if law.verdict is Verdict.PROVED:
        return law
    rows = tuple(table(found, linearization, admission))
    parts_open = tuple(replace(one, proof=_of_a_form(one.proof)) for one in law.parts)
    return replace(law, table=rows, proof=_of_a_form(law.proof), parts=parts_open)


def _in_parts(
    family: Family, linearization: str, admission: Admission, parts: Sequence[Part]
) -> DelayLaw:
    """The law of a rule; of several, where its bound has a form only where p leaves a rest.

    What a rule does at one p depends on the number alone that its bound has there. So each part is
    the law of a rule that has the form at every p, and that the bound is this form.
    """
    if not parts:
        return derive_rule(family, linearization, admission)
    laws = []
    for part in parts:
        law = derive_rule(family, linearization, part.admission)
        shown = prove_part(admission, part)
        start = (shown, *law.start_proof) if law.start_proof else ()
        laws.append(replace(law, part=part, proof=(shown, *law.proof), start_proof=start))
    proof = tuple(one for law in laws for one in law.proof)
    return DelayLaw(family.name, linearization, None, proof, parts=tuple(laws))


def has_law(family: Family) -> bool:
    """Whether a shipped family's delay law is derived: at its default interval, if it has one.

    Examples
    --------
    >>> [name for name in ("asyncpp", "zb-h1", "pipedream-2bw") if has_law(get_family(name))]
    ['asyncpp']
    """
    order = family.rule
    every = isinstance(order, StampedOrder) and family.interval in order.defaults
    return family.affine or (isinstance(order, StampedOrder) and every and plain(order))


def settled(family: Family, values: Mapping[str, int]) -> Family:
    """An order with numbers for its parameters, which its name then says."""
    order = family.rule
    if not isinstance(order, StampedOrder):
        return family
    chosen = {**order.defaults, **values}
    name = ", ".join([family.name, *(f"{one} = {value}" for one, value in chosen.items())])
    every = chosen.get(family.interval, family.policy.interval)
    policy = replace(family.policy, interval=every)
    only_refuses = family in FAMILIES.values() and has_law(family) and every == 1
    accept = any_size if only_refuses else order.accept
    rule = replace(order, defaults=chosen, accept=accept)
    given = tuple(one for one in family.parameters if one.name not in chosen)  # by `accept`
    return replace(family, name=name, rule=rule, policy=policy, parameters=given)


def invariants(family: str, law: DelayLaw) -> Row:
    """The invariants of the order in a family's file, proved or refuted for all sizes.

    Parameters
    ----------
    family : str
        The file.
    law : DelayLaw
        What `derive` said of it: start times are what is known of a greedy rule's order.

    Examples
    --------
    >>> path = "examples/families/eager.py"
    >>> {one.outcome.verdict.name for one in invariants(path, derive(path)).invariants}
    {'PROVED'}
    """
    found = get_family(family)
    if not law.parts:
        return _row(found, law)
    each = [(one.part, one) for one in law.parts if one.part is not None]
    return in_parts(
        [(part, _row(replace(found, admission=part.admission), one)) for part, one in each]
    )


def _row(family: Family, law: DelayLaw) -> Row:
    known = None
    if law.guess is not None:
        known = Law(Times(Size.symbolic(law.guess), law.guess), law.start_proof)
        proved = weakest(one.verdict for one in law.start_proof) is Verdict.PROVED
        greedy = isinstance(family.rule, GreedyRule)  # of stamps a law has parameters' defaults
        if proved and multiplies(law.guess) and (greedy or not family.parameters):
            return _stated_or_played(family, known)
    found = row_of(family, known)
    if found.proved or not isinstance(family.rule, GreedyRule):
        return found
    with suppress(ScheduleError, UnsupportedFormError):  # a size that does not run says nothing
        return max(found, row_of_rule(family), key=lambda row: row.proofs)
    return found


def _stated_or_played(family: Family, known: Law) -> Row:
    """What stamps say, which is of p = 1 too, or start times that are no stamps to ask about."""
    stated = None if isinstance(family.rule, GreedyRule) else row_of(family)
    if stated is not None and stated.proved:
        return stated
    slots = row_of_slots(family, known)
    return slots if stated is None else max(stated, slots, key=lambda row: row.proofs)


def durations(family: str, law: DelayLaw) -> tuple[DurationLaw, ...]:
    """Start times of a family's order for all durations of a region, proved; none where open.

    Parameters
    ----------
    family : str
    law : DelayLaw
        What `derive` said of it, without parameters of its own.

    Examples
    --------
    >>> [str(one.makespan) for one in durations("gpipe", derive("gpipe"))]
    ['B*M + B*p - B + F*M + F*p - F + 2*c*p - 2*c']
    """
    if law.guess is None:
        return ()
    with suppress(ScheduleError):  # a size that is looked at has no schedule: nothing is known
        return duration_laws(
            get_family(family), Law(Times(Size.symbolic(law.guess), law.guess), law.start_proof)
        )
    return ()


def derive_rule(family: Family, linearization: str, admission: Admission) -> DelayLaw:
    """Derive the law of a family's rule under an admission bound.

    Start times are guessed and proved first; everything else is computed from them, so a law
    never rests on an unproved start time. A family that builds by something else than its rule has
    no law here: that of its rule is none of its own.
    """
    lines = get_linearization(linearization)
    nothing = DelayLaw(family.name, linearization, None, ())
    found = _with_start_times(nothing, family, admission)
    guess, proof = found.guess, list(found.proof)
    if guess is None or weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED:
        return found
    if family.policy.reads_stage_zero:
        return _open(found, f"versions read under {family.policy.name} are not those of a stage")
    if isinstance(guess.period, Quotient):
        return _with_few(found, family, lines)
    if guess.many is not None:
        return _in_windows(found, family, admission, lines)
    if guess.period != ONE:
        return _open(found, "updates are counted where rounds are of as many as are let in")
    if family.policy.name != "flush" and family.policy.interval != 1:
        return _in_windows(found, family, admission, lines)
    counts = guess_counts(family, lines, admission) if _is_plain(guess) else None
    if counts is None:
        return _in_windows(found, family, admission, lines)
    shape = guess_shape(family, guess, admission)
    if shape is None:
        return _open(found, "activations in flight have no short form")
    times = Times(Size.symbolic(guess), guess)
    try:
        closed = _closed(family, admission, times, counts, shape, lines)
    except UnsupportedFormError:
        return _in_windows(found, family, admission, lines)
    matrix = closed.matrix
    proof += [
        prove_counts(times, counts, lines),
        prove_floor_sums(counts),
        prove_telescoping(),
        prove_matrix(matrix, counts),
        prove_extremes(matrix),
        prove_mean(matrix, closed.mean),
        *prove_staleness(times, counts, closed.staleness),
        *prove_shape(times, shape),
    ]
    if closed.whole is not None:
        longest = prove_whole_run(times, counts, lines, matrix, closed.whole)
        if longest.verdict is Verdict.PROVED:
            proof.append(longest)
        else:  # it fits small runs alone: of the largest delay nothing is said, of others it is
            closed = replace(closed, whole=None)
    clauses: tuple[Clause, ...] = ()
    if isinstance(family.rule, GreedyRule):
        clauses = rule_clauses(family.rule, admission, times, family.in_flight)
    law = replace(found, closed=closed, proof=tuple(proof), clauses=clauses)
    if law.verdict is Verdict.PROVED or family.policy.name == "flush":
        return law
    other = _in_windows(found, family, admission, lines)  # as where no F counts an update
    return other if other.verdict is Verdict.PROVED else law


def _with_start_times(nothing: DelayLaw, family: Family, admission: Admission) -> DelayLaw:
    """Start times with their proof; a guess that is refuted is made anew with the size of that."""
    more: set[tuple[int, int]] = set()
    found = nothing
    if isinstance(family.rule, StampedOrder) and not plain(family.rule):
        return _open(nothing, "start times are proved of one stage a rank, with F and B alone")
    for _ in range(GUESSES):
        try:
            samples = sample(family, admission, more=sorted(more))
        except ScheduleError as error:
            if isinstance(error.__cause__, TooLong):
                raise
            return _open(nothing, f"no start times to fit in small runs: {error.what}")
        guess = _guessed(family, admission, samples)
        if isinstance(guess, Kind):
            return _open(nothing, f"start times of {guess.name} have no short form")
        found = replace(nothing, guess=guess)
        if not isinstance(family.rule, (GreedyRule, StampedOrder)):
            return _open(found, "the family has no rule as data to prove from")
        if isinstance(family.rule, StampedOrder) and family.rule.accept is not any_size:
            why = "`accept` may change what stamps use and the interval, which a law has as numbers"
            return _open(found, f"{why}: write `sizes` and `defaults` in its place")
        slots = guess_slots(family, admission, samples, sorted(more))
        if isinstance(slots, Kind):
            return _open(found, f"slots of {slots.name} have no short form")
        try:
            require_plain_family(family)
            rule = untied(family.rule) if isinstance(family.rule, StampedOrder) else family.rule
            proof = prove_start_times(rule, admission, guess, family.in_flight, slots)
        except (FamilyFileError, UnsupportedFormError) as error:
            why = f"the rule is not written for symbols ({error.where}: {error.what})"
            return _open(found, why)
        found = replace(found, proof=(*proof, built(family)), start_proof=(*proof, built(family)))
        refuted = {
            (outcome.witness["p"], outcome.witness["M"])
            for outcome in proof
            if {"p", "M"} <= outcome.witness.keys()
        }
        refuted = {(p, M) for p, M in refuted if p * M <= LARGEST_COUNTEREXAMPLE} - more
        if not refuted:
            return found
        more |= refuted
    return found


def _guessed(family: Family, admission: Admission, samples: Samples) -> StartTimes | Kind:
    """Start times of few that are let in, if they fit, or fitted forms, or those of PipeDream."""
    first = None if family.rule is None else let_in(admission, family.in_flight)
    known = None if first is None else of_pipedream(first, family.in_flight)
    if known is not None and known.least not in SAMPLED_STAGES:
        samples = sample(family, admission, more=[(known.least, 2 * known.least)])
    if known is not None and not fits(known, samples):
        known = None
    if known is not None and known.period not in (ONE, Quotient(ONE)):
        return known
    periods: Sequence[int] = ()
    if isinstance(family.rule, StampedOrder):
        s, m, p, M = z3.Ints("s m p M")
        periods = divisors_at(family.rule, family.rule.at_stage(s, m, p, M, z3.If))
    fitted = guess_start_times(samples, periods)
    return known if isinstance(fitted, Kind) and known is not None else fitted


def _is_plain(guess: StartTimes) -> bool:
    """Whether updates are counted by floors from the least p on."""
    alone = all(len(piece.conditions) < 2 for piece in guess.forward.pieces)
    return alone and guess.least == LEAST_STAGES


def _with_few(found: DelayLaw, family: Family, lines: Linearization) -> DelayLaw:
    """The law of PipeDream's rule where fewer microbatches are let in than there are stages."""
    if family.policy.name == "flush":
        return _open(found, "rounds are counted with an update after every backward, or K of them")
    assert found.guess is not None
    times = Times(Size.symbolic(found.guess), found.guess)
    N = found.guess.period
    assert isinstance(N, Quotient)
    most = held(N, family.in_flight)
    proof = (*found.proof, *few_let_in(times, lines, most, family.policy.interval))
    closed = LetIn(found.guess, lines, most, family.policy.interval)
    return replace(found, closed=closed, proof=proof)


def _in_windows(
    found: DelayLaw, family: Family, admission: Admission, lines: Linearization
) -> DelayLaw:
    """The law where a stage updates after several gradients."""
    guess = found.guess
    assert guess is not None
    shape = guess_shape(family, guess, admission)
    if shape is None:
        return _open(found, "activations in flight have no short form")
    times = Times(Size.symbolic(guess), guess)
    if family.policy.name == "flush":
        return _open(found, "counts of updates have no supported form")
    law = window_closed(times, shape, lines, family.policy.interval)
    if law is None:
        return _open(found, "late microbatches do not start a constant number of slots apart")
    closed, proof = law
    return replace(found, closed=closed, proof=(*found.proof, *proof, *prove_shape(times, shape)))


def _closed(
    family: Family,
    admission: Admission,
    times: Times,
    counts: CountForm,
    shape: Shape,
    linearization: Linearization,
) -> Closed:
    """What follows from start times and counts, to be proved.

    Raises
    ------
    UnsupportedFormError
        Stages that count alike are no ranges for every p.
    """
    matrix = delay_matrix(counts)
    whole = whole_run(times, matrix, counts, linearization)
    staleness = guess_staleness(family, counts, admission)
    return Closed(times.guess, counts, matrix, mean(matrix), whole, staleness, shape)


def _of_a_form(proof: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """A counterexample to a guess says what is no law; of the family it refutes nothing."""
    return tuple(
        undecided(one, f"this form is not the law: {one.note}{_beyond(one.witness)}")
        if one.verdict is Verdict.REFUTED
        else one
        for one in proof
    )


def _beyond(witness: Mapping[str, int]) -> str:
    """At which size a form is not the law; and that nobody looked at such a p, if so."""
    size = ", ".join(f"{name} = {witness[name]}" for name in ("p", "M") if name in witness)
    far = witness.get("p", 0) >= BOUNDS_READ.stop
    most = f"; runs are of p < {SAMPLED_STAGES.stop}, and bounds are read at p < {BOUNDS_READ.stop}"
    return f"{f' at {size}' if size else ''}{most if far else ''}"


def _open(law: DelayLaw, why: str) -> DelayLaw:
    """A law with one part more, that is missing."""
    missing = Outcome("guess", why, Verdict.UNKNOWN, {}, "search over small runs", 0)
    return replace(law, proof=(*law.proof, missing))
