"""Constants of the objectives of SAPipe's witnesses: a wrong one, or a wrong piece, is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

import pytest
import sympy

from theory.account import Compared
from theory.judging.decide import established
from theory.papers.sapipe import remark_3, remark_6, thm_6
from theory.papers.sapipe.witnesses import (
    circling_constants,
    dc_witnesses,
    exact_objectives,
    limit_cycle,
    wp_3_flaws,
)
from theory.papers.sapipe.witnesses.exact_objectives import Constants, Piece, shown, u
from theory.papers.sapipe.witnesses.log_cosh import LogCosh
from theory.papers.sapipe.witnesses.steep import STEEP, Steep
from theory.verdicts import Verdict

PROVED, UNKNOWN = Verdict.PROVED, Verdict.UNKNOWN
FAILS: Final = (Compared("nothing", "", False),)
ONE: Final = LogCosh(Fraction(1))
RUN: Final = limit_cycle.RUN

CASES: Final[list[tuple[str, Sequence[Piece], Constants]]] = [
    (
        "circling",
        circling_constants.coordinate(RUN),
        Constants(RUN.smoothness, RUN.remainder, RUN.steepest),
    ),
    (
        "steep",
        STEEP.pieces,
        Constants(STEEP.smoothness, STEEP.remainder, STEEP.steepest, STEEP.apart),
    ),
    ("ln cosh", ONE.pieces, Constants(Fraction(1), ONE.remainder, Fraction(1), ONE.apart())),
]
LEAST: Final = {
    "circling": ("smoothness", "remainder", "steepest"),
    "steep": ("smoothness", "remainder", "steepest", "apart"),
    "ln cosh": ("smoothness", "steepest", "apart"),  # M is 1/2 there, and 2/(3√3) would do
}


@pytest.mark.parametrize(("name", "pieces", "constants"), CASES, ids=lambda one: str(one)[:9])
def test_no_constant_can_be_smaller(
    name: str, pieces: Sequence[Piece], constants: Constants
) -> None:
    assert established(shown(pieces, constants)) is PROVED
    for constant in LEAST[name]:
        less = getattr(constants, constant) * Fraction(999, 1000)
        assert established(shown(pieces, replace(constants, **{constant: less}))) is UNKNOWN


@pytest.mark.parametrize(("name", "pieces", "constants"), CASES, ids=lambda one: str(one)[:9])
def test_a_piece_that_is_changed_is_noticed(
    name: str, pieces: Sequence[Piece], constants: Constants
) -> None:
    loose = Constants(Fraction(9), Fraction(10**4), Fraction(9), Fraction(99))
    assert established(shown(pieces, loose)) is PROVED
    for at, piece in enumerate(pieces):
        for changed in (
            replace(piece, slope=piece.slope + u),
            replace(piece, slope=piece.slope + 1),
            replace(piece, curvature=piece.curvature / 2),
            replace(piece, last=piece.last / 2),
            replace(piece, speed=2 * piece.speed),
        ):
            others = [*pieces[:at], changed, *pieces[at + 1 :]]
            assert established(shown(others, loose)) is UNKNOWN


def test_an_objective_is_convex_and_ends_as_a_line() -> None:
    parabola = Piece(u, sympy.S.One, Fraction(0), Fraction(1))
    falling = Piece(u - u**2, 1 - 2 * u, Fraction(0), Fraction(1))
    loose = Constants(Fraction(9), Fraction(9), Fraction(9))
    assert established(shown((parabola,), loose)) is UNKNOWN
    assert established(shown((falling,), loose)) is UNKNOWN
    assert established(shown((replace(falling, last=Fraction(1, 2)),), loose)) is PROVED


def test_a_misfit_needs_both_of_its_hypotheses() -> None:
    assert established(circling_constants.MISFIT) is PROVED
    for theorem in circling_constants.MISFIT:
        for one in theorem.hypotheses:
            kept = tuple(other for other in theorem.hypotheses if other is not one)
            assert established((replace(theorem, hypotheses=kept),)) is UNKNOWN
        half = replace(theorem, terms={"bound": theorem.terms["bound"] / 2})
        assert established((half,)) is UNKNOWN


def test_a_reach_beyond_the_convex_part_is_refused() -> None:
    assert established(circling_constants.hold(replace(RUN, reach=Fraction(1, 10)))) is UNKNOWN


def test_witnesses_rest_on_the_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    assert thm_6.circling(RUN, thm_6.EXACT.terms) is not None
    monkeypatch.setattr(circling_constants, "hold", lambda _: FAILS)
    assert thm_6.circling(RUN, thm_6.EXACT.terms) is None
    monkeypatch.setattr(LogCosh, "hold", lambda *_: FAILS)
    assert remark_3.least_ratio(remark_3.PRINTED, remark_3.SMALL, Fraction(1, 10)) is None
    assert remark_3.satisfied(remark_3.PRINTED) is None
    assert remark_6.beaten(remark_6.PRINTED) is None
    assert dc_witnesses.first_iteration() is None
    monkeypatch.setattr(Steep, "hold", lambda *_: FAILS)
    assert remark_3.compensated(STEEP, Fraction(1, 1000)) is None
    assert dc_witnesses.first_layers() is None
    monkeypatch.setattr(wp_3_flaws, "shown", lambda *_: FAILS)
    assert wp_3_flaws.stale_points() is None


def test_rounding_has_no_part_in_it() -> None:
    assert exact_objectives.exact(Fraction(1, 3)) == sympy.Rational(1, 3)
