"""How long a step of SAPipe-DC is: the recursion of the proof of Theorem 3, for κ = 1.

The geometric sum is at most η√V₂/(1 − q) ≤ √2 η√V₂ with q = ληV₂; the proof goes on with twice
that. The means here may be those of a single run, since nothing random is averaged: then A(t) is
‖x_t − x_{t−1}‖ itself. For a mixture of fresh and stale elements the moments do (`dc_squares`).
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Hypothesis,
    Induction,
    Point,
    Step,
    Theorem,
    Total,
    Triangle,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.rules import Root
from theory.papers.sapipe import dc_method, symbols
from theory.papers.sapipe.lemmas.dc_lines import PROOF

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

THEOREM = Theorem(
    id="sapipe.dc-step",
    where=WHERE,
    statement=(
        "If ληV₂ ≤ 1 − 1/√2 and κ = 1, then ‖x_t − x_{t−1}‖ ≤ 2√2 η√V₂ at every iteration of "
        "SAPipe-DC."
    ),
    latex=r"\|x_t - x_{t-1}\| \le 2\sqrt2\,\eta\sqrt{V_2}",
    symbols=(T, eta, lambda_, V2),
    scalars=(ALONG,),
    vectors=(DRAWN,),
    points=(LAST, NEXT),
    sequences={A: LAST.value},
    following=((LAST, NEXT),),
    hypotheses=(
        Hypothesis("size", "‖g‖² ≤ V₂ on every draw (Assumption 2)", le(square(DRAWN), V2)),
        Hypothesis("along", "c is ⟨g, Δx⟩", eq(ALONG, dot(DRAWN, LAST.position))),
        Hypothesis("length", "‖Δx‖ is its length", eq(LAST.value**2, square(LAST.position))),
        Hypothesis("next length", "the same of Δx⁺", eq(NEXT.value**2, square(NEXT.position))),
        Hypothesis("at rest", "x_{−1} is x_0", eq(A(0), 0)),
        dc_method.SMALL,
    ),
    steps=(
        Step(
            "inner",
            le(ALONG**2, V2 * square(LAST.position)),
            Combine(
                {"size": ALONG**2 / V2, "along": 2 * ALONG},
                squares=((1 / V2, V2 * LAST.position - ALONG * DRAWN),),
            ),
        ),
        Step(
            "outer",
            le(square(ALONG * DRAWN), (V2 * LAST.value) ** 2),
            Combine({"size": ALONG**2, "inner": V2, "length": -(V2**2)}),
            "‖ggᵀΔx‖ ≤ V₂‖Δx‖",
            f"{WHERE}, third line",
        ),
        Step(
            "triangle",
            le(square(NEXT.position), _NEXT**2),
            Triangle(
                (
                    ("size", eta, -DRAWN, sympy.sqrt(V2)),
                    ("outer", eta * lambda_, -ALONG * DRAWN, V2 * LAST.value),
                )
            ),
            "triangle inequality",
            f"{WHERE}, second line",
        ),
        Step(
            "squares",
            le(NEXT.value**2, _NEXT**2),
            Combine({"triangle": 1, "next length": 1}),
        ),
        Step("recursion", le(NEXT.value, _NEXT), Root("squares")),
        Step(
            "recursion, total",
            le(A(t + 1), _ROOT + q * A(t)),
            Total("recursion", t),
            "a_t ≤ η√V₂ + ηλV₂ a_{t−1}",
            f"{WHERE}, fourth line",
        ),
        Step(
            "geometric sum",
            le(A(T), _ROOT * (1 - q**T) / (1 - q)),
            Induction("recursion, total", t, T, A, "at rest", ("small",)),
            "‖x_t − x_{t−1}‖ ≤ η√V₂ Σ_{τ<t} (ληV₂)^τ",
            f"{WHERE}, the sum",
        ),
        Step(
            "twice the sum",
            le(A(T), 2 * _ROOT / (1 - q)),
            Combine({"geometric sum": 1}, plus=(_ROOT * (1 + q**T) / (1 - q),), domain=("small",)),
            "… ≤ 2η√V₂/(1 − ληV₂)",
            f"{WHERE}, the sum",
        ),
        Step(
            "room",
            le(1 / (1 - q), sympy.sqrt(2)),
            Combine({"small": sympy.sqrt(2) / (1 - q)}, domain=("small",)),
        ),
    ),
    lhs=A(T),
    terms={"length": 2 * sympy.sqrt(2) * _ROOT},
    conclude=Combine({"twice the sum": 1, "room": 2 * _ROOT}, domain=("small",)),
)


def sharp() -> Theorem:
    """The same steps without the factor 2."""
    from dataclasses import replace

    return replace(
        THEOREM,
        id="sapipe.dc-step-sharp",
        terms={"length": sympy.sqrt(2) * _ROOT},
        steps=tuple(step for step in THEOREM.steps if step.name != "twice the sum"),
        conclude=Combine(
            {"geometric sum": 1, "room": _ROOT}, plus=(_ROOT * q**T / (1 - q),), domain=("small",)
        ),
    )


CLAIM = as_claim(THEOREM)
