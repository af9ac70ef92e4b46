"""What `T.unbiased` alone names is random with its point, and is the gradient of its function."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from theory.errors import TheoryError
from theory.kernel import Hypothesis, Theorem, square, vectors
from theory.notation import (
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    nonnegative,
    positive,
    theorem,
)
from theory.notation.building import offered
from theory.proving.search import search

gamma, G, L = positive("gamma G L")
Delta = nonnegative("Delta")
k, d, K = index("k"), index("d"), count("K")
center, local, mean_gradient = vectors("x̄ x_i ḡ")


def is_found(made: Theorem) -> bool:
    full = offered(made)
    facts = {step.name: step.relation for step in full.steps}
    facts |= {h.name: h.relation for h in full.hypotheses if isinstance(h, Hypothesis)}
    return search(full, full.goal, facts).combine is not None


def workers(part: Any = 1) -> Theorem:
    """ḡ is the average of ∇f(x_i), which no other line names; one step of x̄ by ḡ."""
    T, f, avg = theorem("mine.workers"), function("f"), average("avg", local)
    T.smooth(f, L)
    T.unbiased(avg, f.grad(local), mean_gradient)
    T.assume(avg(square(center - local)) <= Delta)
    T.assume(gamma * L <= 1)
    gains = gamma / 2 * square(f.grad(center))
    after = f(center - gamma * mean_gradient)
    return T.shows(after <= f(center) - gains + part * gamma * L**2 / 2 * Delta)


def test_a_gradient_at_something_random_is_random_and_of_its_function() -> None:
    made = offered(workers())
    assert "∇f(x_i)" in {name for one in made.points for name in one.gradient.names}
    for one in made.hypotheses:
        if isinstance(one, Hypothesis) and one.name.startswith("the mean of ∇f(x_i)"):
            assert "avg" in str(one.relation.lhs), one.name  # never ⟨∇f(x_i), v⟩ at one worker


def test_workers_that_are_apart_cost_what_they_drift() -> None:
    assert is_found(workers())
    assert not is_found(workers(part=sympy.Rational(1, 2)))


def drift(power: int = 2) -> Theorem:
    """‖x_k − x_{k−d}‖² where g is named by `T.unbiased` and a bound on every path alone."""
    f, x, g = function("f"), iterates("x", k), iterates("g", k)
    T = theorem("mine.drift", "ours", f)
    E = mean("E", g[k - d])
    T.unbiased(E, g[k - d], f.grad(x[k - d]))
    T.assume(square(g[k - d]) <= G**2)
    T.iterate(x, x[k] - gamma * g[k - d])
    return T.shows(square(x[k] - x[k - d]) <= gamma**2 * d**power * G**2)


def test_what_only_an_unbiased_mean_draws_is_drawn() -> None:
    assert is_found(drift())
    assert not is_found(drift(power=1))


def test_the_mean_of_a_vector_is_said_by_unbiased() -> None:
    f, avg = function("f"), average("avg", local)
    with pytest.raises(TheoryError, match=r"T\.unbiased\(avg, ∇f\(x_i\)"):
        theorem("mine.bad").assume(equal(mean_gradient, avg(f.grad(local))))
