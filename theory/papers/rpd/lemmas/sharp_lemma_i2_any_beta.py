"""Lemma I.2 with its exact constant for every β: a maximum of two numbers of blocks.

Problem    Block gradients along the trajectory have norm at most G.
Method     NAG-RPD with delays of at most τ; d = min(p − 1, τ).
Guarantee  ‖x − x̃‖² ≤ γ²G² max{(τ + β)², (τ − d + β)² + dβ²}: what `rpd.sharp-lemma-i2` bounds it by
           is convex in q, the number of blocks of y that are not 0, so it is largest at q = 1 or at
           the largest q for which there are blocks and updates. Replayed paths attain both.
Source     ours.
"""

from dataclasses import replace
from fractions import Fraction

import sympy

from theory.judging import prover
from theory.kernel import Combine
from theory.notation import equal, index, nonnegative, theorem
from theory.papers.rpd.lemmas.sharp_lemma_i2 import ONE, path, q
from theory.papers.rpd.method import x
from theory.papers.rpd.nag_method import ahead
from theory.papers.rpd.symbols import beta, tau
from theory.papers.rpd.witnesses.nag_paths import Path

OTHERS = index("d")
"""min(p − 1, τ): the most blocks that can have an increment beside another one."""
SHARE, REST = nonnegative("s r")
"""Where q lies between 1 and d + 1: q − 1 = sd with s + r = 1."""
_FIRST = (tau + beta) ** 2
_LAST = (tau - OTHERS + beta) ** 2 + OTHERS * beta**2
LARGEST = sympy.Max(_FIRST, _LAST, evaluate=False)
"""The maximum over q of (τ + 1 − q + β)² + (q − 1)β², d being min(p − 1, τ)."""

T = theorem("rpd.sharp-lemma-i2-any-beta", "ours")
path(T)
T.assume(equal(q, 1 + SHARE * OTHERS), "between", "q − 1 is the part s of d, …")
T.assume(equal(SHARE + REST, 1), "share", "… which is at most all of it")
T.assume(_FIRST <= LARGEST, "one block", "a maximum is at least its first entry")
T.assume(_LAST <= LARGEST, "all blocks", "and at least its second")
THEOREM = T.shows(
    (x - ahead) ** 2 <= ONE * LARGEST,
    by=Combine(
        {
            "full": 1,
            "one block": ONE * REST,
            "all blocks": ONE * SHARE,
            "between": ONE * (q + 1 + SHARE * OTHERS - 2 * (tau + 1 + beta) + beta**2),
            "share": ONE * (LARGEST - _FIRST + OTHERS**2 * SHARE),
        },
        plus=(ONE * OTHERS**2 * SHARE * REST,),
    ),
    says="‖x^k − x̃^k‖² ≤ γ²G² max{(τ + β)², (τ − d + β)² + dβ²} on every path for every β ≥ 0, "
    "with d = min(p − 1, τ).",
)


def largest(stages: int, delay: int, extrapolation: Fraction) -> Fraction:
    """The maximum of `THEOREM` at γ = G = 1.

    Examples
    --------
    >>> largest(4, 1, Fraction(1)), largest(4, 1, Fraction(4))
    (Fraction(4, 1), Fraction(32, 1))
    """
    others = min(stages - 1, delay)
    at = {tau: delay, OTHERS: others, beta: sympy.Rational(str(extrapolation))}
    return Fraction(str(max(form.subs(at) for form in (_FIRST, _LAST))))


REPLAYED = ((1, 3, 1), (4, 1, Fraction(1, 2)), (4, 0, 1), (3, 2, 2), (4, 1, 4), (5, 3, 6))
"""p, τ and β of the paths that attain the maximum."""


def _attained() -> prover.Evidence:
    """Paths on which the bound is an equality, replayed; by how many blocks share the updates."""
    rows: list[dict[str, int | Fraction]] = []
    for stages, delay, extrapolation in REPLAYED:
        beta_ = Fraction(extrapolation)
        most = largest(stages, delay, beta_)
        paths = [Path.dealt(delay, stages, q) for q in (1, min(stages, delay + 1))]
        reached = max(path.replay(beta_) for path in paths)
        rows.append({"p": stages, "tau": delay, "beta": beta_, "squared": reached, "bound": most})
    tight = all(row["squared"] == row["bound"] for row in rows)
    over = any(row["squared"] > row["bound"] for row in rows)
    return prover.Evidence(
        "against" if over else "for",
        f"the bound is {'attained' if tight else 'not attained'} on replayed paths (γ = G = 1)",
        {"paths": rows},
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    return replace(prover.account(THEOREM, formulas), evidence=(_attained(),))


CLAIM = replace(prover.as_claim(THEOREM), account=_account)
