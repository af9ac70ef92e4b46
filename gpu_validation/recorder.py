"""`Recorder`: which weights a training loop really used. One file; needs torch and nothing else.

Import it (``from gpu_validation import Recorder``) or copy this file into a training repository:

    rec = Recorder("logs", rank=r, ranks=P, microbatches=M)
    with rec.forward(stage=s, microbatch=m, weights=W):
        ...                     # W: a Module, or name → tensor, that this forward uses
    with rec.backward(stage=s, microbatch=m, weights=W):
        ...                     # the weights that this backward uses
    with rec.update(stage=s, microbatch=m, weights=module):
        optimizer.step()
    rec.close()

or let hooks do it: ``rec.attach(module, optimizer)``, ``rec.attach(schedule, optimizer)`` with a
schedule of `torch.distributed.pipelining`. Every rank writes ``DIRECTORY/rank<r>.jsonl``, a line an
event, each written to the end at once. ``staleproof measure --check DIRECTORY --against FAMILY``
judges the files of all ranks. docs/how-to/recording.md explains every key.

**Versions come from contents.** Every block reads all its weights (with ``part=K``, a K-th of those
that autograd says nobody has written to) and keeps a fingerprint a tensor.
Version 0 is what the first block of a stage finds, version k what its k-th update left, and what a
block used is the version with that content. Which tensor objects they are decides only where two
versions have the same content. Where weights changed between a forward and its backward, what that
backward reads is watched. An update that wrote nothing makes no version. What is no version is
logged as such, never guessed. The plan (schedule, policy) is not looked at.

A block should hold the computation only: with sends and receives inside, its times cover these.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import json
import os
import random
import secrets
import socket
import threading
import time
import weakref
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial, wraps
from operator import index, itemgetter
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils._python_dispatch import TorchDispatchMode

FORMAT = 1
"""Version of what this file writes; the header's parameter ``recorder``."""

KEPT = 1024
"""Versions of a stage that are remembered; what is older is undecided."""

ROW = 2048
"""Bytes that are made into a few numbers before they are hashed."""

IN_FLIGHT = 256
"""Forwards that are remembered until their backwards come."""

FEW = 4
"""Weights of a stage whose gradients are recognised: the smallest of 8 elements or more."""

SMALL = 1 << 14
"""Bytes up to which a tensor is hashed as it is."""

TWO_FORWARDS = (
    "; every forward of an attached module in train() mode counts: where a step has two, record it "
    "by blocks, both in one rec.forward"
)

CACHED = (
    "{} has changed since something was made of it that is cached (by autocast, or by "
    "parametrize.cached): leave that context before every update, or switch its cache off"
)

CHANGED = (
    "{} is not what its forward read, and nobody saw which of the two its graph uses: leave the "
    "forward's tensors as they are until the backward (blocks see more of it than hooks)"
)

OTHER = (
    "while its backward was computed, {} was read as another update left it: hand over what the "
    "backward reads (a recomputed forward, a function or a hook of your own may read the module's)"
)

UNSEEN = (
    "nothing was seen to be written, by what may be an update that changes no weight (a gradient "
    "of zero, a step that bfloat16 weights round away)"
)

TWICE = "an optimizer of other tensors, such as masters of its weights, stepped twice in its block"

UNUSED = (
    "nothing that its backward was seen to compute uses {} or what else it was given, and weights "
    "of other versions are there: hand over what it uses, and compute in the thread of its block"
)

WITHIN = (
    "{} was written to within its block, or got another .data: weights are looked at as a block "
    "begins, so put them there before it, and change them behind it"
)

ADDED = (
    "the gradient of {} lay as an update had found it and was added to, and nobody saw whether it "
    "was zeroed first, or not applied: zero gradients before the backward"
)

