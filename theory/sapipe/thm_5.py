"""Theorem 5: SAPipe-WP in which all workers predict with the last update.

The proof sums a geometric series of ratio 2L²η². The theorem is stated for η ≤ 1/L, where this
ratio may be 1, and the error infinite, or more than 1, and the error below 0.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import Theorem, le, prove
from theory.kernel.as_claim import assumptions
from theory.kernel.controls import GOAL
from theory.kernel.signs import nonnegative
from theory.ledger import Case, Finding, Judgement, Repair
from theory.ledger import Step as Line
from theory.sapipe import repaired_thm_5, sgd, sharp_thm_5, thm_5_domain, wp_2_first, wp_2_lines
from theory.sapipe.errors import ERR_WP_2, OPTIMIZATION, VAR_0
from theory.sapipe.pieces import lines
from theory.sapipe.symbols import L, eta, kappa
from theory.sapipe.wp_1_stall import violated
from theory.sapipe.wp_2_method import PROOF
from theory.sapipe.wp_replays import Instance
from theory.sapipe.wp_update import ROOM, nothing_predicted
from theory.verdicts import Verdict, weakest

WHERE: Final = "Theorem 5"
_CHAIN: Final = f"{PROOF}, the upper bound"

LARGEST: Final = Instance((Fraction(1),), Fraction(1), Fraction(1), option=2)
"""η = 1/L: the bound is negative at once."""

BEYOND: Final = replace(LARGEST, learning_rate=Fraction(3, 4))
"""A little above 1/(√2 L)."""

_OUTSIDE: Final = (le(1 + ROOM, 2 * L**2 * eta**2), le(eta, 1 / L))
"""η in (1/(√2 L), 1/L]: 2L²η² is at least 1 + δ for a δ > 0."""


def _all(printed: Formulas) -> Formulas:
    """The printed terms where all elements are predicted."""
    return {name: sympy.sympify(term).subs(kappa, 1) for name, term in printed.items()}


def negative_outside(printed: Formulas) -> Verdict:
    """Whether the error term is below 0 on all of (1/(√2 L), 1/L]; then T large is enough."""
    return nonnegative(-_all(printed)["error"], _OUTSIDE, strict=True).verdict


def infinite_between(printed: Formulas) -> bool:
    """Whether the error term is no number at η = 1/(√2 L).

    Examples
    --------
    >>> infinite_between(thm_5_domain.THEOREM.terms)
    True
    """
    at = sympy.sympify(printed["error"]).subs(eta, 1 / (sympy.sqrt(2) * L))
    return bool(at.has(sympy.zoo, sympy.nan, sympy.oo))


def inside(printed: Formulas) -> Verdict:
    """As printed where 2L²η² < 1 and κ = 1: two updates or more, and the first one."""
    stated = replace(thm_5_domain.THEOREM, terms=_all(printed))
    return weakest(prove(one).verdict for one in (stated, wp_2_first.THEOREM))


def _counterexample(printed: Formulas) -> dict[str, Any]:
    tried = (("η = 1/L", LARGEST), ("η = 3/(4L)", BEYOND))
    found = {name: violated(instance, printed) for name, instance in tried}
    return {name: witness for name, witness in found.items() if witness}


def _cases(found: dict[str, Any], printed: Formulas) -> tuple[Case, ...]:
    outside = Verdict.UNKNOWN
    if found and negative_outside(printed) is Verdict.PROVED:
        outside = Verdict.REFUTED
    between = "has a denominator of 0" if infinite_between(printed) else "is a number"
    return (
        Case("1/(√2 L) < eta <= 1/L", outside, "Err_WP-2 is negative there, for every V₁ and V₂"),
        Case("eta = 1/(√2 L)", Verdict.UNKNOWN, f"Err_WP-2 {between}"),
        Case("2 L² eta² < 1, kappa = 1", inside(printed), "with g_0 = 0, round 0 not counted"),
        Case("2 L² eta² < 1, kappa = 0", nothing_predicted(printed), "SGD"),
        Case(
            "2 L² eta² < 1, 0 < kappa < 1",
            Verdict.UNKNOWN,
            "the recursion of the proof is for g_t whose elements are all predicted",
        ),
        Case(
            "2 L² eta² < 1, kappa = 1, the first iteration passes",
            Verdict.UNKNOWN,
            "where it only computes, x_0 counts twice: 2R₀(1 + Lη)/(ηT) for 2R₀/(ηT) pays for it",
        ),
    )


def _judge(printed: Formulas) -> Judgement:
    found = _counterexample(printed)
    invalid = _invalid()
    return Judgement(
        verdict=Verdict.REFUTED if found else Verdict.UNKNOWN,
        printed_proof="invalid" if invalid else "gap",
        cases=_cases(found, printed),
        assumes=assumptions(repaired_thm_5.THEOREM),
        steps=(*_printed_lines(), *_broken_lines(invalid), *_outside_line(printed), *_ours()),
        findings=(*_false(found), *invalid.values(), *_others(printed)),
        counterexample=found or None,
    )


def _printed_lines() -> tuple[Line, ...]:
    proved = prove(sharp_thm_5.THEOREM).lines
    return tuple(line for line in proved if line.where.startswith(PROOF))


def _broken_lines(invalid: dict[str, Finding]) -> tuple[Line, ...]:
    return tuple(
        Line(finding.where, line, "counterexample in rationals", Verdict.REFUTED)
        for line, finding in invalid.items()
    )


def _outside_line(printed: Formulas) -> tuple[Line, ...]:
    says = "Err_WP-2 < 0 for every η in (1/(√2 L), 1/L]"
    return (Line("ours", says, "sign", negative_outside(printed)),)


_OURS: Final = (
    sharp_thm_5.THEOREM,
    thm_5_domain.THEOREM,
    wp_2_first.THEOREM,
    repaired_thm_5.THEOREM,
    sgd.THEOREM,
)


def _ours() -> tuple[Line, ...]:
    return lines(*_OURS)


def _repair(theorem: Theorem) -> Repair:
    return Repair(theorem.statement, prove(theorem).verdict)


def _false(found: dict[str, Any]) -> tuple[Finding, ...]:
    if not found:
        return ()
    return (
        Finding(
            "false",
            WHERE,
            "for η in (1/(√2 L), 1/L], which η ≤ 1/L allows, Err_WP-2 is below 0, and so is the "
            "bound for large T",
            found,
            _repair(repaired_thm_5.THEOREM),
        ),
    )


def _invalid() -> dict[str, Finding]:
    """Lines that do not hold, by what they say; with witness and repair."""
    tried = (
        (
            "g_1 − g_2 = 0 at the very beginning",
            f"{PROOF}, after the recursion",
            "both gradients are taken at x_0, but of different samples: E‖g_1 − g_2‖² may be "
            "2V₁/n, which the bound allows for",
            wp_2_lines.first_difference(),
            thm_5_domain.THEOREM,
        ),
        (
            "E‖g_{t−1} − g_{t−2}‖² ≤ (2V₁ + 2L²η²V₂)/(1 − 2L²η²) for every t",
            f"{PROOF}, the last bound",
            "the recursion goes by twos, and for even t it begins at g_1 − g_0, which is g_1 if "
            "g_0 = 0: t = 4 exceeds the bound. What Lemma 1 drops in the first two updates pays "
            "for it",
            wp_2_lines.every_second(),
            thm_5_domain.THEOREM,
        ),
        (
            "the recursion, where only a share κ < 1 of the elements is predicted",
            f"{PROOF}, the recursive upper bound",
            "x_{t−1} − x̃_{t−1} = −η(g_{t−1} − g_{t−2}) is about the updates that are applied, "
            "and the recursion about gradients at x̃ alone: fresh elements depend on z_{t−3}",
            wp_2_lines.partly_predicted(),
            repaired_thm_5.THEOREM,
        ),
    )
    return {
        line: Finding("invalid-step", where, says, witness, _repair(theorem))
        for line, where, says, witness, theorem in tried
        if witness
    }


def _others(printed: Formulas) -> tuple[Finding, ...]:
    found = [
        Finding(
            "not-reproducible",
            "Algorithm 3, option 2",
            "iteration 1 reads g_0, which nothing defines; it is 0 here, so that x̃_1 = x_0",
        )
    ]
    if infinite_between(printed):
        found.append(
            Finding(
                "missing-condition",
                f"{PROOF}, the last bound",
                "η ≤ 1/(2L) is used and not among the conditions of the theorem; 2L²η² < 1 is "
                "enough, and at η = 1/(√2 L) the bound is no number",
                {"eta": "1/(sqrt(2)*L)", "1 − 2L²η²": 0},
                _repair(thm_5_domain.THEOREM),
            )
        )
    if prove(sharp_thm_5.THEOREM).verdict is Verdict.PROVED:
        found.append(
            Finding(
                "loose",
                f"{_CHAIN}, line 4",
                "the two noises are means over n workers: 2V₁/n does for 2V₁",
                {"n": 16, "printed": "2*V1", "repaired": "V1/8"},
                _repair(sharp_thm_5.THEOREM),
            )
        )
    return tuple(found)


_TERMS: Final = {"optimization": OPTIMIZATION, "error": kappa * ERR_WP_2, "variance": VAR_0}

CLAIM: Final = Claim(
    id="sapipe.thm-5",
    where=WHERE,
    statement=(
        "With η ≤ 1/L, SAPipe-WP with option 2 has a mean over t ≤ T of E‖∇F(x_{t−1})‖² of at "
        "most 2R₀/(ηT) + κL²η²(2V₁ + 2L²η²V₂)/(1 − 2L²η²) + LηV₁/n for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t\le T} \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{\kappa L^2\eta^2}{1 - 2L^2\eta^2}(2V_1 + 2L^2\eta^2V_2) + \tfrac{L\eta V_1}{n}"
    ),
    judge=_judge,
    printed=_TERMS,
    core={f"{GOAL} {name}": term for name, term in thm_5_domain.THEOREM.terms.items()},
    holds=thm_5_domain.CLAIM.holds,
    depends=tuple(theorem.id for theorem in _OURS),
    cost=2,
)
