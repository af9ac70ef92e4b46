"""Starting a process a rank, or joining those that ``torchrun`` has started.

Processes are forked from a server that has torch loaded already. Nobody is left behind: a rank ends
with the process that started it, whatever ends that one.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Final

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import TCPStore
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from gpu_validation.devices import launched_number
from gpu_validation.errors import CapacityError, RankFailedError
from gpu_validation.event_log import Sink, forget
from gpu_validation.interruption import termination_as_interruption
from gpu_validation.repeatable import keep_to_one_torch_thread
from gpu_validation.spec import Launched, RankOutcome, RunSpec
from gpu_validation.transports.board import Board, End
from gpu_validation.transports.member import Member, Program, Run
from gpu_validation.transports.watching import Watcher, store_gone

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

HOST: Final = "127.0.0.1"
"""Ranks that are started here talk over the loopback interface only."""

MOST_PROCESSES: Final = 64
"""Ranks that are started here. Their connections grow with the square of this number."""

IDLE_SECONDS: Final = 0.01
JOIN_SECONDS: Final = 2.0
ENVIRONMENT: Final = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""What ``torchrun`` sets; SLURM scripts set them too."""

Connect = Callable[["Store", int, int], Program]
"""``connect(store, rank, ranks)``: join a process group; returns what a rank does in a run. A
function of a module, so that another process can import it."""

_groups = itertools.count()


def under_torchrun() -> bool:
    """Whether the ranks have been started already and this process is one of them."""
    return all(name in os.environ for name in ENVIRONMENT)


@contextmanager
def processes(connect: Connect, ranks: int) -> Iterator[ForkedGroup | JoinedGroup]:
    """Give a group of processes.

    Raises `CapacityError`: there are more ranks than one machine takes processes, or ``torchrun``
    has started another number of them.
    """
    if ranks > MOST_PROCESSES and not under_torchrun():
        raise CapacityError(
            f"at most {MOST_PROCESSES} ranks run as processes of one machine, each with torch and "
            f"a connection to every other one; found p = {ranks}",
            "-p",
            f"take {MOST_PROCESSES} or fewer, or --transport threads, or start the ranks on "
            "several machines with torchrun",
        )
    group = JoinedGroup(connect, ranks) if under_torchrun() else ForkedGroup(connect, ranks)
    try:
        yield group
    finally:
        group.close()


class ForkedGroup:
    """Ranks that are processes on this machine; see `gpu_validation.transports.Group`.

    - `pids`: their process numbers, empty before the first run and after a failure.
    """

    def __init__(self, connect: Connect, ranks: int) -> None:
        self._connect, self._ranks = connect, ranks
        self._processes: list[BaseProcess] = []
        self._store: TCPStore | None = None
        self._number = 0

    @property
    def pids(self) -> tuple[int, ...]:
        """The process numbers of the ranks."""
        return tuple(process.pid or 0 for process in self._processes)

    def run(self, spec: RunSpec, sink: Sink = forget) -> Launched:
        """Run once; after a failure all processes are ended, and the next run starts others."""
        try:
            board = Board(self._started(), self._number)
            self._number += 1
            board.start(spec)
            launched = Watcher(board, self._ranks, spec.timeout, self._dead, sink).watch()
        except BaseException:
            self.close()
            raise
        if launched.failure is not None:
            self.close()
        return launched

    def close(self) -> None:
        """End the processes."""
        if self._store is not None:
            self._store.set("leave", "now")
        until = time.monotonic() + (JOIN_SECONDS if not self._dead() else 0.0)
        for process in self._processes:
            process.join(max(0.0, until - time.monotonic()))
            # A process that is stopped or stuck answers to nothing else.
            process.kill()
            process.join()
        self._processes, self._store = [], None

    def _started(self) -> TCPStore:
        """The store of the ranks; starts them if need be."""
        if self._store is not None:
            return self._store
        # The system chooses a free port, and nobody can take it in between.
        self._store = TCPStore(HOST, 0, is_master=True, wait_for_workers=False)
        self._number = 0
        context = multiprocessing.get_context("forkserver")
        start_server()
        for rank in range(self._ranks):
            place = self._connect, rank, self._ranks, self._store.port
            process = context.Process(target=_serve, args=place, name=f"rank {rank}", daemon=True)
            process.start()
            self._processes.append(process)
        return self._store

    def _dead(self) -> dict[int, str]:
        codes = {rank: process.exitcode for rank, process in enumerate(self._processes)}
        return {rank: _worded(code) for rank, code in codes.items() if code is not None}


