"""Negative controls of Assumptions 3 and 4 and Remarks 3 to 6 of SAPipe."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import pytest
import sympy

from theory.account import Compared, Ground
from theory.claims import Claim, Formulas
from theory.judging.decide import decided, established
from theory.judging.mutants import passes
from theory.kernel import Combine, Hypothesis, Theorem, le
from theory.kernel.lemmas import DESCENT
from theory.papers.sapipe import assumption_3, assumption_4, remark_3, remark_4, remark_5, remark_6
from theory.papers.sapipe.error_terms import ERR_0, ERR_DC, ERR_WP_2
from theory.papers.sapipe.lemmas import assumption_4_gradient, dc_bias, lambda_ends, workers
from theory.papers.sapipe.lemmas.dc_errors import SHARP_DC
from theory.papers.sapipe.lemmas.regions import (
    REPAIRED_WINS,
    WINS,
    Region,
    enough,
    equivalence,
    needed,
)
from theory.papers.sapipe.pieces import lines, weakened
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, eta, lambda_, n, rho
from theory.papers.sapipe.witnesses.steep import STEEP, Steep
from theory.verdicts import Verdict

PROVED, REFUTED, UNKNOWN = Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN
CONDITIONAL = Verdict.CONDITIONAL
FAILS = Compared("nothing", "", False)


def reached(*grounds: Ground) -> Verdict:
    """What they show together."""
    return established(grounds)


NAMES = (
    "assumption-3",
    "diversity",
    "assumption-4",
    "assumption-4-gradient",
    "remark-3",
    "remark-4",
    "remark-5",
    "remark-6",
    "best-lambda",
)


_EDITS: list[tuple[Claim, Formulas, Verdict]] = [
    (assumption_3.CLAIM, {"factor": n * rho - 1}, PROVED),
    (assumption_3.CLAIM, {"factor": n * rho}, UNKNOWN),
    (assumption_3.CLAIM, {"factor": n**2 * rho - 1}, UNKNOWN),
    (assumption_3.CLAIM, {"factor": rho - 1}, REFUTED),
    (assumption_3.CLAIM, {"factor": (n * rho - 1) / 2}, REFUTED),
    (assumption_4.CLAIM, dict(assumption_4.REPAIRED), PROVED),
    (assumption_4.CLAIM, {**assumption_4.PRINTED, "bound": assumption_4.c**2 * Delta}, REFUTED),
    (
        assumption_4.CLAIM,
        {**assumption_4.PRINTED, "bound": (assumption_4.c**2 + assumption_4.c) * Delta},
        UNKNOWN,
    ),
    (
        assumption_4_gradient.CLAIM,
        {**assumption_4_gradient.PRINTED, "gradient": 2 * Delta},
        UNKNOWN,
    ),
    (
        assumption_4.CLAIM,
        {**assumption_4.PRINTED, "weight": sympy.sqrt(assumption_4.c) * assumption_4.s},
        UNKNOWN,
    ),
    (assumption_4_gradient.CLAIM, {**assumption_4_gradient.PRINTED, "curvature": Delta}, UNKNOWN),
    (remark_3.CLAIM, dict(remark_3.PRINTED), CONDITIONAL),
    (remark_3.CLAIM, {"DC": ERR_DC / 40, "0": ERR_0}, UNKNOWN),
    (remark_3.CLAIM, {"DC": SHARP_DC, "0": ERR_0}, UNKNOWN),
    (remark_3.CLAIM, {"DC": ERR_DC, "0": 64 * ERR_0}, UNKNOWN),
    (remark_3.CLAIM, {"DC": ERR_DC, "0": ERR_0 / 2}, UNKNOWN),
    (remark_3.CLAIM, {"DC": -ERR_DC, "0": ERR_0}, UNKNOWN),
    (remark_4.CLAIM, {**remark_4.PRINTED, "V1": V2 / 2}, REFUTED),
    (remark_4.CLAIM, {**remark_4.PRINTED, "V1": -V2}, UNKNOWN),
    (remark_4.CLAIM, {**remark_4.PRINTED, "WP-1": ERR_0}, UNKNOWN),
    (remark_5.CLAIM, {**remark_5.PRINTED, "L2": (1 - 2 * V1 / V2) / (3 * eta**2)}, UNKNOWN),
    (remark_5.CLAIM, {**remark_5.PRINTED, "L2": 1 / (4 * eta**2)}, UNKNOWN),
    (remark_5.CLAIM, {**remark_5.PRINTED, "L2": -V1 / (V2 * eta**2)}, UNKNOWN),
    (remark_5.CLAIM, {**remark_5.PRINTED, "WP-2": 2 * ERR_WP_2}, UNKNOWN),
    (remark_6.CLAIM, dict(remark_6.CORE), PROVED),
    (remark_6.CLAIM, {**remark_6.CORE, "L < Delta": sympy.S.Zero}, REFUTED),
    (remark_6.CLAIM, {**remark_6.CORE, "L >= Delta": sympy.Rational(2, 3)}, REFUTED),
    (remark_6.CLAIM, {**remark_6.CORE, "bracket": 8 * V1}, UNKNOWN),
    (remark_6.CLAIM, remark_6.PRINTED, CONDITIONAL),
    (remark_6.CLAIM, {**remark_6.PRINTED, "bracket": 8 * V1}, UNKNOWN),
    (remark_6.CLAIM, {**remark_6.PRINTED, "L < Delta": sympy.S.One}, REFUTED),
    (remark_6.CLAIM, {**remark_6.PRINTED, "L >= Delta": sympy.S.Zero}, REFUTED),
    (remark_6.CLAIM, {**remark_6.PRINTED, "L >= Delta": sympy.S.Half}, REFUTED),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("claim", "edited", "verdict"), _EDITS, ids=lambda one: getattr(one, "id", "")
)
def test_edited_statements(claim: Claim, edited: Formulas, verdict: Verdict) -> None:
    found = decided(claim.account(edited))
    assert found.verdict is verdict
    assert (found.counterexample is not None) == (verdict is REFUTED)


def test_a_reversed_remark_4_names_no_hole_where_there_is_none() -> None:
    found = decided(remark_4.CLAIM.account({**remark_4.PRINTED, "V1": V2 / 2})).findings[0]
    assert found.witness is not None
    assert "ρ/n" not in found.witness
    assert "no number" not in found.says


def test_without_l_at_most_two_delta_nothing_is_refuted() -> None:
    theorem = remark_3.SHARP
    kept = tuple(h for h in theorem.hypotheses if h.name != "consistent")
    assert reached(replace(theorem, hypotheses=kept)) is UNKNOWN


def test_an_objective_whose_ratio_is_not_above_one_is_no_witness() -> None:
    tiny = {"DC": ERR_DC / 40, "0": ERR_0}
    found = remark_3.least_ratio(tiny, remark_3.SMALL, Fraction(1, 10))
    assert found is not None
    assert found < 1
    for odd in (ERR_0 * lambda_**3, ERR_0 / (1 + lambda_), ERR_0 + M * lambda_, -ERR_DC):
        rate = Fraction(1, 10)
        assert remark_3.least_ratio({"DC": odd, "0": ERR_0}, remark_3.SMALL, rate) is None


def _edited(region: Region) -> list[Region]:
    """Conditions that are too weak, too strong, and multiplied by the wrong factor."""
    left, right = region.condition.lhs, region.condition.rhs
    return [
        replace(region, condition=sympy.Le(left, 2 * right, evaluate=False)),
        replace(region, condition=sympy.Le(left + V2, right, evaluate=False)),
        replace(region, condition=sympy.Le(right, left, evaluate=False)),
        replace(region, factor=2 * region.factor),
        replace(region, factor=-region.factor),
        replace(region, error=region.error + ERR_0),
    ]


@pytest.mark.parametrize("name", ["DC", "WP-1", "WP-2", "WP-3"])
def test_edited_regions_are_not_proved(name: str) -> None:
    for region in _edited(WINS[name]):
        assert established(equivalence(region)) is UNKNOWN


@pytest.mark.parametrize("region", [WINS["WP-2"], *REPAIRED_WINS.values()], ids=["2", "1r", "2r"])
def test_short_steps_are_needed(region: Region) -> None:
    assert established(equivalence(replace(region, inside=()))) is UNKNOWN


def test_nothing_is_shown_by_no_theorem() -> None:
    assert reached() is UNKNOWN


def _about(low: sympy.Expr, high: sympy.Expr) -> Theorem:
    x = sympy.Symbol("x", real=True)
    return Theorem(
        id="mine.bounds",
        where="ours",
        statement="x is at most its bound.",
        latex="x",
        symbols=(x,),
        hypotheses=(
            Hypothesis("low", "x ≥ 1", le(low, x)),
            Hypothesis("high", "x ≤ 0", le(x, high)),
        ),
        lhs=x,
        terms={"bound": sympy.sympify(high)},
        conclude=Combine({"high": 1}),
    )


def test_hypotheses_that_contradict_each_other_show_nothing() -> None:
    one, zero = sympy.S.One, sympy.S.Zero
    assert reached(_about(zero, one)) is PROVED
    assert reached(_about(one, zero)) is UNKNOWN
    assert reached(_about(zero, one), _about(one, zero)) is UNKNOWN


def test_a_hypothesis_that_is_not_needed_survives_as_a_control() -> None:
    dropped = weakened(_about(sympy.S.Zero, sympy.S.One))
    verdicts = {name: passes(control) for name, control in dropped.items()}
    assert verdicts == {"low (mine.bounds)": PROVED, "high (mine.bounds)": UNKNOWN}


def test_the_other_direction_of_remark_5_needs_short_steps() -> None:
    one = needed(replace(WINS["WP-2"], inside=()))
    assert reached(one) is UNKNOWN
    numbers = {L: 1, eta: 1, V1: 1, V2: 1}  # Err_WP-2 is negative, and the condition false
    assert ERR_WP_2.subs(numbers) < 0
    assert WINS["WP-2"].condition.subs(numbers) == sympy.false


@pytest.mark.parametrize("claim", [assumption_4.CLAIM, remark_3.CLAIM, remark_6.CLAIM])
def test_what_rests_on_the_gradient_falls_with_it(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assumption_4_gradient, "holds", lambda *_: (FAILS,))
    found = decided(claim.account(claim.printed))
    repairs = [one.repaired.verdict for one in found.findings if one.repaired is not None]
    if claim is remark_3.CLAIM:
        assert found.verdict is CONDITIONAL
        assert found.findings == ()
        assert [case.verdict for case in found.cases] == [PROVED, UNKNOWN, UNKNOWN]
    elif claim is remark_6.CLAIM:
        assert [one.kind for one in found.findings] == ["false", "superfluous-condition"]
    else:
        assert UNKNOWN in repairs


@pytest.mark.parametrize(
    ("module", "stated"),
    [
        (assumption_3, assumption_3.PRINTED),
        (assumption_4, assumption_4.PRINTED),
        (remark_6, {**remark_6.PRINTED, "L >= Delta": sympy.S.Half}),
    ],
)
def test_a_witness_beside_a_proof_is_kept_and_decides_nothing(
    module: ModuleType, stated: Formulas, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert decided(module.CLAIM.account(stated)).verdict is REFUTED
    monkeypatch.setattr(module, "holds", lambda *_: (DESCENT,))
    found = decided(module.CLAIM.account(stated))
    assert found.verdict is UNKNOWN
    assert found.counterexample is not None


def test_a_proof_without_an_objective_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remark_3, "never", lambda *_: (DESCENT,))
    found = decided(remark_3.CLAIM.account({"DC": ERR_DC / 40, "0": ERR_0}))
    assert found.cases[1].verdict is UNKNOWN
    assert found.findings == ()


def test_premises_that_no_objective_satisfies_prove_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With its least L nothing is small enough, and the row is not called conditional."""
    monkeypatch.setattr(remark_3, "LOOSE", remark_3.SMALL.smoothness)
    assert remark_3.satisfied(remark_3.PRINTED) is None
    assert remark_3.satisfied({"DC": ERR_DC / 100, "0": ERR_0}) is None, "small by itself"
    found = decided(remark_3.CLAIM.account(remark_3.PRINTED))
    assert found.verdict is UNKNOWN
    assert found.cases[0].verdict is UNKNOWN


