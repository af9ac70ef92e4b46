"""The bound of LocalSGD in one pipeline.

Source: "Demystifying Pipeline Parallelism: First Theory for PipeDream", (11) and (12), after
Yu et al. 2019. K = p·N·T block updates; N = p is the paper's choice.
"""

from functools import partial

import sympy

from theory.bounds.model import PRINTED, SHARPENED, AtMost, Bound, Default, Divides
from theory.bounds.supply import Supply, by_method
from theory.papers.localsgd import eq_12
from theory.papers.localsgd.lemmas import sharp_eq_12
from theory.papers.rpd.bounds import MEAN_GRADIENT, SUPERFLUOUS
from theory.papers.rpd.symbols import G, Gt, K, L, N, gamma, p

_SHORT_STEPS = AtMost(gamma, 1 / L, "the proof drops a term that is negative only then")
_CONDITIONS = (
    AtMost(N * p, K, "every replica makes at least one local step"),
    Divides(N * p, K, "K = p·N·T block updates are T whole local steps of every replica"),
)
_DEFAULTS = {
    N: Default(p, "as the paper has it"),
    Gt: Default(
        sympy.sqrt(p) * G,
        "Gtilde bounds whole gradients and G bounds blocks of them, so Gtilde^2 can be p G^2; "
        "Table 1 sets the two side by side as if they were one constant",
    ),
}
_NOTES = ("the gradient is that of the averaged model, RPD's that of the current one",)
_TUNED = sympy.Min(1 / L, N * sympy.sqrt(p) / (L * sympy.sqrt(K)))

_local = partial(
    Bound.of,
    method="localsgd",
    quantity=MEAN_GRADIENT,
    defaults=_DEFAULTS,
    paper_stepsize=_TUNED,
    notes=_NOTES,
)

LOCALSGD = (
    _local(
        eq_12.CLAIM,
        form=PRINTED,
        source="(12), cited from Yu et al. 2019",
        conditions=_CONDITIONS,
        stated=(SUPERFLUOUS,),
    ),
    _local(
        sharp_eq_12.CLAIM,
        form=SHARPENED,
        source="(12) with the drift of H − 1 local steps, averaged over replicas",
        conditions=(_SHORT_STEPS, *_CONDITIONS),
    ),
)

SUPPLY = Supply(by_method(LOCALSGD))
