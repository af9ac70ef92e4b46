"""How long every action takes, from a table by kind or by kind and stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from schedules.actions import RUNS, Kind, among
from schedules.errors import ParameterError
from schedules.schedule import IntArray, Schedule

KindAtStage: TypeAlias = tuple[Kind, int]
Durations: TypeAlias = (
    Mapping[Kind, int] | Mapping[KindAtStage, int] | Mapping[Kind | KindAtStage, int]
)
"""Non-negative integers by kind, or by kind and stage; what names the stage overrules."""


def unit_durations(schedule: Schedule) -> dict[Kind, int]:
    """Durations used unless others are given.

    F = B = 1; where the schedule splits backwards, F = I = W = 1 and a fused B = 2; R = F.
    Whatever is not a computation takes no time.
    """
    splits = bool(among(schedule.kind, (Kind.I, Kind.W)).any())
    durations = {kind: int(kind in RUNS) for kind in Kind}
    if splits:
        durations[Kind.B] = 2
    return durations


def durations_of_actions(schedule: Schedule, durations: Durations | None = None) -> IntArray:
    """Duration of every action, shape (actions,).

    Parameters
    ----------
    schedule : Schedule
    durations : mapping, optional
        Keys are kinds or (kind, stage); what is left out keeps `unit_durations`.

    Raises
    ------
    ParameterError
        A key is neither, a stage does not exist, a duration is negative or no integer, or a
        receive is given one.

    Examples
    --------
    >>> from schedules.families import build
    >>> slow_end = {Kind.B: 2, (Kind.F, 1): 3}
    >>> durations_of_actions(build("naive", 2, 1), slow_end).tolist()
    [1, 2, 3, 2]
    """
    table = unit_durations(schedule)
    at_stage: dict[int, int] = {}
    for key, value in (durations or {}).items():
        kind, stage = _key(key, schedule.stages)
        where = f"duration of {kind.name}" + ("" if stage is None else f" at stage {stage}")
        time = whole_number(value, "a duration", where)
        if time and kind in (Kind.RECV_F, Kind.RECV_B):
            raise ParameterError(
                f"a receive takes no time of its rank, found {time}",
                where,
                "give the time that messages take as message_time",
            )
        if stage is None:
            table[kind] = time
        else:
            at_stage[stage * len(Kind) + kind] = time
    taken = np.array([table[kind] for kind in Kind], dtype=np.int64)[schedule.kind]
    if at_stage:
        codes = np.array(sorted(at_stage), dtype=np.int64)
        times = np.array([at_stage[code] for code in codes.tolist()], dtype=np.int64)
        code = schedule.stage * len(Kind) + schedule.kind
        position = np.minimum(np.searchsorted(codes, code), len(codes) - 1)
        taken = np.where(codes[position] == code, times[position], taken)
    return np.asarray(taken)


def whole_number(value: object, name: str, where: str) -> int:
    """Check a time.

    Raises
    ------
    ParameterError
        It is negative or no integer.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ParameterError(
            f"{name} is a non-negative integer, found {value!r}",
            where,
            "give a whole number of slots",
        )
    return int(value)


def _key(key: object, stages: int) -> tuple[Kind, int | None]:
    if isinstance(key, Kind):
        return key, None
    match key:
        case (Kind() as kind, int(stage)) if not isinstance(stage, bool) and 0 <= stage < stages:
            return kind, stage
    raise ParameterError(
        f"a duration is given for a kind, or for a kind and a stage from 0 to {stages - 1}; "
        f"found {key!r}",
        "durations",
        "use keys such as Kind.F or (Kind.F, 0)",
    )
