"""The vocabulary: names, codes and classes of actions."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from schedules import Action, Kind
from schedules.actions import COMPUTE, MESSAGES


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Action(Kind.F, 2, 0), "2F0"),
        (Action(Kind.SEND_F, 0, 1), "0SEND_F1"),
        (Action(Kind.W, 12, 34), "12W34"),
        (Action(Kind.UNSHARD, 0), "0UNSHARD"),
        (Action(Kind.B, 1, 3, pipeline=2), "1B3"),
    ],
)
def test_text_is_the_cell_of_a_schedule_file(action: Action, text: str) -> None:
    assert str(action) == text


def test_codes_index_arrays() -> None:
    assert [int(kind) for kind in Kind] == list(range(len(Kind)))


def test_computing_and_messages_are_apart() -> None:
    assert not COMPUTE & MESSAGES
    assert {kind.name for kind in COMPUTE} == {"F", "B", "I", "W"}
    assert all(kind.name.startswith(("SEND_", "RECV_")) for kind in MESSAGES)


def test_actions_are_values() -> None:
    action = Action(Kind.F, 0, 1)
    assert {action, Action(Kind.F, 0, 1)} == {action}
    assert sorted([Action(Kind.B, 0, 0), action]) == [action, Action(Kind.B, 0, 0)]
    with pytest.raises(FrozenInstanceError):
        action.stage = 1  # type: ignore[misc]
