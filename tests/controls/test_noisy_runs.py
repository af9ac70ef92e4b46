"""What is attacked by means along long runs, with memory, and through exponentials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import sympy

from theory import notation
from theory.account import Refutation, Violation
from theory.falsifier.effort import effort
from theory.falsifier.forever import everywhere
from theory.falsifier.noisy_runs import noisy_run
from theory.falsifier.small_models import SmallModel
from theory.falsifier.small_runs import small_run
from theory.judging.as_claim import as_claim
from theory.judging.decide import stands
from theory.judging.judge import judge
from theory.kernel.relations import Relation, le
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar
from theory.notation import (
    average,
    count,
    exp,
    function,
    index,
    iterates,
    log,
    mean,
    nonnegative,
    positive,
    real,
    theorem,
    total,
    vector,
    vectors,
)
from theory.verdicts import Verdict

L, gamma, mu, a, b, Delta, epsilon = positive("L gamma mu a b Delta epsilon")
sigma, beta, low = nonnegative("sigma"), nonnegative("beta"), real("f_low")
k, n, tau = index("k n tau")
K = count("K")

Twin = Callable[[Scalar], Theorem]


def averaged(part: Scalar) -> Theorem:
    """SGD whose noise is averaged: the mean of ‖∇f‖² ends near Lγσ²·part."""
    f, (x, g) = function("f"), vectors("x g")
    E = mean("E", g)
    T = theorem("mine.sgd")
    T.smooth(f, L)
    T.lower_bound(f, low)
    T.unbiased(E, g, f.grad(x))
    T.bounded_variance(E, g, f.grad(x), sigma)
    T.assume(2 * gamma <= 1 / L)
    T.iterate(x, x - gamma * g, k)
    F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2)
    return T.shows(
        total(S(k), k, K) / K <= 2 * (F(0) - low) / (gamma * K) + part * L * gamma * sigma**2
    )


def momentum(part: Scalar) -> Theorem:
    """An average of noise, m⁺ = βm + (1 − β)g: its second moment stays below part·σ²."""
    m, g = vectors("m g")
    E = mean("E", g)
    T = theorem("mine.momentum")
    T.assume(beta < 1)
    T.unbiased(E, g, 0 * g)
    T.assume(E(g**2) <= sigma**2)
    T.iterate(m, beta * m + (1 - beta) * g, k)
    M = T.sequence("M", m**2)
    T.assume(M(0) <= 0)
    return T.shows(M(n) <= part * sigma**2)


def late(part: Scalar) -> Theorem:
    """How far a stale iterate is: τ = 2 moves of length γσ at most."""
    x, g = iterates("x", k), vector("g")
    T = theorem("mine.late")
    T.assume(g**2 <= sigma**2)
    T.iterate(x, x[k] - gamma * g)
    D = T.sequence("D", (x[k] - x[k - 2]) ** 2)
    return T.shows(D(n) <= part * gamma**2 * sigma**2)


def tangent(part: Scalar) -> Theorem:
    """1 − a ≤ e^(−a)."""
    T = theorem("mine.tangent")
    T.assume(a <= 1)
    return T.shows(1 - a <= exp(-part * a))


def decay(part: Scalar) -> Theorem:
    """(1 − a)^n ≤ e^(−an)."""
    T = theorem("mine.decay")
    T.assume(a <= 1)
    return T.shows((1 - a) ** n <= exp(-part * a * n))


def logarithm(part: Scalar) -> Theorem:
    """Ln a ≤ a − 1."""
    return theorem("mine.log").shows(log(a) <= part * (a - 1))


def horizon(part: Scalar) -> Theorem:
    """So many iterations are enough, on parabolas at least."""
    f, x = function("f"), vector("x")
    T = theorem("mine.horizon")
    T.smooth(f, L)
    T.pl(f, mu, low)
    T.assume(gamma <= 1 / L)
    T.assume(gamma <= 1 / mu)
    T.iterate(x, x - gamma * f.grad(x), k)
    F = T.sequence("F", f(x) - low)
    T.assume(F(0) <= Delta)
    T.assume(n >= log(Delta / epsilon) / (part * gamma * mu))
    return T.shows(F(n) <= epsilon)


def star(convexity: Scalar) -> Theorem:
    """What a step gains on a convex function; one with a PL constant need not be convex."""
    f, (x, least) = function("f"), vectors("x x*")
    T = theorem("mine.star")
    T.smooth(f, L)
    T.pl(f, mu, low)
    T.minimum(f, least)
    T.assume(gamma <= 1 / L)
    if convexity:
        T.convex(f)
    T.iterate(x, x - gamma * f.grad(x), k)
    F, D = T.sequence("F", f(x) - f(least)), T.sequence("D", (x - least) ** 2)
    return T.shows(2 * gamma * F(k + 1) <= D(k) - D(k + 1))


LONG: dict[str, tuple[Twin, Scalar, Scalar]] = {
    "averaged noise": (averaged, sympy.S.One, sympy.Rational(1, 4)),
    "momentum": (momentum, sympy.S.One, sympy.Rational(1, 2)),
}
SHORT: dict[str, tuple[Twin, Scalar, Scalar]] = {
    "late": (late, sympy.Integer(4), sympy.Integer(2)),
    "tangent": (tangent, sympy.S.One, sympy.Integer(2)),
    "decay": (decay, sympy.S.One, sympy.Integer(2)),
    "logarithm": (logarithm, sympy.S.One, sympy.S.Half),
    "horizon": (horizon, sympy.S.One, sympy.Integer(3)),
    "star": (star, sympy.S.One, sympy.S.Zero),
}


def refuted_by(model: SmallModel) -> Refutation:
    goal = model.goal
    return Refutation(
        model.shown, Violation(model.left, goal.kind, goal.rhs, model.numbers, model.under)
    )


@pytest.mark.parametrize(
    "name", [pytest.param("averaged noise", marks=pytest.mark.slow), "momentum"]
)
def test_a_false_statement_about_noise_has_a_long_run(name: str) -> None:
    twin, true, false = LONG[name]
    model = noisy_run(twin(false))
    assert model is not None
    assert stands(refuted_by(model))
    with effort(20):
        assert noisy_run(twin(true)) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SHORT)
def test_a_false_statement_with_memory_or_exponentials_has_a_run(name: str) -> None:
    twin, true, false = SHORT[name]
    model = noisy_run(twin(false)) or small_run(twin(false))
    assert model is not None
    assert stands(refuted_by(model))
    with effort(20):
        assert (noisy_run(twin(true)) or small_run(twin(true))) is None


def test_means_that_do_not_follow_from_one_another_refute_nothing() -> None:
    model = noisy_run(momentum(sympy.S.Half))
    assert model is not None
    means = [one for one in model.numbers if one.name.startswith("mean of")]
    for symbol in (means[0], means[-1], beta, sigma):
        changed = {**model.numbers, symbol: model.numbers[symbol] + 100}
        assert not stands(refuted_by(replace(model, numbers=changed))), symbol
    assert not stands(refuted_by(replace(model, lasts=lambda: False)))


def test_noise_larger_than_assumed_in_some_state_is_no_witness() -> None:
    x = sympy.Symbol("x", real=True)
    assert everywhere([le(1, x**2 + 1)], k)
    assert not everywhere([le(1, x**2 + sympy.Rational(1, 2))], k)
    assert not everywhere([le(x, k)], k)


def test_two_means_are_not_taken_for_one() -> None:
    """One draw of two outcomes for both would be one that neither assumption speaks of."""
    x, noise = vectors("x ξ")
    E, avg = mean("E", noise), average("avg", noise, x, over="worker")
    T = theorem("mine.two")
    T.assume(avg(E(noise**2)) <= sigma**2)
    T.iterate(x, x / 2 + noise / 2, k)
    D = T.sequence("D", avg(x**2))
    T.assume(D(0) <= 0)
    model = noisy_run(T.shows(D(n) <= 0))
    assert model is not None
    assert not any("outcome" in one.name for one in model.numbers)


def test_an_exponential_that_only_comes_near_decides_nothing() -> None:
    near = sympy.Rational(27182818284590452353602874713526, 10**31)  # e, less 7e-32
    above = near + sympy.Rational(1, 10**31)
    one = exp(sympy.S.One)
    assert stands(Refutation({"a": 1}, Violation(lambda: one, "<=", near, {}, ())))
    assert not stands(Refutation({"a": 1}, Violation(lambda: one, "<=", above, {}, ())))
    supposed = (Relation(above, "<=", one),)
    assert not stands(Refutation({"a": 1}, Violation(lambda: one, "<=", near, {}, supposed)))
    no_number = Violation(lambda: log(-one), "<=", -one, {}, ())
    assert not stands(Refutation({"a": 1}, no_number))


def test_without_a_budget_nothing_is_attacked() -> None:
    claim = replace(as_claim(tangent(sympy.Integer(2))), source="mine.py")
    assert judge(claim, attack=0).verdict is Verdict.UNKNOWN
    assert judge(claim).verdict is Verdict.REFUTED


def test_who_listens_hears_how_far_an_attack_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.falsifier.effort.APART", -1.0)
    heard: list[str] = []
    with effort(told=heard.append):
        small_run(decay(sympy.S.One))
    assert heard
    assert all("small runs" in one and "% of at most" in one for one in heard)


@pytest.mark.parametrize(
    ("least", "verdict"),
    [pytest.param(1, Verdict.UNKNOWN, marks=pytest.mark.slow), (0, Verdict.REFUTED)],
)
def test_a_sum_of_two_hundred_powers_breaks_nothing_off(least: int, verdict: Verdict) -> None:
    k, a, x = index("k"), positive("a"), vector("x")
    draft = theorem(f"tests.powers-{least}")
    draft.iterate(x, 2 * x, k)
    powers = draft.shows(total(a**k, k, count("K")) * (1 - a) <= least)
    with effort(1):
        assert judge(as_claim(powers)).verdict is verdict


def test_what_cancels_in_a_hypothesis_does_not_keep_a_run_from_being_replayed() -> None:
    """The mean of g is ∇f(x): in numbers, that of the noise is 0, whatever x is."""
    L, gamma, mu = notation.positive("L gamma mu")
    sigma, n, k = notation.nonnegative("sigma"), notation.index("n"), notation.index("k")
    f, (x, star, g) = notation.function("f"), notation.vectors("x x* g")
    E, T = notation.mean("E", g), notation.theorem("mine.strong")
    T.smooth(f, L)
    T.strongly_convex(f, mu)
    T.minimum(f, star)
    T.unbiased(E, g, f.grad(x))
    T.bounded_variance(E, g, f.grad(x), sigma)
    T.assume(gamma <= 1 / L)
    T.iterate(x, x - gamma * g, k)
    D = T.sequence("D", (x - star) ** 2)
    most = (1 - gamma * mu) ** n * D(0) + gamma * sigma**2 / (2 * mu)
    model = noisy_run(T.shows(D(n) <= most))
    assert model is not None
    named = {one for each in model.under for one in (each.lhs + each.rhs).free_symbols}
    assert named <= model.numbers.keys()
