"""Families in which a name, a number or a comparison is one thing built and another proved."""

import operator
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import z3

from schedules.actions import Kind
from schedules.families import Family
from schedules.families.family import Parameter
from schedules.families.figures import Figures
from schedules.families.one_f_one_b import ORDER
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.stamps import LINE, At, Number, StampedOrder
from schedules.validation.facts import in_flight
from theory.derive import derive, derive_rule, durations, invariants, settled
from theory.errors import UnsupportedFormError
from theory.laws import own_orders
from theory.laws.figures import prove
from theory.laws.own_orders import Run, beside_runs, row_of, where_it_runs
from theory.laws.stamp_terms import higher, reading
from theory.smt.solver import Outcome
from theory.verdicts import Verdict

FAR = 2**62


def family(rule: StampedOrder | GreedyRule, **more: Any) -> Family:
    policy = more.pop("policy", WeightPolicy("stash"))
    return Family("mine", "ours", "ours", policy, rule=rule, **more)


def beyond_x(at: At) -> tuple[Number, ...]:
    return (ORDER.forward(at)[0] - at.choose(at.values["x"] > at.x + 50, 9, 0) * at.rank,)


def beyond_rank(at: At) -> tuple[Number, ...]:
    return (ORDER.forward(at)[0] - at.choose(at.values["rank"] > at.rank + 50, 9, 0) * at.rank,)


@pytest.mark.parametrize(
    ("name", "forward"),
    [("x", beyond_x), pytest.param("rank", beyond_rank, marks=pytest.mark.slow)],
)
def test_control_a_parameter_is_no_number_of_the_proof(name: str, forward: Any) -> None:
    """1F1B, but where a parameter exceeds the microbatch or rank of its name by far."""
    order = replace(ORDER, forward=forward, defaults={name: 0})
    found = row_of(family(order, parameters=(Parameter(name, "any", 0),)))
    outcomes = {one.name: one.outcome.verdict for one in found.invariants}
    assert found.domain == f"p >= 1, {name} >= 0, M >= 1"
    assert outcomes.pop("exclusive") is Verdict.PROVED
    assert Verdict.PROVED not in outcomes.values()


def test_control_a_run_that_breaks_it_is_worth_more_than_a_proof() -> None:
    sizes = [{"p": 1, "M": 4}, {"p": 2, "M": 4}]
    runs = [Run(size, {"causal": "a circle"} if size["p"] > 1 else {}, {}, 4) for size in sizes]
    proved = Outcome("causal", "stamps grow", Verdict.PROVED, {}, "z3 unsat", 1)
    assert beside_runs("causal", proved, runs[:1]).outcome is proved
    found = beside_runs("causal", proved, runs).outcome
    assert (found.verdict, found.witness) == (Verdict.REFUTED, sizes[1])
    assert found.note == "a circle; what proves it is wrong: report it"
    missing = replace(proved, verdict=Verdict.UNKNOWN)
    assert beside_runs("causal", missing, runs).outcome.note == "a circle"


@pytest.mark.parametrize(("least", "stages"), [(2, 1), (1, 2)])
def test_positions_of_a_witness_are_those_of_the_lowered_schedule(least: int, stages: int) -> None:
    """A rank of several has messages, which are added; one rank has none."""
    order = replace(ORDER, backward=lambda at: (ORDER.backward(at)[0] + 2 * least - 2,))
    found = row_of(replace(family(order), policy=WeightPolicy("latest")))
    note = {one.name: one.outcome for one in found.invariants}["stash"]
    assert note.verdict is Verdict.REFUTED
    assert note.witness["p"] == stages
    assert note.note.endswith("; positions count the messages that are added") == (stages > 1)


