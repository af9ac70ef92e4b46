"""Family × invariant for all p and M: verdicts, closed forms and messages, by hand."""

from __future__ import annotations

import pytest
import sympy

from schedules.families import get_family
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.validation.match import match
from theory.errors import NoClosedFormError, UnknownClaimError, UnsupportedFormError
from theory.laws.static_orders.matrix import AFFINE, link, prove, stated
from theory.laws.static_orders.one_f_one_b import ONE_F_ONE_B
from theory.laws.static_orders.program import as_schedule, posts
from theory.laws.static_orders.slots import law, with_messages
from theory.laws.static_orders.symbols import K, M, p, s, term
from theory.verdicts import Verdict


def test_the_witness_against_pipemare_is_the_smallest() -> None:
    witness = {"p": 2, "M": 2, "K": 1, "s": 0, "m": 1, "read": 0, "used": 1}
    assert prove("pipemare", "stash").witness == witness


def at(family: str, invariant: str, **values: int) -> int:
    form = stated(family, invariant)
    assert form is not None
    names = {"p": p, "s": s, "M": M, "K": K}
    return int(form.subs({names[name]: value for name, value in values.items()}))


def test_closed_forms_by_hand() -> None:
    assert at("pipedream-runtime", "staleness", p=4, s=0, M=9) == 3
    assert at("pipedream-runtime", "staleness", p=4, s=0, M=2) == 1
    # m = 4 reads version 0, as only B0 has run; updates 0 and 1 come before its own.
    assert at("asyncpp", "staleness", p=4, s=0, M=9, K=2) == 2
    # Updates follow B1 and B3; B4 of M = 5 is never applied.
    assert at("asyncpp", "staleness", p=4, s=0, M=5, K=2) == 1
    assert at("pipedream-2bw", "staleness", p=4, s=0, M=9, K=4) == 1
    assert at("pipedream-2bw", "staleness", p=4, s=0, M=7, K=4) == 0
    assert at("pipedream-2bw", "staleness", p=4, s=3, M=9, K=4) == 1
    assert at("pipedream", "staleness", p=4, s=1, M=9) == 3
    assert at("1f1b", "in-flight", p=4, s=1, M=9) == 3
    assert at("gpipe", "in-flight", p=4, s=1, M=9) == 9
    assert at("naive", "in-flight", p=4, s=1, M=9) == 1
    assert at("pipedream", "in-flight", p=4, s=2, M=9) == 3


def test_families_are_those_that_are_proved_things_of() -> None:
    for family in AFFINE:
        assert link(family).verdict is Verdict.CHECKED
        assert link(family).to_json()["sizes"] >= 81


def test_1f1b_with_messages_by_hand() -> None:
    order = [str(action)[1:] for post in posts(ONE_F_ONE_B, 1, 3, 3) for action in post]
    assert " ".join(order) == (
        "RECV_F0 F0 SEND_F0 RECV_F1 F1 SEND_F1 "
        "RECV_B0 RECV_F2 B0 SEND_B0 F2 SEND_F2 RECV_B1 B1 SEND_B1 RECV_B2 B2 SEND_B2"
    )


def test_no_other_message_order_is_meant() -> None:
    meant = {family for family in AFFINE if "lower" in AFFINE[family].messages}
    assert set(AFFINE) - meant == {"pipedream"}
    assert AFFINE["pipedream"].domain == "p ≥ 2, M ≥ 1, 0 ≤ s < p"
    assert AFFINE["pipedream-2bw"].domain == "p ≥ 1, M ≥ K ≥ p with K = window, 0 ≤ s < p"


@pytest.mark.parametrize("size", [(2, 1), (3, 5), (6, 4), (5, 13)])
def test_messages_by_slots_match_and_come_to_their_end(size: tuple[int, int]) -> None:
    schedule = with_messages(get_family("pipedream"), *size)
    plan = channels(schedule)
    assert match(schedule, plan) == []
    assert progress(schedule, plan, QueueModel("rank", 0)).finished


def test_a_rank_that_waits_for_every_message_comes_to_its_end() -> None:
    schedule = as_schedule(ONE_F_ONE_B, 5, 7)
    assert progress(schedule, channels(schedule), QueueModel("rank", 0)).finished


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(NoClosedFormError, match="not for 'zbv'"):
        prove("zbv", "causal")
    with pytest.raises(UnknownClaimError, match="not 'skew'"):
        prove("gpipe", "skew")
    with pytest.raises(UnsupportedFormError, match="causal has none"):
        prove("gpipe", "causal", M)
    with pytest.raises(UnsupportedFormError):
        prove("gpipe", "in-flight", sympy.sqrt(M))
    with pytest.raises(UnsupportedFormError):
        prove("gpipe", "staleness", K - 1)


def test_start_times_with_a_product_are_no_law() -> None:
    with pytest.raises(NoClosedFormError, match="not piecewise affine"):
        law("naive")


def test_quotients_need_a_positive_divisor() -> None:
    with pytest.raises(UnsupportedFormError, match="by positive numbers"):
        term(sympy.floor(M / (K - 1)), {})
