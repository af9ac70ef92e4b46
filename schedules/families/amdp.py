"""AMDP: few minibatches a pipeline, for a small mismatch, and several pipelines to fill the ranks.

Source: "AMDP: Asynchronous Multi-Directional Pipeline Parallelism for Large-Scale Models Training",
ICML 2026 (arXiv 2605.29664). It gives the rule in words; what is ours is marked so.

Rule, for p stages (its d) and `pipelines` pipelines (its d/2):

- pipeline 0, 2, … runs stage s on rank s, pipeline 1, 3, … on rank p − 1 − s;
- stage 0 of a pipeline has at most n = `admission` minibatches past F but not past B. With
  `stage_cap` = 1 stage s has at most min(n, p − s);
- within a pipeline a stage does what PipeDream's does (`pipedream`): B first, then in turn;
- a rank that several pipelines want serves first come first served. Ours: of what became ready at
  the same time, backwards first, then the earlier minibatch; minibatch m goes to pipeline
  m mod `pipelines`;
- an update follows every backward, or every `window` backwards of a weight copy; B uses the newest
  weights, or with `stash` = 1 those of its F.

Pipelines in one direction share the weights of their rank: a stage has two weight copies, as in
`chimera`. Versions count the updates of one copy. With `zero` = 1 the optimizer state of stage s is
kept on rank s only, as in ZeRO, and each update is two actions: ``REDUCE`` (the copy's gradients go
to the owner) and ``U`` (on rank s the optimizer's step, on rank p − 1 − s the weights that it sends
back). The text gives no order for these messages. Ours: they follow the backward that fills the
window and take no slot, and what a copy gets is what its own windows made; how the owner adds up
the gradients of both is not modelled.

Known for one pipeline, with i = p − 1 − s and r = m mod n, n ≤ p (proved for all p and n by
`staleproof verify amdp`):

- makespan (F + B)(p(⌊(M − 1)/n⌋ + 1) + (M − 1) mod n) for `stage_cap` = 1 or n ≤ 2, and else, in
  the order that F = B generates, if B ≥ F: in the limit it is active n/p of the time;
- `stage_cap` = 1 or n ≤ 2: the mismatch is at most the paper's min(n, p − s) − 1. It is min(m, i)
  for m < n and min(r, i) + max(0, n − 1 − s − r) from then on. So from m = n on those reach the
  bound for which r ≥ min(n, p − s) − 1 (the last of every n among them), and all of them at stage 0
  or if n = p;
- `stage_cap` = 0 and n ≥ 3, with F = B: it is min(m, 2i) for m < n, up to min(n, 2(p − s) − 1) − 1,
  the others are as above.

Known for several pipelines:

- with `stage_cap` = 1 the mismatch, if only the updates of its own pipeline count, is at most
  min(n, p − s) − 1, whatever the durations: those that are between F and B before it;
- k pipelines in one direction update the same weights. Counted in updates of these, n = 2 and
  `window` = 1 give a mismatch of up to 2k − 1; windows of n·k leave at most 1 in all runs tried
  with n ≤ 2, but 2 for p = 10, n = 7, 8 pipelines and `window` = 28, also with `stage_cap` = 1;
- p/2 pipelines with n = 2 do not fill the ranks in general. With B ≠ F no order of these fills
  them for any even p ≥ 4. With F = B, after start-up, this one does for p = 2, 4, 12, 14 and 16;
  p = 6, 8 and 10 are active about 0.86, 0.80 and 0.91 of the time. Serving what has waited longest
  of all that is ready, not of one proposal a stage, fills them for every even p ≤ 16.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from schedules.actions import Action, Kind
from schedules.errors import ParameterError
from schedules.families.asynchronous import require_updates
from schedules.families.family import Family, Parameter, require_room
from schedules.families.pipedream import RULE
from schedules.families.sharing import run_sharing
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule

DEFAULT_ADMISSION: Final = 2
LATEST, STASH = 0, 1


def caps(stages: int, microbatches: int, admission: int, stage_cap: int) -> list[int]:
    """Per stage: the most minibatches of a pipeline between F and B.

    Examples
    --------
    >>> caps(4, 9, 3, 1), caps(4, 9, 3, 0)
    ([3, 3, 2, 1], [3, 9, 9, 9])
    """
    if stage_cap:
        return [min(admission, stages - stage) for stage in range(stages)]
    return [admission] + [microbatches] * (stages - 1)


def directions(stages: int, pipelines: int) -> Placement:
    """Even pipelines down the ranks, odd ones up; a weight copy for each direction.

    Examples
    --------
    >>> directions(2, 3)
    Placement(ranks=((0, 1), (1, 0), (0, 1)), copies=((0, 0), (1, 1), (0, 0)), owners=None)
    """
    down = tuple(range(stages))
    return Placement(
        ranks=tuple(down[::-1] if pipeline % 2 else down for pipeline in range(pipelines)),
        copies=tuple((pipeline % 2,) * stages for pipeline in range(pipelines)),
    )


def with_owner(order: Sequence[Action], window: int) -> list[Action]:
    """One rank's order with ``REDUCE`` and ``U`` behind each backward that fills a window.

    Examples
    --------
    >>> print(*with_owner([Action(Kind.F, 0, 0), Action(Kind.B, 0, 0)], 1))
    0F0 0B0 0REDUCE 0U
    """
    result: list[Action] = []
    gradients: dict[tuple[int, int], int] = {}
    for action in order:
        result.append(action)
        if action.kind is not Kind.B:
            continue
        copy = action.stage, action.pipeline % 2
        gradients[copy] = gradients.get(copy, 0) + 1
        if gradients[copy] % window == 0:
            update = (Kind.REDUCE, Kind.U)
            result += [Action(kind, action.stage, pipeline=action.pipeline % 2) for kind in update]
    return result


def build(
    stages: int,
    microbatches: int,
    admission: int | None = None,
    pipelines: int | None = None,
    stage_cap: int = 0,
    window: int = 1,
    stash: int = LATEST,
    zero: int = 0,
) -> Schedule:
    """Generate AMDP for p stages and M minibatches, at least one a pipeline.

    Parameters
    ----------
    stages, microbatches : int
    admission : int, optional
        Minibatches n that stage 0 of a pipeline admits, 1 ≤ n ≤ p; 2 by default.
    pipelines : int, optional
        p/2 by default, for which p has to be even.
    stage_cap : int
        1 if stage s admits at most min(n, p − s); 0 if only stage 0 is bounded.
    window : int
        Backwards of a weight copy an update: 1, or at least the n minibatches of all pipelines that
        share a copy.
    stash : int
        1 if B uses the weights of its F, 0 if the newest.
    zero : int
        1 if one copy of each stage keeps the optimizer state for both, 0 if each keeps its own.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> from schedules.timeline import timeline
    >>> for row in timeline(build(4, 5)).rows():
    ...     print(row)
    0F0 0F2 . 3F1 3B1 3F3 3B3 0B0 0F4 0B2 . . . . . 0B4
    . 1F0 2F1 1F2 2F3 2B1 1B0 2B3 1B2 1F4 . . . . 1B4 .
    . 1F1 2F0 1F3 2F2 2B0 1B1 2B2 1B3 . 2F4 . . 2B4 . .
    0F1 0F3 . 3F0 3B0 3F2 3B2 0B1 . 0B3 . 3F4 3B4 . . .
    """
    given = {"stage_cap": stage_cap, "window": window, "stash": stash, "zero": zero}
    values = _checked(stages, microbatches, admission, pipelines, given)
    require_room(FAMILY.name, stages, microbatches)
    placement = directions(stages, values["pipelines"])
    limits = caps(stages, microbatches, values["admission"], values["stage_cap"])
    name = "stash" if values["stash"] else FAMILY.policy.name
    orders = run_sharing(RULE, placement, microbatches, limits)
    if values["zero"]:
        placement = replace(placement, owners=(0,) * stages)
        orders = [with_owner(order, values["window"]) for order in orders]
    return Schedule.from_orders(
        FAMILY.name,
        orders,
        microbatches,
        WeightPolicy(name, values["window"]),
        placement=placement,
        parameters=values,
    )


def _checked(
    stages: int,
    microbatches: int,
    admission: int | None,
    pipelines: int | None,
    given: Mapping[str, int],
) -> dict[str, int]:
    """All parameters with their defaults, or an error for the first that does not fit."""
    values = FAMILY.checked(stages, microbatches, given)
    where = f"family {FAMILY.name}"
    for name in ("stage_cap", "stash", "zero"):
        if values[name] > 1:
            raise ParameterError(f"{name} is 0 or 1, found {values[name]}", where, "take 0 or 1")
    if pipelines is None and stages % 2:
        raise ParameterError(
            f"p/2 pipelines need an even p (stages), found p = {stages}",
            where,
            f"take p = {stages + 1}, or state pipelines",
        )
    values |= FAMILY.checked(
        stages,
        microbatches,
        {
            "admission": min(DEFAULT_ADMISSION, stages) if admission is None else admission,
            "pipelines": stages // 2 if pipelines is None else pipelines,
        },
    )
    n, lanes = values["admission"], values["pipelines"]
    if values["zero"] and lanes < 2:
        raise ParameterError(
            "one copy keeps the optimizer state for another, so it takes two directions, found "
            f"pipelines = {lanes}",
            where,
            "take pipelines ≥ 2, or zero = 0",
        )
    if n > stages:
        raise ParameterError(
            f"a pipeline of p stages has use for at most p minibatches, found admission = {n} and "
            f"p = {stages}",
            where,
            f"take admission ≤ {stages}",
        )
    if microbatches < lanes:
        raise ParameterError(
            f"every pipeline runs at least one minibatch, found pipelines = {lanes} and M = "
            f"{microbatches}",
            where,
            f"take M ≥ {lanes}, or fewer pipelines",
        )
    _require_window(values, microbatches)
    order = [parameter.name for parameter in FAMILY.parameters]
    return {name: values[name] for name in order}


def _require_window(values: dict[str, int], microbatches: int) -> None:
    """Refuse windows shorter than what is under way on a weight copy, or never filled."""
    window, lanes, n = values["window"], values["pipelines"], values["admission"]
    sharing = (lanes + 1) // 2
    if 1 < window < n * sharing:
        raise ParameterError(
            f"a window is 1, or at least what the pipelines of a weight copy admit together, "
            f"found window = {window} and {sharing} · admission = {n * sharing}",
            f"family {FAMILY.name}",
            f"take window = 1 or window ≥ {n * sharing}",
        )
    upwards = sum(m % lanes % 2 for m in range(microbatches))
    fewest = min(upwards, microbatches - upwards) if lanes > 1 else microbatches
    require_updates(FAMILY.name, "window", window, fewest)


FAMILY: Final = Family(
    name="amdp",
    source="AMDP, ICML 2026 (arXiv 2605.29664)",
    summary="p/2 pipelines in both directions, each with few minibatches: a small mismatch",
    policy=WeightPolicy("latest"),
    build=build,
    parameters=(
        Parameter("admission", f"minibatches n a pipeline admits (default {DEFAULT_ADMISSION})"),
        Parameter("pipelines", "pipelines, in turn down and up the ranks (default p/2, p even)"),
        Parameter("stage_cap", "1: stage s admits at most min(n, p − s) (default 0)", 0),
        Parameter("window", "backwards of a weight copy an update (default 1)"),
        Parameter("stash", "1: B uses the weights of its F, 0: the newest (default 0)", 0),
        Parameter("zero", "1: one copy keeps the optimizer state of a stage (default 0)", 0),
    ),
)
