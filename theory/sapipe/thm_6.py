"""Theorem 6: what weight prediction with option 3 reaches.

The printed proof takes the gradients that a prediction extrapolates for gradients at the models
themselves, while they were taken at predictions: prediction errors of earlier iterations, which may
add up, are dropped. The statement holds where predictions are exact, so for n = 1. It fails for the
run of `limit_cycle`: 100 workers with the same data and no noise, whose prediction errors keep each
other going; V₂ is the largest ‖g_{i,t}‖² of that run, as Assumption 2 has it. The error terms of
`repaired_thm_6` and `wp_3_moment` are shown for any n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, le, prove
from theory.kernel.as_claim import assumptions
from theory.kernel.controls import without
from theory.ledger import Case, Evidence, Finding, Judgement, Repair
from theory.ledger import Step as Line
from theory.sapipe import (
    limit_cycle,
    repaired_thm_6,
    wp_1_average,
    wp_1_method,
    wp_3_flaws,
    wp_3_lines,
    wp_3_moment,
)
from theory.sapipe.convergence import AVERAGE
from theory.sapipe.errors import ERR_WP_3, OPTIMIZATION, VAR_0
from theory.sapipe.limit_cycle import Circling
from theory.sapipe.pieces import together
from theory.sapipe.symbols import V2, Delta, L, M, T, kappa, lambda_, t
from theory.sapipe.wp_1_method import W
from theory.sapipe.wp_3_method import PROOF
from theory.verdicts import Verdict

if TYPE_CHECKING:
    from theory.falsifier.numbers import Number

CHALLENGE: Final = "sapipe-wp-3"

SHARED: Final = ("the variance term", "line 4", "line 5")
"""Ends of the places of lines that the proof has in common with that of Theorem 4."""

_BASE: Final = wp_1_average.THEOREM
_ALL: Final = (t, 0, T - 1)

EXACT: Final = Theorem(
    id="sapipe.thm-6-exact-predictions",
    where="Theorem 6, where predictions are exact",
    statement="Theorem 6 holds wherever every x̃_{i,t} is x_t, as with one worker.",
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa \mathrm{Err}_{WP-3} + \mathrm{Var}_0"
    ),
    symbols=(*_BASE.symbols, V2, M, Delta, lambda_),
    scalars=_BASE.scalars,
    vectors=_BASE.vectors,
    points=_BASE.points,
    sequences=_BASE.sequences,
    following=_BASE.following,
    hypotheses=(
        *_BASE.hypotheses,
        Hypothesis(
            "exact predictions",
            "no worker's prediction misses x_t",
            le(sympy.Sum(W(t), _ALL), 0),
        ),
    ),
    cites=(_BASE,),
    steps=(Step("average", _BASE.goal, Cite("sapipe.wp-1-average")),),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": kappa * ERR_WP_3, "variance": VAR_0},
    conclude=Combine(
        {"average": 1, "exact predictions": kappa * L**2 / T}, plus=(kappa * ERR_WP_3,)
    ),
)


def exact(printed: Formulas) -> Verdict:
    """The statement for κ = 1 and n = 1, where predictions are exact, and for κ = 0."""
    return together(replace(EXACT, terms=printed), wp_3_lines.ALONE)


def circling(run: Circling, printed: Formulas) -> dict[str, Any] | None:
    """The run with its constants, if its mean is above the bound; else None."""
    from theory.falsifier.compare import exceeds, value_in_words

    seen = limit_cycle.enclosed(run)
    if seen.furthest_at_most > run.reach or run.curvature_at_reach < 0:
        return None  # the slope is u − ku³ up to U only
    numbers: dict[str, Number] = {
        "n": Fraction(run.n),
        "T": Fraction(run.iterations),
        "eta": run.eta,
        "lambda": run.weight,
        "kappa": Fraction(1),
        "L": run.smoothness,
        "V1": Fraction(0),
        "V2": seen.largest_at_most,
        "M": run.remainder,
        "Delta": run.misfit,
        "R0": run.gap,
    }
    everywhere = {**numbers, "V2": 2 * run.steepest**2}
    bound = sympy.Add(*printed.values())
    if not exceeds(seen.mean_at_least, bound, numbers):
        return None
    return {
        "function": f"p(x) + p(y), p'(u) = u − {run.bend}u³ for |u| ≤ {run.reach}",
        "workers": "all have the same data, without noise",
        "start": [str(one) for one in run.start],
        "parameters": {
            **{name: str(number) for name, number in numbers.items() if name != "V2"},
            "V2": f"the largest ‖g_{{i,t}}‖² of the run, at most {float(seen.largest_at_most)}",
        },
        "R0": float(run.gap),
        "measured, at least": float(seen.mean_at_least),
        "bound, at most": value_in_words(bound, numbers),
        "V2 over all x": float(everywhere["V2"]),
        "bound with V2 over all x": value_in_words(bound, everywhere),
    }


def _witness(printed: Formulas) -> tuple[Mapping[str, Any] | None, tuple[Evidence, ...]]:
    """The circling run if it is above the bound, else what the falsifier finds."""
    from theory.falsifier import CHALLENGES, falsify

    found = circling(limit_cycle.RUN, printed)
    if found is not None:
        return found, ()
    attempt = falsify(CHALLENGES[CHALLENGE], sympy.Add(*printed.values()))
    return attempt.witness, (attempt.evidence,)


def _cases(shown: Verdict, several: Verdict) -> tuple[Case, ...]:
    return (
        Case("kappa = 0", shown, "distributed SGD: nothing is predicted"),
        Case("kappa = 1, n = 1", shown, "the prediction is exact, and Err_WP-3 is not needed"),
        Case(
            "kappa = 1, all n >= 2 together",
            several,
            f"the printed proof fails, and the statement for n = {limit_cycle.RUN.n}; see "
            f"{repaired_thm_6.THEOREM.id} and {wp_3_moment.THEOREM.id} for what holds",
        ),
        Case(
            "kappa = 1, n = 2, 3, 4",
            Verdict.UNKNOWN,
            "neither a proof nor a counterexample is known here",
        ),
        Case(
            "kappa = 1, V2 over all x",
            Verdict.UNKNOWN,
            "with a V2 that bounds gradients at every x, visited or not, the bound is above what "
            "the circling run does, which then decides nothing",
        ),
        Case(
            "0 < kappa < 1",
            Verdict.UNKNOWN,
            "the printed proof fails here too, and takes steps for as short as those of κ = 1",
        ),
    )


def _judge(printed: Formulas) -> Judgement:
    witness, evidence = _witness(printed)
    several = Verdict.UNKNOWN if witness is None else Verdict.REFUTED
    findings = flaws()
    return Judgement(
        verdict=several,
        printed_proof="invalid" if _invalid(findings) else "gap",
        cases=_cases(exact(printed), several),
        assumes=(
            *assumptions(EXACT),
            "V2 is the largest ‖g_{i,t}‖² of the run, as Assumption 2 has it (i ∈ [n], t ∈ [T])",
        ),
        steps=_steps(printed),
        findings=findings,
        counterexample=witness,
        evidence=evidence,
    )


def _invalid(findings: tuple[Finding, ...]) -> bool:
    return any(one.kind == "invalid-step" and one.witness is not None for one in findings)


def _steps(printed: Formulas) -> tuple[Line, ...]:
    """The printed lines that hold, and the two cases."""
    lines = (
        *(
            replace(line, where=line.where.replace(wp_1_method.PROOF, PROOF))
            for line in prove(_BASE).lines
            if line.where.endswith(SHARED)
        ),
        *(
            Line(one.where, one.statement, prove(one).lines[-2].rule, prove(one).verdict)
            for one in (*wp_3_lines.HOLDING, wp_3_lines.ALONE)
        ),
    )
    return (*lines, Line("ours", EXACT.statement, EXACT.id, exact(printed)))


def flaws() -> tuple[Finding, ...]:
    """The printed lines that fail, with their witnesses."""
    kept = Repair(repaired_thm_6.THEOREM.statement, prove(repaired_thm_6.THEOREM).verdict)
    crude = Repair(wp_3_moment.THEOREM.statement, prove(wp_3_moment.THEOREM).verdict)
    young = Repair(wp_3_lines.CURVED.statement, prove(wp_3_lines.CURVED).verdict)
    split = Repair(wp_3_lines.SPLIT.statement, prove(wp_3_lines.SPLIT).verdict)
    error = f"{PROOF}, the error of the gradient estimation"
    return (
        Finding(
            "invalid-step",
            f"{PROOF}, ①, second line",
            "g_{j,t−1} is the gradient at x̃_{j,t−2} and is written as that at x_{t−2}, and "
            "g_{j,t−2} likewise: the prediction errors of the two iterations before are dropped, "
            "and ① is larger than its bound",
            wp_3_flaws.stale_points(),
            kept,
        ),
        Finding(
            "invalid-step",
            f"{PROOF}, ①, fifth line",
            "∇f(x_{t−2}; z_{t−3}) has not the mean ∇F(x_{t−2}): x_{t−2} is made with the sample "
            "z_{t−3}; so the squared distance is more than the sum of the two variances",
            wp_3_flaws.used_samples(),
            kept,
        ),
        Finding(
            "invalid-step",
            f"{PROOF}, ②, second line",
            "‖(1 − λ)X + λ(X − Y)‖² ≤ (1 − λ)²‖X‖² + λ²‖X − Y‖² lacks the factor 2 of Young's "
            "inequality: 2η²V₂(L²(1 − λ)² + λ²Δ²) of Err_WP-3 becomes twice as large",
            wp_3_flaws.lost_factor(),
            young,
        ),
        Finding(
            "missing-condition",
            f"{PROOF}, ②, third line",
            "Assumption 4 is used for (1/n)Σ_{j≠i} f_j, for which Δ is another number: neither a "
            "factor nor a mean keeps it",
            wp_3_flaws.scaled_objective(),
            kept,
        ),
        Finding(
            "typo",
            f"{error}, line 10",
            "'=' is '≤': the square of a sum is at most twice the sum of the squares",
            wp_3_flaws.equal_sign(),
            split,
        ),
        Finding(
            "typo",
            f"{error}, lines 6 to 8",
            "Δx_{t−2} is Δx_{t−1} = x_{t−2} − x_{t−3}, as line 9 has it",
        ),
        Finding(
            "loose",
            "Theorem 6",
            "for every η ≤ 1/L, with no condition on predictions, M or Δ, there is a bound that "
            "vanishes for n = 1 as the error of option 3 does; Err_WP-3 does not",
            None,
            crude,
        ),
    )


CLAIM: Final = Claim(
    id="sapipe.thm-6",
    where="Theorem 6",
    statement=(
        "Under Assumptions 1, 2, 4, 5 and 6 and η ≤ 1/L, SAPipe-WP with option 3 has the average "
        "E‖∇F(x_{t−1})‖² at most 2R₀/(ηT) + κη²L²[8V₁/n + 4η⁴M²V₂² + 2η²V₂(L²(1 − λ)² + λ²Δ²)] + "
        "LηV₁/n after T iterations."
    ),
    latex=(
        r"\tfrac1T \sum_{t=1}^T \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa\eta^2L^2\bigl[8\tfrac{V_1}{n} + 4\eta^4M^2V_2^2 + "
        r"2\eta^2V_2(L^2(1-\lambda)^2 + \lambda^2\Delta^2)\bigr] + \tfrac{L\eta V_1}{n}"
    ),
    judge=_judge,
    printed=EXACT.terms,
    core=EXACT.terms,
    holds=exact,
    weakened={"exact predictions": partial(without, EXACT, "exact predictions")},
    depends=(_BASE.id, repaired_thm_6.THEOREM.id, wp_3_moment.THEOREM.id),
    cost=3,
    shares=CHALLENGE,
)
