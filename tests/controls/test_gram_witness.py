"""Exact witnesses by semidefinite programs: false twins have one, and no true statement has."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import sympy

from tests.cli.test_cookbook import RECIPES
from tests.cli.test_examples_papers import STATEMENTS, TWINS, name, texts
from tests.controls.test_small_models import PAIRS as ONE_STEP
from tests.controls.test_small_runs import FOR_EVER, PAIRS
from tests.edited_files import edited, neighbours
from tests.stated import theorem
from theory import notation
from theory.account import Refutation, Violation
from theory.falsifier.gram.classes import FunctionClass, in_classes
from theory.falsifier.gram.exact import positive_semidefinite
from theory.falsifier.gram.plain import Outcomes, plain
from theory.falsifier.gram.program import Row, linear
from theory.falsifier.gram.witness import gram_model
from theory.falsifier.gram.written import Shape, written
from theory.falsifier.small_models import SmallModel
from theory.judging.decide import stands
from theory.judging.loading import load
from theory.kernel import (
    Combine,
    Hypothesis,
    Point,
    Relation,
    Smooth,
    Theorem,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.kernel.vectors import Scalar
from theory.notation import function, index, positive, real, vectors

QUADRATIC_TWINS = [
    *("async_sgd/in_flight", "async_sgd/convex", "async_sgd/nonconvex", "async_sgd/window"),
    *("error_feedback/delayed", "error_feedback/quasi_convex"),
]
FALSE_TWINS = {name(path): (path, before, after) for path, before, after in TWINS}
FALSE_EDITS = ["gd_rate", "heavy_ball", "near", "blocks", "workers", "nesterov"]
"""Recipes of the cookbook of which the edited statement, and not a line of the proof, is false."""


@pytest.fixture(autouse=True)
def recipes(tmp_path: Path) -> Iterator[None]:
    """Recipes and their false edits, side by side."""
    with neighbours(tmp_path, {one: text for one, text, *_ in RECIPES}):
        for one, _, before, after in RECIPES:
            edited(tmp_path / f"{one}.py", before, after)
        yield


def theorem_of(path: Path) -> Theorem:
    """The theorem of a claim file."""
    theorem = load(str(path))[-1].theorem
    assert theorem is not None
    return theorem


def refuted_by(model: SmallModel) -> Refutation:
    """What the judge replays."""
    goal = model.goal
    return Refutation(
        model.shown, Violation(model.left, goal.kind, goal.rhs, model.numbers, model.under)
    )


@pytest.mark.parametrize("name", FALSE_EDITS)
def test_a_false_edit_of_a_recipe_has_a_witness(name: str, tmp_path: Path) -> None:
    model = gram_model(theorem_of(tmp_path / f"{name}_wrong.py"))
    assert model is not None
    assert stands(refuted_by(model))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("twin", QUADRATIC_TWINS)
def test_a_false_twin_has_a_witness(twin: str, tmp_path: Path) -> None:
    path, before, after = FALSE_TWINS[twin]
    folder = tmp_path / "paper"
    folder.mkdir()
    with neighbours(folder, texts(path.parent)):
        model = gram_model(theorem_of(edited(folder / path.name, before, after)))
    assert model is not None
    assert stands(refuted_by(model))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [name for name, *_ in RECIPES])
def test_a_recipe_has_none(name: str, tmp_path: Path) -> None:
    assert gram_model(theorem_of(tmp_path / f"{name}.py")) is None


@pytest.mark.slow
@pytest.mark.parametrize("path", STATEMENTS, ids=name)
def test_a_statement_of_a_paper_has_none(path: Path) -> None:
    with neighbours(path.parent):
        assert gram_model(theorem_of(path)) is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PAIRS)
def test_a_true_statement_about_runs_has_none(name: str) -> None:
    assert gram_model(PAIRS[name][0]) is None


def test_the_iterate_before_is_never_the_iterate_itself() -> None:
    """x[k − 1] has no choice of delays, of which 0 would be one."""
    L, k, f = positive("L"), index("k"), function("f")
    x = notation.iterates("x", k)
    T = notation.theorem("mine.lag")
    T.smooth(f, L)
    T.iterate(x, x[k] + (x[k] - x[k - 1]) / 2 - f.grad(x[k]))
    D = T.sequence("D", (x[k] - x[k - 1]) ** 2)
    one, at = plain(T.shows(le(D(1), D(3))), Outcomes()), {L: sympy.S.One}
    assert written(one, at, Shape(pattern=lambda k, largest: 0)) == written(one, at)


@pytest.mark.parametrize("name", ONE_STEP)
def test_a_true_statement_about_one_step_has_none(name: str) -> None:
    assert gram_model(ONE_STEP[name][0]) is None


@pytest.mark.parametrize("name", FOR_EVER)
def test_what_is_true_of_endless_runs_alone_is_not_refuted(name: str) -> None:
    assert gram_model(FOR_EVER[name]) is None


@pytest.mark.parametrize("one", FALSE_EDITS)
def test_what_is_said_in_words_is_never_attacked(one: str, tmp_path: Path) -> None:
    twin = theorem_of(tmp_path / f"{one}_wrong.py")
    assert gram_model(replace(twin, assumes=("delays are drawn independently",))) is None


def test_a_witness_with_another_number_refutes_nothing(tmp_path: Path) -> None:
    model = gram_model(theorem_of(tmp_path / "gd_rate_wrong.py"))
    assert model is not None
    for symbol in model.numbers:
        changed = {**model.numbers, symbol: model.numbers[symbol] - 1000}
        assert not stands(refuted_by(replace(model, numbers=changed))), symbol
    assert not stands(refuted_by(replace(model, lasts=lambda: False)))


def test_inner_products_of_no_vectors_refute_nothing(tmp_path: Path) -> None:
    model = gram_model(theorem_of(tmp_path / "gd_rate_wrong.py"))
    assert model is not None
    assert model.lasts()
    replayed = model.lasts.args[0]  # type: ignore[attr-defined]
    squares = [s for s in replayed if len(set(s.name.strip("<>").split(", "))) == 1 < len(s.name)]
    squares = [s for s in squares if s.name.startswith("<")]
    worse = {**replayed, squares[0]: sympy.Integer(0)}
    tampered = model.lasts.func(worse, *model.lasts.args[1:])  # type: ignore[attr-defined]
    assert not tampered


@pytest.mark.parametrize(
    ("recipe", "words"),
    [("gd_rate", "f_low"), ("gd_rate", "gamma <="), ("gd_convex", "gamma <="), ("near", "<g, g>")],
)
def test_a_statement_without_a_hypothesis_has_a_witness(
    recipe: str, words: str, tmp_path: Path
) -> None:
    true = theorem_of(tmp_path / f"{recipe}.py")
    kept = tuple(h for h in true.hypotheses if words not in h.name)
    loose = replace(true, hypotheses=kept, everywhere=())
    assert len(loose.hypotheses) < len(true.hypotheses)
    model = gram_model(loose)
    assert model is not None
    assert stands(refuted_by(model))


def test_a_polyak_inequality_at_points_refutes_nothing(tmp_path: Path) -> None:
    text = (tmp_path / "contraction_wrong.py").read_text(encoding="utf-8")
    path = tmp_path / "pl_wrong.py"
    path.write_text(text.replace("strongly_convex(f, mu)", "pl(f, mu, f(star))"), encoding="utf-8")
    assert gram_model(theorem_of(path)) is None


@pytest.mark.parametrize(
    "more",
    [
        eq(square(vector("x")), 1),
        le(square(vector("x")), 1000),
    ],
)
def test_what_a_run_need_not_keep_is_no_witness(more: Relation, tmp_path: Path) -> None:
    """Of what is said of iterates in every iteration, a few iterations show nothing."""
    twin = theorem_of(tmp_path / "gd_rate_wrong.py")
    said = Hypothesis("kept", "kept", more)
    model = gram_model(replace(twin, hypotheses=(*twin.hypotheses, said)))
    assert model is None


@pytest.mark.parametrize(("times", "refuted"), [(1, False), (2, True)])
def test_a_class_without_functions_refutes_nothing(times: int, refuted: bool) -> None:
    """μ ≤ L and 0 ≤ b are what makes functions that a goal does not name; 2μ ≤ L is false."""
    size, modulus = sympy.symbols("L mu", positive=True)
    bound = sympy.Symbol("b", real=True)
    x, y = point("x"), point("y")
    way = y.position - x.position
    bent = le(x.value + dot(x.gradient, way) + modulus / 2 * square(way), y.value)
    steep = le(square(x.gradient), bound)
    for goal, said in ((le(times * modulus, size), bent), (le(times - 1, bound), steep)):
        hypotheses = (Smooth("smooth", "", size), Hypothesis("said", "", said))
        about = {"points": (x, y), "symbols": (size, modulus, bound), "hypotheses": hypotheses}
        assert (gram_model(theorem(goal, Combine(), **about)) is not None) == refuted


# The conditions: every function of a class satisfies them, and nothing else does.

L, MU = sympy.Integer(2), sympy.Rational(1, 2)
CLASSES = {
    "smooth": (FunctionClass("f", (L,)), -2.0, 2.0),
    "convex": (FunctionClass("f", (L,), (sympy.S.Zero,)), 0.0, 2.0),
    "strongly convex": (FunctionClass("f", (L,), (MU,)), 0.5, 2.0),
}


def gaps(said: FunctionClass, count: int) -> list[Row]:
    """The conditions at some points of one dimension, as linear functions."""
    points = [
        Point(vector(f"x{i}"), sympy.Symbol(f"f{i}", real=True), vector(f"g{i}"))
        for i in range(count)
    ]
    return [linear(one.gap) for one in said.through(points)]


def value(row: Row, known: dict[str, float]) -> float:
    """A linear function of inner products at numbers for vectors."""
    total = 0.0
    for atom, factor in row.items():
        parts = [known[name] for name in atom] if isinstance(atom, tuple) else [known.get(atom, 1)]
        total += float(factor) * float(np.prod(parts))
    return total


def slope(x: float, bends: list[float], knots: list[float]) -> float:
    """The derivative of a function with these curvatures, between and beyond two knots."""
    inner = min(max(x, knots[0]), knots[1]) - knots[0]
    return bends[0] * min(x - knots[0], 0) + bends[1] * inner + bends[2] * max(x - knots[1], 0)


@pytest.mark.parametrize("name", CLASSES)
def test_piecewise_quadratics_of_a_class_satisfy_its_conditions(name: str) -> None:
    said, low, high = CLASSES[name]
    rows, source = gaps(said, 2), random.Random(0)
    for _ in range(200):
        bends = [source.uniform(low, high) for _ in range(3)]
        knots = sorted(source.uniform(-1, 1) for _ in range(2))
        places = [source.uniform(-3, 3) for _ in range(2)]
        grid = np.linspace(places[0], places[1], 2001)
        rise = float(np.trapezoid([slope(x, bends, knots) for x in grid], grid))
        known = {"x0": places[0], "x1": places[1], "f0": 0.0, "f1": rise}
        known |= {f"g{i}": slope(places[i], bends, knots) for i in range(2)}
        assert all(value(row, known) >= -1e-5 for row in rows)


@pytest.mark.parametrize("name", CLASSES)
def test_values_that_no_function_of_a_class_has_break_its_conditions(name: str) -> None:
    said, low, high = CLASSES[name]
    rows = gaps(said, 2)
    for bend in (high + 0.01, low - 0.01):  # a parabola that is bent too much, or too little
        known = {"x0": 0.0, "x1": 1.0, "f0": 0.0, "f1": bend / 2, "g0": 0.0, "g1": bend}
        assert any(value(row, known) < -1e-6 for row in rows)


@pytest.mark.parametrize(
    ("part", "lower", "refuted"), [(4, "", True), (2, "", False), (4, "l", True)]
)
def test_what_is_false_under_pl_has_a_strongly_convex_witness(
    part: int, lower: str, refuted: bool
) -> None:
    size, gamma, mu, d = positive("L gamma mu d")
    low, f, (x, e) = real("low"), function("f"), vectors("x e")
    T = notation.theorem("mine.pl")
    T.smooth(f, size)
    T.pl(f, mu, low)
    if lower:
        T.lower_bound(f, low)
    T.assume(gamma * size <= 1)
    T.assume(e**2 <= d**2)
    y = x - gamma * (f.grad(x) + e)
    model = gram_model(T.shows(f(y) - low <= (1 - gamma * mu) * (f(x) - low) + gamma * d**2 / part))
    assert (model is not None) == refuted
    if model is not None:
        assert stands(refuted_by(model))
        numbers = {str(one): value for one, value in model.numbers.items()}
        assert numbers["f(argmin f)"] <= numbers["low"]
        assert numbers["mu"] < numbers["L"]


def test_another_hypothesis_than_pl_stays() -> None:
    mu, low, f, (x, y) = positive("mu"), real("low"), function("f"), vectors("x y")
    left = []
    for times in (2, 3):
        T = notation.theorem("mine.pl")
        T.smooth(f, 1)
        T.pl(f, mu, low)
        T.assume(times * mu * (f(x) - low) <= f.grad(x) ** 2)
        said, rest = in_classes(plain(T.shows(f(x) <= f(y)), Outcomes()))
        assert (said["f"].moduli, said["f"].low) == ((mu,), (low,))
        left.append(len(rest))
    assert left == [0, 1]


def test_a_weakly_convex_class_is_refused() -> None:
    with pytest.raises(Exception, match="cannot be run"):  # its least value need not exist
        gaps(FunctionClass("f", (L,), low=(sympy.Integer(1),)), 2)
    with pytest.raises(Exception, match="cannot be run"):
        gaps(FunctionClass("f", (L,), (sympy.Integer(-1),)), 2)
    with pytest.raises(Exception, match="cannot be run"):
        gaps(FunctionClass("f", (L,), (), (), (sympy.Integer(1),)), 2)


def test_what_vanishes_is_left_to_the_equation_where_it_moves(tmp_path: Path) -> None:
    true = theorem_of(tmp_path / "gd_rate.py")
    still = Hypothesis("still", "x = 0", eq(square(vector("x")), 0))
    assert not plain(replace(true, hypotheses=(*true.hypotheses, still)), Outcomes()).zero


@pytest.mark.parametrize(("corner", "expected"), [(2, True), (1, True), (0, False), (-1, False)])
def test_a_matrix_is_positive_semidefinite_or_not(corner: Scalar, expected: bool) -> None:
    entries = {("a", "a"): Fraction(1), ("a", "b"): Fraction(1), ("b", "b"): Fraction(corner)}
    for names in permutations("ab"):
        assert positive_semidefinite(entries, names) is expected
