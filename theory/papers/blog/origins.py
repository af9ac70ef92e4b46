"""Whose statement each row is."""

from theory.judging.origins import Origins

ORIGINS: Origins = {
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
