"""SAPipe exactly: the joint law of model, held and applied gradients, iteration by iteration.

All samples of all workers and all choices of stale elements are followed; states that agree are
merged. A state is (x, x of the iteration before, held gradients, applied gradients), with None for
what the method does not read: a run has the same future from equal states.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.problem import Vector, square
from theory.papers.sapipe.runs.fleets import Fleet, Gradients, gradients

KINDS = ("vanilla", "dc", "wp-1", "wp-2", "wp-3")
State = tuple[Vector, Vector | None, Gradients | None, Gradients | None]
Mask = tuple[bool, ...]
MOST_STATES = 4_000
"""A run with more is refused."""


@dataclass(frozen=True)
class Pipeline:
    """A method of SAPipe with its parameters.

    Attributes
    ----------
    kind : str
        ``vanilla``, ``dc``, ``wp-1``, ``wp-2`` or ``wp-3``.
    n, T : int
        Workers, iterations.
    eta, kappa, weight : Fraction
        Learning rate, share of stale elements, λ.
    own : bool
        Whether stale elements have samples of their own; else every sample serves the fresh
        elements of one iteration and the stale ones of the next.
    rest : bool
        Whether a run of ``vanilla`` or ``dc`` begins with gradients at x_0 ("at rest"); else stale
        elements pass in its first iteration, as printed.
    layers : bool
        Whether the first κd elements are stale throughout; else elements are drawn anew in every
        iteration, each with probability κ (Assumption 5).
    """

    kind: str
    n: int
    T: int
    eta: Fraction
    kappa: Fraction = Fraction(1)
    weight: Fraction = Fraction(0)
    own: bool = True
    rest: bool = False
    layers: bool = False

    @property
    def predicts(self) -> bool:
        """Whether gradients are taken at predicted weights, and kept worker by worker."""
        return self.kind.startswith("wp")


@dataclass(frozen=True)
class Course:
    """Exact expectations and suprema of a run.

    Attributes
    ----------
    gradients : tuple, length T
        E‖∇F(x_{t−1})‖², t = 1 … T.
    variance, moment : Fraction
        The least V₁ and V₂ that hold for every stochastic gradient that any sampling computes.
    """

    gradients: tuple[Fraction, ...]
    variance: Fraction
    moment: Fraction


def follow_pipeline(problem: Fleet, method: Pipeline) -> Course:
    """Follow all samplings of a run.

    Raises
    ------
    RejectedInstanceError
        There are too many.

    Examples
    --------
    With L η = 1 a stale parabola goes round with period 6:

    >>> from theory.papers.sapipe.runs.fleets import fleet
    >>> from theory.falsifier.scalars import quadratic
    >>> parabola = fleet("parabola", [[[quadratic(1)]]], [1])
    >>> run = follow_pipeline(parabola, Pipeline("vanilla", 1, 7, Fraction(1)))
    >>> [str(square) for square in run.gradients]
    ['1', '1', '0', '1', '1', '0', '1']
    """
    following = _Run(problem, method)
    law, found = following.start(), []
    for _ in range(method.T):
        squares = (p * square(problem.gradient(state[0])) for state, p in law.items())
        found.append(sum(squares, _ZERO))
        law = following.step(law)
    return Course(tuple(found), following.variance, following.moment)


_ZERO = Fraction(0)
_ONE = Fraction(1)
Law = dict[State, Fraction]
Pairs = dict[tuple[Any, Any], Fraction]
"""The joint law of (fresh gradients, gradients for the next iteration)."""


class _Run:
    """One run: the laws of its gradients, and the suprema so far."""

    def __init__(self, problem: Fleet, method: Pipeline) -> None:
        self.problem, self.method = problem, method
        self.shares = problem.owned(method.n)
        self.variance = self.moment = _ZERO
        self._known: dict[tuple[int, Vector], Gradients] = {}
        self._index = {share: i for i, share in enumerate(self.shares)}
        self.masks = dict(masks(method, len(problem.start)))
        self._fresh = any(not all(mask) for mask in self.masks)
        self._stale = any(map(any, self.masks))

    def start(self) -> Law:
        """The law before iteration 1."""
        x, method = self.problem.start, self.method
        before = x if method.kind in ("dc", "wp-3") else None
        if not self._stale or not (method.predicts or method.rest):
            return {(x, before, None, None): _ONE}
        ahead = self._pairs(x, (x,) * method.n, fresh=False)
        return {(x, before, held, None): weight for (_, held), weight in ahead.items()}

    def step(self, law: Law) -> Law:
        """The law after one more iteration."""
        after: Law = {}
        for state, weight in law.items():
            for following, chance in self._following(state):
                after[following] = after.get(following, _ZERO) + weight * chance
            if len(after) > MOST_STATES:
                raise RejectedInstanceError(
                    f"a run has at most {MOST_STATES} states, found {len(after)}",
                    "falsifier",
                    "take fewer iterations, workers or samples",
                )
        return after

    def _following(self, state: State) -> Iterator[tuple[State, Fraction]]:
        x, before, held, _ = state
        stale = self._stale_gradient(state)
        drawn = self._pairs(x, self._points(state), self._fresh)
        for ((fresh, ahead), share), (mask, chance) in product(drawn.items(), self.masks.items()):
            g = stale if fresh is None else _mixed(mask, stale, mean(fresh))
            moved = tuple(a - self.method.eta * b for a, b in zip(x, g, strict=True))
            applied = self._applied(mask, held, fresh)
            yield (moved, None if before is None else x, ahead, applied), share * chance

    def _points(self, state: State) -> tuple[Vector, ...]:
        """Where the gradients for the next iteration are computed."""
        x, _, held, _ = state
        method = self.method
        if not method.predicts or held is None:
            return (x,) * method.n
        return tuple(
            tuple(a - method.eta * b for a, b in zip(x, self._predicted(state, i), strict=True))
            for i in range(method.n)
        )

    def _predicted(self, state: State, i: int) -> Vector:
        """g̃_{i,t}."""
        x, before, held, applied = state
        assert held is not None
        if self.method.kind == "wp-1":
            return held[i]
        if self.method.kind == "wp-2":
            return applied[0] if applied else (_ZERO,) * len(x)
        n = self.method.n
        mine = tuple(entry / n for entry in held[i])
        if not applied:
            return mine
        others = tuple(
            (sum(column, _ZERO) - column[i]) / n for column in zip(*applied, strict=True)
        )
        moved = self._compensated(others, x, before)
        return tuple(a + b for a, b in zip(moved, mine, strict=True))

    def _stale_gradient(self, state: State) -> Vector:
        """What stale elements are moved by: nothing while they pass."""
        x, before, held, _ = state
        if held is None:
            return (_ZERO,) * len(x)
        g = mean(held)
        return self._compensated(g, x, before) if self.method.kind == "dc" else g

    def _compensated(self, g: Vector, x: Vector, before: Vector | None) -> Vector:
        assert before is not None
        along = sum((a * (b - c) for a, b, c in zip(g, x, before, strict=True)), _ZERO)
        return tuple(entry * (1 + self.method.weight * along) for entry in g)

    def _applied(
        self, mask: Mask, held: Gradients | None, fresh: Gradients | None
    ) -> Gradients | None:
        """What the next prediction reads of this update."""
        if self.method.kind not in ("wp-2", "wp-3") or held is None:
            return None
        each = (
            held
            if fresh is None
            else tuple(_mixed(mask, old, now) for old, now in zip(held, fresh, strict=True))
        )
        return (mean(each),) if self.method.kind == "wp-2" else each

    def _pairs(self, x: Vector, points: tuple[Vector, ...], fresh: bool) -> Pairs:
        """Fresh gradients at x and those for the next iteration at `points`, over all samples."""
        law: Pairs = {((), ()): _ONE}
        for i, point in enumerate(points):
            now = self._gradients(i, x) if fresh else (None,)
            ahead = self._gradients(i, point) if self._stale else (None,)
            joint = list(
                product(now, ahead)
                if self.method.own or None in (now[0], ahead[0])
                else zip(now, ahead, strict=True)
            )
            wider: Pairs = {}
            for (one, two), weight in law.items():
                for first, second in joint:
                    key = (self._joined(one, first), self._joined(two, second))
                    wider[key] = wider.get(key, _ZERO) + weight / len(joint)
            law = wider
        return {
            (self._closed(one), self._closed(two)): weight for (one, two), weight in law.items()
        }

    def _joined(self, so_far: Any, entry: Vector | None) -> Any:
        """Workers' gradients side by side, or only their sum."""
        if entry is None:
            return None
        if self.method.predicts:
            return (*so_far, entry)
        return tuple(a + b for a, b in zip(so_far, entry, strict=True)) if so_far else entry

    def _closed(self, entry: Any) -> Gradients | None:
        """As a tuple of gradients: of all workers, or of their mean alone."""
        if entry is None or self.method.predicts:
            return None if entry is None else tuple(entry)
        return (tuple(total / self.method.n for total in entry),)

    def _gradients(self, i: int, x: Vector) -> Gradients:
        """The gradients of worker i at x; their variance and norms count."""
        key = (self._index[self.shares[i]], x)
        if key not in self._known:
            found = self._known[key] = gradients(self.shares[i], x)
            middle = mean(found)
            self.moment = max(self.moment, *(square(g) for g in found))
            spread = (square(a - b for a, b in zip(g, middle, strict=True)) for g in found)
            self.variance = max(self.variance, sum(spread, _ZERO) / len(found))
        return self._known[key]


def masks(method: Pipeline, d: int) -> Iterator[tuple[Mask, Fraction]]:
    """Which elements are stale, with probabilities."""
    kappa = method.kappa
    if method.layers:
        stale = int(kappa * d)
        yield (True,) * stale + (False,) * (d - stale), _ONE
        return
    for mask in product((True, False), repeat=d):
        chance = _ONE
        for stale_one in mask:
            chance *= kappa if stale_one else 1 - kappa
        if chance:
            yield mask, chance


def mean(vectors: Gradients) -> Vector:
    """The mean of vectors.

    Examples
    --------
    >>> mean(((Fraction(1), Fraction(0)), (Fraction(3), Fraction(1))))
    (Fraction(2, 1), Fraction(1, 2))
    """
    if len(vectors) == 1:
        return vectors[0]
    return tuple(sum(column, _ZERO) / len(vectors) for column in zip(*vectors, strict=True))


def _mixed(mask: Mask, stale: Vector, fresh: Vector) -> Vector:
    return tuple(a if old else b for old, a, b in zip(mask, stale, fresh, strict=True))
