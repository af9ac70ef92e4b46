"""What is true under all that its author assumes is not refuted, whatever a certificate says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from theory.falsifier.gram.witness import gram_model
from theory.judging.as_claim import as_claim
from theory.judging.judge import judge
from theory.judging.loading import load
from theory.kernel import Combine, Hypothesis, Theorem
from theory.kernel.stored import key_of
from theory.notation import (
    average,
    equal,
    function,
    index,
    iterates,
    mean,
    nonnegative,
    positive,
    theorem,
    vectors,
)
from theory.verdicts import Verdict

L, gamma = positive("L gamma")
sigma, k = nonnegative("sigma"), index("k")
f, (g, v, x, y) = function("f"), vectors("g v x y")
E = mean("E", g)
NOTHING = Combine({})
"""A certificate that names no hypothesis, and proves nothing of what is stated here."""

FORGED = """
from theory.notation import function, mean, theorem, vectors

f, (x, g) = function("f"), vectors("x g")
E, T = mean("E", g), theorem("mine.forged", "ours", f)
T.unbiased(E, g, f.grad(x))
CLAIM = T.shows(E((x - g) ** 2) <= x**2 - 2 * (f.grad(x) @ x) + E(g**2))
"""


def unbiased() -> Theorem:
    T = theorem("mine.unbiased")
    T.smooth(f, L)
    T.unbiased(E, g, f.grad(x))
    return T.shows(E(g @ x) <= f.grad(x) @ x, by=NOTHING)


def equation() -> Theorem:
    T = theorem("mine.equation")
    T.assume(equal(y, x - gamma * v))
    return T.shows(y @ y <= x @ x - 2 * gamma * (x @ v) + gamma**2 * v**2, by=NOTHING)


def descent() -> Theorem:
    T = theorem("mine.descent")
    T.smooth(f, L)
    T.unbiased(E, g, f.grad(x))
    T.iterate(x, x - gamma * g, k)
    F, S, M = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2), T.sequence("M", g**2)
    return T.shows(F(k + 1) <= F(k) - gamma * S(k) + L * gamma**2 / 2 * M(k), by=NOTHING)


def own_line() -> Theorem:
    T = theorem("mine.line")
    T.assume(equal(y, x - gamma * v))
    most = x @ x - 2 * gamma * (x @ v) + gamma**2 * v**2
    T.have(y @ y <= most, "line", by=NOTHING)
    return T.shows(2 * (y @ y) <= 2 * most, by=Combine({"line": 2}))


@pytest.mark.parametrize("make", [unbiased, equation, descent, own_line])
def test_a_wrong_certificate_drops_no_hypothesis(make: Callable[[], Theorem]) -> None:
    row = judge(as_claim(make()))
    assert row.verdict is Verdict.UNKNOWN
    assert row.judgement.assumes


def test_a_stored_certificate_that_is_wrong_drops_none(tmp_path: Path) -> None:
    """The key fits, and the entry names nothing: the theorem that it would leave is false."""
    path = tmp_path / "forged.py"
    path.write_text(FORGED, encoding="utf-8")
    facts = {"the mean of g is ∇f(x), with x": "-2"}
    bare, rows = load(str(path))[-1].theorem, []
    assert bare is not None
    known = {h.name: h.relation for h in bare.hypotheses if isinstance(h, Hypothesis)}
    for used in (facts, {}):
        key = key_of(bare.goal, {name: known[name] for name in used})
        entry: dict[str, object] = {
            "theorem": "mine.forged",
            "step": "statement",
            "key": key,
            "facts": used,
        }
        entry |= {"squares": [], "plus": [], "domain": []}
        stored = {"schema": "staleproof-certificates-1", "certificates": [entry]}
        path.with_suffix(".certificates.json").write_text(json.dumps(stored), encoding="utf-8")
        rows.append(judge(load(str(path))[-1]).verdict)
    assert rows == [Verdict.PROVED, Verdict.UNKNOWN]


def test_what_no_certificate_names_is_still_assumed() -> None:
    made = unbiased()
    left_out = {f"the mean of g is ∇f(x), with {name}" for name in ("x", "∇f(x)")}
    assert {one.name for one in made.unused} == left_out
    assert left_out <= {one.name for one in made.whole.hypotheses}
    assert made.whole.unused == ()


def averaged() -> Theorem:
    """x is the average of the y_i, so it halves with them."""
    avg = average("avg", y, over="worker")
    T = theorem("mine.averaged")
    T.unbiased(avg, y, x)
    T.iterate(y, y / 2, k)
    V = T.sequence("V", avg((y - x) ** 2))
    return T.shows(V(k + 1) <= V(k) / 4)


def older_gradient(first: int = 0) -> Theorem:
    """f lies above its tangent at x_k; g is unbiased beside gradients of earlier iterations."""
    T = theorem("mine.older")
    T.smooth(f, L)
    T.convex(f)
    T.unbiased(E, g, f.grad(x))
    T.bounded_variance(E, g, f.grad(x), sigma)
    T.iterate(x, x - gamma * g, k)
    F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2)
    P = T.sequence("P", f.grad(x) @ f.grad(x - gamma * g))
    return T.shows(F(first) <= F(first + 2) + gamma * (S(first) + P(first)))


def delayed() -> Theorem:
    """x_1 = x_0/2, x_2 = 0 and x_3 = −x_0/4."""
    X = iterates("x", k)
    T = theorem("mine.delayed")
    T.iterate(X, X[k] - X[k - 1] / 2)
    A = T.sequence("A", X[k] ** 2)
    return T.shows(A(0) / 16 <= A(3))


@pytest.mark.parametrize("make", [averaged, older_gradient, lambda: older_gradient(1), delayed])
def test_a_run_keeps_what_is_assumed_of_every_vector(make: Callable[[], Theorem]) -> None:
    assert judge(as_claim(make())).verdict is Verdict.UNKNOWN


def test_one_outcome_is_its_mean() -> None:
    """Where E g = m and nothing is left to chance, g is m; with two outcomes, so is half their sum.

    In the witness of what is false, ‖g_1 + g_2 − 2m‖² is 0, and not just its product with some
    vectors.
    """
    T = theorem("mine.second")
    T.unbiased(E, g, x)
    T.assume(E((g - x) ** 2) <= sigma**2)
    model = gram_model(T.shows(E(g**2) <= x**2 + sigma**2 / 2))
    assert model is not None
    names = ("g", "g at outcome 2", "x")
    parts = dict(zip(names, (1, 1, -2), strict=True))
    entries = {str(one): value for one, value in model.numbers.items()}
    square = sum(
        parts[a] * parts[b] * entries[f"<{min(a, b)}, {max(a, b)}>"] for a in names for b in names
    )
    assert square == 0


def test_averages_inside_of_a_mean_have_one_member_where_that_has_outcomes() -> None:
    """E ξ = 0 and E avg ‖ξ_i‖² ≤ σ²; that E‖ξ‖² is at most half of it is false."""
    noise, mean_noise = vectors("ξ_i ξ")
    each = mean("E", noise, mean_noise, over="sample")
    avg = average("avg", noise, over="worker")
    T = theorem("mine.workers")
    T.unbiased(each, mean_noise, 0 * x)
    T.assume(equal(each(mean_noise**2), each(avg(noise**2))))
    T.assume(avg(each(noise**2)) <= sigma**2)
    model = gram_model(T.shows(each((x + mean_noise) ** 2) <= x**2 + sigma**2 / 2))
    assert model is not None
    assert "ξ at outcome 2" in model.shown["vectors"]
