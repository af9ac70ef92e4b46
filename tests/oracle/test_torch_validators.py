"""PyTorch's own validators beside ours, on the same mutants: what the page says of them.

The facts are those of PyTorch 2.13; with another version the tests of counts are skipped.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from schedules import Schedule, build
from schedules.formats import read_document
from schedules.formats.pytorch_csv import parse_csv
from schedules.invariants import check
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from tests.mutations import page, torch_page
from tests.mutations.judge import judged
from tests.mutations.operators_around import OPERATORS
from tests.mutations.subjects import DATA, subject
from tests.mutations.tables import part
from tests.mutations.torch_validators import (
    Opinion,
    expressible,
    load,
    opinion,
    simulate,
    validate,
)

VERSION = "2.13"


@pytest.fixture(scope="module")
def module() -> Any:
    found = load()
    if found is None:
        pytest.skip("no PyTorch with these validators is installed")
    try:
        installed = version("torch")
    except PackageNotFoundError:
        installed = "none"
    if not installed.startswith(VERSION + "."):
        pytest.skip(f"the facts are those of PyTorch {VERSION}, installed is {installed}")
    return found


def names(schedule: Schedule, model: QueueModel | None = None) -> set[str]:
    return {violation.invariant for violation in check(schedule, (), model).violations}


@pytest.mark.parametrize("name", torch_page.LOWERED)
def test_stored_orders_are_accepted_without_collectives(module: Any, name: str) -> None:
    schedule = subject(name).schedule
    assert opinion(module, schedule) == Opinion(None, None)
    assert simulate(module, schedule) == "ValueError: Unsupported action type 0UNSHARD"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", torch_page.LOWERED)
def test_harmless_mutants_are_accepted_by_all(module: Any, name: str) -> None:
    """And a fault is never accepted by us, whatever PyTorch says."""
    found = [
        judged(operator, mutant)
        for operator in OPERATORS
        for mutant in operator.mutants(subject(name), 2)
    ]
    rows = torch_page.rows(found)
    assert rows
    for row in rows:
        if row.case == "computes the same":
            assert row.opinion == torch_page.ACCEPTED
        else:
            assert row.verdict.broken


# What both accept


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_hang_with_rendezvous_sends(module: Any, ranks: int) -> None:
    schedule = lower(build("1f1b", ranks, 3), "just-in-time")
    assert opinion(module, schedule) == Opinion(None, None)
    assert names(schedule, QueueModel("rank", 0)) == {"deadlock-free"}
    assert names(schedule, QueueModel("rank", 1)) == set()


def test_mixed_tensors(module: Any) -> None:
    """Rank 1 takes an activation of stage 0 for a gradient of stage 2: both come from rank 0."""
    text = (
        "0F0,0SEND_F0,2RECV_F0,2F0,0F1,0SEND_F1,2B0,2SEND_B0,2RECV_F1,2F1,2B1,2SEND_B1,"
        "0RECV_B0,0B0,0RECV_B1,0B1\n"
        "1RECV_F0,1F0,1SEND_F0,1RECV_B0,1RECV_F1,1F1,1SEND_F1,1RECV_B1,1B0,1SEND_B0,1B1,1SEND_B1"
    )
    schedule = parse_csv(text, "mixed.csv")
    assert opinion(module, schedule) == Opinion(None, None)
    assert names(schedule) == {"match"}


def test_what_is_there_twice(module: Any) -> None:
    schedule = parse_csv("0F0,0F0,0B0,0B0", "twice.csv")
    assert opinion(module, schedule) == Opinion(None, None)
    assert names(schedule) == {"complete"}


def test_a_message_too_many(module: Any) -> None:
    schedule = parse_csv("0F0,0SEND_F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "a.csv")
    assert opinion(module, schedule) == Opinion(None, None)
    assert names(schedule) == {"match", "deadlock-free"}


# What one of them sees


def test_stages_in_the_wrong_order_are_seen_by_the_dry_run(module: Any) -> None:
    schedule = parse_csv("0F0,0SEND_F0,0RECV_B0,0B0\n1F0,1RECV_F0,1B0,1SEND_B0", "early.csv")
    assert validate(module, schedule) is None
    assert simulate(module, schedule) == "ValueError: Schedule is not progressing"
    assert "causal" in names(schedule)


def test_a_backward_without_its_forward_is_seen_by_the_validator(module: Any) -> None:
    schedule = parse_csv("0B0,0F0", "early.csv")
    said = opinion(module, schedule)
    assert said.validator is not None
    assert "without first running Forward" in said.validator
    assert said.simulator is None
    assert names(schedule) == {"causal"}


def test_the_stored_bug_is_rejected_by_all(module: Any) -> None:
    schedule = read_document(DATA / "torch2.13_1F1B_p4_m4_last-rank-bug.compute.csv").schedule
    assert validate(module, schedule) is not None
    assert names(schedule)


# What cannot be asked


def test_what_pytorchs_cells_cannot_hold() -> None:
    assert not expressible(subject("chimera").schedule)
    assert not expressible(subject("pipedream with updates").schedule)
    assert not expressible(subject("pipedream, batched").schedule)
    assert expressible(subject("pipedream").schedule)


# The page


def test_stored_orders_on_the_page(module: Any) -> None:
    shown = part(page.PAGE.read_text(encoding="utf-8"), "torch stored")
    assert shown == torch_page.as_they_are()
