"""The worst delays by exhaustive search, for tiny sizes: an adversary that knows the past.

Before every draw it may choose any delay vector; it makes Σ_k E‖∇f(x^k)‖² as large as it can.
"""

from fractions import Fraction
from itertools import product

from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.problem import Problem, square
from theory.papers.rpd.runs.chain import extrapolated, moves, shortened
from theory.papers.rpd.runs.delays import Rule, Window

MOST_PLANS: int = 3_000
"""Branches of the game that are looked at."""


def plans(problem: Problem, K: int, tau: int) -> int:
    """Branches of the game: choices of the adversary times draws, over all updates."""
    count = 1
    for k in range(K):
        draws = problem.p * len(problem.components) if k else 1
        count *= draws * (min(tau, k) + 1) ** problem.p
    return count


def worst_rule(problem: Problem, K: int, tau: int, gamma: Fraction, beta: Fraction) -> Rule:
    """The delays of an adversary that plays best.

    Raises
    ------
    RejectedInstanceError
        The game is too large, or f is not rational.

    Examples
    --------
    >>> from theory.falsifier.scalars import quadratic
    >>> problem = Problem("parabola", ((quadratic(1),),), (Fraction(1),), (0,))
    >>> reads = worst_rule(problem, 3, 1, Fraction(1), Fraction(0))
    >>> reads(1, ((Fraction(1),), (Fraction(0),)))
    (1,)
    """
    if not problem.rational or plans(problem, K, tau) > MOST_PLANS:
        raise RejectedInstanceError(
            f"the adversary's game has {plans(problem, K, tau)} branches, at most {MOST_PLANS} are "
            "searched, and on rational functions",
            "falsifier",
            "take smaller p, N, K or τ, or another delay rule",
        )
    known: dict[tuple[int, Window], tuple[Fraction, tuple[int, ...]]] = {}

    def play(k: int, past: Window) -> tuple[Fraction, tuple[int, ...]]:
        """The most that the updates from k on can add up to, and the delays that reach it."""
        if (k, past) not in known:
            here = square(problem.gradient(past[-1]))
            if k == K - 1:
                known[k, past] = here, (min(tau, k),) * problem.p
            else:
                options = product(range(min(tau, k) + 1), repeat=problem.p)
                later = max((ahead(k, past, found), found) for found in options)
                known[k, past] = here + later[0], later[1]
        return known[k, past]

    def ahead(k: int, past: Window, found: tuple[int, ...]) -> Fraction:
        read = extrapolated(problem, past, found, beta)
        branches = [
            play(k + 1, shortened((*past, moved), tau, beta))[0]
            for moved, _ in moves(problem, gamma, past[-1], read)
        ]
        return sum(branches, Fraction(0)) / len(branches)

    return lambda k, past: play(k, shortened(past, tau, beta))[1]
