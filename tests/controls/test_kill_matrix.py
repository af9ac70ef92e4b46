"""Every mutant of a real schedule is caught by an invariant that names the mistake, or harmless.

What harmless means, and the table of all mutants, is in ``docs/explanation/mutation.md``. The fast
tests take a few mutants an operator and subject; the slow ones take all and look at the page.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from schedules import build
from schedules.formats import Document
from schedules.invariants import INVARIANTS, check
from schedules.invariants.registry import BASE
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from tests.mutations import page
from tests.mutations.judge import TERMS, Verdict, contract, judged, meaning_of
from tests.mutations.machine import meaning
from tests.mutations.measures import MEASURED
from tests.mutations.mutant import Mutant, Operator
from tests.mutations.operators import REFUSED
from tests.mutations.operators_around import OPERATORS
from tests.mutations.orders import rows_of, schedule_of, swapped
from tests.mutations.subjects import BUILT, FILES, LARGER_FILES, Subject, subject
from tests.mutations.tables import filled, part

FEW = 1
SMALL = (*FILES, *BUILT)
NAMES = (*SMALL, *LARGER_FILES)

NO_MATTER_OF_MEANING = frozenset(
    "complete in-flight activations delay delay-any-timing buffer-safe".split()
)
"""What a mutant may break that computes the same: work done twice, memory, times, buffers."""

BY_NAME = {operator.name: operator for operator in OPERATORS}


@cache
def few(name: str) -> tuple[Verdict, ...]:
    return tuple(
        judged(operator, mutant)
        for operator in OPERATORS
        for mutant in operator.mutants(subject(name), FEW)
    )


def assert_judged_right(verdict: Verdict) -> None:
    """The fate, and that checker and machine agree wherever both have something to say."""
    found, broken = verdict.meaning, set(verdict.broken)
    told = verdict.mutant.subject.name, verdict.operator.name, verdict.mutant.change, broken
    assert verdict.fate != "missed", told
    if found is None:
        assert broken == {REFUSED}, told
        return
    if not broken & {"complete", "causal"}:
        assert bool(found.stuck) == ("deadlock-free" in broken), told
    if found.wrong:
        # Where an order names its buffers, what arrives in another one is told as that.
        assert broken & {"match", "buffer-safe"}, told
    if found.sound and not broken & set(BASE):
        assert verdict.measured_as_broken == broken & MEASURED, told
    if verdict.means_the_same:
        assert broken <= NO_MATTER_OF_MEANING, told


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", SMALL)
def test_a_few_mutants(name: str) -> None:
    found = few(name)
    assert len(found) >= FEW
    for verdict in found:
        assert_judged_right(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_mutants(name: str) -> None:
    assert check(subject(name).document, contract(subject(name)), subject(name).model).ok
    for verdict in page.verdicts(name):
        assert_judged_right(verdict)


@pytest.mark.parametrize("name", SMALL)
def test_subjects_are_right(name: str) -> None:
    """Nothing is wrong with a subject, by the checker and by the machine in any order."""
    one = subject(name)
    assert check(one.document, contract(one), one.model).ok
    assert meaning_of(one).sound
    assert all(
        meaning(one.schedule, one.model, TERMS, seed).same_as(meaning_of(one))
        for seed in range(1, 4)
    )


def test_every_operator_is_used() -> None:
    made = Counter(verdict.operator.name for name in SMALL for verdict in few(name))
    assert set(made) == {operator.name for operator in OPERATORS}


def test_every_invariant_catches_something() -> None:
    """Of those that a contract can hold: `memory` needs sizes, `policy` vertical-sync.

    No subject has waits for sends, or is one of forwards alone.
    """
    reordered = BY_NAME["swap neighbouring computations"]
    found = [verdict for name in SMALL for verdict in few(name)]
    found += [judged(reordered, mutant) for mutant in reordered.mutants(subject("pipedream"))]
    caught = {broken for verdict in found for broken in verdict.broken}
    without = {"memory", "rank-memory", "policy", "send-buffers", "forward-only"}
    assert set(INVARIANTS) - without - caught == set()


# The judge itself: it must not take what is broken for harmless


def by_hand(operator: str, one: Subject, document: Document) -> Verdict:
    return judged(BY_NAME[operator], Mutant(one, operator, "by hand", document, one.model))


def blindfold(monkeypatch: pytest.MonkeyPatch, one: Subject) -> None:
    """Let the judge's checker accept everything; the contract is settled before."""
    silent = check(one.document, contract(one), one.model)
    assert silent.ok
    monkeypatch.setattr("tests.mutations.judge.check", lambda *_: silent)


