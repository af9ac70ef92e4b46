"""GPipe of the from-scratch blog: all forwards, then all backwards from the last microbatch on.

Source: see `schedules.families.blog`. Its code asserts at least two microbatches, posts every
message by itself and runs the backwards in reverse microbatch order.

Known, with F = B = 1: makespan 2(M + p − 1), as GPipe in microbatch order; M activations a stage.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from schedules.families.blog import two_waves
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy

WAVES: Final = two_waves("blog-gpipe", descending=True, least_stages=2)
"""The program; of one microbatch it is the naive pipeline's."""

FAMILY: Final = Family(
    name="blog-gpipe",
    source="from-scratch PyTorch blog, GPipe pipeline",
    summary="GPipe with backwards in reverse microbatch order and its messages",
    policy=WeightPolicy("flush"),
    rule=replace(WAVES, least=2),
    figures=Figures(
        makespan="2*(M + p - 1)",
        work="2*M",
        peak="M",
    ),
)

build: Final = FAMILY.build
