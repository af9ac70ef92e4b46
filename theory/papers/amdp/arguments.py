"""What the AMDP rows rest on in words: the arguments that put checked steps together.

Each stands in the docstring of what it is about. Names in quotation marks inside an argument are
those of its checked statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from theory.judging.arguments import in_full

_STAND: Final[Mapping[str, str]] = {
    "greedy": "amdp.lemmas.greedy",
    "order": "amdp.lemmas.mismatches",
    "work": "amdp.lemmas.free_mismatch",
    "counters": "schedules.counters",
    "cone": "amdp.lemmas.durations",
    "long run": "amdp.lemmas.long_run",
    "period": "amdp.active_ratio:decided_of",
    "rotation": "amdp.lemmas.rotation",
    "rotation, F = B": "amdp.lemmas.rotation:fills_if_equal",
    "rotation, Chimera": "amdp.witnesses.rotation_chimera",
    "every play": "amdp.runs.steady_play",
    "windows": "amdp.lemmas.window_laws",
    "one pipeline": "amdp.lemmas.window_laws:is_least",
    "queue": "amdp.lemmas.queue_order",
    "overtaking": "amdp.lemmas.overtaking",
    "runs": "amdp.runs.witness_runs",
    "second moments": "amdp.eta2:excess",
    "mixed chain": "amdp.witnesses.mixed_chain",
}
"""By name the module or function whose docstring it is."""


def _standing(place: str) -> str:
    module, _, name = place.partition(":")
    about = import_module(f"theory.papers.{module}")
    return in_full(getattr(about, name) if name else about)


ARGUMENTS: Final[Mapping[str, str]] = {name: _standing(at) for name, at in _STAND.items()}
"""By name, in full."""

ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "amdp.mismatch": ("greedy", "cone", "order", "counters"),
    "amdp.free-mismatch": ("work",),
    "amdp.one-step": ("counters", "greedy", "cone", "order"),
    "amdp.active-ratio": ("greedy", "cone", "period", "long run"),
    "amdp.saturation": (
        *("rotation", "rotation, F = B", "rotation, Chimera", "every play"),
        *("greedy", "cone", "period"),
    ),
    "amdp.accumulation": ("windows", "one pipeline", "queue", "overtaking", "every play", "runs"),
    "amdp.eta2": ("second moments", "mixed chain"),
    "amdp.eta2-synchronous": (),
    "amdp.eta2-mixed": (),
    "amdp.eta2-stash": (),
    "amdp.gains": (),
    "amdp.zero": (),
}
"""By row, the arguments that its verdict and cases use; those with none are the kernel's alone."""
