"""XPipe: asynchronous 1F1B whose forwards read predicted weights.

Source: Guan et al., "XPipe: Efficient Pipeline Model Parallelism for Multi-GPU DNN Training" (arXiv
1911.04610): a minibatch is cut into microbatches, and its first one predicts the weights.

Rule: the order of `pipedream-runtime`; a stage updates after every `update_interval` = T backwards.
F reads the newest version, extrapolated `horizon` updates ahead; B uses what F read.

The first microbatch of a minibatch is applied ⌈(p − 1 − s)/T⌉ updates after the newest version that
it finds, from minibatch ⌈(p − 1)/T⌉ on. The policy ``predict`` has one horizon, by default that of
stage 0, ⌈(p − 1)/T⌉:

- T ≥ p − 1: a horizon of 1, right at every stage but the last, which needs none;
- T = 1: a horizon of p − 1, right at stage 0 and s updates too far at stage s.

A horizon for each stage is not expressible. Nor do the later microbatches of a minibatch share what
the first one predicted: each looks ahead from the version that it finds.

Known: read versions, activations and makespan as for `asyncpp` with K = T.

>>> build(4, 8).policy.horizon, build(4, 8, update_interval=2).policy.horizon
(3, 2)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from schedules.families.asynchronous import FIGURES, updated_every
from schedules.families.family import Family, Parameter
from schedules.policies import WeightPolicy

_UPDATED: Final = updated_every("update_interval")


def _accept(family: str, p: int, M: int, values: Mapping[str, int]) -> Mapping[str, int]:
    """Horizon of stage 0, unless another is given."""
    ahead = -(-(p - 1) // values["update_interval"])
    return {"horizon": ahead, **_UPDATED.accept(family, p, M, values), **values}


ORDER: Final = replace(_UPDATED, accept=_accept)


FAMILY: Final = Family(
    name="xpipe",
    source="Guan et al. 2019 (XPipe)",
    summary="1F1B without a flush, forwards on weights predicted some updates ahead",
    policy=WeightPolicy("predict"),
    rule=ORDER,
    parameters=(
        Parameter("update_interval", "microbatches an update T (default 1)"),
        Parameter("horizon", "updates ahead (default ⌈(p − 1)/T⌉)", 0),
    ),
    figures=FIGURES,
    interval="update_interval",
)

build: Final = FAMILY.build