def test_an_error_that_is_not_smaller_satisfies_nothing() -> None:
    assert remark_3.satisfied({"DC": 2 * ERR_0, "0": ERR_0}) is None
    assert remark_3.satisfied({"DC": ERR_DC, "0": -ERR_0}) is None
    assert remark_3.satisfied({"DC": ERR_DC * V1, "0": ERR_0}) is None


@pytest.mark.parametrize("one", [dc_bias.BETTER, dc_bias.THEOREM])
def test_a_longer_bias_is_not_covered(one: Theorem) -> None:
    short = {name: term * sympy.Rational(99, 100) for name, term in one.terms.items()}
    assert reached(replace(one, terms=short)) is UNKNOWN


@pytest.mark.parametrize("rate", [Fraction(1, 4), Fraction(1, 2), Fraction(2)])
def test_long_steps_of_the_steep_objective_are_no_example(rate: Fraction) -> None:
    assert remark_3.compensated(STEEP, rate) is None


def test_an_objective_with_a_large_delta_is_no_example() -> None:
    flat = Steep(Fraction(1, 10), Fraction(1, 2))  # ends with a slope above 1
    assert flat.apart > flat.smoothness
    assert remark_3.compensated(flat, Fraction(1, 10**6)) is None


def test_the_better_half_rests_on_the_identity_and_on_the_sign() -> None:
    assert established(lambda_ends.nearer()) is PROVED
    assert established(lambda_ends.nearer(slope=lambda_ends.SLOPE * (L - Delta))) is UNKNOWN
    other = replace(
        lambda_ends.HALF, terms={**lambda_ends.HALF.terms, "half": sympy.Rational(2, 5)}
    )
    assert established(lambda_ends.nearer(other)) is UNKNOWN


