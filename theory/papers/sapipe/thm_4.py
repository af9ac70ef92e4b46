"""Theorem 4: SAPipe-WP in which every worker predicts with its own gradient.

Problem    F is L-smooth; n workers under Assumption 3, η ≤ 1/L.
Method     SAPipe-WP in which every worker predicts with its own gradient. Err_WP-1 is made of a
           wrong consequence of Assumption 3 and of steps that do not hold.
Guarantee  False: Err_WP-1 is negative for workers that are alike, and 0 for three workers of whom
           two agree and one opposes them; their model stops short of the minimum for ever, while
           the bound tends to 0. For ρ ≥ 2n it is at least Err₀, which is enough whatever the
           workers are. A ratio to ‖∇F‖² in Assumption 3 would put nρ in the place of ρ/n; nρ ≥ 1,
           and what is open then is nρ < 2.
Source     SAPipe paper, Theorem 4.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import sympy

from theory.judging import prover
from theory.judging.controls import GOAL, verdict_of, without
from theory.kernel import Combine, prove
from theory.ledger import Step as Shown
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_1_average, wp_1_one_point
from theory.papers.sapipe.error_terms import ERR_WP_1
from theory.papers.sapipe.lemmas import diversity, repaired_thm_4, sgd, wp_1_moment, wp_1_noise
from theory.papers.sapipe.lemmas.sgd import nothing_predicted
from theory.papers.sapipe.pieces import lines
from theory.papers.sapipe.witnesses import wp_1_lines
from theory.papers.sapipe.witnesses.refuting import Broken, broken, unlike
from theory.papers.sapipe.witnesses.wp_1_stall import (
    ALIKE,
    LEANING,
    STALLED,
    above_for_all_later,
    average,
    violated,
)
from theory.papers.sapipe.wp_1_method import PROOF, READ_SO

V1, V2, L, T, eta, kappa, n, rho = setting.letters("V1 V2 L T eta kappa n rho")
AVERAGE, OPTIMIZATION, VAR_0 = setting.letters("AVERAGE OPTIMIZATION VAR_0")

WHERE = "Theorem 4"
_CHAIN = f"{PROOF}, the upper bound"

_draft = theorem("sapipe.thm-4-diverse", "Theorem 4, where ρ ≥ 2n")
_draft.cite(wp_1_moment.THEOREM)
_draft.assume(2 * n <= rho, "diverse", "ρ ≥ 2n")
_draft.assume(V1 <= V2, "least", "V₁ ≤ V₂: a variance is at most the second moment")
_draft.have(rho / n - 2 >= 0, "twice", by=Combine({"diverse": 1 / n}))
_TERMS = {"optimization": OPTIMIZATION, "error": kappa * ERR_WP_1, "variance": VAR_0}
DIVERSE = _draft.shows(
    AVERAGE <= sympy.Add(*_TERMS.values()),
    _TERMS,
    by=Combine(
        {wp_1_moment.THEOREM.id: 1, "twice": kappa * L**2 * eta**2 * (V2 - V1)},
        plus=(kappa * L**2 * eta**2 * V1,),
        domain=("least",),
    ),
    says="For ρ ≥ 2n and V₁ ≤ V₂, as the least V₁ is, Theorem 4 holds as printed: Err_WP-1 is at "
    f"least Err₀ then. {READ_SO}",
    latex=wp_1_moment.THEOREM.latex,
)
"""The part of the domain in which it says less than what holds for all workers."""

_RUNS = {"standing still": STALLED, "equal workers": ALIKE, "leaning": LEANING}


def _refutations(printed: prover.Formulas) -> dict[str, prover.Refutation]:
    """The runs above the bound, by name; empty if there are none."""
    tried = {name: violated(instance, printed) for name, instance in _RUNS.items()}
    found = {name: one for name, one in tried.items() if one is not None}
    still = found.get("standing still")
    if still and prover.proves(*above_for_all_later(printed, still.witness["T"])):
        far, bound = (sympy.limit(one, T, sympy.oo) for one in (average(), STALLED.bound(printed)))
        later = (
            f"x_t = {STALLED.models(1)[1]} for all t ≥ 1: the mean tends to {far} and the bound to "
            f"{bound}, and the excess is positive"
        )
        witness = {**still.witness, "for every later T": later}
        found["standing still"] = replace(still, witness=witness)
    return found


def _together(found: Mapping[str, prover.Refutation]) -> prover.Refutation | None:
    """All of the runs, of which the first one is looked at again."""
    if not found:
        return None
    witness = {name: one.witness for name, one in found.items()}
    return replace(next(iter(found.values())), witness=witness)


def _cases(
    found: Mapping[str, prover.Refutation], printed: prover.Formulas
) -> tuple[prover.Case, ...]:
    enough = prover.Decision((replace(DIVERSE, terms=printed),))
    alike, still, leaning = (
        prover.Decision(fails=found.get(name))
        for name in ("equal workers", "standing still", "leaning")
    )
    mended = "Assumption 3 with ‖∇F‖² below the fraction, nρ for ρ/n"
    return (
        prover.Case("kappa = 0", prover.Decision(nothing_predicted(printed)), "SGD"),
        prover.Case("kappa = 1, rho < n", alike, "Err_WP-1 < 0 without noise"),
        prover.Case("kappa = 1, rho = n", still, "the bound is 2R₀/(ηT) without noise"),
        prover.Case("kappa = 1, n < rho < 2n", leaning, "Err_WP-1 is too small"),
        prover.Case("kappa = 1, rho >= 2n, V1 <= V2", enough, "Err_WP-1 ≥ Err₀, which always does"),
        prover.Case(
            "0 < kappa < 1",
            prover.OPEN,
            "for rho >= 2n proved if stale elements have samples of their own and predictions take "
            "fresh gradients in fresh elements: the last theorem among the steps",
        ),
        prover.Case(
            f"{mended}: kappa = 1, n rho >= 2, V1 <= V2",
            enough,
            "no step uses Assumption 3: its ρ may be any number",
        ),
        prover.Case(
            f"{mended}: kappa = 1, n rho < 2",
            prover.OPEN,
            "the consequence of Assumption 3 is right then; lines 2, 4, 7 and 8 of the proof are "
            "not",
        ),
        prover.Case(
            "kappa = 1, rho >= 2n, the first iteration passes",
            prover.OPEN,
            "where it only computes, x_0 counts twice: 2R₀(1 + Lη)/(ηT) for 2R₀/(ηT) pays for it",
        ),
    )


def _account(printed: prover.Formulas) -> prover.Account:
    found, invalid = _refutations(printed), tuple(_broken())
    fails = _together(found)
    ours = (one.THEOREM for one in (wp_1_moment, repaired_thm_4, wp_1_noise, sgd))
    return prover.Account(
        prover.Decision(fails=fails),
        cases=_cases(found, printed),
        assumes=prover.assumptions(wp_1_moment.THEOREM),
        steps=(*_printed_lines(), *(line for line, _ in invalid), *lines(*ours, DIVERSE)),
        findings=(
            *(() if fails is None else (_false(fails),)),
            *(finding for _, wrong in invalid for finding in wrong),
            *_unclear(),
        ),
    )


def _printed_lines() -> Iterator[prover.Line | Shown]:
    """The lines of the proof that hold."""
    one_point = wp_1_one_point.THEOREM
    for known in (wp_1_average.THEOREM, one_point):
        yield from (line for line in prove(known).lines if line.where.startswith(PROOF))
    yield from (replace(line, where=one_point.where) for line in lines(one_point))


def _false(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "false",
        WHERE,
        "Err_WP-1 is below 0 for workers that are alike, and 0 where two of three workers "
        "agree and one opposes them, though their model stops short of the minimum; with a "
        "little more weight on the third it is positive, and too small",
        fails.witness,
        repaired=prover.Repair.by(wp_1_moment.THEOREM),
    )


def _broken() -> Iterator[Broken]:
    """The lines that do not hold."""
    yield broken(
        "the mean of E‖g − g_i‖² is the sum of three mean squares",
        f"{_CHAIN}, line 4",
        "a worker's noise is correlated with the mean noise, so that the three squares are "
        "more than the left side; at one point '≤' is right",
        unlike(wp_1_lines.three_squares, "left", "==", "three squares"),
        wp_1_noise.THEOREM,
    )
    yield broken(
        "the mean of ‖∇F − ∇F_i‖² is at most (ρ/n − 1)‖∇F‖²",
        f"{_CHAIN}, line 6",
        "Assumption 3 gives nρ − 1 in place of ρ/n − 1; of a ratio to ‖∇F‖² it would be right, "
        "and lines 2, 4, 7 and 8 would fail all the same",
        unlike(wp_1_lines.diversity, "left", "<=", "(rho/n − 1)|F'|²"),
        diversity.THEOREM,
    )
    yield broken(
        "∇f_i(x̃_{t−2}), one point for all workers",
        f"{_CHAIN}, line 2",
        "every worker has a prediction x̃_i of its own, and Assumption 3 compares gradients at "
        "one point: even with nρ − 1 the line fails at the model",
        unlike(wp_1_lines.different_points, "left", "<=", "(n rho − 1)|F'(x_1)|²"),
        repaired_thm_4.THEOREM,
    )
    yield broken(
        "‖∇F‖² ≤ V₁′ with V₂ = V₁ + V₁′",
        f"{_CHAIN}, lines 7 and 8",
        "V₁′ is never introduced; ‖∇F(x)‖² ≤ V₂, but not V₂ − V₁, since the noise may be "
        "large where the gradient is small, and the other way round",
        unlike(wp_1_lines.fading_noise, "|F'(1)|²", "<=", "V2 − V1"),
        repaired_thm_4.THEOREM,
    )


def _unclear() -> Iterator[prover.Finding]:
    witness = wp_1_lines.only_models_known()
    if witness:
        yield prover.Finding(
            "missing-condition",
            f"{PROOF}, line 1",
            "E[g_{i,t}] = ∇F_i(x̃_{i,t−1}) is conditional on all samples of earlier iterations; the "
            "models, on which Lemma 1 conditions, do not fix the predictions x̃_i",
            witness,
        )
    yield prover.Finding(
        "typo",
        f"{PROOF}, telescoping",
        "κ is missing in front of the sum, which starts at t = 3; it is back in the last line",
        {"printed": "Σ_{t=3}", "meant": "κΣ_{t=3}"},
    )


CLAIM = prover.Claim(
    "sapipe.thm-4",
    WHERE,
    "Under Assumptions 1, 2, 3, 5 and 6 and η ≤ 1/L, SAPipe-WP with option 1 has a mean over "
    "t ≤ T of E‖∇F(x_{t−1})‖² of at most 2R₀/(ηT) + κL²η²[(ρ/n − 1)V₂ + (3 − ρ/n)V₁] + LηV₁/n "
    "for every T ≥ 1.",
    r"\tfrac1T \sum_{t\le T} \mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"\kappa L^2\eta^2\bigl[(\tfrac\rho n - 1)V_2 + (3 - \tfrac\rho n)V_1\bigr] + "
    r"\tfrac{L\eta V_1}{n}",
    account=_account,
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
