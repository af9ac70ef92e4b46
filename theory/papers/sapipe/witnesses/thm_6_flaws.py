"""What is wrong with the printed proof of Theorem 6, line by line, and what holds instead."""

from collections.abc import Iterator, Mapping
from typing import Any

from theory.account import Finding, Repair
from theory.kernel import Theorem
from theory.ledger import FindingKind
from theory.papers.sapipe.lemmas import repaired_thm_6, wp_3_lines, wp_3_moment
from theory.papers.sapipe.witnesses import wp_3_flaws
from theory.papers.sapipe.witnesses.refuting import Broken, broken, unlike
from theory.papers.sapipe.wp_3_method import PROOF


def flaws() -> Iterator[Finding]:
    """The printed lines that fail, with their witnesses."""
    error = f"{PROOF}, the error of the gradient estimation"
    for _, wrong in lines():
        yield from wrong
    for kind, where, says, witness, mended in _tried(error):
        if witness:
            repaired = Repair.by(mended)
            yield Finding(kind, where, says, witness, repaired=repaired)
    yield Finding(
        "typo",
        f"{error}, lines 6 to 8",
        "Δx_{t−2} is Δx_{t−1} = x_{t−2} − x_{t−3}, as line 9 has it",
        {"printed": "Δx_{t−2}", "meant": "Δx_{t−1}"},
    )
    crude = wp_3_moment.THEOREM
    yield Finding(
        "loose",
        "Theorem 6",
        "for every η ≤ 1/L, with no condition on predictions, M or Δ, there is a bound that "
        "vanishes for n = 1 as the error of option 3 does; Err_WP-3 does not",
        shown=(crude,),
        repaired=Repair.by(crude),
    )


def lines() -> Iterator[Broken]:
    """Lines that do not hold."""
    kept = repaired_thm_6.THEOREM
    yield broken(
        "① is at most 4η²M²‖Δx_{t−1}‖⁴ without noise",
        f"{PROOF}, ①, second line",
        "g_{j,t−1} is the gradient at x̃_{j,t−2} and is written as that at x_{t−2}, and "
        "g_{j,t−2} likewise: the prediction errors of the two iterations before are dropped, "
        "and ① is larger than its bound",
        unlike(wp_3_flaws.stale_points, "first part", "<=", "its bound"),
        kept,
    )
    yield broken(
        "the squared distance of two gradients is at most the sum of their variances",
        f"{PROOF}, ①, fifth line",
        "∇f(x_{t−2}; z_{t−3}) has not the mean ∇F(x_{t−2}): x_{t−2} is made with the sample "
        "z_{t−3}; so the squared distance is more than the sum of the two variances",
        unlike(wp_3_flaws.used_samples, "E(A − B)²", "<=", "Var A + Var B"),
        kept,
    )
    yield broken(
        "‖(1 − λ)X + λ(X − Y)‖² ≤ (1 − λ)²‖X‖² + λ²‖X − Y‖²",
        f"{PROOF}, ②, second line",
        "‖(1 − λ)X + λ(X − Y)‖² ≤ (1 − λ)²‖X‖² + λ²‖X − Y‖² lacks the factor 2 of Young's "
        "inequality: 2η²V₂(L²(1 − λ)² + λ²Δ²) of Err_WP-3 becomes twice as large",
        unlike(wp_3_flaws.lost_factor, "mean of the squares", "<=", "what the line allows"),
        wp_3_lines.CURVED,
    )


def _tried(error: str) -> Iterator[tuple[FindingKind, str, str, Mapping[str, Any] | None, Theorem]]:
    """Lines that are tried on an instance: what is wrong, the instance, and what holds instead."""
    kept = repaired_thm_6.THEOREM
    yield (
        "missing-condition",
        f"{PROOF}, ②, third line",
        "Assumption 4 is used for (1/n)Σ_{j≠i} f_j, for which Δ is another number: neither a "
        "factor nor a mean keeps it",
        wp_3_flaws.scaled_objective(),
        kept,
    )
    yield (
        "typo",
        f"{error}, line 10",
        "'=' is '≤': the square of a sum is at most twice the sum of the squares",
        wp_3_flaws.equal_sign(),
        wp_3_lines.SPLIT,
    )
