"""Plays that go on for ever: what repeats, under a tie rule or under all that ties allow.

Durations are integers and one queue a rank is served in units of time, so that a play is a walk
in a finite graph: a state is what waits for how long, what runs for how long yet, and which
kind a stage did last, with minibatches counted from the first under way. Numbers only matter to
ties, and a tie rule compares them within what is under way. Under a tie rule a play that comes
to a state again repeats all since; the part of the time in which ranks work is counted over
such a period. Without a tie rule all successors are followed: some play fills all ranks for
ever iff the states that can be reached have a cycle on which all ranks work in every step.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

import networkx as nx

from theory.papers.amdp.runs.fifo import Job, Play, State, Tie, busy, in_order

MOST_STEPS: Final = 20_000
MOST_STATES: Final = 5_000


@dataclass(frozen=True)
class Steady:
    """What a play repeats.

    Attributes
    ----------
    since, period : int
        Units of time.
    active : Fraction
        Part of all ranks' time in which they work.
    """

    since: int
    period: int
    active: Fraction


def counted_from_least(state: State, numbers: bool) -> State:
    """The state with minibatches counted from the first one under way; without them all 0.

    Parameters
    ----------
    state : State
    numbers : bool
        Whether their numbers matter to the tie rule between pipelines.
    """
    jobs = [one.job for queue in state.waiting for one in queue]
    jobs += [left[1] for left in state.running if left is not None]
    least: dict[int, int] = {}
    for job in jobs:
        least[job.pipeline] = min(job.number, least.get(job.pipeline, job.number))
    if numbers:
        least = dict.fromkeys(least, min(least.values()))

    def moved(job: Job) -> Job:
        return job._replace(number=job.number - least[job.pipeline])

    waiting = tuple(
        tuple(sorted((one._replace(job=moved(one.job)) for one in queue), key=in_order))
        for queue in state.waiting
    )
    running = tuple(left and (left[0], moved(left[1])) for left in state.running)
    return State(waiting, running, state.last)


def steady(play: Play, tie: Tie) -> Steady | None:
    """The part of a play that repeats; None if none does within `MOST_STEPS` units of time.

    Examples
    --------
    >>> from theory.papers.amdp.runs.fifo import TIES
    >>> steady(Play(4, 1, 1), TIES[0])
    Steady(since=..., period=8, active=Fraction(1, 1))
    >>> steady(Play(4, 1, 2), TIES[0]).active < 1
    True
    """
    work, seen = [0], dict[State, int]()
    for now, (state, chosen, _) in enumerate(islice(play.course(tie), MOST_STEPS)):
        since = seen.setdefault(counted_from_least(state, tie.then == "earlier minibatch"), now)
        if since < now:
            period = now - since
            return Steady(since, period, Fraction(work[now] - work[since], period * play.stages))
        work.append(work[-1] + busy(state, chosen))
    return None


@dataclass(frozen=True)
class Every:
    """What all plays can come to, whatever ties do.

    Attributes
    ----------
    states : int
        That can be reached.
    fills : bool
        Some play keeps all ranks busy from some time on.
    idles : bool
        Some play leaves ranks idle again and again.
    """

    states: int
    fills: bool
    idles: bool


def every_play(play: Play) -> Every | None:
    """Look at every play that ties allow; None if there are more than `MOST_STATES` states.

    Examples
    --------
    >>> every_play(Play(4, 1, 2))
    Every(states=362, fills=False, idles=True)
    """
    first = counted_from_least(play.start(), numbers=False)
    number, waiting = {first: 0}, deque([first])
    whole, full, idle = nx.DiGraph(), nx.DiGraph(), []
    while waiting:
        state = waiting.popleft()
        for chosen in play.choices(state):
            later = counted_from_least(play.after(state, chosen), numbers=False)
            if later not in number:
                if len(number) == MOST_STATES:
                    return None
                number[later] = len(number)
                waiting.append(later)
            edge = (number[state], number[later])
            whole.add_edge(*edge)
            if busy(state, chosen) == play.stages:
                full.add_edge(*edge)
            else:
                idle.append(edge)
    part = {
        state: place
        for place, states in enumerate(nx.strongly_connected_components(whole))
        for state in states
    }
    again = any(part[start] == part[end] for start, end in idle)
    return Every(len(number), not nx.is_directed_acyclic_graph(full), again)
