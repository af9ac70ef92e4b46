"""`check_figures`: stated formulas against runs of a finite grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
import sympy

from schedules import build, timeline
from schedules.actions import Kind
from schedules.errors import ParameterError, UnknownNameError
from schedules.families import FAMILIES, get_family
from schedules.families.figures import Figures
from theory.derive import derive
from theory.errors import NoClosedFormError
from theory.laws.stated_figures import (
    CHOICES,
    SYMBOLS,
    FiguresLaw,
    check_figures,
    compare,
    read_forms,
    runs,
)
from theory.verdicts import Verdict

STATED = [name for name, family in FAMILIES.items() if family.figures is not None]
every_family = pytest.mark.parametrize("name", STATED)

law = cache(check_figures)


def test_every_synchronous_family_is_derived_or_stated() -> None:
    without = {name for name, family in FAMILIES.items() if not family.affine} - set(STATED)
    assert without == {"localsgd", "amdp"}
    assert not any(FAMILIES[name].affine for name in STATED)


@pytest.mark.sampled(4)
@every_family
def test_checked_on_a_grid_of_several_sizes(name: str) -> None:
    found = law(name)
    assert found.verdict is Verdict.CHECKED
    assert [step.verdict for step in found.proof] == [Verdict.CHECKED] * 3
    makespan, bubble, peak = (step.queries for step in found.proof)
    assert makespan == bubble >= 5
    assert peak > 2 * makespan, "one number a rank"
    assert f"all {makespan} sizes" in found.domain


@every_family
def test_texts_name_known_symbols(name: str) -> None:
    figures = get_family(name).figures
    assert figures is not None
    known = {"p", "M", *(parameter.name for parameter in get_family(name).parameters)}
    assert known < set(SYMBOLS)
    forms = read_forms(figures, {})
    assert {str(symbol) for symbol in forms.makespan.free_symbols} <= known
    assert {str(symbol) for symbol in forms.peak.free_symbols} <= known | {"r"}


@every_family
def test_printed_formulas_hold_at_a_size_off_the_grid(name: str) -> None:
    """Read the printed text back, at p = 8 and M = 40, which no grid has."""
    microbatches = 1 if name == "blog-naive" else 40
    line = timeline(build(name, 8, microbatches))
    printed = law(name).to_json()
    symbols = {symbol: sympy.Symbol(symbol) for symbol in SYMBOLS}
    size = {symbols["p"]: 8, symbols["M"]: microbatches, symbols["chunks"]: 2, symbols["layers"]: 4}
    assert sympy.sympify(printed["makespan"], locals=symbols).subs(size) == line.length
    bubble = sympy.sympify(printed["bubble"], locals=symbols).subs(size)
    assert bubble == sympy.Rational(line.idle_fraction)


@every_family
@pytest.mark.parametrize("p", [2, 4])
def test_peak_by_program_order(name: str, p: int) -> None:
    """Counted along each rank's program, without times."""
    microbatches = 1 if name == "blog-naive" else 4 * p
    schedule = build(name, p, microbatches)
    figures = get_family(name).figures
    assert figures is not None
    peak = read_forms(figures, {}).peak
    for rank in range(p):
        kept = most = 0
        for action in schedule.rank(rank):
            kept += (action.kind is Kind.F) - (action.kind in (Kind.B, Kind.W))
            most = max(most, kept)
        values = {"p": p, "M": microbatches, "r": rank, "chunks": 2, "layers": 4}
        assert peak.subs({s: values[str(s)] for s in peak.free_symbols}) == most


@pytest.mark.parametrize("name", ["gpipe", "naive", "1f1b"])
def test_what_is_proved_for_all_sizes_is_what_the_grid_says(name: str) -> None:
    proved = derive(name).to_json()
    stated = Figures(makespan=proved["makespan"], work="2*M", peak="0")
    forms = read_forms(stated, {})
    makespan, bubble, peak = compare(forms, list(runs(get_family(name), stated, {})))
    assert (makespan.verdict, bubble.verdict) == (Verdict.CHECKED, Verdict.CHECKED)
    assert sympy.sstr(forms.bubble) == proved["bubble"]
    assert peak.verdict is Verdict.REFUTED


def test_keys_of_a_derived_law() -> None:
    derived = set(derive("gpipe").to_json())
    found = law("zbv").to_json()
    assert set(found) == derived | {"peak_activations"}
    assert all(found[key] is None for key in ("delay", "start_times", "max", "in_flight"))


def test_a_given_parameter_is_put_in() -> None:
    found = check_figures("interleaved-1f1b", {"chunks": 4})
    assert found.verdict is Verdict.CHECKED
    assert found.to_json()["makespan"] == "8*M + 2*p - 2"
    assert "chunks = 4" in found.domain
    assert law("interleaved-1f1b").proof[0].queries == CHOICES * found.proof[0].queries


def test_domain_says_where_it_is_claimed() -> None:
    assert law("zbv").domain == (
        "2 <= p <= 6, 1 <= M <= 4*p, M >= 2*p - 1, all 50 sizes that the family accepts"
    )


def test_nothing_is_stated_without_a_check() -> None:
    figures = Figures(makespan="2*(M + p - 1) + 1", work="2*M", peak="M")
    forms = read_forms(figures, {})
    proof = compare(forms, list(runs(get_family("blog-gpipe"), figures, {})))
    refuted = FiguresLaw("blog-gpipe", "", forms, proof)
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.proof[0].witness == {"p": 2, "M": 2}
    assert refuted.proof[0].says.endswith("p = 2, M = 2 the formula gives 7, the run 6")
    assert refuted.to_json()["makespan"] is refuted.to_json()["peak_activations"] is None


def test_an_empty_grid_shows_nothing() -> None:
    figures = Figures(makespan="1", work="1", peak="1", where="M > 4*p")
    grid = list(runs(get_family("blog-gpipe"), figures, {}))
    assert grid == []
    assert {step.verdict for step in compare(read_forms(figures, {}), grid)} == {Verdict.UNKNOWN}


def test_a_claim_beyond_its_domain_is_refuted() -> None:
    """The formulas of ZB-V without its M ≥ 2p − 1."""
    family = get_family("zbv")
    assert family.figures is not None
    everywhere = replace(family.figures, where="True")
    proof = compare(read_forms(everywhere, {}), list(runs(family, everywhere, {})))
    assert proof[0].verdict is Verdict.REFUTED
    assert proof[0].witness["M"] < 2 * proof[0].witness["p"] - 1


@pytest.mark.parametrize(
    ("name", "parameters", "error"),
    [
        ("localsgd", {}, NoClosedFormError),
        ("gpipe", {}, NoClosedFormError),
        ("looped-bfs", {"chunks": 65}, NoClosedFormError),
        ("looped-bfs", {"chunks": 0}, ParameterError),
        ("looped-bfs", {"chunk": 2}, UnknownNameError),
        ("zb-h3", {}, UnknownNameError),
    ],
)
def test_bad_input(name: str, parameters: Mapping[str, int], error: type[Exception]) -> None:
    with pytest.raises(error):
        check_figures(name, parameters)
