"""The blog's programs: GPIPE (with one microbatch the naive pipeline) and 1F1B.

Its families are built from these (`schedules.families.blog`). Counters of a loop are affine in the
iteration, so each step of the code's loops is one `Entry`; that the loops run just these is proved
in `theory.papers.blog.lemmas.loops`.
"""

from functools import partial

from schedules.families.blog_1f1b import PROGRAM, batched
from schedules.families.blog_gpipe import WAVES

GPIPE = WAVES
"""All forwards, then all backwards from the last microbatch on, every message by itself."""

one_f_one_b = partial(batched, "blog-1f1b")
ONE_F_ONE_B = PROGRAM
"""As printed."""
