"""Bounds with a form only where p leaves a rest: a law for every rest, against runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedules.closed_forms.affine import ONE
from schedules.closed_forms.let_in import Part, parts_of
from schedules.families import Family, get_family
from schedules.policies import WeightPolicy
from tests.own_runs import compare
from theory import derive as deriving
from theory.derive import derive, invariants
from theory.errors import NoClosedFormError
from theory.laws.delays.greedy_induction import prove_part
from theory.verdicts import Verdict

BOUNDS: dict[str, Callable[[Any], Any]] = {
    "p - p % 2": lambda p: p - p % 2,
    "p - p % 3": lambda p: p - p % 3,
    "p + p % 2": lambda p: p + p % 2,
    "2 * ((p + 1) // 2)": lambda p: 2 * ((p + 1) // 2),
    "p // 3 * 2": lambda p: p // 3 * 2,
    "p // 2 * 3": lambda p: p // 2 * 3,
    "p // 2 + p // 3": lambda p: p // 2 + p // 3,
    "3 + p % 2": lambda p: 3 + p % 2,
    "max(3, p - p % 4)": lambda p: max(3, p - p % 4),
    "p if p % 2 == 1 else 2 * p": lambda p: p if p % 2 == 1 else 2 * p,
}
SIZES = [(p, M) for p in range(2, 8) for M in (1, p + 1, 3 * p + 2)]

FILE = """
import operator

from schedules.actions import Kind
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule

FAMILY = Family(
    name="own",
    source="own",
    summary="own",
    policy=WeightPolicy("stash"),
    rule=GreedyRule(operator.lt, Kind.B, {{Kind.B: Kind.F, Kind.F: Kind.B}}),
    admission=lambda p: {bound},
)
"""


def family(bound: str) -> Family:
    pipedream, policy = get_family("pipedream"), WeightPolicy("stash")
    return replace(pipedream, name=bound, policy=policy, admission=BOUNDS[bound])


def written(folder: Path, bound: str) -> str:
    path = folder / "own.py"
    path.write_text(FILE.format(bound=bound))
    return str(path)


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_part_is_the_law_of_its_runs(bound: str, tmp_path: Path) -> None:
    path, own = written(tmp_path, bound), family(bound)
    law = derive(path)
    assert law.verdict is Verdict.PROVED
    assert len(law.parts) > 1
    for part in law.parts:
        for p, M in SIZES:
            compare(part.to_json(), own, "ascending", p, M)
    row = invariants(path, law)
    assert row.proved
    assert row.domain.count("p % ") == len(law.parts)


def test_a_number_is_that_of_the_part_that_has_it(tmp_path: Path) -> None:
    law = derive(written(tmp_path, "p - p % 2"))
    assert law.to_json()["open"] == ""
    assert law.at(6)["mean"] == "35/2"
    assert law.at(7, 0, 0, 3)["mean"] == "41/2"
    with pytest.raises(NoClosedFormError, match="every microbatch"):
        law.at(6, 0, 0, 3)


def test_what_has_one_form_or_none_has_no_parts() -> None:
    assert parts_of(None) == parts_of(lambda p: p // 2 + p % 2) == parts_of(lambda p: p * p) == ()
    assert [part.least for part in parts_of(BOUNDS["max(3, p - p % 4)"])] == [2, 2, 3, 4]


def test_a_part_that_is_another_is_not_proved(monkeypatch: Any, tmp_path: Path) -> None:
    """Forms, rests and least p that are not the bound's, and one that is no formula."""
    bound = BOUNDS["p - p % 2"]
    even, odd = parts_of(bound)
    assert prove_part(bound, odd).verdict is Verdict.PROVED
    wrong: list[tuple[Callable[[Any], Any], Part]] = [
        (bound, replace(odd, form=even.form)),
        (bound, replace(odd, form=replace(odd.form, form=odd.form.form.plus(ONE)))),
        (bound, replace(odd, rest=0)),
        (bound, replace(odd, modulus=3)),
        (lambda p: max(4, bound(p)), even),
    ]
    assert all(prove_part(*one).verdict is Verdict.REFUTED for one in wrong)
    table = {p: p - p % 2 for p in range(60)}
    assert prove_part(lambda p: table[p], even).verdict is Verdict.UNKNOWN
    shifted = (even, replace(odd, rest=odd.rest, form=even.form))
    monkeypatch.setattr(deriving, "parts_of", lambda _: shifted)
    law = derive(written(tmp_path, "p - p % 2"))
    assert law.verdict is Verdict.UNKNOWN
    assert law.to_json()["delay"] is None
    assert "this form is not the law" in law.parts[1].to_json()["open"]