def _worded(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"with exit code {code}"
    known = {int(number): number.name for number in signal.Signals}
    return f"by signal {known.get(-code, -code)}"


def _serve(connect: Connect, rank: int, ranks: int, port: int) -> None:
    """Be a rank until the group is closed: the main function of a forked process."""
    # Ctrl-C reaches every process of a terminal; the one that started the ranks decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # One that is interrupted while it starts this rank does not know of it, and cannot end it.
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    keep_to_one_torch_thread()
    _use_loopback()
    store = TCPStore(HOST, port, is_master=False)
    links = PrefixStore("links", TCPStore(HOST, port, is_master=False))
    try:
        program = connect(links, rank, ranks)
    except Exception as error:
        Board(store, 0).end(rank, _could_not_join(rank, error))
        os._exit(1)
    number = 0
    while not store.check(["leave"]):
        board = Board(store, number)
        spec = board.spec()
        if spec is None:
            time.sleep(IDLE_SECONDS)
            continue
        run = Run(program, spec, Member(rank, ranks, number, board))
        run.start()
        while not run.attend():
            pass
        if board.stopped() is not None:
            break
        number += 1
    # Threads that are stuck in a library would keep the interpreter from ending.
    os._exit(0)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _use_loopback() -> None:
    names = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    if names:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", names[0])
        os.environ.setdefault("NCCL_SOCKET_IFNAME", names[0])


def _could_not_join(rank: int, error: Exception) -> End:
    failure = RankFailedError(
        f"every rank joins the others, but rank {rank} raises {type(error).__name__}: {error}",
        f"rank {rank}",
        "correct what the error says",
        rank,
    )
    return End(RankOutcome(rank), False, failure)


class JoinedGroup:
    """Ranks that ``torchrun`` has started, one of them this process.

    Every process calls `run` with the same specifications in the same order, and all get the
    same result.
    """

    def __init__(self, connect: Connect, ranks: int) -> None:
        world, self._rank = launched_number("WORLD_SIZE"), launched_number("RANK")
        if world != ranks:
            raise CapacityError(
                f"a schedule of {ranks} ranks runs in as many processes, but torchrun has "
                f"started {world}",
                "-p",
                f"take -p {world}, or start torchrun with {ranks} processes",
            )
        self._ranks, self._number, self._broken = ranks, 0, False
        name = f"group {next(_groups)}/"
        self._store = PrefixStore(name, _torchrun_store())
        self._threads = torch.get_num_threads()
        keep_to_one_torch_thread()
        links = PrefixStore(f"{name}links/", _torchrun_store())
        self._program = connect(links, self._rank, ranks)

    def run(self, spec: RunSpec, sink: Sink = forget) -> Launched:
        """Run once."""
        board = Board(self._store, self._number)
        run = Run(self._program, spec, Member(self._rank, self._ranks, self._number, board))
        self._number += 1
        # Until it is over it counts as broken: who is interrupted has nobody to say farewell to.
        self._broken = True
        run.start()
        threading.Thread(target=_attend, args=(run,), daemon=True).start()
        with termination_as_interruption():
            if self._rank == 0:
                launched = Watcher(board, self._ranks, spec.timeout, None, sink).watch()
                with suppress(dist.DistError):
                    board.close(launched)
            else:
                launched = self._told(board)
        self._broken = launched.failure is not None
        return launched

    def _told(self, board: Board) -> Launched:
        """How the run went, as rank 0 says once it is over."""
        try:
            while not board.over():
                time.sleep(IDLE_SECONDS)
            return board.launched()
        except dist.DistError:
            return Launched(tuple(map(RankOutcome, range(self._ranks))), store_gone())

    def close(self) -> None:
        """Leave the others."""
        torch.set_num_threads(self._threads)
        if not self._broken:
            dist.destroy_process_group()


def _torchrun_store() -> Store:
    """A connection of its own to the store that ``torchrun`` names."""
    store, _, _ = next(rendezvous("env://"))
    found: Store = store
    return found


def _attend(run: Run) -> None:
    with suppress(dist.DistError):
        while not run.attend():
            pass


PRELOADED: Final = (
    "gpu_validation.transports.gloo",
    "gpu_validation.transports.torch_runtime.drivers",
)
"""What the server imports before it forks; torch is most of it."""


def start_server() -> None:
    """Start the server, if it does not run yet.

    Ctrl-C reaches every process of a terminal, and a server that is still importing would print
    where it was. A signal that comes meanwhile is held back, not lost.
    """
    forkserver.set_forkserver_preload(list(PRELOADED))
    # It unblocks the signal when it starts, so it comes first.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
