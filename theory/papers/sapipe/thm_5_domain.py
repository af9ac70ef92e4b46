"""Theorem 5 as printed, where its error term is positive: 2L²η² < 1."""

from dataclasses import replace

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step
from theory.papers.sapipe import setting
from theory.papers.sapipe.error_terms import ERR_WP_2
from theory.papers.sapipe.lemmas import sharp_thm_5
from theory.papers.sapipe.runs.challenges import CHALLENGES

V1, L, eta, n, OPTIMIZATION, VAR_0 = setting.letters("V1 L eta n OPTIMIZATION VAR_0")


_SHARP = sharp_thm_5.THEOREM
_LEFT = 1 - 2 * L**2 * eta**2

THEOREM = replace(
    _SHARP,
    id="sapipe.thm-5-domain",
    where="Theorem 5, where 2L²η² < 1",
    statement=(
        "With 2L²η² < 1, all elements predicted (κ = 1), round 0 not counted and g_0 = 0, "
        "Theorem 5 holds as printed: for SAPipe-WP with option 2 the mean over t < T of "
        "E‖∇F(x_t)‖² is at most 2R₀/(ηT) + Err_WP-2 + LηV₁/n for every T ≥ 2."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{L^2\eta^2}{1 - 2L^2\eta^2}(2V_1 + 2L^2\eta^2V_2) + \tfrac{L\eta V_1}{n}"
    ),
    cites=(_SHARP,),
    steps=(Step("sharp", _SHARP.goal, Cite("sapipe.sharp-thm-5")),),
    terms={"optimization": OPTIMIZATION, "error": ERR_WP_2, "variance": VAR_0},
    conclude=Combine(
        {"sharp": 1},
        plus=(2 * V1 * (1 - 1 / n) * L**2 * eta**2 / _LEFT,),
        domain=("small",),
    ),
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], where=sharp_thm_5.COVERED)
