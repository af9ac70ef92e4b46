"""Whose statement each row is; what is not named here stands nowhere but here, and is ours.

The text that we have lost its displays, and (11) is cited there without a proof.
"""

from theory.judging.origins import Origins

ORIGINS: Origins = {
    # its display is lost
    "localsgd.eq-11": "reconstructed",
    "localsgd.eq-12": "reconstructed",
    "localsgd.eq-5": "reconstructed",
    "localsgd.eq-13": "reconstructed",
    "localsgd.eq-6": "reconstructed",
    "localsgd.speedup": "reconstructed",
    # what follows from the source, or what it would need
    "localsgd.drift": "implied",
    "localsgd.eq-13-second-branch": "implied",
    "localsgd.eq-13-first-branch": "implied",
    "localsgd.schedule": "implied",
    # lemmas of our proof of (11)
    "localsgd.slope-gap": "ours",
    "localsgd.mean-noise": "ours",
    "localsgd.one-step": "ours",
    "localsgd.length": "implied",
    "localsgd.matched-budget": "reconstructed",
}
