"""`certify`: find the certificates that `Found` stands for, and keep them in data files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from schedules.user_code import reason
from theory.claims import Claim
from theory.errors import TheoryError
from theory.falsifier.indexed import reading
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite, Combine, Induction, Root
from theory.kernel.rules.found import Found, parts_of
from theory.kernel.stored import Entry, entries_of
from theory.kernel.theorem import Given, Hypothesis, Rule, Step, Theorem
from theory.notation.building import EACH, INSIDE, offered
from theory.notation.norms import SQUARED
from theory.notation.stating import LONGER, WEIGHED
from theory.notation.weighed import TOLD, WEIGHTS
from theory.proving.missing import NO_LINE, missing_fact, missing_line, unnamed
from theory.proving.search import Searched, search
from theory.proving.storing import entry, updated
from theory.proving.weights import weights_of
from theory.verdicts import Verdict

STATEMENT: Final = "statement"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Certified:
    """What came of one step.

    Attributes
    ----------
    theorem, step : str
    outcome : str
        ``"found"``, ``"kept"`` if what is stored still holds, ``"not found"``, or ``"refused"`` if
        a line is an induction that the kernel does not accept.
    why : str
        Where no certificate exists, or which sign is open.
    seconds : float
        Of the processor.
    entry : mapping, optional
        The certificate as data.
    path : Path
        The data file.
    """

    theorem: str
    step: str
    outcome: str
    why: str
    seconds: float
    entry: dict[str, Any] | None
    path: Path


def certify(
    claims: Sequence[Claim], again: bool = False, progress: Progress | None = None
) -> list[Certified]:
    """Search for every certificate that is missing or stale, and write the data files.

    Parameters
    ----------
    claims : sequence of Claim
    again : bool
        Search for those that are there as well.
    progress : callable, optional
        Called with the place of each search.

    Raises
    ------
    TheoryError
        A data file cannot be written.
    """
    results: list[Certified] = []
    for theorem in theorems_of(claims):
        try:
            results += _of_shorter(theorem, again, progress or (lambda text: None))
        except Exception as error:  # which is no reason to leave the others out
            own = f"the search stopped with {reason(error)}; please report it"
            why = str(error) if isinstance(error, TheoryError) else own
            path = getattr(theorem.conclude, "path", Path())
            results.append(Certified(theorem.id, STATEMENT, "not found", why, 0.0, None, path))
            continue
        same = [r for r in results if r.theorem == theorem.id and r.outcome != "refused"]
        for path in dict.fromkeys(result.path for result in same):
            entries = [one.entry for one in same if one.path == path and one.entry is not None]
            distinct = {(one["step"], one["key"]): one for one in entries}
            updated(path, theorem.id, list(distinct.values()))
    return results


def _of_shorter(theorem: Theorem, again: bool, progress: Progress) -> list[Certified]:
    """What is found of a theorem with what one iteration gains, or else as it is written."""
    said = ""
    for name, make in LONGER.get(theorem, ()):
        try:
            longer = make()
        except TheoryError:  # such as a number that is not shown to be defined
            continue
        found = _whole(longer, again, progress, as_tried=True)
        if not _fails(found):
            return found
        said += _said_of(longer, name, found, {str(one) for one in theorem.sequences})
    for one in WEIGHED.get(theorem, ()):
        progress(f"{theorem.id}: {one.name}")
        with suppress(TheoryError):
            weights = weights_of(one)
            heavier = one.with_weights(weights) if weights else None
            found = _whole(heavier, again, progress, as_tried=True) if heavier else []
            if found and not _fails(found):
                return found
    found = _whole(theorem, again, progress)
    if said and _fails(found):
        found[-1] = replace(found[-1], why=once(found[-1].why.partition(NO_LINE)[0] + said))
    return found


def once(said: str) -> str:
    """A remark with each of its parts once: of several lines much is said alike.

    Examples
    --------
    >>> once("none at a = 1; a line helps; none at b = 2; a line helps")
    'none at a = 1; a line helps; none at b = 2'
    """
    return "; ".join(dict.fromkeys(said.split("; ")))


def _whole(
    theorem: Theorem, again: bool, progress: Progress, as_tried: bool = False
) -> list[Certified]:
    """What is found of a theorem with all facts; a line that has weights keeps them.

    Where a line that is only tried is not found, the statement is not looked for: that is done
    without it.
    """
    full, refused = offered(theorem), dict[str, str]()
    while True:
        found = _passed(theorem, full, again, progress, as_tried, {*refused})
        more = {} if _fails(found) else _unaccepted(theorem, full, found)
        if not more.keys() - refused.keys():
            break
        refused |= more
    if refused and _fails(found):
        found[-1] = replace(found[-1], why=once("; ".join((found[-1].why, *refused.values()))))
    return found


def _passed(
    theorem: Theorem,
    full: Theorem,
    again: bool,
    progress: Progress,
    as_tried: bool,
    lost: set[str],
) -> list[Certified]:
    """What one search from the first line to the statement finds, without these steps."""
    found = list[Certified]()
    name, weights = TOLD.get(theorem, ("", {}))
    for one in _of_theorem(full, again, progress, lambda: as_tried and _fails(found), lost):
        told = {WEIGHTS: weights} if one.step == name else {}
        found.append(replace(one, entry=one.entry and {**one.entry, **told}))
    return found


def _unaccepted(theorem: Theorem, full: Theorem, found: Iterable[Certified]) -> dict[str, str]:
    """Steps on which certificates rest and which the kernel does not accept, and why.

    They are checked among themselves: what else is offered may speak of other iterations.
    """
    uses = {one.step: {*one.entry["facts"], *one.entry["domain"]} for one in found if one.entry}
    needed, steps = uses.get(STATEMENT, {*full.conclude.uses}), list[Step]()
    for step in reversed(full.steps):
        if step.name in needed:
            needed |= uses.get(step.name, {*step.rule.uses})
            steps.insert(0, step)
    said = [full.goal, *(step.relation for step in steps)]
    called = {call.func for one in said for call in atoms(one.gap, AppliedUndef)}
    meant = {f: of for f, of in full.sequences.items() if f in called | theorem.sequences.keys()}
    with suppress(TheoryError):  # of what is no theorem
        alone = replace(full, steps=tuple(steps), sequences=meant)
        facts = {h.name: h.relation for h in full.hypotheses if isinstance(h, Hypothesis)}
        facts |= {step.name: step.relation for step in steps}
        by_rule = (step for step in steps if type(step.rule) not in (Found, Cite))
        checked = {one.name: one.rule.check(one.relation, Given(alone, facts)) for one in by_rule}
        return {n: one.note for n, one in checked.items() if one.verdict is not Verdict.PROVED}
    return {}


def _said_of(longer: Theorem, name: str, found: Sequence[Certified], known: Set[str]) -> str:
    """What is said of a line that would do; nothing, if it is there, or speaks of no k + 1."""
    line = next((s.relation for s in longer.steps if s.name == name and _steps(s.relation)), None)
    of_line = [one for one in found if one.step == name]
    lost = "".join(f": {one.why}" for one in of_line if one.entry is None)
    if line is None or line.gap.is_nonpositive:  # 0 at most, which is no gain of an iteration
        return ""
    if of_line and not lost:
        needs = "what it says of the start may be more"
        if isinstance(line.lhs, AppliedUndef):
            needs = _from_one_on(line, longer.goal)
        return f"; {line} holds, and the statement does not follow from it ({needs})"
    own = {
        f"{one} = mean of {form}" for one, form in longer.sequences.items() if str(one) not in known
    }
    where = f", with {min(own)}," if own and not unnamed(line) else unnamed(line)
    return f"; T.have({line}){where} would do, if it is true, and is not found{lost}"


def _from_one_on(line: Relation, goal: Relation) -> str:
    """What an induction along a line needs; a bound of a(n) may be meant for n ≥ 1 alone."""
    now = line.lhs.func(line.lhs.args[0] - 1)
    begun = sympy.expand(line.rhs).coeff(now).subs(now.args[0], 0) != 0
    calls = atoms(goal.lhs, AppliedUndef)
    first = {one.args[0] for one in calls if one.func == now.func}
    open_ = sorted((one for one in first if one.is_Symbol and not one.is_positive), key=str)
    if begun or not open_:
        return "an induction needs a factor that is shown to be at least 0"
    n = open_[0]
    return f'nothing bounds {now.func(0)}; if it is meant for {n} >= 1, write {n} = count("{n}")'


def _fails(found: Iterable[Certified]) -> bool:
    return any(one.outcome in ("not found", "refused") for one in found)


def _steps(line: Relation) -> bool:
    """Whether a line names sequences in iterations k and k + 1."""
    return len({call.args for call in line.gap.atoms(AppliedUndef)}) > 1


def theorems_of(claims: Iterable[Claim]) -> list[Theorem]:
    """The theorems of claims, those of their branches, and what these cite."""
    listed: dict[int, Theorem] = {}

    def take(theorem: object) -> None:
        if type(theorem) is Theorem and id(theorem) not in listed:
            listed[id(theorem)] = theorem
            for cited in theorem.cites:
                take(cited)

    for claim in claims:
        take(claim.theorem)
        branches = getattr(claim.account, "keywords", {}).get("branches", {})
        for theorem in branches.values():
            take(theorem)
    return [*listed.values()]


def _of_theorem(
    theorem: Theorem,
    again: bool,
    progress: Progress,
    is_lost: Callable[[], bool],
    lost: set[str],
) -> Iterator[Certified]:
    """Search line by line; what is not found, and what rests on it, serves no later line."""
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    inside: dict[str, str] = {}
    roots = (one.rule.of for one in theorem.steps if type(one.rule) is Root)
    squares = {name for name in roots if name.endswith(SQUARED)}
    for step in theorem.steps:
        known = {name: fact for name, fact in facts.items() if name not in lost}
        found = [*_of_rule(theorem, step.name, step.relation, step.rule, known, again, progress)]
        if lost.intersection(() if type(step.rule) is Found else step.rule.uses):
            lost.add(step.name)
        elif type(step.rule) is Induction and not _repeats(step, lost):
            found = [*_refused(theorem, step, known)]
        failed = any(one.entry is None for one in found)
        if failed or _repeats(step, lost):
            lost.add(step.name)
        if failed and step.name in squares:  # the line may follow otherwise
            continue
        if failed and step.name.endswith(INSIDE):  # the line itself says what is missing
            inside[step.name.removesuffix(INSIDE)] = f"in one iteration: {found[0].why}"
        else:
            why = inside.get(step.name)
            for one in found:
                yield one if why is None or one.entry is not None else replace(one, why=why)
        facts[step.name] = step.relation
    if is_lost():
        return
    known = {name: fact for name, fact in facts.items() if name not in lost}
    for one in _of_rule(theorem, STATEMENT, theorem.goal, theorem.conclude, known, again, progress):
        hint = "" if lost or one.entry is not None else missing_line(theorem.goal, known.values())
        said = "" if one.entry is not None else reading(theorem)
        yield replace(one, why=one.why + (f"; {said}" if said else "") + hint)


def _repeats(step: Step, lost: Collection[str]) -> bool:
    """Whether this is a bound by induction of x_k, and the one for every n is refused already."""
    return (
        type(step.rule) is Induction and step.name.removesuffix(EACH + str(step.rule.index)) in lost
    )


def _refused(theorem: Theorem, step: Step, facts: dict[str, Relation]) -> Iterator[Certified]:
    """An induction that the kernel does not accept, whatever is certified beside it."""
    checked = step.rule.check(step.relation, Given(theorem, facts))
    if checked.verdict is not Verdict.PROVED:
        why = f"{step.relation}: {checked.note}"
        yield Certified(theorem.id, step.name, "refused", why, 0.0, None, Path())


def _of_rule(
    theorem: Theorem,
    step: str,
    goal: Relation,
    rule: Rule,
    facts: dict[str, Relation],
    again: bool,
    progress: Progress,
) -> Iterator[Certified]:
    if type(rule) is not Found:
        return
    before = process_time()
    given = Given(theorem, facts)
    if not again and rule.check(goal, given).verdict is Verdict.PROVED:
        searched, outcome = Searched(_plain(rule)), "kept"
    else:
        progress(f"{theorem.id}: {step}")
        searched = _searched(theorem, goal, rule, facts)
        outcome = "not found" if searched.combine is None else "found"
    combine, why = searched.combine, searched.why
    why += "" if combine is not None else missing_fact(theorem, goal)
    data = None
    if combine is not None:
        facts = facts | {one.name: one.relation for one in searched.steps}
        given = Given(theorem, facts)
        steps = {one.name: one for one in (*theorem.steps, *searched.steps)}
        data = entry(theorem.id, step, goal, facts, combine, steps)
        if outcome == "kept":  # word by word, whoever wrote it
            kept = entries_of(rule.path, theorem.id, step)
            data = next((dict(one) for one in kept if one["key"] == data["key"]), data)
        why = _unread(data, goal, given)
        data, outcome = (None, "not found") if why else (data, outcome)
    yield Certified(theorem.id, step, outcome, why, process_time() - before, data, rule.path)


def _searched(
    theorem: Theorem, goal: Relation, rule: Found, facts: Mapping[str, Relation]
) -> Searched:
    unknown = [name for name in rule.among if name not in facts]
    if unknown:
        return Searched(None, f"no fact is called {unknown[0]!r} here")
    return search(theorem, goal, {name: facts[name] for name in rule.among or facts})


def _unread(data: Entry, goal: Relation, given: Given) -> str:
    """Why a certificate does not hold as it is read back, or ``""``."""
    used = {name: given.facts[name] for name in (*data["facts"], *data["domain"])}
    try:
        checked = Combine(**parts_of(data, goal, used, data["step"])).check(goal, given)
    except TheoryError as error:  # such as two symbols of one name
        return error.what
    return "" if checked.verdict is Verdict.PROVED else checked.note


def _plain(rule: Found) -> Combine:
    return Combine(rule.facts, rule.squares, rule.plus, rule.domain)
