"""What a comparison says: invariants lost and gained, numbers that changed."""

from dataclasses import replace
from typing import Any

from schedules import WeightPolicy
from schedules.messages.model import QueueModel
from staleproof.checking.changes import (
    Change,
    Comparison,
    compared,
    compared_results,
    comparison_lines,
)
from staleproof.checking.outcome import Fault, Outcome

BASE = ("complete", "causal", "match", "deadlock-free")
GOOD = Outcome("ci/a.csv", True, 8, True, True, QueueModel(), WeightPolicy("flush"), decided=BASE)
BAD = replace(
    GOOD,
    target="ci/b.csv",
    ok=False,
    undecided=(("memory", "there are no sizes"),),
    faults=(Fault("match", "ci/b.csv:row 2:cell 3: wrong", "ci/b.csv:row 2:cell 3", {}),),
)
SILENT = replace(GOOD, target="gpipe", has_messages=False, from_file=False)

OLD: dict[str, Any] = {
    "length": 22,
    "idle_fraction": "3/11",
    "activations": [4, 3],
    "policy": "stash",
    "deadlock": {"rank": 0, "peer": 0},
}
NEW: dict[str, Any] = {
    "length": 24,
    "idle_fraction": "1/3",
    "activations": [4, 2, 1],
    "policy": "stash",
    "deadlock": {"rank": None, "peer": 0},
}


def test_changes() -> None:
    comparison = Comparison(replace(GOOD, facts=OLD), replace(BAD, facts=NEW))
    assert comparison.changes == [
        Change("length", "", 22, 24),
        Change("idle_fraction", "", "3/11", "1/3"),
        Change("activations", "stage 1", 3, 2),
        Change("activations", "stage 2", None, 1),
        Change("deadlock", "rank", 0, None),
    ]
    assert comparison.unchanged == ["policy"]
    assert (comparison.lost, comparison.gained) == (["match"], [])
    assert list(comparison_lines(comparison)) == [
        "from ci/a.csv to ci/b.csv:",
        "  holds no more: match",
        "  length: 22 -> 24 (+2)",
        "  idle fraction: 3/11 -> 1/3 (27.3% -> 33.3%)",
        "  activations: stage 1 3 -> 2 (-1), stage 2 none -> 1",
        "  least buffer without deadlock: rank 0 -> never completes",
        "  unchanged: policy",
    ]


def test_changes_back() -> None:
    comparison = Comparison(replace(BAD, facts=NEW), replace(GOOD, facts=OLD))
    assert (comparison.lost, comparison.gained) == ([], ["match"])
    assert "  holds now: match" in comparison_lines(comparison)
    found = compared(comparison)
    assert found["ok"]
    assert set(found) == {"ok", "old", "new", "lost", "gained", "changes", "unchanged"}
    assert found["changes"][0] == {"quantity": "length", "at": "", "old": 24, "new": 22}


def test_what_was_broken_before_is_not_lost() -> None:
    comparison = Comparison(BAD, BAD)
    assert (comparison.lost, comparison.gained, comparison.changes) == ([], [], [])


def test_numbers_of_ranks_are_numbered_by_rank() -> None:
    old, new = ({"rank_memory": [value]} for value in (1, 2))
    [change] = Comparison(replace(GOOD, facts=old), replace(GOOD, facts=new)).changes
    assert change.at == "rank 0"


def test_what_cannot_run_is_not_compared() -> None:
    alone = {"deadlock": OLD["deadlock"]}
    comparison = Comparison(replace(GOOD, facts=OLD), replace(BAD, facts=alone))
    told = list(comparison_lines(comparison))
    assert "  not compared: ci/b.csv has no numbers as long as match does not hold" in told
    assert not any("length" in line for line in told)


def test_lost_is_all_that_is_not_known_to_hold_any_more() -> None:
    old = replace(GOOD, facts=OLD)
    gone = replace(SILENT, facts=OLD)
    undecided = replace(GOOD, facts=OLD, decided=BASE[:3], undecided=(("deadlock-free", "why"),))
    for new, lost, line in (
        (gone, ["match", "deadlock-free"], "no messages any more: match, deadlock-free"),
        (undecided, ["deadlock-free"], "not decided any more: deadlock-free"),
        (BAD, ["match"], "holds no more: match"),
    ):
        assert Comparison(old, new).lost == lost
        assert f"  {line}" in comparison_lines(Comparison(old, new))
        assert Comparison(new, old).gained == lost
        assert f"  holds now: {', '.join(lost)}" in comparison_lines(Comparison(new, old))


def test_several_comparisons() -> None:
    good, bad = Comparison(GOOD, GOOD), Comparison(GOOD, BAD)
    assert compared_results([bad]) == compared(bad)
    assert compared_results([good, bad]) == {
        "ok": False,
        "results": [compared(good), compared(bad)],
    }
