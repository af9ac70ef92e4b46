"""Theorem 2 for κ = 1: PipeSGD, which takes every gradient one update late.

Its samples are never used twice: x_{t−1} depends on z_1, …, z_{t−2} only, and update t takes the
gradient at x_{t−2} with z_{t−1}. Of the printed hypotheses Assumption 5 says nothing here.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Theorem
from theory.papers.sapipe import setting, thm_2_samples
from theory.papers.sapipe.lemmas.elements import drawn

kappa, OFF, ERR_0, OPTIMIZATION = setting.letters("kappa OFF ERR_0 OPTIMIZATION")
VAR_0 = setting.letters("VAR_0")

_OWN = thm_2_samples.THEOREM

THEOREM = Theorem(
    id="sapipe.pipe-sgd",
    where="Theorem 2, κ = 1",
    statement=(
        "For PipeSGD, all gradients one update late, with η ≤ 1/L the mean over t < T of "
        "E‖∇F(x_t)‖² is at most 2R₀/(ηT) + L²η²V₂ + LηV₁/n for every T ≥ 1, from rest."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=tuple(symbol for symbol in _OWN.symbols if symbol != kappa),
    vectors=_OWN.vectors,
    points=_OWN.points,
    sequences=_OWN.sequences,
    following=_OWN.following,
    hypotheses=(
        *drawn(OFF, share=sympy.S.One),
        *(h for h in _OWN.hypotheses if h not in (*drawn(OFF), setting.SHARE)),
    ),
    cites=(_OWN,),
    lhs=_OWN.lhs,
    terms={"optimization": OPTIMIZATION, "staleness": ERR_0, "variance": VAR_0},
    conclude=Cite(_OWN.id, scalars={kappa: sympy.S.One}),
)

CLAIM = as_claim(THEOREM)
