"""The average squared gradient of SAPipe-DC, from how long its steps are on average."""

import sympy

from theory.kernel import Combine, Theorem
from theory.kernel.vectors import Scalar
from theory.notation import theorem
from theory.papers.sapipe import dc_method, dc_update, setting
from theory.papers.sapipe.lemmas import dc_squares

V1, V2, Delta, L, M, T, eta, kappa, lambda_, n = setting.letters(
    "V1 V2 Delta L M T eta kappa lambda_ n"
)
OPTIMIZATION = setting.letters("OPTIMIZATION")


def average_gradient(
    name: str,
    where: str,
    statement: str,
    latex: str,
    fourths: Theorem,
    errors: dict[str, Scalar],
    room: tuple[Scalar, Scalar] = (sympy.S.Zero, sympy.S.Zero),
) -> Theorem:
    """The theorem with these error terms.

    Parameters
    ----------
    fourths : Theorem
        Bounds the mean of E‖g⁻‖⁴; what it takes of the elements of g is taken here too.
    errors : dict of str to expression
        What κ multiplies.
    room : tuple of expression
        By how much the means of E‖g⁻‖⁴ and of E‖g⁻‖² are bounded more loosely than is shown.
    """
    of_fourths = 2 * kappa * eta**4 * M**2
    of_squares = eta**2 * kappa * (dc_update.BENT + L * eta * dc_update.NOISE)
    draft = dc_method.along(theorem(name, where))
    for lemma in (dc_update.THEOREM, dc_squares.THEOREM, fourths):
        draft.cite(lemma)
    setting.assuming(draft, setting.START, setting.LOWER)
    terms = {
        "optimization": OPTIMIZATION,
        **{term: kappa * form for term, form in errors.items()},
        "variance": (1 + kappa) * L * eta * V1 / n,
    }
    by = Combine(
        {
            **dict.fromkeys(
                ("sapipe.dc-update, each t, summed to T", "lower bound", "start"), 2 / (eta * T)
            ),
            fourths.id: of_fourths,
            dc_squares.THEOREM.id: of_squares,
        },
        plus=(of_fourths * room[0], of_squares * room[1]),
    )
    said = setting.AVERAGE <= sympy.Add(*terms.values())
    return draft.shows(said, terms, by=by, says=statement, latex=latex)


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
