"""`certify`: find the certificates that `Found` stands for, and keep them in data files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from schedules.user_code import reason
from theory.claims import Claim
from theory.errors import TheoryError
from theory.kernel.relations import Relation
from theory.kernel.rules.algebra import Combine
from theory.kernel.rules.found import Found, parts_of
from theory.kernel.stored import Entry
from theory.kernel.theorem import Given, Hypothesis, Rule, Theorem
from theory.notation.building import INSIDE, offered
from theory.proving.search import Searched, search
from theory.proving.storing import entry, updated
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
        ``"found"``, ``"kept"`` if what is stored still holds, or ``"not found"``.
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
            results += [*_of_theorem(offered(theorem), again, progress or (lambda text: None))]
        except Exception as error:  # which is no reason to leave the others out
            own = f"the search stopped with {reason(error)}; please report it"
            why = str(error) if isinstance(error, TheoryError) else own
            path = getattr(theorem.conclude, "path", Path())
            results.append(Certified(theorem.id, STATEMENT, "not found", why, 0.0, None, path))
            continue
        same = [result for result in results if result.theorem == theorem.id]
        for path in dict.fromkeys(result.path for result in same):
            entries = [one.entry for one in same if one.path == path and one.entry is not None]
            distinct = {(one["step"], one["key"]): one for one in entries}
            updated(path, theorem.id, list(distinct.values()))
    return results


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


def _of_theorem(theorem: Theorem, again: bool, progress: Progress) -> Iterator[Certified]:
    """Search line by line; what is not found, and what rests on it, serves no later line."""
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    lost: set[str] = set()
    inside: dict[str, str] = {}
    for step in theorem.steps:
        known = {name: fact for name, fact in facts.items() if name not in lost}
        found = [*_of_rule(theorem, step.name, step.relation, step.rule, known, again, progress)]
        failed = any(one.outcome == "not found" for one in found)
        if failed or lost.intersection(() if type(step.rule) is Found else step.rule.uses):
            lost.add(step.name)
        if failed and step.name.endswith(INSIDE):  # the line itself says what is missing
            inside[step.name.removesuffix(INSIDE)] = f"in one iteration: {found[0].why}"
        else:
            why = inside.get(step.name)
            for one in found:
                yield one if why is None or one.entry is not None else replace(one, why=why)
        facts[step.name] = step.relation
    known = {name: fact for name, fact in facts.items() if name not in lost}
    for one in _of_rule(theorem, STATEMENT, theorem.goal, theorem.conclude, known, again, progress):
        hint = "" if lost or one.entry is not None else _missing(theorem.goal, known.values())
        yield replace(one, why=one.why + hint)


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
    data = None
    if combine is not None:
        facts = facts | {one.name: one.relation for one in searched.steps}
        given = Given(theorem, facts)
        steps = {one.name: one for one in (*theorem.steps, *searched.steps)}
        data = entry(theorem.id, step, goal, facts, combine, steps)
        why = _unread(data, goal, given)
        data, outcome = (None, "not found") if why else (data, outcome)
    yield Certified(theorem.id, step, outcome, why, process_time() - before, data, rule.path)


def _missing(goal: Relation, facts: Collection[Relation]) -> str:
    """Which sort of line a statement about sequences may lack."""
    calls = goal.gap.atoms(AppliedUndef)
    if calls and not _gains(facts):
        return "; no line says what one iteration gains, such as T.have(F(k + 1) <= F(k) - ...)"
    ends = {one for fact in facts for one in fact.gap.atoms(AppliedUndef)} - calls
    numbers = {limit[2] + 1 for total in goal.gap.atoms(sympy.Sum) for limit in total.limits}
    unsigned = (one for one in ends if {*one.args} <= numbers and not one.is_nonnegative)
    last = min(unsigned, key=lambda one: (one.func(0) not in calls, str(one)), default=None)
    if last is None:
        return ""
    return f"; how small is {last}? A line may say it, such as T.have({last.func}(k) >= 0)"


def _gains(facts: Iterable[Relation]) -> bool:
    """Whether a fact compares a sequence with itself one iteration later."""
    for fact in facts:
        calls = fact.gap.atoms(AppliedUndef)
        if any(call.func(call.args[0] + 1) in calls for call in calls if call.args[0].is_Symbol):
            return True
    return False


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
