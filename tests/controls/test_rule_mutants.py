"""Negative controls: a changed scheduler rule must not keep PipeDream's law.

Every change of the rule's data has to move the derived law or lose its proof, whether it is made
on the object or in the family's file. One change is no change: where the rule prefers B after a
B, the forward that it then passes over is never ready.
"""

from __future__ import annotations

import json
import operator
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from schedules import Kind
from schedules.families.pipedream import FAMILY, RULE
from schedules.rules import GreedyRule, run_greedy
from theory.derive import derive_rule

ROOT = Path(__file__).resolve().parents[2]

Admission = Callable[[Any], Any] | None

F, B = Kind.F, Kind.B

RULES = {
    "finished <=": replace(RULE, finished=operator.le),
    "prefer F first": replace(RULE, prefer_first=F),
    "B after B, B after F": replace(RULE, prefer_after={B: B, F: B}),
    "F after B, F after F": replace(RULE, prefer_after={B: F, F: F}),
    "B after B, F after F": replace(RULE, prefer_after={B: B, F: F}),
}
SAME_SCHEDULE = "B after B, B after F"

BOUNDS: dict[str, Admission] = {
    "p + 1": lambda p: p + 1,
    "p - 1": lambda p: p - 1,
    "2p": lambda p: 2 * p,
    "none": None,
}

GRID = list(product(range(1, 9), range(1, 25)))
"""(p, M) on which two rules are compared action by action."""


def law(rule: GreedyRule, admission: Admission) -> dict[str, Any]:
    """The derived law without the texts of its proof."""
    found = derive_rule(replace(FAMILY, rule=rule), "ascending", admission).to_json()
    return {name: value for name, value in found.items() if name not in ("proof", "clauses")}


@cache
def own_law() -> dict[str, Any]:
    return law(RULE, FAMILY.admission)


def same_orders(rule: GreedyRule, admission: Admission) -> bool:
    assert FAMILY.admission is not None
    return all(
        run_greedy(rule, p, M, admission and admission(p)).orders
        == run_greedy(RULE, p, M, FAMILY.admission(p)).orders
        for p, M in GRID
        if admission is None or admission(p) >= 1
    )


def is_proved_and_the_same(rule: GreedyRule, admission: Admission) -> bool:
    found = law(rule, admission)
    return found["verdict"] == "PROVED" and found == own_law()


def test_rule_itself_is_proved() -> None:
    assert own_law()["verdict"] == "PROVED"
    assert is_proved_and_the_same(RULE, FAMILY.admission)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", [name for name in RULES if name != SAME_SCHEDULE])
def test_changed_rule_does_not_keep_the_law(change: str) -> None:
    assert not same_orders(RULES[change], FAMILY.admission)
    assert not is_proved_and_the_same(RULES[change], FAMILY.admission)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bound", BOUNDS)
def test_changed_admission_does_not_keep_the_law(bound: str) -> None:
    assert not same_orders(RULE, BOUNDS[bound])
    assert not is_proved_and_the_same(RULE, BOUNDS[bound])


@pytest.mark.slow
def test_preference_that_never_decides_may_change() -> None:
    assert same_orders(RULES[SAME_SCHEDULE], FAMILY.admission)
    assert is_proved_and_the_same(RULES[SAME_SCHEDULE], FAMILY.admission)


def test_clauses_tell_which_preferences_decide() -> None:
    found = derive_rule(FAMILY, "ascending", FAMILY.admission).clauses
    assert {(clause.when, clause.prefers): clause.decides for clause in found} == {
        ("before the first B", "B"): True,
        ("after B", "F"): False,
        ("after F", "B"): True,
    }


@pytest.mark.slow
def test_all_combinations_of_changes() -> None:
    """The law survives exactly where the orders do."""
    for finished, first, after_b, after_f in product((operator.lt, operator.le), *[(F, B)] * 3):
        rule = GreedyRule(finished, first, {B: after_b, F: after_f})
        for admission in (FAMILY.admission, *BOUNDS.values()):
            assert is_proved_and_the_same(rule, admission) == same_orders(rule, admission)


# The same by editing the family's file and nothing else

EDITS = {
    "noam p + 1, in build alone": (
        "build: Final = FAMILY.build",
        "from dataclasses import replace\nfrom schedules.families.family import from_rule\n"
        "RULE_ALONE = FAMILY\nFAMILY = replace(FAMILY, build=lambda p, M, **given: "
        "from_rule(RULE_ALONE, p, M, noam=p + 1))",
    ),
    "finished <=": ("finished=operator.lt", "finished=operator.le"),
    "swapped kinds": (
        "{Kind.B: Kind.F, Kind.F: Kind.B}",
        "{Kind.B: Kind.B, Kind.F: Kind.F}",
    ),
    "noam 2p": ("    return stages\n", "    return 2 * stages\n"),
    "noam p - 1": ("    return stages\n", "    return stages - 1\n"),
}

DERIVE = """
import json, schedules
from theory.derive import derive
law = derive("pipedream").to_json()
print(json.dumps([schedules.__file__, law["verdict"], law["max"]]))
"""


def derive_in_copy(tree: Path, edit: tuple[str, str]) -> list[str]:
    """Verdict and maximum from a copy of the packages with one edit in `pipedream.py`."""
    for package in ("schedules", "theory"):
        shutil.copytree(
            ROOT / package, tree / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    family = tree / "schedules" / "families" / "pipedream.py"
    text, (old, new) = family.read_text(encoding="utf-8"), edit
    assert text.count(old) == 1
    family.write_text(text.replace(old, new), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", DERIVE], cwd=tree, capture_output=True, text=True, check=True
    )
    path, *found = json.loads(done.stdout)
    assert Path(path).is_relative_to(tree)
    return list(found)


def test_copy_without_an_edit_keeps_the_law(tmp_path: Path) -> None:
    assert derive_in_copy(tmp_path, ("import operator", "import operator")) == [
        "PROVED",
        own_law()["max"],
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("edit", EDITS)
def test_edited_family_file_does_not_keep_the_law(edit: str, tmp_path: Path) -> None:
    assert derive_in_copy(tmp_path, EDITS[edit]) != ["PROVED", own_law()["max"]]
