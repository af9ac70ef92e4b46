"""Instances of RPD and NAG-RPD, and what is measured on them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from mpmath import iv

from theory.falsifier.compare import enclosure, number
from theory.falsifier.errors import DisagreementError, require
from theory.falsifier.model import Instance, fractions
from theory.falsifier.numbers import Enclosure, Number, Root
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import interval
from theory.papers.rpd.runs.adversary import worst_rule
from theory.papers.rpd.runs.chain import Course, Method, follow
from theory.papers.rpd.runs.delays import rule
from theory.papers.rpd.runs.moments import follow_moments
from theory.papers.rpd.runs.paths import walk
from theory.papers.rpd.runs.stacked import follow_stacked


@dataclass(frozen=True)
class Setting:
    """What is chosen of an instance; all else is computed."""

    problem: Problem
    K: int
    tau: int
    gamma: Fraction
    beta: Fraction = Fraction(0)
    delays: str = "max"
    engine: str = "tree"

    def method(self) -> Method:
        """The method it runs."""
        if self.delays == "worst":
            reads = worst_rule(self.problem, self.K, self.tau, self.gamma, self.beta)
        else:
            reads = rule(self.delays, self.problem, self.tau)
        return Method(self.K, self.tau, self.gamma, self.beta, reads)


@lru_cache(maxsize=8192)
def course(setting: Setting, values: bool = False) -> Course:
    """The run of a setting, enumerated once; with `values` also E f(x^k)."""
    run = follow_moments if setting.engine == "moments" else follow
    return run(setting.problem, setting.method(), values)


def instance(setting: Setting) -> Instance:
    """A setting with its exactly computed constants.

    L is the least smoothness constant, G the largest block gradient that any sampling meets, Δ and
    μ are there where f has a minimum and a Polyak–Łojasiewicz constant.

    Raises
    ------
    RejectedInstanceError
        A hypothesis does not hold.
    """
    problem, found = setting.problem, course(setting)
    size = found.block if problem.rational else enclosure(found.block).high
    require(size > 0, "G > 0", "every block gradient of the run is 0")
    require(problem.smoothness > 0 or problem.minimum is None, "L > 0", "f is constant")
    values: dict[str, Number] = {
        "p": Fraction(problem.p),
        "n": Fraction(len(problem.components)),
        "K": Fraction(setting.K),
        "tau": Fraction(setting.tau),
        "gamma": setting.gamma,
        "beta": setting.beta,
        "L": problem.smoothness,
        "G": Root(size),
    }
    if problem.minimum is not None:
        values["Delta"] = number(found.values[0], problem.minimum)
    if problem.mu > 0:
        values["mu"] = problem.mu
    return Instance(problem, tuple(values.items()), setting.delays, setting.engine)


def setting_of(one: Instance) -> Setting:
    """The setting that an instance was built from."""
    K, tau, gamma, beta = fractions(one, "K", "tau", "gamma", "beta")
    return Setting(one.problem, int(K), int(tau), gamma, beta, one.delays, one.engine)


def bounded_below(one: Instance) -> Instance:
    """The instance, if f is bounded below.

    Raises
    ------
    RejectedInstanceError
        It is not.
    """
    require("Delta" in one.numbers, "(i) f is bounded below", "its infimum is −∞ or not known")
    return one


def satisfying_pl(one: Instance) -> Instance:
    """The instance, if f satisfies the Polyak–Łojasiewicz inequality."""
    require("mu" in one.numbers, "Assumption H.1 (Polyak–Łojasiewicz)", "there is no μ > 0")
    return bounded_below(one)


def tuned(one: Instance) -> Instance:
    """The instance with a G that makes its stepsize γ = min{1/L, √(2Δ/(LG²K))}.

    Any G at least as large as the block gradients is a bound of them.

    Raises
    ------
    RejectedInstanceError
        γ > 1/L, or no valid G gives this γ.
    """
    G = bounded_below(one).numbers["G"]
    assert isinstance(G, Root)
    require(one.problem.rational, "Δ rational", "f is run in intervals")
    L, gamma, K, Delta = fractions(one, "L", "gamma", "K", "Delta")
    require(gamma * L <= 1, "γ ≤ 1/L", f"γL = {gamma * L}")
    wanted = 2 * Delta / (L * K * gamma**2)
    require(wanted >= G.square, "γ = min{1/L, √(2Δ/(LG²K))}", "γ is larger")
    values = dict(one.values)
    if gamma * L < 1:
        values["G"] = Root(wanted)
    return replace(one, values=tuple(values.items()))


def last_step(one: Instance) -> Instance:
    """The last step of a run by itself: Δ becomes E f(x^{K−1}) − f*."""
    found, least = course(setting_of(one), values=True), one.problem.minimum
    assert least is not None
    values = dict(satisfying_pl(one).values)
    values["Delta"] = number(found.values[-2], least)
    return replace(one, values=tuple(values.items()))


Reader = Callable[[Setting, Course], Number]


def average_gradient(setting: Setting, found: Course) -> Number:
    """(1/K) Σ_{k<K} E‖∇f(x^k)‖²."""
    return number(sum(found.gradients) / setting.K)


def drift(setting: Setting, found: Course) -> Number:
    """The maximum over k < K of E‖x^k − x̂^k‖²."""
    if setting.problem.rational:
        return Fraction(max(found.drifts))
    held = [enclosure(entry) for entry in found.drifts]
    return Enclosure(max(h.low for h in held), max(h.high for h in held))


def squared_drift_pathwise(setting: Setting, found: Course) -> Number:
    """The maximum over k < K and all samplings of ‖x^k − x̂^k‖²."""
    if setting.problem.rational:
        return Fraction(max(found.farthest))
    held = [enclosure(entry) for entry in found.farthest]
    return Enclosure(max(h.low for h in held), max(h.high for h in held))


def drift_pathwise(setting: Setting, found: Course) -> Number:
    """The maximum over k < K and all samplings of ‖x^k − x̂^k‖."""
    return rooted(squared_drift_pathwise(setting, found))


def rooted(squared: Number) -> Number:
    """The root of a square."""
    if isinstance(squared, Fraction):
        return Root(squared)
    assert isinstance(squared, Enclosure)
    low = enclosure(iv.sqrt(interval(max(squared.low, Fraction(0))))).low
    return Enclosure(low, enclosure(iv.sqrt(interval(squared.high))).high)


def gap(setting: Setting, found: Course) -> Number:
    """E f(x^K) − f*."""
    assert setting.problem.minimum is not None
    return number(found.values[-1], setting.problem.minimum)


def measured(read: Reader) -> Callable[[Instance], Number]:
    """A quantity by the engine of the instance."""
    return lambda one: read(setting_of(one), course(setting_of(one), read is gap))


def replayed(read: Reader) -> Callable[[Instance], Number]:
    """The same by the second method of the engine, G² included."""

    def replay(one: Instance) -> Number:
        setting = setting_of(one)
        first, again = course(setting), second_course(setting, read is gap)
        if setting.problem.rational and again.block != first.block:
            raise DisagreementError(
                f"two methods find G² = {first.block} and {again.block}",
                f"{setting}",
                "one of the two implementations is wrong; no verdict follows",
            )
        return read(setting, again)

    return replay


def second_course(setting: Setting, values: bool = False) -> Course:
    """The run by the second method of its engine: every path, or the stacked second moments.

    The latter takes the largest block gradient over from the first, which has the exact one.
    """
    if setting.engine == "tree":
        return walk(setting.problem, setting.method(), values)
    problem, first = setting.problem, course(setting)
    found = follow_stacked(problem, setting.K + 1, 0, setting.gamma, "zero")
    at_zero = problem.value((Fraction(0),) * problem.p)
    worth = tuple(value + at_zero for value in found.values)
    zeros = found.drifts[:-1]
    return Course(found.gradients[:-1], zeros, zeros, worth if values else worth[:1], first.block)
