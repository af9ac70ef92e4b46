"""Witnesses of methods whose step names where it ends: proximal points and mirror descent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
import sympy

from tests.certified import claim_of, written
from theory.falsifier.gram.implicit import implicit
from theory.falsifier.gram.plain import Outcomes, plain
from theory.falsifier.gram.witness import gram_model
from theory.kernel.theorem import Theorem

HEAD: Final = """\
from theory.notation import *

L, gamma, G = positive("L gamma G")
k, n, K = index("k"), index("n"), count("K")
f, h, (x, y, g, u) = function("f"), function("h"), vectors("x y g u")
T = theorem("mine.implicit")
T.constant(u)
"""
METHODS: Final = {
    "proximal": """
T.convex(f)
T.minimum(f, u)
T.assume(equal(y, x - gamma * f.grad(y)))
T.iterate(x, y, k)
F, D = T.sequence("F", f(x) - f(u)), T.sequence("D", (x - u) ** 2)
CLAIM = T.shows(n * F(n) <= D(0) / ({} * gamma))
""",
    "mirror": """
T.strongly_convex(h, 1)
T.assume(g**2 <= G**2)
T.assume(equal(h.grad(y), h.grad(x) - gamma * g))
T.iterate(x, y, k)
D = T.sequence("D", h(u) - h(x) - h.grad(x) @ (u - x))
A = T.sequence("A", g @ (x - u))
CLAIM = T.shows(total(A(k), k, K) <= D(0) / gamma + gamma * G**2 * K / {})
""",
}
STEP: Final = """
{}
T.assume(equal(y, x {} gamma * {}.grad(y)))
T.iterate(x, y, k)
D = T.sequence("D", (x - u) ** 2)
CLAIM = T.shows(D(n) <= D(0))
"""


def stated(text: str, folder: Path) -> Theorem:
    made = claim_of(written(folder, HEAD + text, "implicit.py")).theorem
    assert made is not None
    return made


@pytest.mark.parametrize("name", METHODS)
def test_a_false_bound_has_a_witness_and_a_true_one_has_none(name: str, tmp_path: Path) -> None:
    assert gram_model(stated(METHODS[name].format(8), tmp_path)) is not None
    assert gram_model(stated(METHODS[name].format(2), tmp_path)) is None


@pytest.mark.parametrize(
    ("assumed", "sign", "of", "solved"),
    [
        ("T.convex(f)", "-", "f", True),
        ("T.convex(f)", "+", "f", False),  # y = x + y, for f = ‖·‖²/2
        ("T.smooth(f, L)", "-", "f", False),  # y = x + y, for f = −‖·‖²/2
        ("T.convex(f)", "-", "h", False),
    ],
)
def test_a_step_is_taken_for_granted_only_where_it_has_an_end(
    assumed: str, sign: str, of: str, solved: bool, tmp_path: Path
) -> None:
    theorem = plain(stated(STEP.format(assumed, sign, of), tmp_path), Outcomes())
    ends = implicit(theorem, dict.fromkeys(theorem.of.symbols, sympy.S.One))
    assert [end.name for end in ends.values()] == (["y"] if solved else [])
