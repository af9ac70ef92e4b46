"""Theorem 4: SAPipe-WP in which every worker predicts with its own gradient.

Err_WP-1 is made of a wrong consequence of Assumption 3 and of steps that do not hold. It is
negative for workers that are alike, and 0 for three workers of whom two agree and one opposes
them; their model stops short of the minimum for ever, while the bound tends to 0. For ρ ≥ 2n it is
at least Err₀, which is enough whatever the workers are. A ratio to ‖∇F‖² in Assumption 3 would put
nρ in the place of ρ/n; nρ ≥ 1, and what is open then is nρ < 2.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, le, prove
from theory.kernel.as_claim import assumptions
from theory.kernel.controls import GOAL, verdict_of, without
from theory.ledger import Case, Finding, Judgement, Repair
from theory.ledger import Step as Line
from theory.sapipe import (
    diversity,
    repaired_thm_4,
    sgd,
    wp_1_average,
    wp_1_lines,
    wp_1_moment,
    wp_1_noise,
    wp_1_one_point,
)
from theory.sapipe.errors import ERR_WP_1, OPTIMIZATION, VAR_0
from theory.sapipe.pieces import lines
from theory.sapipe.symbols import V1, V2, L, T, eta, kappa, n, rho
from theory.sapipe.wp_1_method import PROOF, READ_SO
from theory.sapipe.wp_1_stall import (
    ALIKE,
    LEANING,
    STALLED,
    above_for_all_later,
    average,
    violated,
)
from theory.sapipe.wp_update import nothing_predicted
from theory.verdicts import Verdict

WHERE: Final = "Theorem 4"
_CHAIN: Final = f"{PROOF}, the upper bound"

DIVERSE: Final[Theorem] = replace(
    wp_1_moment.THEOREM,
    id="sapipe.thm-4-diverse",
    where="Theorem 4, where ρ ≥ 2n",
    statement=(
        "For ρ ≥ 2n and V₁ ≤ V₂, as the least V₁ is, Theorem 4 holds as printed: Err_WP-1 is at "
        f"least Err₀ then. {READ_SO}"
    ),
    symbols=(*wp_1_moment.THEOREM.symbols, rho),
    hypotheses=(
        *wp_1_moment.THEOREM.hypotheses,
        Hypothesis("diverse", "ρ ≥ 2n", le(2 * n, rho)),
        Hypothesis("least", "V₁ ≤ V₂: a variance is at most the second moment", le(V1, V2)),
    ),
    cites=(wp_1_moment.THEOREM,),
    steps=(
        Step("moment", wp_1_moment.THEOREM.goal, Cite("sapipe.wp-1-moment")),
        Step("twice", le(0, rho / n - 2), Combine({"diverse": 1 / n})),
    ),
    terms={"optimization": OPTIMIZATION, "error": kappa * ERR_WP_1, "variance": VAR_0},
    conclude=Combine(
        {
            "moment": 1,
            "twice": kappa * L**2 * eta**2 * (V2 - V1),
        },
        plus=(kappa * L**2 * eta**2 * V1,),
        domain=("least",),
    ),
)
"""The part of the domain in which it says less than what holds for all workers."""


_RUNS: Final = {"standing still": STALLED, "equal workers": ALIKE, "leaning": LEANING}


def _counterexample(printed: Formulas) -> dict[str, Any]:
    """The runs above the bound, by name; empty if there are none."""
    found: dict[str, Any] = {}
    for name, instance in _RUNS.items():
        witness = violated(instance, printed)
        if witness:
            found[name] = witness
    still = found.get("standing still")
    if still and above_for_all_later(printed, still["T"]) is Verdict.PROVED:
        far, bound = (sympy.limit(one, T, sympy.oo) for one in (average(), STALLED.bound(printed)))
        still["for every later T"] = (
            f"x_t = {STALLED.models(1)[1]} for all t ≥ 1: the mean tends to {far} and the bound to "
            f"{bound}, and the excess is positive"
        )
    return found


def _cases(found: dict[str, Any], printed: Formulas) -> tuple[Case, ...]:
    enough = prove(replace(DIVERSE, terms=printed)).verdict
    mended = "Assumption 3 with ‖∇F‖² below the fraction, nρ for ρ/n"
    return (
        Case("kappa = 0", nothing_predicted(printed), "SGD"),
        Case("kappa = 1, rho < n", _refuted(found, "equal workers"), "Err_WP-1 < 0 without noise"),
        Case(
            "kappa = 1, rho = n",
            _refuted(found, "standing still"),
            "the bound is 2R₀/(ηT) without noise",
        ),
        Case("kappa = 1, n < rho < 2n", _refuted(found, "leaning"), "Err_WP-1 is too small"),
        Case("kappa = 1, rho >= 2n, V1 <= V2", enough, "Err_WP-1 ≥ Err₀, which always does"),
        Case(
            "0 < kappa < 1",
            Verdict.UNKNOWN,
            "for rho >= 2n proved if stale elements have samples of their own and predictions take "
            f"fresh gradients in fresh elements ({DIVERSE.id})",
        ),
        Case(
            f"{mended}: kappa = 1, n rho >= 2, V1 <= V2",
            enough,
            "no step uses Assumption 3: its ρ may be any number",
        ),
        Case(
            f"{mended}: kappa = 1, n rho < 2",
            Verdict.UNKNOWN,
            "the consequence of Assumption 3 is right then; lines 2, 4, 7 and 8 of the proof are "
            "not",
        ),
        Case(
            "kappa = 1, the first iteration passes",
            Verdict.UNKNOWN,
            "where it only computes, x_0 counts twice: 2R₀(1 + Lη)/(ηT) for 2R₀/(ηT) pays for it",
        ),
    )


def _refuted(found: dict[str, Any], name: str) -> Verdict:
    return Verdict.REFUTED if name in found else Verdict.UNKNOWN


def _judge(printed: Formulas) -> Judgement:
    found = _counterexample(printed)
    invalid = _invalid()
    return Judgement(
        verdict=Verdict.REFUTED if found else Verdict.UNKNOWN,
        printed_proof="invalid" if invalid else "gap",
        cases=_cases(found, printed),
        assumes=assumptions(wp_1_moment.THEOREM),
        steps=(*_printed_lines(), *_broken_lines(invalid), *_ours()),
        findings=(*_false(found), *invalid.values(), *_unclear()),
        counterexample=found or None,
    )


def _printed_lines() -> tuple[Line, ...]:
    """The lines of the proof that hold."""
    one_point = wp_1_one_point.THEOREM
    proved = [
        line
        for theorem in (wp_1_average.THEOREM, one_point)
        for line in prove(theorem).lines
        if line.where.startswith(PROOF)
    ]
    return (*proved, *(replace(line, where=one_point.where) for line in lines(one_point)))


def _broken_lines(invalid: dict[str, Finding]) -> tuple[Line, ...]:
    return tuple(
        Line(finding.where, line, "counterexample in rationals", Verdict.REFUTED)
        for line, finding in invalid.items()
    )


def _ours() -> tuple[Line, ...]:
    ours = (wp_1_moment, repaired_thm_4, wp_1_noise, sgd)
    return lines(*(one.THEOREM for one in ours), DIVERSE)


def _repair(theorem: Theorem) -> Repair:
    return Repair(theorem.statement, prove(theorem).verdict)


def _false(found: dict[str, Any]) -> tuple[Finding, ...]:
    if not found:
        return ()
    return (
        Finding(
            "false",
            WHERE,
            "Err_WP-1 is below 0 for workers that are alike, and 0 where two of three workers "
            "agree and one opposes them, though their model stops short of the minimum; with a "
            "little more weight on the third it is positive, and too small",
            found,
            _repair(wp_1_moment.THEOREM),
        ),
    )


def _invalid() -> dict[str, Finding]:
    """The lines that do not hold, by what they say; with witness and repair."""
    tried = (
        (
            "the mean of E‖g − g_i‖² is the sum of three mean squares",
            f"{_CHAIN}, line 4",
            "a worker's noise is correlated with the mean noise, so that the three squares are "
            "more than the left side; at one point '≤' is right",
            wp_1_lines.three_squares(),
            wp_1_noise.THEOREM,
        ),
        (
            "the mean of ‖∇F − ∇F_i‖² is at most (ρ/n − 1)‖∇F‖²",
            f"{_CHAIN}, line 6",
            "Assumption 3 gives nρ − 1 in place of ρ/n − 1; of a ratio to ‖∇F‖² it would be right, "
            "and lines 2, 4, 7 and 8 would fail all the same",
            wp_1_lines.diversity(),
            diversity.THEOREM,
        ),
        (
            "∇f_i(x̃_{t−2}), one point for all workers",
            f"{_CHAIN}, line 2",
            "every worker has a prediction x̃_i of its own, and Assumption 3 compares gradients at "
            "one point: even with nρ − 1 the line fails at the model",
            wp_1_lines.different_points(),
            repaired_thm_4.THEOREM,
        ),
        (
            "‖∇F‖² ≤ V₁′ with V₂ = V₁ + V₁′",
            f"{_CHAIN}, lines 7 and 8",
            "V₁′ is never introduced; ‖∇F(x)‖² ≤ V₂, but not V₂ − V₁, since the noise may be "
            "large where the gradient is small, and the other way round",
            wp_1_lines.fading_noise(),
            repaired_thm_4.THEOREM,
        ),
    )
    return {
        line: Finding("invalid-step", where, says, witness, _repair(theorem))
        for line, where, says, witness, theorem in tried
        if witness
    }


def _unclear() -> tuple[Finding, ...]:
    witness = wp_1_lines.only_models_known()
    past = Finding(
        "missing-condition",
        f"{PROOF}, line 1",
        "E[g_{i,t}] = ∇F_i(x̃_{i,t−1}) is conditional on all samples of earlier iterations; the "
        "models, on which Lemma 1 conditions, do not fix the predictions x̃_i",
        witness,
    )
    typo = Finding(
        "typo",
        f"{PROOF}, telescoping",
        "κ is missing in front of the sum, which starts at t = 3; it is back in the last line",
    )
    return (past, typo) if witness else (typo,)


CLAIM: Final = Claim(
    id="sapipe.thm-4",
    where=WHERE,
    statement=(
        "With η ≤ 1/L, SAPipe-WP with option 1 has a mean over t ≤ T of E‖∇F(x_{t−1})‖² of at "
        "most 2R₀/(ηT) + κL²η²[(ρ/n − 1)V₂ + (3 − ρ/n)V₁] + LηV₁/n for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t\le T} \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2\bigl[(\tfrac\rho n - 1)V_2 + (3 - \tfrac\rho n)V_1\bigr] + "
        r"\tfrac{L\eta V_1}{n}"
    ),
    judge=_judge,
    printed=DIVERSE.terms,
    core={f"{GOAL} {name}": term for name, term in DIVERSE.terms.items()},
    holds=partial(verdict_of, DIVERSE),
    weakened={name: partial(without, DIVERSE, name) for name in ("diverse", "least")},
    depends=(
        sgd.THEOREM.id,
        wp_1_moment.THEOREM.id,
        repaired_thm_4.THEOREM.id,
        wp_1_one_point.THEOREM.id,
        wp_1_average.THEOREM.id,
        diversity.THEOREM.id,
    ),
    cost=2,
)
