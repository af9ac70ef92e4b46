"""Mismatch, one step and active ratio of AMDP: verdicts, cases, witnesses, start times by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from schedules import Kind, build
from tests import published
from tests.amdp_rows import judged
from theory.papers.amdp import active_ratio, mismatch, one_step
from theory.papers.amdp.lemmas.durations import Time
from theory.papers.amdp.lemmas.minibatches import Minibatch, Pipeline
from theory.papers.amdp.lemmas.start_times import CAPPED, CROWDED, FREE, TWO
from theory.papers.amdp.runs.replays import by_order, difference, one_pipeline
from theory.papers.amdp.symbols import d, i, n
from theory.papers.amdp.witnesses import active_shares
from theory.verdicts import Verdict

PROVED, CONDITIONAL, CHECKED, UNKNOWN, REFUTED = (
    Verdict.PROVED,
    Verdict.CONDITIONAL,
    Verdict.CHECKED,
    Verdict.UNKNOWN,
    Verdict.REFUTED,
)


def test_mismatch_is_exceeded_where_stage_0_alone_is_bounded() -> None:
    [finding] = published.row(mismatch.CLAIM.id).judgement.findings
    assert finding.witness == {"d": 3, "n": 3, "i": 1, "m": 2, "mismatch": 2, "stated": 1}
    assert finding.repaired is not None
    assert finding.repaired.verdict is PROVED
    order = " ".join(map(str, build("amdp", 3, 7, admission=3, pipelines=1).rank(1)))
    assert order.startswith("1F0 1F1 1F2 1B0 1B1 1F3 1B2")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "form",
    [sympy.Min(n, d - i), n - 1, sympy.Min(n, 2 * (d - i) - 1) - 1],
)
def test_other_mismatches_are_refuted(form: sympy.Expr) -> None:
    found = judged(mismatch.CLAIM, {"mismatch": form})
    assert found.verdict is REFUTED
    witness = found.counterexample
    assert witness is not None
    size = {d: witness["d"], n: witness["n"], i: witness["i"]}
    schedule = one_pipeline(witness["d"], witness["n"], 3 * witness["n"], stage_cap=True)
    assert form.subs(size) == witness["stated"] != witness["mismatch"]
    assert max(by_order(schedule, witness["i"]).values()) == witness["mismatch"]


def test_slow_stages_attain_less() -> None:
    assert mismatch.slow_first_stage() == 0


def test_uncapped_mismatch_is_the_repaired_one() -> None:
    assert mismatch.differs(sympy.Min(n, 2 * (d - i) - 1) - 1, stage_cap=False) is None


def test_two_pipelines_of_one_direction_by_hand() -> None:
    """Pipelines 0 and 2 of 3 run down: between 0F3 and 0B3 both update the weights of stage 0."""
    assert one_step.shared((2, 4), 1) is None
    refutation = one_step.shared((6,), 1)
    assert refutation is not None
    found = refutation.witness
    schedule = build("amdp", 6, 24)
    order = [str(action) for action in schedule.rank(0) if action.stage == 0]
    m = found["m"]
    between = order[order.index(f"0F{m}") : order.index(f"0B{m}")]
    assert sum("B" in action for action in between) == found["mismatch"] == 2


@pytest.mark.parametrize(("admission", "most"), [(2, 0), (3, 1), (3, 0), (4, 2)])
def test_other_steps_are_refuted(admission: int, most: int) -> None:
    printed = {"admission": sympy.Integer(admission), "mismatch": sympy.Integer(most)}
    found = judged(one_step.CLAIM, printed)
    assert found.verdict is REFUTED
    assert found.counterexample is not None
    assert found.counterexample["mismatch"] > most


def test_whole_runs_by_hand() -> None:
    assert active_shares.whole_run(3, 2, 4) == Fraction(8, 14)
    assert active_shares.whole_run(5, 1, 7) == Fraction(1, 5)
    assert active_shares.share(4, 3, 1) == Fraction(3, 4)


@pytest.mark.parametrize("form", [3 / d, 2 / (d + 1), 4 / d, sympy.Integer(1)])
def test_other_ratios_are_refuted(form: sympy.Expr) -> None:
    found = judged(active_ratio.CLAIM, {"ratio": form})
    assert found.verdict is REFUTED
    witness = found.counterexample
    assert witness is not None
    assert witness["n"] == 2
    assert witness["share"] == Fraction(2, witness["d"]) != form.subs(d, witness["d"])


def test_minibatches_by_rounds() -> None:
    line = Pipeline.of(5, 3)
    assert line.minibatch(8) == Minibatch(2, 2, 10)
    assert line.back(line.minibatch(6), 1) == line.minibatch(5)
    assert line.back(line.minibatch(4), 0) == line.minibatch(4)
    assert Pipeline.of(5, 3, rounds=False).minibatch(8) == Minibatch(0, 8, 0)


def test_start_times_by_hand() -> None:
    """Four stages, n = 3: the second round starts when minibatch 0 is back."""
    line = Pipeline.of(4, 3)
    assert CAPPED.start(Kind.B, line, 0, line.minibatch(0)) == Time(4, 3)
    assert CAPPED.start(Kind.F, line, 0, line.minibatch(3)) == Time(4, 4)
    assert CAPPED.start(Kind.F, line, 2, line.minibatch(1)) == Time(3, 0)
    assert CAPPED.start(Kind.F, line, 2, line.minibatch(2)) == Time(4, 2)
    assert FREE.start(Kind.F, line, 2, line.minibatch(2)) == Time(4, 0)
    assert FREE.start(Kind.F, line, 3, line.minibatch(1)) == Time(4, 1)
    assert TWO.end(Kind.F, line, 1, line.minibatch(4)) == Time(7, 5)


def test_start_times_of_a_crowded_pipeline_by_hand() -> None:
    line = Pipeline.of(2, 3, rounds=False)
    starts = [CROWDED.start(Kind.F, line, 0, line.minibatch(m)).forwards for m in range(5)]
    assert starts == [0, 1, 2, 4, 6]


def test_runs_agree_with_the_laws() -> None:
    assert difference() is None
