"""What is proved, for all sizes, of a user's own order: a matrix row of a family in a file.

The bounds of local staleness and of what is in flight are guessed from small runs, as minima of
short forms, and then proved as those of the shipped families are. Every column is also put to the
checker at these runs, and at sizes that a counterexample of the solver names: one that fails there
is refuted by that size, whatever a proof says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.closed_forms.start_times import LEAST_STAGES
from schedules.errors import ParameterError, ScheduleError
from schedules.families.family import Family
from schedules.invariants import check, parse_requirements
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.schedule import IntArray
from schedules.stamps import At, Number, Shape, StampedOrder, any_size
from theory.errors import TheoryError, UnsupportedFormError
from theory.laws.bound_guesses import least_form
from theory.laws.plain_functions import require_plain_accept, require_plain_family
from theory.laws.stamp_terms import Divisions, divisors_at, readable, untied
from theory.laws.stamped import Lanes, Size
from theory.laws.stamped_bounds import BOUND, Formulas
from theory.laws.stamped_families import COLUMNS, EACH, Subject, queried
from theory.laws.static_orders.slots import Law, multiplies, played
from theory.laws.static_orders.symbols import K, M, p
from theory.laws.static_orders.versions import Updates
from theory.smt.solver import Outcome, Term, undecided
from theory.verdicts import Verdict, weakest

BOUNDED: Final = {"staleness": "local_staleness_whole_run", "in-flight": "in_flight"}
"""Columns with a bound, and the checker's fact that it bounds."""

MOST_RUNS: Final = 120
PERIODS: Final = 4
"""How many divisors the longest run has windows, where an order divides."""
INTERVALS: Final = range(1, 5)
"""Numbers of gradients of an update from whose runs bounds are guessed, beside the one fixed."""
MOST_GUESSES: Final = 4
"""How often a bound is guessed anew."""
LARGEST: Final = 600
"""Most p·M of a size that is run because a counterexample names it."""
FEWER: Final = range(1, 4)
"""Ranks, or microbatches, that are tried in place of a size that is larger."""

_DECIDED_BY: Final = {
    "causal": ("complete", "causal"),
    "exclusive": ("exclusive",),
    "stash": ("stash", "policy"),
    "staleness": ("policy",),
    "update-once": ("update-once",),
    "deadlock-free": ("match", "deadlock-free"),
}
_OF_RUNS: Final = ("stash", "staleness", "in-flight", "update-once")
"""What is said of actions that have taken place; where one lives, the order alone says."""

_IN_TURN: Final = ("stash", "staleness", "in-flight")
"""What is asked of orders whose ends go through the numbers: up, or down."""

_OF_WINDOWS: Final = {
    "staleness": ", of gradients that an update applies",
    "update-once": ", where windows end with M",
}
"""What is said where an update follows several gradients, and some may be left over."""

_REQUIRED: Final = parse_requirements("stash, update-once, match, deadlock-free")
_POLICIES: Final = ("flush", "stash", "latest", "vertical-sync", "double-buffer", "predict")


@dataclass(frozen=True)
class Invariant:
    """One invariant of an order, for all sizes that it accepts.

    Attributes
    ----------
    name : str
        One of the columns of the matrix.
    bound : str
        The most at stage s, exactly; empty where there is none.
    outcome : Outcome
        PROVED; REFUTED by a size, the witness; or UNKNOWN.
    of : str
        What it is said of, where that is not everything.
    """

    name: str
    bound: str
    outcome: Outcome
    of: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        found = self.outcome
        return {
            "name": self.name,
            "says": COLUMNS[self.name] + self.of,
            "bound": self.bound,
            "verdict": found.verdict.name,
            "witness": found.witness or None,
            "note": found.note,
        }


@dataclass(frozen=True)
class Row:
    """The invariants of an order, and the sizes for which they are meant.

    Attributes
    ----------
    domain : str
        Empty where nothing can be proved.
    invariants : tuple of Invariant
    """

    domain: str
    invariants: tuple[Invariant, ...]

    @property
    def proved(self) -> bool:
        """Whether every one is."""
        return self.proofs == len(self.invariants)

    @property
    def proofs(self) -> int:
        """How many are."""
        return sum(one.outcome.verdict is Verdict.PROVED for one in self.invariants)


