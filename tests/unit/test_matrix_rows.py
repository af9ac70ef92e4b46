"""Rows ``schedules.FAMILY.INVARIANT``: which there are, their verdicts and witnesses."""

from __future__ import annotations

import pytest

from reports.cells import CELL as REPORTED
from schedules import FAMILIES, build
from schedules.families import get_family
from schedules.versions import versions
from tests import published
from theory.errors import UnknownClaimError
from theory.judging.catalogue import CLAIMS
from theory.judging.mutants import accepts_original
from theory.judging.verify import select
from theory.laws.stamped_families import STAMPED
from theory.papers.schedules.matrix.proving import reached
from theory.papers.schedules.matrix.rows import CELL, domain, stated
from theory.papers.schedules.matrix.rows import CLAIMS as MATRIX
from theory.papers.schedules.matrix.table import STATED
from theory.papers.schedules.matrix.wording import COLUMNS
from theory.verdicts import Verdict


def test_every_family_has_every_cell() -> None:
    assert set(STATED) == set(FAMILIES)
    expected = [f"schedules.{family}.{column}" for family in STATED for column in COLUMNS]
    assert [claim.id for claim in MATRIX] == expected
    assert all(CLAIMS[claim.id] is claim for claim in MATRIX)


def test_a_row_says_which_cell_it_is() -> None:
    assert CELL == REPORTED
    [cell] = [
        entry.data[CELL]
        for entry in published.row("schedules.chimera.in-flight").judgement.evidence
        if CELL in entry.data
    ]
    assert cell["row"] == "chimera"
    assert cell["column"] == "in-flight"
    assert cell["bound"] == "min(p/2, p − s)"
    assert cell["domain"] == domain("chimera", "in-flight")


def several(table: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a stage has different entries, pipeline by pipeline."""
    return any(len(set(column)) > 1 for column in zip(*table, strict=True))


def test_a_stage_that_lives_on_several_ranks_is_bounded_copy_by_copy() -> None:
    for family, row in STATED.items():
        placements = [schedule.placement for _, schedule in row.grid.schedules(family)]
        on_ranks = any(several(placement.ranks) for placement in placements)
        copies = any(several(placement.copies) for placement in placements)
        said = CLAIMS[f"schedules.{family}.in-flight"].statement
        assert said.startswith("At one copy of stage s (on one rank)") == on_ranks, family
        assert ("over all replicas" in said) == (copies and not on_ranks), family


def test_gradients_left_over_are_named_where_windows_may_be_cut_short() -> None:
    for family in STATED:
        said = CLAIMS[f"schedules.{family}.staleness"].statement
        assert ("no update applies the last M mod K gradients" in said) == (
            bool(get_family(family).interval)
        )


def test_affine_and_stamped_families_are_proved() -> None:
    proved = {family for family in STATED if reached(family, "causal")}
    expected = {name for name, family in FAMILIES.items() if family.affine}
    asynchronous = {"pipedream-2bw", "pipemare", "xpipe", "asyncpp"}
    blog = {"blog-naive", "blog-gpipe", "blog-1f1b"}
    assert proved == expected | asynchronous | blog | set(STAMPED)
    assert proved == {family for family in STATED if reached(family, "update-once")}


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("pipemare", ("update_interval",)),
        pytest.param("amdp", ("admission", "pipelines", "stage_cap"), marks=pytest.mark.slow),
    ],
)
def test_no_stash_is_refuted_by_the_smallest_run(family: str, parameters: tuple[str, ...]) -> None:
    row = published.row(f"schedules.{family}.stash")
    assert row.verdict is Verdict.REFUTED
    witness = row.judgement.counterexample
    assert witness is not None
    given = {name: witness[name] for name in parameters}
    found = versions(build(family, witness["p"], witness["M"], **given))
    stage, microbatch = map(int, witness["action"].split("B"))
    assert found.read[stage, microbatch] == witness["read"]
    assert found.used[stage, microbatch] == witness["used"]
    assert witness["read"] != witness["used"]
    [finding] = row.judgement.findings
    assert finding.says.startswith("by design")
    assert finding.repaired is not None
    smaller = [
        size
        for size, schedule in STATED[family].grid.schedules(family)
        if not versions(schedule).stashed.all()
    ]
    assert {name: witness[name] for name in smaller[0]} == smaller[0]


def test_deeper_evidence_is_of_a_larger_grid() -> None:
    claim = CLAIMS["schedules.chimera.in-flight"]
    assert claim.deeper is not None
    [entry] = claim.deeper(claim.printed)
    assert entry.points == "for"
    assert entry.data["schedules"] > 40


def test_the_beginning_of_an_id_selects_what_goes_on() -> None:
    assert [claim.id for claim in select(["schedules.zbv"])] == [
        f"schedules.zbv.{column}" for column in COLUMNS
    ]
    both = select(["schedules.zbv", "schedules.zbv.causal", "rpd.cor-c1"])
    assert len(both) == len(COLUMNS) + 1
    assert both[0].id == "rpd.cor-c1"
    with pytest.raises(UnknownClaimError, match=r"schedules\.zb"):
        select(["schedules.zb"])


def test_all_formulas_belong_to_columns_with_bounds() -> None:
    for claim in MATRIX:
        _, family, column = claim.id.split(".")
        assert bool(claim.printed) == (column in ("staleness", "in-flight", "deadlock-free"))
        assert claim.printed == claim.core == stated(family, column)
        assert bool(claim.latex) == (column in ("staleness", "in-flight"))


@pytest.mark.parametrize("family", ["pipemare", "amdp"])
def test_what_is_missing_by_design_is_spoiled_where_it_is_there(family: str) -> None:
    assert accepts_original(CLAIMS[f"schedules.{family}.stash"])
