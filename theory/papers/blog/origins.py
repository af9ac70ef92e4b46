"""Whose statement each row is."""

from __future__ import annotations

from typing import Final

from theory.judging.origins import Origins

ORIGINS: Final[Origins] = {
    "blog.warmup": "printed",
    "blog.inflight-1f1b": "printed",
    "blog.bubble": "printed",
    "blog.pairing": "printed",
    "blog.gpipe-order": "printed",
    "blog.loss-scaling": "printed",
    "blog.chunks": "printed",
    "blog.stage-bounds": "printed",
    "blog.initialize-p2p": "printed",
}
