"""False statements about f = mean of f_i are refuted by explicit f_i, and true ones are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy

from tests.controls.test_notation import is_found
from tests.controls.test_small_models import refuted_by
from theory.falsifier.drawn_runs import Runner
from theory.falsifier.everywhere import everywhere
from theory.falsifier.finite_sums import drawn, labels, means
from theory.falsifier.iterations import iteration
from theory.falsifier.posed import Posed
from theory.falsifier.small_models import small_model
from theory.falsifier.small_runs import is_one
from theory.judging.as_claim import as_claim
from theory.judging.decide import stands
from theory.judging.judge import judge
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Vector
from theory.notation import (
    Rational,
    equal,
    function,
    index,
    mean,
    nonnegative,
    positive,
    theorem,
    vectors,
)
from theory.notation.draft import Draft
from theory.notation.names import Expectation
from theory.verdicts import Verdict

L, gamma, mu = positive("L gamma mu")
sigma, (k, n) = nonnegative("sigma"), index("k n")
f, f_i, (x, y, star) = function("f"), function("f_i"), vectors("x y x*")


def sampled(*at: Vector, convex: bool = True) -> tuple[Draft, Expectation]:
    """f is the mean of L-smooth functions, of which one is drawn; f is least at x*."""
    E = mean("E", *(part for one in at for part in (f_i(one), f_i.grad(one))))
    T = theorem("mine.sum", "ours", f, f_i)
    T.smooth(f_i, L)
    for one in at:
        T.unbiased(E, f_i.grad(one), f.grad(one))
        T.assume(equal(E(f_i(one)), f(one)))
    if convex:
        T.convex(f_i)
        T.minimum(f, star)
    return T, E


def of_svrg(part: Any) -> Theorem:
    T, E = sampled(x, star)
    return T.shows(E((f_i.grad(x) - f_i.grad(star)) ** 2) <= part * L * (f(x) - f(star)))


def of_svrg_steps(part: Any) -> Theorem:
    """v = ∇f_i(x) − ∇f_i(y) + ∇f(y)."""
    T, E = sampled(x, y, star)
    step = f_i.grad(x) - f_i.grad(y) + f.grad(y)
    return T.shows(E(step**2) <= part * L * (f(x) + f(y) - 2 * f(star)))


def without_noise_at_the_solution(part: Any) -> Theorem:
    """Expected smoothness needs 2E‖∇f_i(x*)‖², or that ∇f_i(x*) = 0."""
    T, E = sampled(x, star)
    rest = part * E(f_i.grad(star) ** 2)
    return T.shows(E(f_i.grad(x) ** 2) <= 4 * L * (f(x) - f(star)) + rest)


def interpolated(part: Any) -> Theorem:
    T, E = sampled(x)
    T.minimum(f_i, star)
    return T.shows(E(f_i.grad(x) ** 2) <= part * L * (f(x) - f(star)))


def variance(part: Any) -> Theorem:
    T, E = sampled(x, convex=False)
    return T.shows(f.grad(x) ** 2 <= part * E(f_i.grad(x) ** 2))


def of_sgd(part: Any) -> Theorem:
    T, E = sampled(x, star)
    T.strongly_convex(f, mu)
    T.assume(E(f_i.grad(star) ** 2) <= sigma**2)
    T.assume(2 * gamma * L <= 1)
    nearer = (1 - gamma * mu) * (x - star) ** 2
    after = x - gamma * f_i.grad(x) - star
    return T.shows(E(after**2) <= nearer + part * gamma**2 * sigma**2)


def of_sgd_runs(part: Any) -> Theorem:
    """Noise of ±1 at the solution moves what is at rest."""
    T, E = sampled(x, star)
    T.strongly_convex(f, mu)
    T.assume(E(f_i.grad(star) ** 2) <= sigma**2)
    T.assume(2 * gamma * L <= 1)
    T.iterate(x, x - gamma * f_i.grad(x), k)
    D = T.sequence("D", (x - star) ** 2)
    return T.shows(D(n) <= (1 - gamma * mu) ** n * D(0) + part * gamma * sigma**2 / mu)


def unequal(largest: Any) -> Theorem:
    """The bound of SVRG with constants L_i, of which L bounds the largest, or the mean."""
    own = positive("L_i")
    E = mean("E", own, f_i(x), f_i.grad(x), f_i(star), f_i.grad(star))
    T = theorem("mine.unequal", "ours", f, f_i)
    T.varying(own)
    T.smooth(f_i, own)
    T.convex(f_i)
    T.minimum(f, star)
    T.assume(own <= L if largest else E(own) <= L)
    for at in (x, star):
        T.unbiased(E, f_i.grad(at), f.grad(at))
        T.assume(equal(E(f_i(at)), f(at)))
    return T.shows(E((f_i.grad(x) - f_i.grad(star)) ** 2) <= 2 * L * (f(x) - f(star)))


@pytest.mark.parametrize(("part", "refuted"), [(2, False), (Rational(1, 100), True)])
def test_functions_that_differ_are_the_noise_of_a_run(part: Any, refuted: bool) -> None:
    made, source = of_sgd_runs(part), random.Random(0)
    one = iteration(made, {n: sympy.S.One}, 1, 2, {}, Posed)
    assert one is not None
    runner = Runner(one, {n: sympy.S.One})
    tried = (runner.violating(source, at_rest=True) for _ in range(300))
    found = (m for m in tried if m is not None and is_one(made, {n: sympy.S.One}, m, 2))
    model = next(found, None)
    assert (model is not None) is refuted
    assert model is None or stands(refuted_by(model))


PAIRS: dict[str, tuple[Callable[[Any], Theorem], Any, Any]] = {
    "svrg": (of_svrg, 2, Rational(39, 20)),
    "svrg, a step": (of_svrg_steps, 4, 2),
    "expected smoothness": (without_noise_at_the_solution, 2, Rational(5, 4)),
    "interpolation": (interpolated, 2, 1),
    "variance": (variance, 1, Rational(1, 2)),
    "sgd": (of_sgd, 2, 1),
    "unequal": (unequal, True, False),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_wrong_constant_is_refuted_and_the_right_one_is_not(name: str) -> None:
    make, right, wrong = PAIRS[name]
    model = small_model(make(wrong))
    assert model is not None
    assert stands(refuted_by(model))
    assert any(shown.startswith("f_i(t") for shown in model.shown)
    assert small_model(make(right)) is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PAIRS)
def test_no_attack_refutes_what_is_true(name: str) -> None:
    make, right, wrong = PAIRS[name]
    assert judge(as_claim(make(right))).verdict is Verdict.UNKNOWN, "no proof was given"
    assert judge(as_claim(make(wrong))).verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", ["svrg", "variance"])
def test_the_right_constant_is_found_and_the_wrong_one_is_not(name: str) -> None:
    make, right, wrong = PAIRS[name]
    assert is_found(make(right))
    assert not is_found(make(wrong))


def test_an_instance_with_another_function_refutes_nothing() -> None:
    """With other curvatures, slopes or places the replay sees a hypothesis that fails."""
    made = without_noise_at_the_solution(Rational(5, 4))
    model = small_model(made)
    assert model is not None
    names = [s for s in model.numbers if " at outcome " in s.name]
    assert len({s.name.partition(" at outcome ")[2][0] for s in names}) == 2
    for symbol in (s for s in names if not s.name.endswith("(0)") or "'" in s.name):
        for change in (-100, 100):
            numbers = {**model.numbers, symbol: model.numbers[symbol] + change}
            kept = everywhere(made, numbers, 2)
            assert not kept or not stands(refuted_by(replace(model, numbers=numbers))), symbol


def test_each_function_and_their_mean_are_as_is_said_everywhere() -> None:
    made = of_svrg(2)
    assert drawn(made) == {"f_i"}
    assert dict(means(made)) == {"f": "f_i"}
    both = ("f_i at outcome 1", "f_i at outcome 2")
    assert labels(made, "f", 2, 0) == labels(made, "f", 2, 1) == both
    assert [labels(made, "f_i", 2, k) for k in range(2)] == [both[:1], both[1:]]
    known = {"L": 2, "x*": 0}
    for bends, slopes, kept in (
        ((1, 2), (1, -1), True),
        ((1, -1), (1, -1), False),  # the second is not convex, f is
        ((1, 2), (1, 1), False),  # f is not least at 0
    ):
        said = {f"{one}''": bend for one, bend in zip(both, bends, strict=True)}
        said |= {f"{one}'(0)": slope for one, slope in zip(both, slopes, strict=True)}
        numbers = {sympy.Symbol(n): sympy.Integer(v) for n, v in (known | said).items()}
        assert everywhere(made, numbers, 2) is kept
