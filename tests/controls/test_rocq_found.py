"""What `certify` finds for files from outside, coqc accepts: inductions, closed sums, norms."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.certified import certified, claim_of, written
from tests.controls.test_rocq_rules import said_of
from theory.kernel.theorem import Theorem

FILES = {
    # The first ratio is 0, so nothing is asked of A(0).
    "chung": """
c = positive("c")
A = T.sequence("A", nonnegative=True)
T.assume(A(k + 1) <= (1 - 2 / (k + 2)) * A(k) + c / (k + 2) ** 2)
CLAIM = T.shows(A(n) <= c / (n + 1))
""",
    # Gosper's sum, whose factors sympy writes in two orders.
    "frank_wolfe": """
L, R = positive("L R")
F = T.sequence("F", nonnegative=True)
T.assume(F(k + 1) <= (1 - 2 / (k + 2)) * F(k) + 2 * L * R**2 / (k + 2) ** 2)
T.have((k + 1) * (k + 2) * (F(k + 1) - 2 * L * R**2 / (k + 3))
       <= k * (k + 1) * (F(k) - 2 * L * R**2 / (k + 2)))
CLAIM = T.shows(F(n) <= 2 * L * R**2 / (n + 2))
""",
    # Powers of k + 1 inside a sum.
    "geometric": """
r = nonnegative("r")
T.assume(r < 1)
CLAIM = T.shows(total(r**k, k, n) <= 1 / (1 - r))
""",
    # Powers of 1.
    "lines": """
r = nonnegative("r")
T.assume(r < 1)
T.have(r**k <= r**k / (1 - r) - r ** (k + 1) / (1 - r))
CLAIM = T.shows(total(r**k, k, n) <= 1 / (1 - r))
""",
    # A root at 0.
    "roots": """
CLAIM = T.shows(total(1 / sqrt(k + 1), k, n) <= 2 * sqrt(n))
""",
    # The descent lemma of −f.
    "lower": """
L = positive("L")
f, (x, y) = function("f"), vectors("x y")
T.smooth(f, L)
CLAIM = T.shows(f(y) >= f(x) + f.grad(x) @ (y - x) - L / 2 * (y - x) ** 2)
""",
    "triangle": """
x, u, z = vectors("x u z")
CLAIM = T.shows(norm(x - z) <= norm(x - u) + norm(u - z))
""",
    # The norm of a sum: a square that is multiplied out, and a difference of squares.
    "norms": """
beta, G = nonnegative("beta"), positive("G")
v, g = vectors("v g")
T.assume(beta <= 1)
T.assume(norm(g) <= G)
T.assume(norm(v) <= G)
CLAIM = T.shows(norm(beta * v + (1 - beta) * g) <= G)
""",
}
HEAD = """
from theory.notation import *
k, n = index("k"), count("n")
T = theorem("mine.{}")
"""


def found(folder: Path, name: str) -> Theorem:
    """The theorem of a file, with the certificates that were found for it."""
    path = written(folder, HEAD.format(name) + FILES[name], f"{name}.py")
    assert all(one.outcome == "found" for one in certified(path)), name
    theorem = claim_of(path).theorem
    assert theorem is not None
    return theorem


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
def test_what_is_found_is_accepted(tmp_path: Path) -> None:
    said = said_of({name: found(tmp_path, name) for name in FILES})
    assert len(said) == len(FILES)
    assert not any(said.values()), said
