"""Theorem 3: what delay compensation reaches, with the constants as printed.

They are 16, 4, 4 and 4 times those of `sharp_thm_3`: the printed proof takes twice the geometric
sum for the length of a step. That recursion is for κ = 1; for a mixture of fresh and stale elements
moments of the steps take its place, and the printed constants cover them. Algorithm 2 prints κ = 1
only and leaves open how fresh and stale elements mix. The proof takes the samples of stale elements
to be unknown to x_{t−1}, while for 0 < κ < 1 Algorithm 1 uses a sample for fresh elements first;
and it lets the compensation see all of Δx, while Section 3.2 applies it to the first k layers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from theory.claims import Formulas
from theory.kernel import Proof, as_claim, prove
from theory.kernel.as_claim import judgement
from theory.ledger import Case, Finding, Judgement, Repair
from theory.sapipe import (
    dc_fourths,
    dc_objective,
    dc_step,
    dc_update,
    dc_witnesses,
    sharp_thm_3,
)
from theory.sapipe.dc_average import average_gradient, errors
from theory.sapipe.dc_lines import PROOF
from theory.sapipe.dc_method import MIXED
from theory.sapipe.symbols import V2
from theory.verdicts import Verdict

CHALLENGE: Final = "sapipe-dc"

THEOREM: Final = average_gradient(
    "sapipe.thm-3",
    "Theorem 3",
    "Under Assumptions 1, 2, 4, 5 and 6, with ληV₂ ≤ 1 − 1/√2 and η ≤ 1/L, SAPipe-DC has an "
    "average E‖∇F(x_{t−1})‖² of at most 2R₀/(ηT) + κ(128η⁴M²V₂² + 32η²(1 − λ)²L²V₂ + 32η²λ²Δ²V₂ + "
    "16η³λ²LV₂³) + (1 + κ)LηV₁/n after T iterations.",
    r"\tfrac1T \sum_{t=1}^T \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"\kappa\bigl(128\eta^4M^2V_2^2 + 32\eta^2(1-\lambda)^2L^2V_2 + 32\eta^2\lambda^2\Delta^2V_2 + "
    r"16\eta^3\lambda^2LV_2^3\bigr) + (1+\kappa)\tfrac{L\eta V_1}{n}",
    dc_fourths.THEOREM,
    MIXED,
    errors(128, 32, 16),
    (48 * V2**2, 6 * V2),
)


def _cases(verdict: Verdict) -> tuple[Case, ...]:
    return (
        Case(
            f"kappa = 0 or kappa = 1, {_FIRST}",
            verdict,
            "no sample is used twice, and a compensation sees all of Δx or is not used",
        ),
        Case(
            "0 < kappa < 1, stale elements with samples of their own and a compensation that sees "
            f"all of Δx, {_FIRST}",
            verdict,
            "what the printed proof takes for granted; Algorithm 2 prints kappa = 1 only and "
            "leaves the mixture open",
        ),
        Case(
            "0 < kappa < 1, compensation of the first k layers by their own part of Δx",
            Verdict.UNKNOWN,
            "as Section 3.2 says; the compensation then leaves what the other layers moved",
        ),
        Case(
            "0 < kappa < 1, a sample gives fresh elements first and stale ones next (Algorithm 1)",
            Verdict.UNKNOWN,
            "x_{t−1} depends on the sample of the stale elements, so their mean given the past is "
            "not ∇F(x_{t−2}); neither a proof nor a counterexample is known here",
        ),
        Case(
            "Assumption 4 for F alone",
            Verdict.UNKNOWN,
            "it does not bound ‖E[∇²f Δx − ggᵀΔx]‖ by Δ‖Δx‖; with Δ + V₁/n for Δ it does "
            f"({dc_objective.THEOREM.id})",
        ),
        Case(
            "counted from t = 1, in which Algorithm 2 updates nothing",
            Verdict.UNKNOWN,
            "‖∇F(x_0)‖² ≤ 2LR₀ is averaged once more: 2R₀(1 + Lη)/(ηT) for 2R₀/(ηT) is enough",
        ),
    )


_FIRST: Final = "from the first update that is done"


def remarks(proof: Proof) -> Sequence[Finding]:
    """What is loose, silent or misprinted in the printed proof."""
    return (*_loose(proof), *_readings(), *_misprints())


def _loose(proof: Proof) -> Sequence[Finding]:
    if proof.verdict is not Verdict.PROVED:
        return ()
    sharp, dependent = (prove(one).verdict for one in (sharp_thm_3.THEOREM, sharp_thm_3.ANY))
    return (
        Finding(
            "loose",
            dc_step.WHERE,
            "the geometric sum is at most η√V₂/(1 − ληV₂) ≤ √2 η√V₂ and twice that is taken: 128, "
            "32, 32 and 16 may be 8, 8, 8 and 4, elements being drawn independently (Assumption 5)",
            dc_witnesses.lengths(),
            Repair(sharp_thm_3.THEOREM.statement, sharp),
        ),
        Finding(
            "loose",
            "Theorem 3",
            "that elements are drawn independently of each other is not needed: without it 128 may "
            "be 32",
            None,
            Repair(sharp_thm_3.ANY.statement, dependent),
        ),
    )


def _readings() -> Sequence[Finding]:
    return (
        Finding(
            "missing-condition",
            f"{PROOF}, the error of the gradient estimation, last line",
            "E ggᵀ is ∇F∇Fᵀ plus the covariance of g, so Assumption 4 for F alone does not bound "
            "‖E[∇²f Δx − ggᵀΔx]‖ by Δ‖Δx‖: the proof uses it for the objective of every drawn "
            "batch; for F alone Δ + V₁/n takes the place of Δ",
            dc_witnesses.objective(),
            Repair(dc_objective.THEOREM.statement, prove(dc_objective.THEOREM).verdict),
        ),
        Finding(
            "missing-condition",
            "Section 3.2 and the proof of Theorem 3",
            "compensation is only applied to the first k layers, and the proof takes it of all of "
            "Δx: ggᵀΔx of the first layers lacks what the other layers moved, which is no part of "
            "what Δ bounds, though L ≤ 2Δ bounds it",
            dc_witnesses.first_layers(),
            Repair(
                "with a compensation that sees all of Δx the theorem holds",
                prove(THEOREM).verdict,
            ),
        ),
        Finding(
            "invalid-step",
            f"{PROOF}, all ingredients together, at t = 1",
            "in the first iteration Algorithm 2 updates nothing, and the line claims a decrease; "
            "shown is the run that starts with the first update, x_{−1} = x_0",
            dc_witnesses.first_iteration(),
            Repair(
                "counted from the first update that is done, the theorem holds",
                prove(THEOREM).verdict,
            ),
        ),
    )


def _misprints() -> Sequence[Finding]:
    return (
        Finding(
            "typo",
            f"{PROOF}, re-arranged",
            "the line has no ≤ and lacks 2E[F(x_{t−1}) − F(x_t)]/η",
        ),
        Finding(
            "typo",
            dc_step.WHERE,
            "a_1 = ‖ηg_1‖, but Algorithm 2 leaves x_1 = x_0, so that a_1 = 0",
        ),
    )


def _judge(printed: Formulas) -> Judgement:
    judged = judgement(THEOREM, printed, CHALLENGE, remarks)
    lines = (*prove(dc_update.THEOREM).lines, *prove(dc_step.THEOREM).lines)
    shown = all(line.verdict is Verdict.PROVED for line in lines)
    silent = any(one.witness and one.kind == "invalid-step" for one in judged.findings)
    found = replace(
        judged,
        printed_proof="valid" if shown and not silent else "gap",
        cases=_cases(judged.verdict),
        steps=(*lines, *judged.steps),
    )
    proved = judged.verdict is Verdict.PROVED
    return replace(found, verdict=Verdict.CONDITIONAL) if proved else found


CLAIM: Final = replace(as_claim(THEOREM, CHALLENGE), judge=_judge)
