"""Random orders by stamps, put to `row_of`: what it prints as PROVED holds in larger runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from time import time
from typing import Any

import pytest
import sympy

from schedules import versions
from schedules.errors import ScheduleError
from schedules.families import Family, get_family
from schedules.families.one_f_one_b import ORDER
from schedules.invariants import check, parse_requirements
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from schedules.policies import POLICY_NAMES, WeightPolicy
from schedules.stamps import LINE, LOOP, At, Number, StampedOrder
from schedules.validation.facts import in_flight
from theory.derive import derive, derive_rule, invariants
from theory.laws.delays.symbols import Size, Times
from theory.laws.own_orders import Row, row_of
from theory.laws.own_slots import row_of_slots
from theory.laws.stamped_families import COLUMNS
from theory.laws.static_orders.slots import Law
from theory.verdicts import Verdict

REQUIRED = parse_requirements("stash, update-once, match, deadlock-free")
CHECKED = {
    "causal": {"complete", "causal"},
    "exclusive": {"exclusive"},
    "stash": {"stash", "policy"},
    "staleness": {"policy"},
    "update-once": {"update-once"},
    "deadlock-free": {"match", "deadlock-free"},
}
POLICIES = [WeightPolicy(name) for name in POLICY_NAMES]
BEYOND = [(6, 1), (6, 5), (7, 9), (7, 23), (8, 30)]
SYMBOLS = {name: sympy.Symbol(name, integer=True, positive=True) for name in ("p", "M")} | {
    "s": sympy.Symbol("s", integer=True, nonnegative=True)
}


def drawn(random: Random) -> Family:
    """A warm-up, then forwards and backwards in turn, or all forwards first; mostly not causal."""
    more, slope, last = random.choice([-1, 0, 0, 1]), random.choice([1, 1, 2]), random.randint(0, 2)
    lead, late = random.choice([0, 0, 1]), random.choice([0, 0, 0, 2])

    def ahead(at: At) -> Number:
        return at.most(slope * (at.p - at.rank) + more, 1)

    def forward(at: At) -> tuple[Number, ...]:
        steady = 2 * at.x - ahead(at) + 1
        return (2 * at.choose(at.x < ahead(at), at.x, steady) + (1 + late) * at.rank - lead,)

    def backward(at: At) -> tuple[Number, ...]:
        return (2 * (2 * at.x + ahead(at)) + at.rank,)

    all_first = StampedOrder(
        LINE,
        forward=lambda at: (0, at.x + (1 - late) * at.rank),
        backward=lambda at: (1, (last - 1) * at.x + at.M + at.p - at.rank),
    )
    in_turn = StampedOrder(LINE, forward=forward, backward=backward)
    order = random.choice([in_turn, in_turn, in_turn, all_first])
    policy = replace(random.choice(POLICIES), interval=random.choice([1, 1, 2, 3]))
    return Family("drawn", "drawn", "drawn", policy, rule=order)


def holds_beyond(family: Family, row: Row) -> int:
    """Hold what is proved against larger runs; how many of the invariants are proved."""
    proved = {one.name: one.bound for one in row.invariants if one.outcome.verdict.name == "PROVED"}
    every = family.policy.interval
    for p, M in BEYOND if proved else []:
        if every > M:  # no update, so no staleness
            continue
        schedule = family.build(p, M)
        try:
            whole = lower(schedule)
        except ScheduleError as error:
            absent = "policy double-buffer lets" in error.what  # a version is read too early
            assert not ({"staleness"} if absent else {"causal", "deadlock-free"}) & set(proved)
            whole = schedule
        report = check(whole, REQUIRED, QueueModel("rank", 0))
        broken = {one.invariant for one in report.violations}
        left = {"update-once", "staleness"} if M % every else set()  # some have no update
        for name in set(proved) & set(CHECKED) - left:
            assert not broken & CHECKED[name], (name, p, M)
        for name, bound in proved.items():
            if not bound or name in left:
                continue
            form = sympy.sympify(bound, locals=SYMBOLS)
            at = [{"p": p, "M": M, "s": stage} for stage in range(p)]
            stated = [form.subs({SYMBOLS[k]: v for k, v in one.items()}) for one in at]
            held = name == "in-flight"
            found = in_flight(schedule) if held else versions(schedule).local_staleness.max(axis=1)
            assert stated == list(found), (name, p, M)
    return len(proved)


SEEDS = [
    range(2, 4),
    *(pytest.param(range(n, n + 20), marks=pytest.mark.slow) for n in range(4, 1004, 20)),
]
"""A thousand of them, most where time does not count."""


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: str(seeds[0]))
def test_what_is_proved_of_random_orders_holds_in_larger_runs(seeds: range) -> None:
    counts = []
    for seed in seeds:
        family = drawn(Random(seed))
        counts.append(holds_beyond(family, row_of(family)))
    assert max(counts) >= 5  # some are proved nearly whole, and
    assert len(seeds) < 10 or min(counts) < 3  # some hardly at all


FAR, ASKED = 50, list(range(9**6))


def caught(at: At) -> tuple[Number, ...]:
    """The refusal to say whether a symbol is 50."""
    try:
        return (ORDER.forward(at)[0] - (9 if at.p == FAR else 0) * at.rank,)
    except Exception:
        return ORDER.forward(at)


def of(forward: Callable[[At], Any]) -> dict[str, str]:
    rule = StampedOrder(LINE, forward=forward, backward=ORDER.backward)
    family = Family("mine", "ours", "ours", WeightPolicy("stash"), rule=rule)
    return {one.name: one.outcome.verdict.name for one in row_of(family).invariants}


ODD = (
    lambda at: (ORDER.forward(at)[0] - {50: 9}.get(at.p, 0) * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (9 if at.p == 50 else 0) * at.rank,),
    lambda at: (ORDER.forward(at)[0] - at.choose(at.p == 50, 9, 0) * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (isinstance(at.p, int) and at.p > 49) * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (at.p is FAR) * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (str(at.p) == "50") * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (f"{at.p}" == "50") * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (at.p.__class__ is int and at.p > 49) * at.rank,),
    lambda at: (ORDER.forward(at)[0] - (ASKED.pop() > 9**5),),
    lambda at: (ORDER.forward(at)[0] - int(time() < 0),),
    caught,
)
"""Orders that are another one where p = 50."""


def test_an_order_that_only_looks_as_if_it_were_another_one_is_proved() -> None:
    assert set(of(ORDER.forward).values()) == {"PROVED"}
    assert of(
        lambda at: (at.choose(at.p == FAR, ORDER.forward(at)[0], ORDER.forward(at)[0]),)
    ) == of(ORDER.forward)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("odd", ODD)
def test_control_an_order_that_is_another_one_at_some_size_is_not_proved(
    odd: Callable[[At], Any],
) -> None:
    """Of numbers p may be looked up and asked about; of symbols nothing of this is answered."""
    found = of(odd)
    del found["exclusive"]  # says nothing of stamps
    assert set(found.values()) == {"UNKNOWN"}


def test_stamps_that_do_not_grow_are_proved_by_their_start_times() -> None:
    """1F1B with min(M, p − s) forwards first: where M is small its stamps are not along needs."""

    def ahead(at: At) -> Number:
        return at.choose(at.p - at.rank > at.M, at.M, at.p - at.rank)

    def forward(at: At) -> tuple[Number, ...]:
        late = at.choose(at.x < ahead(at), at.x, 2 * at.x - ahead(at) + 1)
        return (2 * late + at.rank,)

    rule = StampedOrder(LINE, forward, lambda at: (2 * (2 * at.x + ahead(at)) + at.rank,))
    family = Family("mine", "ours", "ours", WeightPolicy("stash"), rule=rule)
    law = derive_rule(family, "ascending", None)
    assert law.guess is not None
    times = Times(Size.symbolic(law.guess), law.guess)
    assert not row_of(family).proved
    assert not row_of(family, Law(times, ())).proved
    assert holds_beyond(family, row_of(family, Law(times, law.start_proof))) == len(CHECKED) + 1


@pytest.mark.parametrize(
    ("policy", "most", "bound"),
    [
        (WeightPolicy("double-buffer", interval=5), 6, "Min(1, floor(M/5) - 1)"),
        (WeightPolicy("double-buffer", interval=5), 12, None),
        (WeightPolicy("vertical-sync"), 99, "Min(M - 1, p - 1)"),
    ],
)
def test_versions_that_are_read_have_to_be_there(
    policy: WeightPolicy, most: int, bound: str | None
) -> None:
    """A window of 5 has its version one window later where at most 6 stages are ahead."""
    order = replace(ORDER, sizes=lambda at: (at.p <= most,))
    row = row_of(Family("mine", "ours", "ours", policy, rule=order))
    found = {one.name: one for one in row.invariants}
    wanted = Verdict.REFUTED if bound is None else Verdict.PROVED
    assert [found[name].outcome.verdict for name in ("stash", "staleness")] == [wanted] * 2
    assert found["staleness"].bound == (bound or "")


@pytest.mark.parametrize(
    ("bound", "policy"),
    [
        (lambda p: 1, "flush"),
        pytest.param(lambda p: 2, "latest", marks=pytest.mark.slow),
        pytest.param(lambda p: p - 1, "stash", marks=pytest.mark.slow),
    ],
)
def test_start_times_that_multiply_prove_a_rule(bound: Callable[[Any], Any], policy: Any) -> None:
    pipedream = get_family("pipedream").rule
    family = Family("f", "f", "f", WeightPolicy(policy), rule=pipedream, admission=bound)
    law = derive_rule(family, "ascending", bound)
    assert law.guess is not None
    times = Times(Size.symbolic(law.guess), law.guess)
    row = row_of_slots(family, Law(times, law.start_proof))
    assert holds_beyond(family, row) == len(COLUMNS) - (policy == "latest")
    assert row.invariants[2].outcome.verdict.name == "PROVED REFUTED".split()[policy == "latest"]
    assert not row_of_slots(family, Law(times, ())).proofs


ONE_BY_ONE = """
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder

