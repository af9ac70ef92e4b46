"""Lemma I.2 with its exact constant for every β: a maximum of two numbers of blocks.

What `rpd.sharp-lemma-i2` bounds by γ²G²((τ + 1 − q + β)² + (q − 1)β²) is convex in q, the number of
blocks of y that differ from 0; so it is largest at q = 1, or at the largest q for which there are
blocks and updates. Replayed paths attain both.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

import sympy

from theory.account import Account
from theory.claims import Formulas
from theory.judging.as_claim import account, as_claim
from theory.kernel import Combine, Hypothesis, eq, le, square
from theory.ledger import Evidence
from theory.papers.rpd.lemmas import sharp_lemma_i2
from theory.papers.rpd.lemmas.sharp_lemma_i2 import AHEAD_BLOCKS, COUNT
from theory.papers.rpd.nag_method import AWAY
from theory.papers.rpd.symbols import G, beta, gamma, tau
from theory.papers.rpd.witnesses.nag_paths import Path

OTHERS: Final = sympy.Symbol("d", integer=True, nonnegative=True)
"""min(p − 1, τ): the most blocks that can have an increment beside another one."""
SHARE, REST = sympy.symbols("s r", nonnegative=True)
"""Where q lies between 1 and d + 1: q − 1 = sd with s + r = 1."""

_ONE = gamma**2 * G**2
_FIRST = (tau + beta) ** 2
_LAST = (tau - OTHERS + beta) ** 2 + OTHERS * beta**2
LARGEST: Final = sympy.Max(_FIRST, _LAST, evaluate=False)
"""The maximum over q of (τ + 1 − q + β)² + (q − 1)β², d being min(p − 1, τ)."""

THEOREM: Final = replace(
    sharp_lemma_i2.THEOREM,
    id="rpd.sharp-lemma-i2-any-beta",
    statement=(
        "‖x^k − x̃^k‖² ≤ γ²G² max{(τ + β)², (τ − d + β)² + dβ²} on every path for every β ≥ 0, "
        "with d = min(p − 1, τ)."
    ),
    latex=(
        r"\|x^k - \tilde x^k\|^2 \le \gamma^2G^2 \max\{(\tau + \beta)^2, "
        r"(\tau - d + \beta)^2 + d\beta^2\},\ d = \min(p - 1, \tau)"
    ),
    symbols=(gamma, tau, G, beta, COUNT, AHEAD_BLOCKS, OTHERS, SHARE, REST),
    hypotheses=(
        *sharp_lemma_i2.HYPOTHESES,
        Hypothesis("between", "q − 1 is the part s of d, …", eq(AHEAD_BLOCKS, 1 + SHARE * OTHERS)),
        Hypothesis("share", "… which is at most all of it", eq(SHARE + REST, 1)),
        Hypothesis("one block", "a maximum is at least its first entry", le(_FIRST, LARGEST)),
        Hypothesis("all blocks", "and at least its second", le(_LAST, LARGEST)),
    ),
    steps=sharp_lemma_i2.STEPS,
    lhs=square(AWAY),
    terms={"drift": gamma**2 * G**2 * LARGEST},
    conclude=Combine(
        {
            "full": 1,
            "one block": _ONE * REST,
            "all blocks": _ONE * SHARE,
            "between": _ONE * (AHEAD_BLOCKS + 1 + SHARE * OTHERS - 2 * (tau + 1 + beta) + beta**2),
            "share": _ONE * (LARGEST - _FIRST + OTHERS**2 * SHARE),
        },
        plus=(_ONE * OTHERS**2 * SHARE * REST,),
    ),
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


REPLAYED: Final = ((1, 3, 1), (4, 1, Fraction(1, 2)), (4, 0, 1), (3, 2, 2), (4, 1, 4), (5, 3, 6))
"""p, τ and β of the paths that attain the maximum."""


def _attained() -> Evidence:
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
    return Evidence(
        "against" if over else "for",
        f"the bound is {'attained' if tight else 'not attained'} on replayed paths (γ = G = 1)",
        {"paths": rows},
    )


def _account(formulas: Formulas) -> Account:
    return replace(account(THEOREM, formulas), evidence=(_attained(),))


CLAIM: Final = replace(as_claim(THEOREM), account=_account)
