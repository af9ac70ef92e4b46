"""SAPipe on one noisy parabola, for long runs and many workers: everything is linear in the noise.

Worker i's gradient at y is a·y + b + ξ with ξ = ±σ drawn anew each time. Nothing is enumerated: the
model and the gradient of any one worker are linear forms in all draws, whose coefficients follow
the recursion of the method. By symmetry the draws of all other workers weigh alike. From the forms
second moments are sums of squares, and suprema over all samplings sums of absolute values.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from schedules.methods import Vector, run
from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.scalars import Piecewise
from theory.papers.sapipe.runs.fleets import Fleet
from theory.papers.sapipe.runs.pipelines import Course, Pipeline
from theory.papers.sapipe.runs.replays import shared_rule

_ZERO = Fraction(0)


@dataclass(frozen=True)
class Form:
    """A number without noise, and the weights of a draw: one's own, and any other worker's.

    Entry s of a tuple belongs to the s-th drawing of all workers; later ones weigh nothing.
    """

    steady: Fraction
    own: tuple[Fraction, ...] = ()
    other: tuple[Fraction, ...] = ()

    def plus(self, factor: Fraction, more: "Form") -> "Form":
        """The sum with factor · more."""
        return Form(
            self.steady + factor * more.steady,
            _added(self.own, factor, more.own),
            _added(self.other, factor, more.other),
        )

    def times(self, factor: Fraction) -> "Form":
        """The product with a factor."""
        return Form(_ZERO).plus(factor, self)

    def averaged(self, n: int) -> "Form":
        """The mean over all workers of forms like this one."""
        weights = tuple(
            (own + (n - 1) * other) / n for own, other in zip(self.own, self.other, strict=True)
        )
        return Form(self.steady, weights, weights)

    def drawn(self, s: int) -> "Form":
        """Plus one's own draw s."""
        padding = (_ZERO,) * (s - len(self.own))
        return Form(self.steady, (*self.own, *padding, Fraction(1)), (*self.other, *padding, _ZERO))

    def mean_square(self, n: int, sigma: Fraction) -> Fraction:
        """Its second moment."""
        squares = sum((own**2 for own in self.own), _ZERO)
        squares += (n - 1) * sum((other**2 for other in self.other), _ZERO)
        return self.steady**2 + sigma**2 * squares

    def greatest_square(self, n: int, sigma: Fraction) -> Fraction:
        """The supremum of its square over all draws."""
        sizes = sum((abs(own) for own in self.own), _ZERO)
        sizes += (n - 1) * sum((abs(other) for other in self.other), _ZERO)
        return (abs(self.steady) + sigma * sizes) ** 2


def follow_forms(problem: Fleet, method: Pipeline) -> Course:
    """The course of a run of PipeSGD, distributed SGD, or SAPipe-WP with option 1 or 2.

    Raises
    ------
    RejectedInstanceError
        No such problem, or another method.

    Examples
    --------
    >>> from theory.papers.sapipe.runs.fleets import fleet
    >>> from theory.papers.sapipe.runs.pipelines import follow_pipeline
    >>> from theory.falsifier.scalars import quadratic
    >>> noisy = fleet("noisy", [[[quadratic(1, tilt=b)] for b in (-2, 2)]] * 2, [1])
    >>> method = Pipeline("wp-1", 2, 3, Fraction(1, 2))
    >>> follow_forms(noisy, method) == follow_pipeline(noisy, method)
    True
    """
    bend, middle, sigma = noisy_parabola(problem, method)
    n, eta = method.n, method.eta
    x = Form(problem.start[0])
    drawings = 0
    moments: list[Fraction] = []

    def computed(point: Form) -> Form:
        nonlocal drawings
        g = Form(point.steady * bend + middle).plus(bend, Form(_ZERO, point.own, point.other))
        g = g.drawn(drawings)
        drawings += 1
        moments.append(g.greatest_square(n, sigma))
        return g

    at_once = method.kappa == 0
    held = None if at_once or not (method.predicts or method.rest) else computed(x)
    applied: Form | None = None
    found = []
    for _ in range(method.T):
        slope = Form(middle).plus(bend, x)
        found.append(slope.mean_square(n, sigma))
        if at_once:
            x = x.plus(-eta, computed(x).averaged(n))
            continue
        tilde = _predicted(method, held, applied)
        ahead = computed(x if tilde is None else x.plus(-eta, tilde))
        if held is not None:
            applied = held.averaged(n)
            x = x.plus(-eta, applied)
        held = ahead
    return Course(tuple(found), sigma**2, max(moments))


