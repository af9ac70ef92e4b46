"""PipeDream played with local versions and a stash, RPD played with one history and delays.

Both train the same pipeline. A stage takes a number h and its block x to h' = forward(h, u) with
u = ⟨a, x⟩, a the features that the microbatch has for this stage; the loss follows the last stage.
PipeDream sends h down and the gradient up, stage by stage, and never sees a whole model. RPD puts
a stale model together from its history and takes one block of its gradient. Numbers are floats
(then results are compared bit for bit) or fractions.

Shapes: p stages, M microbatches, D numbers a block.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from schedules.actions import Kind
from schedules.timeline import Timeline

Number = Any
"""A float or a Fraction."""

Block = tuple[Number, ...]

Versions = tuple[tuple[Block, ...], ...]
"""By stage: its block before the first update, and after every one."""

WIDTH = 2
"""D."""


@dataclass(frozen=True)
class Layer:
    """What a stage does to h, and the derivatives of that.

    Attributes
    ----------
    forward, by_input, by_weight : callables
        Of h and u = ⟨a, x⟩: the output, its derivative by h, and by u.
    """

    forward: Callable[[Number, Number], Number]
    by_input: Callable[[Number, Number], Number]
    by_weight: Callable[[Number, Number], Number]


SUM = Layer(lambda h, u: h + u, lambda h, u: 1, lambda h, u: 1)
"""The pipeline is linear: with a square loss a quadratic, with a logistic one a regression."""

CURVED = Layer(lambda h, u: h * (1 + u) + u * u / 2, lambda h, u: 1 + u, lambda h, u: h + u)
"""Every derivative depends on the weights of its own stage and of the stages around it."""


@dataclass(frozen=True)
class Problem:
    """A pipeline with data.

    Attributes
    ----------
    layer : Layer
    slope : callable
        Derivative of the loss by its argument, of (h, target).
    features : tuple, shape (M, p, D)
    targets : tuple, shape (M,)
    start : tuple, shape (p, D)
    stepsize : number
    """

    layer: Layer
    slope: Callable[[Number, Number], Number]
    features: tuple[tuple[Block, ...], ...]
    targets: tuple[Number, ...]
    start: tuple[Block, ...]
    stepsize: Number


@dataclass(frozen=True)
class Row:
    """One update as RPD is fed with it: block, microbatch, and a delay for every block."""

    stage: int
    microbatch: int
    delays: tuple[int, ...]


def _square(h: Number, target: Number) -> Number:
    return h - target


def _logistic(h: float, target: float) -> float:
    label = math.copysign(1.0, target)
    return -label / (1.0 + math.exp(label * h))


KINDS: dict[str, tuple[Layer, Callable[[Number, Number], Number]]] = {
    "quadratic": (SUM, _square),
    "logistic": (SUM, _logistic),
    "curved": (CURVED, _square),
}


def problem(kind: str, stages: int, microbatches: int, *, exact: bool = False) -> Problem:
    """A problem with fixed pseudo-random data.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    stages, microbatches : int
    exact : bool
        Fractions with powers of two below them, instead of floats.
    """
    random, layer = Random(7), KINDS[kind]

    def number() -> Number:
        if exact:
            return Fraction(random.choice((-3, -2, -1, 1, 2, 3)), 4)
        return random.uniform(-1, 1)

    def block() -> Block:
        return tuple(number() for _ in range(WIDTH))

    features = tuple(tuple(block() for _ in range(stages)) for _ in range(microbatches))
    targets = tuple(number() for _ in range(microbatches))
    start = tuple(block() for _ in range(stages))
    return Problem(*layer, features, targets, start, Fraction(1, 8) if exact else 0.1)


def _product(one: Block, other: Block) -> Number:
    total = one[0] * other[0]
    for x, y in zip(one[1:], other[1:], strict=True):
        total = total + x * y
    return total


def _stepped(given: Problem, old: Block, slope: Number, features: Block) -> Block:
    return tuple(x - given.stepsize * (slope * a) for x, a in zip(old, features, strict=True))


def pipedream(line: Timeline, given: Problem, *, stashes: bool = True) -> Versions:
    """Play a timeline: forwards read the newest block of their stage, backwards what was stashed.

    Parameters
    ----------
    line : Timeline
        With one F and one B for every stage and microbatch.
    given : Problem
    stashes : bool
        If not, a backward uses the newest block, as a runtime without a stash would.

    Returns
    -------
    Versions
    """
    schedule, layer = line.schedule, given.layer
    newest = list(given.start)
    versions = [[block] for block in newest]
    stash: dict[tuple[int, int], tuple[Block, Number]] = {}
    activation: dict[tuple[int, int], Number] = {}
    gradient: dict[tuple[int, int], Number] = {}
    # In a slot stages do not depend on each other; a backward ends before what it makes is read.
    for index in np.argsort(line.start, kind="stable").tolist():
        s, m = int(schedule.stage[index]), int(schedule.microbatch[index])
        a = given.features[m][s]
        if schedule.kind[index] == Kind.F:
            h = activation.pop((s, m)) if s else 1
            stash[s, m] = newest[s], h
            out = layer.forward(h, _product(a, newest[s]))
            if s < schedule.stages - 1:
                activation[s + 1, m] = out
            else:
                gradient[s, m] = given.slope(out, given.targets[m])
        else:
            block, h = stash.pop((s, m))
            u = _product(a, block if stashes else newest[s])
            g = gradient.pop((s, m))
            gradient[s - 1, m] = g * layer.by_input(h, u)
            newest[s] = _stepped(given, newest[s], g * layer.by_weight(h, u), a)
            versions[s].append(newest[s])
    return tuple(tuple(blocks) for blocks in versions)


def rpd(rows: Sequence[Row], given: Problem) -> Versions | None:
    """Play RPD: update k changes one block, by the gradient at x̂ with x̂_j = x_j^{k − d_j}.

    Returns
    -------
    Versions or None
        None if a delay reads outside of the history, 0 ≤ d ≤ k.
    """
    history = [[block] for block in given.start]
    versions = [[block] for block in given.start]
    for k, row in enumerate(rows):
        if not all(0 <= d <= k for d in row.delays):
            return None
        stale = [blocks[k - d] for blocks, d in zip(history, row.delays, strict=True)]
        slope = _block_slope(given, stale, row.stage, row.microbatch)
        for j, blocks in enumerate(history):
            blocks.append(blocks[k])
            if j == row.stage:
                a = given.features[row.microbatch][j]
                blocks[-1] = _stepped(given, blocks[k], slope, a)
                versions[j].append(blocks[-1])
    return tuple(tuple(blocks) for blocks in versions)


def _block_slope(given: Problem, model: Sequence[Block], stage: int, microbatch: int) -> Number:
    """Derivative of one microbatch's loss at a whole model by u of one stage."""
    features = given.features[microbatch]
    products = [_product(a, block) for a, block in zip(features, model, strict=True)]
    inputs: list[Number] = [1]
    for u in products:
        inputs.append(given.layer.forward(inputs[-1], u))
    g = given.slope(inputs[-1], given.targets[microbatch])
    for s in range(len(model) - 1, stage, -1):
        g = g * given.layer.by_input(inputs[s], products[s])
    return g * given.layer.by_weight(inputs[stage], products[stage])


def first_difference(one: Versions, other: Versions | None) -> dict[str, Any] | None:
    """The first version of a block that differs in any bit, or None.

    Examples
    --------
    >>> first_difference((((0.0,), (1.0,)),), (((0.0,), (1.0,)),)) is None
    True
    >>> first_difference((((0.0,),),), (((-0.0,),),))
    {'stage': 0, 'version': 0, 'pd': '(0x0.0p+0)', 'rpd': '(-0x0.0p+0)'}
    """
    if other is None:
        return {"rpd": "reads outside of its history"}
    for stage, (mine, yours) in enumerate(zip(one, other, strict=True)):
        for version in range(max(len(mine), len(yours))):
            pair = [_bits(blocks[version : version + 1]) for blocks in (mine, yours)]
            if pair[0] != pair[1]:
                return {"stage": stage, "version": version, "pd": pair[0], "rpd": pair[1]}
    return None


def _bits(blocks: tuple[Block, ...]) -> str:
    texts = (x.hex() if isinstance(x, float) else str(x) for block in blocks for x in block)
    return f"({', '.join(texts)})"
