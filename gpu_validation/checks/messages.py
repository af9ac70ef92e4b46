"""Check ``messages``: what crosses ranks was sent once and received once, by those it concerns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, inapplicable, undecided
from gpu_validation.checks.observed import Observed
from gpu_validation.event_log import UNLOGGED
from gpu_validation.messages import needed, sender
from gpu_validation.prediction import Prediction
from schedules.actions import MESSAGES, Action, Kind, among
from schedules.formats.trace import NONE, Trace
from schedules.schedule import Schedule

NAME: Final = "messages"

_RECEIVE: Final = {Kind.SEND_F: Kind.RECV_F, Kind.SEND_B: Kind.RECV_B}


class Note(NamedTuple):
    """A send or a receive: whose, of what, and who is at the other end."""

    rank: int
    action: Action
    peer: int


class Way(NamedTuple):
    """A data edge between two ranks.

    - `maker`, `user`: the computations that it leads from and to.
    """

    maker: Action
    send: Note
    receive: Note
    user: Action


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare sends and receives with the data edges that cross ranks, one for one.

    Each names the right peer, both ends the same channel. A send stands behind what makes its
    tensor and a receive before what uses it; on one machine none ends before its send began.
    """
    ways = list(crossings(predicted.schedule))
    if not ways:
        return inapplicable(NAME, "nothing crosses ranks")
    if seen.log.schedule.parameters.get(UNLOGGED):
        return inapplicable(NAME, "the transport's messages are not in the log")
    found, twice = _found(seen.log)
    if not found:
        return undecided(NAME, f"the log has none of the {len(ways)} messages")
    if twice is not None:
        return fails(NAME, f"rank {twice.rank} did {twice.action} twice", action=str(twice.action))
    expected = {note for way in ways for note in (way.send, way.receive)}
    for notes, says in ((expected - found.keys(), "lacks"), (found.keys() - expected, "has")):
        if notes:
            first = min(notes)
            return fails(
                NAME,
                f"the log {says} {first.action} of rank {first.rank} with rank {first.peer} at the "
                f"other end, {'which' if says == 'lacks' else 'and none'} was to come",
                action=str(first.action),
                rank=first.rank,
                peer=first.peer,
            )
    return _compare_ends(seen, ways, found)


def crossings(schedule: Schedule) -> Iterator[Way]:
    """Every data edge between two ranks."""
    back = {m: kind for kind, m in _backwards(schedule)}
    for rank in range(schedule.ranks):
        for user in schedule.rank(rank):
            kind, stage, m, pipeline = user.kind, user.stage, user.microbatch, user.pipeline
            label = needed(schedule, kind, stage, m, pipeline)
            if label is None or label.kind not in _RECEIVE:
                continue
            peer = sender(schedule, label)
            if peer == rank:
                continue
            made = Kind.F if label.kind is Kind.SEND_F else back[label.stage, m, pipeline]
            yield Way(
                Action(made, label.stage, m, pipeline),
                Note(peer, Action(label.kind, label.stage, m, pipeline), rank),
                Note(rank, Action(_RECEIVE[label.kind], stage, m, pipeline), peer),
                user,
            )


def _backwards(schedule: Schedule) -> Iterator[tuple[Kind, tuple[int, int, int]]]:
    """The kind of every backward that makes an input gradient, by stage, microbatch, pipeline."""
    for index in np.flatnonzero(among(schedule.kind, (Kind.B, Kind.I))).tolist():
        action = schedule.action(index)
        yield action.kind, (action.stage, action.microbatch, action.pipeline)


def _found(log: Trace) -> tuple[dict[Note, int], Note | None]:
    """Every send and receive of a log, where it stands, and one that comes twice, if any."""
    found: dict[Note, int] = {}
    twice = None
    rank = log.schedule.rank_of_action
    for index in np.flatnonzero(among(log.schedule.kind, MESSAGES)).tolist():
        note = Note(int(rank[index]), log.schedule.action(index), int(log.peer[index]))
        twice = note if twice is None and note in found else twice
        found.setdefault(note, index)
    return found, twice


def _compare_ends(seen: Observed, ways: list[Way], found: dict[Note, int]) -> Finding:
    """Compare both ends of every message, and where they stand."""
    log, line = seen.log, seen.log.timeline
    computed = np.flatnonzero(~among(log.schedule.kind, MESSAGES))
    at = {log.schedule.action(index): index for index in computed.tolist()}
    for maker, send, receive, user in ways:
        out, back = found[send], found[receive]
        together = seen.same_host(np.array([send.rank]), np.array([receive.rank])).all()
        made, used = at.get(maker), at.get(user)
        wrong = None
        if made is None or used is None:
            wrong = f"the log lacks {maker if made is None else user}, which it is about"
        elif log.channel[out] != log.channel[back] or log.channel[out] == NONE:
            wrong = "its ends name different channels, or none"
        elif made > out or line.end[made] > line.start[out]:
            wrong = f"it was sent before {maker} was over"
        elif back > used or line.end[back] > line.start[used]:
            wrong = f"{user} started before it was received"
        elif together and line.start[out] > line.end[back]:
            wrong = "it was received before it was sent"
        if wrong is not None:
            says = f"{send.action} of rank {send.rank} to rank {receive.rank}: {wrong}"
            return fails(NAME, says, action=str(send.action), rank=send.rank, peer=receive.rank)
    return holds(NAME, 2 * len(ways), f"{len(ways)} messages were sent and received once each")
