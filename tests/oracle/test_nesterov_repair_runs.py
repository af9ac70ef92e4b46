"""What the repaired theorems assume of a run, on exact runs of (10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import pytest
import sympy
from sympy.core.function import AppliedUndef

from tests.oracle.nesterov_machine import FUNCTIONS, LAST, STEPS, Run, Vec, inner, plus, run, size
from theory.kernel import Hypothesis, Theorem
from theory.kernel.vectors import Gram
from theory.papers.nesterov.lemmas import (
    iterate_rate,
    repaired_look_ahead,
    repaired_thm_1,
    sharp_repaired_iterates,
    step_bound,
)
from theory.papers.nesterov.lemmas.run_energy import k
from theory.papers.nesterov.symbols import R, beta, eta, t, tau


@dataclass(frozen=True)
class Meaning:
    """What names, values and sequences of a theorem stand for in iteration k of a run."""

    vectors: Mapping[str, Vec]
    numbers: Mapping[str, Fraction | int]
    sequences: Mapping[str, Callable[[int], Fraction | int]]

    def of(self, form: Any, index: int) -> Any:
        """The number that a formula is."""
        named = {s: sympy.Rational(self.numbers[s.name]) for s in form.free_symbols - {k}}
        form = form.subs({**named, k: index}).doit()
        for node in form.atoms(AppliedUndef):
            number = self.sequences[node.func.__name__](int(node.args[0]))
            form = form.subs(node, sympy.Rational(number))
        grams = {
            node: sympy.Rational(inner(*(self.vectors[name] for name in node.names)))
            for node in form.atoms(Gram)
        }
        return form.xreplace(grams)


def points(run: Run, places: Mapping[str, tuple[str, Vec]]) -> Iterator[tuple[str, Any]]:
    """Names of values and of gradients, by the name of a point: its position's and where it is."""
    for name, (position, at) in places.items():
        yield position, at
        yield f"f({name})", run.f.value(at)
        yield f"∇f({name})", run.f.gradient(at)


def begun(run: Run) -> dict[str, tuple[str, Vec]]:
    """The points of the start."""
    first, star = run.w[1], run.f.star
    slope = run.f.gradient(first)
    return {
        "w₁": ("w₁", first),
        "w₂": ("", run.w[2]),
        "v₁": ("", plus(first, slope, -1)),
        "u(w*, w₁)": ("", plus(star, slope)),
        "w*": ("w*", star),
    }


def constants(run: Run) -> dict[str, Fraction | int]:
    return {"beta": 1, "eta": run.step, "tau": run.delay, "f*": run.f.value(run.f.star)}


def meaning(run: Run, at: int, j: int, iterates: bool) -> Meaning:
    """Iteration s = k + 2 of either theorem, and iteration j of its window."""
    s, half = at + 2, Fraction(1, 2)

    def late(number: int) -> Vec:
        """ḡ of z's step, which is half of it at first."""
        return run.late[number] if number > 1 else plus((Fraction(0),) * 2, run.late[1], half)

    gradient, star = run.slope(s), run.f.star
    before = run.w[s] if iterates else run.ahead[s - 1]
    other = plus(before, plus(run.f.gradient(before), gradient, -1), -1)
    names = dict(
        points(
            run,
            {
                **begun(run),
                "w" if iterates else "x": ("w" if iterates else "x", before),
                "x_s" if iterates else "x⁺": ("", run.ahead[s]),
                "w⁺": ("", run.w[s + 1]),
                "u(x, x⁺)": ("", other),
                "u(w*, x_s)" if iterates else "u(w*, x⁺)": ("", plus(star, gradient)),
            },
        )
    )
    window = [run.late[s + 1 + i] for i in range(run.delay)]
    vectors = {name: one for name, one in names.items() if isinstance(one, tuple)} | {
        "d": run.turn(s),
        "ḡ": run.late[s],
        "ḡ⁻": late(s - 1),
        "z": run.z(s + run.delay),
        "q": run.z(s + 1 + j),
        "q⁺": run.z(s + 2 + j),
        "e": run.late[s + 1 + j],
    }
    numbers = {name: one for name, one in names.items() if not isinstance(one, tuple)}
    numbers |= constants(run) | {"Q": sum(map(size, window)), "j": j}

    def energy(n: int) -> Fraction:
        u, lists = n + 2, range(run.delay)
        base = size(run.z(u + run.delay))
        base += 4 * run.step * (n + 1) * (value(n) - run.f.value(star))
        if iterates:
            kept = sum((i + run.step) * size(run.late[u + i]) for i in lists)
        else:
            kept = sum(
                i * size(run.slope(u - run.delay + i))
                + (2 * run.delay - 1) * size(plus(late(u + i), late(u + i - 1), -1))
                for i in lists
            )
        return base + 4 * run.step**2 * kept

    def value(n: int) -> Fraction:
        return run.f.value(run.w[n + 2] if iterates else run.ahead[n + 1])

    sequences = {
        "F": value,
        "n": lambda n: n,
        "L": energy,
        "Z": lambda n: size(run.z(n + 2 + run.delay)),
        "S": lambda n: size(run.late[n + 2]),
        "o": lambda n: size(plus(late(n + 2), late(n + 1), -1)),
        "q": lambda i: inner(run.z(s + 1 + i), gradient),
        "e": lambda i: inner(run.late[s + 1 + i], gradient),
        "e²": lambda i: size(run.late[s + 1 + i]),
    }
    return Meaning(vectors, {**numbers, "R": 0}, sequences)


