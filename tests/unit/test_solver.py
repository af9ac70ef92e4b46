"""The solver's three answers, and that it never takes silence for a proof."""

from __future__ import annotations

from itertools import permutations

import pytest
import z3

from theory.smt.named_products import with_named_products
from theory.smt.solver import Outcome, Statement, decide, merge
from theory.verdicts import Verdict, weakest

x, y, z = z3.Ints("x y z")

TINY = 1_000
"""Resource units that no nonlinear search gets along with."""

CUBES = x * x * x + y * y * y + z * z * z == 114
"""Nobody knows whether this has a solution."""


def statement(hypotheses: tuple[object, ...], goal: object) -> Statement:
    return Statement("name", "says", hypotheses, goal)


def outcome(verdict: Verdict, note: str = "note") -> Outcome:
    return Outcome(verdict.name.lower(), "says", verdict, {}, note)


def test_proved() -> None:
    found = decide(statement((x > 1,), x > 0))
    assert (found.verdict, found.witness, found.queries) == (Verdict.PROVED, {}, 2)
    assert found.note == "z3 unsat"


def test_refuted_with_a_witness_that_holds() -> None:
    found = decide(statement((x >= 0, x <= 5, y == 2 * x), x + y != 12))
    assert found.verdict is Verdict.REFUTED
    assert found.witness == {"x": 4, "y": 8}


def test_goal_and_hypotheses_may_be_constants() -> None:
    assert decide(statement((True, x > 0), True)).verdict is Verdict.PROVED
    assert decide(statement((True, x > 0), False)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("goal", [x > 9, x < 9, x == x, z3.BoolVal(False)], ids=str)
def test_nothing_follows_from_a_contradiction(goal: object) -> None:
    found = decide(statement((x > 1, x < 1), goal))
    assert found.verdict is Verdict.UNKNOWN
    assert found.note == "vacuous: no value satisfies the hypotheses"
    assert decide(statement((False,), goal)).verdict is Verdict.UNKNOWN


def test_budget_runs_out() -> None:
    found = decide(statement((CUBES,), x == 0), rlimit=TINY)
    assert found.verdict is Verdict.UNKNOWN
    assert found.note == f"z3 gave up within rlimit {TINY}"
    assert found.witness == {}


def test_budget_runs_out_while_looking_for_an_instance() -> None:
    """The goal is trivial; whether anything satisfies the hypotheses stays open."""
    found = decide(statement((CUBES,), z3.BoolVal(True)), rlimit=TINY)
    assert found.verdict is Verdict.UNKNOWN
    assert "no value satisfies" not in found.note


def test_same_answer_twice() -> None:
    hard = statement((x * y > 7, x > 0, y > 0), x + y > 3)
    assert decide(hard) == decide(hard)


def test_budget_is_a_count() -> None:
    """A larger budget may decide more, never otherwise."""
    pell = statement((x > 1, y > 0), x * x != 2 * y * y + 1)
    verdicts = [decide(pell, rlimit).verdict for rlimit in (TINY, 2_000_000)]
    assert verdicts[1] is Verdict.REFUTED
    assert verdicts[0] in (Verdict.UNKNOWN, Verdict.REFUTED)


# Names of products


def test_counterexample_with_the_true_product() -> None:
    p, m, product = z3.Int("p"), z3.Int("m"), z3.Int("p*m")
    found = decide(statement((p == 3, m == 4, product == 12), product < 12))
    assert found.verdict is Verdict.REFUTED
    assert found.witness == {"m": 4, "p": 3}


def test_counterexample_to_the_abstraction_alone_refutes_nothing() -> None:
    p, m, product = z3.Int("p"), z3.Int("m"), z3.Int("p*m")
    found = decide(statement((p == 3, m == 4, product == 7), product > 7))
    assert found.verdict is Verdict.UNKNOWN
    assert found.note.startswith("neither shown nor refuted: ")
    assert "another number for p·m" in found.note


# Merging


@pytest.mark.parametrize(
    "true",
    [
        x * y == 6,
        x * y + y * z == 4,
        z3.And(x * y * z == 8, x == y, y == z),
        z3.And(x * y == 0, x != 0),
        z3.And(x * z == y * z, x != y),
        z3.If(x > 1, x * x, -x) == 9,
        z3.Or(x * y > z, z3.Not(x * (y + z) == x * y + x * z)),
        z3.And(3 * x * y % 4 == 2, (x + y) * (x - y) == 3, x > 0),
        z3.Distinct(x * x, y * y, x * y),
    ],
    ids=str,
)
def test_named_products_have_all_models(true: z3.BoolRef) -> None:
    """A model, with its products put in, is one of what is asked then."""
    solver = z3.Solver()
    solver.add(true)
    assert solver.check() == z3.sat
    model, named = solver.model(), with_named_products([true])
    assert named is not None
    pinned = [symbol == model.eval(symbol, model_completion=True) for symbol in (x, y, z)]
    solver = z3.Solver()
    solver.add(*named, *pinned)
    assert solver.check() == z3.sat


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        ((x < y, z >= 0), x * z < y * z),
        ((x * z == y * z,), x == y),
        ((x * x == 4,), x == 2),
        ((x >= 1, y >= 1, x * y <= 3), x + y <= 3),
    ],
)
def test_what_is_false_of_products_is_not_proved(
    hypotheses: tuple[z3.BoolRef, ...], goal: z3.BoolRef
) -> None:
    assert decide(statement(hypotheses, goal)).verdict is Verdict.REFUTED


def test_reals_quantifiers_and_names_of_products_are_left_alone() -> None:
    real, own = z3.Real("r"), z3.Int("·0")
    for one in (real * real > x * y, z3.ForAll([x], x * y >= 0), x * y > own, x > y):
        assert with_named_products([one]) is None


def test_merged_verdict_is_the_weakest() -> None:
    good, bad, open_ = (
        outcome(Verdict.PROVED), outcome(Verdict.REFUTED, "x = 1"), outcome(Verdict.UNKNOWN)
    )  # fmt: skip
    for order in permutations((good, bad, open_)):
        merged = merge("all", "says", order)
        assert (merged.verdict, merged.note) == (Verdict.REFUTED, "refuted: x = 1")
        assert merged.queries == 3
    assert merge("all", "says", [good, open_]).verdict is Verdict.UNKNOWN
    assert merge("all", "says", [good, good]).verdict is Verdict.PROVED


def test_nothing_merged_is_unknown() -> None:
    assert merge("all", "says", []).verdict is Verdict.UNKNOWN


def test_order_of_verdicts() -> None:
    names = "REFUTED UNKNOWN CHECKED CONDITIONAL PROVED".split()
    assert [verdict.name for verdict in sorted(Verdict)] == names
    assert weakest([]) is Verdict.UNKNOWN
    assert weakest(Verdict) is Verdict.REFUTED