@dataclass(frozen=True)
class Run:
    """What the checker says of one size, with so many microbatches in each pipeline."""

    size: Mapping[str, int]
    broken: Mapping[str, str]
    facts: Mapping[str, Sequence[int]]
    each: int


@dataclass(frozen=True)
class _Runs:
    """Runs of a family, runs from which its bounds are guessed, and by what its order divides.

    The longer ones are for bounds with quotients by these numbers.
    """

    own: Sequence[Run]
    free: Sequence[Run]
    longer: Sequence[Run]
    divisors: Sequence[int]


def row_of(family: Family, law: Law | None = None) -> Row:
    """Prove or refute the seven invariants of a family with an order or a rule as data.

    Parameters
    ----------
    family : Family
    law : Law, optional
        Start times with their proof: what is known of a greedy rule's order, and of stamps that do
        not grow along what computations need.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> row_of(get_family("zb-h1")).proved  # how it refuses a size is no data
    False
    >>> row = row_of(get_family("gpipe"))
    >>> row.proved, row.domain, [one.bound for one in row.invariants if one.bound]
    (True, 'p >= 1, M >= 1', ['0', 'M'])
    """
    found = _row(family, law)
    if found.proved or not isinstance(family.rule, StampedOrder) or family.parameters:
        return found
    again = _row(family, law, by_slots=True)
    return max(found, again, key=lambda row: row.proofs)


def _row(family: Family, law: Law | None, *, by_slots: bool = False) -> Row:
    try:
        order, least = _read(family, law, by_slots=by_slots)
        subject = subject_of_order(family, order, least)
        runs = small_runs(family, order, least)
        free = runs
        if order.accept is not any_size:  # bounds are of every interval, whatever `accept` gives
            plain = replace(order, accept=any_size)
            free = small_runs(replace(family, rule=plain), plain, least)
        elif _fixed(family):
            many = sorted({*INTERVALS, family.policy.interval})
            free = [run for every in many for run in _at_interval(family, order, least, every)]
        lane, rank, x = z3.Ints("lane rank x")
        one = Lanes(order, subject.size).at(lane, rank, x, subject.size.divisions())
        divisors = divisors_at(order, one)
        longer = small_runs(family, order, least, divisors) if divisors else []
        every = _Runs(runs, free, longer, divisors)
        found = [_column(family, order, subject, every, column) for column in COLUMNS]
        return Row(subject.words, where_it_runs(found))
    except (ScheduleError, TheoryError) as error:
        why = f"{error.what} ({error.where})"
        return Row("", tuple(Invariant(name, "", _unknown(name, why)) for name in COLUMNS))


def _fixed(family: Family) -> bool:
    """Whether updates come after so many gradients, and no parameter says how many."""
    return family.policy.interval > 1 and not family.interval


def _at_interval(family: Family, order: StampedOrder, least: int, every: int) -> Iterator[Run]:
    """Runs with another number of gradients: how a bound depends on it shows in these alone."""
    other = replace(family, policy=replace(family.policy, interval=every))
    for run in small_runs(other, order, least):
        yield replace(run, size={**run.size, family.interval: every})


def _unknown(name: str, why: str) -> Outcome:
    return Outcome(name, COLUMNS[name], Verdict.UNKNOWN, {}, why, 0, ())


