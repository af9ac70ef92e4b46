"""How far z moves in τ iterations, seen along one direction.

Every iteration t ≥ 2 takes z_t = w_t + t d_t − w* to z_t − 2ηḡ_t (`nesterov.averaged-step`). Over τ
of them the sum of ⟨ḡ, g⟩ appears, which is at most half of τ‖g‖² and of the sum of the ‖ḡ‖².
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Hypothesis,
    Step,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.kernel.vectors import Scalar, Vector
from theory.papers.nesterov.lemmas import averaged_step
from theory.papers.nesterov.symbols import eta, tau

PLACE: Final = point("q")
"""z after j of the τ iterations."""
MOVE: Final = vector("e")
"""The gradient of the next one."""
FURTHER: Final = point("q⁺")
"""z one iteration later."""
FIRST, LAST, SEEN = vector("z_first"), vector("z_last"), vector("g")
"""z before and after the τ iterations, and the direction, which is fixed while j runs."""
SIZES: Final = sympy.Symbol("Q", nonnegative=True)
"""The sum of the ‖e‖²."""

LONG: Final = sympy.Symbol("‖g‖²", nonnegative=True)

j: Final = sympy.Symbol("j", integer=True, nonnegative=True)
ALONG, SLOPE = (sympy.Function(name, real=True) for name in ("q", "e"))
LENGTH: Final = sympy.Function("e²", nonnegative=True)

FOLLOWING: Final = ((PLACE, FURTHER),)


def sequences(seen: Vector) -> dict[Scalar, Scalar]:
    """By j, for a direction."""
    return {
        ALONG: dot(PLACE.position, seen),
        SLOPE: dot(MOVE, seen),
        LENGTH: square(MOVE),
    }


def _sum(sequence: Scalar) -> Scalar:
    return sympy.Sum(sequence(j), (j, 0, tau - 1))


_SIZE = square(SEEN)

THEOREM: Final = Theorem(
    id="nesterov.gradient-window",
    where="ours",
    statement=(
        "Over τ iterations z moves against any vector g by at most ητ‖g‖² and η times the sum of "
        "the ‖ḡ‖² of these iterations."
    ),
    latex=(
        r"\langle z_{t} - z_{t+\tau}, g\rangle \le \eta\tau\|g\|^2 + "
        r"\eta\sum_{k=t}^{t+\tau-1}\|\bar g_k\|^2"
    ),
    symbols=(eta, tau, SIZES, LONG),
    vectors=(MOVE, FIRST, LAST, SEEN),
    points=(PLACE, FURTHER),
    sequences=sequences(SEEN),
    following=FOLLOWING,
    fixed=(SEEN,),
    hypotheses=(
        Hypothesis(
            "move",
            "z moves by −2η times a gradient (nesterov.averaged-step, with g)",
            eq(
                dot(FURTHER.position, SEEN),
                dot(PLACE.position, SEEN) - 2 * eta * dot(MOVE, SEEN),
            ),
        ),
        Hypothesis("first", "the first of the z (taken with g)", eq(dot(FIRST, SEEN), ALONG(0))),
        Hypothesis("last", "the last of the z (taken with g)", eq(dot(LAST, SEEN), ALONG(tau))),
        Hypothesis("sizes", "Q is the sum of the ‖ḡ‖²", eq(SIZES, _sum(LENGTH))),
        Hypothesis("length", "‖g‖² does not depend on j", eq(_SIZE, LONG)),
    ),
    steps=(
        Step("moves", eq(ALONG(j + 1), ALONG(j) - 2 * eta * SLOPE(j)), Total("move", j)),
        Step(
            "path",
            eq(ALONG(tau) - ALONG(0), -2 * eta * _sum(SLOPE)),
            Telescope("moves", j, tau),
        ),
        Step(
            "young",
            le(2 * dot(MOVE, SEEN), LONG + square(MOVE)),
            Combine({"length": 1}, squares=((1, SEEN - MOVE),)),
        ),
        Step("youngs", le(2 * SLOPE(j), LONG + LENGTH(j)), Total("young", j)),
        Step(
            "together",
            le(2 * _sum(SLOPE), tau * LONG + _sum(LENGTH)),
            Telescope("youngs", j, tau),
        ),
    ),
    lhs=dot(FIRST, SEEN) - dot(LAST, SEEN),
    terms={"direction": eta * tau * LONG, "gradients": eta * SIZES},
    conclude=Combine(
        {"first": 1, "last": -1, "path": -1, "together": eta, "sizes": -eta},
    ),
)

CLAIM: Final = replace(
    as_claim(THEOREM),
    depends=(*(cited.id for cited in THEOREM.cites), averaged_step.THEOREM.id),
)


ONE_EACH: Final = (
    "q(j) is ⟨z_{s+1+j}, g_s⟩ for j ≤ τ, e(j) and e²(j) are ⟨ḡ_{s+1+j}, g_s⟩ and ‖ḡ_{s+1+j}‖² for "
    "j < τ, and Q is the sum of these e²(j), where s = k + 2: every k has its own q, e, e² and Q"
)
"""What the names of this theorem stand for where it is used in every iteration s of a run."""


def along(seen: Mapping[str, Vector]) -> tuple[Hypothesis, ...]:
    """The hypotheses for these vectors, in a theorem that assumes `ONE_EACH`.

    What `length` says of the vectors is an identity in `cited`.
    """
    return tuple(
        Hypothesis(
            h.name,
            f"{h.says}, in the τ iterations after s = k + 2; every k has its own q, e, e², Q",
            h.relation.replaced({}, seen),
        )
        for h in THEOREM.hypotheses
        if isinstance(h, Hypothesis) and h.name != "length"
    )


def cited(seen: Mapping[str, Vector]) -> Cite:
    """The theorem for these vectors."""
    return Cite(THEOREM.id, scalars={LONG: square(seen["g"])}, vectors=seen)
