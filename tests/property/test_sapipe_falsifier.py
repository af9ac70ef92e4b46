"""Runs of SAPipe: two methods agree, laws hold, and the constants bound what they should."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from theory.falsifier.problem import square
from theory.falsifier.scalars import Piecewise, quadratic
from theory.papers.sapipe.runs.challenges import (
    CURVED,
    LAYERED,
    NOISY,
    QUIET,
    ROUNDED,
    ROUNDED_NOISY,
)
from theory.papers.sapipe.runs.fleets import (
    Fleet,
    diversity,
    fleet,
    gradients,
    hessian_error,
    taylor_remainder,
)
from theory.papers.sapipe.runs.moments import follow_forms, superposed
from theory.papers.sapipe.runs.parts import Lifted, Shape
from theory.papers.sapipe.runs.pipelines import KINDS, Pipeline, follow_pipeline, mean
from theory.papers.sapipe.runs.replays import replay_pipeline

SMOOTH = (*ROUNDED, *ROUNDED_NOISY, *CURVED)
EVERY = (*QUIET, *NOISY, *LAYERED, *SMOOTH)
kinds = st.sampled_from(KINDS)
steps = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(1, 8)])
shares = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1, 3), Fraction(1)])
weights = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(3)])
points = st.fractions(min_value=-4, max_value=4, max_denominator=16)


@st.composite
def small_runs(draw: st.DrawFn) -> tuple[Fleet, Pipeline]:
    n = draw(st.integers(1, 2))
    problem = draw(st.sampled_from(EVERY))(n)
    noisy = len(problem.components) > n
    long = problem.name.startswith(("x²", "rounded", "noisy rounded")) or noisy
    T = draw(st.integers(1, 2 if long else 4))
    eta = draw(steps) / problem.smoothness
    method = Pipeline(draw(kinds), n, T, eta, draw(shares), draw(weights))
    method = replace(method, own=draw(st.booleans()), rest=draw(st.booleans()))
    if len(problem.start) == 2 and method.kappa == Fraction(1, 2):
        method = replace(method, layers=draw(st.booleans()))
    return problem, method


@settings(max_examples=60)
@given(small_runs())
def test_the_law_equals_that_of_the_shared_rules(run: tuple[Fleet, Pipeline]) -> None:
    problem, method = run
    if method.predicts:
        method = replace(method, rest=False)
    assert follow_pipeline(problem, method) == replay_pipeline(problem, method)


@settings(max_examples=25)
@given(
    st.sampled_from(["vanilla", "wp-1", "wp-2"]),
    st.integers(1, 2),
    st.integers(1, 3),
    steps,
    st.sampled_from([Fraction(0), Fraction(1)]),
    st.booleans(),
    points,
)
def test_linear_forms_equal_the_law_and_superposed_runs(
    kind: str, n: int, T: int, eta: Fraction, kappa: Fraction, rest: bool, start: Fraction
) -> None:
    noisy = [[quadratic(1, centre=1, tilt=b)] for b in (-2, 1)]
    problem = fleet("noisy parabola off its centre", [noisy] * n, [start])
    method = Pipeline(kind, n, T, eta, kappa, rest=rest and kind == "vanilla")
    course = follow_forms(problem, method)
    assert course == follow_pipeline(problem, method)
    assert course == superposed(problem, method)


@settings(max_examples=25)
@given(st.sampled_from(QUIET), st.integers(1, 3), steps)
def test_without_stale_elements_all_methods_are_distributed_sgd(
    make: object, n: int, step: Fraction
) -> None:
    problem = make(n)  # type: ignore[operator]
    runs = [
        follow_pipeline(problem, Pipeline(kind, n, 4, step / problem.smoothness, Fraction(0)))
        for kind in KINDS
    ]
    assert all(run == runs[0] for run in runs)


@settings(max_examples=25)
@given(st.sampled_from(QUIET), steps)
def test_one_worker_predicts_perfectly(make: object, step: Fraction) -> None:
    """Options 1 and 3 with n = 1 are SGD."""
    problem = make(1)  # type: ignore[operator]
    method = Pipeline("wp-1", 1, 6, step / problem.smoothness)
    sgd = follow_pipeline(problem, replace(method, kind="vanilla", kappa=Fraction(0)))
    for kind in ("wp-1", "wp-3"):
        predicted = follow_pipeline(problem, replace(method, kind=kind, weight=Fraction(1, 2)))
        assert predicted.gradients == sgd.gradients


@settings(max_examples=25)
@given(st.sampled_from(QUIET[:6]), st.sampled_from(KINDS), shares)
def test_without_noise_it_does_not_matter_whose_samples_they_are(
    make: object, kind: str, kappa: Fraction
) -> None:
    problem = make(1)  # type: ignore[operator]
    method = Pipeline(kind, 1, 4, Fraction(1, 2) / problem.smoothness, kappa)
    assert follow_pipeline(problem, method) == follow_pipeline(problem, replace(method, own=False))


@settings(max_examples=25)
@given(st.sampled_from(QUIET[:5]), st.integers(2, 4), steps, weights)
def test_with_equal_data_and_no_noise_option_3_tends_to_option_2(
    make: object, n: int, step: Fraction, weight: Fraction
) -> None:
    """x̃ of option 3 differs by the n-th part of g_t − g_{t−1}, and by the compensation."""
    problem = make(1)  # type: ignore[operator]
    eta = step / problem.smoothness
    two = follow_pipeline(problem, Pipeline("wp-2", n, 3, eta))
    three = follow_pipeline(problem, Pipeline("wp-3", n, 3, eta, Fraction(1), weight))
    assert two.gradients[:2] == three.gradients[:2]


@settings(max_examples=60)
@given(st.sampled_from(EVERY), st.integers(1, 3), points, points)
def test_the_smoothness_constant_holds(make: object, n: int, x: Fraction, y: Fraction) -> None:
    problem = make(n)  # type: ignore[operator]
    d = len(problem.start)
    one, other = (x,) * d, (y, *(x,) * (d - 1))
    for parts in problem.components:
        slopes = [gradients([parts], at)[0] for at in (one, other)]
        moved = square(a - b for a, b in zip(*slopes, strict=True))
        assert moved <= problem.smoothness**2 * (x - y) ** 2


@settings(max_examples=60)
@given(st.sampled_from(EVERY), st.integers(1, 3), points, points)
def test_diversity_holds_at_every_point(make: object, n: int, x: Fraction, y: Fraction) -> None:
    problem = make(n)  # type: ignore[operator]
    rho = diversity(problem, n)
    if rho is None:
        return
    point = (x, *(y,) * (len(problem.start) - 1))
    slopes = [mean(gradients(share, point)) for share in problem.owned(n)]
    total = [sum(column, Fraction(0)) for column in zip(*slopes, strict=True)]
    assert sum((square(g) for g in slopes), Fraction(0)) <= rho * square(total)


@settings(max_examples=60)
@given(st.sampled_from(EVERY), st.integers(1, 3), points)
def test_the_least_value_is_a_value_and_none_is_less(make: object, n: int, x: Fraction) -> None:
    problem = make(n)  # type: ignore[operator]
    least, part = problem.minimum, problem.parts[0]
    if least is None:
        return
    zeros = part.zeros() if isinstance(part, Piecewise) else [part.centre]
    zeros = [*zeros, *(part.knots if isinstance(part, Piecewise) else ())]
    rest = [Fraction(0)] * (len(problem.start) - 1)
    assert problem.value((x, *rest)) >= least == problem.value((min(zeros, key=part.value), *rest))
    # and F's slope is that of its values: |F(x) − F(0) − ∇F(0)x| ≤ L x²/2
    at_zero = (Fraction(0), *rest)
    away = problem.value((x, *rest)) - problem.value(at_zero) - problem.gradient(at_zero)[0] * x
    assert abs(away) <= problem.smoothness * x * x / 2


def second(part: Lifted, x: Fraction) -> Fraction:
    """The second derivative, written down again."""
    shape, y = part.shape, x - part.centre
    if shape.kind == "bell":
        return part.factor * (2 - 6 * y**2) / (1 + y**2) ** 3
    beyond = min(max(abs(y) - shape.width, Fraction(0)), shape.fall)
    return part.factor * (1 - beyond / shape.fall)


@settings(max_examples=120)
@given(st.sampled_from(SMOOTH), st.integers(1, 3), points, points)
def test_assumption_4_holds_at_every_point(make: object, n: int, x: Fraction, y: Fraction) -> None:
    """In one dimension: ‖g gᵀ − ∇²f‖ = |g² − f''|. In more, on a diagonal."""
    problem = make(n)  # type: ignore[operator]
    M, Delta = taylor_remainder(problem), hessian_error(problem)
    assert M is not None
    assert Delta is not None
    for parts in problem.components:
        lifted = [part for part in parts if isinstance(part, Lifted)]
        g, h = [
            [f(part) for part in lifted]
            for f in (lambda p: p.derivative(x), lambda p: second(p, x))
        ]
        rest = [
            part.derivative(y) - slope - bend * (y - x)
            for part, slope, bend in zip(lifted, g, h, strict=True)
        ]
        assert square(rest) <= (M * len(lifted) * (y - x) ** 2) ** 2
        if len(lifted) == 1:
            assert abs(g[0] ** 2 - h[0]) <= Delta
        assert square(g) - min(h) <= Delta or len(lifted) > 1


@settings(max_examples=60)
@given(st.sampled_from(SMOOTH), points, points)
def test_values_are_integrals_of_derivatives(make: object, x: Fraction, y: Fraction) -> None:
    """|f(y) − f(x) − (y−x)(f'(x)+f'(y))/2| ≤ (sup|f'''|/12)|y−x|³, sup|f'''| ≤ 2M."""
    problem = make(1)  # type: ignore[operator]
    for part in problem.components[0]:
        assert isinstance(part, Lifted)
        trapezium = (y - x) * (part.derivative(x) + part.derivative(y)) / 2
        away = part.value(y) - part.value(x) - trapezium
        assert abs(away) <= part.remainder * abs(y - x) ** 3 / 6


@settings(max_examples=30)
@given(points, st.sampled_from([Shape("bell"), Shape("rounded", Fraction(1), Fraction(2))]))
def test_shapes_are_even_with_their_least_value_in_the_middle(x: Fraction, shape: Shape) -> None:
    assert shape.value(x) == shape.value(-x)
    assert shape.derivative(x) == -shape.derivative(-x)
    assert shape.value(x) >= 0 == shape.value(Fraction(0))
    assert abs(shape.derivative(x)) <= shape.steepest
