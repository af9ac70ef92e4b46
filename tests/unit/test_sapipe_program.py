"""Rows thm-1, program, no-stall, alg-4, alg-5: verdicts, witnesses, and the formulas they read."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
import sympy

from schedules.partial_staleness import (
    Model,
    fewest_stale,
    iterations,
    printed_fewest_stale,
    sequential,
    simulate,
)
from tests import published
from tests.stale_machine import waits
from theory.errors import UnsupportedFormError
from theory.ledger import Finding
from theory.papers.sapipe.lemmas.conditions import (
    CHANNEL,
    IN_TIME,
    PROGRAM,
    RIGHT,
    SECOND,
    at_least,
    b,
    holds_for,
    i,
    k,
    m,
    read,
    total,
)
from theory.papers.sapipe.lemmas.layer_induction import statements
from theory.papers.sapipe.witnesses.algorithm_lines import (
    PRINTED_4,
    PRINTED_5,
    REPAIRED_4,
    communications,
    late,
    stale_layers,
)
from theory.papers.sapipe.witnesses.chain_replays import chains, never_stalls
from theory.papers.sapipe.witnesses.timetables import timetable
from theory.smt.solver import decide
from theory.verdicts import Verdict

PROVED, REFUTED, CHECKED = Verdict.PROVED, Verdict.REFUTED, Verdict.CHECKED


def finding(name: str, kind: str, place: str) -> Finding:
    found = [
        one
        for one in published.row(f"sapipe.{name}").judgement.findings
        if one.kind == kind and place in one.where
    ]
    assert len(found) == 1, [one.where for one in found]
    return found[0]


def model_of(witness: Any) -> Model:
    return sequential(witness["b"], witness["u"], witness["v"])


# Rows


# Witnesses, replayed by code that is shared with nothing


def test_smallest_witness_against_the_program() -> None:
    witness = published.row("sapipe.program").judgement.counterexample
    assert witness is not None
    model = model_of(witness)
    assert (model.b, model.u, model.v, witness["k"]) == ((2, 1), (1, 1), (1, 1), 0)
    assert printed_fewest_stale(model) == 0
    assert waits(model, (), 4) == [witness["stall of every iteration"]] * 4 == [1] * 4
    assert fewest_stale(model) == witness["right k"] == 1
    assert waits(model, {0}, 4) == [0] * 4
    smaller = [one for one in chains() if one.count < 2]
    assert all(
        holds_for(PROGRAM, one, stale) == (waits(one, range(stale), 5) == [0] * 5)
        for one in smaller
        for stale in (0, 1)
    )


def test_smallest_witness_against_algorithm_4() -> None:
    witness = published.row("sapipe.alg-4").judgement.counterexample
    assert witness is not None
    model = model_of(witness)
    assert model.count == model.b[0] == 1
    assert witness["Algorithm 4"] == [0]
    assert list(next(iterations(model, {0})).communication) == [1] == witness["backwards end"]


def test_smallest_witness_against_algorithm_5() -> None:
    witness = published.row("sapipe.alg-5").judgement.counterexample
    assert witness is not None
    model = model_of(witness)
    assert model.count == 1
    assert witness["communications start"] == list(next(iterations(model, ())).communication)
    assert (witness["stale by Algorithm 5"], witness["late"]) == ([], [1])
    assert waits(model, (), 3) == [1] * 3
    assert waits(model, {0}, 3) == [0] * 3


def test_gap_of_the_program_grows_with_the_layers() -> None:
    evidence = published.row("sapipe.program").judgement.evidence
    (gap,) = (one for one in evidence if "printed k" in one.data)
    assert gap.data["printed k"] == [0] * 7
    assert gap.data["right k"] == [count - 1 for count in gap.data["m"]]


# Findings


def test_completion_times_and_overtaking_gradients_break_theorem_1() -> None:
    typo = finding("thm-1", "typo", "Table 1").witness
    assert typo is not None
    model, starts = model_of(typo), typo["communications start"]
    ends = [start + v for start, v in zip(starts, model.v, strict=True)]
    done = [start + u for start, u in zip(typo["forwards start"], model.u, strict=True)]
    stale = [end + v > at for end, v, at in zip(ends, model.v, done, strict=True)]
    assert stale == [False, True]
    assert waits(model, {0}, 4) == [0] * 4
    priority = finding("thm-1", "missing-condition", "appendix B").witness
    assert priority is not None
    ended = zip(priority["communications start"], priority["v"], strict=True)
    gradients = [start + takes for start, takes in ended]
    late_ones = [
        at < there for at, there in zip(priority["forwards start"], gradients, strict=True)
    ]
    assert late_ones == [True, False, True, False]
    assert sorted(priority["communications start"]) == [1, 4, 5, 6], "one at a time, none cut short"


def test_stall_is_superfluous_in_theorem_1() -> None:
    """Where all gradients are fresh every model stalls; those before a late one are late too."""
    assert finding("thm-1", "superfluous-condition", "without stall").repaired is not None
    for model in chains():
        first = simulate(model, ()).iterations[0]
        sent = [c + v for c, v in zip(first.communication, model.v, strict=True)]
        stale = [at < there for at, there in zip(first.forward, sent, strict=True)]
        assert stale == sorted(stale, reverse=True)


@pytest.mark.parametrize(
    ("name", "place"),
    [("alg-4", "line 7"), ("alg-4", "line 16"), ("alg-5", "line 6"), ("alg-5", "5, line 7")],
)
def test_each_misprint_alone_is_enough(name: str, place: str) -> None:
    witness = finding(name, "false", place).witness
    assert witness is not None
    assert witness["m"] == 1


def test_findings_about_graphs_and_readings() -> None:
    again = finding("alg-4", "false", "line 6").witness
    assert again is not None
    assert again["backwards run"].count("in") == 2
    readings = finding("alg-4", "not-reproducible", "line 14").witness
    assert readings is not None
    assert readings["first ready"] != readings["smallest layer"]
    orders = finding("alg-5", "false", "appendix D").witness
    assert orders is not None
    assert (len(orders["one choice"]), orders["fewest"]) == (3, ["in"])
    slow = finding("alg-5", "missing-condition", "Algorithms").witness
    assert slow is not None
    assert waits(model_of(slow), {0}, 5) == [0, *[slow["stall"]] * 4]


def test_no_program_allows_none_stale() -> None:
    assert finding("program", "loose", "0 ≤ k").repaired is not None
    assert all(fewest_stale(model) != 0 for model in chains())


# Formulas


def test_conditions_by_hand() -> None:
    model = sequential(backward=[1, 9, 1], forward=[1, 1, 1], communication=[1, 3, 1])
    assert [at_least(CHANNEL, model, stale) for stale in range(4)] == [9] * 4
    # k = 0, j = 2: v_1 + v_2 ≤ b_1 fails by 3; k = 1, j = 2: v_2 ≤ b_1 + u_1 by 1;
    # k = 2: v_3 ≤ b_1 + b_2 + u_1 + u_2 holds by 11.
    assert [at_least(IN_TIME, model, stale) for stale in range(4)] == [-3, -1, 11, 0]
    assert [at_least(SECOND, model, stale) for stale in range(4)] == [5, 7, 11, 13]
    assert [never_stalls(model, stale) for stale in range(4)] == [False, False, True, True]


@pytest.mark.parametrize(
    "form",
    [
        total(b, 0, k),
        total(b, 1, m + 1),
        sympy.Sum(b(i) ** 2, (i, 1, m)),
        total(b, 1, m) / 2,
        total(b, 1, m) * total(b, 1, k),
        k + total(b, 1, m),
    ],
)
def test_what_is_no_condition(form: sympy.Expr) -> None:
    model = sequential([1, 1], [1, 1], [1, 1])
    with pytest.raises(UnsupportedFormError, match="made of sums of durations"):
        at_least(form, model, 1)


def test_whole_numbers_are_read_too() -> None:
    assert read(total(b, 1, m) - 3, lambda name, last: 10 if last == m else 1) == 6


def test_steps_of_the_induction() -> None:
    names = [statement.name for statement in statements(RIGHT)]
    assert len(names) == len(set(names)) == 12
    bases = {name.removesuffix(", base") for name in names if name.endswith("base")}
    assert bases == {"members", "channel", "arrivals"}
    assert all(decide(statement).verdict is PROVED for statement in statements(RIGHT))


@pytest.mark.parametrize("smallest_first", [False, True])
def test_timetables_keep_the_rules(smallest_first: bool) -> None:
    for model in chains():
        found = timetable(model, smallest_first)
        spans = sorted(zip(found.communication, model.v, strict=True))
        assert all(a + v <= c for (a, v), (c, _) in pairwise(spans))
        done = [sum(model.b[layer:]) for layer in range(model.count)]
        assert all(at >= end for at, end in zip(found.communication, done, strict=True))
        if not smallest_first:
            assert found.communication == next(iterations(model, range(model.count))).communication


def test_lines_of_the_algorithms_by_hand() -> None:
    model = sequential(backward=[2, 1, 3], forward=[1, 1, 1], communication=[1, 2, 4])
    assert communications(PRINTED_4, model) == ((4, 3, 0), (6, 4, 0))
    assert communications(REPAIRED_4, model) == ((6, 4, 3), (9, 7, 3))
    # Forwards begin at 6, 7, 8 and end at 7, 8, 9; gradients arrive at 10, 9, 7.
    assert late(model) == {0, 1}
    assert stale_layers(PRINTED_5, model, (9, 7, 3)) == {0}


def test_smallest_models_come_first() -> None:
    found = chains(2)
    totals = [(one.count, sum(one.b + one.u + one.v)) for one in found]
    assert totals == sorted(totals)
    assert len(found) == len(set(found)) == 2 * 2 * 4 + 4 * 4 * 9
    assert any(one.channel > one.computation for one in found), "else their condition is idle"
    assert {one.b for one in found if one.count == 2} == set(product((1, 2), repeat=2))
