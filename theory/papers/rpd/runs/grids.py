"""Which instances are tried: every function with many sizes, stepsizes and delay rules.

A quick search takes a rotating sample of the combinations, the same one every time; a deep search
takes more of them, and longer runs.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from theory.falsifier.problem import Problem
from theory.falsifier.zoo import LINES, LONG, Maker
from theory.papers.rpd.runs.adversary import MOST_PLANS, plans
from theory.papers.rpd.runs.blocks import Setting
from theory.papers.rpd.runs.delays import pipedream_delays

STEPS = tuple(Fraction(n, d) for n, d in ((1, 1), (4, 1), (1, 2), (2, 1), (1, 8)))
"""Stepsizes as multiples of 1/L."""
RULES = ("max", "farthest", "by-block", "alternating")
MOST_SAMPLINGS = {False: 80, True: 1_000}
"""Samplings of a run, by whether the search is deep."""
KEPT = {False: 1, True: 6}
"""Stepsizes and delay rules tried for one function and size."""


def settings(makers: Sequence[Maker], deep: bool, betas: Sequence[Fraction]) -> Iterator[Setting]:
    """RPD, or NAG-RPD where some β > 0: every function with p ≤ 4, τ ≤ 4 and small K."""
    turn = 0
    sizes = product(enumerate(product(range(5), (1, 2, 3, 4))), enumerate(makers))
    for (row, (tau, p)), (column, make) in sizes:
        if not deep and (row + column) % 2 and make not in LINES:
            continue
        problem = make(p)
        shorter = (row // 2 + column) % 2 == 0 and make not in LINES
        K = _updates(problem, tau, deep, shorter)
        if tau >= K:
            continue
        # On lines the stepsize only scales; delays and β are what matters there.
        steps, kept = (STEPS[:1], 3) if make in LINES else (STEPS, KEPT[deep])
        choices = [
            Setting(problem, K, tau, step / (problem.smoothness or 1), beta, name)
            for step, name, beta in product(steps, _rules(problem, K, tau), betas)
        ]
        for _ in range(min(kept, len(choices))):
            turn += 7
            yield choices[turn % len(choices)]


def lone_settings(makers: Sequence[Maker], betas: Sequence[Fraction]) -> Iterator[Setting]:
    """One block and one component, so that nothing is random: long delays, long runs."""
    for make, K, beta, step in product(makers, (12, 40), betas, (*STEPS, Fraction(1, 4))):
        problem = make(1)
        if len(problem.components) == 1 and problem.rational:
            yield Setting(problem, K, K - 1, step / (problem.smoothness or 1), beta)


def pipedream_settings(makers: Sequence[Maker], betas: Sequence[Fraction]) -> Iterator[Setting]:
    """The same with PipeDream's exact delays, start-up included."""
    for p, make, beta in product((2, 3), makers, betas):
        K = 4 if p == 2 else 3
        tau = max(max(pipedream_delays(p, k)) for k in range(K))
        problem = make(p)
        if (p * len(problem.components)) ** K <= MOST_SAMPLINGS[True]:
            yield Setting(
                problem, K, tau, Fraction(1) / (problem.smoothness or 1), beta, "pipedream"
            )


def long_settings(deep: bool) -> Iterator[Setting]:
    """Long runs of RPD without delays, by moment recursions, with more blocks."""
    for make, p, step in product(LONG, (6, 16), STEPS[::2]):
        problem = make(p)
        K = (16 if deep else 4) * p
        yield Setting(problem, K, 0, step / problem.smoothness, delays="zero", engine="moments")


def _updates(problem: Problem, tau: int, deep: bool, shorter: bool) -> int:
    """K: one or two more than τ, as far as the number of samplings allows."""
    draws = problem.p * len(problem.components)
    limit = MOST_SAMPLINGS[deep] // (1 if problem.rational else 6)
    K = tau + 2 - shorter
    while draws ** (K - 1) > limit:
        K -= 1
    return K


def _rules(problem: Problem, K: int, tau: int) -> tuple[str, ...]:
    if tau == 0:
        return ("zero",)
    if not problem.rational:
        return ("max", "by-block")
    return (*RULES, "worst") if plans(problem, K, tau) <= MOST_PLANS else RULES
