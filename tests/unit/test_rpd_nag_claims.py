"""Appendix I: the rows, the exact constants, and the paths that attain them."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from theory.falsifier.errors import RejectedInstanceError
from theory.judging.decide import proves
from theory.kernel import prove
from theory.papers.rpd import lemma_i2, nag_thm, thm_4_1
from theory.papers.rpd.lemmas import (
    sharp_drift,
    sharp_lemma_i2_any_beta,
    sharp_nag,
    sharp_nag_drift,
    sharp_nag_pathwise,
)
from theory.papers.rpd.symbols import G, K, beta, gamma, p, tau
from theory.papers.rpd.witnesses.nag_paths import Path

STALE = {one.id: one.printed["staleness"] for one in (nag_thm.CLAIM, sharp_nag_pathwise.CLAIM,
                                                      sharp_nag.CLAIM)}  # fmt: skip


def test_lemma_i2_as_printed() -> None:
    at = {gamma: 2, G: 3, tau: 5, beta: 1, p: 4}
    assert sympy.Add(*lemma_i2.CLAIM.printed.values()).subs(at) == 6 * (5 + 2)


def test_lemma_i2_is_loose() -> None:
    (finding,) = lemma_i2.remarks(prove(lemma_i2.THEOREM))
    assert finding.kind == "loose"
    assert finding.repaired is not None
    assert proves(*finding.repaired.grounds)
    assert finding.witness is not None
    assert (finding.witness["distance"], finding.witness["printed"]) == ("2", "3")
    assert "√p at τ = 0" in finding.says


@pytest.mark.slow
def test_the_theorem_is_loose() -> None:
    (finding,) = nag_thm.remarks(prove(nag_thm.THEOREM))
    assert finding.witness is not None
    assert finding.repaired is not None
    assert finding.witness["stale term"] == {
        "printed": "9",
        "on every path": "4",
        "in expectation": "5/2",
    }
    assert "p times at τ = 0, and p times as τ grows" in finding.says
    assert proves(*finding.repaired.grounds)


def test_extrapolation_does_not_help_the_bound() -> None:
    assert "favours β = 0" in nag_thm.without_help(nag_thm.CLAIM.printed).says
    assert "may fall" in nag_thm.without_help({"staleness": (tau - beta) ** 2}).says


def test_without_extrapolation_it_is_the_theorem_of_rpd() -> None:
    for name in ("optimization", "sampling", "staleness"):
        gap = nag_thm.CLAIM.printed[name].subs(beta, 0) - thm_4_1.THEOREM.terms[name]
        assert sympy.expand(gap) == 0
    gap = sharp_nag_drift.THEOREM.terms["drift"].subs(beta, 0) - sharp_drift.THEOREM.terms["drift"]
    assert sympy.expand(gap) == 0


def test_one_block_has_one_distance() -> None:
    assert len({sympy.factor(form.subs(p, 1)) for form in STALE.values()}) == 1


def test_order_of_the_three_bounds() -> None:
    at = {gamma: 1, G: 1, K: 1, sympy.Symbol("L", positive=True): 1, p: 4, tau: 3, beta: 1}
    assert [STALE[name].subs(at) for name in STALE] == [25, 16, sympy.Rational(28, 4)]


@pytest.mark.parametrize(
    ("stages", "delay", "extrapolation", "squared"),
    [
        (1, 3, Fraction(1), 16),
        (4, 0, Fraction(1), 1),
        (4, 1, Fraction(1, 2), Fraction(9, 4)),
        # the first β at which two blocks are as far as one: β² = 2β + τ
        (2, 3, Fraction(3), 36),
        (4, 1, Fraction(4), 32),
        (5, 3, Fraction(6), 144),
    ],
)
def test_largest_distance_is_attained(
    stages: int, delay: int, extrapolation: Fraction, squared: Fraction | int
) -> None:
    most = sharp_lemma_i2_any_beta.largest(stages, delay, extrapolation)
    paths = [Path.dealt(delay, stages, q) for q in range(1, min(stages, delay + 1) + 1)]
    assert most == max(path.replay(extrapolation) for path in paths) == squared


def test_beyond_its_condition_the_sharp_constant_fails() -> None:
    path = Path.dealt(tau=1, stages=2, blocks=2)
    assert path.replay(Fraction(4)) == 32 > (1 + 4) ** 2


def test_paths_keep_to_the_delays() -> None:
    late = Path(2, ((0, 1), (1, 1)), (2, 0))
    with pytest.raises(RejectedInstanceError, match="0 ≤ d ≤ min"):
        late.replay(Fraction(1))


def test_paths_by_hand() -> None:
    # x goes 0 → (−1, 0) → (−1, −1); x̃ = (−1, −1) + ½((0, 0) + (0, −1)) with no delay
    assert Path(2, ((0, 1), (1, 1)), (0, 0)).replay(Fraction(1, 2)) == Fraction(1, 4)
    # with delay 1 in block 0 it reads −1 and extrapolates by −½
    assert Path(2, ((0, 1), (1, 1)), (1, 0)).replay(Fraction(1, 2)) == Fraction(1, 2)
