"""How long a step of SAPipe-DC is on average, whatever samples stale elements have.

Problem    ‖g‖² ≤ V₂ on every draw, ληV₂ ≤ 1 − 1/√2.
Method     SAPipe-DC after its first update. Stale elements have the gradient c = s + n, s being
           ∇F(x_{t−1}), and are compensated by λo: o is ccᵀΔx on them, or ccᵀ of what they are of
           Δx, as Section 3.2 has it.
Guarantee  E‖x_t − x_{t−1}‖² ≤ (1 + κ)η²V₂ at every update (written with g⁻ = (x_{t−1} − x_t)/η).
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Operator, Point, vector
from theory.kernel.vectors import Vector
from theory.notation import function, glossary, index, theorem
from theory.notation.draft import Draft
from theory.papers.sapipe import setting
from theory.papers.sapipe.dc_method import LAST, MOVED, SMALL, THIS, U, q
from theory.papers.sapipe.lemmas import dc_sizes

V2, eta, kappa, lambda_, G, X = setting.letters("V2 eta kappa lambda_ G X")

k, m = index("k m")
"""An update after the first one, and how many there are: T − 1."""

AGO = Point(X.position + eta * LAST.position, sympy.Symbol("F(x⁻)", real=True), vector("s"), "F")
"""x_{t−1}."""

NOISE, FRESH = vector("n⁻"), vector("ξ")
"""The noise of the stale gradient, and that of the fresh one."""

SLOPE_K, AGO_K, NOISE_K, OUTER = (vector(name) for name in ("∇F(x)_k", "s_k", "n_k", "o"))
"""∇F(x_t), s and n on the stale elements alone, and ccᵀΔx on them, to which λ belongs."""

P, S = X.gradient, AGO.gradient
"""∇F(x_t) and s."""

STALE = AGO_K + NOISE_K + lambda_ * OUTER
"""What the stale elements of g are."""

SIZE, LENGTH = (S + NOISE) ** 2, MOVED**2
"""‖c‖² and ‖Δx‖²."""

E_T = Operator(
    "E_t",
    (*("g", "ξ", "∇F(x)_k", "s_k", "n_k", "o", "F(x⁺)", "∇F(x⁺)"), *("step(g)", "∇step(g)")),
    given=("g⁻",),
    law="run",
)
"""Expectation over the samples and the stale elements of an update, given everything before it."""


def on_stale(name: str, one: Vector, other: Vector, whole: Vector, rest: Vector) -> Hypothesis:
    """What the stale elements make of an inner product."""
    says = "each element is stale with probability κ, whatever the past and the samples"
    relation = prover.eq(E_T.of(one @ other), kappa * (whole @ rest))
    return Hypothesis(name, f"{says} (Assumption 5)", relation)


HYPOTHESES = (
    Hypothesis(
        "elements, squared",
        "an element of g is that of the fresh gradient or of the compensated one (Assumption 5)",
        prover.eq(E_T.of(G**2), (1 - kappa) * E_T.of((P + FRESH) ** 2) + E_T.of(STALE**2)),
    ),
    on_stale("⟨s, s⟩", AGO_K, AGO_K, S, S),
    on_stale("⟨s, n⟩", AGO_K, NOISE_K, S, NOISE),
    on_stale("⟨n, n⟩", NOISE_K, NOISE_K, NOISE, NOISE),
    Hypothesis("fresh size", "‖g‖² ≤ V₂ (Assumption 2)", prover.le(E_T.of((P + FRESH) ** 2), V2)),
    Hypothesis("stale size", "‖c‖² ≤ V₂ on every draw (Assumption 2)", prover.le(SIZE, V2)),
    Hypothesis(
        "compensation",
        "o is ccᵀΔx on the stale elements, or ccᵀ of what they are of Δx (Cauchy–Schwarz)",
        prover.le(E_T.of(OUTER**2), kappa * SIZE**2 * LENGTH),
    ),
    Hypothesis("first step", "‖g‖² ≤ V₂ (Assumption 2)", prover.le(U(0), V2)),
    *(setting.SHARE, SMALL),
)


def compensated(draft: Draft, name: str, size: str, most: sympy.Expr) -> None:
    """The mean square of o, where ‖c‖² is at most this."""
    draft.have(SIZE >= 0, f"{name}, c", by=Combine(squares=((1, S + NOISE),)))
    draft.have(
        E_T.of(OUTER**2) <= kappa * most**2 * LENGTH,
        name,
        by=Combine(
            {"compensation": 1, size: kappa * LENGTH * (SIZE + most)}, domain=(f"{name}, c",)
        ),
    )


_ROOT, _KEPT = sympy.sqrt(2), dc_sizes.KEPT
_MOST = 1 - 1 / _ROOT

draft = theorem("sapipe.dc-mixed-steps", "ours", function("step", LAST, THIS))
draft.iterate(LAST.position, G, k)
draft.sequences({U: LAST.position**2})
setting.assuming(draft, *HYPOTHESES)
draft.have(1 - kappa >= 0, "part", by=Combine({"share": 1}))
compensated(draft, "compensated", "stale size", V2)
draft.have(
    STALE**2 <= (AGO_K + NOISE_K) ** 2 / _KEPT + lambda_ / (eta * V2) * OUTER**2,
    "stale elements",
    by=Combine(
        squares=((q / _KEPT, AGO_K + NOISE_K - _KEPT / (eta * V2) * OUTER),), domain=("small",)
    ),
)
draft.have(1 / _KEPT <= _ROOT, "room", by=Combine({"small": _ROOT / _KEPT}, domain=("small",)))
draft.have(
    E_T.of(G**2) <= (1 - kappa) * V2 + kappa * (_ROOT * V2 + _MOST * LAST.position**2),
    "step",
    by=Combine(
        {
            **dict.fromkeys(("E_t[stale elements]", "elements, squared"), 1),
            **dict.fromkeys(("⟨s, s⟩", "⟨n, n⟩"), 1 / _KEPT),
            "⟨s, n⟩": 2 / _KEPT,
            "fresh size": 1 - kappa,
            "stale size": kappa / _KEPT,
            "compensated": lambda_ / (eta * V2),
            "room": kappa * V2,
            "small": kappa * LAST.position**2,
        },
        domain=("part", "small"),
    ),
)
draft.have(U(k + 1) <= (1 - kappa) * V2 + kappa * (_ROOT * V2 + _MOST * U(k)), "steps")
draft.have(U(0) <= (1 + kappa) * V2, "begins", by=Combine({"first step": 1}, plus=(kappa * V2,)))
_BOUNDED = draft.induction(U(m) <= (1 + kappa) * V2, "steps", "begins", "share")
CLAIM = THEOREM = draft.shows(
    U(m) <= (1 + kappa) * V2,
    {"length": (1 + kappa) * V2},
    by=Combine({_BOUNDED: 1}),
    says="If ληV₂ ≤ 1 − 1/√2, then every step of SAPipe-DC has E‖x_t − x_{t−1}‖² ≤ (1 + κ)η²V₂, "
    "whatever samples stale elements have.",
    latex=r"\mathbb{E}\|x_t - x_{t-1}\|^2 \le (1 + \kappa)\eta^2 V_2",
)

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""
