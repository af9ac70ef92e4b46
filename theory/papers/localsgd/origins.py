"""Whose statement each row is; what is not named here stands nowhere but here, and is ours.

The text that we have lost its displays, and (11) is cited there without a proof.
"""

from theory.judging.origins import named

ORIGINS = named(
    "localsgd",
    reconstructed="eq-11 eq-12 eq-5 eq-13 eq-6 speedup matched-budget",
    # what follows from the source, or what it would need
    implied="drift eq-13-second-branch eq-13-first-branch schedule length",
    # lemmas of our proof of (11)
    ours="slope-gap mean-noise one-step",
)
