"""Judge claims side by side, each in one of several processes.

A process gets one claim at a time, by its name: claims hold functions, which do not travel. So it
is known which claim is lost with a process that dies, and nothing has to be taken back when
somebody interrupts.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from theory.catalogue import CLAIMS
from theory.claims import Claim
from theory.errors import ClaimFileError, TheoryError, WorkerError
from theory.ledger import Row
from theory.loading import loaded

Progress = Callable[[str, int, int], None]
Judge = Callable[[Claim], Row]

WORTH_A_PROCESS: Final = 3.0
"""Seconds of work below which starting processes takes longer than it saves."""


@dataclass(frozen=True)
class Reference:
    """Where a claim is found in any process: a file and an id in it, or the catalogue."""

    source: str | None
    id: str

    def claim(self) -> Claim | None:
        """The claim itself."""
        return CLAIMS.get(self.id) if self.source is None else loaded(self.source, self.id)


@dataclass(frozen=True)
class Worker:
    """A process, the way to it, and numbers of the claims that it is to judge next."""

    process: BaseProcess
    connection: Connection
    lane: list[int] = field(default_factory=list)


def processes(claims: Sequence[Claim], jobs: int) -> int:
    """How many of the allowed processes are worth starting.

    Examples
    --------
    >>> processes([], jobs=8)
    1
    """
    work = sum(claim.cost for claim in claims)
    travelling = all(Reference(claim.source, claim.id).claim() is claim for claim in claims)
    return min(jobs, len(claims)) if work > WORTH_A_PROCESS and travelling else 1


def side_by_side(
    claims: Sequence[Claim], jobs: int, progress: Progress | None, how: Judge
) -> list[Row]:
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
    list of Row
        In the order of the claims.

    Raises
    ------
    WorkerError
        A process died or could not be started.
    TheoryError
        What the first of the claims that raised, in their order, did raise.
    """
    waiting, busy = lanes(claims), dict[Connection, tuple[Worker, int]]()
    answers: dict[int, Row | TheoryError] = {}
    first = len(claims)  # the first that raised; what comes later cannot change the outcome
    with _started(jobs, how) as idle:
        while True:
            for worker in list(idle):
                number = _next(worker.lane, waiting, first)
                if number is not None:
                    if progress is not None:
                        progress(claims[number].id, len(answers) + len(busy), len(claims))
                    _hand(worker, claims[number])
                    idle.remove(worker)
                    busy[worker.connection] = worker, number
            if all(number >= first for _, number in busy.values()):
                break
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection), "nothing else is waited for"
                worker, number = busy.pop(ready)
                answers[number] = _answer(worker, claims[number])
                idle.append(worker)
            raised = (k for k, answer in answers.items() if not isinstance(answer, Row))
            first = min(raised, default=len(claims))
    return [_row_or_raise(answers[number]) for number in range(min(first + 1, len(claims)))]


def lanes(claims: Sequence[Claim]) -> list[list[int]]:
    """Numbers of claims that go to one process one after the other; the longest lane first.

    Examples
    --------
    >>> from dataclasses import replace
    >>> one = CLAIMS["rpd.cor-c1"]
    >>> lanes([replace(one, shares="", cost=3), replace(one, shares="laws", cost=2)] * 2)
    [[1, 3], [0], [2]]
    """
    found: dict[str | int, list[int]] = {}
    for number, claim in enumerate(claims):
        found.setdefault(claim.shares or number, []).append(number)
    return sorted(found.values(), key=lambda lane: -sum(claims[number].cost for number in lane))


def _next(lane: list[int], waiting: list[list[int]], first: int) -> int | None:
    """Take the next claim before `first` from a lane, or from the next lane if it is empty."""
    while lane or waiting:
        if not lane:
            lane += waiting.pop(0)
        number = lane.pop(0)
        if number < first:
            return number
    return None


def _row_or_raise(answer: Row | TheoryError) -> Row:
    if isinstance(answer, Row):
        return answer
    raise answer


@contextmanager
def _started(count: int, how: Judge) -> Iterator[list[Worker]]:
    """Processes that end with this block, however it ends."""
    workers: list[Worker] = []
    try:
        with _interrupts_held_back():
            while len(workers) < count:
                workers.append(_start(how))
        yield list(workers)
    finally:
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()
            worker.connection.close()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Start processes that never see Ctrl-C: this one does, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its own start would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(how: Judge) -> Worker:
    # spawn: threads of numerical libraries do not survive a fork
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, how))
    try:
        process.start()
    except OSError as error:
        raise WorkerError(
            f"a process cannot be started ({error.strerror})", "-j", "try -j 1"
        ) from error
    theirs.close()
    return Worker(process, mine)


def _hand(worker: Worker, claim: Claim) -> None:
    try:
        worker.connection.send(Reference(claim.source, claim.id))
    except OSError as error:
        raise _gone(worker, claim) from error


def _answer(worker: Worker, claim: Claim) -> Row | TheoryError:
    try:
        answer: Row | TheoryError = worker.connection.recv()
    except (EOFError, OSError) as error:
        raise _gone(worker, claim) from error
    return answer


def _gone(worker: Worker, claim: Claim) -> WorkerError:
    worker.process.join(timeout=1)
    code = worker.process.exitcode
    how = "closed its connection"
    if code is not None:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return WorkerError(
        f"the process that judged it {how}", claim.id, "give it more memory, or try -j 1"
    )


def serve(connection: Connection, how: Judge) -> None:
    """Judge what is asked for, one claim after the other, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems where it could not be held back
    sys.stdout = sys.stderr  # results go another way, and stdout may have to be one JSON object
    try:
        while True:
            connection.send(_judged(connection.recv(), how))
    except (EOFError, OSError):
        return


def _judged(reference: Reference, how: Judge) -> Row | TheoryError:
    try:
        claim = reference.claim()
        if claim is None:
            raise ClaimFileError(
                f"{reference.id} has gone from it", str(reference.source), "let it be, then repeat"
            )
        return how(claim)
    except TheoryError as error:
        return error
