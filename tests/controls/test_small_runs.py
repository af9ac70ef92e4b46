"""Statements about runs: what is false is refuted by an exact run, and its true twin is not."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
import sympy

from theory.account import Refutation, Violation
from theory.falsifier.drawn_runs import Runner
from theory.falsifier.iterations import iteration
from theory.falsifier.small_models import SmallModel
from theory.falsifier.small_runs import small_run
from theory.judging.as_claim import as_claim
from theory.judging.decide import stands
from theory.judging.judge import judge
from theory.kernel import (
    Average,
    Combine,
    Hypothesis,
    Operator,
    Point,
    Smooth,
    Theorem,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.kernel.vectors import Scalar, Vector
from theory.notation import count, function, index, mean, nonnegative, positive, theorem, vectors
from theory.verdicts import Verdict

L, gamma, mu, Delta, rho, c, start, G, sigma = sympy.symbols(
    "L gamma mu Delta rho c a0 G sigma", positive=True
)
beta, slack = sympy.symbols("beta s", nonnegative=True)
step = sympy.Symbol("gamma_k", real=True)
lowest, b = sympy.Symbol("f*", real=True), sympy.Symbol("b", real=True)
k, i = (sympy.Symbol(name, integer=True, nonnegative=True) for name in "ki")
K = sympy.Symbol("K", integer=True, positive=True)
F, D, V = (sympy.Function(name, real=True) for name in "FDV")
S, a = (sympy.Function(name, nonnegative=True) for name in "Sa")
x, old, older, star, away = (point(name) for name in ("x", "y", "z", "x*", "d"))
u, v, g = vector("u"), vector("v"), vector("g")


def after(move: Vector, now: Point = x) -> Point:
    name = "+".join(("x", *sorted(move.names)))
    value = sympy.Symbol(f"f({name})", real=True)
    return Point(now.position + move, value, vector(f"∇f({name})"))


def assumed(**relations: Any) -> tuple[Hypothesis, ...]:
    return tuple(Hypothesis(name, name, relation) for name, relation in relations.items())


def stated(lhs: Scalar, rhs: Scalar, **parts: Any) -> Theorem:
    """A statement without any proof."""
    names = {"id": "mine.run", "where": "here", "statement": "", "latex": "", "conclude": Combine()}
    return Theorem(**{**names, "symbols": (), **parts}, lhs=lhs, terms={"right": rhs})


SMOOTH = Smooth("smooth", "f is L-smooth", L)
SHORT = assumed(step=le(gamma * L, 1))
LOWER = assumed(lower=le(lowest, F(k)), start=eq(F(0), lowest + Delta))
MEAN = sympy.Sum(S(k), (k, 0, K - 1)) / K
GD = after(-gamma * x.gradient)
DESCENT: dict[str, Any] = {
    "symbols": (L, gamma, K, Delta, lowest),
    "points": (x, GD),
    "following": ((x, GD),),
    "sequences": {F: x.value, S: square(x.gradient)},
    "hypotheses": (SMOOTH, *SHORT, *LOWER),
}
APART = x.position - star.position
STRONG: dict[str, Any] = {
    "symbols": (L, gamma, mu, K),
    "points": (x, GD, star),
    "vectors": (star.position,),
    "fixed": (star.position,),
    "following": ((x, GD),),
    "sequences": {D: square(APART)},
    "hypotheses": (
        SMOOTH,
        *SHORT,
        *assumed(
            order=le(mu, L),
            stationary=eq(square(star.gradient), 0),
            strong=le(
                mu * L * square(APART) + square(x.gradient - star.gradient),
                (mu + L) * dot(x.gradient - star.gradient, APART),
            ),
        ),
    ),
}
HEAVY = after(beta * (x.position - old.position) - gamma * x.gradient)
MOMENTUM: dict[str, Any] = {
    "symbols": (L, gamma, beta, K),
    "points": (x, old, HEAVY),
    "following": ((x, HEAVY), (old, x)),
    "sequences": {
        F: x.value,
        V: x.value + beta / (2 * gamma) * square(x.position - old.position),
    },
    "hypotheses": (SMOOTH, *assumed(step=le(gamma * L, 2 * (1 - beta)))),
}
POLYAK_STEP = after(-step * x.gradient)
POLYAK: dict[str, Any] = {
    "symbols": (K,),
    "scalars": (step,),
    "points": (x, POLYAK_STEP, star),
    "vectors": (star.position,),
    "fixed": (star.position,),
    "following": ((x, POLYAK_STEP),),
    "sequences": {D: square(x.position - star.position)},
    "hypotheses": assumed(
        defined=eq(step * square(x.gradient), x.value - star.value),
        lower=le(star.value, x.value),
        convex=le(x.value - star.value, dot(x.gradient, x.position - star.position)),
    ),
}
STALE = after(-gamma * older.gradient)
DELAYED: dict[str, Any] = {
    "symbols": (L, gamma, K, G),
    "points": (x, old, older, STALE),
    "following": ((x, STALE), (old, x), (older, old)),
    "sequences": {F: x.value, D: square(x.position - old.position)},
    "hypotheses": (SMOOTH, *SHORT, *assumed(bounded=le(square(older.gradient), G**2))),
}
AVG = Average("avg", ("d", "f(d)", "∇f(d)", "∇f(x+∇f(d))", "f(x+∇f(d))"), over="replica")
LOCAL = after(-gamma * away.gradient, away)
DRIFT: dict[str, Any] = {
    "symbols": (gamma, G, K),
    "points": (away, LOCAL),
    "following": ((away, LOCAL),),
    "sequences": {D: AVG.of(square(away.position))},
    "hypotheses": assumed(
        bounded=le(AVG.of(square(away.gradient)), G**2),
        together=eq(D(0), 0),
        each=le(square(away.gradient), G**2),
    ),
}
SGD = after(-gamma * g)
E = Operator("E", ("g", SGD.value.name, *SGD.gradient.names))
NOISY: dict[str, Any] = {
    "symbols": (L, gamma, K, Delta, sigma, lowest),
    "vectors": (g,),
    "points": (x, SGD),
    "following": ((x, SGD),),
    "sequences": {F: x.value, S: square(x.gradient)},
    "hypotheses": (
        SMOOTH,
        *SHORT,
        *LOWER,
        *assumed(
            unbiased=eq(E.of(dot(g, x.gradient)), square(x.gradient)),
            variance=le(E.of(square(g - x.gradient)), sigma**2),
        ),
    ),
}
INDUCTION: dict[str, Any] = {
    "symbols": (rho, c, start, K),
    "hypotheses": assumed(
        ratio=le(rho, sympy.Rational(1, 2)),
        recurrence=le(a(k + 1), rho * a(k) + c),
        start=le(a(0), start),
    ),
}
WINDOW = {"symbols": (c, K), "hypotheses": assumed(each=le(a(k), c))}
WEIGHTED = {
    "symbols": (K,),
    "indices": (k,),
    "hypotheses": assumed(weighted=le((k + 2) * a(k + 1), (k + 1) * a(k))),
}
SUMS: dict[str, Any] = {
    "symbols": (rho, K),
    "hypotheses": assumed(ratio=le(rho, sympy.Rational(9, 10))),
}
TELESCOPED: dict[str, Any] = {
    "symbols": (gamma, K, c, lowest),
    "hypotheses": assumed(descent=le(F(k + 1), F(k) - gamma * S(k) + c), lower=le(lowest, F(k))),
}
ROOTED: dict[str, Any] = {
    **DESCENT,
    "hypotheses": (*DESCENT["hypotheses"], *assumed(tuned=eq(gamma, 1 / (L * sympy.sqrt(K))))),
}
EQUATION: dict[str, Any] = {
    **DESCENT,
    "points": (x, old),
    "following": ((x, old),),
    "hypotheses": (
        *DESCENT["hypotheses"],
        *assumed(update=eq(square(old.position - x.position + gamma * x.gradient), 0)),
    ),
}
PAIRS = {
    "gradient descent, 1/K": (
        stated(MEAN, 2 * Delta / (gamma * K), **DESCENT),
        Delta / (gamma * K),
    ),
    "update as an equation": (
        stated(MEAN, 2 * Delta / (gamma * K), **EQUATION),
        Delta / (gamma * K),
    ),
    "stepsize with a root": (stated(MEAN, 2 * L * Delta / sympy.sqrt(K), **ROOTED), L * Delta / K),
    "linear rate": (
        stated(
            D(K),
            (1 - gamma * mu) ** (2 * K) * D(0),
            **{
                **STRONG,
                "hypotheses": (*STRONG["hypotheses"], *assumed(shorter=le(gamma * (mu + L), 2))),
            },
        ),
        (1 - gamma * mu) ** (3 * K) * D(0),
    ),
    "heavy ball": (stated(V(K), V(0), **MOMENTUM), F(0)),
    "delayed gradients": (stated(D(K), gamma**2 * G**2, **DELAYED), gamma**2 * G**2 / 2),
    "drift of replicas": (stated(D(K), (gamma * K * G) ** 2, **DRIFT), gamma**2 * K * G**2),
    "stochastic gradients": (
        stated(MEAN, 2 * Delta / (gamma * K) + L * gamma * sigma**2, **NOISY),
        2 * Delta / (gamma * K),
    ),
    "induction": (stated(a(K), rho**K * start + c / (1 - rho), **INDUCTION), rho**K * start + c),
    "window": (
        stated(sympy.Sum(a(k + i), (i, 0, K - 1)), K * c, indices=(k,), **WINDOW),
        (K - 1) * c,
    ),
    "weights": (stated(a(K), a(0) / (K + 1), **WEIGHTED), a(0) / (K + 1) ** 2),
    "geometric sum": (
        stated(sympy.Sum(rho**i, (i, 0, K - 1)), 1 / (1 - rho), **SUMS),
        1 / (1 - rho**2),
    ),
    "telescoping": (
        stated(MEAN, (F(0) - lowest) / (gamma * K) + c / gamma, **TELESCOPED),
        (F(0) - lowest) / (2 * gamma * K) + c / gamma,
    ),
    "means of squares": (
        stated(
            (sympy.Sum(a(i), (i, 0, K - 1)) / K) ** 2,
            sympy.Sum(a(i) ** 2, (i, 0, K - 1)) / K,
            symbols=(K,),
        ),
        sympy.Sum(a(i) ** 2, (i, 0, K - 1)) / K**2,
    ),
    "roots of numbers": (
        stated(sympy.sqrt(c * rho), (c + rho) / 2, symbols=(c, rho)),
        (c + rho) / 3,
    ),
    "norms": (
        stated(
            sympy.sqrt(square(u + v)), sympy.sqrt(square(u)) + sympy.sqrt(square(v)), vectors=(u, v)
        ),
        sympy.sqrt(square(u) + square(v)),
    ),
}
FOR_EVER = {
    "a descent that would end": stated(
        slack, 0, symbols=(slack,), hypotheses=assumed(down=le(a(k + 1), a(k) - slack))
    ),
    "a growth that would end": stated(
        a(0), 0, hypotheses=assumed(doubles=le(2 * a(k), a(k + 1)), bounded=le(a(k), 1))
    ),
    "for every k": stated(
        b, 0, symbols=(b,), indices=(k,), hypotheses=assumed(all=le(b * k, 1000))
    ),
    "a run that leaves": stated(
        S(0),
        0,
        points=(x, GD),
        symbols=(gamma, L),
        following=((x, GD),),
        sequences={S: square(x.gradient)},
        hypotheses=(
            SMOOTH,
            *assumed(
                straight=eq(square(x.gradient - GD.gradient), 0), ball=le(square(x.position), 1000)
            ),
        ),
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAIRS)
def test_a_false_statement_has_a_run(name: str) -> None:
    true, false_side = PAIRS[name]
    twin = replace(true, terms={"right": false_side})
    row = judge(replace(as_claim(twin), source="mine.py"))
    assert row.verdict is Verdict.REFUTED
    assert row.judgement.counterexample


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PAIRS)
def test_its_true_twin_has_none(name: str) -> None:
    assert small_run(PAIRS[name][0]) is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FOR_EVER)
def test_what_is_true_of_endless_runs_alone_is_not_refuted(name: str) -> None:
    assert small_run(FOR_EVER[name]) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "dropped"),
    [
        ("gradient descent, 1/K", "lower"),
        ("gradient descent, 1/K", "step"),
        ("gradient descent, 1/K", "smooth"),
        ("linear rate", "strong"),
        ("delayed gradients", "bounded"),
        ("drift of replicas", "together"),
        ("stochastic gradients", "variance"),
        ("telescoping", "lower"),
    ],
)
def test_without_a_hypothesis_it_is_false(name: str, dropped: str) -> None:
    true, _ = PAIRS[name]
    kept = tuple(one for one in true.hypotheses if one.name != dropped)
    assert small_run(replace(true, hypotheses=kept)) is not None


def refuted_by(model: SmallModel) -> Refutation:
    goal = model.goal
    return Refutation(
        model.shown, Violation(model.left, goal.kind, goal.rhs, model.numbers, model.under)
    )


def test_a_run_with_another_number_refutes_nothing() -> None:
    true, false_side = PAIRS["gradient descent, 1/K"]
    model = small_run(replace(true, terms={"right": false_side}))
    assert model is not None
    assert stands(refuted_by(model))
    replayed = {one for each in model.under if each.kind == "==" for one in each.gap.free_symbols}
    assert {"x at 0", "F at 0", "gamma", "Delta"} <= {one.name for one in replayed}
    for symbol in (one for one in replayed if "knot" not in one.name):
        changed = {**model.numbers, symbol: model.numbers[symbol] + 100}
        assert not stands(refuted_by(replace(model, numbers=changed))), symbol
    assert not stands(refuted_by(replace(model, lasts=lambda: False)))


def test_a_mean_is_not_taken_for_one_of_many_outcomes() -> None:
    mixed = assumed(mixed=le(F(k), x.value + 1000))  # F(k) is a mean, f(x) one outcome
    true, _ = PAIRS["stochastic gradients"]
    spread = replace(true, hypotheses=(*true.hypotheses, *mixed), terms={"right": sympy.S.Zero})
    one = iteration(spread, {K: sympy.Integer(2)}, 1, 2, {"g": x.gradient})
    assert one is None


def test_an_update_that_is_not_listed_among_the_points_is_rewritten_too() -> None:
    true, false_side = PAIRS["stochastic gradients"]
    unlisted = replace(true, points=(x,), terms={"right": false_side})
    one = iteration(unlisted, {K: sympy.Integer(2)}, 1, 1, {"g": x.gradient})
    assert one is not None
    noise = sympy.Symbol("g", real=True)
    ((then,),) = one.then
    assert sympy.diff(then, noise) == -gamma
    assert sympy.diff(then.xreplace({noise: 0}), gamma) != 0


def test_a_step_reads_a_stepsize_as_its_equation_says() -> None:
    one = iteration(stated(D(K), D(0), **POLYAK), {K: sympy.Integer(2)}, 1, 1, {})
    assert one is not None
    assert step not in {*one.constants, *one.inputs}
    ((then,),) = one.then
    parabola = dict.fromkeys(one.constants, 0)
    bend = next(c for c in one.constants if c.name == "f''")
    at = {**parabola, bend: 2, one.state[0]: 3}
    assert then.subs(at) == sympy.Rational(3, 2)  # x − f/f′ = x/2 on every parabola


def test_sequences_before_the_first_iteration_are_not_run() -> None:
    early = stated(a(0), a(sympy.Integer(-1)), hypotheses=assumed(down=le(a(k + 1), a(k))))
    assert small_run(early) is None


@pytest.mark.slow
def test_noise_beside_a_minimum_is_drawn() -> None:
    """E‖x_n − x*‖² is at most 4M/(μ²(n + 1)) with steps 2/(μ(k + 2)), and not a 400th of it."""
    mu, M = positive("mu"), nonnegative("M")
    k, n = index("k"), count("n")
    f, (x, star, g) = function("f"), vectors("x x* g")
    E = mean("E", g)
    T = theorem("mine.noise")
    T.strongly_convex(f, mu)
    T.minimum(f, star)
    T.unbiased(E, g, f.grad(x))
    T.assume(E(square(g)) <= M)
    T.iterate(x, x - 2 / (mu * (k + 2)) * g, k)
    D = T.sequence("D", square(x - star))
    assert small_run(T.shows((n + 1) * D(n) <= M / (100 * mu**2))) is not None


@pytest.mark.parametrize("part", [1, 2])
@pytest.mark.parametrize("meant", [False, True])
def test_a_recurrence_of_numbers_is_run(part: int, meant: bool) -> None:
    """a(n) ≤ (1 − c)ⁿ a(0) + b/c, and not with b/(2c)."""
    c, b, any_ = positive("c"), nonnegative("b"), nonnegative("a")
    k, n = index("k n")
    T = theorem("mine.gronwall")
    T.varying(any_)
    A = T.sequence("A", any_) if meant else T.sequence("A")
    T.assume(c <= 1)
    T.assume(A(k + 1) <= (1 - c) * A(k) + b)
    claim = as_claim(T.shows(A(n) <= (1 - c) ** n * A(0) + b / (part * c)))
    assert judge(claim).verdict is (Verdict.UNKNOWN if part == 1 else Verdict.REFUTED)


@pytest.mark.parametrize(("signed", "false"), [(True, True), (False, False)])
def test_a_recurrence_need_not_be_tight(signed: bool, false: bool) -> None:
    """Of any sign A may go below what bounds it, and a negative factor turns that round."""
    a = positive("a")
    k, n = index("k n")
    T = theorem("mine.loose")
    A = T.sequence("A", nonnegative=not signed)
    T.assume(a <= 2)
    T.assume(A(k + 1) <= (1 - a) * A(k))
    found = small_run(T.shows(A(n) <= (1 - a) ** n * A(0)))
    assert (found is not None) is false


@pytest.mark.parametrize("domain", [positive, index])
@pytest.mark.parametrize("named", [False, True])
def test_a_sequence_is_any_only_where_nothing_else_speaks_of_it(domain: Any, named: bool) -> None:
    """Of a positive number or an integer, or of one that a hypothesis bounds, it is not run."""
    c, any_ = nonnegative("c"), (nonnegative if named else domain)("a")
    k = index("k")
    T = theorem("mine.bound")
    T.varying(any_)
    A = T.sequence("A", any_)
    T.assume(A(k + 1) <= A(k) + c)
    if named:
        T.assume(any_ <= c)
    assert small_run(T.shows(A(k) <= c)) is None


@pytest.mark.parametrize(("part", "false"), [(1, False), (2, True)])
def test_noise_moves_what_is_at_rest(part: int, false: bool) -> None:
    """E‖x_n‖² ≤ ‖x_0‖² + γσ²/μ for x⁺ = (1 − γμ)x − γξ, and not with half of it."""
    mu, gamma, sigma = positive("mu gamma sigma")
    k, n = index("k n")
    x, noise = vectors("x ξ")
    E, T = mean("E", noise), theorem("mine.rest")
    T.assume(gamma * mu <= 1)
    T.unbiased(E, noise, 0 * x)
    T.assume(E(square(noise)) <= sigma**2)
    T.iterate(x, (1 - gamma * mu) * x - gamma * noise, k)
    D = T.sequence("D", square(x))
    made = T.shows(D(n) <= (1 - gamma * mu) ** n * D(0) + gamma * sigma**2 / (part * mu))
    one = iteration(made, {n: sympy.Integer(1)}, 1, 2, {})
    assert one is not None
    runner, source = Runner(one, {n: sympy.Integer(1)}), random.Random(0)
    models = [runner.violating(source, at_rest=True) for _ in range(200)]
    assert any(models) is false
