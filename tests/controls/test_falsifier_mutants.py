"""A mistake in either of two implementations of a method makes them disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tests.challenges import CHALLENGES
from theory.falsifier import falsify
from theory.falsifier.errors import DisagreementError
from theory.falsifier.model import Instance
from theory.falsifier.problem import Problem, Vector
from theory.falsifier.zoo import LOCAL, LONG_LOCAL, QUADRATICS
from theory.papers.localsgd.runs import replica_moments, replicas
from theory.papers.localsgd.runs.paths import walk_replicas
from theory.papers.localsgd.runs.replica_moments import geometric_totals, unrolled_totals
from theory.papers.localsgd.runs.replicas import Local, follow_replicas
from theory.papers.rpd.runs import chain, moments, paths
from theory.papers.rpd.runs.chain import Method, follow
from theory.papers.rpd.runs.delays import Window, rule
from theory.papers.rpd.runs.paths import walk
from theory.papers.rpd.symbols import G, gamma, tau

PROBLEM = QUADRATICS[2](2)
LONG = Method(4, 0, Fraction(1, 2), Fraction(0), rule("zero", PROBLEM, 0))
METHOD = Method(3, 1, Fraction(1, 3), Fraction(1, 2), rule("max", PROBLEM, 1))
LOCAL_PROBLEM = LOCAL[6](2, 1)
LOCAL_METHOD = Local(2, 3, 2, Fraction(1, 3))


def _moved_by_p(problem: Problem, step: Fraction, x: Vector, read: Vector) -> Iterator[Any]:
    """Steps of γ/p, as if the 1/p of the sampling were in the update."""
    return _MOVES(problem, step / problem.p, x, read)


def _all_blocks(problem: Problem, step: Fraction, x: Vector, read: Vector) -> Iterator[Any]:
    """Every draw moves all blocks."""
    for m in range(len(problem.components)):
        slopes = problem.component_gradient(m, read)
        moved = tuple(a - step * g for a, g in zip(x, slopes, strict=True))
        for _ in range(problem.p):
            yield moved, max(g * g for g in slopes)


def _one_component(problem: Problem, step: Fraction, x: Vector, read: Vector) -> Iterator[Any]:
    """The first component is always drawn."""
    first = list(_MOVES(problem, step, x, read))[: problem.p]
    return iter(first * len(problem.components))


def _fresh(found: tuple[int, ...], k: int, tau: int) -> tuple[int, ...]:
    """No delays."""
    return (0,) * len(found)


def _one_later(found: tuple[int, ...], k: int, tau: int) -> tuple[int, ...]:
    """Delays less one."""
    return tuple(max(d - 1, 0) for d in found)


def _backwards(problem: Problem, past: Window, found: tuple[int, ...], beta: Fraction) -> Vector:
    """Extrapolation in the wrong direction."""
    return _EXTRAPOLATED(problem, past, found, -beta)


def _lost(states: list[tuple[Window, Any]]) -> list[tuple[Window, Any]]:
    """Merging forgets weights."""
    return list(dict(states).items())


_MOVES, _EXTRAPOLATED = chain.moves, chain.extrapolated

MUTANTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "steps of γ/p": ("moves", _moved_by_p),
    "all blocks move": ("moves", _all_blocks),
    "one component only": ("moves", _one_component),
    "no delays": ("checked", _fresh),
    "delays less one": ("checked", _one_later),
    "extrapolation backwards": ("extrapolated", _backwards),
    "weights lost in merging": ("_merged", _lost),
    "too short a past": ("shortened", lambda past, tau, beta: past[-1:]),
}


def test_unchanged_they_agree() -> None:
    assert follow(PROBLEM, METHOD) == walk(PROBLEM, METHOD)
    assert follow(PROBLEM, LONG) == walk(PROBLEM, LONG)
    one = follow_replicas(LOCAL_PROBLEM, LOCAL_METHOD)
    assert one == walk_replicas(LOCAL_PROBLEM, LOCAL_METHOD)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_changed_chain_disagrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    attribute, mutant = MUTANTS[name]
    monkeypatch.setattr(chain, attribute, mutant)
    try:
        found = [follow(PROBLEM, method) for method in (METHOD, LONG)]
    except IndexError:  # a past that is too short cannot be read
        return
    assert found != [walk(PROBLEM, method) for method in (METHOD, LONG)]


def test_changed_paths_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    read = paths._read
    monkeypatch.setattr(
        paths, "_read", lambda problem, method, history: read(problem, method, history[:1])
    )
    assert follow(PROBLEM, METHOD) != walk(PROBLEM, METHOD)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: replace(m, gamma=m.gamma / 2),
        lambda m: replace(m, H=m.H + 1),
        lambda m: replace(m, H=1),
    ],
    ids=["half the step", "a later average", "always averaged"],
)
def test_changed_replicas_disagree(change: Callable[[Local], Local]) -> None:
    found = follow_replicas(LOCAL_PROBLEM, change(LOCAL_METHOD))
    assert found != walk_replicas(LOCAL_PROBLEM, LOCAL_METHOD)


def test_a_mean_of_the_first_replica_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicas, "mean_point", lambda points: points[0])
    found = follow_replicas(LOCAL_PROBLEM, LOCAL_METHOD)
    assert found != walk_replicas(LOCAL_PROBLEM, LOCAL_METHOD)


def test_a_changed_geometric_sum_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, method = LONG_LOCAL[1](2, 1), Local(2, 6, 3, Fraction(1, 2))
    assert geometric_totals(problem, method) == unrolled_totals(problem, method)
    plain = replica_moments._geometric
    monkeypatch.setattr(replica_moments, "_geometric", lambda q, terms: plain(q, terms + 1))
    assert geometric_totals(problem, method) != unrolled_totals(problem, method)


def test_a_changed_moment_recursion_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    method = replace(METHOD, tau=0, beta=Fraction(0), reads=rule("zero", PROBLEM, 0))
    assert moments.follow_moments(PROBLEM, method) == follow(PROBLEM, method)
    plain = moments._coordinate
    monkeypatch.setattr(
        moments, "_coordinate", lambda slopes, start, how, p: plain(slopes, start, how, 1)
    )
    assert moments.follow_moments(PROBLEM, method) != follow(PROBLEM, method)


def test_a_violation_that_does_not_replay_is_an_error() -> None:
    """A wrong measurement never becomes a witness."""
    challenge = CHALLENGES["rpd-drift-pathwise-squared"]

    def doubled(one: Instance) -> Fraction:
        found = challenge.measure(one)
        return found * 2 if isinstance(found, Fraction) else Fraction(0)

    with pytest.raises(DisagreementError, match="two methods measure"):
        falsify(replace(challenge, measure=doubled), (gamma * tau * G) ** 2)
