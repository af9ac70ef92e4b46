"""How long a step of SAPipe-DC is: the recursion of the proof of Theorem 3, for κ = 1.

Problem    ‖g‖² ≤ V₂ on every draw, ληV₂ ≤ 1 − 1/√2.
Method     Δx⁺ = −η(g + λggᵀΔx), from x_{−1} = x_0.
Guarantee  ‖x_t − x_{t−1}‖ ≤ 2√2 η√V₂ at every iteration. The geometric sum is at most
           η√V₂/(1 − q) ≤ √2 η√V₂ with q = ληV₂; the proof goes on with twice that.
Source     SAPipe paper, appendix A, proof of Theorem 3. The means here may be those of a single
           run, since nothing random is averaged: then A(t) is ‖x_t − x_{t−1}‖ itself. For a mixture
           of fresh and stale elements the moments do (`dc_squares`).
"""

from dataclasses import replace

import sympy

from theory.kernel import Combine, Induction, Point, Theorem, Triangle, eq, vector
from theory.kernel.rules import Root
from theory.notation import function, theorem
from theory.papers.sapipe import dc_method, symbols
from theory.papers.sapipe.dc_update import PROOF

V2, T, eta, lambda_, t = symbols.letters("V2 T eta lambda_ t")
ALONG, q = dc_method.letters("ALONG q")

WHERE = f"{PROOF}, the bound of ‖x_t − x_{{t−1}}‖"
DRAWN = vector("g")
LAST = Point(vector("Δx"), sympy.Symbol("‖Δx‖", nonnegative=True), vector("∇length(Δx)"), "length")
"""The step before and its length."""

NEXT = Point(
    -eta * (DRAWN + lambda_ * ALONG * DRAWN),
    sympy.Symbol("‖Δx⁺‖", nonnegative=True),
    vector("∇length(Δx⁺)"),
    "length",
)
"""This step, −η DC_λ(g, Δx), and its length."""

A = sympy.Function("A", nonnegative=True)
"""‖x_t − x_{t−1}‖."""

_ROOT = eta * sympy.sqrt(V2)
_NEXT = _ROOT + q * LAST.value

draft = theorem("sapipe.dc-step", WHERE, function("length", LAST, NEXT))
draft.varying(ALONG)
draft.iterate(LAST.position, NEXT.position, t)
draft.sequences({A: LAST.value})
draft.assume(DRAWN**2 <= V2, "size", "‖g‖² ≤ V₂ on every draw (Assumption 2)")
draft.assume(eq(ALONG, DRAWN @ LAST.position), "along", "c is ⟨g, Δx⟩")
draft.assume(eq(LAST.value**2, LAST.position**2), "length", "‖Δx‖ is its length")
draft.assume(eq(NEXT.value**2, NEXT.position**2), "next length", "the same of Δx⁺")
draft.assume(eq(A(0), 0), "at rest", "x_{−1} is x_0")
draft.assume(dc_method.SMALL)
draft.have(
    ALONG**2 <= V2 * LAST.position**2,
    "inner",
    by=Combine(
        {"size": ALONG**2 / V2, "along": 2 * ALONG},
        squares=((1 / V2, V2 * LAST.position - ALONG * DRAWN),),
    ),
)
draft.have(
    (ALONG * DRAWN) ** 2 <= (V2 * LAST.value) ** 2,
    "outer",
    by=Combine({"size": ALONG**2, "inner": V2, "length": -(V2**2)}),
    says="‖ggᵀΔx‖ ≤ V₂‖Δx‖",
    where=f"{WHERE}, third line",
)
draft.have(
    NEXT.position**2 <= _NEXT**2,
    "triangle",
    by=Triangle(
        (
            ("size", eta, -DRAWN, sympy.sqrt(V2)),
            ("outer", eta * lambda_, -ALONG * DRAWN, V2 * LAST.value),
        )
    ),
    says="triangle inequality",
    where=f"{WHERE}, second line",
)
draft.have(NEXT.value**2 <= _NEXT**2, "squares")
draft.have(NEXT.value <= _NEXT, by=Root("squares"))
draft.have(
    A(t + 1) <= _ROOT + q * A(t),
    "recursion",
    says="a_t ≤ η√V₂ + ηλV₂ a_{t−1}",
    where=f"{WHERE}, fourth line",
)
draft.have(
    A(T) <= _ROOT * (1 - q**T) / (1 - q),
    "geometric sum",
    by=Induction("recursion", t, T, A, "at rest", ("small",)),
    says="‖x_t − x_{t−1}‖ ≤ η√V₂ Σ_{τ<t} (ληV₂)^τ",
    where=f"{WHERE}, the sum",
)
draft.have(
    A(T) <= 2 * _ROOT / (1 - q),
    "twice the sum",
    by=Combine({"geometric sum": 1}, plus=(_ROOT * (1 + q**T) / (1 - q),), domain=("small",)),
    says="… ≤ 2η√V₂/(1 − ληV₂)",
    where=f"{WHERE}, the sum",
)
draft.have(
    1 / (1 - q) <= sympy.sqrt(2),
    "room",
    by=Combine({"small": sympy.sqrt(2) / (1 - q)}, domain=("small",)),
)
CLAIM = THEOREM = draft.shows(
    A(T) <= 2 * sympy.sqrt(2) * _ROOT,
    {"length": 2 * sympy.sqrt(2) * _ROOT},
    by=Combine({"twice the sum": 1, "room": 2 * _ROOT}, domain=("small",)),
    says="If ληV₂ ≤ 1 − 1/√2 and κ = 1, then ‖x_t − x_{t−1}‖ ≤ 2√2 η√V₂ at every iteration of "
    "SAPipe-DC.",
    latex=r"\|x_t - x_{t-1}\| \le 2\sqrt2\,\eta\sqrt{V_2}",
)


def sharp() -> Theorem:
    """The same steps without the factor 2."""
    return replace(
        THEOREM,
        id="sapipe.dc-step-sharp",
        terms={"length": sympy.sqrt(2) * _ROOT},
        steps=tuple(step for step in THEOREM.steps if step.name != "twice the sum"),
        conclude=Combine(
            {"geometric sum": 1, "room": _ROOT}, plus=(_ROOT * q**T / (1 - q),), domain=("small",)
        ),
    )