THEOREMS: Final = {"iterates": iterate_rate.THEOREM, "look-aheads": repaired_look_ahead.THEOREM}


def holds(theorem: Theorem, which: str, path: Run, at: int, j: int) -> list[str]:
    """The hypotheses that iteration `at` of a run does not satisfy."""
    means = meaning(path, at, j, which == "iterates")
    away = plus(path.w[1], path.f.star, -1)
    false = []
    for one in theorem.hypotheses:
        if isinstance(one, Hypothesis):
            gap = one.relation.gap.subs(R**2, sympy.Rational(inner(away, away)))
            number = means.of(gap, at)
            if not (number == 0 if one.relation.kind == "==" else number >= 0):
                false.append(one.name)
    return false


@pytest.mark.parametrize("which", THEOREMS)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("delay", STEPS)
def test_what_is_assumed_of_a_run_is_true_of_the_method(which: str, name: str, delay: int) -> None:
    path = run(name, delay, STEPS[delay])
    for at in (0, 1, delay + 2):
        for j in range(delay if at == 1 else 1):
            assert holds(THEOREMS[which], which, path, at, j) == []


@pytest.mark.parametrize("which", THEOREMS)
def test_what_is_assumed_is_false_of_a_run_with_another_first_step(which: str) -> None:
    path = run("huber", 2, STEPS[2])
    longer = plus(path.w[2], path.late[1], -path.step)  # as if 1 − γ_1 were 2
    other = Run(path.f, 2, path.step, (*path.w[:2], longer, *path.w[3:]), path.ahead, path.late)
    assert holds(THEOREMS[which], which, other, 0, 0)


@pytest.mark.parametrize("which", THEOREMS)
def test_a_longer_stepsize_is_seen_by_one_hypothesis_alone(which: str) -> None:
    path = run("parabola", 2, Fraction(1, 2))
    assert holds(THEOREMS[which], which, path, 1, 0) == ["stepsize"]


def longest(theorem: Theorem, delay: int) -> Fraction:
    """A stepsize that just meets a theorem's condition, in units of 1/β, to a thousandth."""
    (condition,) = [
        h.relation
        for h in theorem.hypotheses
        if isinstance(h, Hypothesis) and h.name in ("stepsize", "short")
    ]
    gap = condition.gap.subs({beta: 1, tau: delay})
    return max(
        Fraction(n, 1000) for n in range(1, 1000) if gap.subs(eta, sympy.Rational(n, 1000)) >= 0
    )


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("delay", [1, 2, 4])
def test_the_bounds_hold_on_exact_runs_at_their_longest_stepsize(name: str, delay: int) -> None:
    for theorem, first in (
        (repaired_thm_1.THEOREM, delay + 1),
        (sharp_repaired_iterates.THEOREM, 2),
    ):
        step = longest(theorem, delay)
        path = run(name, delay, step)
        away = plus(path.w[1], path.f.star, -1)
        squared = sympy.Rational(inner(away, away))
        for now in range(first, delay + LAST):
            at = {eta: sympy.Rational(step), tau: delay, t: now}
            bound = theorem.terms["distance"].subs(R**2, squared).subs(at)
            place = path.w[now] if first == 2 else path.ahead[now - delay]
            assert path.f.value(place) - path.f.value(path.f.star) <= Fraction(str(bound))


def test_a_line_takes_steps_of_the_greatest_length() -> None:
    """‖w_{t+1} − w_t‖ = ηG for every t where the gradient never changes."""
    slope, step = Fraction(3), Fraction(1, 2)
    moved, place = [Fraction(0)], Fraction(0)
    for now in range(1, 20):
        momentum = Fraction(0) if now == 1 else Fraction(now - 2, now)
        moved.append(momentum * moved[-1] - step * (1 - momentum) * slope)
        place += moved[-1]
    assert {abs(one) for one in moved[1:]} == {step * slope}
    names = {symbol.name: symbol for symbol in step_bound.THEOREM.symbols}
    at = {names["eta"]: sympy.Rational(step), names["G"]: sympy.Rational(slope)}
    assert step_bound.THEOREM.terms["size"].subs(at) == (step * slope) ** 2


@pytest.mark.parametrize("which", THEOREMS)
def test_the_window_of_another_iteration_is_another_one(which: str) -> None:
    """Read with one q, e and e² for every k, the hypotheses would be false of the method."""
    path = run("parabola", 2, STEPS[2])
    theorem, iterates = THEOREMS[which], which == "iterates"
    here, there = (meaning(path, at, 0, iterates) for at in (1, 3))
    names = ("q", "e", "e²")
    mixed = replace(here, sequences={**here.sequences, **{n: there.sequences[n] for n in names}})
    false = []
    for one in theorem.hypotheses:
        if isinstance(one, Hypothesis) and one.name in ("first", "last", "sizes"):
            assert here.of(one.relation.gap, 1) == 0
            if mixed.of(one.relation.gap, 1) != 0:
                false.append(one.name)
    assert false == ["first", "last", "sizes"]