_random = random.Random(0)
FACTORS = [[_random.randint(-(1 << 13), 1 << 13) for _ in range(4)] for _ in range(ROW // 4)]
"""By which the 32-bit integers of a row are multiplied, for 4 sums: all less than 2⁵³, so exact.

Of any two rows that differ, less than one choice of factors in 2⁵⁶ gives the same sums.
"""

Weights = nn.Module | Mapping[str, Tensor]
Marks = Mapping[str, tuple[Callable[[], Any], tuple[int, int] | None]]
"""By name, which tensor object it was and its `_state`."""


class RecorderError(ValueError):
    """A recorder was asked for what it cannot record; the message says what to do instead."""


class Fingerprint:
    """Fingerprint of the content of a tensor, which a GPU may know only later.

    blake2b over type, shape and bytes; of more than `SMALL` bytes, over 4 sums of every `ROW`
    bytes, times `FACTORS`, so that memory is read once and nothing else is waited for.

    Examples
    --------
    >>> one, other = torch.zeros(9999), torch.zeros(9999)
    >>> other[1234] = 1e-30
    >>> Fingerprint(one).digest() == Fingerprint(other).digest()
    False
    >>> Fingerprint(one).digest() == Fingerprint(one.clone()).digest()
    True
    """

    def __init__(self, tensor: Tensor, keep: bool = False) -> None:
        self._keep = keep
        self.kind = str(tensor.dtype), tuple(tensor.shape)
        self._parts = _condensed(tensor)
        self.long = len(self._parts) > 1  # Sums of rows are hashed, and not the tensor itself.
        self._event: Any = None
        self._digest: bytes | None = None
        self._turn = 0
        if tensor.device.type == "cuda":
            self._parts = [part.to("cpu", non_blocking=True) for part in self._parts]
            self._event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._event.record()
        else:
            self.digest()

    def ready(self) -> bool:
        """Whether `digest` need not wait."""
        return self._digest is not None or bool(self._event.query())

    def digest(self) -> bytes:
        """16 bytes."""
        if self._digest is None:
            if self._event is not None:
                self._event.synchronize()
            head = "{} {}".format(*self.kind).encode()
            found = hashlib.blake2b(head, digest_size=16)
            for part in self._parts:
                found.update(_bytes(part if part.device.type == "cpu" else part.cpu()))
            self._digest = found.digest()
            if not (self.long and self._keep):
                self._parts = []  # Of a short tensor, a view of it.
        return self._digest

    def zero(self) -> bytes:
        """What zeros would have."""
        dtype, shape = self.kind
        return Fingerprint(torch.zeros(shape, dtype=getattr(torch, dtype[6:]))).digest()

    def fits(self, tensor: Tensor, step: int) -> bool:
        """Whether every `step`-th row of a `long` tensor still has its sum; in turn, all of them.

        Asked of one that was told to ``keep`` the sums.

        Examples
        --------
        >>> weights = torch.zeros(99999)
        >>> found = Fingerprint(weights, keep=True)
        >>> weights.data[2 * ROW // 4] = 1  # In row 2 of every 3.
        >>> [found.fits(weights, 3) for _ in range(3)]
        [True, True, False]
        """
        first, self._turn = self._turn % step, self._turn + 1
        now, tail = _condensed(tensor, first, step)
        return torch.equal(now, self._parts[0][first::step]) and torch.equal(tail, self._parts[1])


def _condensed(tensor: Tensor, first: int = 0, step: int = 1) -> list[Tensor]:
    """What of a tensor is hashed, on its device; of a long one, of every `step`-th row."""
    with torch._C._DisableFuncTorch():  # `torch.func.grad` wraps what is made within it.
        data = tensor.detach()
        if data.is_conj() or data.is_neg():
            data = data.resolve_conj().resolve_neg()
        data = data.contiguous()
        if data.nbytes <= SMALL:
            return [data.clone() if data.device.type == "cuda" else data]
        data = data.reshape(-1).view(torch.uint8)
        if data.storage_offset() % 8:
            data = data.clone()
        whole = data.nbytes // ROW * ROW
        rows = data[:whole].view(torch.int32).view(-1, ROW // 4)[first::step]
        return [_sums(rows), data[whole:].clone()]


@cache
def _factors(device: Any, dtype: Any) -> Tensor:
    return torch.tensor(FACTORS, dtype=dtype, device=device)


def _sums(rows: Tensor) -> Tensor:
    """Sums of rows times `FACTORS`: by BLAS, a cache at a time; where it may refuse, by hand."""
    if rows.device.type == "cpu":
        factors = _factors(rows.device, torch.float64)
        return torch.cat([part.double() @ factors for part in torch.split(rows, 128)]).long()
    by = _factors(rows.device, torch.int64).t()
    parts = torch.split(rows, 1 << 16)  # So that products take no more than 256 MiB.
    return torch.cat([torch.stack([(part * each).sum(1) for each in by], 1) for part in parts])


def _bytes(tensor: Tensor) -> Any:
    """The memory of a contiguous tensor on the CPU, as a buffer."""
    return (ctypes.c_char * tensor.nbytes).from_address(tensor.data_ptr()) if tensor.nbytes else b""


def tensors_of(weights: Weights, place: str) -> dict[str, Tensor]:
    """Name → tensor of what a block is given.

    Raises
    ------
    RecorderError
        It is no module and no mapping, holds no tensor, or tensors whose content is not all here
        (FSDP, DTensor, meta).

    Examples
    --------
    >>> list(tensors_of(nn.Linear(2, 2), "stage 0"))
    ['weight', 'bias']
    """
    if isinstance(weights, nn.Module):
        wrapped = {type(module).__name__ for module in weights.modules()}
        found: dict[str, Tensor] = dict(_unwrapped(weights).named_parameters())
    elif isinstance(weights, Mapping):
        wrapped, found = set(), dict(weights)
    else:
        raise RecorderError(
            f"{place}: weights are a torch Module or a mapping name → tensor, found "
            f"{type(weights).__name__}: hand over the module, or dict(module.named_parameters())"
        )
    if not found or not all(isinstance(tensor, Tensor) for tensor in found.values()):
        raise RecorderError(
            f"{place}: weights hold at least one tensor and nothing else, found "
            f"{sorted({type(entry).__name__ for entry in found.values()}) or 'nothing'}: a stage "
            "without parameters has no versions, so leave its blocks out"
        )
    bases = {base: base.__name__ for kind in map(type, found.values()) for base in kind.__mro__}
    sharded = tuple(base for base, name in bases.items() if name in ("DTensor", "FlatParameter"))
    found = {name: _plain(tensor) for name, tensor in found.items()}
    for name, tensor in found.items():
        if isinstance(tensor, sharded) or "FullyShardedDataParallel" in wrapped:
            raise RecorderError(
                f"{place}: {name} is sharded (FSDP or DTensor), so that no rank has its whole "
                "content: record with DDP or plain parameters, or hand over the full tensors"
            )
        if tensor.layout != torch.strided or (tensor.numel() and not tensor.data_ptr()):
            kind = f"{type(tensor).__name__}, {tensor.device.type}, {tensor.layout}"
            raise RecorderError(
                f"{place}: {name} has no plain content ({kind}): "
                "hand over dense tensors that are in memory"
            )
    return found


def _unwrapped(module: nn.Module) -> nn.Module:
    """What ``torch.compile`` or DDP was given, so that a weight has one name with and without."""
    inner = {"OptimizedModule": "_orig_mod", "DistributedDataParallel": "module"}
    while (name := inner.get(type(module).__name__)) is not None:
        module = getattr(module, name)
    return module


def _plain(tensor: Tensor) -> Tensor:
    """What `torch.func.grad` and `vmap` were given."""
    functorch = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def _state(tensor: Tensor) -> tuple[int, int] | None:
    """Writes to a tensor, as autograd counts, and where it lies; None where nobody counts."""
    try:
        return tensor._version, tensor.data_ptr() if tensor.layout == torch.strided else 0
    except RuntimeError:  # An inference tensor.
        return None


def marks_of(tensors: Mapping[str, Tensor]) -> Marks:
    """Identity of tensors now."""
    return {name: (weakref.ref(tensor), _state(tensor)) for name, tensor in tensors.items()}


def _made(steps: Sequence[Any]) -> bool:
    """Whether there is a step that no scaler skips."""
    return any(skipped is None or not bool(skipped) for skipped in steps)


def _leaf(tensor: Tensor) -> Tensor:
    """What a weight is a view of, if that is where its gradient goes, or itself."""
    base = tensor._base
    if base is None or not (base.is_leaf and base.requires_grad):
        return tensor
    with suppress(RuntimeError):  # One of several views of one operation, that was written to.
        return tensor if tensor.is_leaf and tensor.requires_grad else base
    return base


def _gradient(tensor: Tensor) -> Tensor | None:
    """What lies in a weight, or in what it is a view of."""
    leaf = _leaf(tensor)
    with suppress(RuntimeError):
        return leaf.grad if leaf.is_leaf else None
    return None


def _untouched(before: Marks, now: Marks, parts: int = 2) -> bool:
    """Whether these are the same tensors, and none was written to; with 1 part, or moved."""
    return before.keys() == now.keys() and all(
        before[name][0]() is ref() is not None
        and state is not None
        and (before[name][1] or ())[:parts] == state[:parts]
        for name, (ref, state) in now.items()
    )


@dataclass
class Copy:
    """What is known of the weights of one stage.

    Attributes
    ----------
    count : int
        Updates so far; −1 before anything is known.
    newest : mapping
        Digest of every tensor after the last update.
    marks : mapping
        Which tensors that update left.
    kinds : mapping
        Type and shape of every tensor.
    written : set
        What needs no gradient, of layers to which forwards or backwards write: running means.
    """

    count: int = -1
    kinds: Mapping[str, Any] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    newest: Mapping[str, bytes] = field(default_factory=dict)
    marks: Marks = field(default_factory=dict)
    _known: dict[str, dict[bytes, set[int]]] = field(default_factory=dict)
    _history: deque[tuple[int, Mapping[str, bytes]]] = field(default_factory=deque)

    def register(self, digests: Mapping[str, bytes], marks: Marks) -> None:
        """Remember the next version."""
        self.count += 1
        self.newest, self.marks = digests, marks
        self._history.append((self.count, digests))
        for name, digest in digests.items():
            self._known.setdefault(name, {}).setdefault(digest, set()).add(self.count)
        if len(self._history) > KEPT:
            version, old = self._history.popleft()
            for name, digest in old.items():
                self._known[name][digest].discard(version)
                if not self._known[name][digest]:
                    del self._known[name][digest]

    def find(self, digests: Mapping[str, bytes], marks: Marks) -> tuple[int | None, dict[str, str]]:
        """The version with a content, or None and why: ``no_version`` or ``undecided``."""
        found = {name: self._known[name].get(digest, set()) for name, digest in digests.items()}
        same: set[int] | None = None
        # The fewest first: what is frozen is the same in every version.
        for name, versions in sorted(found.items(), key=lambda entry: len(entry[1])):
            if not versions:
                if _untouched(self.marks, marks):
                    return self.count, {}  # Its tensors, of other content: past autograd.
                if name in self.written:
                    return None, {"undecided": WITHIN.format(name)}
                if self.count >= KEPT:
                    return None, {"undecided": f"{name} is none of the last {KEPT} versions"}
                return None, {"no_version": f"no recorded update left {name} as it is"}
            before, same = same, versions if same is None else same & versions
            if before and not same:
                says = f"{name} is of version {_few(versions)}, what precedes it of {_few(before)}"
                return None, {"no_version": says}
        assert same is not None, "weights hold at least one tensor"
        if len(same) == 1:
            return next(iter(same)), {}
        if self.count in same and _untouched(self.marks, marks):
            return self.count, {}
        return None, {"undecided": f"versions {_few(same)} have the same content"}


def _few(versions: set[int]) -> str:
    shown = sorted(versions)
    return " or ".join(map(str, shown[:3])) + (" or more" if len(shown) > 3 else "")


@dataclass
class Known:
    """Fingerprints of tensors that are alive, so that not all of them are read again.

    Attributes
    ----------
    part : int
        Of a tensor that autograd says nobody wrote to, every so many-th row is read, each time the
        next ones; 1 reads all, always.
    """

    part: int = 1
    _seen: dict[int, tuple[Any, Any, Fingerprint]] = field(default_factory=dict)

    def look(self, tensor: Tensor, likely: bytes | None) -> tuple[Fingerprint, str]:
        """The fingerprint of a tensor, and how it was found.

        By reading ``part`` of it where it is what it is likely to be, else the ``whole``, or all,
        since the part had ``changed`` though autograd knows of no write.
        """
        way = "whole"
        key, state = id(tensor), _state(tensor)
        if key in self._seen and state is not None:
            ref, before, found = self._seen[key]
            if ref() is tensor and before == state and found.digest() == likely:
                if found.fits(tensor, self.part):
                    return found, "part"
                way = "changed"
        found = Fingerprint(tensor, self.part > 1)
        if self.part > 1 and found.long and tensor.device.type == "cpu":
            ref = weakref.ref(tensor, lambda _: self._seen.pop(key, None))
            self._seen[key] = ref, state, found
        return found, way


@dataclass(eq=False)
class Block:
    """What is being recorded; ``with rec.update(…) as block`` gives it.

    Attributes
    ----------
    weights : Module or mapping
        Of an update out of place: set it to the new weights before the block ends.
    """

    op: str
    stage: int
    microbatch: int
    pipeline: int
    weights: Weights
    tensors: dict[str, Tensor] = field(default_factory=dict)
    before: Marks = field(default_factory=dict)
    marks: Marks = field(default_factory=dict)
    prints: dict[str, Fingerprint] = field(default_factory=dict)
    found: dict[str, Fingerprint] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    gradients: dict[str, Gradient] = field(default_factory=dict)
    others: list[tuple[str, Fingerprint]] = field(default_factory=list)
    cached: list[tuple[str, Fingerprint]] = field(default_factory=list)
    written: list[tuple[str, Fingerprint]] = field(default_factory=list)
    cast: bool = False
    roots: list[Any] = field(default_factory=list)
    added: str | None = None
    graph: Graph = field(default_factory=lambda: Graph())
    doubtful: list[tuple[str, Fingerprint]] = field(default_factory=list)
    start: int = 0
    end: int = 0
    done: bool = False
    step: int | None = None
    hooked: bool = False
    steps: list[Any] = field(default_factory=list)
    beside: list[Any] = field(default_factory=list)
    graded: bool = False
    thread: int = field(default_factory=threading.get_ident)
    calls: Counter[int] = field(default_factory=Counter)
    hashed: bool = True
    extra: dict[str, Any] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)
    hooks: list[tuple[Any, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        where = self.stage, self.microbatch, self.pipeline  # Of numpy, as it may be.
        self.stage, self.microbatch, self.pipeline = map(index, where)

    @property
    def key(self) -> tuple[int, int]:
        """Whose weights."""
        return self.stage, self.pipeline

    @property
    def number(self) -> tuple[Any, ...]:
        """Which forward this is, or whose backward."""
        return self.step, self.stage, self.pipeline, self.microbatch

    def places(self) -> dict[str, Place]:
        """Where a forward has read its weights."""
        tensors = {n: t for n, (ref, _) in self.marks.items() if (t := ref()) is not None}
        graph = Derived(self.roots, {id(tensor): name for name, tensor in tensors.items()})
        self.roots.clear()
        more = graph.held | graph.unknown
        found = {n: Place.of(t, self.prints[n], n in more) for n, t in tensors.items()}
        return {name: place for name, place in found.items() if place is not None}

    def look(self, known: Known, likely: Mapping[str, bytes]) -> None:
        """Take the fingerprints of the weights as they are now; an update's are all read."""
        self.tensors = tensors_of(self.weights, f"{self.op} of stage {self.stage}")
        self.marks = marks_of(self.tensors)
        found = {name: known.look(t, likely.get(name)) for name, t in self.tensors.items()}
        self.prints = {name: entry for name, (entry, _) in found.items()}
        ways = {way for _, way in found.values()}
        self.hashed = "changed" in ways or "part" not in ways

    def stepped(self, optimizer: Any) -> None:
        """Note a step with gradients, and whether a scaler lets it write nothing.

        Of weights, or of what they are views of; or of other tensors, such as masters.
        """
        tensors = (tensor for group in optimizer.param_groups for tensor in group["params"])
        graded = {id(tensor) for tensor in tensors if tensor.grad is not None}
        told = [tensor for ref, _ in self.before.values() if (tensor := ref()) is not None]
        mine = graded.intersection(id(_leaf(tensor)) for tensor in told)
        if not mine and (not graded or threading.get_ident() != self.thread):
            return
        (self.steps if mine else self.beside).append(getattr(optimizer, "found_inf", None))
        self.calls.update(mine or graded)
        if (most := max(self.calls[each] for each in mine or graded)) > 1:
            self.extra |= {"steps": most} if mine else {"undecided": TWICE}

    def writes(self) -> bool:
        """Whether an update writes to weights, be it what they held before.

        A fused optimizer writes past autograd, and a scaler lets it skip a step from inside.
        """
        return not _untouched(self.before, self.marks, 1) or _made(self.steps)

    def applies(self, name: str, tensor: Tensor) -> bool:
        """Whether an update applied the gradient of a weight: no optimizer may have it."""
        return (
            id(_leaf(tensor)) in self.calls
            or self.before[name][1] != _state(tensor)
            or self.found[name].digest() != self.prints[name].digest()
        )

    def read(self, name: str, tensor: Tensor) -> None:
        """A module read a tensor: what was read counts, not what the block was given."""
        if name not in self.tensors:
            return
        self.cast |= torch.is_autocast_enabled(tensor.device.type)
        first = name not in self.reads
        self.reads.add(name)
        ref, state = self.marks[name]
        if ref() is tensor and state == _state(tensor):
            return
        if first:
            self.prints[name] = Fingerprint(tensor)
            self.marks = {**self.marks, name: (weakref.ref(tensor), _state(tensor))}
        else:
            self.others.append((name, Fingerprint(tensor)))

    def leave(self) -> None:
        """A forward or backward ends: note where its weights are others by now."""
        for name, (ref, state) in self.marks.items():
            tensor = ref()
            if tensor is not None and state != _state(tensor):
                self.written.append((name, Fingerprint(tensor)))

    def unsure(self) -> dict[str, str]:
        """Why no version is known where other contents of a weight may have been used as well."""
        if self.added is not None:
            return {"undecided": ADDED.format(self.added)}
        for key, found, says in (
            ("undecided", self.doubtful, CHANGED),
            ("no_version", self.others, "{} was read twice, and its content differs"),
            ("undecided", self.written, WITHIN),
            ("undecided", self.cached, CACHED),
            ("undecided", self.graph.others, OTHER),
        ):
            for name, other in found:
                if other.digest() != self.prints[name].digest():
                    return {key: says.format(name)}
        # What was read elsewhere is as good as what was given, where it has the same content.
        if self.graph.unused and not (self.graph.others or self.reads):
            return {"undecided": UNUSED.format(min(self.prints))}
        return {}

    def ready(self) -> bool:
        """Whether the fingerprints need not be waited for."""
        found = [*self.others, *self.written, *self.cached, *self.graph.others]
        more = [entry for _, entry in found]
        held = [entry for both in self.graph.held.values() for entry in both if entry is not None]
        return all(entry.ready() for entry in [*self.prints.values(), *more, *held])

    def use(self) -> dict[str, bytes]:
        """Digests of what was used, which a graph may have held."""
        then, doubtful = self.graph.differ(self.prints, self.reads)
        self.doubtful = sorted(doubtful.items())
        self.hashed &= not doubtful
        self.prints |= then
        self.marks = {**self.marks, **{name: (lambda: None, None) for name in then}}
        return {name: entry.digest() for name, entry in self.prints.items()}


@dataclass(frozen=True)
class Place:
    """A weight that a forward read: which, what it held, if a graph holds more of it, where it lay.

    ``derived``: something that was made of it.
    """

    tensor: Any
    state: tuple[int, int]
    held: Fingerprint
    derived: bool
    storage: Any
    layout: tuple[Any, ...]

    @staticmethod
    def of(tensor: Tensor, held: Fingerprint, derived: bool) -> Place | None:
        """None where nobody counts writes."""
        state = _state(tensor)
        if state is None:
            return None
        layout = tensor.dtype, tensor.storage_offset(), tensor.shape, tensor.stride()
        storage = weakref.ref(tensor.untyped_storage())
        return Place(weakref.ref(tensor), state, held, derived, storage, layout)

    def fits(self, state: tuple[int, int] | None, *prints: Fingerprint) -> bool:
        """Whether what has these fingerprints is what was read; unless ready, by its state."""
        known = [self.held, *prints]
        if not all(each.ready() for each in known):
            return state == self.state
        return len({each.digest() for each in known}) == 1

    def stays(self) -> bool:
        """Whether it holds by now what it held, as far as autograd knows."""
        tensor = self.tensor()
        return tensor is not None and _state(tensor) == self.state

    def there(self) -> Tensor | None:
        """What lies there now; None if nobody, so no graph either, has it."""
        storage = self.storage()
        if storage is None:
            return None
        dtype, *where = self.layout
        with torch._C._DisableFuncTorch():
            return torch.empty(0, dtype=dtype, device=storage.device).set_(storage, *where)


def _span(tensor: Tensor) -> tuple[int, int]:
    """Addresses of a tensor; none where it has no memory of its own."""
    try:
        first = tensor.data_ptr()
    except RuntimeError:
        return 0, 0
    if not tensor.numel() or tensor.layout != torch.strided or tensor.is_nested:
        return first, first
    last = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    return first, first + (last + 1) * tensor.itemsize


VIEWS = set(
    "T View UnsafeView ReshapeAlias Transpose Permute Expand Unsqueeze Squeeze Select Slice Split "
    "SplitWithSizes Unbind Alias".split()
)
"""Operations whose result is its input, lying where it lies."""

SUMS = set("Add Sub Rsub Sum Mean Neg ToCopy Clone Cat Stack".split())
"""Operations whose backward needs the value of no input."""

ADDED_TO = {("Addmm", 0), ("Baddbmm", 0), ("Linear", 2), ("Convolution", 2)} | {
    (f"Native{kind}Norm", 2) for kind in ("Layer", "Batch", "Group")
}
"""Inputs whose value their backward does not need."""

PRODUCTS = set("Mul Mm Addmm Mv Bmm Baddbmm Linear Convolution".split())
"""Operations whose backward needs the value of an input only for the gradients of others."""

INPUTS = set(
    "self other weight input bias mat mat1 mat2 vec vec1 vec2 batch1 batch2 tensor tensor1 tensor2 "
    "x1 x2 i1 i2 i3 exponent end index source src real imag query key value".split()
)
"""By which names nodes save inputs; by others results, such as that of `exp`, or parts of them."""

FACTORED = ("LinalgSolveEx", "LinalgLuSolve")
"""Operations that save factors of a matrix, also where the rest is data."""

OF_DATA = ("mm", "Mm", "Linear", "Conv", "Norm", "Rnn")
"""In names of operations that make, with what needs no gradient, a result that counts as data.

Not of `mv`: spectral norms multiply weights by vectors of their own.
"""


class Derived:
    """What a graph holds of weights beside themselves.

    Attributes
    ----------
    held : set
        Weights of which the graph may hold what was made of weights alone, such as casts, be it by
        a node that saves its result.
    unknown : set
        Weights that were handed to functions, or saved by hooks, of which nobody knows what they
        keep.
    leaves : set
        Which of the weights, by `id`, it was made of.

    Examples
    --------
    >>> weights = {name: torch.ones(2, 2, requires_grad=True) for name in "wvb"}
    >>> x = torch.ones(2, 2)
    >>> out = (x @ (2 * weights["w"])).tanh() @ weights["v"] + weights["b"]
    >>> leaves = {id(tensor): name for name, tensor in weights.items()}
    >>> Derived([out.grad_fn], leaves).held
    {'w'}
    """

    def __init__(
        self, roots: Iterable[Any], leaves: Mapping[int, str], packed: Set[Any] = frozenset()
    ) -> None:
        self._packed = packed
        self.held: set[str] = set()
        self.unknown: set[str] = set()
        self.leaves: set[int] = set()
        # By node: of which weights alone its result is made, and whether it is one itself.
        self._made: dict[Any, tuple[frozenset[str], bool]] = {None: (frozenset(), False)}
        stack = list(roots)
        while stack:
            inputs = [node for node, _ in getattr(stack[-1], "next_functions", ())]
            if new := [node for node in inputs if node not in self._made]:
                stack += new
            elif (node := stack.pop()) not in self._made:
                self._made[node] = self._result(node, inputs, leaves)

    def _result(
        self, node: Any, inputs: Sequence[Any], leaves: Mapping[int, str]
    ) -> tuple[frozenset[str], bool]:
        if node.name().endswith("AccumulateGrad"):
            leaf = _plain(node.variable)
            self.leaves |= {id(leaf)} & leaves.keys()
            known = id(leaf) in leaves or isinstance(leaf, nn.Parameter)
            return frozenset([leaves.get(id(leaf), "")] if known else []), known
        kind, _, number = node.name().partition("Backward")
        if kind in VIEWS:
            return self._made[inputs[0]]
        factors = [n for n, each in enumerate(inputs) if each and (kind, n) not in ADDED_TO]
        made = [self._made[each][0] for each in inputs if each is not None]
        data = None in inputs and any(part in kind for part in OF_DATA)
        alone = all(made) and not (data or kind.startswith("Embedding"))
        results = (alone and _saves_results(node.__class__)) or kind in FACTORED
        for place, (names, itself) in enumerate(self._made[each] for each in inputs):
            scaled = kind in ("Mul", "Div") and not place and inputs[1:] == [None]
            needed = not (scaled or kind in SUMS or (kind, place) in ADDED_TO)
            saved = needed and not (kind in PRODUCTS and factors == [place])
            if not number.isdigit() or (saved and names and self._keeps(node)):
                self.unknown |= names
            elif needed and (results or not itself):
                self.held |= names
        return frozenset().union(*made) if alone else frozenset(), False

    def _keeps(self, node: Any) -> bool:
        return node in self._packed or _packs(node)

    def has(self, node: Any, name: str) -> bool:
        """Whether a node has a weight as its input, which its backward may read."""
        inputs = (
            [self._made.get(each) for each, _ in node.next_functions] if node is not None else []
        )
        return any(found is not None and found[1] and name in found[0] for found in inputs)


@dataclass(frozen=True)
class Operation:
    """What is known of an operation.

    Attributes
    ----------
    reads : bool
        Whether it looks at any content.
    single, lists : bool
        Whether it computes element by element; whether of lists, entry by entry.
    onto : bool
        Whether its first argument is written over, and not read.
    tells : bool
        Whether it makes numbers only, no tensor.
    written : tuple
        Which arguments it writes to, and their names.
    idle : tuple
        Of a backward with a mask: its weight and bias, which make the gradient of its input alone,
        and the mask, which says first whether that is wanted.

    Examples
    --------
    >>> Operation.of(torch.ops.aten.copy_.default).onto
    True
    >>> Operation.of(torch.ops.aten.lerp.Scalar_out).written
    ((3, 'out'),)
    >>> Operation.of(torch.ops.aten.convolution_backward.default).idle
    (2, 10)
    >>> Operation.of(torch.ops.aten.zeros_like.default).reads
    False
    """

    reads: bool
    single: bool
    lists: bool
    onto: bool
    tells: bool
    written: tuple[tuple[int, str], ...]
    idle: tuple[int, ...] = ()

    def read(self, args: Sequence[Any]) -> list[Any]:
        """The arguments of which it looks at the content."""
        *weights, mask = self.idle or (len(args),)
        wanted = mask >= len(args) or args[mask][0]
        left = args if wanted else [one for n, one in enumerate(args) if n not in weights]
        return [*left[self.onto :]]

    def changed(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """What it writes to."""
        return [args[n] if n < len(args) else named.get(name) for n, name in self.written]

    @staticmethod
    @cache
    def of(func: Any) -> Operation:
        """Of what a dispatch mode is called for."""
        name, schema = getattr(func, "_opname", ""), getattr(func, "_schema", None)
        view = getattr(func, "is_view", False) or name.endswith("_like") or name.startswith("new_")
        lists, onto = name.startswith("_foreach_"), name.lstrip("_") in ("copy_", "foreach_copy_")
        single = lists or onto or torch.Tag.pointwise in getattr(func, "tags", ())
        given = [] if schema is None else schema.arguments
        aliases = [(n, one.name, one.alias_info) for n, one in enumerate(given)]
        written = [(n, name) for n, name, alias in aliases if alias and alias.is_write]
        made = [] if schema is None else [str(each.type) for each in schema.returns]
        tells = bool(made) and not any("Tensor" in each for each in made)
        names = [one.name for one in given]
        masked = ("weight", "bias", "output_mask") if "output_mask" in names else ()
        idle = tuple(n for n, one in enumerate(names) if one in masked)
        return Operation(not view, single, lists, onto, tells, tuple(written), idle)


Sources = dict[tuple[str, int], Fingerprint | None]
"""Weights: those that a block was told of (None), or others as they were, by name and place."""


class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees which of some tensors are read by what is computed, backwards included.

    Outside a backward pass weights are copied, averaged and logged as well. What is made of them
    alone, or element by element of them and of what is shaped like them, is followed: it counts
    once it meets data. What met its like counts if it is there in the end, such as a gradient that
    was multiplied by a weight, unless it was written into what was there before, as averages are.

    Attributes
    ----------
    others : list
        Weights of other versions that were computed with, as they were then.
    used : bool
        Whether some of those that the block was told of, or its forward, were.
    """

    supports_higher_order_operators = True

    def __init__(
        self, tensors: Sequence[tuple[tuple[str, bool], Tensor]], others: Mapping[Any, Tensor]
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.tensors = list(tensors)  # Kept, so that nothing else comes to lie there.
        known = [(*_span(tensor), key, None) for key, tensor in tensors]
        more = [(*_span(tensor), (name, False), tensor) for (name, _), tensor in others.items()]
        self._places = sorted([*known, *more], key=itemgetter(0))
        self._starts = [at for at, *_ in self._places]
        self._longest = max(end - at for at, end, *_ in self._places)
        self._made: dict[int, tuple[Any, Sources]] = {}
        self._new: set[int] = set()
        self._met: set[int] = set()
        self.others: list[tuple[str, Fingerprint]] = []
        self.used = False
        self.reads: set[tuple[tuple[str, bool], Any]] = set()
        self.nodes: set[Any] = set()
        self.packed: set[Any] = set()

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """What is compiled stays so."""
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Called for every operation."""
        kind = Operation.of(func)
        if not kind.reads:
            return func(*args, **(kwargs or {}))
        node = torch._C._current_autograd_node()
        if node not in self.nodes:
            self.nodes.add(node)
            self.packed |= {node} if _packs(node) else set()
        given = [*kind.read(args), *(kwargs or {}).values()]
        follow: list[tuple[int, Sources, bool]] = []
        for number, operands in enumerate(_each(given, kind.lists)):
            found = [(tensor, self._sources(tensor, node)) for tensor in operands]
            sources: Sources = {key: held for _, of in found for key, held in of.items()}
            if sources and node is None and self._apart(kind, found):
                met = any(not of or _lies(tensor) in self._met for tensor, of in found)
                follow.append((number, sources, met))
            elif sources:
                self._count(sources)
        result = func(*args, **(kwargs or {}))
        if not kind.written:
            self._new.update(map(_lies, _tensors_in(result)))
        if follow:
            made = list(_each([result, *kind.changed(args, kwargs or {})], kind.lists))
            for number, sources, met in follow:
                for tensor in made[number]:
                    self._follow(tensor, sources, met and tensor.numel() > 1)
        return result

    def end(self) -> None:
        """The block ends."""
        for ref, sources in [self._made[at] for at in self._met & self._new]:
            if ref() is not None:
                self.others += [(name, it) for (name, _), it in sources.items() if it is not None]

    @staticmethod
    def _apart(kind: Operation, found: Sequence[tuple[Tensor, Sources]]) -> bool:
        """Whether weights do not meet data here, nor products those of other versions."""
        big = [(None if t.is_nested else t.shape, of) for t, of in found if t.numel() != 1]
        shapes = {shape for shape, of in big if of}
        told = {held is None for _, of in big for held in of.values()}
        mixed = len(big) > 1 and len(told) > 1
        return kind.tells or all(
            (of and not mixed) or (kind.single and shape in shapes) for shape, of in big
        )

    def _sources(self, tensor: Tensor, node: Any) -> Sources:
        """Which weights a tensor is, or was made of; those of the block, it is noted, are read."""
        found: Sources = {}
        first, last = _span(tensor)
        n = bisect_left(self._starts, last)
        while n and self._starts[n - 1] > first - self._longest:
            n -= 1
            at, end, key, there = self._places[n]
            if first < end:
                if there is None:
                    self.reads.add((key, node))
                    found[key[0], 0] = None
                else:  # Something else may lie there by now.
                    found[key[0], at] = Fingerprint(there)
        if self._made and tensor.layout == torch.strided:
            storage = tensor.untyped_storage()
            ref, sources = self._made.get(storage.data_ptr(), (lambda: None, {}))
            found = sources | found if ref() is storage else found
        return found

    def _count(self, sources: Sources) -> None:
        self.used |= None in sources.values()
        self.others += [(name, it) for (name, _), it in sources.items() if it is not None]

    def _follow(self, tensor: Tensor, sources: Sources, met: bool) -> None:
        if tensor.layout != torch.strided or tensor.is_nested:
            self._count(sources)  # Nobody knows where it lies: what is made of it is not seen.
        else:
            storage = tensor.untyped_storage()
            ref, before = self._made.get(storage.data_ptr(), (lambda: None, {}))
            part = ref() is storage and tensor.nbytes < storage.nbytes()
            sources = before | sources if part else sources
            self._made[storage.data_ptr()] = weakref.ref(storage), sources
            (self._met.add if met else self._met.discard)(storage.data_ptr())


def _lies(tensor: Tensor) -> int:
    """Where the memory of a tensor begins, of which it may be a part; 0 where it has none."""
    with suppress(RuntimeError):
        return tensor.untyped_storage().data_ptr()
    return 0


def _each(given: Sequence[Any], lists: bool) -> Iterator[list[Tensor]]:
    """Tensors among arguments: all of them, or, of lists, those that are computed together."""
    rows = [entry for entry in given if isinstance(entry, list | tuple)] if lists else []
    if not rows:
        yield list(_tensors_in(list(given)))
        return
    for entries in zip(*rows, strict=True):
        yield list(_tensors_in([*entries, *(one for one in given if isinstance(one, Tensor))]))


@cache
def _saved(kind: type) -> list[str]:
    """Names by which nodes of a kind show what they have saved."""
    return [name for name in dir(kind) if name.startswith("_raw_saved_")]


@cache
def _saves_results(kind: type) -> bool:
    names = {name.removeprefix("_raw_saved_") for name in _saved(kind)}
    return not names <= INPUTS | ({"indices"} if "Index" in kind.__name__ else set())


def _packs(node: Any) -> bool:
    """Whether hooks have packed what a node saved: nobody knows what it keeps."""
    for name in _saved(node.__class__):
        with suppress(RuntimeError):  # It is freed.
            found = getattr(node, name)
            each = found if isinstance(found, tuple) else [found]
            if any(getattr(saved, "unpack_hook", None) is not None for saved in each):
                return True
    return False


@dataclass
class Graph:
    """What the graph of a forward may use instead of what its backward is given.

    Of a weight whose tensor was written to since, or lies elsewhere: a graph may hold what lies
    where its forward read it, or a copy. A backward in a block is watched; one that hooks record
    cannot be, since it has begun.

    Attributes
    ----------
    held : mapping
        By weight: what its forward read, and what lies there now, if that is elsewhere.
    derived : set
        Weights of which it holds what was made of them, as far as is known.
    unknown : set
        Weights of which it may hold such, where they are not read.
    watch : Watch, optional
        Of a backward that is watched, until it ends.
    others : list
        What it read, within the backward pass, of where weights of other versions lie.
    seen : set, optional
        What it read, and whether where the forward did. Where it read nothing that changed, but
        other weights, what changed was not needed, unless all weights lie elsewhere.
    computed : bool
        Whether it did anything.
    unused : bool
        Whether it was seen to use none of the weights that it was told of, nor those of its
        forward, while others were watched.
    """

    held: dict[str, tuple[Fingerprint, Fingerprint | None]] = field(default_factory=dict)
    derived: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    watch: Watch | None = None
    others: list[tuple[str, Fingerprint]] = field(default_factory=list)
    seen: set[tuple[str, bool]] | None = None
    computed: bool = False
    unused: bool = False
    _leaves: dict[int, str] = field(default_factory=dict)
    _given: set[int] = field(default_factory=set)
    _others: bool = False

    def look(
        self, block: Block, places: Mapping[str, Place], others: Iterable[tuple[str, Place]]
    ) -> None:
        """A backward is to begin; `others` are what other blocks of the stage used or made."""
        regions = [((name, True), tensor) for name, tensor in block.tensors.items()]
        for name, tensor in block.tensors.items():
            place, state = places.get(name), _state(tensor)
            self._leaves[id(tensor)] = name
            if place is None or state is None:
                continue
            if (read := place.tensor()) is not tensor:
                self._leaves[id(read)] = name
                self._given.add(id(tensor))
            self.derived |= {name} if place.derived else set()
            there = place.there() if state[1] != place.state[1] else None
            lies = None if there is None else Fingerprint(there)
            regions += [] if there is None else [((name, False), there)]
            if not place.fits(state, block.prints[name], *([] if lies is None else [lies])):
                self.held[name] = place.held, lies
        elsewhere = {}
        for name, place in others:
            told = block.tensors.get(name)
            if told is None or (place.stays() and place.fits(_state(told), block.prints[name])):
                continue
            if (there := place.there()) is not None and there.data_ptr() != told.data_ptr():
                elsewhere[name, there.data_ptr()] = there
        if (self.held or elsewhere) and not block.hooked:
            self.watch, self._others = Watch(regions, elsewhere), bool(elsewhere)

    def enter(self) -> None:
        """The computation begins."""
        if self.watch is not None:
            self.watch.__enter__()  # type: ignore[no-untyped-call]

    def leave(self) -> None:
        """It ends."""
        watch, self.watch = self.watch, None
        if watch is not None:
            watch.__exit__(None, None, None)  # type: ignore[no-untyped-call]
            watch.end()
            self.others = watch.others
            self.seen = {(n, told) for (n, told), _ in watch.reads if told or n in self.held}
            self.computed = bool(watch.nodes)
            found = Derived(watch.nodes, self._leaves, watch.packed)
            self.unused = self._others and not (watch.used or found.leaves)
            anew = {name for (name, _), node in watch.reads if not found.has(node, name)}
            # A forward may be told of weights, and use copies of which its backward is told.
            used, of = found.leaves, self._leaves
            given = {of[i] for i in used & self._given} - {of[i] for i in used - self._given}
            self.seen |= {(name, True) for name in given}
            self.derived = (self.derived | found.held) - anew - given
            self.unknown = found.unknown

    def differ(
        self, given: Mapping[str, Fingerprint], read: set[str]
    ) -> tuple[dict[str, Fingerprint], dict[str, Fingerprint]]:
        """What the graph used of what it held, and what it may have used, by weight."""
        other: dict[str, Fingerprint] = {}
        for name, both in self.held.items():
            for entry in both:  # Where both differ, what lies there counts.
                if entry is not None and entry.digest() != given[name].digest():
                    other[name] = entry
        moved = {name for name, entry in other.items() if entry is self.held[name][1]}
        if self.seen is None:
            then, doubtful = set(), (moved | (other.keys() & self.derived)) - read
        else:
            then = {name for name in moved if (name, False) in self.seen}
            now = other.keys() & (read | {name for name, told in self.seen if told})
            unseen = (other.keys() if self.computed else moved) - now - then
            doubtful = (now & then) | (other.keys() & self.derived)
            if not self.seen or (moved and not (now or then)):
                doubtful |= unseen
            doubtful |= unseen & self.unknown
            if then and not now:  # What was not read goes with what was.
                then = set(other)
        return {n: other[n] for n in then}, {n: other[n] for n in doubtful}


@dataclass
class Caches:
    """What weights held when something made of them may have been cached, as long as that is kept.

    Autocast caches casts, `parametrize.cached` whole weights, until the outermost context is left.
    Autocast tells nobody when: a tensor of our own, written to behind its cast, shows whether that
    cast is still there.
    """

    _first: dict[int, tuple[Any, Fingerprint]] = field(default_factory=dict)
    _own: Tensor | None = None

    def look(self, block: Block) -> None:
        """A forward or backward ends: note what its weights held when they were cached."""
        casts = torch.autocast_increment_nesting() > 1 and block.cast
        torch.autocast_decrement_nesting()
        whole = bool(parametrize._cache_enabled)
        kept = [casts and self._casts_kept(), whole and self._whole_kept()]
        if (casts or whole) and not any(kept):
            self._first.clear()
        for name, (ref, _) in block.marks.items() if casts or whole else ():
            tensor = ref()
            if tensor is None or not (
                (casts and tensor.dtype == torch.float32 and tensor.requires_grad)
                or (whole and "parametrizations." in name)
            ):
                continue
            if id(tensor) in self._first and self._first[id(tensor)][0]() is tensor:
                block.cached.append((name, self._first[id(tensor)][1]))
            elif block.op == "F" or name in block.reads:
                self._note(id(tensor), tensor, block.prints[name])

    def _note(self, key: int, tensor: Tensor, held: Fingerprint) -> None:
        self._first[key] = weakref.ref(tensor, lambda _: self._first.pop(key, None)), held

    def _whole_kept(self) -> bool:
        ours = id(self), "recorder"
        kept = ours in parametrize._cache
        parametrize._cache[ours] = None
        return kept

    def _casts_kept(self) -> bool:
        with torch._C._DisableFuncTorch(), torch.autocast("cpu", torch.bfloat16):
            if self._own is not None and not bool(torch.mm(self._own, self._own)):
                return True
            self._own = torch.zeros(1, 1, requires_grad=True)
            torch.mm(self._own, self._own)
            self._own.data.fill_(1)
        return False


@dataclass
class Applied:
    """Gradients of a stage as updates applied them, until zeroed, replaced or written to.

    An update may have applied copies of what backwards left in a stash, or its block have taken
    off what it applied: what lies in a stash since before an update may have been applied.
    """

    _lay: dict[tuple[str, int], tuple[Any, Any, Any]] = field(default_factory=dict)
    _some: dict[tuple[str, int], Tensor] = field(default_factory=dict)
    _handed: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    _grown: dict[tuple[str, int], tuple[Any, Any, Any]] = field(default_factory=dict)
    _unsure: set[tuple[str, int]] = field(default_factory=set)

    def keep(self, block: Block) -> None:
        """An update has ended."""
        names = block.tensors.keys() & block.before
        applied = {name for name in names if block.applies(name, block.tensors[name])}
        found: dict[tuple[str, int], tuple[Any, Any, Any]] = {}
        for name in applied:
            leaf = _leaf(block.tensors[name])
            if (grad := _gradient(leaf)) is not None:
                found[name, id(leaf)] = weakref.ref(leaf), *self._hand(grad)
        new = {name for name, _ in found}
        more = {key: lay for key, lay in self._grown.items() if key[0] in applied}
        kept = {key: lay for key, lay in self._lay.items() if key[0] not in new}
        self._unsure = ((self._unsure & kept.keys()) | (more.keys() - kept.keys())) - found.keys()
        self._lay = more | kept | found
        self._grown = {key: lay for key, lay in self._grown.items() if key not in more}

    def _hand(self, grad: Tensor) -> tuple[Any, Any]:
        number = id(grad)
        ref = weakref.ref(grad, lambda _: self._handed.pop(number, None))
        self._handed[number] = ref, _state(grad)
        return self._handed[number]

    def look(self, block: Block) -> None:
        """A backward begins: note where autograd adds to a gradient that still lies there."""
        leaves = [(name, _leaf(tensor)) for name, tensor in block.tensors.items()]
        for name, leaf in leaves:
            grad = _gradient(leaf)
            if grad is not None and id(grad) in self._handed:  # That of a stash, as it may be.
                self._lay[name, id(leaf)] = weakref.ref(leaf), *self._handed[id(grad)]
                self._unsure.discard((name, id(leaf)))
        left = {key: grad for key, lay in self._lay.items() if (grad := _left(*lay)) is not None}
        self._some = {key: _some(grad) for key, grad in left.items()}
        self._lay = {key: self._lay[key] for key in left}
        for key, (weight, *_) in self._lay.items():
            if weight().requires_grad:
                # Of the node that adds: `torch.autograd.grad` hands gradients over and adds none.
                # It is kept, so that a graph that is made within the block has the same one.
                node = torch.autograd.graph.get_gradient_edge(weight()).node
                adds = partial(self._adds, block, key)
                block.hooks.append((node.register_prehook(adds), node))

    def _adds(self, block: Block, key: tuple[str, int], _: Any) -> None:
        lay = self._lay.pop(key, None)
        left = None if lay is None else _left(*lay)  # It may be zeroed within the block.
        if left is not None and bool(_some(left)):
            if key in self._unsure:
                block.added = key[0]
            else:
                block.extra.setdefault("again", key[0])

    def left(self, block: Block) -> None:
        """A backward ends: what was not autograd has written to what still lay there."""
        for key, (weight, grad, state) in list(self._lay.items()):
            if _left(weight, grad, state) is None:
                del self._lay[key]
                there = None if weight() is None else weight().grad
                if there is not None and there is grad() and bool(self._some.get(key)):
                    block.added = key[0]
        self._grown = {key: lay for key, lay in self._grown.items() if lay[1]() is not None}
        for name, leaf in [(name, _leaf(tensor)) for name, tensor in block.tensors.items()]:
            if (grad := _gradient(leaf)) is not None:
                self._grown[name, id(leaf)] = weakref.ref(leaf), weakref.ref(grad), _state(grad)


def _left(weight: Any, grad: Any, state: Any) -> Tensor | None:
    """The gradient of a weight, if it lies there and nobody has written to it, as far as known."""
    found: Tensor | None = None if weight() is None else weight().grad
    return found if found is not None and found is grad() and _state(found) == state else None


def _some(gradient: Tensor) -> Tensor:
    """Whether a gradient is not zero, which a GPU may know only later."""
    return (gradient.coalesce().values() if gradient.is_sparse else gradient).any()


@dataclass
class Grown:
    """Gradients of a stage as its backwards left them, since its last update; by tensor object."""

    kept: dict[int, tuple[Marks, Marks]] = field(default_factory=dict)
    lost: dict[int, str] = field(default_factory=dict)

    def keep(self, tensors: Mapping[str, Tensor]) -> None:
        """A backward has ended."""
        for name, tensor in tensors.items():
            if (grad := _gradient(tensor)) is not None:
                self.kept[id(tensor)] = marks_of({name: tensor}), marks_of({name: grad})

    def left(self, tensors: Mapping[str, Tensor], gone: bool = True) -> None:
        """Note gradients that are zeros since, or gone and nowhere else."""
        changed: dict[str, tuple[int, Tensor]] = {}
        for name, tensor in tensors.items():
            was, grads = self.kept.get(id(tensor), ({}, {}))
            if name not in was or was[name][0]() is not tensor:
                continue
            grad = _gradient(tensor)
            if grad is not None and not _untouched(grads, marks_of({name: grad})):
                changed[name] = id(tensor), grad
            elif grad is None and gone and grads[name][0]() is None:
                self.lost[id(tensor)] = name
        parts = [_some(gradient) for _, gradient in changed.values()]
        some = [part.to(parts[0].device) for part in parts]
        read = torch.stack(some).tolist() if some else []  # From a device at once.
        for (name, (number, _)), left in zip(changed.items(), read, strict=True):
            if not left:
                self.lost[number] = name

    def applied(self, block: Block, given: Mapping[str, Tensor]) -> None:
        """An update begins: what it applies are sums of what its backwards made, or nobody knows.

        A loop may keep sums of its own, and hand these over.
        """
        self.left(given, gone=False)
        lost = [name for name, tensor in given.items() if id(tensor) in self.lost]
        if lost:
            block.extra["lost"] = lost[0]
        self.kept, self.lost = {}, {}


class Gradient(Fingerprint):
    """That of a gradient, with some of its elements."""

    def __init__(self, gradient: Tensor) -> None:
        super().__init__(gradient)
        flat = gradient.detach().reshape(-1)
        self._some = flat[:: -(-len(flat) // 64)].clone()

    def apart(self, other: Gradient) -> bool:
        """Whether it is no multiple of another one, nor of so few values that many are like it."""
        one, two = self._some.to("cpu", torch.cdouble), other._some.to("cpu", torch.cdouble)
        angle = torch.linalg.vecdot(one, two).abs() / (one.norm() * two.norm())
        return len(set(one.tolist())) > 7 and bool(angle < 1 - 1e-6)


@dataclass
class Made:
    """Gradients that backwards of a stage made, of a few weights, by forward and weight.

    What an update applies may be clipped, scaled or summed. It is told that it is another's only
    where it is what another backward made, bit for bit, and its own made something else.
    """

    _of: dict[Any, dict[str, list[Gradient]]] = field(default_factory=dict)
    _lay: Marks = field(default_factory=dict)

    def look(self, block: Block) -> None:
        """A backward begins."""
        leaves = {n: t for n, t in block.tensors.items() if t.is_leaf and t.requires_grad}
        names = sorted(
            (n for n, t in leaves.items() if t.numel() > 7), key=lambda n: leaves[n].nbytes
        )
        few = [n for n in names[:FEW] if leaves[n].nbytes <= max(SMALL, leaves[names[0]].nbytes)]
        made = self._of.pop(block.number, {})
        self._of[block.number] = made
        if len(self._of) > IN_FLIGHT:
            del self._of[next(iter(self._of))]
        for name in few:
            come = partial(self._comes, made.setdefault(name, []))
            block.hooks.append((leaves[name].register_hook(come), None))  # type: ignore[no-untyped-call]
        self._lay = marks_of(_gradients(leaves, few))

    def _comes(self, made: list[Gradient], gradient: Tensor) -> None:
        if torch.compiler.is_compiling():
            return  # Compiled autograd traces hooks.
        gradient = _plain(gradient)
        if gradient.layout == torch.strided:
            made.append(Gradient(gradient))

    def left(self, block: Block) -> None:
        """A backward ends: what it added to, it made as well."""
        made = self._of.get(block.number, {})
        for name, gradient in _gradients(block.tensors, made).items():
            before = {name: self._lay[name]} if name in self._lay else {}
            if not _untouched(before, marks_of({name: gradient})):
                made[name].append(Gradient(gradient))

    def applied(self, block: Block, optimizer: Any) -> None:
        """An optimizer is to step within an update."""
        mine = {id(tensor) for group in optimizer.param_groups for tensor in group["params"]}
        tensors = {name: ref() for name, (ref, _) in block.before.items()}
        weights = {n: t for n, t in tensors.items() if t is not None and id(t) in mine}
        for name, gradient in _gradients(weights, self._of.get(block.number, {})).items():
            block.gradients.setdefault(name, Gradient(gradient))

    def nothing(self, block: Block) -> bool | None:
        """Whether the gradient of an update is zero; None where none was seen."""
        made = [each for of in self._of.get(block.number, {}).values() for each in of]
        return all(each.digest() == each.zero() for each in made) if made else None

    def another(self, block: Block) -> dict[str, str]:
        """Whose gradients an update applied, where they are not its own, or may not be."""
        strange, sure = {}, False
        for name, found in block.gradients.items():
            made = self._of.get(block.number, {}).get(name, ())
            own = [entry.digest() for entry in made]
            if own and found.digest() not in own and found.zero() not in (found.digest(), *own):
                strange[name] = found.digest()
                sure |= all(found.apart(entry) for entry in made)
        for number, of in list(self._of.items())[::-1] if strange else ():
            if all(d in [entry.digest() for entry in of.get(n, ())] for n, d in strange.items()):
                step = f" of step {number[0]}" if number[0] != block.step else ""
                says = f"bit for bit that of microbatch {number[-1]}{step} ({min(strange)})"
                return {"gradient": says} if sure else {"undecided": f"its gradient is {says}"}
        return {}


def _gradients(tensors: Mapping[str, Tensor], names: Iterable[str]) -> dict[str, Tensor]:
    """Dense gradients that lie in some of the weights."""
    leaves = {name: tensors[name] for name in names if name in tensors}
    found = {n: _gradient(t) for n, t in leaves.items() if _leaf(t) is t}
    return {n: g for n, g in found.items() if g is not None and g.layout == torch.strided}


class Recorder:
    """Writes what one rank does to ``directory/rank<rank>.jsonl``.

    Parameters
    ----------
    directory : path
        Made if it is not there. A log that is there already is not written over.
    rank, ranks : int, optional
        Those of the process group unless given.
    microbatches : int
        Of the whole run, or of a step (see `next_step`); numbered from 0.
    policy : str, optional
        What the loop is meant to do with weights, such as ``stash``. It goes to the header, for
        comparison with the schedule of the judge, and decides nothing.
    run : int, optional
        Number of the run, the same on all ranks: lines of two runs are told apart by it. By default
        agreed on through the process group's store; 0 without one.
    stamps : bool
        Whether the loop carries `stamp` on every message. Without, the Lamport clock and messages
        are not in the log, and what needs them is undecided.
    split : bool
        Whether some backward is split into I and W; a whole one then counts 2 on that clock.
    part : int
        With 2 or more, a forward or backward reads only every so many-th row of 2 KiB of a tensor
        on the CPU that nobody wrote to since it was read, as far as autograd knows. Its event then
        has no ``hash``, and a write past autograd (``.data``) into few elements can stay unseen.

    Raises
    ------
    RecorderError
        A log is there already, or rank and ranks are not known.

    Examples
    --------
    >>> import tempfile
    >>> module = nn.Linear(2, 1)
    >>> optimizer = torch.optim.AdamW(module.parameters())
    >>> folder = tempfile.mkdtemp()
    >>> with Recorder(folder, rank=0, ranks=1, microbatches=1) as rec:
    ...     with rec.forward(stage=0, microbatch=0, weights=module):
    ...         loss = module(torch.ones(2)).sum()
    ...     with rec.backward(stage=0, microbatch=0, weights=module):
    ...         loss.backward()
    ...     with rec.update(stage=0, microbatch=0, weights=module):
    ...         optimizer.step()
    >>> lines = (Path(folder) / "rank0.jsonl").read_text().splitlines()
    >>> [json.loads(line)["op"] for line in lines[1:]]
    ['F', 'B', 'U']
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        rank: int | None = None,
        ranks: int | None = None,
        microbatches: int,
        policy: str | None = None,
        run: int | None = None,
        stamps: bool = False,
        split: bool = False,
        part: int = 1,
    ) -> None:
        self.rank, self.ranks = _place(rank, ranks)
        self.microbatches, self.stamps, self.split = microbatches, stamps, split
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"rank{self.rank}.jsonl"
        self.run = _agreed_run(folder) if run is None else run
        self._file = _opened(self.path)
        self._step: int | None = None
        self._clock = 0
        self._host = f"{socket.gethostname()} {_boot()}".strip()
        self._known, self._caches = Known(part), Caches()
        self._copies: dict[tuple[int, int], Copy] = {}
        self._queue: deque[Block] = deque()
        self._open: tuple[Block, ...] = ()
        self._lock = threading.RLock()
        self._inside: dict[int, list[Any]] = {}
        self._arrived: list[tuple[int, list[int]]] = []
        self._places: dict[Any, dict[str, Place]] = {}
        self._newest: dict[tuple[int, int], dict[str, Place]] = {}
        self._left: dict[tuple[int, int], dict[tuple[str, int], Place]] = {}
        self._zero: dict[tuple[int, int], int] = {}
        self._last: dict[tuple[int, int], int] = {}
        self._applied: defaultdict[tuple[int, int], Applied] = defaultdict(Applied)
        self._grown: dict[tuple[int, int], Grown] = {}
        self._made: dict[tuple[int, int], Made] = {}
        self._stepping: set[tuple[int, int]] = set()
        self._computed: Block | None = None
        self._forwards: dict[tuple[int, int], int] = {}
        parameters = {"run": self.run, "recorder": FORMAT}
        self._write(
            {"schema": "staleproof-trace/1", "unit": "ns", "ranks": self.ranks,
             "microbatches": microbatches, "name": "recorded",
             **({"policy": {"name": policy}} if policy else {}), "parameters": parameters}
        )  # fmt: skip
        self._hooks = [
            register_optimizer_step_pre_hook(self._steps),
            register_optimizer_step_post_hook(self._stepped),
        ]
        atexit.register(self.close)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what a GPU still has to say, and close the file: nothing is recorded any more."""
        if self._file >= 0:
            self._drain(wait=True)
            os.close(self._file)
            self._file = -1
            for hook in self._hooks:
                hook.remove()
        atexit.unregister(self.close)

    def next_step(self) -> None:
        """Start the next step: microbatches count from 0 again (schedules with a flush)."""
        first = 0 if self._computed is None else 1
        self._step = first if self._step is None else self._step + 1
        self._forwards.clear()
        self._clock = 0

    def forward(
        self, stage: int, microbatch: int, weights: Weights, pipeline: int = 0
    ) -> AbstractContextManager[Block]:
        """Record an F: hand over the very tensors that it uses."""
        return self._recorded(Block("F", stage, microbatch, pipeline, weights))

    def backward(
        self, stage: int, microbatch: int, weights: Weights, pipeline: int = 0, kind: str = "B"
    ) -> AbstractContextManager[Block]:
        """Record a backward: whole (``B``), or its halves for inputs (``I``) and weights (``W``).

        `weights` are those that the graph of the forward holds, so the tensors that were handed to
        `forward`. An `attach`-ed module that is run again inside (activation checkpointing) is
        looked at as well.
        """
        if kind not in ("B", "I", "W"):
            raise RecorderError(f"a backward is B, I or W, found {kind!r}: name one of them")
        return self._recorded(Block(kind, stage, microbatch, pipeline, weights))

    def update(
        self, stage: int, microbatch: int, weights: Weights, pipeline: int = 0
    ) -> AbstractContextManager[Block]:
        """Record an update, by the gradient of `microbatch`: `weights` is what it changes.

        An update out of place sets ``block.weights``. One that writes nothing is not logged, or
        as ``unseen`` where it may be an update whose steps are too small to be seen.
        """
        return self._recorded(Block("U", stage, microbatch, pipeline, weights))

    @contextmanager
    def _recorded(self, block: Block) -> Iterator[Block]:
        if self._file < 0:
            yield block
            return
        self._begin(block)
        try:
            yield block
        except BaseException:
            self._closes(block, failed=True)
            raise
        self._end(block)

    def _closes(self, block: Block, failed: bool = False) -> None:
        block.graph.leave()
        for hook, _ in block.hooks:
            hook.remove()
        block.hooks.clear()
        with self._lock:
            self._open = tuple(entry for entry in self._open if entry is not block)
            if failed:
                self._queue.remove(block)

    def _steps(self, optimizer: Any, *_: Any) -> None:
        """An optimizer steps; it may hand that over to another one: the outer one counts."""
        self._inside.setdefault(threading.get_ident(), []).append(optimizer)
        for block in self._open:
            if block.op == "U" and block.key in self._made:
                self._made[block.key].applied(block, optimizer)

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        inside = self._inside.get(threading.get_ident(), [])
        if optimizer in inside:  # Else its step began before the block.
            inside.remove(optimizer)
        for block in self._open:
            if block.op == "U" and not inside:
                block.stepped(optimizer)

    def _begin(self, block: Block) -> None:
        if not 0 <= block.microbatch < self.microbatches:
            raise RecorderError(
                f"microbatches are numbered from 0 to {self.microbatches - 1}, found "
                f"{block.microbatch}: give Recorder that of the whole run, or call next_step()"
                f"{TWO_FORWARDS if block.hooked else ''}"
            )
        block.step = self._step
        self._receive(block)
        if block.op == "U":
            given = tensors_of(block.weights, f"U of stage {block.stage}")
            block.before = marks_of(given)
            block.graded = any(_gradient(tensor) is not None for tensor in given.values())
            self._inside.pop(threading.get_ident(), None)
            self._grown.setdefault(block.key, Grown()).applied(block, given)
            likely = self._likely(block)
            looked = {name: self._known.look(t, likely.get(name)) for name, t in given.items()}
            block.found = {name: entry for name, (entry, _) in looked.items()}
        else:
            block.look(self._known, self._likely(block))
            if block.op != "F":
                kept = [*self._places.items()]  # At once: other threads have forwards too.
                others = [each for n, each in kept if n[1:3] == block.key]
                others.append(self._newest.get(block.key, {}))
                found = [entry for each in others for entry in each.items()]
                known = {(name, place.state[1]) for name, place in found}
                left = self._left.get(block.key, {})
                found += [(where[0], it) for where, it in left.items() if where not in known]
                block.graph.look(block, self._places.get(block.number, {}), found)
                self._applied[block.key].look(block)
                self._grown.setdefault(block.key, Grown()).left(block.tensors)
                self._made.setdefault(block.key, Made()).look(block)
        with self._lock:
            self._queue.append(block)
            self._open = (*self._open, block)
        if self.stamps:
            block.extra["lamport_start"] = self._clock
        block.start = time.monotonic_ns()
        block.graph.enter()

    def _likely(self, block: Block) -> Mapping[str, bytes]:
        """What weights hold, if all is well: what a forward read, or the newest."""
        read = {} if block.op in "FU" else self._places.get(block.number, {})
        known = {name: place.held.digest() for name, place in read.items() if place.held.ready()}
        return {**self._copies.get(block.key, Copy()).newest, **known}

    def _end(self, block: Block) -> None:
        block.end = time.monotonic_ns()
        self._closes(block)
        kinds = {tensor.device.type for tensor in block.tensors.values()}
        block.cast |= any(map(torch.is_autocast_enabled, kinds))
        self._remember(block)
        if block.op == "U":
            block.look(self._known, {})
            self._newest[block.key] = block.places()
            self._applied[block.key].keep(block)
        else:
            self._computed = block
            block.leave()
            with self._lock:
                self._caches.look(block)
            if block.op != "F":
                self._last[block.key] = block.microbatch
                self._applied[block.key].left(block)
                self._grown[block.key].keep(block.tensors)
                self._made[block.key].left(block)
        if self.stamps:
            whole = 2 if self.split else 1
            self._clock += {"U": 0, "B": whole}.get(block.op, 1)
            block.extra["lamport_end"] = self._clock
        block.done = True
        self._drain()

    def _remember(self, block: Block) -> None:
        """Keep where a forward read its weights, as long as a backward may come."""
        with self._lock:
            if block.op == "F":  # In whatever mode: gradients may be on within the block alone.
                self._places[block.number] = block.places()
                if len(self._places) > IN_FLIGHT:
                    del self._places[next(iter(self._places))]
            elif block.op in ("B", "W"):
                self._leave(block.key, self._places.pop(block.number, {}))
            elif block.op == "U":
                self._leave(block.key, self._newest.get(block.key, {}))

    def _leave(self, key: tuple[int, int], places: Mapping[str, Place]) -> None:
        """Keep where weights lay that nothing asks for any more, while somebody has them."""
        more = {(name, place.state[1]): place for name, place in places.items()}
        left = (self._left.get(key, {}) | more).items()
        self._left[key] = {where: place for where, place in left if place.storage() is not None}

    def _drain(self, wait: bool = False) -> None:
        """Write the blocks that are over and whose contents are known, as they began."""
        with self._lock:
            while self._queue and self._queue[0].done:
                if not wait and not self._queue[0].ready():
                    return
                self._finish(self._queue.popleft())

    def _finish(self, block: Block) -> None:
        if block.row:
            self._write_event(block, None)
            return
        digests = block.use()
        copy = self._copies.setdefault(block.key, Copy())
        kinds = {name: entry.kind for name, entry in block.prints.items()}
        if copy.count >= 0 and copy.kinds != kinds:
            now, then = kinds.items() - copy.kinds.items(), copy.kinds.items() - kinds.items()
            raise RecorderError(
                f"the weights of stage {block.stage} have the same names, types and shapes in "
                f"every block, found {sorted(now)} in place of {sorted(then)}: hand over all of "
                "them, always, and see whether two were tied or parted meanwhile"
            )
        copy.kinds = kinds
        other = [name for name, entry in block.written if entry.digest() != digests[name]]
        layers = {name.rpartition(".")[0] for name in other}
        copy.written |= {
            name
            for name, tensor in block.tensors.items()
            if not tensor.requires_grad and name.rpartition(".")[0] in layers
        }
        version = None
        if block.op == "U":
            if copy.newest == digests and not block.writes():
                if self._unseen(block):
                    block.extra |= {"unseen": True, "undecided": UNSEEN}
                    self._write_event(block, None)
                return  # Nothing was written, so no version was made.
            self._stepping |= {block.key} if block.steps or block.beside else set()
            for name, entry in block.found.items() if copy.count >= 0 else ():
                if entry.digest() != copy.newest.get(name) and name not in copy.written:
                    block.extra.setdefault("no_version", f"the last update left another {name}")
            block.extra |= self._made.get(block.key, Made()).another(block)
            copy.count = max(copy.count, 0)  # Version 0 was there, though nobody looked at it.
            copy.register(digests, block.marks)
        else:
            if copy.count < 0:
                copy.register(digests, block.marks)
            version, why = copy.find(digests, block.marks)
            if unsure := block.unsure():
                version, why = None, unsure
            block.extra |= why
        block.extra |= {"current": copy.count}
        hashed = block.hashed and not copy.written
        block.extra |= {"hash": together(digests)} if hashed else {}
        if block.op == "F" and self.stamps:
            number = (block.microbatch, block.pipeline)
            if not block.stage:
                self._zero[number] = copy.count
            if number in self._zero:
                block.extra["read_zero"] = self._zero[number]
        if any(tensor.device.type != "cpu" for tensor in block.tensors.values()):
            # A host only launches there: its times are not compared with those of other ranks.
            block.extra["host"] = f"{self._host} (launch times of rank {self.rank})"
        self._write_event(block, version)
        block.tensors, block.weights = {}, {}

    def _unseen(self, block: Block) -> bool:
        """Whether a block that wrote nothing may have been an update; a judge sees if one is due.

        By an optimizer of other tensors; or by hand, where nothing is to be learnt, or never an
        optimizer was seen.
        """
        if block.steps or block.beside:
            return _made(block.beside)
        zero = self._made.get(block.key, Made()).nothing(block)
        by_hand = block.key not in self._stepping
        return bool(zero) or (by_hand and (block.graded or zero is not None))

    def _write_event(self, block: Block, version: int | None) -> None:
        extra = {"host": self._host, "run": self.run, **block.extra}
        if block.step is not None:
            extra["step"] = block.step
        self._write(
            {"rank": self.rank, "op": block.op, "stage": block.stage,
             "microbatch": block.microbatch, "pipeline": block.pipeline, **block.row,
             "version": version, "start": block.start, "end": block.end, "extra": extra}
        )  # fmt: skip

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file >= 0:
            os.write(self._file, (json.dumps(line) + "\n").encode())

    def stamp(self, to: int) -> Tensor:
        """What to send beside what the last forward or backward made, to rank `to`: 3 integers.

        Raises
        ------
        RecorderError
            The recorder was made without ``stamps=True``, or nothing was computed yet.
        """
        if not self.stamps or self._computed is None:
            raise RecorderError(
                "a stamp goes with what a block made: make the Recorder with stamps=True, and call "
                "stamp right behind the block"
            )
        self._drain(wait=True)
        made = self._computed
        kind = "SEND_F" if made.op == "F" else "SEND_B"
        self._message(kind, made, to, f"{self.rank}>{to}", time.monotonic_ns())
        zero = self._zero.get((made.microbatch, made.pipeline), -1)
        return torch.tensor([self.rank, self._clock, zero])

    def received(self, stamp: Tensor | Sequence[int]) -> None:
        """A stamp has come: it belongs to what the next forward or backward uses."""
        self._arrived.append((time.monotonic_ns(), [int(number) for number in stamp]))

    def _receive(self, block: Block) -> None:
        """Note what has come for a block."""
        if block.op == "U":
            return
        for at, (sender, clock, zero) in self._arrived:
            self._clock = max(self._clock, clock)
            if block.op == "F" and zero >= 0:
                self._zero[block.microbatch, block.pipeline] = zero
            kind = "RECV_F" if block.op == "F" else "RECV_B"
            self._message(kind, block, sender, f"{sender}>{self.rank}", at)
        self._arrived.clear()

    def _message(self, kind: str, of: Block, peer: int, channel: str, at: int) -> None:
        note = Block(kind, of.stage, of.microbatch, of.pipeline, {}, start=at, end=at, done=True)
        note.row, note.step = {"peer": peer, "channel": channel}, of.step
        self._queue.append(note)
        self._drain()

    def attach(
        self, target: Any, optimizer: Any = None, *, stage: int | None = None, pipeline: int = 0
    ) -> None:
        """Let hooks record a module, or a schedule of `torch.distributed.pipelining`.

        A module: the k-th forward in training is that of microbatch k, a backward begins when the
        gradient of its output exists and ends with the backward pass, and ``optimizer.step()`` is
        an update by the last gradient. Inside blocks of your own, what an attached module reads
        replaces what the block was given, so that a recomputed forward counts too.

        A schedule: its stages' forwards and backwards; each ``schedule.step()`` is a step.

        Parameters
        ----------
        optimizer : torch.optim.Optimizer, optional
            Without it, updates are recorded by blocks of your own.
        stage, pipeline : int, optional
            Of a module; the rank's number unless given.
        """
        if isinstance(target, nn.Module):
            key = (self.rank if stage is None else stage, pipeline)
            self._attach_module(target, key, alone=True)
            self._attach_optimizer(optimizer, {key: target})
            return
        stages = getattr(target, "_stages", None) or [getattr(target, "_stage", None)]
        if not hasattr(target, "step") or stages[0] is None:
            raise RecorderError(
                "a Module or a schedule of torch.distributed.pipelining is attached, found "
                f"{type(target).__name__}: wrap its computations in rec.forward and rec.backward"
            )
        for entry in stages:
            self._attach_module(entry.submod, (entry.stage_index, 0), alone=False)
            self._attach_stage(entry)
        self._attach_step(target)
        self._attach_optimizer(optimizer, {(e.stage_index, 0): e.submod for e in stages})

    def _attach_stage(self, stage: Any) -> None:
        """Wrap the calls by which PyTorch's runtime computes a microbatch."""

        def record(name: str, kind: Callable[..., str]) -> None:
            call = getattr(stage, name)

            @wraps(call)
            def recorded(chunk: int, *args: Any, **more: Any) -> Any:
                op = kind(*args, **more)
                with self._recorded(Block(op, stage.stage_index, chunk, 0, stage.submod)):
                    return call(chunk, *args, **more)

            setattr(stage, name, recorded)

        def whole_or_input(loss: Any = None, full_backward: bool = True, **_: Any) -> str:
            return "B" if full_backward else "I"

        record("forward_one_chunk", lambda *_, **more: "F")
        record("backward_one_chunk", whole_or_input)
        record("backward_weight_one_chunk", lambda *_, **more: "W")

    def _attach_step(self, schedule: Any) -> None:
        step = schedule.step

        @wraps(step)
        def counted(*args: Any, **more: Any) -> Any:
            self.next_step()
            return step(*args, **more)

        schedule.step = counted

    def _attach_module(self, module: nn.Module, key: tuple[int, int], alone: bool) -> None:
        """Look at what a module reads; `alone`: its calls outside blocks are forwards."""
        # A compiled graph ends before a hook and goes on behind it: no hook is traced into it. A
        # graph that was compiled for another module of the same class would have no hooks.
        torch._dynamo.config.skip_nnmodule_hook_guards = False
        for prefix, part in _unwrapped(module).named_modules():
            if part._parameters:
                part.register_forward_pre_hook(_hook(part, self._reads, key, prefix))
        if alone:
            module.register_forward_pre_hook(_hook(module, self._enters, key), prepend=True)
            module.register_forward_hook(_hook(module, self._leaves, key), always_call=True)

    def _reads(self, key: tuple[int, int], prefix: str, module: nn.Module, _: Any) -> None:
        for block in reversed(self._open):
            if block.key == key and block.op != "U":
                for name, tensor in module._parameters.items():
                    if tensor is not None:
                        block.read(f"{prefix}.{name}" if prefix else name, _plain(tensor))
                return

    def _enters(self, key: tuple[int, int], module: nn.Module, _: Any) -> None:
        if self._file < 0 or any(block.key == key for block in self._open):
            return
        if module.training:
            number = self._forwards.get(key, 0)
            self._forwards[key] = number + 1
            tensors = tensors_of(module, f"stage {key[0]}")
            self._begin(Block("F", key[0], number, key[1], tensors, hooked=True))

    def _leaves(self, key: tuple[int, int], module: nn.Module, _: Any, output: Any) -> None:
        block = next((b for b in self._open if b.key == key and b.hooked), None)
        if block is None or block.op != "F":
            return
        if output is None:  # It failed.
            self._forwards[key] -= 1
            self._closes(block, failed=True)
            return
        weights = dict(block.tensors)
        block.roots = [tensor.grad_fn for tensor in _tensors_in(output)]
        self._end(block)
        for tensor in _tensors_in(output):
            if tensor.requires_grad:
                tensor.register_hook(  # type: ignore[no-untyped-call]
                    lambda _: self._enters_backward(key, block.microbatch, weights)
                )

    def _enters_backward(
        self, key: tuple[int, int], microbatch: int, weights: Mapping[str, Tensor]
    ) -> None:
        if self._file < 0 or any(block.key == key for block in self._open):
            return
        self._leaves_backward()
        self._begin(Block("B", key[0], microbatch, key[1], weights, hooked=True))
        engine = torch.autograd.Variable._execution_engine
        engine.queue_callback(self._leaves_backward)

    def _leaves_backward(self) -> None:
        for block in [b for b in self._open if b.op == "B" and b.hooked]:
            self._end(block)

    def _attach_optimizer(
        self, optimizer: Any, modules: Mapping[tuple[int, int], nn.Module]
    ) -> None:
        if optimizer is None:
            return

        def entered(*_: Any) -> None:
            for key, module in modules.items() if self._file >= 0 else ():
                if not any(b.op == "U" and (b.key == key or not b.hooked) for b in self._open):
                    number = self._last.get(key, 0)
                    block = Block("U", key[0], number, key[1], module, hooked=True)
                    self._begin(block)
                    self._made.setdefault(key, Made()).applied(block, optimizer)

        def left(*_: Any) -> None:
            for block in [b for b in self._open if b.op == "U" and b.hooked and b.key in modules]:
                block.stepped(optimizer)
                self._end(block)

        optimizer.register_step_pre_hook(entered)
        optimizer.register_step_post_hook(left)


def _hook(module: nn.Module, call: Callable[..., None], *given: Any) -> Any:
    """A hook of one module: copies of the module have copies of its hooks."""
    mine, eager = weakref.ref(module), torch.compiler.disable

    def hook(called: nn.Module, *more: Any) -> None:
        if called is mine():
            call(*given, called, *more)

    return eager(hook)  # type: ignore[no-untyped-call]


def _tensors_in(output: Any) -> Iterator[Tensor]:
    if isinstance(output, Tensor):
        yield output
    elif isinstance(output, Mapping):
        yield from _tensors_in(list(output.values()))
    elif isinstance(output, list | tuple):
        for entry in output:
            yield from _tensors_in(entry)
    elif is_dataclass(output) and not isinstance(output, type):
        yield from _tensors_in([getattr(output, each.name) for each in fields(output)])


def together(digests: Mapping[str, bytes]) -> str:
    """One hash of all weights."""
    found = hashlib.blake2b(digest_size=16)
    for name in sorted(digests):
        found.update(name.encode() + b"\0" + digests[name])
    return f"rows:{found.hexdigest()}"


def _place(rank: int | None, ranks: int | None) -> tuple[int, int]:
    group = torch.distributed
    if (rank is None or ranks is None) and not (group.is_available() and group.is_initialized()):
        raise RecorderError(
            "rank and ranks are those of the process group, and there is none: give both, or make "
            "the Recorder after init_process_group"
        )
    rank = group.get_rank() if rank is None else rank
    ranks = group.get_world_size() if ranks is None else ranks
    if not 0 <= rank < ranks:
        raise RecorderError(f"ranks are numbered from 0 to {ranks - 1}, found {rank}: give another")
    return rank, ranks


def _agreed_run(folder: Path) -> int:
    """A number that all ranks of this run have; 0 where nothing tells runs apart."""
    group = torch.distributed
    if group.is_available() and group.is_initialized():
        # The store has no public name; without it runs are not told apart.
        with suppress(Exception):
            store = torch.distributed.distributed_c10d._get_default_store()
            mine = str(secrets.randbelow(1 << 48) + 1)
            return int(store.compare_set(f"staleproof/{folder}", "", mine).decode())
    launched = os.environ.get("TORCHELASTIC_RUN_ID", "none")
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    return 0 if launched == "none" else zlib.crc32(f"{launched} {attempt}".encode())


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
    except FileExistsError:
        raise RecorderError(
            f"{path}: a log of an earlier run is there, and two runs do not go into one file: give "
            "another directory, or delete it"
        ) from None


def _boot() -> str:
    """What tells machines of the same name apart."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return ""