def _read(family: Family, law: Law | None, *, by_slots: bool) -> tuple[StampedOrder, int]:
    """The order, by its stamps or by its start times, and the least p that it is proved for.

    Raises
    ------
    UnsupportedFormError
        It is no order by stamps alone, or has what is not proved of such.
    """
    if family.rule is None:
        raise _refusal("a function has no order as data", "state its order by stamps")
    if not family.generated:
        raise _refusal("something else builds its schedules than its rule", "give no build")
    require_plain_family(family)
    if by_slots or isinstance(family.rule, GreedyRule):
        if family.parameters:
            raise _refusal("start times are those of the family's own bounds", "drop parameters")
        if law is None or weakest(one.verdict for one in law.proof) is not Verdict.PROVED:
            raise _refusal("no start times of its rule are proved", "state its order by stamps")
        if multiplies(law.times.guess):
            raise _refusal("start times multiply p and m", "state its order by stamps")
        return played(law), max(LEAST_STAGES, law.times.guess.least)
    if not isinstance(family.rule, StampedOrder):
        raise _refusal("messages of its own are in the order", "state its order by stamps")
    if family.rule.beside:
        raise _refusal("an order has F, B, I and W alone", "leave out `beside`")
    if family.interval and family.rule.accept is not any_size:
        require_plain_accept(family.rule.accept)
    elif family.rule.accept is not any_size:
        raise _refusal(
            "an order says what sizes it has as `sizes`; `accept` may change what stamps use",
            "leave out `accept`, or let it give the interval alone",
        )
    return untied(family.rule), 1


def _refusal(what: str, remedy: str) -> UnsupportedFormError:
    return UnsupportedFormError(what, "FAMILY.rule", remedy)


def subject_of(family: Family) -> Subject:
    """The sizes of a family's order by stamps.

    Raises
    ------
    UnsupportedFormError
        It is no such order, or has what is not proved of one.
    """
    return subject_of_order(family, *_read(family, None, by_slots=False))


def subject_of_order(family: Family, order: StampedOrder, least: int) -> Subject:
    """The sizes of an order that is a family's, with p from the least on."""
    p_, M_, each = z3.Ints("p M each")
    values: dict[str, Any] = dict(order.defaults)
    suppose: list[Term] = [p_ >= least]
    for parameter in family.parameters:
        own = z3.Int(_symbol(family, parameter.name))
        values[parameter.name] = own
        suppose.append(own >= parameter.minimum)
    if order.accept is not any_size:  # it may give any interval that a policy has, and the rest too
        K_ = z3.Int(_symbol(family, family.interval))
        values, suppose = _Given({family.interval: K_}), [p_ >= least, K_ >= 1]
    pipelines = _pipelines(order, p_, values)
    whole: tuple[tuple[Term, Any, Term], ...] = ()
    updates = _updates(family)
    least_of_each = 1 if updates is None or family.interval else family.policy.interval
    microbatches, count = len(suppose), M_ if pipelines is None else each
    suppose.append(count >= least_of_each)
    if pipelines is not None:
        M_ = pipelines * each
        whole = ((M_, pipelines, each),)
    divide = Divisions(whole)
    at = At(p_, M_, values, 0, 0, 0, 0, z3.If, divide)
    stated = readable(order).sizes(at)
    if not isinstance(stated, tuple):
        raise _refusal("`sizes` gives a tuple of conditions", "write (condition,)")
    suppose += stated
    if divide.facts:
        raise _refusal("`sizes` divides by what is no number", "divide by numbers")
    if updates is not None and family.interval:
        suppose.append(values[family.interval] <= count)
    parts = [" ".join(str(one).split()) for one in suppose if not z3.is_true(z3.simplify(one))]
    if pipelines is not None:
        parts.insert(microbatches, f"M = {M_}")
    words = ", ".join(parts)
    words = re.sub(r"\bset_", "", re.sub(r"\bK\b", family.interval or "K", words))
    size = Size(p_, M_, tuple(suppose), values, whole=whole)
    written = {} if pipelines is None else {"M": _sympy(pipelines) * EACH}
    return Subject(words, size, written, updates=updates)


class _Given(dict[str, Any]):
    """What stamps may use although `accept` is called: the interval, of which all is proved."""

    def __missing__(self, name: str) -> Any:
        raise _refusal(f"`accept` may change {name}, which stamps use", "leave out `accept`")


def _symbol(family: Family, parameter: str) -> str:
    """Its name among terms, that no rank, microbatch or number of a proof has."""
    return "K" if parameter == family.interval else f"set_{parameter}"


def _pipelines(order: StampedOrder, p_: Term, values: Mapping[str, Any]) -> Any:
    """How many there are; None where there is one."""
    kind = order.shape.pipelines
    if kind == "one":
        return None
    return readable(order).shape.lanes(values) if kind == "lanes" else p_


