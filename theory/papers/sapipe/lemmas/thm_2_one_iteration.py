"""Theorem 2 for T = 1, whatever the first iteration does."""

from __future__ import annotations

from typing import Final

from theory.kernel import Combine, Descent, Hypothesis, Step, Theorem, descent, le, square
from theory.papers.sapipe.lemmas.same_samples import LOWEST
from theory.papers.sapipe.setting import F_STAR, SMOOTH, STEPSIZE, X
from theory.papers.sapipe.symbols import R0, L, eta

THEOREM: Final = Theorem(
    id="sapipe.thm-2-one-iteration",
    where="ours",
    statement="‖∇F(x_0)‖² is at most 2R₀/η for η ≤ 1/L: Theorem 2 for T = 1, whatever it does.",
    latex=r"\|\nabla F(x_0)\|^2 \le \tfrac{2R_0}{\eta}",
    symbols=(eta, L, R0, F_STAR),
    points=(X, LOWEST),
    hypotheses=(
        SMOOTH,
        Hypothesis("bounded", "F is at least F(x_*) (Assumption 6)", le(F_STAR, LOWEST.value)),
        Hypothesis("start", "R₀ is F(x_0) − F(x_*)", le(X.value, F_STAR + R0)),
        STEPSIZE,
    ),
    steps=(Step("down", descent(L, X, LOWEST), Descent("smooth", X, LOWEST)),),
    lhs=square(X.gradient),
    terms={"optimization": 2 * R0 / eta},
    conclude=Combine(
        {"down": 2 * L, "bounded": 2 * L, "start": 2 * L, "stepsize": 2 * L * R0 / eta}
    ),
)
