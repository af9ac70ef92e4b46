"""Claims of a blog's from-scratch pipeline parallelism in PyTorch."""

from __future__ import annotations

from typing import Final

from theory.blog import bubble, gpipe_order, inflight_1f1b, pairing, warmup
from theory.claims import Claim

CLAIMS: Final[tuple[Claim, ...]] = (
    warmup.CLAIM,
    inflight_1f1b.CLAIM,
    bubble.CLAIM,
    pairing.CLAIM,
    gpipe_order.CLAIM,
)