def _sympy(form: Term) -> sympy.Expr:
    return sympy.sympify(str(form), locals={"p": p})


def _updates(family: Family) -> Updates | None:
    """After how many gradients; None where one flush ends a step."""
    policy: WeightPolicy = family.policy
    if policy.name == "flush":
        return None
    assert policy.name in _POLICIES, "all policies are meant"
    return Updates(policy, family.interval)


def small_runs(
    family: Family, order: StampedOrder, least: int, divisors: Sequence[int] = ()
) -> list[Run]:
    """Small sizes that the family accepts, some periods long where an order divides."""
    domain = subject_of_order(family, order, least).size
    ranges = [range(parameter.minimum, parameter.minimum + 3) for parameter in family.parameters]
    names = [parameter.name for parameter in family.parameters]
    every, periods = family.policy.interval, range(1, PERIODS * max(divisors, default=0) + 1)
    whole = {every * windows for windows in (1, 2, 3, 5)} if every > 1 else set()
    whole |= {step * windows for step in (1, every) for windows in periods}
    candidates = (
        {"p": ranks, "M": microbatches, **dict(zip(names, chosen, strict=True))}
        for ranks in range(least, max(6, least + 2))
        for microbatches in sorted({1, 2, 3, ranks, ranks + 1, 2 * ranks, 3 * ranks + 1} | whole)
        for chosen in product(*ranges)
    )
    runs = (_run(family, order, domain, size) for size in candidates)
    found = list(islice((run for run in runs if run is not None), MOST_RUNS))
    if not found:
        raise _refusal("the family accepts no small size", "loosen `sizes`")
    return found


def _accepts(order: StampedOrder, domain: Size, size: Mapping[str, int]) -> bool:
    """Whether a size is of the domain that is printed."""
    each, rest = divmod(size["M"], _times(order, size))
    numbers = {"p": size["p"], "M": size["M"], "each": each}
    numbers |= {str(term): size[name] for name, term in domain.values.items() if name in size}
    put_in = [(z3.Int(name), z3.IntVal(number)) for name, number in numbers.items()]
    return rest == 0 and z3.is_true(z3.simplify(z3.substitute(z3.And(domain.suppose), put_in)))


def _times(order: StampedOrder, size: Mapping[str, int]) -> int:
    """How many pipelines there are at a size."""
    lanes: int = order.shape.lanes({**order.defaults, **size})
    return {"one": 1, "lanes": lanes, "ranks": size["p"]}[order.shape.pipelines]


