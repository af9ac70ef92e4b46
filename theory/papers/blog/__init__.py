"""Claims of a blog's from-scratch pipeline parallelism in PyTorch."""

from theory.judging.origins import rows_of, with_origins
from theory.papers.blog.origins import ORIGINS
from theory.record import Paper

_ROWS = rows_of(
    __name__,
    """
    warmup inflight_1f1b bubble pairing gpipe_order loss_scaling chunks stage_bounds initialize_p2p
    microbatches middle_stages bubble_1f1b
    """,
)

PAPER = Paper(with_origins(_ROWS, ORIGINS))
