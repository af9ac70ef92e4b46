"""Update rules that are wrong by one index, one sign or one worker: the listings notice each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, ClassVar, Final, TypeAlias

import pytest

from schedules.methods import Method, OneStepStale, PipeSGD, SAPipe, SAPipeDC, SAPipeWP, State
from schedules.methods.compensation import compensated
from schedules.methods.vectors import Vector, mean
from tests.oracle.methods_machine import Case, Variant, models

T: Final = 5
N: Final = 2
ETA: Final = Fraction(1, 4)
LAMBDA: Final = Fraction(2, 3)
Rounds: TypeAlias = list[list[Any]]


class Fresh(PipeSGD):
    """Applies the gradient of x_{t−1}: an index too new."""

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        return super().step(replace(state, held=(mean(gradients),)), gradients)


class NoPass(PipeSGD):
    """Iteration 1 is not counted."""

    counts_first: ClassVar[bool] = False


class OneWorker(PipeSGD):
    """Forgets all workers but the first."""

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        return super().step(state, [gradients[0]] * self.workers)


class Sum(PipeSGD):
    """Adds the gradients up instead of averaging them."""

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        return super().step(state, [self.workers * g for g in gradients])


class Backwards(SAPipeDC):
    """Δx with the wrong sign."""

    def stale_gradient(self, state: State, stale: Any = None) -> Vector:
        g = self.held_by(state)[0]
        return compensated(g, state.previous - state.model, self.lambda_, self.form)


class TwoBack(SAPipeDC):
    """Δx between x_0 and x_{t−1}: right for t ≤ 2 alone."""

    def following(self, state: State, model: Vector, applied: Any, computed: Any) -> State:
        return replace(super().following(state, model, applied, computed), previous=state.previous)


class Frozen(SAPipeDC):
    """No Δx."""

    def stale_gradient(self, state: State, stale: Any = None) -> Vector:
        return self.held_by(state)[0]


class Counted(SAPipeWP):
    """Round 0 counted as an iteration: all models an index late."""

    counts_first: ClassVar[bool] = True


class OwnModel(SAPipeWP):
    """Predicts x_{t−1}: no prediction."""

    def points(self, state: State, stale: Any = None) -> tuple[Vector, ...]:
        return (state.model,) * self.workers


class Swapped(SAPipeWP):
    """Every worker computes at another one's prediction."""

    def points(self, state: State, stale: Any = None) -> tuple[Vector, ...]:
        return super().points(state, stale)[::-1]


class Latest(SAPipeWP):
    """Reads g_t and g_{i,t} where the listing has g_{t−1} and g_{i,t−1}."""

    def points(self, state: State, stale: Any = None) -> tuple[Vector, ...]:
        if state.held is None or state.applied is None:
            return super().points(state, stale)
        used = state.held if self.option == 3 else (mean(state.held),)
        return super().points(replace(state, applied=used), stale)


class WholeMean(SAPipeWP):
    """Does not take its own part out of g_{t−1}."""

    def points(self, state: State, stale: Any = None) -> tuple[Vector, ...]:
        if state.held is None or state.applied is None:
            return super().points(state, stale)
        g = mean(state.applied)
        weights = [
            compensated(g, state.model - state.previous, self.lambda_, self.form) + own / N
            for own in state.held
        ]
        return tuple(state.model - self.learning_rate * weight for weight in weights)


class Inverted(SAPipe):
    """Fresh where stale is meant."""

    def step(self, state: State, gradients: Sequence[Vector]) -> State:
        assert isinstance(self.stale, tuple)
        turned = SAPipe(self.method, tuple(not each for each in self.stale), self.reading)
        return turned.step(state, gradients)


