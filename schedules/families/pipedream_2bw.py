"""PipeDream-2BW: gradients of a window in one update, and two weight versions instead of p.

Source: Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training", ICML 2021 (arXiv
2006.09503), section 3.1; there a window (its m) has at least as many microbatches as the pipeline
has stages.

Rule: the order of `pipedream-runtime`; a stage updates after every `window` ≥ p backwards. F of
microbatch m of window t = ⌊m/window⌋ reads, at every stage, version max(t − 1, 0), and B uses it
again.

Known, for microbatch m at every stage:

- every gradient is applied one update late, those of the first window none;
- no stage needs more than two versions. The order alone would allow `window` = p − 1; under p − 2,
  for p ≥ 3, a version would be read before it is made;
- activations and makespan as for `pipedream-runtime`.
"""

from __future__ import annotations

from typing import Final

from schedules.errors import ParameterError
from schedules.families.asynchronous import require_updates, without_flush
from schedules.families.family import Family, Parameter
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def build(stages: int, microbatches: int, window: int | None = None) -> Schedule:
    """Generate PipeDream-2BW for p ≥ 1 stages and M ≥ `window` microbatches.

    Parameters
    ----------
    stages, microbatches : int
    window : int, optional
        Microbatches an update, at least p; p by default.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> from schedules.versions import versions
    >>> versions(build(3, 9)).read[0].tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    values = FAMILY.checked(stages, microbatches, {"window": stages if window is None else window})
    if values["window"] < stages:
        raise ParameterError(
            f"two versions are enough if a window has at least as many microbatches as there are "
            f"stages, found window = {values['window']} and p = {stages}",
            f"family {FAMILY.name}",
            f"take window ≥ {stages}, or the family asyncpp, which stashes as many as it needs",
        )
    require_updates(FAMILY.name, "window", values["window"], microbatches)
    policy = WeightPolicy(FAMILY.policy.name, values["window"])
    return without_flush(FAMILY.name, stages, microbatches, policy, values)


FAMILY: Final = Family(
    name="pipedream-2bw",
    source="Narayanan et al. 2021 (PipeDream-2BW)",
    summary="1F1B without a flush, an update a window, two weight versions; window ≥ p",
    policy=WeightPolicy("double-buffer"),
    build=build,
    parameters=(Parameter("window", "microbatches an update, at least p (default p)"),),
    figures=Figures(makespan="2*(M + p - 1)", work="2*M", peak="p - r"),
)