RULE = StampedOrder(
    LINE,
    forward=lambda at: (2 * at.x + at.rank,),
    backward=lambda at: (2 * at.x + at.rank + {late},),
)
FAMILY = Family("mine", "ours", "ours", WeightPolicy("stash"), rule=RULE)
"""


def one_by_one(late: int, folder: Path) -> tuple[Family, Row]:
    """A microbatch through all stages and back before the next, if `late` is 1."""
    file = folder / "one_by_one.py"
    file.write_text(ONE_BY_ONE.format(late=late), encoding="utf-8")
    return get_family(str(file)), invariants(str(file), derive(str(file)))


def test_proved_start_times_say_that_an_order_runs(tmp_path: Path) -> None:
    """Its stamps fall from stage to stage backwards, and its start times multiply p and m."""
    family, row = one_by_one(1, tmp_path)
    assert row.domain == "p >= 2, M >= 1"
    assert holds_beyond(family, row) == len(COLUMNS)
    assert [one.bound for one in row.invariants if one.bound] == ["0", "1"]


@pytest.mark.parametrize("late", [-1, 3])
def test_control_of_other_start_times_something_else_is_said(late: int, tmp_path: Path) -> None:
    """Backwards before their forwards hang; a microbatch more ahead has other bounds."""
    family, row = one_by_one(late, tmp_path)
    assert holds_beyond(family, row) < len(COLUMNS)
    assert [one.bound for one in row.invariants if one.bound] != ["0", "1"]


def test_control_without_numbers_there_is_no_verdict() -> None:
    for odd in (lambda at: None, lambda at: (0, 1), lambda at: (at.x / 2,)):
        assert set(of(odd).values()) == {"UNKNOWN"}


def chunks(back: int) -> Family:
    """Two chunks a rank, a microbatch through both before the next: `back` is −1 where causal."""
    order = StampedOrder(
        LOOP,
        forward=lambda at: (0, at.x, at.stage),
        backward=lambda at: (1, at.x, back * at.stage),
        defaults={"chunks": 2},
    )
    return Family("own", "ours", "depth first", WeightPolicy("flush"), rule=order)


def test_an_order_with_a_fixed_number_of_chunks_is_proved() -> None:
    row = row_of(chunks(-1))
    assert row.proved
    assert row.invariants[4].bound == "M"
    outcomes = {one.name: one.outcome for one in row_of(chunks(1)).invariants}
    assert outcomes["causal"].verdict is Verdict.REFUTED
    assert outcomes["causal"].witness["p"] == 1  # two chunks are two stages


def half(part: int) -> Family:
    """1F1B, its rank put together from halves; another part of the division is another order."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (2 * at.x + 2 * at.divide(at.rank, 2)[0] + at.divide(at.rank, 2)[part],),
        backward=lambda at: (2 * at.x + 2 * at.p - 1 - at.rank,),
    )
    return Family("own", "ours", "halves", WeightPolicy("flush"), rule=order, affine=True)