def test_a_missed_mutant_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a checker that accepts everything, nothing that means something else gets through."""
    one = subject("torch2.13_1F1B_p2_m4.comms.csv")
    blindfold(monkeypatch, one)
    fates = Counter(
        judged(operator, mutant).fate
        for operator in OPERATORS
        if operator.name.startswith(("drop", "swap sends"))
        for mutant in operator.mutants(one, 4)
    )
    assert fates["missed"] >= 20
    assert fates["caught"] == 0


@pytest.mark.parametrize("operator", ["swap neighbouring computations", "move an update"])
def test_another_schedule_has_to_keep_the_contract(
    monkeypatch: pytest.MonkeyPatch, operator: str
) -> None:
    """A checker that accepts everything does not make a broken schedule another one."""
    one = subject("pipedream with updates")
    blindfold(monkeypatch, one)
    found = [judged(BY_NAME[operator], mutant) for mutant in BY_NAME[operator].mutants(one)]
    beyond = [v for v in found if v.meaning and v.meaning.sound and v.measured_as_broken]
    unsound = [v for v in found if v.meaning and not v.meaning.sound]
    assert beyond
    assert unsound or operator == "move an update"
    assert {verdict.fate for verdict in beyond + unsound} == {"missed"}


def test_another_order_of_updates_is_not_the_same() -> None:
    """A forward that reads another version means something else, though nothing is wrong."""
    one = Subject("pipedream", Document(build("pipedream", 3, 6)), QueueModel())
    rows = rows_of(one.schedule)
    at = [str(cell.action) for cell in rows[1]]
    change = swapped(rows, 1, at.index("1B1"), at.index("1B1") + 1)
    verdict = by_hand(
        "swap neighbouring computations", one, Document(schedule_of(one.schedule, change))
    )
    assert verdict.meaning is not None
    assert not verdict.means_the_same


def test_a_batch_is_the_same_as_its_members() -> None:
    one = Subject("gpipe", Document(lower(build("gpipe", 2, 2))), QueueModel())
    for mutant in BY_NAME["batch two messages"].mutants(one):
        assert judged(BY_NAME["batch two messages"], mutant).fate == "equivalent"


def test_operators_are_reproducible() -> None:
    operator: Operator = BY_NAME["relabel a message"]
    one = subject("pipedream")
    changes = [mutant.change for mutant in operator.mutants(one, 5)]
    assert changes == [mutant.change for mutant in operator.mutants(one, 5)]
    assert len(set(changes)) == 5


# The page


def current() -> str:
    return page.PAGE.read_text(encoding="utf-8")


def test_operators_on_the_page() -> None:
    """All of them, in their order, and none of their mutants is missed."""
    rows = [line.split(" | ") for line in part(current(), "operators").splitlines()[2:]]
    named = [f"| {operator.name}: {operator.meaning}" for operator in OPERATORS]
    assert [row[0] for row in rows] == [*named, "| **all**"], "run python -m tests.mutations.page"
    assert not any("missed" in row[-1] for row in rows)


@pytest.mark.slow
def test_whole_page_is_current() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    assert current() == filled(current(), page.parts()), "run python -m tests.mutations.page"
