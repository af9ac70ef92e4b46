"""Means of iterates and quasi-convexity: what the notation says of them proves nothing false."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

from theory.errors import TheoryError
from theory.kernel import (
    Combine,
    Hypothesis,
    Telescope,
    Theorem,
    dot,
    le,
    point,
    prove,
    square,
    vectors,
)
from theory.kernel.means import Mean
from theory.notation import (
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    positive,
    real,
    theorem,
    total,
)
from theory.notation.building import offered
from theory.proving.search import search
from theory.verdicts import Verdict

gamma, G, mu = positive("gamma G mu")
k, K = index("k"), count("K")
bar, star, y, g = vectors("x̄ x* y g")


def is_found(made: Theorem) -> bool:
    full = offered(made)
    facts = {one.name: one.relation for one in full.hypotheses if isinstance(one, Hypothesis)}
    facts |= {step.name: step.relation for step in full.steps}
    return search(full, full.goal, facts).combine is not None


def begun(convex: bool = True) -> tuple[Any, Any, Any]:
    T, f, x = theorem("mine.mean"), function("f"), iterates("x", k)
    if convex:
        T.convex(f)
    else:
        T.quasi_convex(f, star)
    T.iterate(x, x[k] - gamma * f.grad(x[k]))
    return T, f, x


@pytest.mark.parametrize(
    ("convex", "factor", "found"), [(True, 1, True), (False, 1, False), (True, 2, False)]
)
def test_the_value_at_the_mean_is_at_most_the_mean(convex: bool, factor: int, found: bool) -> None:
    """For a convex function; quasi-convexity about one vector says nothing of it."""
    T, f, x = begun(convex)
    T.averaged(bar, x, K)
    F = T.sequence("F", f(x[k]))
    assert is_found(T.shows(factor * f(bar) <= total(F(k), k, K) / K)) is found


def test_of_another_number_of_iterates_it_is_not() -> None:
    T, f, x = begun()
    T.averaged(bar, x, K)
    F = T.sequence("F", f(x[k]))
    assert not is_found(T.shows(f(bar) <= total(F(k), k, K + 1) / (K + 1)))


def test_a_mean_of_what_is_drawn_is_refused() -> None:
    """x̄ depends on all gradients, and E⟨∇f(x̄), g⟩ is not ⟨∇f(x̄), E g⟩."""
    T, f, x = theorem("mine.drawn"), function("f"), iterates("x", k)
    E = mean("E", g)
    T.convex(f)
    T.unbiased(E, g, f.grad(x[k]))
    T.iterate(x, x[k] - gamma * g)
    T.averaged(bar, x, K)
    with pytest.raises(TheoryError, match="drawn"):
        T.shows(E(dot(f.grad(bar), g)) <= dot(f.grad(bar), f.grad(x[k])))


def test_a_mean_has_a_name_of_its_own() -> None:
    T, f, x = begun()
    for wrong in (bar - star, 2 * bar + y):
        with pytest.raises(TheoryError, match="of its own"):
            T.averaged(wrong, x, K)
    with pytest.raises(TheoryError, match="of its own"):
        theorem("mine.early").averaged(bar, x, K)
    T.averaged(x[k], x, K)
    with pytest.raises(TheoryError):  # an iterate moves
        T.shows(f(x[k]) <= f(x[k]) + 1)


@pytest.mark.parametrize(
    ("at", "sign", "found"), [(star, 1, True), (y, 1, False), (star, -1, False)]
)
def test_quasi_convexity_is_about_one_vector(at: Any, sign: int, found: bool) -> None:
    T, f, x = begun(convex=False)
    T.constant(y)
    way = sign * dot(f.grad(x[k]), x[k] - at)
    assert is_found(T.shows(f(x[k]) - f(at) <= way)) is found


@pytest.mark.parametrize(("strength", "found"), [(mu, True), (2 * mu, False)])
def test_its_modulus_is_no_larger(strength: Any, found: bool) -> None:
    T, f, x = theorem("mine.quasi"), function("f"), iterates("x", k)
    T.quasi_strongly_convex(f, star, mu)
    T.iterate(x, x[k] - gamma * f.grad(x[k]))
    away = square(x[k] - star)
    made = T.shows(strength / 2 * away <= dot(f.grad(x[k]), x[k] - star) - f(x[k]) + f(star))
    assert is_found(made) is found


# A value at a point that is the same in every iteration may stand in a sum; another may not.

STAR = point("x*")
F = sympy.Function("F", real=True)
SUMMED = Theorem(
    id="mine.summed",
    where="ours",
    statement="",
    latex="",
    symbols=(K, STAR.value),
    points=(STAR,),
    vectors=(STAR.position,),
    fixed=(STAR.position,),
    hypotheses=(Hypothesis("least", "", le(STAR.value, F(k))),),
    lhs=sympy.Sum(STAR.value, (k, 0, K - 1)),
    terms={"sum": sympy.Sum(F(k), (k, 0, K - 1))},
    conclude=Telescope("least", k, K),
)


def test_only_what_is_declared_constant_is_summed() -> None:
    assert prove(SUMMED).verdict is Verdict.PROVED
    with pytest.raises(TheoryError, match="sums are of sequences and constants"):
        replace(SUMMED, symbols=(K,))
    with pytest.raises(TheoryError, match="declared constant"):
        replace(SUMMED, fixed=())
    with pytest.raises(TheoryError, match="declared twice"):
        replace(SUMMED, symbols=(K, STAR.value), scalars=(STAR.value,))


# Workers.


def test_what_is_averaged_is_not_averaged_twice() -> None:
    d, g = vectors("d g")
    gamma, k, avg = positive("gamma"), index("k"), average("avg", d, g)
    T = theorem("mine.workers")
    T.iterate(d, d - gamma * g, k)
    C, G = T.sequence("C", avg(square(d))), T.sequence("G", avg(square(g)))
    T.have(C(k + 1) <= 2 * C(k) + 2 * gamma**2 * G(k), "apart")
    made = offered(T.shows(C(k + 1) <= 2 * C(k) + 2 * gamma**2 * G(k)))
    (inside,) = (s.relation for s in made.steps if s.name == "apart, in one iteration")
    means = inside.gap.atoms(Mean)
    assert means
    assert not any(mean.args[2].atoms(Mean) for mean in means)


@pytest.mark.parametrize(
    ("line", "goal"),
    [
        ("", "avg((d + g)**2) <= 2 * avg(d**2) + 2 * avg(g**2)"),
        ("T.have((d + g)**2 <= 2 * d**2 + 2 * g**2)", "avg((d + g)**2) <= 2 * avg(d**2 + g**2)"),
        ("", "2 * (avg(d @ u) + u @ v) <= avg(d**2) + 2 * u**2 + v**2"),
    ],
)
def test_a_square_of_what_is_averaged_needs_no_line_of_its_own(
    line: str, goal: str, tmp_path: Path
) -> None:
    from theory.judging.loading import load
    from theory.proving.certify import certify

    said = "from theory.notation import *\nd, g, u, v = vectors('d g u v')\n"
    said += f"avg = average('avg', d, g)\nT = theorem('mine.apart')\n{line}\n"
    file = tmp_path / "apart.py"
    file.write_text(f"{said}CLAIM = T.shows({goal})\n", encoding="utf-8")
    assert [certify(load(str(file)))[-1].outcome for _ in range(2)] == ["found", "kept"]


# Slack.


def test_the_slack_of_a_statement_is_named(tmp_path: Path) -> None:
    from staleproof.commands.certify import _line
    from theory.judging.loading import load
    from theory.proving.certify import certify

    said = "from theory.notation import *\na = positive('a')\nu, v = vectors('u v')\n"
    said += "T = theorem('mine.loose')\nT.assume(u**2 <= a)\n"
    for right, slack in (("2 * a + 1", "slack: a + 1"), ("a", "")):
        file = tmp_path / f"loose_{len(slack)}.py"
        file.write_text(f"{said}CLAIM = T.shows(u**2 <= {right})\n", encoding="utf-8")
        (line,) = map(_line, certify(load(str(file))))
        assert "found" in line
        assert line.endswith(slack) if slack else "slack" not in line


def test_an_equation_has_none() -> None:
    a = real("a")
    T = theorem("mine.equation")
    made = T.shows(equal(2 * a, a + a + 0 * a), by=Combine())
    assert prove(made).verdict is Verdict.PROVED
