"""What a worker process does: it reads claim files and judges claims, one request after the other.

A claim file is code of its own: it may write where it likes, fork, or end the process. None of
that may reach the process that asks: it gets an answer, or sees that the worker has gone.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

from schedules.user_code import place_in, reason
from theory.account import Account
from theory.claims import Claim, Formulas
from theory.errors import ClaimFileError, ProverError, TheoryError
from theory.falsifier.effort import effort
from theory.judging.catalogue import CLAIMS
from theory.judging.loading import content_of, load, loaded
from theory.judging.starting import replace_environment
from theory.ledger import Row

Judge = Callable[[Claim], Row]


@dataclass(frozen=True)
class Elsewhere:
    """Stands for a prover that this process does not have: its file was read by another one.

    Attributes
    ----------
    content : str
        Digest of the file as it was read.
    """

    content: str

    def __call__(self, formulas: Formulas) -> Account:
        """Refuse: only a process that has read the file can judge."""
        raise ProverError("its file was read by another process", "judge", "verify it with others")


@dataclass(frozen=True)
class Reading:
    """A request for the claims of a file."""

    path: str


@dataclass(frozen=True)
class Reference:
    """Where a claim is found in any process: an id and a file with this content, or the catalogue.

    Asks for a row.
    """

    source: str | None
    id: str
    content: str = ""

    @classmethod
    def to(cls, claim: Claim) -> Reference:
        """The reference to a claim."""
        if isinstance(claim.account, Elsewhere):
            return cls(claim.source, claim.id, claim.account.content)
        return cls(claim.source, claim.id, content_of(claim.source) if claim.source else "")

    def claim(self) -> Claim | None:
        """The claim itself."""
        return CLAIMS.get(self.id) if self.source is None else loaded(self.source, self.id)


@dataclass(frozen=True)
class Word:
    """What a process says before it answers: how far an attack is."""

    text: str


def serve(connection: Connection, how: Judge, environment: Mapping[str, str]) -> None:
    """Answer what is asked for, until nobody asks any more."""
    replace_environment(environment)
    gc.freeze()  # what was imported before is kept, and need not be looked through
    gc.enable()
    gc.set_threshold(100_000, 20, 20)  # formulas are kept anyway: a twentieth of the time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems where it could not be held back
    _end_with_the_parent()
    with suppress(OSError):
        os.dup2(2, 1)  # results go another way, and stdout may have to be one JSON object
    sys.stdout = sys.stderr
    this = os.getpid()
    try:
        while True:
            request = connection.recv()
            with effort(told=lambda text: connection.send(Word(text))):
                answer = _packed(answered(request, how), request)
            if os.getpid() != this:
                os._exit(1)  # a copy of this process that a claim made: it has nothing to say
            connection.send_bytes(answer)
    except (EOFError, OSError):
        return


def _end_with_the_parent() -> None:
    """Let this process end when the one that started it does, however that ends."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()


def answered(request: Reading | Reference, how: Judge) -> list[Claim] | Row | TheoryError:
    """The claims of a file, without what cannot travel; a row; or the error that came instead."""
    path = request.path if isinstance(request, Reading) else request.source
    try:
        if isinstance(request, Reading):
            return [_outline(claim, content_of(request.path)) for claim in load(request.path)]
        return _judged(request, how)
    except TheoryError as error:
        if type(error).__module__.startswith("theory."):
            return error
        return ClaimFileError(str(error.what), str(error.where), str(error.fix))
    except BaseException as error:  # whatever a file raises, KeyboardInterrupt too, is the file's
        place = "the catalogue" if path is None else place_in(path, error)
        if isinstance(request, Reading):
            return ClaimFileError(f"stopped with {reason(error)}", place, "correct the line")
        return ProverError(
            f"the prover stopped with {reason(error)}",
            f"{request.id} ({place})",
            "correct the claim file",
        )


def _outline(claim: Claim, content: str) -> Claim:
    """All of a claim that can travel between processes."""
    return Claim(
        claim.id,
        claim.where,
        claim.statement,
        claim.latex,
        account=Elsewhere(content),
        depends=claim.depends,
        cost=claim.cost,
        shares=claim.shares,
        source=claim.source,
    )


def _judged(reference: Reference, how: Judge) -> Row:
    claim = reference.claim()
    if reference.source is not None and content_of(reference.source) != reference.content:
        raise ClaimFileError(
            "the file has changed since it was read", reference.source, "let it be, then repeat"
        )
    if claim is None:
        raise ClaimFileError(
            f"{reference.id} has gone from it", str(reference.source), "let it be, then repeat"
        )
    return how(claim)


def _packed(answer: Any, request: Reading | Reference) -> Any:
    """The answer as bytes; a row may hold what its prover put there, and that may not travel."""
    try:
        return ForkingPickler.dumps(answer)
    except Exception as error:
        where = request.path if isinstance(request, Reading) else request.id
        return ForkingPickler.dumps(
            ProverError(
                f"what it returns is no plain data: {reason(error)}", where, "correct the claim"
            )
        )
