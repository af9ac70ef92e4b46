"""What the AMDP rows rest on in words: the arguments that put checked steps together.

Each stands in the docstring of what it is about. Names in quotation marks inside an argument are
those of its checked statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from theory.judging.arguments import in_full
from theory.papers.amdp import active_ratio, eta2
from theory.papers.amdp.lemmas import (
    durations,
    greedy,
    long_run,
    mismatches,
    overtaking,
    queue_order,
    rotation,
    window_laws,
)
from theory.papers.amdp.runs import steady_play, witness_runs
from theory.papers.amdp.witnesses import mixed_chain, rotation_chimera
from theory.papers.schedules import counters

_STAND: Final[Mapping[str, object]] = {
    "greedy": greedy,
    "order": mismatches,
    "counters": counters,
    "cone": durations,
    "long run": long_run,
    "period": active_ratio.decided_of,
    "rotation": rotation,
    "rotation, F = B": rotation.fills_if_equal,
    "rotation, Chimera": rotation_chimera,
    "every play": steady_play,
    "windows": window_laws,
    "one pipeline": window_laws.is_least,
    "queue": queue_order,
    "overtaking": overtaking,
    "runs": witness_runs,
    "second moments": eta2.excess,
    "mixed chain": mixed_chain,
}

ARGUMENTS: Final[Mapping[str, str]] = {name: in_full(one) for name, one in _STAND.items()}
"""By name, in full."""

ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "amdp.mismatch": ("greedy", "cone", "order", "counters"),
    "amdp.one-step": ("counters", "greedy", "cone", "order"),
    "amdp.active-ratio": ("greedy", "cone", "period", "long run"),
    "amdp.saturation": ("rotation", "rotation, F = B", "rotation, Chimera", "every play"),
    "amdp.accumulation": (
        "windows",
        "one pipeline",
        "queue",
        "overtaking",
        "every play",
        "runs",
    ),
    "amdp.eta2": ("second moments", "mixed chain"),
    "amdp.eta2-synchronous": (),
    "amdp.eta2-mixed": (),
    "amdp.eta2-stash": (),
    "amdp.gains": (),
    "amdp.zero": (),
}
"""By row, the arguments that its verdict and cases use; those with none are the kernel's alone."""
