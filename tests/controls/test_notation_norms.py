"""Norms: what is found of them without a line, and false twins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sympy

from theory.judging.as_claim import as_claim
from theory.judging.judge import judged
from theory.kernel import Theorem
from theory.notation import Draft, equal, function, mean, norm, positive, real, theorem, vectors
from theory.notation.building import offered
from theory.proving.certify import certify
from theory.verdicts import Verdict

L, G, B = positive("L G B")
x, y, g, u = vectors("x y g u")
r, q = real("r"), real("q")
f = function("f")
E = mean("E", x, g, r, q)


def bounded(T: Draft) -> None:
    T.assume(norm(g) <= G)


def moment(T: Draft) -> None:
    T.assume(E(g**2) <= G**2)


def smooth(T: Draft) -> None:
    T.smooth(f, L)


def numbers(T: Draft) -> None:
    T.varying(r, q)


def none(T: Draft) -> None:
    pass


Said = Callable[[sympy.Expr], object]
ONE, HALF = sympy.Integer(1), sympy.Rational(1, 2)

TRUE: dict[str, tuple[Callable[[Draft], None], Said]] = {
    "of vectors": (none, lambda c: x @ u <= c * norm(x) * norm(u)),
    "of means": (none, lambda c: E(x @ g) ** 2 <= c * E(x**2) * E(g**2)),
    "of numbers": (numbers, lambda c: E(r * q) ** 2 <= c * E(r**2) * E(q**2)),
    "triangle": (none, lambda c: norm(x + u) <= c * (norm(x) + norm(u))),
    "triangle, other way": (none, lambda c: norm(x) - norm(u) <= c * norm(x - u)),
    "Jensen": (none, lambda c: E(norm(g)) <= c * sympy.sqrt(E(g**2))),
    "second moment": (moment, lambda c: E(norm(g)) <= c * G),
    "bounded": (bounded, lambda c: u @ g <= c * G * norm(u)),
    "Lipschitz": (smooth, lambda c: norm(f.grad(x) - f.grad(y)) <= c * L * norm(x - y)),
}


def verdict(name: str, factor: sympy.Expr, folder: Path) -> Verdict:
    assumed, said = TRUE[name]
    T = Draft("mine.norms", "ours", str(folder / "mine.py"), [])
    assumed(T)
    claim = as_claim(T.shows(said(factor)))
    certify([claim])
    T = Draft("mine.norms", "ours", str(folder / "mine.py"), [])
    assumed(T)
    return judged(as_claim(T.shows(said(factor)))).verdict


@pytest.mark.parametrize("name", TRUE)
def test_an_inequality_of_norms_is_found_and_its_half_is_not(name: str, tmp_path: Path) -> None:
    assert verdict(name, ONE, tmp_path) is Verdict.PROVED
    assert verdict(name, HALF, tmp_path) is not Verdict.PROVED


def test_two_formulas_may_ask_for_one_inequality(tmp_path: Path) -> None:
    """In squares and in roots, and of one vector several bounds."""
    T = Draft("mine.twice", "ours", str(tmp_path / "mine.py"), [])
    T.assume(norm(u) <= B)
    T.assume(u**2 <= G**2, "bound")
    T.have(E(x @ g) ** 2 <= E(x**2) * E(g**2))
    made = T.shows(E(x @ g) <= sympy.sqrt(E(x**2)) * sympy.sqrt(E(g**2)))
    assert all(one.outcome == "found" for one in certify([as_claim(made)]))


def test_a_line_of_an_author_is_said_to_be_missing(tmp_path: Path) -> None:
    """Whatever it is called; only squares that nobody has written are left out unsaid."""
    T = Draft("mine.missing", "ours", str(tmp_path / "mine.py"), [])
    T.have(norm(x + u) <= norm(x), "mine, squared")
    found = certify([as_claim(T.shows(norm(x + u) <= norm(x)))])
    assert [one.step for one in found if one.entry is None] == ["mine, squared", "statement"]


def test_a_direction_need_not_divide() -> None:
    """u = g/‖g‖ where g is not 0; norms of what is not named are not offered."""
    T = theorem("mine.direction")
    T.assume(equal(u @ g, norm(g)))
    made: Theorem = offered(T.shows(u @ g >= 0))
    assert not any("triangle" in step.name for step in made.steps)
