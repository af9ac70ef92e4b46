"""Claims of papers, and the provers that reach verdicts on them."""