def test_of_an_order_that_does_not_run_nothing_is_proved_but_where_stages_are() -> None:
    """Rank 1 takes the microbatches from the last on: with 2 stages and 4 of them it hangs."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (2 * at.x + at.rank, 0),
        backward=lambda at: (2 * at.x + 2 * at.p - at.rank, 1),
        microbatch=lambda at: at.choose(at.rank == 1, at.M - 1 - at.x, at.x),
    )
    row = row_of(replace(family(order), policy=WeightPolicy("flush")))
    found = {one.name: one.outcome for one in row.invariants}
    hangs = {name for name, one in found.items() if one.witness == {"p": 2, "M": 4}}
    assert hangs == {"causal", "deadlock-free"}
    assert {found[name].verdict for name in hangs} == {Verdict.REFUTED}
    assert found.pop("exclusive").verdict is Verdict.PROVED
    assert {found[name].verdict for name in found.keys() - hangs} == {Verdict.UNKNOWN}
    assert not any(one.bound for one in row.invariants)
    claimed = [
        replace(one, outcome=replace(one.outcome, verdict=Verdict.PROVED))
        if one.name in ("stash", "in-flight")
        else one
        for one in row.invariants
    ]
    said = {one.name: one.outcome for one in where_it_runs(claimed)}
    assert said["stash"].note == "at p = 2, M = 4 the order does not run: it is not causal"
    assert said["in-flight"].verdict is Verdict.UNKNOWN


def test_start_times_are_those_of_the_family_s_own_bounds() -> None:
    pipedream = GreedyRule(operator.lt, Kind.B, {Kind.B: Kind.F, Kind.F: Kind.B})
    own = family(pipedream, admission=lambda p: p, parameters=(Parameter("noam", "bound"),))
    assert "own bounds" in row_of(own).invariants[0].outcome.note


def test_stamps_of_a_file_never_wrap() -> None:
    """All forwards first, by a number that 64 bits do not hold where p or x is large."""
    leads: list[Callable[[At], Number]] = [
        lambda at: at.choose(at.p > 3, FAR, 1) * 4,
        lambda at: at.choose(at.x > 3, FAR, 1) * 4,
        lambda at: 1 + at.divide(at.M, 5)[0] * FAR * 4,
        lambda at: 1 + at.divide(at.x, 5)[0] * FAR * 4,
    ]
    for lead in leads:

        def backward(at: At, lead: Callable[[At], Number] = lead) -> tuple[Number, ...]:
            return (lead(at), *ORDER.backward(at))

        order = replace(
            ORDER, forward=lambda at: (0, *ORDER.forward(at)), backward=backward, wide=True
        )
        assert in_flight(family(order).build(4, 9)) == [9] * 4


@pytest.mark.parametrize(
    "odd",
    [
        lambda x: (x > 3) + (x > 5),  # of arrays it is at most 1
        lambda x: (x > 3) * FAR * 4,  # and this is 0
        lambda x: 4 * ((x > 3) * FAR),
        lambda x: FAR * (x > 3),
    ],
)
def test_control_comparisons_are_no_numbers(odd: Any) -> None:
    with pytest.raises(UnsupportedFormError, match="calculates with a comparison"):
        reading(odd)(z3.Int("x"))
    assert z3.is_expr((z3.Int("x") > 3) + 1)  # elsewhere they are


def test_control_a_rule_that_compares_nothing_has_no_law() -> None:
    for odd in (lambda ended, slot: slot - ended, lambda ended, slot: 1):
        rule = GreedyRule(odd, Kind.B, {Kind.B: Kind.F, Kind.F: Kind.B})
        own = family(rule, admission=lambda p: p)
        found = derive_rule(own, "ascending", own.admission).to_json()
        assert "compares two slots" in found["open"]
    with pytest.raises(UnsupportedFormError):
        higher((z3.Int("x") > 3,), (z3.Int("x") > 4,))


def test_a_law_is_of_orders_that_have_every_size() -> None:
    for sizes, open_ in ((lambda at: (at.p <= 50,), True), (lambda at: (at.p + at.M > 1,), False)):
        own = family(replace(ORDER, sizes=sizes))
        found = derive_rule(own, "ascending", None).to_json()
        assert (found["verdict"] == "UNKNOWN") is open_


def accepting(accept: Any, **more: Any) -> Family:
    """1F1B with an interval that `accept` gives."""
    order = replace(ORDER, accept=accept, **more)
    return family(order, parameters=(Parameter("hops", "between updates"),), interval="hops")


def in_rows(own: Family) -> dict[str, str]:
    row = row_of(own)
    assert row.domain in ("p >= 1, hops >= 1, M >= 1, hops <= M", "")
    return {one.name: one.bound or one.outcome.verdict.name for one in row.invariants}


@pytest.mark.parametrize(
    "given",
    [
        lambda name, p, M, values: {"hops": values.get("hops", p)},
        pytest.param(
            lambda name, p, M, values: {"hops": 2 if p > 50 else 1}, marks=pytest.mark.slow
        ),
        lambda name, p, M, values: {"hops": p, "lead": 9},  # which no stamp uses
    ],
)
def test_an_interval_that_accept_gives_is_any_number(given: Any) -> None:
    own = accepting(given)
    found = in_rows(own)
    assert found.pop("staleness") == "Min(floor(M/hops) - 1, ceiling((p - s - 1)/hops))"
    assert found.pop("in-flight") == "Min(M, p - s)"
    assert set(found.values()) == {"PROVED"}
    law = derive_rule(settled(own, {}), "ascending", None).to_json()
    assert law["verdict"] == "UNKNOWN"
    assert "which a law has as numbers" in law["open"]


def test_control_accept_may_change_what_stamps_use() -> None:
    """From p = 50 on a forward stands elsewhere; of small p it is 1F1B."""
    own = accepting(
        lambda name, p, M, values: {"hops": 1, "lead": 1 if p > 50 else 0},
        forward=lambda at: (ORDER.forward(at)[0] - 9 * at.values["lead"] * at.rank,),
        defaults={"lead": 0},
    )
    found = in_rows(own)
    assert found.pop("exclusive") == "PROVED"
    assert set(found.values()) == {"UNKNOWN"}


def test_control_small_runs_are_of_the_interval_that_accept_gives() -> None:
    """Double buffers and an update after each gradient, whatever is set: no version is there."""
    own = accepting(lambda name, p, M, values: {"hops": 1})
    found = row_of(replace(own, policy=WeightPolicy("double-buffer")))
    stash = next(one for one in found.invariants if one.name == "stash")
    assert stash.outcome.verdict is Verdict.REFUTED
    assert stash.outcome.witness["hops"] == 1


LEADS = [0]


def remembering(name: str, p: int, M: int, values: dict[str, int]) -> dict[str, int]:
    LEADS[0] = 9 if p > 50 else 0
    return {"hops": 1}


def test_control_accept_calculates_and_does_nothing_else() -> None:
    """What it leaves behind could be another order at a size that nobody runs."""

    def looking(name: str, p: int, M: int, values: dict[str, int]) -> dict[str, int]:
        return {"hops": len(name)}

    hidden: Any = lambda name, p, M, values: {"hops": 1}  # noqa: E731
    remembering.__wrapped__ = hidden  # type: ignore[attr-defined]
    joined: Any = lambda name, p, M, values: values | {"hops": 1}  # noqa: E731
    for accept in (
        remembering,
        looking,
        joined,
        lambda name, p, M, values, more=LEADS: {"hops": more[0]},
    ):
        row = row_of(accepting(accept))
        assert row.domain == ""
        assert "`accept`" in row.invariants[0].outcome.note


def test_a_guess_that_is_refuted_is_no_refutation(tmp_path: Path) -> None:
    """From 61 ranks on it is another order, which no small run shows."""
    path = tmp_path / "mine.py"
    path.write_text(LATER, encoding="utf-8")
    found = derive(str(path)).to_json()
    assert {one["verdict"] for one in found["proof"]} == {"PROVED", "UNKNOWN"}
    assert "this form is not the law: z3 counterexample at p = " in found["open"]
    assert "; runs are of p < 8, and bounds are read at p < 60" in found["open"]


LATER = """
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder

