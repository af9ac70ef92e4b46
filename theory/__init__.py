"""Claims of papers, and the provers that reach verdicts on them."""

import os

# sympy reads it once, when it is imported. Its own 1000 entries a function are too few for proofs.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
