"""`Outcome`: what checking one target came to, as every form of the result prints it."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from schedules import WeightPolicy
from schedules.invariants import BASE
from schedules.linearization import DEFAULT
from schedules.messages.model import QueueModel
from staleproof.sources import FILE_POLICY

FEW: Final = 5
"""Faults of one invariant that people are shown; JSON has all."""

LEAST_BUFFERS: Final = 2
"""Pipe buffers that DeepSpeed gives every stage at least."""

OF_MESSAGES: Final = ("match", "deadlock-free")
"""Invariants that hold of nothing where there are no messages."""


@dataclass(frozen=True)
class Fault:
    """A violation, and what shows it.

    Attributes
    ----------
    invariant, message, place : str
    witness : mapping
        The values as plain data.
    line : int or None
        Line of the target's file that the place names.
    excerpt : tuple of str
        A small timeline around it; empty where another fault of the invariant shows one.
    """

    invariant: str
    message: str
    place: str
    witness: Mapping[str, object]
    line: int | None = None
    excerpt: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many violations it stands for: the last of a long list counts the others."""
        more = self.witness.get("more")
        return more if isinstance(more, int) and "mistakes" in self.witness else 1

    @property
    def steps(self) -> tuple[str, ...]:
        """The last steps before a run hangs, in words."""
        steps = self.witness.get("steps", ())
        return tuple(map(str, steps)) if isinstance(steps, Sequence) else ()


