"""Weight policies: their domain and the two questions they answer."""

from __future__ import annotations

from typing import Any

import pytest

from schedules import WeightPolicy
from schedules.errors import ParameterError
from schedules.policies import POLICY_NAMES


def test_names() -> None:
    assert set(POLICY_NAMES) == {
        "stash", "latest", "vertical-sync", "double-buffer", "flush", "predict"
    }  # fmt: skip


def test_defaults() -> None:
    policy = WeightPolicy("stash")
    assert (policy.interval, policy.horizon) == (1, 0)


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_who_decides_what_is_read(name: Any) -> None:
    policy = WeightPolicy(name)
    assert policy.reads_stage_zero == (name in ("vertical-sync", "double-buffer"))
    assert policy.keeps_forward_version == (name != "latest")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"name": "stale"}, "'stale'"),
        ({"name": "stash", "interval": 0}, "interval = 0"),
        ({"name": "stash", "interval": -2}, "interval = -2"),
        ({"name": "stash", "horizon": 1}, "found 1"),
        ({"name": "predict", "horizon": -1}, "found -1"),
    ],
    ids=str,
)
def test_outside_the_domain(arguments: dict[str, Any], found: str) -> None:
    with pytest.raises(ParameterError, match=found):
        WeightPolicy(**arguments)


def test_only_prediction_looks_ahead() -> None:
    assert WeightPolicy("predict", horizon=3).horizon == 3
    assert WeightPolicy("predict").horizon == 0
