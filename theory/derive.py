"""`derive`: the delay law of a family for all p, guessed from small runs and proved."""

from __future__ import annotations

from collections.abc import Mapping

from schedules.actions import Kind
from schedules.closed_forms.counts import guess_counts
from schedules.closed_forms.start_times import guess_start_times, sample
from schedules.errors import InvalidScheduleError
from schedules.families import FAMILIES, get_family
from schedules.families.family import Family
from schedules.linearization import DEFAULT, get_linearization
from schedules.rules import GreedyRule
from theory.errors import NoClosedFormError
from theory.laws.delays.as_built import as_built
from theory.laws.delays.counts import prove_counts, prove_floor_sums, prove_telescoping
from theory.laws.delays.domains import Admission
from theory.laws.delays.greedy_induction import Clause, rule_clauses
from theory.laws.delays.law import Closed, DelayLaw
from theory.laws.delays.matrix import delay_matrix, mean, prove_extremes, prove_matrix, prove_mean
from theory.laws.delays.shape import guess_shape, prove_shape
from theory.laws.delays.staleness import guess_staleness, prove_staleness
from theory.laws.delays.start_times import prove_start_times
from theory.laws.delays.symbols import Size, Times
from theory.laws.delays.whole_run import prove_whole_run, whole_run
from theory.smt.solver import Outcome
from theory.verdicts import Verdict, weakest

__all__ = ["DelayLaw", "derive", "derive_rule"]


def derive(
    family: str, linearization: str = DEFAULT, parameters: Mapping[str, int] | None = None
) -> DelayLaw:
    """Derive and prove the delay law of a family for every p ≥ 2.

    Parameters
    ----------
    family : str
        A family with affine start times.
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
    if not found.affine:
        known = ", ".join(name for name, entry in FAMILIES.items() if entry.affine)
        raise NoClosedFormError(
            f"closed forms are derived for {known}, not for {family!r}",
            f"derive {family}",
            f"ask `staleproof delays {family}` for the numbers of one size",
        )
    admission = found.admission
    if "noam" in values:
        noam = values["noam"]
        admission = lambda _: noam  # noqa: E731 - the family's own is a function too
    return derive_rule(found, linearization, admission)


def derive_rule(family: Family, linearization: str, admission: Admission) -> DelayLaw:
    """Derive the law of a family's rule under an admission bound.

    Start times are guessed and proved first; everything else is computed from them, so a law
    never rests on an unproved start time. That the family builds what its rule generates is
    compared on a grid of sizes: a law of what it does not build is none of its own.
    """
    lines = get_linearization(linearization)
    try:
        samples = sample(family, admission)
    except InvalidScheduleError as error:
        return _nothing(family, linearization, f"the rule generates no schedule: {error.what}")
    guess = guess_start_times(samples)
    if isinstance(guess, Kind):
        return _nothing(family, linearization, f"start times of {guess.name} have no short form")
    if family.rule is None:
        return _nothing(family, linearization, "the family has no rule as data to prove from")
    proof = prove_start_times(family.rule, admission, guess)
    if weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED:
        return DelayLaw(family.name, linearization, None, tuple(proof))
    link = as_built(family, admission, guess)
    if not link.ties:
        return DelayLaw(family.name, linearization, None, tuple(proof), link=link)
    counts = guess_counts(family, lines, samples, guess, admission)
    if counts is None:
        return _nothing(family, linearization, "counts of updates have no supported form")
    shape = guess_shape(family, guess, admission)
    if shape is None:
        return _nothing(family, linearization, "activations in flight have no short form")
    matrix = delay_matrix(counts)
    closed = Closed(
        guess,
        counts,
        matrix,
        mean(matrix),
        whole_run(matrix, counts),
        guess_staleness(family, counts, admission),
        shape,
    )
    times = Times(Size.symbolic(), guess)
    proof += [
        prove_counts(times, counts, lines),
        prove_floor_sums(counts),
        prove_telescoping(),
        prove_matrix(matrix, counts),
        prove_extremes(matrix),
        prove_mean(matrix, closed.mean),
        *prove_staleness(times, counts, closed.staleness),
        *prove_shape(times, shape),
        prove_whole_run(times, counts, lines, matrix, closed.whole),
    ]
    clauses: tuple[Clause, ...] = ()
    if isinstance(family.rule, GreedyRule):
        clauses = rule_clauses(family.rule, admission, times)
    return DelayLaw(family.name, linearization, closed, tuple(proof), clauses, link)


def _nothing(family: Family, linearization: str, why: str) -> DelayLaw:
    outcome = Outcome("guess", why, Verdict.UNKNOWN, {}, "search over small runs", 0)
    return DelayLaw(family.name, linearization, None, (outcome,))
