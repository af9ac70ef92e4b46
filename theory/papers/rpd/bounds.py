"""Bounds of RPD, of PipeDream as an RPD, of RPD under PL, and of NAG-RPD.

Source: "Demystifying Pipeline Parallelism: First Theory for PipeDream", (3), (15), Proposition
4.1 and appendix I. The sharpened forms put the second moment of ‖x − x̂‖ under the uniform
sampling of Assumption B.1 where the paper puts the square of its largest value.
"""

from dataclasses import replace
from functools import partial

import sympy

from theory.bounds.model import PATHWISE, PRINTED, SHARPENED, AtMost, Bound
from theory.bounds.supply import Supply, by_method
from theory.papers.rpd import eq_15, nag_thm, thm_4_1
from theory.papers.rpd.lemmas import sharp_eq_15, sharp_nag, sharp_nag_pathwise, sharp_thm_4_1
from theory.papers.rpd.symbols import Delta, G, K, L, beta, gamma, mu, p, tau

MEAN_GRADIENT = "mean squared gradient norm"
GAP = "E f(x^K) - f*"

WHOLE_RUN = "whole-run"
STEADY = "steady"
PIPEDREAM_DELAYS = {
    WHOLE_RUN: (5 * p**2 / 4 - p, (5 * p**2 - 1) / 4 - p),
    STEADY: (p**2 - p / 2, p**2 - p / 2 - sympy.Rational(1, 2)),
}
"""Largest delay of PipeDream (linearization `ascending`) for even and for odd p, proved in
`rpd.delay-whole-run` and `rpd.prop-4.1`."""

SUPERFLUOUS = AtMost(gamma, 1 / L, "stated by the paper; no proof needs it")
"""The bounds as printed hold for every stepsize."""
_TUNED = sympy.Min(1 / L, sympy.sqrt(2 * Delta / (L * G**2 * K)))
_CONTRACTS = AtMost(
    gamma, p / mu, "beyond it 1 − γμ/p is negative and the bound is false for K = 1"
)
_POSSIBLE = AtMost(mu, L, "no L-smooth function has a larger μ")
_AHEAD = AtMost(beta, sympy.Integer(1), "a larger extrapolation can outweigh a whole update")
_NOT_FAR_AHEAD = AtMost(
    beta**2, 2 * beta + tau, "beyond it draws that hit several blocks end further away"
)

_rpd = partial(Bound.of, method="rpd", quantity=MEAN_GRADIENT, stated=(SUPERFLUOUS,))
_pl = partial(Bound.of, method="rpd-pl", quantity=GAP, conditions=(_CONTRACTS, _POSSIBLE))
_nag = partial(Bound.of, method="nag-rpd", quantity=MEAN_GRADIENT, stated=(SUPERFLUOUS,))
_SECOND = "(3) with the second moment of"

RPD = (
    _rpd(thm_4_1.CLAIM, form=PRINTED, source="Theorem 4.1, (3)", paper_stepsize=_TUNED),
    _rpd(
        sharp_thm_4_1.CLAIM,
        form=SHARPENED,
        source=f"{_SECOND} the stale distance",
        paper_stepsize=_TUNED,
    ),
)

RPD_PL = (
    _pl(eq_15.CLAIM, form=PRINTED, source="Theorem H.1, (15)"),
    _pl(
        sharp_eq_15.CLAIM,
        form=SHARPENED,
        source="(15) with the second moment of the stale distance",
    ),
)

NAG_RPD = (
    _nag(nag_thm.CLAIM, form=PRINTED, source="(3) with Lemma I.2"),
    _nag(
        sharp_nag_pathwise.CLAIM,
        form=PATHWISE,
        source="(3) with the tight constant of Lemma I.2",
        conditions=(_NOT_FAR_AHEAD,),
    ),
    _nag(
        sharp_nag.CLAIM,
        form=SHARPENED,
        source=f"{_SECOND} Lemma I.2's distance",
        conditions=(_AHEAD,),
    ),
)

_PROXY = (
    "RPD with PipeDream's delays: a proxy, since PipeDream does not sample its stages",
    "tau is the largest delay of a {}",
)


def pipedream(delay: str = WHOLE_RUN) -> tuple[Bound, ...]:
    """RPD's bounds with τ of PipeDream's schedule.

    Parameters
    ----------
    delay : str
        ``whole-run``: ⌊5p²/4⌋ − p bounds every delay of a run from its start, as the theorem
        asks. ``steady``: p² − p/2, or 1/2 less for odd p, bounds them after start-up only.

    Examples
    --------
    >>> [str(terms["staleness"]) for terms in pipedream("steady")[0].terms][0]
    'G**2*L**2*gamma**2*(p**2 - p/2)**2'
    """
    of = {WHOLE_RUN: "whole run", STEADY: "steady microbatch: start-up has larger ones"}[delay]
    return tuple(
        replace(
            bound,
            method="pd",
            terms=tuple(
                {name: form.subs(tau, law) for name, form in bound.terms[0].items()}
                for law in PIPEDREAM_DELAYS[delay]
            ),
            notes=(_PROXY[0], _PROXY[1].format(of)),
        )
        for bound in RPD
    )


SUPPLY = Supply(
    {
        "rpd": {"": RPD},
        "pd": {delay: pipedream(delay) for delay in PIPEDREAM_DELAYS},
        **by_method((*RPD_PL, *NAG_RPD)),
    }
)