@dataclass(frozen=True)
class Outcome:
    """What checking one target came to.

    Attributes
    ----------
    target : str
    ok : bool
        Nothing is violated and nothing that is required is undecided.
    actions : int
    has_messages, from_file : bool
    model : QueueModel
    policy : WeightPolicy
    required : tuple of str
        The terms asked for, such as ``staleness<=3``.
    decided : tuple of str
        Names of the invariants that were decided, those that do not hold among them.
    undecided : tuple of (str, str)
        Invariants that were not, and why.
    faults : tuple of Fault
    facts : mapping
    pictures : tuple of str
        Files written.
    query : str or None
        SMT-LIB file written.
    linearization : str
        How global delays are counted.
    assumed : bool
        Whether the policy is not stated by the file, nor asked for.
    lowered : bool
        Whether messages were to be added where there are none.
    """

    target: str
    ok: bool
    actions: int
    has_messages: bool
    from_file: bool
    model: QueueModel
    policy: WeightPolicy
    required: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    faults: tuple[Fault, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[str, ...] = ()
    query: str | None = None
    linearization: str = DEFAULT
    assumed: bool = False
    lowered: bool = False

    @property
    def broken(self) -> tuple[str, ...]:
        """Invariants that do not hold, each once, in the order found."""
        return tuple(dict.fromkeys(fault.invariant for fault in self.faults))

    @property
    def held(self) -> tuple[str, ...]:
        """Invariants that were decided and hold; what holds of nothing is left out."""
        left_out = {*self.broken, *self.of_nothing}
        return tuple(name for name in self.decided if name not in left_out)

    @property
    def of_nothing(self) -> tuple[str, ...]:
        """Invariants of messages that were decided where there are none."""
        if self.has_messages:
            return ()
        return tuple(name for name in OF_MESSAGES if name in self.decided)

    @property
    def open_base(self) -> tuple[str, ...]:
        """What does not hold, or is undecided, of what is always decided."""
        undecided = [name for name, _ in self.undecided]
        return tuple(name for name in BASE if name in self.broken or name in undecided)

    @property
    def grounds(self) -> tuple[str, ...]:
        """The weights, and the count of delays, that the result rests on."""
        name, interval = self.policy.name, self.policy.interval
        every = f", an update every {interval} gradients" if interval > 1 else ""
        source = " (assumed, the file states none)" if self.assumed else ""
        policy = f"policy {name}{'' if name == FILE_POLICY else every}{source}"
        counted = any(text.startswith("delay<=") for text in self.required)
        return (policy, *((f"delay counted {self.linearization}",) if counted else ()))

    def foremost(self, invariant: str) -> tuple[tuple[Fault, ...], int]:
        """The first faults of an invariant, and how many more there are."""
        own = [fault for fault in self.faults if fault.invariant == invariant]
        return tuple(own[:FEW]), sum(fault.count for fault in own[FEW:])

    def term(self, name: str) -> str:
        """An invariant as it was required, with its bound."""
        named = (text for text in self.required if text.partition("<=")[0] == name)
        return next(named, name)

    @property
    def findings(self) -> tuple[str, ...]:
        """What is worth knowing although it breaks nothing that was required."""
        return (*self._unbuffered, *self._superfluous, *self.facts.get("amiss", ()))

    @property
    def _superfluous(self) -> Iterator[str]:
        """Ranks with more buffers than they use, and than DeepSpeed gives each at least."""
        stated, used = self.facts.get("pipe_buffers", ()), self.facts.get("buffers_used", ())
        for rank, (has, needs) in enumerate(zip(stated, used, strict=True)):
            if has > max(needs, LEAST_BUFFERS):
                yield (
                    f"more buffers than are used: rank {rank} has {has}, and at most {needs} hold "
                    f"something at one time ({max(needs, LEAST_BUFFERS)} would do)"
                )

    @property
    def _unbuffered(self) -> tuple[str, ...]:
        least = self.facts.get("deadlock", {}).get(self.model.queues)
        if not least or set(self.open_base) - {"deadlock-free"}:  # small tests would fail as well
            return ()
        plural = "s" if least > 1 else ""
        return (
            f"small tests pass, large messages hang: with {_queues(self.model)} it needs room for "
            f"{least} message{plural} a channel, and a large message has none (--buffer 0)",
        )


@dataclass(frozen=True)
class Unreadable:
    """A target that could not be looked at.

    Attributes
    ----------
    target, what, where, fix : str
        As the error says.
    """

    target: str
    what: str
    where: str
    fix: str
    ok: bool = False

    @property
    def message(self) -> str:
        """All of it in a line."""
        return f"{self.where}: {self.what}; {self.fix}"

    @property
    def error(self) -> dict[str, str]:
        """All of it as plain data."""
        return {"what": self.what, "where": self.where, "fix": self.fix}


Result = Outcome | Unreadable
"""What a target came to."""


def plain(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain data, for JSON.

    Examples
    --------
    >>> model, policy = QueueModel("peer", None), WeightPolicy("stash")
    >>> found = plain(Outcome("a.csv", True, 8, False, True, model, policy))
    >>> found["ok"], found["model"]
    (True, {'queues': 'peer', 'buffer': None})
    """
    model = outcome.model
    found: dict[str, Any] = {
        "target": outcome.target,
        "ok": outcome.ok,
        "actions": outcome.actions,
        "has_messages": outcome.has_messages,
        "model": {"queues": model.queues, "buffer": model.buffer},
        "policy": {**dataclasses.asdict(outcome.policy), "assumed": outcome.assumed},
        "linearization": outcome.linearization,
        "required": list(outcome.required),
        "decided": list(outcome.decided),
        "undecided": [{"invariant": name, "why": why} for name, why in outcome.undecided],
        "violations": [
            {
                "invariant": fault.invariant,
                "message": fault.message,
                "place": fault.place,
                "witness": fault.witness,
            }
            for fault in outcome.faults
        ],
        "findings": list(outcome.findings),
        "facts": outcome.facts,
    }
    if outcome.pictures:
        found["pictures"] = list(outcome.pictures)
    if outcome.query is not None:
        found["smt"] = outcome.query
    return found


def plain_results(outcomes: Sequence[Result]) -> dict[str, Any]:
    """One outcome as it is; several under ``results``, and the first ``error`` if there is any."""
    if len(outcomes) == 1 and isinstance(outcomes[0], Outcome):
        return plain(outcomes[0])
    errors = [each.error for each in outcomes if isinstance(each, Unreadable)]
    return {
        **({"error": errors[0]} if errors else {}),
        "ok": all(outcome.ok for outcome in outcomes),
        "results": [
            {"target": each.target, "ok": False, "error": each.error}
            if isinstance(each, Unreadable)
            else plain(each)
            for each in outcomes
        ],
    }


def _queues(model: QueueModel) -> str:
    return str(model).partition(",")[0]