def _run(family: Family, order: StampedOrder, domain: Size, size: Mapping[str, int]) -> Run | None:
    """One size; None if what is proved is not about it."""
    if not _accepts(order, domain, size):
        return None
    others = {name: number for name, number in size.items() if name not in ("p", "M")}
    try:
        schedule = family.build(size["p"], size["M"], **others)
    except ParameterError:
        if order.accept is any_size:
            raise
        return None
    if family.interval:
        size = {**size, family.interval: schedule.policy.interval}  # `accept` may give another
        if not _accepts(order, domain, size):
            return None
    try:
        whole = lower(schedule)
    except ScheduleError:
        whole = schedule  # its orders are wrong, as the checker will say
    report = check(whole, _REQUIRED, QueueModel("rank", 0))
    counts = "; positions count the messages that are added" * (len(whole) > len(schedule))
    first = {one.invariant: f"{one.message}{counts}" for one in reversed(report.violations)}
    broken = {
        column: first[name]
        for column, names in _DECIDED_BY.items()
        for name in reversed(names)
        if name in first
    }
    facts: Any = {column: report.facts.get(fact) or () for column, fact in BOUNDED.items()}
    return Run(size, broken, facts, size["M"] // _times(order, size))


def _column(
    family: Family,
    order: StampedOrder,
    subject: Subject,
    runs: _Runs,
    column: str,
    again: int = MOST_GUESSES,
) -> Invariant:
    """One column, beside runs of the family; a bound is guessed from the others.

    It is guessed anew from a counterexample's run too.
    """
    formulas: Formulas = {}
    relevant = [run for run in runs.own if column != "update-once" or whole(family, run)]
    if column in BOUNDED:
        form = _bound(family, runs, column)
        if form is None:
            return beside_runs(column, _unknown(column, "no short form fits small runs"), relevant)
        form = form.subs(M, M * EACH / subject.written.get("M", EACH))  # it is of one pipeline
        formulas = {BOUND: form}
        if family.interval and column == "staleness":  # of others it is a number as any
            formulas = {"K": sympy.Symbol(family.interval, integer=True), BOUND: form}
    try:
        found = queried(order, subject, family.name, column, formulas)
        if column in _IN_TURN and found.verdict is not Verdict.PROVED:
            others = _downwards(order, subject, runs.divisors)
            tried = (queried(*other, family.name, column, formulas) for other in others)
            found = next((one for one in tried if one.verdict is Verdict.PROVED), found)
    except Exception as error:  # what an order of one's own does with symbols can be anything
        why = getattr(error, "what", f"{type(error).__name__}: {error}")
        found = _unknown(column, f"the order is not written for symbols: {why}")
    refuted = found.verdict is Verdict.REFUTED
    named = _named(family, order, subject.size, found.witness, column) if refuted else None
    extra = [named] if named is not None else []
    fresh = named is not None and column not in named.broken and named not in runs.longer
    if again and formulas and fresh:
        more = replace(runs, longer=[*runs.longer, *extra])
        return _column(family, order, subject, more, column, again - 1)
    bound = re.sub(r"\bK\b", family.interval, str(formulas.get(BOUND, "")))
    bound = re.sub(r"\bset_", "", bound)
    return beside_runs(column, found, [*relevant, *extra], bound, family)


def _downwards(
    order: StampedOrder, subject: Subject, divisors: Sequence[int]
) -> Iterator[tuple[StampedOrder, Subject]]:
    """The same order where ends go down through all numbers, or through those of each window.

    What is in flight counts forwards and ends alone, so that these may be numbered apart.
    """
    yield order, replace(subject, descending=True)
    yield turned(order), subject
    for window in divisors:
        yield order, replace(subject, ending=partial(from_last, order.shape, window=window))
        yield turned(order, window), subject


def turned(order: StampedOrder, window: int = 0) -> StampedOrder:
    """The same schedules, with the microbatches of every pipeline numbered from the last one.

    If there is a window, the numbers of each are numbered from its last one; M may cut it short.
    """

    def down(of: Callable[[At], Any]) -> Callable[[At], Any]:
        return lambda at: of(at.number(from_last(order.shape, at, window)))

    return replace(
        order,
        forward=down(order.forward),
        backward=down(order.backward),
        weight=order.weight and down(order.weight),
        split=down(order.split),
        microbatch=down(order.microbatch),
    )


def from_last(shape: Shape, at: At, window: int = 0) -> Number:
    """The number that has the place of at.x if its window, or all of them, is counted down."""
    count = shape.microbatches(at)
    if not window:
        return count - 1 - at.x
    begin = window * at.divide(at.x, window)[0]
    end = at.choose(begin + window < count, begin + window, count)
    return begin + end - 1 - at.x


def _bound(family: Family, runs: _Runs, column: str) -> sympy.Expr | None:
    """A form of the most that occurs, with quotients if no form without them fits."""
    every, windows = family.policy.interval, column == "staleness"
    free = [run for run in runs.free if column not in run.broken and whole(family, run)]
    longer = [run for run in runs.longer if column not in run.broken]
    if windows:
        longer = [run for run in longer if whole(family, run)]
    wanted, at = points([*free, *longer], column, family.interval, every, _others(family))
    forms = (least_form(wanted, at, wider=wider) for wider in (False, True))
    found = next((form for form in forms if form is not None), None)
    if found is None and runs.divisors:
        wanted, at = points(longer, column, family.interval, every)
        by = at.pop("K", every)
        if windows:  # gradients that no update applies do not count
            at["M"] //= by
        number = every if windows and not family.interval else 1
        found = least_form(wanted, at, runs.divisors, number)
        found = found and found.subs(M, sympy.floor(M / K)) if windows else found
    return found if found is None or family.interval else found.subs(K, every)


def _others(family: Family) -> dict[str, str]:
    """Parameters that bounds may name beside the interval, and their symbols."""
    order = family.rule
    if not isinstance(order, StampedOrder) or order.accept is not any_size:
        return {}  # `accept` may change them
    names = (one.name for one in family.parameters if one.name != family.interval)
    return {name: _symbol(family, name) for name in names}


def beside_runs(
    column: str, found: Outcome, runs: Sequence[Run], bound: str = "", family: Family | None = None
) -> Invariant:
    """What the queries and the runs say together: a run is exact, whatever a proof says.

    Where the family's updates follow several gradients, it is said of those that are applied.
    """
    bad = next((run for run in runs if column in run.broken), None)
    if bad is not None:
        wrong = "; what proves it is wrong: report it" if found.verdict is Verdict.PROVED else ""
        witness, note = dict(bad.size), bad.broken[column] + wrong
        found = replace(found, verdict=Verdict.REFUTED, witness=witness, note=note)
    elif found.verdict is Verdict.REFUTED:
        found = undecided(found, f"no run shows it: {found.note} {found.witness}")
    several = (
        family is not None
        and family.policy.name != "flush"
        and (family.interval or family.policy.interval > 1)
    )
    of = _OF_WINDOWS.get(column, "") if several else ""
    return Invariant(column, bound if found.verdict is Verdict.PROVED else "", found, of)


def where_it_runs(found: Sequence[Invariant]) -> tuple[Invariant, ...]:
    """The columns; open is what is proved of runs, where the order has a size that never runs."""
    causal = next(one.outcome for one in found if one.name == "causal")
    if causal.verdict is not Verdict.REFUTED:
        return tuple(found)
    size = ", ".join(f"{name} = {number}" for name, number in causal.witness.items())
    why = f"at {size} the order does not run: it is not causal"
    return tuple(
        replace(one, bound="", outcome=undecided(one.outcome, why))
        if one.name in _OF_RUNS and one.outcome.verdict is Verdict.PROVED
        else one
        for one in found
    )


def whole(family: Family, run: Run) -> bool:
    """Whether no gradient is left over without an update."""
    flush = family.policy.name == "flush"
    every = run.size.get(family.interval, family.policy.interval)
    return flush or run.each % every == 0


def _named(
    family: Family, order: StampedOrder, domain: Size, witness: Mapping[str, int], column: str
) -> Run | None:
    """The run of a size that a counterexample names.

    Of one that is too large, a run with fewer ranks or microbatches that breaks the column, if any.
    """
    names = {one.name: _symbol(family, one.name) for one in family.parameters}
    names |= {"p": "p", "M": "M" if order.shape.pipelines == "one" else "each"}
    size = {name: witness[symbol] for name, symbol in names.items() if symbol in witness}
    if len(size) < len(names):
        return None
    if 0 < size["p"] * size["M"] * _times(order, size) <= LARGEST:
        return _run(family, order, domain, {**size, "M": size["M"] * _times(order, size)})
    fewer = [{**size, name: few} for name in ("p", "M") for few in FEWER if few < size[name]]
    for one in fewer:
        many = one["M"] * _times(order, one)
        small = one["p"] * many <= LARGEST
        run = _run(family, order, domain, {**one, "M": many}) if small else None
        if run is not None and column in run.broken:
            return run
    return None


def points(
    runs: Sequence[Run],
    column: str,
    interval: str = "",
    every: int = 1,
    others: Mapping[str, str] = MappingProxyType({}),
) -> tuple[IntArray, dict[str, IntArray]]:
    """The most at every stage of every run, and what p, M, s, the interval and others are there."""
    found = [
        (most, {**run.size, "M": run.each}, stage)
        for run in runs
        for stage, most in enumerate(run.facts.get(column, ()))
    ]
    at = {name: np.array([size[name] for _, size, _ in found]) for name in ("p", "M")}
    at["s"] = np.array([stage for *_, stage in found])
    at |= {one: np.array([size[name] for _, size, _ in found]) for name, one in others.items()}
    if interval or every > 1:
        at["K"] = np.array([size.get(interval, every) for _, size, _ in found])
    return np.array([most for most, *_ in found]), at
