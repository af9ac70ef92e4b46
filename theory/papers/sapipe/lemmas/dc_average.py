"""The average squared gradient of SAPipe-DC, from how long its steps are on average."""

import sympy

from theory.kernel import Cite, Combine, Hypothesis, Step, Telescope, Theorem, Total, le
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import dc_method, dc_update, setting
from theory.papers.sapipe.dc_update import CURVED, HALF, NOISE, VARIED
from theory.papers.sapipe.lemmas import dc_squares
from theory.papers.sapipe.lemmas.dc_sizes import ALL

R0, V1, V2, Delta, L, M, T, eta = setting.letters("R0 V1 V2 Delta L M T eta")
kappa, lambda_, n, t, AVERAGE = setting.letters("kappa lambda_ n t AVERAGE")
F_STAR, NEXT, F, S, X, OPTIMIZATION = setting.letters("F_STAR NEXT F S X OPTIMIZATION")
ALONG, LAST, Q, U = dc_method.letters("ALONG LAST Q U")


SUMMED = (
    Step(
        "one update, total",
        le(
            F(t + 1),
            F(t)
            - HALF * S(t)
            + HALF * kappa * (2 * M**2 * eta**4 * Q(t) + CURVED * eta**2 * U(t))
            + L * eta**2 / 2 * (VARIED + kappa * NOISE * eta**2 * U(t)),
        ),
        Total("one update", t),
    ),
    Step(
        "sum",
        le(
            F(T),
            F(0)
            - HALF * sympy.Sum(S(t), ALL)
            + HALF
            * kappa
            * (2 * M**2 * eta**4 * sympy.Sum(Q(t), ALL) + CURVED * eta**2 * sympy.Sum(U(t), ALL))
            + L * eta**2 / 2 * (T * VARIED + kappa * NOISE * eta**2 * sympy.Sum(U(t), ALL)),
        ),
        Telescope("one update, total", t, T),
        "telescoped; the average over the updates needs no bound of every single step",
    ),
)


def average_gradient(
    name: str,
    where: str,
    statement: str,
    latex: str,
    fourths: Theorem,
    mixed: Hypothesis,
    errors: dict[str, Scalar],
    room: tuple[Scalar, Scalar] = (sympy.S.Zero, sympy.S.Zero),
) -> Theorem:
    """The theorem with these error terms.

    Parameters
    ----------
    fourths : Theorem
        Bounds the mean of E‖g⁻‖⁴.
    mixed : Hypothesis
        What it takes of the elements of g.
    errors : dict of str to expression
        What κ multiplies.
    room : tuple of expression
        By how much the means of E‖g⁻‖⁴ and of E‖g⁻‖² are bounded more loosely than is shown.
    """
    (size,) = dc_squares.THEOREM.terms.values()
    (fourth,) = fourths.terms.values()
    of_fourths, of_squares = 2 * kappa * eta**4 * M**2, eta**2 * kappa * (CURVED + L * eta * NOISE)
    return Theorem(
        id=name,
        where=where,
        statement=statement,
        latex=latex,
        symbols=(n, T, eta, L, V1, V2, M, Delta, lambda_, kappa, R0, F_STAR),
        scalars=(ALONG,),
        vectors=dc_method.VECTORS,
        points=(X, NEXT, LAST, dc_method.FOLLOWING[1][1]),
        sequences=dc_method.SEQUENCES,
        following=dc_method.FOLLOWING,
        hypotheses=(
            setting.SMOOTH,
            *dc_method.SIZES,
            mixed,
            dc_method.MIXED_MEAN,
            dc_method.MIXED_SLOPE,
            *dc_method.MEANS,
            *dc_method.CURVATURE,
            *dc_method.AT_REST,
            setting.START,
            setting.LOWER,
            setting.STEPSIZE,
            setting.SHARE,
            dc_method.SMALL,
        ),
        cites=(dc_update.THEOREM, dc_squares.THEOREM, fourths),
        steps=(
            Step("one update", dc_update.THEOREM.goal, Cite("sapipe.dc-update")),
            *SUMMED,
            Step("squares", dc_squares.THEOREM.goal, Cite(dc_squares.THEOREM.id)),
            Step("fourths", fourths.goal, Cite(fourths.id)),
            Step(
                "longer squares",
                le(dc_squares.THEOREM.lhs, size + room[1]),
                Combine({"squares": 1}, plus=(room[1],)),
            ),
            Step(
                "longer fourths",
                le(fourths.lhs, fourth + room[0]),
                Combine({"fourths": 1}, plus=(room[0],)),
            ),
        ),
        lhs=AVERAGE,
        terms={
            "optimization": OPTIMIZATION,
            **{term: kappa * form for term, form in errors.items()},
            "variance": (1 + kappa) * L * eta * V1 / n,
        },
        conclude=Combine(
            {
                **dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T)),
                "longer fourths": of_fourths,
                "longer squares": of_squares,
            }
        ),
    )


def errors(fourth: int, square_: int, noise: int) -> dict[str, Scalar]:
    """The four error terms with these constants: M, L and Δ, and the noise of the compensation.

    Examples
    --------
    >>> errors(128, 32, 16)["remainder"]
    128*M**2*V2**2*eta**4
    """
    return {
        "remainder": fourth * eta**4 * M**2 * V2**2,
        "uncompensated": square_ * eta**2 * (1 - lambda_) ** 2 * L**2 * V2,
        "outer product": square_ * eta**2 * lambda_**2 * Delta**2 * V2,
        "compensated noise": noise * eta**3 * lambda_**2 * L * V2**3,
    }
