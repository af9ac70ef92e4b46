"""The blog's claims: verdicts, and the numbers they state, against values worked out by hand."""

from __future__ import annotations

import pytest
import sympy
import z3

from schedules.families import blog_1f1b
from schedules.programs import as_schedule, posts
from theory.laws.static_orders.symbols import M, p, s, term
from theory.papers.blog import bubble, inflight_1f1b, warmup
from theory.papers.blog.bubble import makespan
from theory.papers.blog.lemmas.laws import established
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.papers.blog.pairing import alone, fault
from theory.papers.blog.witnesses import runs
from theory.verdicts import Verdict


def test_1f1b_on_two_stages_by_hand() -> None:
    assert [" ".join(map(str, post)) for post in posts(ONE_F_ONE_B, 0, 2, 2)] == [
        "0F0",
        "0SEND_F0 0RECV_B0",
        "0B0",
        "0F1",
        "0SEND_F1 0RECV_B1",
        "0B1",
    ]
    assert [" ".join(map(str, post)) for post in posts(ONE_F_ONE_B, 1, 2, 2)] == [
        "1RECV_F0",
        "1F0",
        "1B0",
        "1SEND_B0 1RECV_F1",
        "1F1",
        "1B1",
        "1SEND_B1",
    ]


@pytest.mark.parametrize("name", ["blog-1f1b", "blog-gpipe"])
@pytest.mark.parametrize("part", ["loops", "places", "actions", "channels", "waits", "times"])
def test_every_part_is_proved(name: str, part: str) -> None:
    assert established(name, part).verdict is Verdict.PROVED


def test_warm_up_of_four_stages() -> None:
    form = warmup.CLAIM.printed["warmup"]
    assert [form.subs({p: 4, s: stage, M: 8}) for stage in range(4)] == [3, 2, 1, 0]
    assert [form.subs({p: 4, s: stage, M: 2}) for stage in range(4)] == [2, 2, 1, 0]


def test_peaks_by_hand() -> None:
    form = inflight_1f1b.CLAIM.printed["1f1b"]
    assert [form.subs({p: 4, s: stage, M: 8}) for stage in range(4)] == [3, 2, 1, 1]
    assert [form.subs({p: 4, s: stage, M: 2}) for stage in range(4)] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("name", "stages", "size", "idle"),
    [("naive", 4, 1, "3/4"), ("gpipe", 4, 8, "3/11"), ("1f1b", 4, 8, "5/9"), ("1f1b", 2, 8, "1/2")],
)
def test_bubbles_by_hand(name: str, stages: int, size: int, idle: str) -> None:
    form = bubble.CLAIM.printed[name]
    assert form.subs({p: stages, M: size}) == sympy.Rational(idle)
    assert sympy.cancel(form - bubble.bubble(name)) == 0


def test_makespans() -> None:
    assert sympy.expand(makespan(GPIPE) - 2 * (M + p - 1)) == 0
    assert sympy.expand(makespan(ONE_F_ONE_B) - (2 * p + 4 * (M - 1))) == 0


def test_bubbles_are_larger_from_a_number_of_stages_on() -> None:
    assert bubble.larger("naive", "1f1b", 3).verdict is Verdict.PROVED
    assert bubble.larger("naive", "1f1b", 2).verdict is not Verdict.PROVED  # equal at p = 2
    assert bubble.larger("gpipe", "1f1b", 2).verdict is not Verdict.PROVED


def test_the_last_stage_waits_in_two_of_four_slots() -> None:
    """What starts in slot 3 is a message, which takes no time."""
    found = runs.waits(blog_1f1b.FAMILY, 2, 8)
    assert found == [slot for slot in range(3, 29) if slot % 4 in (0, 3)]
    assert len(found) == 14


def test_messages_posted_alone_hang() -> None:
    schedule = as_schedule(ONE_F_ONE_B, 3, 4)
    assert fault(schedule) is None
    assert fault(alone(schedule)) == "hangs"


def test_formulas_with_extremes_as_terms() -> None:
    names = {p: z3.IntVal(5), s: z3.IntVal(3), M: z3.IntVal(4)}
    for form in (sympy.Min(p - s, M), sympy.Max(p - s, M, 1), 2 * sympy.Min(p, M) - s):
        value = form.subs({p: 5, s: 3, M: 4})
        assert z3.simplify(term(form, names)).as_long() == value