def superposed(problem: Fleet, method: Pipeline) -> Course:
    """The same by the shared update rules: a run without noise, and one for every single draw."""
    bend, middle, sigma = noisy_parabola(problem, method)
    n, T = method.n, method.T
    drawings = T + 1 if method.kappa and (method.predicts or method.rest) else T
    steady = _pushed(problem, method, drawings)
    every = list(product(range(drawings), range(n)))
    others = [_pushed(problem, method, drawings, *push) for push in every]
    found = []
    for t, x in enumerate(steady.models):
        spread = sum(((one.models[t] - x) ** 2 for one in others), _ZERO)
        found.append((bend * x + middle) ** 2 + (bend * sigma) ** 2 * spread)
    sizes = [
        abs(g) + sigma * sum((abs(one.gradients[k] - g) for one in others), _ZERO)
        for k, g in enumerate(steady.gradients)
    ]
    return Course(tuple(found), sigma**2, max(sizes) ** 2)


@dataclass(frozen=True)
class _Pushed:
    """A run of given draws: x_0 … x_{T−1}, and all gradients in the order of their computation."""

    models: tuple[Fraction, ...]
    gradients: tuple[Fraction, ...]


def _pushed(
    problem: Fleet, method: Pipeline, drawings: int, at: int = -1, worker: int = 0
) -> _Pushed:
    """The run without noise, but that one worker's draw in one drawing is 1."""
    bend, middle, _ = noisy_parabola(problem, method)
    n, gradients = method.n, list[Fraction]()

    def gradient(x: Vector, i: int, draw: int) -> Vector:
        slope = x * bend + middle + draw
        gradients.append(slope[0])
        return slope

    rounds = [[int(s == at and i == worker) for i in range(n)] for s in range(drawings)]
    model = np.array(problem.start, dtype=object)
    held = None
    if method.rest and method.kappa and not method.predicts:
        held = [gradient(model, i, draw) for i, draw in enumerate(rounds.pop(0))]
    states = run(shared_rule(method, (True,)), model, gradient, rounds, held)
    models = {state.t: state.model[0] for state in states}
    return _Pushed(tuple(models[t] for t in range(method.T)), tuple(gradients))


def noisy_parabola(problem: Fleet, method: Pipeline) -> tuple[Fraction, Fraction, Fraction]:
    """Slope a and tilt b of F' = a·x + b, and the size σ of the noise, after the checks.

    Raises
    ------
    RejectedInstanceError
        Not one parabola with noise ±σ that all workers share, or another method.
    """
    shares = problem.owned(method.n)
    parts = [parts[0] for parts in shares[0]]
    lines = [part for part in parts if isinstance(part, Piecewise) and len(part.knots) == 1]
    same = all(share == shares[0] for share in shares) and len(problem.start) == 1
    ok = same and len(lines) == len(parts) == 2 and method.kappa in (0, 1) and not method.layers
    bends = {bend for line in lines for bend in (line.left, line.right)}
    if not ok or len(bends) != 1 or method.kind not in ("vanilla", "wp-1", "wp-2"):
        raise RejectedInstanceError(
            "linear forms need one parabola with noise ±σ, κ = 0 or 1, and a linear method",
            "falsifier",
            "take the engine `tree`",
        )
    low, high = sorted(line.derivative(_ZERO) for line in lines)
    return bends.pop(), (low + high) / 2, (high - low) / 2


def _added(
    first: tuple[Fraction, ...], factor: Fraction, second: tuple[Fraction, ...]
) -> tuple[Fraction, ...]:
    """The sum of the first and factor · the second, the shorter one padded."""
    length = max(len(first), len(second))
    padded = (*first, *[_ZERO] * (length - len(first)))
    return (*(a + factor * b for a, b in zip(padded, second, strict=False)), *padded[len(second) :])


def _predicted(method: Pipeline, held: Form | None, applied: Form | None) -> Form | None:
    """g̃ of a worker; None where gradients are computed at the model."""
    if not method.predicts:
        return None
    return held if method.kind == "wp-1" else applied
