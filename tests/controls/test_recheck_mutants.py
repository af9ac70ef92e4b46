"""Edited certificates: the re-checker refuses each, and accepts what they were made from."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest

from reports.recheck import OTHER_RULES, BadInput, recheck
from tests.proof_ledgers import ledger_of
from theory.kernel.lemmas import LEMMAS
from theory.kernel.rules import RULES
from theory.papers.nesterov.lemmas.repaired_look_ahead import THEOREM as LOOK_AHEAD
from theory.papers.rpd.eq_9 import THEOREM as EQ_9
from theory.papers.sapipe.thm_2_pass import THEOREM as PASS

Ledger = dict[str, Any]
Edited = tuple[str, Ledger]

NUMBER: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^\W\d]\w*|([0-9]+)')
SUBJECTS: Final = (*LEMMAS, LOOK_AHEAD, EQ_9, PASS)


def _combines(row: Ledger) -> Iterator[tuple[int, Ledger, Ledger]]:
    for place, step in enumerate(row["steps"]):
        if step["certificate"] and step["certificate"]["rule"] == "Combine":
            yield place, step, step["certificate"]


def _with_numbers_changed(text: str) -> Iterator[str]:
    """The text with one number made larger by 1, for each number that is not part of a name."""
    for found in NUMBER.finditer(text):
        if found[1]:
            yield f"{text[: found.start()]}{int(found[1]) + 1}{text[found.end() :]}"


def _edit(ledger: Ledger, *path: str | int, to: Any) -> Ledger:
    edited = copy.deepcopy(ledger)
    holder: Any = edited["claims"][0]
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return edited


def _of_multipliers(ledger: Ledger, row: Ledger) -> Iterator[Edited]:
    for place, _, data in _combines(row):
        for name, text in data["facts"].items():
            at = ("steps", place, "certificate", "facts", name)
            yield "multiplier doubled", _edit(ledger, *at, to=f"2*({text})")
            yield "multiplier larger by 1", _edit(ledger, *at, to=f"{text} + 1")
            yield "multiplier's sign", _edit(ledger, *at, to=f"-({text})")
            fewer = {key: one for key, one in data["facts"].items() if key != name}
            yield "fact dropped", _edit(ledger, *at[:-1], to=fewer)


def _of_squares(ledger: Ledger, row: Ledger) -> Iterator[Edited]:
    for place, _, data in _combines(row):
        for number, (coefficient, squared) in enumerate(data["squares"]):
            at = ("steps", place, "certificate", "squares", number)
            yield "coefficient's sign", _edit(ledger, *at, 0, to=f"-({coefficient})")
            if isinstance(squared, list) and len(squared) > 1:
                turned = [[f"-({squared[0][0]})", squared[0][1]], *squared[1:]]
                yield "sign in a square", _edit(ledger, *at, 1, to=turned)
        for number, text in enumerate(data["plus"]):
            at = ("steps", place, "certificate", "plus", number)
            yield "sign of a plus", _edit(ledger, *at, to=f"-({text})")


def _of_premises(ledger: Ledger, row: Ledger) -> Iterator[Edited]:
    used = {name for _, _, data in _combines(row) for name in data["facts"]}
    for place, step in enumerate(row["steps"]):
        if step["name"] in used:
            rest = [one for one in row["steps"] if one is not step]
            yield "premise moved behind", _edit(ledger, "steps", to=[*rest, step])
            unknown = _edit(ledger, "steps", place, "verdict", to="UNKNOWN")
            yield "premise not proved", unknown
    for place, step in enumerate(row["steps"]):
        for name in step["premises"]:
            others = [one for one in step["premises"] if one != name]
            if step["certificate"]["rule"] != "Combine":
                others += ["no such name"]
            elif name not in used:
                continue
            yield "premise dropped", _edit(ledger, "steps", place, "premises", to=others)


def _of_formulas(ledger: Ledger, row: Ledger) -> Iterator[Edited]:
    used = {name for _, _, data in _combines(row) for name in data["facts"]}
    for number, hypothesis in enumerate(row["hypotheses"]):
        if hypothesis["name"] in used:
            at = ("hypotheses", number, "formula")
            yield "hypothesis", _edit(ledger, *at, to=f"{hypothesis['formula']} + 1")
            for text in _with_numbers_changed(hypothesis["formula"]):
                yield "number in a hypothesis", _edit(ledger, *at, to=text)
    for place, step, data in _combines(row):
        at = ("steps", place, "goal")
        yield "goal", _edit(ledger, *at, to=f"{step['goal']} - 1")
        for text in _with_numbers_changed(step["goal"]):
            yield "number in a goal", _edit(ledger, *at, to=text)
        yield "no certificate", _edit(ledger, "steps", place, "certificate", to=None)
        if data["squares"] or data["plus"]:
            yield "<= to ==", _edit(ledger, *at, to=step["goal"].replace("<=", "=="))
    yield "statement", _edit(ledger, "goal", to=f"{row['goal']} - 1")
    yield "proof dropped", _edit(ledger, "steps", to=[])


def _of_signs(ledger: Ledger, row: Ledger) -> Iterator[Edited]:
    for place, _, data in _combines(row):
        times = Counter(entry["expression"] for entry in data["signs"])
        for number, entry in enumerate(data["signs"]):
            at = ("steps", place, "certificate", "signs")
            if entry["sign"] == ">=" and times[entry["expression"]] == 1:
                rest = [one for one in data["signs"] if one is not entry]
                yield "sign not listed", _edit(ledger, *at, to=rest)
            if entry["reason"] != "z3" and times[entry["expression"]] == 1:
                less = f"{entry['expression']} - 1"
                yield "other sign listed", _edit(ledger, *at, number, "expression", to=less)


def _mutants(ledger: Ledger) -> Iterator[Edited]:
    """All mutants of a short proof, and every ninth of a long one."""
    row = ledger["claims"][0]
    parts = (_of_multipliers, _of_squares, _of_premises, _of_formulas, _of_signs)
    found = [one for edits in parts for one in edits(ledger, row)]
    return iter(found if len(found) < 100 else found[::9])


def _refused(ledger: Ledger) -> bool:
    try:
        return bool(recheck(ledger).failures)
    except BadInput:
        return True


@pytest.fixture(scope="module")
def ledgers() -> dict[str, Ledger]:
    return {one.id: ledger_of([one]) for one in SUBJECTS}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [one.id for one in SUBJECTS])
def test_originals_are_accepted_and_mutants_refused(name: str, ledgers: dict[str, Ledger]) -> None:
    assert not recheck(ledgers[name]).failures
    mutants = _mutants(ledgers[name])
    accepted = [(what, n) for n, (what, one) in enumerate(mutants) if not _refused(one)]
    assert not accepted


def test_a_sign_that_is_seen_to_be_wrong_is_not_taken_on_trust() -> None:
    """That ‖u‖² a/2 + ‖v‖²/(2a) is at most ⟨u, v⟩ follows with −1/(2a), said to be shown by z3."""
    ledger = ledger_of([LEMMAS[0]])
    row = ledger["claims"][0]
    step = row["steps"][0]
    left, right = step["goal"].split(" <= ")
    row["goal"] = step["goal"] = f"{right} <= {left}"
    ((coefficient, _),) = step["certificate"]["squares"]
    step["certificate"]["squares"][0][0] = negative = f"-({coefficient})"
    said = {"expression": negative, "sign": ">=", "reason": "z3", "under": []}
    step["certificate"]["signs"] = [said]
    (failure,) = recheck(ledger).failures
    assert "another sign" in failure["says"]


@pytest.mark.parametrize(("form", "right"), [("a**2 - 2*a + 1", True), ("a - 1", False)])
def test_a_sign_that_some_numbers_break_is_not_taken_on_trust(form: str, right: bool) -> None:
    """Of the first z3 may well have found that it is at least 0 for every a > 0."""
    ledger = ledger_of([LEMMAS[0]])
    row = ledger["claims"][0]
    step = row["steps"][0]
    row["goal"] = step["goal"] = f"0 <= {form}"
    sign = {"expression": form, "sign": ">=", "reason": "z3", "under": []}
    step["certificate"] |= {"squares": [], "plus": [form], "signs": [sign]}
    assert bool(recheck(ledger).failures) is not right


def _whole(edit: str) -> Ledger:
    """A ledger of four rows of which one was edited."""
    ledger = ledger_of(LEMMAS[:3])
    first, second, last = ledger["claims"]
    ledger["summary"] = {"PROVED": 3, "UNKNOWN": 0}
    last["depends"] = [first["id"]]
    if edit == "row twice":
        ledger["claims"].append(copy.deepcopy(first))
        ledger["summary"]["PROVED"] = 4
    elif edit == "rests on what is not proved":
        first["verdict"] = "UNKNOWN"
        ledger["summary"] = {"PROVED": 2, "UNKNOWN": 1}
    elif edit == "summary":
        ledger["summary"]["PROVED"] = 4
    elif edit == "proof of another row":
        first["steps"], second["steps"] = second["steps"], first["steps"]
    elif edit == "no goal":
        first |= {"goal": None, "steps": [{"name": "statement", "goal": None, "verdict": "PROVED"}]}
    elif edit == "proved and refuted":
        second["verdict"], ledger["summary"] = "REFUTED", {"PROVED": 2, "REFUTED": 1}
    elif edit == "a maximum at least 0":
        first["symbols"].append({"name": "Max", "domain": "sequence, nonnegative"})
    elif edit == "a rule of its own":
        first["steps"][0]["certificate"] = {"rule": "Obvious"}
    return ledger


def test_the_rules_that_are_counted_are_those_of_the_kernel() -> None:
    names = {rule.__name__ for rule in RULES} - {"Combine", "Sign", "Found"}
    assert names | {"Model"} == OTHER_RULES


def test_rows_are_looked_at_together() -> None:
    edits = "row twice,rests on what is not proved,summary,proof of another row,no goal,"
    edits += "a rule of its own,proved and refuted,a maximum at least 0"
    assert (recheck(_whole("")).failures, recheck(_whole("")).rows_on_trust) == ([], 0)
    assert [edit for edit in edits.split(",") if not _refused(_whole(edit))] == []


def test_there_are_enough_mutants_of_every_kind(ledgers: dict[str, Ledger]) -> None:
    kinds = Counter(what for one in ledgers.values() for what, _ in _mutants(one))
    assert kinds.total() >= 200
    assert len(kinds) >= 17, kinds
