"""The blog's programs: GPIPE (with one microbatch the naive pipeline) and 1F1B.

Counters of a loop are affine in the iteration, so each step of the code's loops is one `Entry`;
that the loops run just these is proved in `theory.papers.blog.lemmas.loops`.
"""

from functools import partial
from typing import Final

from theory.laws.static_orders.batched_1f1b import batched
from theory.laws.static_orders.gpipe import two_waves

GPIPE: Final = two_waves("blog-gpipe", descending=True, least_stages=2)
"""All forwards, then all backwards from the last microbatch on, every message by itself."""

one_f_one_b: Final = partial(batched, "blog-1f1b")
ONE_F_ONE_B: Final = one_f_one_b()
"""As printed."""
