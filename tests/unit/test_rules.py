"""The engine that plays greedy rules, slot by slot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schedules import Action, Kind
from schedules.errors import InvalidScheduleError
from schedules.families.pipedream import RULE
from schedules.rules import run_greedy

F, B = Kind.F, Kind.B


def texts(orders: list[list[Action]]) -> list[str]:
    """Orders without the stage: "F0 B0 …"."""
    return [
        " ".join(f"{action.kind.name}{action.microbatch}" for action in order) for order in orders
    ]


def test_alternation_after_the_first_backward() -> None:
    assert texts(run_greedy(RULE, 3, 4, 3).orders) == [
        "F0 F1 F2 B0 F3 B1 B2 B3",
        "F0 F1 F2 B0 B1 F3 B2 B3",
        "F0 B0 F1 B1 F2 B2 F3 B3",
    ]


def test_limit_on_active_microbatches() -> None:
    assert texts(run_greedy(RULE, 2, 3, 1).orders) == ["F0 B0 F1 B1 F2 B2"] * 2
    assert texts(run_greedy(RULE, 2, 3, None).orders)[0] == "F0 F1 F2 B0 B1 B2"


def test_preference_for_forwards_fills_first() -> None:
    eager = replace(RULE, prefer_first=F, prefer_after={B: F, F: F})
    assert texts(run_greedy(eager, 1, 3, None).orders) == ["F0 F1 F2 B0 B1 B2"]
    assert texts(run_greedy(RULE, 1, 3, None).orders) == ["F0 B0 F1 B1 F2 B2"]


def test_gate_holds_a_forward_back() -> None:
    def after_the_one_before(stage: int, microbatch: int) -> tuple[int, int] | None:
        return (0, microbatch - 1) if microbatch else None

    assert (
        run_greedy(RULE, 3, 3, None, [after_the_one_before]).orders
        == run_greedy(RULE, 3, 3, 1).orders
    )


@pytest.mark.parametrize("p", [1, 2, 4])
def test_gate_that_never_opens(p: int) -> None:
    def on_itself(stage: int, microbatch: int) -> tuple[int, int]:
        return stage, microbatch

    with pytest.raises(InvalidScheduleError, match="0 of 2 microbatches finished"):
        run_greedy(RULE, p, 2, None, [on_itself])


def test_no_microbatch_may_be_active() -> None:
    with pytest.raises(InvalidScheduleError, match="has to make progress"):
        run_greedy(RULE, 2, 2, 0)