@dataclass(frozen=True)
class Control:
    """A broken run and the variant that it claims to be."""

    variant: Variant
    method: Method | None = None
    shift: Callable[[Rounds], Rounds] | None = None

    def noticed(self, seed: int) -> bool:
        """Whether the models differ from those of the listing."""
        chance = Random(seed)
        samples = {
            (i, t): Fraction(chance.randint(-8, 8), 8) for i in range(N) for t in range(T + 1)
        }
        x0 = tuple(Fraction(chance.choice((-3, -2, 1, 2, 3)), 4) for _ in range(3))
        case = replace(self.variant.case, x0=x0)
        variant = replace(self.variant, case=case)
        rounds = variant.rounds(samples, samples, T)
        rounds = self.shift(rounds) if self.shift else rounds
        found = models(self.method or variant.method(), case, rounds, object)
        return found != variant.expected(samples, samples, T)


def variant(name: str, option: int = 1, stale: tuple[bool, ...] = ()) -> Variant:
    return Variant(name, Case(N, (), ETA, LAMBDA), stale, "system", option)


def predicting(broken: type[SAPipeWP], option: int) -> OneStepStale:
    return broken(N, ETA, option, LAMBDA if option == 3 else 0)


def later(rounds: Rounds) -> Rounds:
    return [*rounds[1:], rounds[0]]


def turned(rounds: Rounds) -> Rounds:
    return [row[::-1] for row in rounds]


SOME: Final = (True, False, True)
CONTROLS: Final = {
    "a fresh gradient": Control(variant("pipesgd"), Fresh(N, ETA)),
    "no pass": Control(variant("pipesgd"), NoPass(N, ETA)),
    "one worker": Control(variant("pipesgd"), OneWorker(N, ETA)),
    "a sum": Control(variant("pipesgd"), Sum(N, ETA)),
    "the samples an index late": Control(variant("pipesgd"), shift=later),
    "the samples of the other worker": Control(variant("pipesgd"), shift=turned),
    "fresh for stale": Control(variant("pipesgd", stale=SOME), Inverted(PipeSGD(N, ETA), SOME)),
    "everything stale": Control(variant("pipesgd", stale=SOME), SAPipe(PipeSGD(N, ETA), 3)),
    "a prefix too long": Control(
        variant("pipesgd", stale=(True, False, False)), SAPipe(PipeSGD(N, ETA), 2)
    ),
    "Δx backwards": Control(variant("dc"), Backwards(N, ETA, LAMBDA)),
    "Δx from the start": Control(variant("dc"), TwoBack(N, ETA, LAMBDA)),
    "no Δx": Control(variant("dc"), Frozen(N, ETA, LAMBDA)),
    "the diagonal for the matrix": Control(variant("dc"), SAPipeDC(N, ETA, LAMBDA, "diagonal")),
    "Δx of fresh elements": Control(
        variant("dc", stale=SOME), SAPipe(Frozen(N, ETA, LAMBDA), SOME)
    ),
    "another λ": Control(variant("dc"), SAPipeDC(N, ETA, 1)),
    "the samples of DC late": Control(variant("dc"), shift=later),
    **{
        f"{broken.__name__} with option {option}": Control(
            variant("wp", option), predicting(broken, option)
        )
        for broken, options in {
            Counted: (1,),
            OwnModel: (1, 2, 3),
            Swapped: (1, 3),
            Latest: (2, 3),
            WholeMean: (3,),
        }.items()
        for option in options
    },
    **{
        f"option {wrong} for {right}": Control(variant("wp", right), predicting(SAPipeWP, wrong))
        for right in (1, 2, 3)
        for wrong in (1, 2, 3)
        if right != wrong
    },
    **{
        f"the samples of option {option} late": Control(variant("wp", option), shift=later)
        for option in (1, 2, 3)
    },
}


@pytest.mark.parametrize("name", CONTROLS)
def test_the_listings_notice(name: str) -> None:
    assert all(CONTROLS[name].noticed(seed) for seed in range(3))


@pytest.mark.parametrize("name", ["pipesgd", "dc", "wp"])
@pytest.mark.parametrize("option", [1, 2, 3])
@pytest.mark.parametrize("stale", [(), SOME], ids=["all", "some"])
def test_the_rules_themselves_pass(name: str, option: int, stale: tuple[bool, ...]) -> None:
    right = Control(variant(name, option, stale))
    assert not any(right.noticed(seed) for seed in range(3))