def test_start_times_are_proved_of_an_order_that_divides() -> None:
    law, known = (derive_rule(one, "ascending", None) for one in (half(1), get_family("1f1b")))
    assert law.verdict is Verdict.PROVED
    assert law.to_json()["start_times"] == known.to_json()["start_times"]
    assert derive_rule(half(0), "ascending", None).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("every", [3, 4])
def test_staleness_of_an_update_every_few_backwards_is_that_of_larger_runs(every: int) -> None:
    """How a bound depends on the interval is seen in runs with others."""
    policy = WeightPolicy("stash", interval=every)
    family = Family("own", "ours", "1F1B, an update every so often", policy, rule=ORDER)
    row = row_of(family)
    assert row.proved
    assert row.domain == f"p >= 1, M >= {every}"
    assert row.invariants[3].to_json()["says"].endswith("of gradients that an update applies")
    assert row.invariants[5].to_json()["says"].endswith("where windows end with M")
    form = sympy.sympify(row.invariants[3].bound, locals=SYMBOLS)
    for p, M in ((6, every), (7, 3 * every), (9, 8 * every)):
        found = versions(family.build(p, M)).local_staleness.max(axis=1).tolist()
        numbers = {SYMBOLS["p"]: p, SYMBOLS["M"]: M}
        assert found == [form.subs({**numbers, SYMBOLS["s"]: s}) for s in range(p)]