def test_the_critical_point_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = {"sum of |F_i'|²": Fraction(0), "|sum of F_i'|²": Fraction(0)}
    monkeypatch.setattr(assumption_3, "at_critical", lambda: alike)
    kinds = [one.kind for one in decided(assumption_3.CLAIM.account(assumption_3.PRINTED)).findings]
    assert kinds == ["false"]


def test_the_wider_condition_rests_on_the_mean_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "THEOREM", FAILS)
    [only] = decided(remark_5.CLAIM.account(remark_5.PRINTED)).findings
    assert only.kind == "missing-condition"


def test_a_factor_above_the_exact_one_is_not_refuted_for_several_workers() -> None:
    cases = decided(assumption_3.CLAIM.account({"factor": n * rho})).cases
    assert [case.verdict for case in cases] == [UNKNOWN, UNKNOWN, UNKNOWN]


def test_bounds_that_fit_each_other_are_not_yet_proved() -> None:
    loose = {**assumption_4_gradient.PRINTED, "gradient": 2 * Delta, "curvature": 3 * Delta}
    assert established(assumption_4_gradient.holds(loose)) is UNKNOWN


def test_every_part_of_the_comparison_is_there() -> None:
    steps = decided(assumption_4_gradient.CLAIM.account(assumption_4_gradient.PRINTED)).steps
    assert [step.says.split(" ")[0] for step in steps] == ["e^{−ms}(h′", "If", "Then", "⟨u,", "⟨u,"]


