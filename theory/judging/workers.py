"""Judge claims side by side, and read claim files, in processes of their own.

A process gets one claim at a time, by its name: claims hold functions, which do not travel. So it
is known which claim is lost with a process that dies, and nothing has to be taken back when
somebody interrupts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final

from theory.claims import Claim
from theory.errors import TheoryError, WorkerError
from theory.judging.judge import judge
from theory.judging.serving import Elsewhere, Judge, Reading, Reference, Word, serve
from theory.judging.signals import interrupts_held_back, termination_raised
from theory.judging.starting import get_ready
from theory.ledger import Row

Progress = Callable[[str, int, int], None]

WORTH_A_PROCESS: Final = 3.0
"""Seconds of work below which starting processes takes longer than it saves."""

HEARTBEAT: Final = 0.5
"""Seconds between two looks at whether the processes live."""


@dataclass(frozen=True)
class Worker:
    """A process, the way to it, and numbers of the claims that it is to judge next."""

    process: BaseProcess
    connection: Connection
    lane: list[int] = field(default_factory=list)


def read_elsewhere(paths: Sequence[str]) -> list[Claim]:
    """Read claim files in another process, so that nothing that they do happens in this one.

    Parameters
    ----------
    paths : sequence of str

    Returns
    -------
    list of Claim
        Without formulas and provers; `side_by_side` judges them where the files are read again.

    Raises
    ------
    TheoryError
        As `theory.judging.loading.load` does.
    WorkerError
        A file ended the process.
    """
    found: list[Claim] = []
    if not paths:
        return found
    with _started(1, judge) as (worker,):
        for path in paths:
            _hand(worker, Reading(path), path)
            _ready({worker.connection: (worker, 0)})
            answer = _answer(worker, path)
            if isinstance(answer, TheoryError):
                raise answer
            if not isinstance(answer, list):
                raise _no_answer(path)
            found += answer
    return found


def processes(claims: Sequence[Claim], jobs: int) -> int:
    """How many of the allowed processes are worth starting; 0 if this one is to judge.

    Raises
    ------
    WorkerError
        Some claims are known to this process only, and others to others only.

    Examples
    --------
    >>> processes([], jobs=8)
    0
    """
    elsewhere = [claim for claim in claims if isinstance(claim.account, Elsewhere)]
    here_only = [claim for claim in claims if not _travels(claim)]
    if elsewhere and here_only:
        raise WorkerError(
            f"only this process knows {here_only[0].id}, and only others know {elsewhere[0].id}",
            "verify",
            "read the files with theory.judging.loading.load",
        )
    work = sum(claim.cost for claim in claims)
    if work > WORTH_A_PROCESS and not here_only and min(jobs, len(claims)) > 1:
        return min(jobs, len(claims))
    return 1 if elsewhere else 0


def _travels(claim: Claim) -> bool:
    """Whether another process finds this very claim."""
    return isinstance(claim.account, Elsewhere) or Reference.to(claim).claim() is claim


def side_by_side(
    claims: Sequence[Claim], jobs: int, progress: Progress | None, how: Judge
) -> list[Row | TheoryError]:
    """Judge claims in this many processes, the longest lane first.

    Parameters
    ----------
    claims : sequence of Claim
    jobs : int
    progress : callable, optional
    how : callable
        Judges one claim; it travels to the processes.

    Returns
    -------
    list of Row and TheoryError
        In the order of the claims, each with its row or what it raised.

    Raises
    ------
    WorkerError
        A process died or could not be started.
    """
    waiting, busy = lanes(claims), dict[Connection, tuple[Worker, int]]()
    answers: dict[int, Row | TheoryError] = {}
    with _started(jobs, how) as idle:
        while True:
            for worker in list(idle):
                number = _next(worker.lane, waiting)
                if number is not None:
                    if progress is not None:
                        progress(claims[number].id, len(answers) + len(busy), len(claims))
                    _hand(worker, Reference.to(claims[number]), claims[number].id)
                    idle.remove(worker)
                    busy[worker.connection] = worker, number
            if not busy:
                return [answers[number] for number in range(len(claims))]
            for ready in _ready(busy):
                worker, number = busy[ready]
                name = claims[number].id
                answer = _answer(worker, name)
                if isinstance(answer, Word):
                    if progress is not None:
                        progress(f"{name}: {answer.text}", len(answers), len(claims))
                    continue
                del busy[ready]
                answers[number] = _row(answer, name)
                idle.append(worker)


def _ready(busy: Mapping[Connection, tuple[Worker, int]]) -> list[Connection]:
    """Wait for workers that have answered or ended; the ways to them."""
    while True:
        # A child that a worker leaves behind keeps its pipes open, so nothing but asking the
        # system now and then tells that the worker itself has ended.
        found = wait(list(busy), timeout=HEARTBEAT)
        ready = [
            connection
            for connection, (worker, _) in busy.items()
            if connection in found or worker.process.exitcode is not None
        ]
        if ready:
            return ready


def lanes(claims: Sequence[Claim]) -> list[list[int]]:
    """Numbers of claims that go to one process one after the other; the longest lane first.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.judging.catalogue import CLAIMS
    >>> one = CLAIMS["kernel.young"]
    >>> lanes([replace(one, shares="", cost=3), replace(one, shares="laws", cost=2)] * 2)
    [[1, 3], [0], [2]]
    """
    found: dict[str | int, list[int]] = {}
    for number, claim in enumerate(claims):
        found.setdefault(claim.shares or number, []).append(number)
    return sorted(found.values(), key=lambda lane: -sum(claims[number].cost for number in lane))


def _next(lane: list[int], waiting: list[list[int]]) -> int | None:
    """Take the next claim from a lane, or from the next lane if it is empty."""
    if waiting and not lane:
        lane += waiting.pop(0)
    return lane.pop(0) if lane else None


@contextmanager
def _started(count: int, how: Judge) -> Iterator[list[Worker]]:
    """Processes that end with this block, however it ends."""
    workers: list[Worker] = []
    with termination_raised():
        try:
            with interrupts_held_back():
                while len(workers) < count:
                    workers.append(_start(how))
            yield list(workers)
        finally:
            for worker in workers:
                worker.process.kill()
            for worker in workers:
                worker.process.join()
                worker.connection.close()


def _start(how: Judge) -> Worker:
    context = get_ready()
    mine, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, how, dict(os.environ)))
    try:
        process.start()
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", "") or "the one that it is to be a copy of has ended"
        raise WorkerError(f"a process cannot be started ({why})", "-j", "try -j 1") from error
    theirs.close()
    return Worker(process, mine)


def _hand(worker: Worker, request: Reading | Reference, name: str) -> None:
    try:
        worker.connection.send(request)
    except OSError as error:
        raise _gone(worker, name) from error


def _answer(worker: Worker, name: str) -> Any:
    """What a worker that has answered or ended says; it is the claim file that may have said it."""
    try:
        if worker.connection.poll():
            return worker.connection.recv()
    except (EOFError, OSError) as error:
        raise _gone(worker, name) from error
    except Exception as error:  # bytes can be anything, and so can what reading them raises
        raise _no_answer(name) from error
    raise _gone(worker, name)


def _row(answer: Any, name: str) -> Row | TheoryError:
    if isinstance(answer, TheoryError) or (isinstance(answer, Row) and answer.id == name):
        return answer
    raise _no_answer(name)


def _no_answer(name: str) -> WorkerError:
    return WorkerError(
        "what the process that ran it sent back is no plain data",
        name,
        "let it return text, numbers, lists and mappings",
    )


def _gone(worker: Worker, name: str) -> WorkerError:
    worker.process.join(timeout=1)
    code = worker.process.exitcode
    how = "closed its connection"
    if code is not None:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return WorkerError(
        f"the process that ran it {how}",
        name,
        "give it more memory, and let no claim end its process",
    )