FAMILY = Family(
    name="later", source="ours", summary="ours", policy=WeightPolicy("stash"),
    rule=StampedOrder(
        LINE,
        forward=lambda at: (2 * at.x + at.rank,),
        backward=lambda at: (2 * at.x + 2 * at.p - at.rank + at.choose(at.p > 60, 2, 0),),
    ),
)
"""


def test_figures_of_no_size_are_no_figures() -> None:
    """M − p ≥ M holds nowhere; that ended in a traceback."""
    figures = Figures("5*M", "2*M", "p", where="M - p >= M")
    found = prove(family(ORDER, figures=figures), figures, "ascending")
    assert found.verdict is Verdict.UNKNOWN
    assert "of no small size" in found.open


def test_what_is_proved_from_some_p_on_is_said_from_there(tmp_path: Path) -> None:
    """PipeDream's rule, with twice as many in flight at p = 7 alone: 13 there, not 7."""
    path = tmp_path / "seven.py"
    path.write_text(
        """
import operator
from schedules.actions import Kind
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
RULE = GreedyRule(operator.lt, Kind.B, {Kind.B: Kind.F, Kind.F: Kind.B})
FAMILY = Family(
    "seven", "ours", "ours", WeightPolicy("stash"), rule=RULE,
    admission=lambda p: 2 * p if p == 7 else p,
)
""",
        encoding="utf-8",
    )
    law = derive(str(path))
    row = invariants(str(path), law)
    assert row.domain.startswith("p >= 8")
    assert {one.outcome.verdict for one in row.invariants} == {Verdict.PROVED}
    (found,) = durations(str(path), law)
    assert found.to_json()["domain"].endswith("p >= 8")


def twice(at: At) -> Number:
    """The microbatch of a number: 19 comes twice, and the last one not at all."""
    return at.choose(at.x > 19, at.x - 1, at.x)


def test_a_size_that_is_too_large_to_run_has_a_smaller_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A counterexample names any size; what breaks there often does with fewer ranks."""
    monkeypatch.setattr(own_orders, "LARGEST", 100)
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.x, at.rank),
        backward=lambda at: (at.x, 2 * at.p - at.rank),
        microbatch=twice,
    )
    own = family(order)
    domain = own_orders.subject_of(own).size
    named = own_orders._named(own, order, domain, {"p": 28, "M": 33}, "causal")
    assert named is not None
    assert (named.size, "causal" in named.broken) == ({"p": 1, "M": 33}, True)
    whole = own_orders._named(own, order, domain, {"p": 28, "M": 20}, "causal")
    assert whole is None


@pytest.mark.parametrize("more", [4, 5, 7])
def test_a_number_may_be_the_bound_however_large(more: int) -> None:
    """A window of 5 gradients with two buffers: the form of the bound is of that window alone."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.x, at.rank),
        backward=lambda at: (at.x + more, 2 * at.p - at.rank),
    )
    row = row_of(family(order, policy=WeightPolicy("double-buffer", interval=more)))
    found = {one.name: (one.outcome.verdict.name, one.bound) for one in row.invariants}
    assert found["in-flight"] == ("PROVED", f"Min({more + 1}, M)")
    assert found["staleness"] == ("PROVED", f"Min(1, floor(M/{more}) - 1)")
    assert found["stash"] == ("PROVED", "")