def test_the_rule_of_a_line_is_that_of_its_conclusion() -> None:
    assert lines(DESCENT)[0].rule == "certificate: rise"


def test_enough_alone_is_no_equivalence() -> None:
    one = Region(
        error=ERR_0 - V1 * (1 - V2),
        condition=sympy.Le(V2, 1),
        domain=sympy.true,
        factor=V1,
    )
    assert reached(enough(one)) is PROVED
    assert established(equivalence(one)) is UNKNOWN


def test_a_region_is_left_by_its_condition_and_by_its_domain() -> None:
    inside = {L: 1, eta: sympy.Rational(1, 2), V1: 0, V2: 1, rho: 1, n: 1}
    region = WINS["WP-1"]
    assert region.holds_at(inside)
    assert not region.holds_at({**inside, eta: 2})
    assert not region.holds_at({**inside, rho: sympy.Rational(1, 2)})
    assert not region.holds_at({**inside, V1: 1})
    long = {**inside, eta: sympy.Rational(3, 4)}
    for one in (WINS["WP-2"], REPAIRED_WINS["WP-1"], REPAIRED_WINS["WP-2"]):
        assert one.domain.subs(inside) == sympy.true
        assert one.domain.subs(long) == sympy.false
    heavy = {L: 1, eta: sympy.Rational(1, 2), V2: 1, lambda_: 1}
    assert WINS["DC"].domain.subs(heavy) == sympy.false
    assert WINS["DC"].domain.subs({**heavy, lambda_: sympy.Rational(1, 2)}) == sympy.true
    assert WINS["WP-3"].domain.subs({L: 1, eta: 2}) == sympy.false
