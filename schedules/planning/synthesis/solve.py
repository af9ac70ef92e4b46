"""The best order by OR-tools' CP-SAT, with what no order can be below."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from schedules.errors import ParameterError, ScheduleError, SizeError
from schedules.planning.plans import Plan
from schedules.planning.synthesis.greedy import best_greedy
from schedules.planning.synthesis.model import posed
from schedules.planning.synthesis.orders import Starts, makespan, schedule_of, starts_of
from schedules.planning.synthesis.problem import KINDS, Problem, lower_bound
from schedules.schedule import Schedule

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

MOST_ACTIONS: Final = 20_000
"""Actions of the largest problem that is posed."""

LONGEST: Final = 2**40
"""Longest horizon, in units of the problem."""

NAME: Final = "synthesized"
WORKERS: Final = 8
"""Strategies that search side by side, also where there are fewer cores."""

Progress = Callable[[int | None, int, float], None]
"""Told the makespan if there is one, the bound (both in units of the problem), and the seconds."""


@dataclass
class Seen:
    """How far a search is, in units of the problem."""

    makespan: int | None
    bound: int


@dataclass(frozen=True, eq=False)
class Synthesized:
    """The best order that was found, and a bound of all.

    Attributes
    ----------
    problem : Problem
    plan : Plan
        The order, run by the simulator.
    bound : int
        Ticks that no order takes less than.
    seed : str
        The schedule that the search began with; empty if none fits.
    seconds : float
    interrupted : bool
    """

    problem: Problem
    plan: Plan
    bound: int
    seed: str
    seconds: float
    interrupted: bool = False

    @property
    def optimal(self) -> bool:
        """Whether no order is shorter."""
        return self.plan.line.length == self.bound

    @property
    def gap(self) -> Fraction:
        """How much longer it is than the bound, as a share of the bound."""
        return Fraction(self.plan.line.length - self.bound, max(self.bound, 1))


class NoOrderFoundError(ParameterError):
    """The time was up before there was any order."""


class SolverError(ScheduleError):
    """The solver failed."""


def synthesize(
    problem: Problem,
    seeds: Sequence[tuple[str, Schedule]],
    seconds: float,
    progress: Progress = lambda *_: None,
) -> Synthesized:
    """Search for the best order until it is found, the time is up, or Ctrl-C comes.

    Parameters
    ----------
    problem : Problem
    seeds : sequence of (str, Schedule)
        Schedules to begin with; those that do not keep to the problem are passed over.
    seconds : float
        Time limit of the search.
    progress : callable

    Raises
    ------
    SizeError
        More than `MOST_ACTIONS`, or times of too many different digits.
    ParameterError
        OR-tools is not there, or no order was found in time.
    """
    begun = time.monotonic()
    _require_room(problem)
    best = _best(problem, seeds, seconds, progress, None)
    for other in fresher(problem):
        left = seconds - (time.monotonic() - begun)
        if best.interrupted or left <= 0:
            best = replace(best, bound=min(best.bound, lower_bound(other)))
            continue
        if best.length is None or lower_bound(other) < best.length:
            best = best.joined(_best(other, seeds, left, progress, best.length))
    if best.starts is None:
        raise NoOrderFoundError(
            f"no order was found in {seconds:g} s", "--time-limit", "give it more time"
        )
    plan = Plan(NAME, {}, schedule_of(best.problem, best.starts, NAME), problem.costs)
    taken = time.monotonic() - begun
    bound = min(best.bound * problem.grain, plan.line.length)
    return Synthesized(best.problem, plan, bound, best.seed, taken, best.interrupted)


@dataclass(frozen=True, eq=False)
class Best:
    """The best order of a problem so far, and what none is below, in units of the problem."""

    problem: Problem
    starts: Starts | None
    bound: int
    seed: str = ""
    interrupted: bool = False

    @property
    def length(self) -> int | None:
        """Its makespan; None without an order."""
        return None if self.starts is None else makespan(self.problem, self.starts)

    def joined(self, other: Best) -> Best:
        """The better of two, and the bound of both; `other` is better if it has an order."""
        chosen = self if other.starts is None else other
        stopped = self.interrupted or other.interrupted
        return replace(chosen, bound=min(self.bound, other.bound), interrupted=stopped)


def fresher(problem: Problem) -> Iterator[Problem]:
    """The same problem with less staleness, where fewer weight versions leave more memory."""
    if problem.memory is not None:
        for lag in range(problem.lag - 1, -1, -1):
            yield replace(problem, staleness=lag)


def first_order(
    problem: Problem, seeds: Sequence[tuple[str, Schedule]]
) -> tuple[int, str, Starts] | None:
    """The shortest order that is known without a search: makespan, name, starts."""
    known = [(name, starts_of(problem, schedule)) for name, schedule in seeds]
    known.append(("a greedy order", best_greedy(problem)))
    fitting = [(makespan(problem, starts), name, starts) for name, starts in known if starts]
    return min(fitting, key=lambda entry: entry[0], default=None)


def _best(
    problem: Problem,
    seeds: Sequence[tuple[str, Schedule]],
    seconds: float,
    progress: Progress,
    below: int | None,
) -> Best:
    """The best order, if there is one shorter than `below`."""
    best = first_order(problem, seeds)
    if best is not None and below is not None and best[0] >= below:
        best = None
    least = lower_bound(problem)
    if below is not None and least >= below:
        return Best(problem, None, least)
    if best is not None and best[0] <= least:
        return Best(problem, best[2], least, best[1])
    starts = None if best is None else best[2]
    found, least, interrupted = _search(problem, starts, least, seconds, progress, below)
    return Best(problem, found, least, "" if best is None else best[1], interrupted)


def _require_room(problem: Problem) -> None:
    actions = 3 * problem.stages * problem.microbatches
    if actions > MOST_ACTIONS:
        raise SizeError(
            f"an order is synthesised of at most {MOST_ACTIONS} actions, found {problem.stages} "
            f"stages × {problem.microbatches} microbatches × 3 = {actions}",
            "--synthesize",
            "take fewer microbatches",
        )
    if _horizon(problem) > LONGEST:
        raise SizeError(
            f"times fit into {LONGEST} units of their greatest common divisor, found "
            f"{_horizon(problem)}",
            problem.costs.layers.file,
            "write durations with fewer digits",
        )


def _horizon(problem: Problem) -> int:
    """One microbatch after the other: every problem has an order that takes no longer."""
    each = sum(sum(problem.durations[kind]) for kind in KINDS) + sum(problem.up) + sum(problem.down)
    return each * problem.microbatches


def _search(
    problem: Problem,
    known: Starts | None,
    least: int,
    seconds: float,
    progress: Progress,
    below: int | None,
) -> tuple[Starts | None, int, bool]:
    """Starts, the bound in units of the problem, and whether Ctrl-C ended the search."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise ParameterError(
            "orders are synthesised by OR-tools, which is not installed",
            "--synthesize",
            "install staleproof[plan]",
        ) from None
    horizon = _horizon(problem) if known is None else makespan(problem, known)
    horizon = horizon if below is None else min(horizon, below - 1)
    model, begins, total = posed(problem, least, horizon)
    if known is not None:
        for kind in KINDS:
            for variable, value in zip(begins[kind].flat, known[kind].flat, strict=True):
                model.add_hint(variable, int(value))
        model.add_hint(total, horizon)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = max(WORKERS, min(os.cpu_count() or 1, 2 * WORKERS))
    solver.parameters.random_seed = 0
    solver.parameters.catch_sigint_signal = False
    seen = Seen(horizon if known is not None else None, least)

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            seen.makespan = int(self.objective_value)
            bounded(self.best_objective_bound)

    def bounded(bound: float) -> None:
        seen.bound = max(seen.bound, int(bound))

    solver.best_bound_callback = bounded
    watch, results, done = Watch(), list[Any](), threading.Event()

    def work() -> None:
        try:
            results.append(solver.solve(model, watch))
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    interrupted = _wait(done, solver, seen, progress)
    if not results:
        raise SolverError("the solver ended without an answer", NAME, "report this as a fault")
    status = results[0]
    if status == cp_model.INFEASIBLE and below is not None:
        return None, below, interrupted
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return known, seen.bound, interrupted
    starts = {
        kind: np.array([solver.value(v) for v in table.flat], dtype=np.int64).reshape(table.shape)
        for kind, table in begins.items()
    }
    proved = int(solver.objective_value) if status == cp_model.OPTIMAL else seen.bound
    bound = max(least, proved, -int(-solver.best_objective_bound // 1))
    return starts, bound, interrupted


def _wait(done: threading.Event, solver: cp_model.CpSolver, seen: Seen, progress: Progress) -> bool:
    """Wait for the search, and tell what is new; Ctrl-C ends it with the best so far."""
    interrupted, begun = False, time.monotonic()
    told: tuple[int | None, int] = None, 0
    while not done.is_set():
        try:
            done.wait(0.1)
            new = seen.makespan, seen.bound
            if new != told and not interrupted:
                told = new
                progress(seen.makespan, seen.bound, time.monotonic() - begun)
        except KeyboardInterrupt:
            interrupted = True
            solver.stop_search()
    return interrupted
