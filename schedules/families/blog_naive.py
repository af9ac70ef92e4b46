"""The naive pipeline of the from-scratch blog: one whole batch, stage after stage.

Source: see `schedules.families.blog`. Its code asserts a single microbatch and posts every message
by itself.

Known, with F = B = 1: makespan 2p, of which each rank works 2.
"""

from __future__ import annotations

from typing import Final

from schedules.families.blog_gpipe import WAVES
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy

FAMILY: Final = Family(
    name="blog-naive",
    source="from-scratch PyTorch blog, naive pipeline",
    summary="one whole batch, stage after stage, with its messages; M = 1",
    policy=WeightPolicy("flush"),
    rule=WAVES,
    figures=Figures(
        makespan="2*p",
        work="2",
        peak="M",
    ),
    whole_batch=True,
)

build: Final = FAMILY.build
