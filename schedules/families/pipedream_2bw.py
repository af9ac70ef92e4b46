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

>>> from schedules.versions import versions
>>> versions(build(3, 9)).read[0].tolist()
[0, 0, 0, 0, 0, 0, 1, 1, 1]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from schedules.errors import ParameterError
from schedules.families.asynchronous import require_updates
from schedules.families.family import Family, Parameter
from schedules.families.figures import Figures
from schedules.families.one_f_one_b import ORDER as ONE_F_ONE_B
from schedules.policies import WeightPolicy


def _accept(family: str, p: int, M: int, values: Mapping[str, int]) -> Mapping[str, int]:
    """A window of p or more, p by default."""
    window = values.get("window", p)
    if window < p:
        raise ParameterError(
            f"two versions are enough if a window has at least as many microbatches as there are "
            f"stages, found window = {window} and p = {p}",
            f"family {family}",
            f"take window ≥ {p}, or the family asyncpp, which stashes as many as it needs",
        )
    require_updates(family, "window", window, M)
    return {"window": window}


ORDER: Final = replace(ONE_F_ONE_B, accept=_accept)


FAMILY: Final = Family(
    name="pipedream-2bw",
    source="Narayanan et al. 2021 (PipeDream-2BW)",
    summary="1F1B without a flush, an update a window, two weight versions; window ≥ p",
    policy=WeightPolicy("double-buffer"),
    rule=ORDER,
    parameters=(Parameter("window", "microbatches an update, at least p (default p)"),),
    figures=Figures(
        makespan="2*(M + p - 1)",
        work="2*M",
        peak="Min(p - r, M)",
        staleness="Min(1, floor(M/window) - 1)",
    ),
    interval="window",
)

build: Final = FAMILY.build
