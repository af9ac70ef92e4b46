"""Claims of a blog's from-scratch pipeline parallelism in PyTorch."""

from __future__ import annotations

from typing import Final

from theory.judging.origins import with_origins
from theory.papers.blog import (
    bubble,
    chunks,
    gpipe_order,
    inflight_1f1b,
    initialize_p2p,
    loss_scaling,
    pairing,
    stage_bounds,
    warmup,
)
from theory.papers.blog.origins import ORIGINS
from theory.record import Paper

_ROWS: Final = (
    warmup.CLAIM,
    inflight_1f1b.CLAIM,
    bubble.CLAIM,
    pairing.CLAIM,
    gpipe_order.CLAIM,
    loss_scaling.CLAIM,
    chunks.CLAIM,
    stage_bounds.CLAIM,
    initialize_p2p.CLAIM,
)

PAPER: Final = Paper(with_origins(_ROWS, ORIGINS))
