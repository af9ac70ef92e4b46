"""What holds of SAPipe is not violated, and what is printed and false is found."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy

from tests.challenges import CHALLENGES
from theory.falsifier import falsify
from theory.falsifier.errors import (
    DisagreementError,
    RejectedInstanceError,
    UnmeasuredSymbolError,
)
from theory.falsifier.scalars import linear, quadratic
from theory.papers.sapipe.error_terms import (
    ERR_0,
    ERR_DC,
    ERR_WP_1,
    ERR_WP_2,
    ERR_WP_3,
    OPTIMIZATION,
    VAR_0,
)
from theory.papers.sapipe.runs import pipelines as sapipe_runs
from theory.papers.sapipe.runs import settings as sapipe
from theory.papers.sapipe.runs.challenges import NOISY, QUIET, ROUNDED, ROUNDED_NOISY, alike, signed
from theory.papers.sapipe.runs.fleets import fleet
from theory.papers.sapipe.runs.moments import follow_forms
from theory.papers.sapipe.runs.parts import rounded
from theory.papers.sapipe.runs.pipelines import Pipeline, follow_pipeline
from theory.papers.sapipe.runs.replays import replay_pipeline
from theory.papers.sapipe.runs.settings import (
    PipelineSetting,
    pipeline_instance,
    pipeline_setting_of,
    twice_differentiable,
    with_diversity,
    with_small_weight,
)
from theory.papers.sapipe.symbols import V1, V2, L, eta, kappa, lambda_, n, rho

SAMPLES = OPTIMIZATION + VAR_0
SMALL = sympy.Lt(2 * L**2 * eta**2, 1)
REPAIRED_4 = L**2 * eta**2 / (1 - 2 * L**2 * eta**2) * (V1 - V1 / n + 2 * (n * rho - 1) * V2)
TRUE: dict[str, tuple[str, sympy.Expr, sympy.Basic]] = {
    "theorem 2": ("sapipe-vanilla", SAMPLES + kappa * ERR_0, sympy.true),
    "theorem 2, samples used twice": (
        "sapipe-vanilla-reused",
        SAMPLES + kappa * ERR_0 + 2 * kappa * (1 - kappa) * VAR_0,
        sympy.true,
    ),
    "theorem 2, first layers, κ → 1": ("sapipe-prefix", SAMPLES + ERR_0 + VAR_0, sympy.true),
    "theorem 3": ("sapipe-dc", SAMPLES + kappa * (ERR_DC + VAR_0), sympy.true),
    "theorem 3, sharp constants": ("sapipe-dc", SAMPLES + kappa * (ERR_DC / 4 + VAR_0), sympy.true),
    "option 1 by second moments": ("sapipe-wp-1", SAMPLES + kappa * ERR_0, sympy.true),
    "theorem 4, repaired": ("sapipe-wp-1", SAMPLES + kappa * REPAIRED_4, SMALL),
    "theorem 5 on its domain": ("sapipe-wp-2", SAMPLES + kappa * ERR_WP_2, SMALL),
    "option 2, every η": ("sapipe-wp-2", SAMPLES + 4 * kappa * ERR_0, sympy.true),
    "option 3, every η": (
        "sapipe-wp-3",
        SAMPLES + kappa * ERR_0 * (2 + lambda_ * eta * V2) ** 2,
        sympy.true,
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TRUE)
def test_what_holds_is_not_violated(name: str) -> None:
    challenge, bound, where = TRUE[name]
    attempt = falsify(CHALLENGES[challenge], bound, where=where)
    assert attempt.witness is None
    assert attempt.evidence.points == "for"
    assert attempt.tried > 80
    assert attempt.ratio is not None
    assert attempt.ratio > 0.4


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUE)
def test_nor_by_a_deep_search(name: str) -> None:
    challenge, bound, where = TRUE[name]
    quick = falsify(CHALLENGES[challenge], bound, where=where)
    attempt = falsify(CHALLENGES[challenge], bound, where=where, deep=True)
    assert attempt.witness is None
    assert attempt.tried >= 2 * quick.tried


def witness(challenge: str, bound: sympy.Expr, where: sympy.Basic = sympy.true) -> Any:
    found = falsify(CHALLENGES[challenge], bound, where=where).witness
    assert found is not None
    assert "second method" in found["replayed"]
    assert json.loads(json.dumps(found)) == found
    return found


def test_theorem_2_fails_for_a_prefix_of_layers() -> None:
    found = witness("sapipe-prefix", SAMPLES + kappa * ERR_0)
    assert "first layers" in found["delays"]
    assert found["parameters"]["V1"] == "0"


def test_theorem_4_is_negative_with_equal_data() -> None:
    where = sympy.And(sympy.Eq(rho, 1 / n), sympy.Ge(n, 2))
    found = witness("sapipe-wp-1", SAMPLES + kappa * ERR_WP_1, where)
    assert found["parameters"]["V1"] == "0"


def test_theorem_4_misses_the_stall_even_with_a_fair_error() -> None:
    where = sympy.And(sympy.Eq(rho, 3), sympy.Eq(n, 3), sympy.Eq(3 * L * eta, 1), sympy.Eq(V1, 0))
    found = witness("sapipe-wp-1", SAMPLES + kappa * ERR_WP_1, where)
    assert sympy.sympify(found["bound"]) > 0
    assert "hill" in found["problem"]["name"]


def test_the_stall_is_where_it_was_computed_by_hand() -> None:
    """With η = 1/3 the model tends to 8/9 of its start, where ∇F = x/3."""
    stall = follow_pipeline(signed(3), Pipeline("wp-1", 3, 60, Fraction(1, 3)))
    assert abs(stall.gradients[-1] - Fraction(64, 729)) < Fraction(1, 10**9)


def test_theorem_5_fails_beyond_its_domain_only() -> None:
    beyond = sympy.And(sympy.Gt(2 * L**2 * eta**2, 1), sympy.Lt(L * eta, 1))
    found = witness("sapipe-wp-2", SAMPLES + kappa * ERR_WP_2, beyond)
    assert Fraction(found["parameters"]["eta"]) ** 2 * 2 > 1


@pytest.mark.parametrize(
    ("name", "edited"),
    [
        ("theorem 2", OPTIMIZATION + kappa * ERR_0 + VAR_0 * sympy.Rational(9, 10)),
        ("theorem 2", SAMPLES + kappa * ERR_0 * sympy.Rational(3, 5)),
        ("theorem 2", SAMPLES + kappa**2 * ERR_0 * sympy.Rational(3, 5)),
        ("theorem 3", SAMPLES + kappa * (ERR_DC / 50 + VAR_0)),
        ("theorem 5 on its domain", SAMPLES + kappa * ERR_WP_2 / 20),
        ("option 2, every η", SAMPLES + kappa * ERR_0 / 6),
        ("option 3, every η", SAMPLES + kappa * ERR_WP_3 / 6),
    ],
)
def test_edited_constants_are_refuted(name: str, edited: sympy.Expr) -> None:
    challenge, _, where = TRUE[name]
    witness(challenge, edited, where)


def test_a_bound_over_what_has_no_value_is_an_error() -> None:
    with pytest.raises(UnmeasuredSymbolError, match="no value for M"):
        falsify(CHALLENGES["sapipe-wp-2"], sympy.Symbol("M") + OPTIMIZATION)


ONE = Fraction(1)
PARABOLA = QUIET[0](1)


@pytest.mark.parametrize(
    ("problem", "method", "accept", "rule"),
    [
        (PARABOLA, Pipeline("vanilla", 1, 2, ONE * 2), None, "η ≤ 1/L"),
        (PARABOLA, Pipeline("vanilla", 1, 2, -ONE), None, "0 < η"),
        (PARABOLA, Pipeline("vanilla", 1, 2, ONE, ONE * 2), None, "κ ≤ 1"),
        (PARABOLA, Pipeline("vanilla", 1, 0, ONE), None, "T ≥ 1"),
        (PARABOLA, Pipeline("wp-4", 1, 2, ONE), None, "method of the paper"),
        (PARABOLA, Pipeline("dc", 1, 2, ONE, ONE, -ONE), None, "λ ≥ 0"),
        (PARABOLA, Pipeline("vanilla", 1, 2, ONE, ONE / 2, layers=True), None, "whole elements"),
        (NOISY[5](2), Pipeline("vanilla", 3, 2, ONE), None, "n equal shares"),
        (alike("hill", [[quadratic(-1)]], [1])(1), Pipeline("vanilla", 1, 2, ONE), None, "minimum"),
        (alike("bottom", [[quadratic(1)]], [0])(1), Pipeline("vanilla", 1, 2, ONE), None, "V₂ > 0"),
        (QUIET[8](2), Pipeline("wp-1", 2, 2, ONE), with_diversity, "Assumption 3"),
        (PARABOLA, Pipeline("wp-3", 1, 2, ONE), twice_differentiable, "Assumption 4"),
        (ROUNDED[0](1), Pipeline("dc", 1, 2, ONE, ONE, ONE), with_small_weight, "ληV₂"),
    ],
)
def test_instances_outside_the_hypotheses_are_rejected(
    problem: Any, method: Pipeline, accept: Any, rule: str
) -> None:
    with pytest.raises(RejectedInstanceError, match=rule):
        (accept or (lambda one: one))(pipeline_instance(PipelineSetting(problem, method)))


@pytest.mark.parametrize(
    ("problem", "method"),
    [
        (QUIET[2](1), Pipeline("vanilla", 1, 2, ONE / 3)),
        (NOISY[2](1), Pipeline("vanilla", 1, 2, ONE / 3)),
        (NOISY[0](1), Pipeline("vanilla", 1, 2, ONE / 3, ONE / 2)),
        (NOISY[0](1), Pipeline("dc", 1, 2, ONE / 3)),
        (NOISY[5](2), Pipeline("wp-1", 2, 2, ONE / 3)),
        (ROUNDED_NOISY[0](1), Pipeline("vanilla", 1, 2, ONE / 3)),
    ],
)
def test_linear_forms_refuse_what_they_cannot_follow(problem: Any, method: Pipeline) -> None:
    with pytest.raises(RejectedInstanceError, match="linear forms"):
        follow_forms(problem, method)


def test_a_run_with_too_many_states_is_refused() -> None:
    with pytest.raises(RejectedInstanceError, match="at most"):
        follow_pipeline(NOISY[2](2), Pipeline("wp-1", 2, 12, ONE / 3))


NOISE = fleet("noisy", [[[quadratic(1, tilt=b)] for b in (-1, 1)], [[quadratic(2)]] * 2], [1])
METHOD = Pipeline("wp-3", 2, 3, Fraction(1, 3), Fraction(1, 2), Fraction(1, 4))
LONGER = replace(METHOD, T=4, kappa=ONE)
"""Δx matters from the third iteration on, and is seen in the fourth."""


@pytest.mark.parametrize(
    ("method", "change"),
    [
        (LONGER, {"eta": Fraction(1, 4)}),
        (METHOD, {"kappa": Fraction(1, 4)}),
        (LONGER, {"weight": Fraction(1, 2)}),
        (METHOD, {"own": False}),
        *((replace(LONGER, T=3), {"kind": kind}) for kind in ("wp-2", "wp-1", "dc", "vanilla")),
    ],
    ids=str,
)
def test_other_parameters_make_another_run(method: Pipeline, change: dict[str, Any]) -> None:
    changed = replace(method, **change)
    assert follow_pipeline(NOISE, method) == replay_pipeline(NOISE, method)
    assert follow_pipeline(NOISE, changed) == replay_pipeline(NOISE, changed)
    assert follow_pipeline(NOISE, method) != follow_pipeline(NOISE, changed)


def test_a_run_at_rest_is_ahead_of_one_whose_first_iteration_passes() -> None:
    method = Pipeline("vanilla", 1, 6, Fraction(1, 2))
    passing, at_rest = (
        follow_pipeline(PARABOLA, replace(method, rest=rest)).gradients for rest in (False, True)
    )
    assert passing[0] == passing[1]
    assert passing[1:] == at_rest[:-1]


@pytest.mark.parametrize("tampered", ["_compensated", "_predicted", "_stale_gradient"])
def test_a_wrong_rule_is_found_by_the_second_method(
    tampered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(sapipe_runs._Run, tampered)

    def wrong(self: Any, *arguments: Any) -> Any:
        return tuple(entry * Fraction(9, 10) for entry in right(self, *arguments))

    monkeypatch.setattr(sapipe_runs._Run, tampered, wrong)
    method = replace(LONGER, kind="dc" if tampered == "_compensated" else "wp-3")
    assert follow_pipeline(NOISE, method) != replay_pipeline(NOISE, method)


def test_a_wrong_measurement_is_no_witness() -> None:
    challenge = CHALLENGES["sapipe-vanilla"]

    def doubled(one: Any) -> Any:
        return challenge.measure(one) * 2  # type: ignore[operator]

    with pytest.raises(DisagreementError, match="two methods measure"):
        falsify(replace(challenge, measure=doubled), SAMPLES + kappa * ERR_0)


def test_a_wrong_moment_is_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """V₂ too small would make witnesses of what is none."""
    setting = PipelineSetting(NOISE, METHOD)
    right = follow_pipeline(NOISE, METHOD)
    monkeypatch.setattr(
        sapipe, "pipeline_course", lambda setting: replace(right, moment=right.moment / 2)
    )
    with pytest.raises(DisagreementError, match="V₂"):
        sapipe.replayed_gradient(setting)


@pytest.mark.parametrize("name", sorted(name for name in CHALLENGES if name.startswith("sapipe")))
def test_instances_can_be_rebuilt_from_what_is_said_of_them(name: str) -> None:
    kinds = {"sapipe-dc": "dc", **{f"sapipe-wp-{k}": f"wp-{k}" for k in (1, 2, 3)}}
    kind = kinds.get(name, "vanilla")
    for one in list(CHALLENGES[name].instances(False))[::9]:
        assert pipeline_instance(pipeline_setting_of(one, kind)) == one


def test_constants_on_a_small_problem() -> None:
    parts = [[rounded(1, 2, 2, tilt=b)] for b in (-1, 1)]
    one = pipeline_instance(
        PipelineSetting(fleet("noisy", [parts], [1]), Pipeline("wp-3", 1, 1, Fraction(1, 2)))
    )
    # f'' ≤ 2 falls at the rate 1, |f'| ≤ 2·2 + 1; at x_0 = 1 and x̃_1 = 1/2, 3/2 for the two draws
    held = {name: str(value) for name, value in one.numbers.items()}
    assert (held["L"], held["M"], held["Delta"]) == ("2", "1/2", "25")
    assert (held["V1"], held["rho"], held["R0"]) == ("1", "1", "1")


def test_lines_are_constant_layers() -> None:
    layered = alike("layered", [[quadratic(1), linear(0)]], [1, 0])(1)
    method = Pipeline("vanilla", 1, 7, ONE, ONE / 2, layers=True, rest=True)
    course = follow_pipeline(layered, method)
    assert [str(square) for square in course.gradients] == ["1", "0", "1", "1", "0", "1", "1"]
