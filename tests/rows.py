"""Small schedules as text: one line a rank, actions as in the JSON schedule (``0F0``, ``1U@1``)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from schedules import Schedule, WeightPolicy
from schedules.formats.schedule_json import parse_json
from schedules.policies import PolicyName

FILE = "a.json"


def rows(
    text: str,
    policy: PolicyName = "flush",
    interval: int = 1,
    microbatches: int | None = None,
    placement: Mapping[str, object] | None = None,
) -> Schedule:
    """Read a schedule; M is one more than the largest microbatch unless given."""
    ranks = [line.split() for line in text.strip().splitlines()]
    document: dict[str, object] = {
        "schema": "staleproof-schedule/1",
        "name": FILE,
        "microbatches": microbatches or _largest(ranks) + 1,
        "policy": {"name": policy, "interval": interval},
        "placement": placement or _one_pipeline(ranks),
        "ranks": ranks,
    }
    schedule = parse_json(json.dumps(document), FILE)
    assert schedule.policy == WeightPolicy(policy, interval)
    return schedule


def _largest(ranks: list[list[str]]) -> int:
    numbers = [cell.partition("F")[2].partition("@")[0] for row in ranks for cell in row]
    return max(int(number) for number in numbers if number.isdigit())


def _one_pipeline(ranks: list[list[str]]) -> dict[str, object]:
    """Every stage on the rank where it first computes."""
    rank_of = {int(cell.partition("F")[0]): r for r, row in reversed(list(enumerate(ranks)))
               for cell in row if cell.partition("F")[0].isdigit()}  # fmt: skip
    return {
        "ranks": [[rank_of[stage] for stage in range(len(rank_of))]],
        "copies": [[0] * len(rank_of)],
    }