@pytest.mark.parametrize("more", [0, 1])
def test_a_law_is_of_the_numbers_that_are_set(more: int, tmp_path: Path) -> None:
    """A file's order may hold more forwards: of other numbers than its own it has another law."""
    path = tmp_path / "mine.py"
    path.write_text(MORE, encoding="utf-8")
    law, family = derive(str(path), parameters={"more": more}), get_family(str(path))
    assert law.verdict is Verdict.PROVED
    assert law.to_json()["in_flight"][0]["expr"] == f"-i + p{' + 1' * more}"
    assert max(in_flight(family.build(5, 20, more=more))) == 5 + more
    assert isinstance(family.rule, StampedOrder)
    odd = replace(
        family,
        rule=replace(family.rule, accept=lambda *at: {"more": int(at[1] > 9)}),
        parameters=(),
    )
    assert derive_rule(odd, "ascending", None).verdict is Verdict.UNKNOWN


MORE = """
from schedules.families import Family
from schedules.families.family import Parameter
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder

def ahead(at):
    return at.p - at.rank + at.values["more"]

def forward(at):
    late = at.choose(at.x < ahead(at), at.x, 2 * at.x - ahead(at) + 1)
    return (2 * late + at.rank,)

RULE = StampedOrder(
    LINE, forward, lambda at: (2 * (2 * at.x + ahead(at)) + at.rank,), defaults={"more": 0}
)
FAMILY = Family(
    "mine", "ours", "ours", WeightPolicy("stash"), rule=RULE,
    parameters=(Parameter("more", "forwards ahead", 0),),
)
"""
