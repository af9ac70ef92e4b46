"""Bounds of one-step stale data-parallel SGD: PipeSGD, and SAPipe with and without compensation.

Source: "SAPipe: Staleness-Aware Pipeline for Data Parallel DNN Training", Theorems 2 to 6. Each is
2R₀/(ηT) + κ·Err and a variance term. Delta is here the distance between a gradient's outer product
and the Hessian, while the RPD paper's Delta is f(x⁰) − f*.
"""

from dataclasses import replace

import sympy

from theory.bounds.model import (
    PRINTED,
    REPAIRED,
    SHARPENED,
    AtMost,
    Below,
    Bound,
    Condition,
    Default,
)
from theory.bounds.supply import Preference, Supply, by_method
from theory.claims import Claim, Formulas
from theory.judging.as_claim import as_claim
from theory.papers.sapipe import (
    pipe_sgd,
    thm_2,
    thm_2_reuse,
    thm_2_samples,
    thm_3,
    thm_4,
    thm_5,
    thm_6,
)
from theory.papers.sapipe.lemmas import (
    prefix_repaired,
    repaired_thm_4,
    repaired_thm_5,
    repaired_thm_6,
    sharp_thm_3,
    sharp_thm_3_full,
    sharp_thm_5,
    thm_2_reuse_rational,
    wp_1_moment,
    wp_3_moment,
)
from theory.papers.sapipe.lemmas.regions import REPAIRED_WINS, WINS, equivalence
from theory.papers.sapipe.symbols import V1, V2, Delta, L, T, eta, kappa, lambda_, n, rho

QUANTITY = "mean squared gradient norm over T iterations"

_SHARE = AtMost(kappa, sympy.Integer(1), "it is a share of the parameters")
_STEPS = AtMost(eta, 1 / L, "the proofs drop a term that is negative only then")
_VARIANCE = AtMost(V1, V2, "a variance is at most the second moment")
_CONDITIONS = (_STEPS, _SHARE, _VARIANCE)
_WEIGHT = AtMost(lambda_, sympy.Integer(1), "the paper's lambda lies between 0 and 1")
_COMPENSATION = AtMost(
    lambda_ * eta * V2,
    1 - 1 / sympy.sqrt(2),
    "beyond it compensated steps can grow from each to the next",
)
_DIVERSITY = AtMost(
    sympy.Integer(1), n * rho, "n gradients of one length have diversity 1/n, and none have less"
)
_SHORT = Below(
    2 * L**2 * eta**2, sympy.Integer(1), "beyond it the error term is infinite or negative"
)
_CONSISTENT = AtMost(
    L,
    2 * Delta,
    "by sapipe.assumption-4-gradient Assumption 4 makes every f 2 Delta-smooth, so a larger L is "
    "more than is needed",
)
_ALL_STALE = Default(
    sympy.Integer(1),
    "less counts only if stale elements are drawn anew in every iteration (Assumption 5); where "
    "the same layers are always stale, and others never, sapipe.prefix-repaired holds if they have "
    "samples of their own",
)
_WHOLE = AtMost(sympy.Integer(1), kappa, "with fresh elements in between, steps and samples mix")
_NONE = AtMost(kappa, sympy.Integer(0), "nothing is stale")
_OWN_SAMPLES = "stale elements with samples of their own"
"""How bounds are read for 0 < κ < 1 whose proofs do not know the samples of Algorithm 1."""

_MIXED = Below(kappa, sympy.Integer(1), "with nothing fresh, sapipe.pipe-sgd says more")
_SMALL = AtMost(
    eta,
    (1 - 2 * kappa * sympy.sqrt(1 - kappa)) / L,
    "beyond it samples that are used twice may add more, and sapipe.thm-2 is refuted for some",
)
_TWO_UPDATES = AtMost(sympy.Integer(2), T, "the first predictions need two updates")
_CONTRACTS = Below(
    3 * (1 + (1 + 2 * lambda_ * eta * V2) ** 2) * L**2 * eta**2,
    sympy.Integer(1),
    "beyond it prediction errors can grow from each to the next",
)
_ERRORS = {"vanilla": "Err_0", "dc": "Err_DC", **{f"wp-{k}": f"Err_WP-{k}" for k in (1, 2, 3)}}


def _bound(
    method: str,
    form: str,
    source: str,
    claim: Claim,
    conditions: tuple[Condition, ...] = (),
    meant: tuple[AtMost, ...] = (),
    notes: tuple[str, ...] = (),
    reading: str = "",
) -> Bound:
    return Bound.of(
        claim,
        f"sapipe-{method}",
        form,
        source,
        quantity=QUANTITY,
        conditions=(*_CONDITIONS, *conditions),
        stated=meant,
        defaults={kappa: _ALL_STALE},
        stepsize=eta,
        named={_ERRORS[method]: _error(claim.printed)},
        notes=notes,
        reading=reading,
        faithful=(_WHOLE, _NONE) if reading == _OWN_SAMPLES else (),
    )


def _error(terms: Formulas) -> sympy.Expr:
    """What staleness adds, for each share of stale parameters."""
    parts = [form for name, form in terms.items() if name not in ("optimization", "variance")]
    return sympy.Add(*(part / kappa if part.has(kappa) else part for part in parts))


