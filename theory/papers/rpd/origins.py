"""Whose statement each row is; what is not named here stands nowhere but here, and is ours.

The text that we have of this paper lost its displays: formulas are given back by what the sentences
around them say, by the proofs, and by the authors' public code.
"""

from theory.judging.origins import Origins

ORIGINS: Origins = {
    # said in words, without a display
    "rpd.stash-invariant": "printed",
    "rpd.pd-as-rpd": "printed",
    "rpd.last-stage-delay": "printed",
    "rpd.periodic": "printed",
    "rpd.idle": "printed",
    # its display is lost
    "rpd.lemma-b1": "reconstructed",
    "rpd.lemma-b2": "reconstructed",
    "rpd.eq-8": "reconstructed",
    "rpd.eq-9": "reconstructed",
    "rpd.thm-4.1": "reconstructed",
    "rpd.cor-b1": "reconstructed",
    "rpd.stale-power-of-the-bound": "reconstructed",
    "rpd.prop-4.1": "reconstructed",
    "rpd.lemma-c1-window": "reconstructed",
    "rpd.c1-slot-counts": "reconstructed",
    "rpd.lemma-c1-entry": "reconstructed",
    "rpd.lemma-c1-odd": "reconstructed",
    "rpd.lemma-c1-mean": "reconstructed",
    "rpd.cor-c1": "reconstructed",
    "rpd.thm-h1": "reconstructed",
    "rpd.eq-15": "reconstructed",
    "rpd.lemma-i1": "reconstructed",
    "rpd.lemma-i2": "reconstructed",
    # what follows from the source, or what it would need
    "rpd.thm-h1-recurrence": "implied",
    "rpd.nag-thm": "implied",
    # questions of ours about the source
    "rpd.stepsize": "ours",
    "rpd.lemma-b2-expected": "ours",
    "rpd.table-1": "ours",
    "rpd.delay-whole-run": "ours",
    "rpd.stale-power": "ours",
    "rpd.local-staleness": "ours",
}
