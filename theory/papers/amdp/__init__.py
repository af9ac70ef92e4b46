"""Claims of "AMDP: Asynchronous Multi-Directional Pipeline Parallelism" (ICML 2026)."""

from theory.judging.arguments import with_arguments
from theory.judging.origins import rows_of, with_origins
from theory.papers.amdp.arguments import ARGUMENTS, ROWS
from theory.papers.amdp.origins import ORIGINS
from theory.record import Paper

_ROWS = rows_of(
    __name__,
    """
    mismatch lemmas.free_mismatch one_step active_ratio saturation accumulation
    eta2 lemmas.synchronous lemmas.eta2_mixed lemmas.eta2_stash zero gains
    """,
)

PAPER = Paper(with_arguments(with_origins(_ROWS, ORIGINS), ARGUMENTS, ROWS))
