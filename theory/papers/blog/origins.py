"""Whose statement each row is."""

from theory.judging.origins import named

ORIGINS = named(
    "blog",
    printed="""
        warmup inflight-1f1b bubble pairing gpipe-order loss-scaling chunks stage-bounds
        initialize-p2p microbatches middle-stages bubble-1f1b
    """,
)
