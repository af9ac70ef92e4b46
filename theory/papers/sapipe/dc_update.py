"""One update of SAPipe-DC: the descent lemma with the variance and the bias of its proof."""

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Descent, Expect, Step, Theorem, descent, le, square
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas.dc_lines import BIAS, PROOF, VARIANCE
from theory.papers.sapipe.lemmas.dc_sizes import COMPENSATION

V1, V2, Delta, L, M, eta, kappa = setting.letters("V1 V2 Delta L M eta kappa")
lambda_, n, NEXT, G, X = setting.letters("lambda_ n NEXT G X")
AIM, ALONG, E_T, LAST, MOVED = dc_method.letters("AIM ALONG E_T LAST MOVED")


AHEAD = E_T.of(NEXT.value)
HALF = eta / 2
CURVED = 4 * (1 - lambda_) ** 2 * L**2 + 4 * lambda_**2 * Delta**2
NOISE = 2 * lambda_**2 * V2**2
VARIED = (1 + kappa) * V1 / n

THEOREM = Theorem(
    id="sapipe.dc-update",
    where=f"{PROOF}, all ingredients together, first line",
    statement=(
        "With η ≤ 1/L one update of SAPipe-DC, with samples of their own for stale elements and a "
        "compensation that sees all of Δx, has E F(x_t) ≤ F(x_{t−1}) − (η/2)‖∇F(x_{t−1})‖² + "
        "(κη/2)(2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² + 4λ²Δ²‖Δx‖²) + (Lη²/2)((1 + κ)V₁/n + 2κλ²V₂²‖Δx‖²)."
    ),
    latex=(
        r"\mathbb{E} F(x_t) \le F(x_{t-1}) - \tfrac\eta2\|\nabla F(x_{t-1})\|^2 + "
        r"\tfrac{\kappa\eta}{2}\bigl[2M^2\|\Delta x\|^4 + 4(1-\lambda)^2L^2\|\Delta x\|^2 + "
        r"4\lambda^2\Delta^2\|\Delta x\|^2\bigr] + \tfrac{L\eta^2}{2}\bigl[(1+\kappa)"
        r"\tfrac{V_1}{n} + 2\kappa\lambda^2V_2^2\|\Delta x\|^2\bigr]"
    ),
    symbols=(n, eta, L, V1, V2, M, Delta, lambda_, kappa),
    scalars=(ALONG,),
    vectors=dc_method.VECTORS,
    points=(X, NEXT, LAST),
    hypotheses=(
        setting.SMOOTH,
        *dc_method.STALE_SIZE,
        dc_method.MIXED_MEAN,
        dc_method.MIXED_SLOPE,
        *dc_method.MEANS,
        *dc_method.CURVATURE,
        setting.STEPSIZE,
        setting.SHARE,
    ),
    steps=(
        *COMPENSATION,
        *VARIANCE,
        *BIAS,
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step("small", le(0, 1 - L * eta), Combine({"stepsize": L})),
        Step("part", le(0, 1 - kappa), Combine({"share": 1})),
        Step(
            "second moment",
            le(
                E_T.of(square(G)),
                (1 - kappa) * square(X.gradient)
                + kappa * square(AIM)
                + VARIED
                + kappa * NOISE * square(MOVED),
            ),
            Combine(
                {
                    "mixed mean": 1,
                    "fresh variance": 1 - kappa,
                    "fresh mean": 2 * (1 - kappa),
                    "variance": kappa,
                    "aim": 2 * kappa,
                },
                domain=("part",),
            ),
            "fresh elements have the variance V₁/n, stale ones that of the compensated gradient",
        ),
    ),
    lhs=AHEAD,
    terms={
        "value": X.value,
        "progress": -HALF * square(X.gradient),
        "bias": HALF * kappa * (2 * M**2 * square(MOVED) ** 2 + CURVED * square(MOVED)),
        "variance": L * eta**2 / 2 * (VARIED + kappa * NOISE * square(MOVED)),
    },
    conclude=Combine(
        {
            "mean": 1,
            "mixed slope": -eta,
            "fresh mean": -eta * (1 - kappa),
            "aim, slope": -eta * kappa,
            "second moment": L * eta**2 / 2,
            "bias": HALF * kappa,
        },
        squares=(
            (HALF * (1 - L * eta) * kappa, AIM),
            (HALF * (1 - L * eta) * (1 - kappa), X.gradient),
        ),
        domain=("part", "small"),
    ),
)

CLAIM = as_claim(THEOREM)