_REUSED = (
    "for 0 < kappa < 1 samples are those of Algorithm 1, from rest: each gives fresh elements "
    "first and stale ones next"
)

VANILLA = (
    _bound("vanilla", PRINTED, "Theorem 2", thm_2.CLAIM, notes=(_REUSED,)),
    _bound("vanilla", REPAIRED, "Theorem 2 for kappa = 1", pipe_sgd.CLAIM, (_WHOLE,)),
    _bound(
        "vanilla",
        REPAIRED,
        "Theorem 2 for kappa < 1 and short steps",
        thm_2_reuse.CLAIM,
        (_MIXED, _SMALL),
        notes=(_REUSED,),
    ),
    _bound(
        "vanilla",
        REPAIRED,
        "for kappa < 1 and every stepsize up to 1/L",
        thm_2_reuse_rational.CLAIM,
        (_MIXED,),
        notes=(_REUSED, "sapipe.same-samples has 2*sqrt(1 - kappa) for its 2 - kappa"),
    ),
    _bound(
        "vanilla",
        REPAIRED,
        "Theorem 2, stale elements with samples of their own",
        thm_2_samples.CLAIM,
        (_MIXED,),
        reading=_OWN_SAMPLES,
    ),
    _bound(
        "vanilla",
        REPAIRED,
        "Theorem 2 where the same layers are always stale, whatever their share",
        prefix_repaired.CLAIM,
        reading="the same layers always stale, with samples of their own",
    ),
)

_OF_DC = (_WEIGHT, _COMPENSATION)

DC = (
    _bound("dc", PRINTED, "Theorem 3", thm_3.CLAIM, _OF_DC, (_CONSISTENT,)),
    _bound(
        "dc",
        SHARPENED,
        "Theorem 3 with smaller constants from its proof",
        sharp_thm_3.CLAIM,
        _OF_DC,
        (_CONSISTENT,),
        reading=_OWN_SAMPLES,
    ),
    _bound(
        "dc",
        SHARPENED,
        "Theorem 3 with smaller constants from its proof for kappa = 1",
        sharp_thm_3_full.CLAIM,
        (*_OF_DC, _WHOLE),
        (_CONSISTENT,),
    ),
)

WP_1 = (
    _bound("wp-1", PRINTED, "Theorem 4", thm_4.CLAIM, (_DIVERSITY,)),
    _bound(
        "wp-1",
        REPAIRED,
        "from the second moment of the workers' gradients alone",
        wp_1_moment.CLAIM,
        reading=_OWN_SAMPLES,
    ),
    _bound(
        "wp-1",
        REPAIRED,
        "Theorem 4 with Assumption 3 at one point and the workers' drift",
        repaired_thm_4.CLAIM,
        (_SHORT, _DIVERSITY),
        reading=_OWN_SAMPLES,
    ),
)

WP_2 = (
    _bound("wp-2", PRINTED, "Theorem 5", thm_5.CLAIM, (_SHORT,)),
    _bound(
        "wp-2",
        SHARPENED,
        "Theorem 5 with the variance of a mean of n gradients",
        sharp_thm_5.CLAIM,
        (_SHORT, _WHOLE, _TWO_UPDATES),
    ),
    _bound(
        "wp-2", REPAIRED, "for every stepsize up to 1/L", repaired_thm_5.CLAIM, reading=_OWN_SAMPLES
    ),
)

WP_3 = (
    _bound("wp-3", PRINTED, "Theorem 6", thm_6.CLAIM, (_WEIGHT,), (_CONSISTENT,)),
    _bound(
        "wp-3",
        REPAIRED,
        "Theorem 6 with the errors of earlier predictions",
        repaired_thm_6.CLAIM,
        (_WEIGHT, _WHOLE, _CONTRACTS),
        (_CONSISTENT,),
    ),
    _bound(
        "wp-3",
        REPAIRED,
        "from the length of the prediction alone",
        as_claim(wp_3_moment.THEOREM),
        (_WEIGHT, _WHOLE),
    ),
)

SAPIPE = {bounds[0].method: bounds for bounds in (VANILLA, DC, WP_1, WP_2, WP_3)}
"""By method: without compensation first."""

PIPESGD = tuple(
    replace(
        bound,
        method="pipesgd",
        source=source,
        terms=({name: form.subs(kappa, 1) for name, form in bound.terms[0].items()},),
        conditions=tuple(c for c in bound.conditions if kappa not in c.symbols),
        defaults={},
        notes=("SAPipe without compensation, every parameter stale: kappa = 1",),
    )
    for bound, source in zip(
        VANILLA[:2], ("Theorem 2, Remark 2", "Theorem 2 for kappa = 1"), strict=True
    )
)

SUPPLY = Supply(
    {**by_method(PIPESGD), **by_method(bound for bounds in SAPIPE.values() for bound in bounds)},
    groups={"sapipe": tuple(SAPIPE)},
    preferences=tuple(
        Preference(
            f"sapipe-{name.lower()}",
            form,
            f"Err_{name}",
            region.condition,
            region.domain,
            equivalence(region),
        )
        for form, wins in ((PRINTED, WINS), (REPAIRED, REPAIRED_WINS))
        for name, region in wins.items()
    ),
)
