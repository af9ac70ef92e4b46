"""Instances of LocalSGD, and what is measured on them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from theory.falsifier.errors import require
from theory.falsifier.model import Instance, fractions
from theory.falsifier.numbers import Number, Root
from theory.falsifier.problem import Problem
from theory.falsifier.shrinking import plainer, plainer_starts, without_block
from theory.papers.localsgd.runs import replica_moments
from theory.papers.localsgd.runs.paths import walk_replicas
from theory.papers.localsgd.runs.replicas import Local, follow_replicas, noise, shares

EQUAL = "equal data"
UNEQUAL = "unequal data"


@dataclass(frozen=True)
class LocalSetting:
    """What is chosen of an instance of LocalSGD; all else is computed.

    Attributes
    ----------
    problem : Problem
        Replica n owns the n-th of N equal runs of its components.
    method : Local
    engine : str
        ``tree`` or ``moments``.
    """

    problem: Problem
    method: Local
    engine: str = "tree"


@lru_cache(maxsize=4096)
def local_totals(setting: LocalSetting) -> replica_moments.Totals:
    """What is measured on a setting, computed once."""
    if setting.engine == "moments":
        return replica_moments.geometric_totals(setting.problem, setting.method)
    return replica_moments.totals(follow_replicas(setting.problem, setting.method))


def replayed_totals(setting: LocalSetting) -> replica_moments.Totals:
    """The same by the second method of each engine."""
    if setting.engine == "moments":
        return replica_moments.unrolled_totals(setting.problem, setting.method)
    return replica_moments.totals(walk_replicas(setting.problem, setting.method))


def local_instance(setting: LocalSetting) -> Instance:
    """A setting with its exactly computed constants.

    σ² and G̃² are the least bounds that hold at every point and for every replica, as the theorem
    assumes; K = pNT.

    Raises
    ------
    RejectedInstanceError
        A hypothesis does not hold.
    """
    problem, method = setting.problem, setting.method
    parts, N = len(problem.components), method.N
    require(N >= 1 and parts % N == 0, "N equal shares", f"{parts} components, N = {N}")
    variance, moment = noise(problem, N)
    rule = "second moments of stochastic gradients bounded by G̃² > 0 at every point"
    require(bool(moment) and variance is not None, rule, f"found {moment or 'no bound'}")
    assert variance is not None
    assert moment is not None
    values: dict[str, Number] = {
        "p": Fraction(problem.p),
        "N": Fraction(N),
        "T": Fraction(method.T),
        "H": Fraction(method.H),
        "K": Fraction(problem.p * N * method.T),
        "gamma": method.gamma,
        "L": problem.smoothness,
        "sigma": Root(variance),
        "Gtilde": Root(moment),
    }
    if problem.minimum is not None:
        values["Delta"] = problem.value(problem.start) - problem.minimum
    runs = {problem.components[share.start : share.stop] for share in shares(problem, N)}
    delays = EQUAL if len(runs) == 1 else UNEQUAL
    return Instance(problem, tuple(values.items()), delays, setting.engine)


def local_setting_of(one: Instance) -> LocalSetting:
    """The setting that an instance was built from."""
    N, T, H, gamma = fractions(one, "N", "T", "H", "gamma")
    method = Local(int(N), int(T), int(H), gamma)
    return LocalSetting(one.problem, method, one.engine)


def descending(one: Instance) -> Instance:
    """The instance, if f is bounded below and γ ≤ 1/L.

    Raises
    ------
    RejectedInstanceError
        It is not.
    """
    L, gamma = fractions(one, "L", "gamma")
    right = "Delta" in one.numbers and L > 0 and gamma * L <= 1
    require(right, "f bounded below and γ ≤ 1/L", f"L = {L}, γ = {gamma}")
    return one


def tuned_local(one: Instance) -> Instance:
    """The instance, if moreover γ = min{1/L, √N/(L√T)}.

    Raises
    ------
    RejectedInstanceError
        γ is another one.
    """
    descending(one)
    method, L = local_setting_of(one).method, one.problem.smoothness
    tuned = (method.gamma * L) ** 2 == min(Fraction(1), Fraction(method.N, method.T))
    require(tuned, "γ = min{1/L, √N/(L√T)}", f"γ = {method.gamma}")
    return one


def local_simpler(setting: LocalSetting) -> Iterator[LocalSetting]:
    """Fewer blocks, steps; a shorter period; plainer numbers."""
    problem, method = setting.problem, setting.method
    if problem.p > 1:
        for i in range(problem.p):
            yield replace(setting, problem=without_block(problem, i))
    for T in range(1, method.T) if setting.engine == "tree" else (method.T // 2, 3 * method.T // 4):
        if T:
            yield replace(setting, method=replace(method, T=T))
    for H in range(1, method.H):
        yield replace(setting, method=replace(method, H=H))
    for gamma in plainer(method.gamma):
        if gamma > 0:
            yield replace(setting, method=replace(method, gamma=gamma))
    for plain in plainer_starts(problem):
        yield replace(setting, problem=plain)
